//! `[switching]`, one regime a file.

mod aapn;
mod bursts;
mod obs;
mod ops;

use crate::language::{At, Fault, Place};
use crate::model::{Network, Switching, Traffic};
use crate::scenario::spec::{self, Spec};
use crate::topology::Draft;

/// What the network switches; packets are at most `largest_packet` bytes.
pub(super) fn resolve(
    spec: &Spec,
    (network, draft): (&mut Network, &mut Draft),
    largest_packet: u32,
) -> Result<Switching, Fault> {
    let slotted = network.links.iter().position(|link| link.via.is_some());
    let Some(at) = &spec.switching else {
        return slotted.map_or(Ok(Switching::Packets), |link| Err(nobody_grants(spec, draft, link)));
    };
    match (&**at, slotted) {
        (spec::Switching::Aapn(table), Some(_)) => aapn::resolve(at, table, (network, draft), largest_packet),
        (spec::Switching::Aapn(_), None) => Err(at.fault(
            "no link leads through a core node; allowed with topology.kind = \"aapn-star\", or links with \"via\"",
        )),
        (_, Some(_)) => Err(at.fault("the network has queues for slots; allowed: kind = \"aapn\"")),
        (spec::Switching::Packets(_), None) => Ok(Switching::Packets),
        (spec::Switching::Ops(table), None) => {
            ops::check_events(spec)?;
            ops::resolve(at, table, (network, draft), largest_packet)
        }
        (spec::Switching::Obs(table), None) => obs::resolve(at, table, (network, draft), largest_packet),
    }
}

/// What depends on the paths of the traffic.
pub(super) fn check_paths(
    spec: &Spec,
    (switching, network): (&Switching, &Network),
    traffic: &[Traffic],
) -> Result<(), Fault> {
    match (switching, spec.switching.as_deref()) {
        (Switching::Obs(obs), Some(spec::Switching::Obs(table))) => {
            table.offset.map_or(Ok(()), |offset| obs::check_offset(&offset, (obs, network), traffic))
        }
        _ => Ok(()),
    }
}

fn nobody_grants(spec: &Spec, draft: &Draft, link: usize) -> Fault {
    let drawn = &draft.links[link];
    let place = drawn.given.via.as_ref().map_or(Place::Unknown, |via| via.place.clone()).or_at(&drawn.place);
    let place = place.or_at(&spec.topology.as_ref().map_or(Place::Unknown, At::place));
    Fault::new(place, "who grants its slots? allowed with [switching] kind = \"aapn\"")
}
