//! A pcapng file of chosen flows, as their sending hosts see them (data that leaves, acknowledgements that come back),
//! or as they pass chosen links.
//!
//! Packets are real IPv4 with TCP or UDP headers (checksums right for a payload of zeros), cut after the headers; the
//! original length is kept. The options are those that the connection uses. Where it has no handshake, one is written
//! at the time of the flow's first packet at its host, so that readers learn what SYNs say; at links there is what
//! passes them. Sequence numbers start at 1 and wrap at 2^32. The receiving end has no timestamps of its own: TSval of
//! what comes back is when it comes back. Interfaces are nodes or links; addresses have the names of nodes; a packet
//! that is dropped has a comment that says why. Hosts that have no format of their own (QUIC, NDP) send UDP that says
//! `photocol`, `data` or `back`, and its number. A packet from outside has its own bytes, up to [`MOST`], with the mark
//! that it has got. Format: draft-ietf-opsawg-pcapng (section header, interfaces of raw IP
//! with nanoseconds, name resolution, enhanced packets).

mod blocks;
mod headers;
mod later;
mod start;

use crate::engine::node::hosts::Offer;
use crate::engine::packet::event::{Event, What};
use crate::engine::packet::said::Said;
use crate::engine::packet::{Class, Packet, PayloadTable};
use blocks::File;
use headers::{Ends, Fields, HEADERS, address, control_header, tcp};
use later::Later;
use std::collections::BTreeMap;
use std::io;
use transport::tcp::{Control, SackList, TcpOptions};

pub use blocks::CaptureWriter;
pub use start::{CaptureOptions, Run, UnknownLink, start};

/// Bytes of a packet from outside that are written: headers, and the beginning of what it says.
const MOST: usize = 256;

/// A capture in progress.
#[derive(Debug)]
pub struct Capture {
    file: File,
    /// Packets of later times, by time and then as they came.
    later: BTreeMap<(u64, u64), Later>,
    count: u64,
    flows: BTreeMap<u32, Captured>,
    /// The interface of each link that is captured, by the engine's number.
    links: BTreeMap<u32, u32>,
    /// The reasons of agents, as tables write them.
    causes: &'static [&'static str],
}

/// What a file says before its packets.
#[derive(Debug, Default)]
pub struct Names {
    /// The interfaces: names and descriptions.
    pub interfaces: Vec<(String, String)>,
    /// Nodes and their names.
    pub nodes: Vec<(u32, String)>,
    /// The reasons for which agents drop packets, by number.
    pub causes: &'static [&'static str],
}

/// What the capture knows about a flow.
#[derive(Clone, Copy, Debug)]
pub struct Captured {
    /// Sending node, part of the source address.
    pub source: u32,
    /// Receiving node.
    pub destination: u32,
    /// Window that ACKs advertise, in bytes.
    pub window: u64,
    /// Whether a handshake has been written or will be seen.
    pub opened: bool,
    /// The interface of its sending host, if it is captured there.
    pub interface: Option<u32>,
    /// The byte after the last one that has been written.
    pub last: u64,
    /// What it agrees on.
    pub offer: Offer,
    /// Whether its hosts have no format on the wire: packets are UDP's, with a word that says so.
    pub is_plain: bool,
}

impl Capture {
    /// Starts a file. Packets are captured where the flows have interfaces, and the links.
    fn new(output: CaptureWriter, flows: BTreeMap<u32, Captured>, links: BTreeMap<u32, u32>, names: &Names) -> Capture {
        let mut file = File::new(output);
        names.interfaces.iter().for_each(|(name, description)| file.interface(name, description));
        let nodes = names.nodes.iter().map(|(node, name)| (address(*node), name.as_str()));
        file.names(nodes);
        let (later, count) = (BTreeMap::new(), 0);
        Capture { file, later, count, flows, links, causes: names.causes }
    }

    /// Writes a packet that leaves or reaches the sending host of its flow.
    pub fn write_at_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        let Some(interface) = self.interface_of(packet.flow) else { return };
        self.write(Moment { now, at: now, interface }, packet, said);
    }

    /// Something happens to a packet at a link: it is written when it leaves, or is dropped.
    pub fn write_at_link(&mut self, event: &Event, packet: &Packet, payloads: &PayloadTable) {
        let at = match event.what {
            What::Pass => event.at + event.wait,
            What::Drop | What::Vanish => event.at,
            _ => return,
        };
        let link = event.place.number().err();
        let Some(interface) = link.and_then(|link| self.links.get(&link).copied()) else { return };
        let (options, sack) = payloads.said(packet);
        let said = Said { sack: sack.as_slice(), options, dropped: event.cause, real: payloads.real(packet) };
        self.write(Moment { now: event.at, at, interface }, packet, &said);
    }

    /// The interface at which packets of `flow` are written as their sending host sees them.
    pub fn interface_of(&self, flow: u32) -> Option<u32> {
        self.flows.get(&flow).and_then(|flow| flow.interface)
    }

    /// The links at which packets are captured, by the engine's number.
    pub fn links(&self) -> impl Iterator<Item = u32> + '_ {
        self.links.keys().copied()
    }

    /// Flushes, and reports the first failure.
    pub fn finish(&mut self) -> io::Result<()> {
        self.write_until(u64::MAX);
        self.file.finish()
    }
}

/// When something is known and when it happens, and where.
#[derive(Clone, Copy)]
struct Moment {
    now: u64,
    at: u64,
    interface: u32,
}

impl Capture {
    fn write(&mut self, moment: Moment, packet: &Packet, said: &Said<'_>) {
        // Messages of switches belong to no flow.
        if matches!(packet.class, Class::Control | Class::Unit) {
            return;
        }
        let Some(flow) = self.flows.get_mut(&packet.flow) else { return };
        let opening = !std::mem::replace(&mut flow.opened, true) && packet.class != Class::Datagram;
        let known = *flow;
        if packet.class == Class::Data && said.options.control.is_none() {
            let header = (HEADERS + known.stamp(0, None).len()) as u64;
            flow.last = flow.last.max(packet.seq + u64::from(packet.size).saturating_sub(header));
        }
        if opening {
            self.handshake(moment, &known, Ends::of(packet.flow, &known));
        }
        let Said { sack, options, dropped, real } = *said;
        let sack = SackList::of(sack.iter().copied());
        let real = real.map(|bytes| bytes[..bytes.len().min(MOST)].into());
        let later = Later { interface: moment.interface, packet: *packet, flow: known, sack, options, dropped, real };
        self.later.insert((moment.at, self.count), later);
        self.count += 1;
        // Nothing that is captured later happened before now.
        self.write_until(moment.now);
    }

    /// Writes what happened up to `now`.
    fn write_until(&mut self, now: u64) {
        while let Some(first) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((at, _), later) = first.remove_entry();
            let cause = later.dropped.map(|cause| cause.name(self.causes));
            self.packet(at, later.interface, &later.header(at), later.packet.size, cause);
        }
    }

    /// The handshake of a connection that has none.
    fn handshake(&mut self, moment: Moment, flow: &Captured, ends: Ends) {
        for control in [Control::Syn, Control::SynAck] {
            let options = TcpOptions { ecn_setup: flow.offer.ecn, ..control.into() };
            let header = control_header(moment.at, flow, ends, control, &Said { options, ..Said::default() });
            self.packet(moment.at, moment.interface, &header, 0, None);
        }
        let header = tcp(ends, Fields::plain(flow.scaled(flow.window)), &flow.stamp(moment.at, None), 0);
        self.packet(moment.at, moment.interface, &header, 0, None);
    }

    /// A packet of this size on the wire, or the size of its header if that is more.
    fn packet(&mut self, at: u64, interface: u32, header: &[u8], size: u16, cause: Option<&str>) {
        let comment = cause.map(|cause| format!("dropped: {cause}"));
        let length = u32::from(size).max(header.len() as u32);
        self.file.packet(at, interface, header, length, comment.as_deref());
    }
}
