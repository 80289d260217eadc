//! What an edge node keeps of what it sends and takes, and its part of the log of stars (`control::log`).

use super::{Parts, SignalledEdge, Slot};
use crate::engine::node::counters::{Direction, Record};
use control::log::{Entry, Light, What};
use control::signalling::StarPatience;
use control::wire::NodeId;

impl SignalledEdge {
    /// Its own part of the log.
    pub(super) fn happened(&mut self, at: u64, what: What) {
        let Parts { core, config, .. } = &self.parts;
        let (star, who) = (*core as u16, config.node);
        self.say(&Entry { at, star, who, what });
    }

    pub(super) fn say(&mut self, entry: &Entry) {
        if self.transcript.is_some() {
            self.note(entry.at, Direction::Noted, entry.to_string().as_bytes());
        }
    }

    /// A data slot, or a datagram of one, passes the core or is lost there.
    pub(super) fn say_light(&mut self, slot: &Slot, passed: bool) {
        let Parts { config, network, core, .. } = &self.parts;
        let light = Light {
            from: config.node,
            to: NodeId(slot.label.to),
            frame: slot.label.frame,
            slot: slot.label.slot,
            part: slot.part.number(),
            lasts: slot.part.lasts(network.light()),
            passed,
        };
        let (at, star, who) = (slot.arrives, *core as u16, NodeId::CORE);
        self.say(&Entry { at, star, who, what: What::Light(light) });
    }

    /// What is new with the machine.
    pub(super) fn look(&mut self, now: u64) {
        if let (Some(machine), Some(_)) = (&self.machine, &self.transcript) {
            let several = machine.network().filter(|_| self.parts.stars.is_some());
            let timeout = several.map(|network| StarPatience::of(network).timeout);
            let news = self.watch.look(now, machine, timeout);
            news.iter().for_each(|entry| self.say(entry));
        }
    }

    /// Cuts of its fibres are in the log from the beginning.
    pub(super) fn note_cuts(&mut self) {
        let cuts = self.parts.outages.cuts(self.parts.edge, self.parts.core);
        for (from, until) in cuts {
            self.happened(from, What::Down);
            if until != u64::MAX {
                self.happened(until, What::Up);
            }
        }
    }

    pub(super) fn note(&mut self, at: u64, direction: Direction, bytes: &[u8]) {
        if let Some(transcript) = &mut self.transcript {
            transcript.push(Record { at, node: self.parts.node, direction, bytes: bytes.into() });
        }
    }
}
