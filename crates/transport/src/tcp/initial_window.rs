//! The congestion window before the first ACK.

use options::{Argument, Value, Word, WordList};

/// The congestion window before the first ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// A number of full-sized segments, or packets.
    Segments(u32),
    /// min(4 MSS, max(2 MSS, 4380 B)): RFC 3390 eq. (1).
    Rfc3390,
    /// min(10 MSS, max(2 MSS, 14600 B)): RFC 6928 §2 eq. (1).
    Rfc6928,
    /// min(10 packets, max(2 packets, 14720 B)): RFC 9002 §7.2.
    Rfc9002,
}

impl InitialWindow {
    /// The rules that have a name.
    pub const RULES: WordList = WordList {
        name: "InitialWindow",
        meaning: "The congestion window at the start.",
        words: &[
            Word { word: "rfc3390", meaning: "min(4 MSS, max(2 MSS, 4380 B)): RFC 3390." },
            Word {
                word: "rfc6928",
                meaning: "min(10 MSS, max(2 MSS, 14600 B)), 10 segments of up to 1460 B: RFC 6928.",
            },
            Word { word: "rfc9002", meaning: "min(10 packets, max(2 packets, 14720 B)) of QUIC: RFC 9002 §7.2." },
        ],
    };

    /// The window in bytes, of segments or packets of this size.
    pub fn bytes(self, mss: u32) -> u64 {
        let mss = u64::from(mss);
        match self {
            InitialWindow::Segments(segments) => u64::from(segments) * mss,
            InitialWindow::Rfc3390 => (4 * mss).min((2 * mss).max(4380)),
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
            InitialWindow::Rfc9002 => (10 * mss).min((2 * mss).max(14_720)),
        }
    }
}

impl Argument for InitialWindow {
    fn to_value(&self) -> Value {
        match self {
            InitialWindow::Segments(segments) => Value::Whole((*segments).into()),
            InitialWindow::Rfc3390 => Value::Word("rfc3390"),
            InitialWindow::Rfc6928 => Value::Word("rfc6928"),
            InitialWindow::Rfc9002 => Value::Word("rfc9002"),
        }
    }

    fn from_value(value: Value) -> Option<InitialWindow> {
        match value {
            Value::Whole(segments) => u32::try_from(segments).ok().map(InitialWindow::Segments),
            Value::Word("rfc3390") => Some(InitialWindow::Rfc3390),
            Value::Word("rfc6928") => Some(InitialWindow::Rfc6928),
            Value::Word("rfc9002") => Some(InitialWindow::Rfc9002),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_of_rfc_3390_is_4_3_or_2_segments() {
        // RFC 3390 §1: MSS <= 1095: 4 MSS; 1095 < MSS < 2190: 4380 B; MSS >= 2190: 2 MSS.
        assert_eq!([1000, 1460, 9000].map(|mss| InitialWindow::Rfc3390.bytes(mss)), [4000, 4380, 18_000]);
    }

    #[test]
    fn that_of_rfc_6928_is_10_segments_up_to_an_ethernet_frame() {
        assert_eq!([1000, 1460, 9000].map(|mss| InitialWindow::Rfc6928.bytes(mss)), [10_000, 14_600, 18_000]);
    }

    #[test]
    fn that_of_rfc_9002_is_10_packets_up_to_an_ethernet_frame() {
        // Ten packets; with 1500 B the larger of 14720 B and two packets; with 9000 B two packets.
        let bytes = [1200, 1472, 1500, 9000].map(|size| InitialWindow::Rfc9002.bytes(size));
        assert_eq!(bytes, [12_000, 14_720, 14_720, 18_000]);
    }

    #[test]
    fn a_rule_has_one_word() {
        for rule in [InitialWindow::Segments(7), InitialWindow::Rfc3390, InitialWindow::Rfc6928, InitialWindow::Rfc9002]
        {
            assert_eq!(InitialWindow::from_value(rule.to_value()), Some(rule));
        }
    }
}
