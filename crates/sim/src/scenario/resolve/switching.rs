//! `[switching]`: which kind it is, and whether the network's links go with it. What its keys mean is the kind's
//! business.

use crate::language::{At, Fault, Place};
use crate::model::Network;
use crate::scenario::Switched;
use crate::scenario::spec::Spec;
use crate::switching::kind::{Checked, Site};
use crate::switching::{self, Switching};
use crate::topology::Draft;
use units::Duration;

/// The largest packet and the length of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    /// In bytes.
    pub(super) largest_packet: u32,
    pub(super) duration: Duration,
}

/// What the network switches.
pub(super) fn resolve(
    spec: &Spec,
    network: &mut Network,
    draft: &mut Draft,
    most: Most,
) -> Result<(Checked, Option<Switched>), Fault> {
    let Most { largest_packet, duration } = most;
    let led = network.links.iter().position(|link| link.via.is_some());
    let Some(at) = &spec.switching else {
        return led.map_or(Ok((switching::default(), None)), |link| Err(nothing_grants(spec, draft, link)));
    };
    if network.timed.is_some() {
        return Err(at.fault("the routes of the network are known beforehand; allowed: no [switching]"));
    }
    if led.is_some() && !Switching::name(at).entry().item.leads {
        let message =
            format!("the network has links that lead through a core node; allowed: kind = {}", switching::that_lead());
        return Err(at.fault(message));
    }
    let routing = spec.topology.as_ref().and_then(|topology| topology.routing_place());
    if let Some(place) = routing.filter(|_| !Switching::name(at).entry().item.equal_paths) {
        let message = "paths are the kind of switching's own; allowed: routing without [switching]";
        return Err(Fault::new(place, message));
    }
    let reroute = spec.topology.as_ref().and_then(|topology| topology.reroute_after());
    if let Some(key) = reroute.filter(|_| has_own_ways(at)) {
        return Err(key.fault("packets take whatever circuits there are; allowed: no reroute_after"));
    }
    let event = spec.event.first().map(|event| event.link.place());
    let phases = spec.link_phases.first().map(|phases| phases.link.place());
    let first_event = event.or(phases).or(spec.link_trace.first().map(|trace| trace.link.place()));
    let (checked, keys) = at.check(Site { at: at.mark(), network, draft, largest_packet, duration, first_event })?;
    Ok((checked, Some(Switched { kind: Switching::name(at).name(), keys })))
}

/// Whether a kind of switching carries packets over other links between switches than the paths of flows say.
pub(super) fn has_own_ways(switching: &At<Switching>) -> bool {
    Switching::name(switching).entry().item.own_ways
}

fn nothing_grants(spec: &Spec, draft: &Draft, link: usize) -> Fault {
    let drawn = &draft.links[link];
    let place = drawn.given.via.as_ref().map_or(Place::Unknown, |via| via.place.clone()).or_at(&drawn.place);
    let place = place.or_at(&spec.topology.as_ref().map_or(Place::Unknown, At::place));
    Fault::new(place, format!("nothing grants its slots; allowed with [switching] kind = {}", switching::that_lead()))
}
