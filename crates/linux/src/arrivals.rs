//! How early or late light met the core. Only light with the network's tag that has not come before counts: data have
//! no tag, and anybody may write any
//! number into them.

use crate::histogram::Errors;
use crate::line::Label;
use control::signalling::{Network, SlotPart};
use control::wire::{Block, Class, Key, ReplayWindow};
use std::collections::{BTreeMap, VecDeque};
use units::Instant;

/// Arrivals at a core.
pub(crate) struct Arrivals {
    key: Key,
    /// Light with a tag that was heard of each node.
    heard: BTreeMap<u16, ReplayWindow>,
    pub(crate) of_node: BTreeMap<u16, Errors>,
    pub(crate) all: Errors,
    /// The last arrivals of each node.
    latest: BTreeMap<u16, VecDeque<Arrival>>,
}

/// In which frame light came, and how late, in µs; early is negative.
pub(crate) type Arrival = (u64, f64);

/// So many arrivals of a node are remembered.
const REMEMBERED: usize = 128;

impl Arrivals {
    pub(crate) fn new(key: Key) -> Arrivals {
        Arrivals { key, heard: BTreeMap::new(), of_node: BTreeMap::new(), all: Errors::new(), latest: BTreeMap::new() }
    }

    /// The last arrivals of each node, in order.
    pub(crate) fn latest(&self) -> BTreeMap<u16, Vec<Arrival>> {
        self.latest.iter().map(|(node, arrivals)| (*node, arrivals.iter().copied().collect())).collect()
    }

    /// Light came at a time by the core's clock, as a part of its slot. Whether it is believed: signalling of a
    /// member, made with the key, that is new.
    pub(crate) fn observe(&mut self, network: &Network, came: (SlotPart, Instant), light: &[u8]) -> bool {
        if Label::of(light).is_none_or(|label| label.class != Class::Signalling as u8) {
            return false;
        }
        let Ok(slot) = self.key.open(light) else { return false };
        let header = &slot.header;
        let node = header.source;
        if network.member(node).is_none() {
            return false;
        }
        if !self.heard.entry(node.0).or_default().accept(header.session, header.sequence) {
            return false;
        }
        // An answer to an invitation comes when its fibre lets it.
        let answers = slot.blocks.first().is_some_and(|block| matches!(block, Block::Answer(_)));
        if answers || header.slot >= network.frame_slots {
            return true;
        }
        let (part, stamp) = came;
        let meant = network.arrival(header.frame, header.slot) + part.begins(network.light());
        let error = i128::from(stamp.ps()) - i128::from(meant.ps());
        // A core that has just begun knows no light of before; what is of another frame was recorded.
        let is_of_its_frame = error.unsigned_abs() <= u128::from(network.frame().ps());
        if is_of_its_frame {
            self.all.record(error as i64);
            self.of_node.entry(node.0).or_insert_with(Errors::new).record(error as i64);
            let latest = self.latest.entry(node.0).or_default();
            if latest.len() == REMEMBERED {
                latest.pop_front();
            }
            latest.push_back((header.frame, error as f64 / 1e6));
        }
        is_of_its_frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::signalling::Member;
    use control::wire::{Carriage, Header, Management, NodeId, Slot, Stamp};
    use units::Duration;

    /// Two nodes, a frame of ten slots of 1 ms.
    fn network() -> Network {
        let members = (0..2).map(|node| Member { node: NodeId(node), port: node }).collect();
        Network {
            carriage: Carriage::Slots,
            switch_size: 2,
            frame_slots: 10,
            signalling_slots: 2,
            slot: Duration::from_millis(1),
            guard: Duration::from_micros(200),
            switching: Duration::from_micros(10),
            start: Instant::ZERO,
            longest: Duration::ZERO,
            shortest: Duration::ZERO,
            turnaround: Duration::from_millis(1),
            members,
        }
    }

    fn light(class: Class, key: &[u8], frame: u64, sequence: u64) -> Vec<u8> {
        let header = Header {
            class,
            source: NodeId(1),
            destination: NodeId(0),
            frame,
            slot: 1,
            piece: 0,
            stamp: Stamp::Exact,
            reserved: 0,
            session: 7,
            peer_session: 8,
            sequence,
            sent_at: Instant::ZERO,
        };
        let blocks = vec![Management { topic: 1, bytes: vec![0] }.into()];
        Slot { header, blocks }.encode(&Key::new(key).unwrap()).unwrap()
    }

    /// Slot 1 of frame f is meant to arrive 10 f ms + 1 ms + 105 µs after the start; this light comes f µs later.
    #[test]
    fn the_last_arrivals_of_a_node_are_remembered_and_no_more() {
        let (own, network) = (b"0123456789abcdef", network());
        let mut arrivals = Arrivals::new(Key::new(own).unwrap());
        for frame in 0..200 {
            let came = Instant::from_ps((10_000 * frame + 1105 + frame) * 1_000_000);
            assert!(arrivals.observe(&network, (SlotPart::WHOLE, came), &light(Class::Signalling, own, frame, frame)));
        }
        let latest = arrivals.latest();
        assert_eq!(latest.keys().collect::<Vec<_>>(), [&1]);
        assert_eq!(latest[&1], (72..200).map(|frame| (frame, frame as f64)).collect::<Vec<_>>());
    }

    /// Slot 1 of frame 100 is meant to arrive 1000 ms + 1 ms + (200 + 10)/2 µs after the start; this light comes 3 µs
    /// later.
    #[test]
    fn only_new_light_with_the_tag_counts() {
        let (own, network) = (b"0123456789abcdef", network());
        let mut arrivals = Arrivals::new(Key::new(own).unwrap());
        let mut at = |us: u64, light: &[u8]| {
            let came = (SlotPart::WHOLE, Instant::from_ps(us * 1_000_000));
            (arrivals.observe(&network, came, light), arrivals.all.quantiles().count, arrivals.all.quantiles().latest)
        };
        let true_light = light(Class::Signalling, own, 100, 50);
        let later = 1_001_105 + 3;
        assert_eq!(at(later, &light(Class::Data, own, 100, 1)), (false, 0, 0.0), "data have no tag");
        assert_eq!(at(later, &light(Class::Signalling, b"another key, as long", 100, 60)), (false, 0, 0.0));
        assert_eq!(at(later + 3_600_000_000, &light(Class::Signalling, own, 100, 1)), (false, 0, 0.0), "an hour old");
        assert_eq!(at(later, &true_light), (true, 1, 3.0));
        assert_eq!(at(later + 5000, &true_light), (false, 1, 3.0), "a replay");
        assert_eq!(at(later, b"no slot"), (false, 1, 3.0));
    }
}
