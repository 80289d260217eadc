//! Hosts outside of the simulator: a packet of theirs enters at its time, travels with its true size and its ECN
//! field, and leaves when it arrives. The flow of a pair of hosts is one way, and nothing of it is sent again.
//!
//! | file | holds |
//! |---|---|
//! | `machines` | both ends of such a flow |
//! | `door` | where packets wait to enter, and where those are that have left |
//!
//! No transport names this kind: the table `[external]` names its hosts.

mod door;
mod machines;

pub use door::{Door, Left};

use crate::engine::node::machine::HostMaker;
use crate::model::{
    Arrivals, Flow, HostKind, Load, PacketSizes, Pairs, Protocol, Scenario, SimTime, Traffic, Transport, TransportId,
    TransportKind,
};
use std::sync::Arc;
use units::Duration;

/// What traffic and transport are called.
const NAME: &str = "external";

/// The kind, with the longest packet in bytes.
#[derive(Debug)]
struct Outside(u32);

impl HostKind for Outside {
    fn name(&self) -> &'static str {
        NAME
    }

    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn sizes(&self) -> PacketSizes {
        PacketSizes { payload: self.0, header: 0, ack: 0 }
    }

    fn is_numbered(&self) -> bool {
        true
    }
}

/// The scenario with a flow for each pair of hosts outside.
pub(crate) fn opened(mut scenario: Scenario) -> Scenario {
    let Some(external) = &scenario.external else { return scenario };
    let node = |place: u16| external.hosts[usize::from(place)];
    let pairs: Vec<_> = external.pairs().map(|(from, to)| (node(from), node(to))).collect();
    let (count, start) = (pairs.len() as u32, SimTime::ZERO);
    let transport = TransportId(scenario.transports.len() as u32);
    let kind = TransportKind::Hosted(Arc::new(Outside(external.mtu)));
    scenario.transports.push(Transport { name: NAME.to_owned(), kind });
    scenario.traffic.push(Traffic {
        name: NAME.to_owned(),
        transport,
        arrivals: Arrivals::Fixed { pairs: Pairs::Given(pairs), count, start, spread: Duration::ZERO },
        load: Load::Greedy,
        sizes: None,
        stop: None,
        priority: 0,
        bursts: None,
    });
    scenario
}

/// Takes out the flows that hosts outside do not have: those of the scenario that begin or end at one. How many.
pub(crate) fn take_out(scenario: &Scenario, flows: &mut Vec<Flow>) -> usize {
    let Some(external) = &scenario.external else { return 0 };
    let (before, own) = (flows.len(), scenario.traffic.len() as u32 - 1);
    flows.retain(|flow| flow.origin.0 == own || !(external.has(flow.source) || external.has(flow.destination)));
    before - flows.len()
}

/// The door of the hosts outside of an [`opened`] scenario, with what was recorded waiting before it.
pub(crate) fn door(scenario: &Scenario, flows: &[Flow]) -> Option<Arc<Door>> {
    let external = scenario.external.as_ref()?;
    let own = scenario.traffic.len() as u32 - 1;
    let flows = (0..).zip(flows).filter(|(_, flow)| flow.origin.0 == own).map(|(number, _)| number);
    Some(Arc::new(Door::new(external, flows.collect())))
}

/// What makes the ends of flows through a door.
pub(crate) fn maker(door: &Arc<Door>) -> Arc<dyn HostMaker> {
    Arc::new(machines::Maker(Arc::clone(door)))
}
