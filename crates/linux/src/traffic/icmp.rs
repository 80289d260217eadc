//! What a router says of a packet that is too long for where it goes: ICMP "fragmentation needed" (RFC 792, RFC 1191
//! §4) and ICMPv6 "packet too big" (RFC 4443 §3.2).

use std::net::{Ipv4Addr, Ipv6Addr};

/// Bytes of a header of IPv4 without options, of one of IPv6, and of ICMP.
const V4: usize = 20;
const V6: usize = 40;
const ICMP: usize = 8;
/// Of the packet come back at most so many bytes: an error is no longer than every host takes (RFC 1812 §4.3.2.3), or
/// every link (RFC 4443 §3.2).
const LONGEST_V4: usize = 576;
const LONGEST_V6: usize = 1280;
const PROTOCOL_ICMP: u8 = 1;
const PROTOCOL_ICMP_V6: u8 = 58;
const HOPS: u8 = 64;

/// The router's own addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Router {
    pub(crate) v4: Ipv4Addr,
    /// Without one it says nothing in IPv6.
    pub(crate) v6: Option<Ipv6Addr>,
}

impl Router {
    /// The error about a packet that is longer than `mtu`, to its sender. None where none may be sent: about later
    /// fragments, errors, what was sent to many, or a packet that may be fragmented (RFC 1122 §3.2.2, RFC 4443 §2.4).
    pub(crate) fn too_big(self, packet: &[u8], mtu: u16) -> Option<Vec<u8>> {
        match packet.first()? >> 4 {
            4 => self.too_big_v4(packet, mtu),
            6 => self.too_big_v6(packet, mtu),
            _ => None,
        }
    }

    fn too_big_v4(self, packet: &[u8], mtu: u16) -> Option<Vec<u8>> {
        let header: &[u8; V4] = packet.first_chunk()?;
        let length = usize::from(header[0] & 15) * 4;
        let may_fragment = header[6] & 0x40 == 0;
        let later = u16::from_be_bytes([header[6], header[7]]) & 0x1fff != 0;
        let [source, to] =
            [12, 16].map(|at| Ipv4Addr::from([header[at], header[at + 1], header[at + 2], header[at + 3]]));
        let says_errors = header[9] == PROTOCOL_ICMP && !matches!(packet.get(length), Some(0 | 8));
        let silent = later || may_fragment || says_errors || source.is_unspecified() || source.is_multicast();
        if silent || source.is_broadcast() || to.is_multicast() || to.is_broadcast() {
            return None;
        }
        let about = &packet[..packet.len().min(LONGEST_V4 - V4 - ICMP)];
        let total = (V4 + ICMP + about.len()) as u16;
        let mut bytes = vec![0x45, 0xc0];
        bytes.extend(total.to_be_bytes());
        bytes.extend([0, 0, 0, 0, HOPS, PROTOCOL_ICMP, 0, 0]);
        bytes.extend(self.v4.octets());
        bytes.extend(source.octets());
        let sum = checksum(&bytes, 0);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes.extend([3, 4, 0, 0, 0, 0]);
        bytes.extend(mtu.to_be_bytes());
        bytes.extend(about);
        let sum = checksum(&bytes[V4..], 0);
        bytes[V4 + 2..V4 + 4].copy_from_slice(&sum.to_be_bytes());
        Some(bytes)
    }

    fn too_big_v6(self, packet: &[u8], mtu: u16) -> Option<Vec<u8>> {
        let (header, own): (&[u8; V6], Ipv6Addr) = (packet.first_chunk()?, self.v6?);
        let source = Ipv6Addr::from(*header[8..].first_chunk::<16>()?);
        // Errors have types below 128. Packet too big is said of what was sent to many, too.
        let says_errors = header[6] == PROTOCOL_ICMP_V6 && packet.get(V6).is_none_or(|kind| *kind < 128);
        if says_errors || source.is_unspecified() || source.is_multicast() {
            return None;
        }
        let about = &packet[..packet.len().min(LONGEST_V6 - V6 - ICMP)];
        let payload = (ICMP + about.len()) as u16;
        let mut bytes = vec![0x60, 0, 0, 0];
        bytes.extend(payload.to_be_bytes());
        bytes.extend([PROTOCOL_ICMP_V6, HOPS]);
        bytes.extend(own.octets());
        bytes.extend(source.octets());
        bytes.extend([2, 0, 0, 0]);
        bytes.extend(u32::from(mtu).to_be_bytes());
        bytes.extend(about);
        // RFC 8200 §8.1: addresses, length and protocol count too.
        let pseudo = sum(&bytes[8..40]) + u32::from(payload) + u32::from(PROTOCOL_ICMP_V6);
        let total = checksum(&bytes[V6..], pseudo);
        bytes[V6 + 2..V6 + 4].copy_from_slice(&total.to_be_bytes());
        Some(bytes)
    }
}

/// The sum of 16-bit words (RFC 1071); a last byte counts as if a zero followed.
fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0))).sum()
}

fn checksum(bytes: &[u8], more: u32) -> u16 {
    let mut sum = sum(bytes) + more;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> Router {
        Router { v4: Ipv4Addr::new(10, 99, 0, 2), v6: Some("fd99::2".parse().unwrap()) }
    }

    /// 1500 bytes of UDP from 192.168.1.5 to 192.168.2.6 that may not be fragmented.
    fn v4() -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0x05, 0xdc, 0, 1, 0x40, 0, 64, 17, 0, 0, 192, 168, 1, 5, 192, 168, 2, 6];
        packet.resize(1500, 0xab);
        packet
    }

    fn v6() -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0x05, 0xb4, 17, 64];
        packet.extend("fd00:1::5".parse::<Ipv6Addr>().unwrap().octets());
        packet.extend("fd00:2::6".parse::<Ipv6Addr>().unwrap().octets());
        packet.resize(1500, 0xab);
        packet
    }

    /// RFC 1071 §3: the words 0001, f203, f4f5, f6f7 sum to 2ddf0, so ddf2, and the checksum is its complement.
    #[test]
    fn the_checksum_is_that_of_rfc_1071() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0), !0xddf2);
        assert_eq!(checksum(&[0x12], 0), !0x1200);
    }

    #[test]
    fn fragmentation_needed_names_the_mtu_and_the_packet() {
        let error = router().too_big(&v4(), 1300).unwrap();
        assert_eq!((error.len(), &error[2..4]), (576, &[2, 0x40][..]));
        assert_eq!((&error[12..16], &error[16..20]), (&[10, 99, 0, 2][..], &[192, 168, 1, 5][..]));
        assert_eq!((&error[20..22], &error[26..28]), (&[3, 4][..], &[5, 0x14][..]), "type 3, code 4, 1300");
        assert_eq!(error[28..], v4()[..548]);
        // A sum over what includes its checksum is zero.
        assert_eq!((checksum(&error[..20], 0), checksum(&error[20..], 0)), (0, 0));
    }

    #[test]
    fn packet_too_big_names_the_mtu_and_the_packet() {
        let error = router().too_big(&v6(), 1400).unwrap();
        assert_eq!((error.len(), &error[4..6]), (1280, &[4, 0xd8][..]), "1240 bytes behind the header");
        assert_eq!((&error[40..42], &error[44..48]), (&[2, 0][..], &[0, 0, 5, 0x78][..]));
        assert_eq!(error[48..], v6()[..1232]);
        let pseudo = sum(&error[8..40]) + 1240 + 58;
        assert_eq!(checksum(&error[40..], pseudo), 0);
        assert_eq!(Router { v6: None, ..router() }.too_big(&v6(), 1400), None);
    }

    #[test]
    fn about_some_packets_nothing_is_said() {
        let changed = |packet: fn() -> Vec<u8>, at: usize, bytes: &[u8]| {
            let mut packet = packet();
            packet[at..at + bytes.len()].copy_from_slice(bytes);
            router().too_big(&packet, 1300)
        };
        assert_eq!(changed(v4, 6, &[0]), None, "it may be fragmented");
        assert_eq!(changed(v4, 7, &[1]), None, "a later fragment");
        assert_eq!(changed(v4, 9, &[1]), None, "ICMP of a type that is none");
        assert_eq!(changed(v4, 16, &[224, 0, 0, 1]), None, "to many");
        assert_eq!(changed(v4, 12, &[0, 0, 0, 0]), None, "from nobody");
        assert!(changed(v6, 24, &[0xff, 2]).is_some(), "RFC 4443 §2.4 (e.3)");
        let mut echo = v6();
        (echo[6], echo[40]) = (58, 128);
        assert!(router().too_big(&echo, 1300).is_some());
        echo[40] = 2;
        assert_eq!(router().too_big(&echo, 1300), None, "no error about an error");
    }

    #[test]
    fn whatever_bytes_come_nothing_panics() {
        for length in 0..64 {
            for first in [0x00, 0x45, 0x4f, 0x60, 0xff] {
                let mut packet = vec![0x40; length];
                packet.iter_mut().take(1).for_each(|byte| *byte = first);
                let _ = router().too_big(&packet, 576);
            }
        }
    }
}
