//! Wavelengths, and which of them are dark.

use super::super::control_keys::{FaultKind, FaultSpec};
use super::super::keys::{AapnSwitching, Protocol};
use super::super::plan::Dark;
use super::Star;
use crate::language::{At, Fault, quoted};
use crate::model::{Network, NodeId};
use units::{Duration, Rate};

/// A queue has all wavelengths of its fibre.
pub(super) fn widen(network: &mut Network, table: &AapnSwitching) {
    for link in network.links.iter_mut().filter(|link| link.via.is_some()) {
        link.wavelengths = *table.wavelengths;
        link.capacity = Rate::from_bps(link.capacity.bps().saturating_mul(u64::from(link.wavelengths)));
    }
}

/// On how many wavelengths an edge node sends at a time.
pub(super) fn transmitters(table: &AapnSwitching) -> Result<u32, Fault> {
    let wavelengths = *table.wavelengths;
    match table.transmitters {
        Some(found) if !(1..=wavelengths).contains(&*found) => {
            let message = format!("found {}; allowed: 1 to {wavelengths}, which is one for each wavelength", *found);
            Err(found.fault(message))
        }
        Some(found) => Ok(*found),
        None => Ok(wavelengths),
    }
}

impl Star<'_> {
    /// The data of a slot, `light`, are not too short to be told apart by wavelength.
    pub(super) fn check_light(&self, light: Duration) -> Result<(), Fault> {
        if light.ps() >= u64::from(*self.table.wavelengths) {
            return Ok(());
        }
        let message = format!("the data of a slot last \"{light}\"; allowed: fewer wavelengths than picoseconds in it");
        Err(self.table.wavelengths.fault(message))
    }

    /// The wavelengths that are dark for a time. All other faults go with the signalling protocol.
    pub(super) fn dark(&self, cores: &[NodeId]) -> Result<Vec<Dark>, Fault> {
        let mut dark = Vec::new();
        for fault in &self.table.fault {
            if fault.kind.0 == FaultKind::Dark {
                dark.push(self.dark_wavelength(fault, cores)?);
                continue;
            }
            if self.table.protocol.0 == Protocol::Known {
                return Err(fault.fault("goes with protocol = \"simulated\""));
            }
            let of_wavelengths = fault.wavelength.map(|at| at.place()).or(fault.notice.map(|at| at.place()));
            if let Some(place) = of_wavelengths {
                return Err(Fault::new(place, "goes with kind = \"dark\"".to_owned()));
            }
        }
        Ok(dark)
    }

    fn dark_wavelength(&self, fault: &At<FaultSpec>, cores: &[NodeId]) -> Result<Dark, Fault> {
        if self.table.protocol.0 == Protocol::Simulated {
            let message = "goes with protocol = \"known\", which has wavelengths; allowed: \"stopped\", for one of \
                several core nodes in one place";
            return Err(fault.kind.fault(message));
        }
        if let Some(via) = &fault.via {
            return Err(via.fault("goes with cuts of an edge node; allowed: \"cut\", \"cut-up\", \"cut-down\""));
        }
        let node = self.draft.require(&fault.node, fault.node.place())?;
        let not_one =
            |_| fault.node.fault(format!("{} is not a core node of the slotted network", quoted(&fault.node)));
        let core = cores.binary_search(&node).map_err(not_one)? as u32;
        let last = *self.table.wavelengths - 1;
        let wavelength = match fault.wavelength {
            Some(found) if *found > last => {
                let allowed = if last == 0 { "0".to_owned() } else { format!("0 to {last}") };
                return Err(found.fault(format!("there is no wavelength {}; allowed: {allowed}", *found)));
            }
            Some(found) => *found,
            None => return Err(fault.fault("the key \"wavelength\" is missing: which one is dark")),
        };
        if let Some(notice) = fault.notice.filter(|_| self.table.allocation.is_some()) {
            return Err(notice.fault("goes with computed schedules, that is without allocation"));
        }
        let (from, until) = (fault.at.0.ps(), fault.until.map_or(u64::MAX, |until| until.0.ps()));
        if let Some(end) = fault.until.filter(|_| until <= from) {
            return Err(end.fault(format!("found \"{}\"; allowed: later than \"{}\"", end.0, fault.at.0)));
        }
        Ok(Dark { core, wavelength, from, until, notice: fault.notice.map_or(0, |notice| notice.0.ps()) })
    }
}
