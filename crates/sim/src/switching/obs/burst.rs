//! What a burst is, and what its header and the messages about it say.

use super::balance::Place;
use crate::engine::node::node_context::LinkNumber;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, NOBODY, Spot, What};
use crate::engine::packet::message::Notification;
use crate::engine::packet::prefetch::prefetch;
use crate::engine::packet::{Class, HostPayload, Packet};
use std::ops::Range;
use std::sync::Arc;
use transport::tcp::{Actions, BurstReport, SackBlock, Sender};
use units::Instant;

/// No wavelength was free for the burst.
pub const CONTENTION: Cause = Cause::Agent(0);
/// The burst's header was processed too late.
pub const LATE_HEADER: Cause = Cause::Agent(1);
/// No wavelength was free, and the burst takes another way.
pub const DEFLECTED: Cause = Cause::Agent(2);
/// These as tables write them.
pub const CAUSES: &[&str] = &["contention", "late burst header", "deflected"];

/// What nodes tell one another.
#[derive(Debug)]
pub enum Notice {
    /// A burst is on its way.
    Header(Header),
    /// A burst was lost.
    Loss(Box<Loss>),
    /// The loads of links, by number.
    Loads(Vec<(u32, f64)>),
}

/// An edge node tells a sender about a burst with segments of its flow.
#[derive(Debug)]
pub struct BurstNews {
    /// What about it.
    pub report: BurstReport,
    /// The segments.
    pub segments: Box<[SackBlock]>,
}

impl Notification for BurstNews {
    fn tell(&self, now: Instant, sender: &mut Sender, actions: &mut Actions) {
        sender.handle_burst_report(now, self.report, &self.segments, actions);
    }
}

/// A burst. It does not change on its way; its header knows how much of it is left.
#[derive(Debug)]
pub struct Burst {
    /// No other burst of the network has it.
    pub number: u64,
    /// The agent of the node at which it was made.
    pub ingress: u32,
    /// That agent's name for its route.
    pub route: u32,
    /// The agent of the node at which it is to be taken apart.
    pub egress: u32,
    /// The links of its packets' own paths that it is in the place of.
    pub hops: u32,
    /// The packets in it, as they were at the ingress node; none in a burst of a source of bursts.
    pub packets: Vec<Packet>,
    /// What those packets carry that carry something, in their order.
    pub payloads: Vec<HostPayload>,
    /// How long it is, in picoseconds.
    pub length: u64,
    /// Its bytes, padding included.
    pub size: u64,
    /// How far it is behind its header when both leave.
    pub offset: u64,
    /// When it was complete.
    pub born: u64,
    /// What it is made of.
    pub origin: Origin,
    /// Which of two paths it takes, if it has two.
    pub place: Option<Place>,
    /// Its number on its route, if the egress node restores the order.
    pub place_in_order: Option<u64>,
}

/// What a burst is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Packets of flows.
    Packets,
    /// Nothing that anybody asks for: a source of bursts sent it.
    Source,
    /// There is no burst, only its header.
    Nothing,
}

/// A burst header: it travels the control channel ahead of its burst, with the burst in it.
#[derive(Clone, Debug)]
pub struct Header {
    /// The burst.
    pub burst: Arc<Burst>,
    /// The packets of the burst that are left.
    pub packets: Range<u32>,
    /// When the first bit of what is left arrives at the node that the header is on its way to.
    pub at: u64,
    /// How long what is left lasts; [`Header::shorten`] changes it.
    pub length: u64,
    /// Bytes of what is left. They stand here so that a node does not touch the burst, which is seldom in the caches.
    pub size: u64,
    /// The wavelength on which it arrives.
    pub wavelength: u16,
    /// How often it has been deflected.
    pub deflections: u8,
    /// How often it has been sent again.
    pub attempt: u8,
}

/// A node tells the ingress node that a burst, or a part of it, was lost.
#[derive(Clone, Debug)]
pub struct Loss {
    /// What was lost: as much of the burst as the header says.
    pub header: Header,
    /// Where.
    pub link: LinkNumber,
    /// Why.
    pub cause: Cause,
}

impl Header {
    /// The header of a whole burst that has not left.
    pub fn of(burst: Arc<Burst>) -> Header {
        let (packets, length, size) = (0..burst.packets.len() as u32, burst.length, burst.size);
        Header { burst, packets, at: 0, length, size, wavelength: 0, deflections: 0, attempt: 0 }
    }

    /// Brings the burst into the cache: it has been on its way for as long as its path.
    pub fn prefetch_burst(&self) {
        prefetch(&*self.burst);
        // It can have a line between the first and the last.
        prefetch(&self.burst.born);
    }

    /// It is shortened to `length`, and its bytes in proportion.
    pub fn shorten(&mut self, length: u64) {
        if length != self.length {
            let bytes = u128::from(self.burst.size) * u128::from(length) / u128::from(self.burst.length.max(1));
            // At most the burst's size.
            (self.length, self.size) = (length, bytes as u64);
        }
    }

    /// What happens to it on a link of this delay on which it has a wavelength, for the trace.
    pub fn on_link(&self, now: u64, delay: u64) -> Event {
        let begins = self.at.saturating_sub(delay);
        let times = Event {
            wait: begins.saturating_sub(now),
            lasts: self.length,
            flight: delay,
            ..self.event(now, What::Reserve)
        };
        Event { channel: self.wavelength, ..times }
    }

    /// Something happens to it, for the trace.
    pub fn event(&self, now: u64, what: What) -> Event {
        let bytes = u32::try_from(self.size).unwrap_or(u32::MAX);
        let event = Event::new(now, what, Spot::node(0));
        Event {
            unit: self.burst.number,
            value: self.burst.route.into(),
            bytes,
            class: Class::Unit,
            flow: self.flow(),
            ..event
        }
    }

    /// The flow of its packets, if all are of one.
    fn flow(&self) -> u32 {
        let mut flows = self.flows();
        let first = flows.next().unwrap_or(NOBODY);
        if flows.all(|flow| flow == first) { first } else { NOBODY }
    }

    /// The flows of the packets that are left.
    pub fn flows(&self) -> impl Iterator<Item = u32> + '_ {
        self.left().iter().map(|packet| packet.flow)
    }

    /// The packets that are left.
    pub fn left(&self) -> &[Packet] {
        &self.burst.packets[self.packets.start as usize..self.packets.end as usize]
    }
}
