//! Parameters of both ends.

use crate::ConfigError;
use crate::cc::{self, Algorithm, Marks, SlowStartCounts};
use crate::tcp::InitialWindow;
use options::{Kind, Options, Range, Words, options, words};
use units::Duration;

words! {
    /// Whether the packet threshold follows reordering.
    pub enum Threshold {
        /// It stays: RFC 9002 §6.1.1.
        Fixed = "fixed",
        /// A packet that arrives although it was taken for lost raises it to how far it was behind, up to 20 packets,
        /// and the time threshold to 5/4: §6.1.1 allows it, and quiche does it.
        Adaptive = "adaptive",
    }
}

words! {
    /// Which lost packets make persistent congestion (RFC 9002 §7.6).
    pub enum Persistent {
        /// Those that one ACK, or one expiry of the loss timer, finds lost: appendix B.8.
        OnePass = "one-pass",
        /// Any two with nothing acknowledged between them, whenever they were found lost: the prose of §7.6.2.
        AnyTwo = "any-two",
        /// None: quiche.
        Never = "never",
    }
}

words! {
    /// The order in which one ACK lets the window grow and finds losses.
    pub enum GrowthOrder {
        /// Losses first: packets from before the loss do not grow the window. RFC 9002 appendix A.7.
        AfterLosses = "after-losses",
        /// Growth first: quinn and aioquic.
        BeforeLosses = "before-losses",
    }
}

words! {
    /// When an unused window does not grow (RFC 9002 §7.8).
    pub enum Underuse {
        /// A packet does not count for growth if the window has had room for another packet ever since it left; where
        /// pacing holds packets back, the window counts as full.
        SinceSent = "since-sent",
        /// An ACK does not count if the window had room for another packet as it came.
        AtAck = "at-ack",
        /// It always grows: aioquic.
        Ignored = "ignored",
    }
}

words! {
    /// The frames that carry the data.
    pub enum Frames {
        /// Of streams: all arrives, and in order.
        Stream = "stream",
        /// Datagrams (RFC 9221): each leaves once, in a packet of its own, and counts as it arrives.
        Datagram = "datagram",
    }
}

words! {
    /// How streams share the connection.
    pub enum StreamOrder {
        /// A packet of each in turn.
        RoundRobin = "round-robin",
        /// The lowest number first.
        Priority = "priority",
    }
}

options! {
    /// The parameters of a [`Sender`](super::Sender); flows share one behind an `Arc`.
    #[derive(Clone, Debug)]
    pub struct Config {
        fixed {
            /// The congestion control. `NewReno` is RFC 9002's; of others the window law counts, and not how TCP
            /// repairs losses.
            pub algorithm: Algorithm = Algorithm::NewReno;
            /// Parameters of the window laws.
            pub laws: cc::Config = laws();
            /// Bytes on the wire below a datagram, for laws that know rates of links: IP's and UDP's headers, and what
            /// the network writes.
            pub below: u32 = 28;
        }
        /// Bytes of a full packet: the payload of its UDP datagram, which windows count (RFC 9002 appendix B.2).
        pub max_datagram_size: u32 = 1200, Kind::Bytes;
        /// Bytes of a packet of data that are not the stream's: headers of packet and frame, and the tag of its
        /// encryption.
        pub overhead: u32 = 38, Kind::Whole(Range::closed(0.0, 65_535.0));
        /// cwnd at the start.
        pub initial_window: InitialWindow = InitialWindow::Rfc9002, Kind::Segments(&InitialWindow::RULES);
        /// ssthresh at the start; without it, it is infinite.
        pub initial_ssthresh: Option<u64> = None, Kind::Window;
        /// A cut leaves so many packets at least: kMinimumWindow of RFC 9002 §7.2.
        pub minimum_window: u32 = 2, Kind::Whole(Range::closed(1.0, 1000.0));
        /// cwnd is never larger.
        pub max_window: u64 = u64::MAX, Kind::Window;
        /// The share of the window that "newreno" keeps at a loss: kLossReductionFactor.
        pub loss_reduction_factor: f64 = 0.5, Kind::Number(Range::between(0.0, 1.0));
        /// A packet is lost if one that was sent so many later has arrived: kPacketThreshold of RFC 9002 §6.1.1.
        pub packet_threshold: u32 = 3, Kind::Whole(Range::from(1.0));
        /// Whether that follows reordering.
        pub threshold_rule: Threshold = Threshold::Fixed, Kind::Word(&Threshold::LIST);
        /// A packet is lost if one that was sent so many round trips later has arrived: kTimeThreshold of §6.1.2.
        pub time_threshold: f64 = 1.125, Kind::Number(Range::closed(1.0, 100.0));
        /// The shortest time in which a loss is found, and the least variance of a PTO: kGranularity.
        pub granularity: Duration = Duration::from_millis(1), Kind::POSITIVE;
        /// The round trip before the first sample: kInitialRtt of §6.2.2.
        pub initial_rtt: Duration = Duration::from_millis(333), Kind::POSITIVE;
        /// Persistent congestion lasts so many PTOs: kPersistentCongestionThreshold of §7.6.1.
        pub persistent_congestion_threshold: u32 = 3, Kind::Whole(Range::closed(1.0, 1000.0));
        /// Which losses are persistent congestion.
        pub persistent_congestion: Persistent = Persistent::OnePass, Kind::Word(&Persistent::LIST);
        /// Whether min_rtt begins anew with the sample after persistent congestion: §5.2 has it, appendix B has not.
        pub reset_min_rtt: bool = false, Kind::Flag;
        /// What one ACK does first.
        pub growth_order: GrowthOrder = GrowthOrder::AfterLosses, Kind::Word(&GrowthOrder::LIST);
        /// When an unused window does not grow.
        pub underuse: Underuse = Underuse::SinceSent, Kind::Word(&Underuse::LIST);
        /// Packets that a PTO sends: 1 or 2 (RFC 9002 §6.2.4), or none for those who send them by hand.
        pub pto_packets: u32 = 2, Kind::Whole(Range::closed(0.0, 2.0));
        /// Whether a packet leaves past the window as a loss cuts it (RFC 9002 §7.3.2).
        pub recovery_packet: bool = true, Kind::Flag;
        /// Whether packets are paced (RFC 9002 §7.7).
        pub paced: bool = true, Kind::Flag;
        /// Packets are paced at so many cwnd in a round trip; laws with a rate of their own do not ask for it.
        pub pacing_gain: f64 = 1.25, Kind::Number(Range::closed(1.0, 100.0));
        /// Whether packets are sent as capable of ECN (RFC 9000 §13.4).
        pub ecn: bool = false, Kind::Flag;
        /// Marks are no congestion but news that data met a circuit: all packets may be marked, and what ACKs count is
        /// told to the law. For laws that hear news, and with `[[news]]` of way "mark" true for all of them.
        pub path_marks: bool = false, Kind::Flag;
        /// Streams on which what is written is spread.
        pub streams: u32 = 1, Kind::Whole(Range::closed(1.0, 65_536.0));
        /// How they share the connection.
        pub stream_order: StreamOrder = StreamOrder::RoundRobin, Kind::Word(&StreamOrder::LIST);
        /// Which frames carry the data.
        pub frames: Frames = Frames::Stream, Kind::Word(&Frames::LIST);
        /// Bytes of packets with datagrams that window and pacing hold back at most, their overhead included; of more
        /// the oldest are dropped (RFC 9221 §5.4).
        pub datagram_queue: u64 = u64::MAX, Kind::Window;
        /// The peer delays its ACKs by so much at most: its max_ack_delay.
        pub peer_max_ack_delay: Duration = Duration::from_millis(25), Kind::SPAN;
        /// The peer's ack_delay_exponent: an ACK says its delay in units of so many powers of two of a microsecond.
        pub peer_ack_delay_exponent: u32 = 3, Kind::Whole(Range::closed(0.0, 20.0));
        /// Bytes that the peer takes at the start, on all streams together.
        pub peer_max_data: u64 = u64::MAX, Kind::Window;
        /// Bytes that the peer takes at the start on each stream.
        pub peer_max_stream_data: u64 = u64::MAX, Kind::Window;
    }
}

/// 2^14 ms: no peer delays its ACKs so long (RFC 9000 §18.2).
const LONGEST_DELAY: Duration = Duration::from_millis(1 << 14);

/// Those of TCP, but in slow start all counts that is acknowledged: RFC 9002 §7.3.1.
fn laws() -> cc::Config {
    let mut laws = cc::Config::default();
    (laws.reno.slow_start_counts, laws.cubic.slow_start_counts) = (SlowStartCounts::All, SlowStartCounts::All);
    laws
}

impl Config {
    /// An error that names the parameter with which no sender can run.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        self.check_ranges()?;
        if self.overhead >= self.max_datagram_size {
            return wrong("overhead", "must leave room for payload in max_datagram_size");
        }
        if self.max_window < self.minimum_bytes() {
            return wrong("max_window", "must hold minimum_window packets");
        }
        if self.initial_window.bytes(self.max_datagram_size) < self.minimum_bytes() {
            return wrong("initial_window", "must hold minimum_window packets");
        }
        if self.frames == Frames::Datagram && self.streams > 1 {
            return wrong("streams", "must be 1: datagrams belong to no stream");
        }
        if self.path_marks && !self.hears_news() {
            return wrong("path_marks", "needs a law that hears news of its path");
        }
        if self.peer_max_ack_delay >= LONGEST_DELAY {
            return wrong("peer_max_ack_delay", "must be below 2^14 ms (RFC 9000 §18.2)");
        }
        if self.uses_law() {
            self.validate_law()?;
        }
        Ok(())
    }

    /// Whether a window law of TCP's moves the window, and not appendix B.
    pub fn uses_law(&self) -> bool {
        self.algorithm != Algorithm::NewReno
    }

    /// Whether a connection can run the law: it is built in.
    pub fn can_run(algorithm: Algorithm) -> bool {
        algorithm != Algorithm::External
    }

    /// Whether the law hears of its path. That of divisions does not: which packet left in which of them is TCP's to
    /// know.
    pub fn hears_news(&self) -> bool {
        let wants = self.algorithm.wants(&self.laws);
        self.uses_law() && wants.news && !wants.division_rtt
    }

    /// Whether it hears of another path's round trip.
    pub fn hears_base_rtts(&self) -> bool {
        self.hears_news() || self.uses_law() && self.algorithm.wants(&self.laws).base_rtts
    }

    /// Whether the law counts marks, so that packets must be capable of ECN.
    pub fn needs_ecn(&self) -> bool {
        let counts = self.marks().are_counted() && !self.path_marks || self.algorithm.wants(&self.laws).marks;
        self.uses_law() && counts
    }

    /// The answer to marks.
    pub(super) fn marks(&self) -> Marks {
        if self.path_marks { Marks::OfPath } else { self.algorithm.asks().marks }
    }

    /// A law's own needs are those that TCP checks.
    fn validate_law(&self) -> Result<(), ConfigError> {
        if !Config::can_run(self.algorithm) {
            return Err(ConfigError::new("algorithm", "must be a law that is built in"));
        }
        if self.ecn && self.algorithm.is_told() {
            return Err(ConfigError::new("ecn", "must be false for a law that the network tells"));
        }
        if self.ecn && self.marks() == Marks::Unheard {
            return Err(ConfigError::new("ecn", "must be false for a law that has no answer to marks"));
        }
        if !self.ecn && self.needs_ecn() {
            return Err(ConfigError::new("ecn", "must be true for a law that counts marks"));
        }
        self.laws.validate(self.algorithm)
    }

    pub(super) fn minimum_bytes(&self) -> u64 {
        u64::from(self.minimum_window) * u64::from(self.max_datagram_size)
    }

    /// Payload of a full packet.
    pub fn payload(&self) -> u32 {
        self.max_datagram_size - self.overhead
    }
}

options! {
    /// The parameters of a [`Receiver`](super::Receiver).
    #[derive(Clone, Debug)]
    pub struct ReceiverConfig {
        /// An ACK waits so long at most: max_ack_delay of RFC 9000 §18.2.
        pub max_ack_delay: Duration = Duration::from_millis(25), Kind::SPAN;
        /// An ACK says its delay in units of so many powers of two of a microsecond.
        pub ack_delay_exponent: u32 = 3, Kind::Whole(Range::closed(0.0, 20.0));
        /// An ACK leaves at the latest with so many packets that ask for one: RFC 9000 §13.2.2.
        pub ack_every: u32 = 2, Kind::Whole(Range::closed(1.0, 65_535.0));
        /// Packets out of order are acknowledged at once if so many numbers are missing or more; 0 is never. RFC 9000
        /// §13.2.1 has 1; draft-ietf-quic-ack-frequency calls it the reordering threshold.
        pub reordering_threshold: u32 = 1, Kind::Whole(Range::closed(0.0, 65_535.0));
        /// Ranges that an ACK tells at most; numbers below them are never taken again.
        pub ack_ranges: u32 = 32, Kind::Whole(Range::closed(1.0, 1024.0));
        /// Streams that the sender may open: initial_max_streams of RFC 9000 §18.2.
        pub max_streams: u32 = 128, Kind::Whole(Range::closed(1.0, 65_536.0));
        /// Bytes that the sender may have ahead of what was read, on all streams together; without it, any number.
        pub receive_window: u64 = u64::MAX, Kind::Window;
        /// The same of each stream.
        pub stream_window: u64 = u64::MAX, Kind::Window;
        /// A window that is used up in less than two round trips is doubled, up to this; without it, windows stay.
        pub largest_window: u64 = 0, Kind::Window;
    }
}

impl ReceiverConfig {
    /// An error that names the parameter with which no receiver can run.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        if self.max_ack_delay >= LONGEST_DELAY {
            return Err(ConfigError::new("max_ack_delay", "must be below 2^14 ms (RFC 9000 §18.2)"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_cannot_work_is_named() {
        assert_eq!(Config::default().validate(), Ok(()));
        let field = |config: Config| config.validate().unwrap_err().field;
        assert_eq!(field(Config { overhead: 1200, ..Config::default() }), "overhead");
        assert_eq!(field(Config { max_window: 1000, ..Config::default() }), "max_window");
        let one = InitialWindow::Segments(1);
        assert_eq!(field(Config { initial_window: one, ..Config::default() }), "initial_window");
        let two = Config { frames: Frames::Datagram, streams: 2, ..Config::default() };
        assert_eq!(field(two), "streams");
        assert_eq!(field(Config { algorithm: Algorithm::External, ..Config::default() }), "algorithm");
        assert_eq!(field(Config { algorithm: Algorithm::Dctcp, ..Config::default() }), "ecn");
        let late = Duration::from_millis(1 << 14);
        assert_eq!(field(Config { peer_max_ack_delay: late, ..Config::default() }), "peer_max_ack_delay");
        let late = ReceiverConfig { max_ack_delay: late, ..ReceiverConfig::default() };
        assert_eq!(late.validate().unwrap_err().field, "max_ack_delay");
    }
}
