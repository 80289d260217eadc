//! Fields of IP packets that an emulation reads and writes: the destination, and ECN (RFC 3168).

/// Hosts have the addresses 10.77.0.1, … and fd77::1, …
pub(super) const PREFIX_V4: [u8; 3] = [10, 77, 0];
/// The first two bytes; those between them and the last are zero.
pub(super) const PREFIX_V6: [u8; 2] = [0xfd, 0x77];

/// Congestion experienced.
const CE: u8 = 3;

/// The number of the host that a packet is for, from 0; `None` if it is for no host.
pub(super) fn destination(packet: &[u8]) -> Option<u16> {
    let last = match packet.first()? >> 4 {
        4 => *packet.get(16..20)?.strip_prefix(&PREFIX_V4)?.first()?,
        6 => {
            let rest = packet.get(24..40)?.strip_prefix(&PREFIX_V6)?;
            let (last, zeros) = rest.split_last()?;
            zeros.iter().all(|byte| *byte == 0).then_some(*last)?
        }
        _ => return None,
    };
    u16::from(last).checked_sub(1)
}

/// The two bits of the ECN field.
pub(super) fn ecn(packet: &[u8]) -> u8 {
    match packet {
        [first, second, ..] if first >> 4 == 4 => second & 3,
        [first, second, ..] if first >> 4 == 6 => second >> 4 & 3,
        _ => 0,
    }
}

/// Sets the field to "congestion experienced"; the checksum of IPv4 follows (RFC 1624, equation 3).
pub(super) fn mark(packet: &mut [u8]) {
    match packet.first().map(|first| first >> 4) {
        Some(4) if packet.len() >= 20 => {
            let word = u16::from_be_bytes([packet[0], packet[1]]);
            let sum = u16::from_be_bytes([packet[10], packet[11]]);
            packet[1] |= CE;
            let marked = u16::from_be_bytes([packet[0], packet[1]]);
            let total = u32::from(!sum) + u32::from(!word) + u32::from(marked);
            let folded = (total & 0xffff) + (total >> 16);
            let folded = (folded & 0xffff) + (folded >> 16);
            packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
        }
        Some(6) if packet.len() >= 2 => packet[1] |= CE << 4,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of IPv4 from 10.77.0.1 with its checksum (RFC 1071).
    fn header(second: u8, to: [u8; 4]) -> [u8; 20] {
        let mut header = [0x45, second, 0, 20, 0, 1, 0, 0, 64, 17, 0, 0, 10, 77, 0, 1, 0, 0, 0, 0];
        header[16..].copy_from_slice(&to);
        let sum = sum(&header);
        header[10..12].copy_from_slice(&(!sum).to_be_bytes());
        header
    }

    fn sum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let mut total: u32 = words.sum();
        while total > 0xffff {
            total = (total & 0xffff) + (total >> 16);
        }
        total as u16
    }

    #[test]
    fn a_marked_packet_has_a_right_checksum_whatever_its_header_was() {
        for second in 0..=255 {
            for last in [1, 2, 77, 255] {
                let mut packet = header(second, [10, 77, 0, last]);
                assert_eq!(ecn(&packet), second & 3);
                mark(&mut packet);
                assert_eq!((ecn(&packet), packet[1] & !3, sum(&packet)), (CE, second & !3, 0xffff));
            }
        }
        let mut packet = [0x60; 40];
        packet[1] = 0x2f;
        mark(&mut packet);
        assert_eq!((ecn(&packet), packet[0], packet[1]), (CE, 0x60, 0x3f));
    }

    #[test]
    fn the_destination_is_a_host_or_nobody() {
        assert_eq!(destination(&header(0, [10, 77, 0, 1])), Some(0));
        assert_eq!(destination(&header(0, [10, 77, 0, 64])), Some(63));
        for other in [[10, 77, 0, 0], [10, 77, 1, 1], [224, 0, 0, 1]] {
            assert_eq!(destination(&header(0, other)), None);
        }
        let mut packet = [0; 40];
        packet[0] = 0x60;
        packet[24..26].copy_from_slice(&PREFIX_V6);
        packet[39] = 9;
        assert_eq!(destination(&packet), Some(8));
        packet[30] = 1;
        assert_eq!(destination(&packet), None);
    }

    /// Bytes of every length and kind: no panic, and nothing but the ECN field and the checksum changes.
    #[test]
    fn garbage_is_for_nobody_or_marked_as_it_is() {
        let mut state = 7u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = (state >> 33) as usize % 48;
            let mut packet: Vec<u8> = (0..length).map(|at| (state >> (at % 56)) as u8).collect();
            let before = packet.clone();
            let _ = (destination(&packet), ecn(&packet));
            mark(&mut packet);
            assert_eq!(packet.len(), before.len());
            let changed = packet.iter().zip(&before).enumerate().filter(|(_, (now, then))| now != then);
            assert!(changed.map(|(at, _)| at).all(|at| [1, 10, 11].contains(&at)));
        }
    }
}
