//! The headers of captured packets: IPv4, and TCP or UDP.

use super::Captured;
use crate::engine::packet::said::Said;
use crate::engine::packet::{Class, Flags, Packet};
use transport::tcp::{Control, SackBlock};
use units::Duration;

/// Of IPv4 and TCP without options, in bytes.
pub(super) const HEADERS: usize = 40;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
const CWR: u8 = 0x80;
/// ECN-capable, ECN-capable with a scalable law, and with a mark, in the IP header: RFC 3168 §5, RFC 9331 §2.
const ECT_0: u8 = 2;
const ECT_1: u8 = 1;
const CE: u8 = 3;

/// What the IP header says about congestion.
pub(super) fn ecn_bits(flags: Flags) -> u8 {
    match (flags.has(Flags::CAPABLE), flags.has(Flags::MARKED)) {
        (false, _) => 0,
        (true, false) if flags.has(Flags::SCALABLE) => ECT_1,
        (true, false) => ECT_0,
        (true, true) => CE,
    }
}

/// What the TCP header says about congestion.
fn tcp_bits(flags: Flags) -> u8 {
    let echo = if flags.is_echo() || flags.ace().is_some_and(|ace| ace & 1 != 0) { ECE } else { 0 };
    if flags.has(Flags::REDUCED) { echo | CWR } else { echo }
}

/// Addresses and ports of the two ends, source first, and the congestion bits of the IP header.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) addresses: [[u8; 4]; 2],
    pub(super) ports: [u16; 2],
    pub(super) ecn: u8,
}

/// Node n's address.
pub(super) fn address(node: u32) -> [u8; 4] {
    [10, (node >> 16) as u8, (node >> 8) as u8, node as u8]
}

impl Ends {
    /// Node n is 10.(n / 65536).(n / 256).(n mod 256); a flow is told apart by its ports.
    pub(super) fn of(flow: u32, captured: &Captured) -> Ends {
        let ports = [1024 + (flow % 60_000) as u16, 5001 + (flow / 60_000) as u16];
        Ends { addresses: [address(captured.source), address(captured.destination)], ports, ecn: 0 }
    }

    pub(super) fn reversed(self) -> Ends {
        let [a, b] = self.addresses;
        let [p, q] = self.ports;
        Ends { addresses: [b, a], ports: [q, p], ..self }
    }
}

impl Captured {
    /// A window as the header says it.
    pub(super) fn scaled(&self, window: u64) -> u16 {
        (window >> self.offer.window_scale.unwrap_or(0)).min(0xffff) as u16
    }

    /// RFC 7323 §3: kind 8, aligned by two bytes before it. It echoes the reading of a clock, if it echoes one.
    pub(super) fn stamp(&self, now: u64, echo: Option<u64>) -> Vec<u8> {
        let Some(tick) = self.offer.tick.map(Duration::ps) else { return Vec::new() };
        let mut option = vec![1, 1, 8, 10];
        for reading in [now, echo.unwrap_or(0)] {
            option.extend(((reading / tick) as u32).to_be_bytes());
        }
        option
    }

    /// What a SYN offers: RFC 9293 §3.7.1, RFC 2018 §2, RFC 7323 §2 and §3.
    fn offers(&self, now: u64, echo: Option<u64>) -> Vec<u8> {
        let mut options = vec![2, 4];
        options.extend(self.offer.mss.to_be_bytes());
        options.extend(if self.offer.sack { vec![1, 1, 4, 2] } else { Vec::new() });
        options.extend(self.stamp(now, echo));
        options.extend(self.offer.window_scale.map_or(Vec::new(), |shift| vec![1, 3, 3, shift]));
        options
    }
}

/// A segment or an ACK.
pub(super) fn segment(now: u64, flow: &Captured, ends: Ends, packet: &Packet, said: &Said<'_>) -> Vec<u8> {
    let number = (packet.seq as u32).wrapping_add(1);
    let window = said.options.window.unwrap_or(flow.window);
    let plain = Fields { flags: ACK | tcp_bits(packet.flags), ..Fields::plain(flow.scaled(window)) };
    if packet.class == Class::Data {
        return tcp(ends, Fields { seq: number, ..plain }, &flow.stamp(now, None), packet.size);
    }
    let echo = said.options.timestamp.map(units::Instant::ps);
    let options = [flow.stamp(now, echo), sack_option(said.sack)].concat();
    tcp(ends.reversed(), Fields { ack: number, ..plain }, &options, packet.size)
}

/// A SYN, a FIN or an answer to one.
pub(super) fn control_header(now: u64, flow: &Captured, ends: Ends, control: Control, said: &Said<'_>) -> Vec<u8> {
    let (echo, after) = (said.options.timestamp.map(units::Instant::ps), (flow.last as u32).wrapping_add(1));
    let (asks, agrees) = if said.options.ecn_setup { (ECE | CWR, ECE) } else { (0, 0) };
    let plain = Fields::plain(flow.scaled(flow.window));
    let syn = Fields { seq: 0, window: flow.window.min(0xffff) as u16, ..plain };
    match control {
        Control::Syn => tcp(ends, Fields { ack: 0, flags: SYN | asks, ..syn }, &flow.offers(now, None), 0),
        Control::SynAck => {
            tcp(ends.reversed(), Fields { flags: SYN | ACK | agrees, ..syn }, &flow.offers(now, echo), 0)
        }
        Control::Fin => tcp(ends, Fields { seq: after, flags: FIN | ACK, ..plain }, &flow.stamp(now, None), 0),
        Control::FinAck => {
            let fields = Fields { ack: after.wrapping_add(1), flags: FIN | ACK, ..plain };
            tcp(ends.reversed(), fields, &flow.stamp(now, echo), 0)
        }
    }
}

/// RFC 2018 §3: kind 5, with two padding bytes before it to keep 32-bit alignment.
fn sack_option(blocks: &[SackBlock]) -> Vec<u8> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let mut option = vec![1, 1, 5, 2 + 8 * blocks.len() as u8];
    for edge in blocks.iter().flat_map(|block| [block.start, block.end]) {
        option.extend((edge as u32).wrapping_add(1).to_be_bytes());
    }
    option
}

/// What a TCP header says besides ports and options.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    seq: u32,
    ack: u32,
    flags: u8,
    /// As the header says it.
    window: u16,
}

impl Fields {
    /// The first byte on both ways, behind the handshake.
    pub(super) fn plain(window: u16) -> Fields {
        Fields { seq: 1, ack: 1, flags: ACK, window }
    }
}

pub(super) fn tcp(ends: Ends, fields: Fields, options: &[u8], size: u16) -> Vec<u8> {
    let Fields { seq, ack, flags, window } = fields;
    let mut segment = Vec::with_capacity(60);
    segment.extend(ends.ports.iter().flat_map(|port| port.to_be_bytes()));
    segment.extend(seq.to_be_bytes());
    segment.extend(ack.to_be_bytes());
    segment.extend([((20 + options.len()) as u8 / 4) << 4, flags]);
    segment.extend(window.to_be_bytes());
    segment.extend([0; 4]);
    segment.extend(options);
    datagram(ends, 6, segment, 16, size)
}

pub(super) fn udp(ends: Ends, says: &[u8], size: u16) -> Vec<u8> {
    let length = size.max(28 + says.len() as u16) - 20;
    let mut segment: Vec<u8> = ends.ports.iter().flat_map(|port| port.to_be_bytes()).collect();
    segment.extend(length.to_be_bytes());
    segment.extend([0; 2]);
    segment.extend(says);
    datagram(ends, 17, segment, 6, size)
}

/// A packet of hosts whose format on the wire is not simulated, as UDP: a word that says so, whether it is data or an
/// answer, and its number.
pub(super) fn plain(ends: Ends, packet: &Packet) -> Vec<u8> {
    let (kind, ends) = if packet.class == Class::Data { (b"data", ends) } else { (b"back", ends.reversed()) };
    udp(ends, &[&b"photocol"[..], kind, &packet.seq.to_be_bytes()].concat(), packet.size)
}

/// Puts an IPv4 header before a transport header whose checksum stands at `checksum_at`.
fn datagram(ends: Ends, protocol: u8, mut segment: Vec<u8>, checksum_at: usize, size: u16) -> Vec<u8> {
    let total = size.max(20 + segment.len() as u16);
    let [source, destination] = ends.addresses;
    let mut pseudo = [source, destination].concat();
    pseudo.extend([0, protocol]);
    pseudo.extend((total - 20).to_be_bytes());
    let sum = checksum(&[&pseudo, &segment]);
    segment[checksum_at..checksum_at + 2].copy_from_slice(&sum.to_be_bytes());
    let mut header = vec![0x45, ends.ecn];
    header.extend(total.to_be_bytes());
    header.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
    header.extend([source, destination].concat());
    let sum = checksum(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header.extend(segment);
    header
}

/// A packet from outside with "congestion experienced" in its header, whose checksum follows.
pub(super) fn marked(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let length = packet.first().map_or(0, |first| 4 * usize::from(first & 0xf));
    match packet.first().map(|first| first >> 4) {
        Some(4) if length >= 20 && packet.len() >= length => {
            packet[1] |= CE;
            packet[10..12].fill(0);
            let sum = checksum(&[&packet[..length]]);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        Some(6) if packet.len() >= 2 => packet[1] |= CE << 4,
        _ => {}
    }
    packet
}

/// RFC 1071, over parts of even length.
fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let sum: u32 = words.map(|word| u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::super::Offer;
    use super::*;

    #[test]
    fn the_ip_header_tells_ect_0_from_ect_1() {
        let capable = Flags::CAPABLE;
        let bits = [Flags::NONE, capable, capable.with(Flags::SCALABLE), capable.with(Flags::MARKED)].map(ecn_bits);
        assert_eq!(bits, [0b00, 0b10, 0b01, 0b11]);
    }

    fn captured() -> Captured {
        let offer = Offer { mss: 1460, window_scale: Some(5), ..Offer::default() };
        Captured {
            source: 1,
            destination: 2,
            window: 1 << 20,
            opened: false,
            interface: None,
            last: 0,
            offer,
            is_plain: false,
        }
    }

    #[test]
    fn a_header_with_its_checksum_sums_to_zero() {
        let flow = captured();
        let header = tcp(Ends::of(0, &flow), Fields::plain(flow.scaled(flow.window)), &[], 1500);
        assert_eq!(checksum(&[&header[..20]]), 0);
        let mut pseudo = header[12..20].to_vec();
        pseudo.extend([0, 6, 1480u16.to_be_bytes()[0], 1480u16.to_be_bytes()[1]]);
        assert_eq!(checksum(&[&pseudo, &header[20..]]), 0);
        assert_eq!(u16::from_be_bytes([header[2], header[3]]), 1500);
    }

    /// The header of RFC 1071's users: 45 00 … with its sum; IPv6 has no checksum; garbage stays.
    #[test]
    fn a_marked_packet_from_outside_says_so_and_sums_to_zero() {
        let flow = captured();
        let header = tcp(Ends { ecn: ECT_0, ..Ends::of(0, &flow) }, Fields::plain(9), &[], 1500);
        let found = marked(&header);
        assert_eq!((found[1], checksum(&[&found[..20]]), &found[12..]), (CE, 0, &header[12..]));
        assert_eq!(marked(&[0x60, 0x20, 7, 7]), [0x60, 0x30, 7, 7]);
        assert_eq!((marked(&[]), marked(&[0x45, 0]), marked(&[0x12; 30])), (vec![], vec![0x45, 0], vec![0x12; 30]));
    }

    #[test]
    fn a_plain_packet_says_that_it_is_simulated() {
        let flow = Captured { is_plain: true, ..captured() };
        let packet = Packet { seq: 0x0102, size: 1500, class: Class::Data, ..Packet::default() };
        let header = plain(Ends::of(0, &flow), &packet);
        assert_eq!(header[28..], *b"photocoldata\0\0\0\0\0\0\x01\x02");
        let mut pseudo = header[12..20].to_vec();
        pseudo.extend([0, 17, 1480u16.to_be_bytes()[0], 1480u16.to_be_bytes()[1]]);
        assert_eq!(checksum(&[&pseudo, &header[20..]]), 0);
        let back = plain(Ends::of(0, &flow), &Packet { class: Class::Ack, size: 40, ..packet });
        assert_eq!((&back[12..16], back[2..4].to_vec(), &back[36..40]), (&header[16..20], vec![0, 48], &b"back"[..]));
    }

    #[test]
    fn an_ack_with_three_blocks_has_a_28_byte_option() {
        let block = SackBlock { start: 1460, end: 2920 };
        let option = sack_option(&[block, block, block]);
        assert_eq!((option.len(), option[3]), (28, 26));
        assert_eq!(option[4..8], 1461u32.to_be_bytes());
    }
}
