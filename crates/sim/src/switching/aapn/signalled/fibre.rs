//! Messages on their way between an edge node and its core node, and what becomes of them.

use super::super::control_keys::FaultKind;
use super::super::protocol::{FibreRule, Outage, Who};
use crate::engine::packet::delay_queue::DelayQueue;
use crate::engine::packet::message::Message;
use crate::random::{Stream, bernoulli, uniform_index};
use control::wire::NodeId;
use std::collections::BTreeMap;

/// How bytes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// As light, through the switch.
    Light,
    /// Beside it, to the controller of the core and from there.
    Beside,
}

/// Bytes on their way.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    pub(super) plane: Plane,
    /// The place of the edge node that sent them; of the one that gets them, on the way down.
    pub(super) edge: u32,
    /// To whom, if they travel beside the light.
    pub(super) to: NodeId,
    /// When their first bit arrives.
    pub(super) arrives: u64,
    pub(super) bytes: Vec<u8>,
}

/// A fibre, one way.
#[derive(Debug)]
pub(super) struct Fibre {
    rule: FibreRule,
    stream: Stream,
}

impl Fibre {
    pub(super) fn new(rule: FibreRule, stream: Stream) -> Fibre {
        Fibre { rule, stream }
    }

    /// By how much it takes longer this time, in picoseconds.
    pub(super) fn jitter(&mut self) -> u64 {
        match self.rule.jitter.ps() {
            0 => 0,
            jitter => uniform_index(&mut self.stream, jitter + 1),
        }
    }

    /// Whether it loses this message.
    pub(super) fn loses(&mut self) -> bool {
        self.rule.loss > 0.0 && bernoulli(&mut self.stream, self.rule.loss)
    }
}

/// Bits whose message has come, once their first bit is there: with jitter that may be later, and they wait.
pub(super) fn arrived(waiting: &mut DelayQueue<Bits>, now: u64, message: Message) -> Option<Bits> {
    let bits = message.open::<Bits>()?;
    if bits.arrives > now {
        waiting.push(bits.arrives, bits);
        return None;
    }
    Some(bits)
}

/// What happens to edge nodes and their fibres, by edge node, and to core nodes.
#[derive(Debug)]
pub(super) struct Outages {
    edges: BTreeMap<u32, Vec<Outage>>,
    cores: BTreeMap<u32, Vec<Outage>>,
}

impl Outages {
    pub(super) fn new(outages: &[Outage]) -> Outages {
        let mut found = Outages { edges: BTreeMap::new(), cores: BTreeMap::new() };
        for outage in outages {
            let of = match outage.who {
                Who::Edge(edge) => found.edges.entry(edge),
                Who::Core(core) => found.cores.entry(core),
            };
            of.or_default().push(*outage);
        }
        found
    }

    fn happens(&self, edge: u32, core: u32, at: u64, kinds: &[FaultKind]) -> bool {
        let of = self.edges.get(&edge).map_or(&[][..], Vec::as_slice);
        let here = |outage: &Outage| outage.via.is_none_or(|via| via == core);
        of.iter().any(|outage| here(outage) && kinds.contains(&outage.kind) && outage.lasts(at))
    }

    /// Whether a core node is dead.
    pub(super) fn is_dead(&self, core: u32, at: u64) -> bool {
        self.cores.get(&core).is_some_and(|of| of.iter().any(|outage| outage.lasts(at)))
    }

    /// When a core node dies or starts next.
    pub(super) fn next_core_change(&self, core: u32, after: u64) -> u64 {
        next(self.cores.get(&core), after)
    }

    /// From when until when an edge node's fibres to a core node are cut.
    pub(super) fn cuts(&self, edge: u32, core: u32) -> Vec<(u64, u64)> {
        let of = self.edges.get(&edge).map_or(&[][..], Vec::as_slice);
        let here = |outage: &&Outage| outage.via.is_none_or(|via| via == core);
        let cuts = of.iter().filter(here).filter(|outage| outage.kind != FaultKind::Stopped);
        cuts.map(|outage| (outage.from, outage.until)).collect()
    }

    /// Whether an edge node is stopped.
    pub(super) fn is_stopped(&self, edge: u32, at: u64) -> bool {
        // A node stops at all core nodes.
        let of = self.edges.get(&edge).map_or(&[][..], Vec::as_slice);
        of.iter().any(|outage| outage.kind == FaultKind::Stopped && outage.lasts(at))
    }

    /// Whether what leaves an edge node for a core node is lost.
    pub(super) fn is_mute(&self, edge: u32, core: u32, at: u64) -> bool {
        self.happens(edge, core, at, &[FaultKind::Stopped, FaultKind::CutUp, FaultKind::Cut])
    }

    /// Whether what comes to an edge node from a core node is lost.
    pub(super) fn is_deaf(&self, edge: u32, core: u32, at: u64) -> bool {
        self.happens(edge, core, at, &[FaultKind::Stopped, FaultKind::CutDown, FaultKind::Cut])
    }

    /// When an edge node stops or starts next.
    pub(super) fn next_change(&self, edge: u32, after: u64) -> u64 {
        next(self.edges.get(&edge), after)
    }
}

/// When one of these stops or starts next.
fn next(of: Option<&Vec<Outage>>, after: u64) -> u64 {
    let stops = of.into_iter().flatten().filter(|outage| outage.kind == FaultKind::Stopped);
    stops.flat_map(|outage| [outage.from, outage.until]).filter(|at| *at > after).min().unwrap_or(u64::MAX)
}
