//! Captured packets that are known before they leave: those that wait at a link, whose times a change of the link
//! moves.

use super::headers::{Ends, control_header, ecn_bits, marked, plain, segment, udp};
use super::{Capture, Captured};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::Leaving;
use crate::engine::packet::said::Said;
use crate::engine::packet::{Class, Flags, Packet};
use transport::tcp::{SackList, TcpOptions};

/// A packet that will be on its link, or is dropped there now.
#[derive(Clone, Debug)]
pub struct Later {
    /// Where it is captured.
    pub interface: u32,
    /// Itself.
    pub packet: Packet,
    /// What was known of its flow when it came.
    pub flow: Captured,
    /// SACK blocks.
    pub sack: SackList,
    /// Options.
    pub options: TcpOptions,
    /// Why it is dropped, if it is.
    pub dropped: Option<Cause>,
    /// The first of its own bytes, if it comes from outside.
    pub real: Option<Box<[u8]>>,
}

impl Later {
    /// Its header when it leaves at `at`.
    pub fn header(&self, at: u64) -> Vec<u8> {
        let Later { packet, flow, sack, options, dropped, real, .. } = self;
        if let Some(real) = real {
            return if packet.flags.has(Flags::MARKED) { marked(real) } else { real.to_vec() };
        }
        let said = Said { sack: sack.as_slice(), options: *options, dropped: *dropped, real: None };
        let ends = Ends { ecn: ecn_bits(packet.flags), ..Ends::of(packet.flow, flow) };
        match (packet.class, options.control) {
            (Class::Datagram, _) => udp(ends, &[], packet.size),
            _ if flow.is_plain => plain(ends, packet),
            (_, Some(control)) => control_header(at, flow, ends, control, &said),
            (_, None) => segment(at, flow, ends, packet, &said),
        }
    }
}

impl Capture {
    /// What is inside a link's port leaves otherwise than was expected, oldest first.
    pub fn amend(&mut self, now: u64, link: u32, expected: &[Leaving], planned: &[Leaving]) {
        for ((at, count), later) in self.take_later(now, link) {
            // It begins where the one before it ends.
            let before = expected.binary_search_by_key(&at, |leaving| leaving.end);
            let at = before.ok().and_then(|place| planned.get(place)).map_or(at, |leaving| leaving.end);
            self.later.insert((at, count), later);
        }
    }

    /// What has not begun to leave over a link never does.
    pub fn forget(&mut self, now: u64, link: u32) {
        drop(self.take_later(now, link));
    }

    /// Takes out what will begin to leave over a link.
    fn take_later(&mut self, now: u64, link: u32) -> Vec<((u64, u64), Later)> {
        let Some(interface) = self.links.get(&link) else { return Vec::new() };
        let waiting = self.later.range((now + 1, 0)..).filter(|(_, later)| later.interface == *interface);
        let keys: Vec<(u64, u64)> = waiting.map(|(key, _)| *key).collect();
        keys.into_iter().filter_map(|key| self.later.remove_entry(&key)).collect()
    }
}
