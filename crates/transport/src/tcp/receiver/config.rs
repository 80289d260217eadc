//! The receiver's parameters.

use crate::ConfigError;
use crate::tcp::EcnFeedback;
use options::{Kind, Options, Range, Words, options};
use units::Duration;

/// Two segments fit in 32 bits.
const MOST_MSS: u32 = 1 << 30;

options! {
    /// The parameters of a [`Receiver`]; flows share one behind an `Arc`.
    #[derive(Clone, Debug)]
    pub struct ReceiverConfig {
        /// ACKs for every second full-sized segment, and after this time at the latest (RFC 5681 §4.2: at most 500 ms).
        /// Default: an ACK for each segment.
        pub delayed_ack: Option<Duration> = None, Kind::Delay;
        /// With delayed_ack: the number of segments at the start of a flow that are acknowledged at once. Linux: up to
        /// 16 (quick ACKs), which it does again after a gap; here once.
        pub quick_acks: u32 = 0, Kind::Whole(Range::from(0.0));
        /// With SACK: ACKs of segments above a hole wait for this time, from the fourth with one number on (Linux:
        /// tcp_comp_sack_delay_ns, a twentieth of the round trip and at most 1 ms). By default they leave at once.
        pub sack_compression: Duration = Duration::ZERO, Kind::SPAN;
        /// With sack_compression: an ACK leaves when so many have waited (Linux: tcp_comp_sack_nr).
        pub sack_compression_most: u32 = 44, Kind::Whole(Range::from(0.0));
        /// Whether ACKs echo the timestamps of segments (RFC 7323).
        pub timestamps: bool = false, Kind::Flag;
        /// With timestamps: how much older than TS.Recent the timestamp of a segment may be that PAWS does not refuse.
        /// RFC 7323 §5.3: not at all. Linux: a tick of its clock (TCP_PAWS_WINDOW).
        pub paws_slack: Duration = Duration::ZERO, Kind::SPAN;
        /// The window that is offered at first; then it grows with what arrives (dynamic right-sizing, as in Linux), up
        /// to receiver_window. Default: receiver_window is offered from the start. Linux: 64 kB, up to 6 MiB.
        pub autotune_from: Option<u64> = None, Kind::Window;
        /// Whether the window may be more than 65535 B (RFC 7323 §2). If not, that is the default of receiver_window.
        pub window_scaling: bool = true, Kind::Flag;
        /// How ACKs tell of congestion marks. In a scenario by default what the law needs.
        pub ecn_feedback: EcnFeedback = EcnFeedback::Classic, Kind::Word(&EcnFeedback::LIST);
        /// The application reads so many bytes of what is in order every read_every; what it has not read takes room in
        /// receiver_window. Default: it reads at once.
        pub read: Option<u64> = None, Kind::Window;
        /// With read: the time from one read to the next.
        pub read_every: Duration = Duration::from_millis(100), Kind::POSITIVE;
        /// With handshake and ecn: whether the receiver agrees to ECN. If not, the connection runs without.
        pub accept_ecn: bool = true, Kind::Flag;
        /// Payload bytes of a full-sized segment.
        pub mss: u32 = 1460, Kind::Bytes;
        /// Whether ACKs carry SACK blocks (RFC 2018). In a scenario by default what the recovery needs.
        pub sack: bool = true, Kind::Flag;
        /// Whether duplicates are reported in a first block (RFC 2883), which needs SACK. In a scenario by default
        /// where there is SACK.
        pub dsack: bool = true, Kind::Flag;
        /// The window that the receiver offers. The default never binds.
        pub window as "receiver_window": u64 = 1 << 40, Kind::Window;
    }
}

impl ReceiverConfig {
    /// The largest window without scaling.
    pub const UNSCALED: u64 = 65_535;

    /// The largest window with scaling, 1 073 725 440 B: RFC 7323 §2.3.
    pub const MOST_SCALED: u64 = ReceiverConfig::UNSCALED << 14;

    /// The window scale that can say the window: RFC 7323 §2.
    pub fn window_scale(&self) -> u8 {
        (0..14).find(|shift| self.window >> shift <= ReceiverConfig::UNSCALED).unwrap_or(14)
    }

    /// The window that is offered at first.
    pub fn first_window(&self) -> u64 {
        self.autotune_from.unwrap_or(self.window)
    }

    /// An error that names the wrong parameter if no receiver can run with these.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        if self.mss > MOST_MSS {
            return Err(ConfigError::new("mss", "must be at most 1 GiB"));
        }
        if !self.window_scaling && self.window > ReceiverConfig::UNSCALED {
            return Err(ConfigError::new("receiver_window", "must be at most 65535 B without window_scaling"));
        }
        if self.autotune_from.is_some_and(|window| window > self.window || window < u64::from(self.mss)) {
            return Err(ConfigError::new("autotune_from", "must be at least one segment and at most receiver_window"));
        }
        if self.read.is_some_and(|bytes| bytes == 0) {
            return Err(ConfigError::new("read", "must be at least one byte"));
        }
        if self.delayed_ack.is_some_and(|timeout| timeout == Duration::ZERO || timeout > Duration::from_millis(500)) {
            return Err(ConfigError::new("delayed_ack", "must be positive and at most 500 ms (RFC 5681 §4.2)"));
        }
        Ok(())
    }
}
