//! What networks of switches in tiers share: their hosts, and the rates that follow from oversubscription.

use super::{Draft, Given, Property};
use crate::language::{At, Fault, Key, Place, Speed, Time, rate_in_range};
use crate::model::{NodeId, Role};
use units::{Duration, Rate};

/// The usual delay of a link within a building.
pub(super) const NEAR: Time = Time(Duration::from_micros(1));

/// Hosts "h0", "h1", … at these switches, `each` at the first, then at the second, and so on. Where traffic does not
/// say between whom it runs, host j of a switch is paired with host j of the next one.
pub(super) fn hosts(draft: &mut Draft, switches: &[NodeId], each: u32, given: &Given) {
    let mut all = Vec::new();
    for (switch, first) in switches.iter().zip((0..).step_by(each as usize)) {
        let own: Vec<NodeId> = (first..first + each).map(|host| draft.drawn(format!("h{host}"), Role::Host)).collect();
        own.iter().for_each(|host| draft.duplex(*host, *switch, given.clone()));
        all.push(own);
    }
    draft.pair_with_next(&all);
}

/// A link's properties as far as they are given.
pub(super) fn link(capacity: Property<Rate>, delay: &Key<Time>) -> Given {
    Given { capacity: Some(capacity), delay: Some(Property::of(delay, |delay| delay.0)), ..Given::default() }
}

/// The rate of each of `uplinks`, if `hosts` of this rate offer `oversubscription` times what all uplinks carry.
pub(super) fn uplink(
    host: At<Speed>,
    hosts: u32,
    uplinks: u32,
    oversubscription: f64,
) -> Result<Property<Rate>, Fault> {
    let rate = host.0.bps() as f64 * f64::from(hosts) / f64::from(uplinks) / oversubscription;
    let rate = Rate::from_bps(rate.round() as u64);
    rate_in_range(rate, || host.place())?;
    Ok(Property::given(host, |_| rate))
}

/// A fault if there are more hosts than a network may have.
pub(super) fn check_hosts(hosts: u64, most: u64, place: impl FnOnce() -> Place) -> Result<(), Fault> {
    if hosts <= most {
        return Ok(());
    }
    Err(Fault::new(place(), format!("these are {hosts} hosts; allowed: at most {most}")))
}
