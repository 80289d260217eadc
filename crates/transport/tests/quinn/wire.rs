//! What a datagram of one short packet says, read as RFC 9000 §17.3.1 and §19 have it. Connection identifiers have no
//! bytes, and the tag holds the packet's number in full.

use super::crypto::TAG;
use std::ops::Range;
use transport::quic::{Ack, EcnCounts};
use units::Duration;

/// A number of variable length: RFC 9000 §16.
pub fn take(bytes: &mut &[u8]) -> u64 {
    let length = 1usize << (bytes[0] >> 6);
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let all = number.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    all & (u64::MAX >> (66 - 8 * length))
}

/// Whether it is one packet with a short header.
pub fn is_short(datagram: &[u8]) -> bool {
    datagram[0] & 0x80 == 0
}

/// The number of its packet.
pub fn number(datagram: &[u8]) -> u64 {
    let tag = &datagram[datagram.len() - TAG..];
    tag[..8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// A frame that this link carries.
#[derive(Debug)]
pub enum Frame {
    Ping,
    Ack(Ack),
    /// Bytes of the stream, from the first to behind the last.
    Stream(Range<u64>),
    /// Another one, behind which nothing is read.
    Other,
}

/// Its frames but padding.
pub fn frames(datagram: &[u8]) -> Vec<Frame> {
    let header = 2 + usize::from(datagram[0] & 3);
    let mut rest = &datagram[header..datagram.len() - TAG];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let kind = take(&mut rest);
        found.push(match kind {
            0 => continue,
            1 => Frame::Ping,
            2 | 3 => Frame::Ack(ack(&mut rest, kind == 3)),
            8..=15 => Frame::Stream(stream_bytes(&mut rest, kind)),
            _ => {
                rest = &[];
                Frame::Other
            }
        });
    }
    found
}

/// §19.3, with an ack_delay_exponent of 3.
fn ack(rest: &mut &[u8], has_counts: bool) -> Ack {
    let (largest, delay, more, first) = (take(rest), take(rest), take(rest), take(rest));
    let ranges: Vec<(u64, u64)> = (0..more).map(|_| (take(rest), take(rest))).collect();
    let counts = has_counts.then(|| EcnCounts { ect0: take(rest), ect1: take(rest), ce: take(rest) });
    let ack = Ack::from_fields(largest, first, &ranges).expect("fields of a peer that keeps to the RFC");
    ack.after(Duration::from_micros(delay << 3)).with_counts(counts)
}

/// §19.8: bits of the type say whether there are an offset and a length.
fn stream_bytes(rest: &mut &[u8], kind: u64) -> Range<u64> {
    take(rest);
    let start = if kind & 4 > 0 { take(rest) } else { 0 };
    let length = if kind & 2 > 0 { take(rest) } else { rest.len() as u64 };
    *rest = &rest[length as usize..];
    start..start + length
}

/// The bytes of the stream in its longest frame: before it may stand the rest of a lost packet that is sent again.
pub fn stream(datagram: &[u8]) -> Option<Range<u64>> {
    let bytes = |frame| if let Frame::Stream(bytes) = frame { Some(bytes) } else { None };
    frames(datagram).into_iter().filter_map(bytes).max_by_key(|bytes| bytes.end - bytes.start)
}
