//! What an ACK frame says, and the errors of RFC 9000 that a peer can make.

use units::Duration;

/// A connection ends with one of these (RFC 9000 §20.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// FRAME_ENCODING_ERROR: a frame whose fields cannot be (§19.3.1).
    FrameEncoding,
    /// PROTOCOL_VIOLATION: a packet is acknowledged that was never sent (§13.1).
    ProtocolViolation,
    /// FLOW_CONTROL_ERROR: more data than was permitted (§4.1).
    FlowControl,
    /// STREAM_LIMIT_ERROR: a stream of a number that was not permitted (§4.6).
    StreamLimit,
}

impl TransportError {
    /// Its name in RFC 9000.
    pub const fn name(self) -> &'static str {
        match self {
            TransportError::FrameEncoding => "FRAME_ENCODING_ERROR",
            TransportError::ProtocolViolation => "PROTOCOL_VIOLATION",
            TransportError::FlowControl => "FLOW_CONTROL_ERROR",
            TransportError::StreamLimit => "STREAM_LIMIT_ERROR",
        }
    }
}

/// Packets that have arrived, by their codepoints (RFC 9000 §19.3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnCounts {
    /// With ECT(0).
    pub ect0: u64,
    /// With ECT(1).
    pub ect1: u64,
    /// With CE.
    pub ce: u64,
}

/// The ranges of a frame. Most have one, which needs no memory of its own; the others are not one.
#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    One([(u64, u64); 1]),
    Others(Vec<(u64, u64)>),
}

impl Default for List {
    fn default() -> List {
        List::Others(Vec::new())
    }
}

impl From<Vec<(u64, u64)>> for List {
    fn from(ranges: Vec<(u64, u64)>) -> List {
        if let [one] = ranges[..] { List::One([one]) } else { List::Others(ranges) }
    }
}

/// An ACK frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// Ranges of packets that have arrived, each from its lowest to its highest number, the highest range first.
    ranges: List,
    /// How long the ACK waited for, as its field says it.
    pub delay: Duration,
    /// The counts of an ACK_ECN frame.
    pub ecn: Option<EcnCounts>,
}

impl Ack {
    /// One of these ranges, from their lowest to their highest number, the highest range first, each with a number
    /// missing before the next at least.
    pub fn new(ranges: Vec<(u64, u64)>) -> Result<Ack, TransportError> {
        let is_apart = |pair: &[(u64, u64)]| pair[1].1.checked_add(1).is_some_and(|next| next < pair[0].0);
        let is_in_order = ranges.iter().all(|(low, high)| low <= high) && ranges.windows(2).all(is_apart);
        match !ranges.is_empty() && is_in_order {
            true => Ok(Ack { ranges: ranges.into(), ..Ack::default() }),
            false => Err(TransportError::FrameEncoding),
        }
    }

    /// One of the numbers from the first to the last.
    #[inline]
    pub fn of_one(low: u64, high: u64) -> Ack {
        assert!(low <= high, "an ACK names a packet");
        Ack { ranges: List::One([(low, high)]), delay: Duration::ZERO, ecn: None }
    }

    /// As its fields travel (RFC 9000 §19.3): Largest Acknowledged, First ACK Range, and pairs of Gap and ACK Range
    /// Length.
    pub fn from_fields(largest: u64, first: u64, more: &[(u64, u64)]) -> Result<Ack, TransportError> {
        let below = |high: u64, by: u64| high.checked_sub(by).ok_or(TransportError::FrameEncoding);
        let mut low = below(largest, first)?;
        let mut ranges = vec![(low, largest)];
        for (gap, length) in more {
            let high = below(low, gap.checked_add(2).ok_or(TransportError::FrameEncoding)?)?;
            low = below(high, *length)?;
            ranges.push((low, high));
        }
        Ok(Ack { ranges: ranges.into(), ..Ack::default() })
    }

    /// The fields of [`from_fields`](Ack::from_fields).
    pub fn fields(&self) -> (u64, u64, Vec<(u64, u64)>) {
        let (low, high) = self.ranges()[0];
        let more = self.ranges().windows(2).map(|pair| (pair[0].0 - pair[1].1 - 2, pair[1].1 - pair[1].0));
        (high, high - low, more.collect())
    }

    /// The same ACK after it has waited for so long.
    pub fn after(self, delay: Duration) -> Ack {
        Ack { delay, ..self }
    }

    /// The same ACK with counts of marks, if there are any.
    pub fn with_counts(self, ecn: Option<EcnCounts>) -> Ack {
        Ack { ecn, ..self }
    }

    /// The highest number.
    #[inline]
    pub fn largest(&self) -> u64 {
        self.ranges()[0].1
    }

    /// The ranges, the highest first.
    #[inline]
    pub fn ranges(&self) -> &[(u64, u64)] {
        match &self.ranges {
            List::One(one) => one,
            List::Others(ranges) => ranges,
        }
    }

    /// The delay as the field of 2^exponent µs can say it.
    pub fn rounded(delay: Duration, exponent: u32) -> Duration {
        let unit = 1_000_000u64 << exponent.min(20);
        Duration::from_ps(delay.ps() / unit * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9000 §19.3.1: gap is the number of missing packets less one, a length that of packets less one.
    #[test]
    fn ranges_travel_as_gaps_and_lengths() {
        // 10 to 8, 5 to 5, 2 to 0 arrived; 7, 6 and 4, 3 are missing.
        let ack = Ack::new(vec![(8, 10), (5, 5), (0, 2)]).unwrap();
        assert_eq!(ack.fields(), (10, 2, vec![(1, 0), (1, 2)]));
        assert_eq!(Ack::from_fields(10, 2, &[(1, 0), (1, 2)]), Ok(ack));
    }

    #[test]
    fn fields_below_zero_are_an_error_of_encoding() {
        let error = Err(TransportError::FrameEncoding);
        assert_eq!(Ack::from_fields(3, 4, &[]), error);
        assert_eq!(Ack::from_fields(10, 0, &[(9, 0)]), error);
        assert_eq!(Ack::from_fields(10, 0, &[(0, 9)]), error);
        assert_eq!(Ack::from_fields(10, 0, &[(u64::MAX, 0)]), error);
        for ranges in [vec![], vec![(5, 4)], vec![(3, 5), (0, 2)], vec![(3, 5), (2, 4)], vec![(0, 1), (4, 5)]] {
            assert_eq!(Ack::new(ranges), error);
        }
        assert_eq!(Ack::new(vec![(3, 5), (0, u64::MAX)]), error);
    }

    #[test]
    fn a_delay_is_told_in_whole_units() {
        // 8 µs with the usual exponent of 3.
        let delay = Ack::rounded(Duration::from_micros(23), 3);
        assert_eq!(delay, Duration::from_micros(16));
    }
}
