//! Links that change during a run: `[[event]]`, `[[link_phases]]`, `[[link_trace]]`.

use super::properties::{InTime, PropertyKeys};
use crate::language::keys::{When, Within, a_rate, keys, more_than_zero};
use crate::language::{At, Key, Names, Place, Room, Size, Speed, Time, Word, rate_in_range};
use crate::model::{DelayForm, MidPacket};
use options::words;
use units::{Bytes, Duration};

/// A link this long is a mistake; sums over a path do not overflow.
pub(crate) const LONGEST_DELAY: Duration = Duration::from_secs(3600);

const NO_TIME: Time = Time(Duration::ZERO);

/// A capacity of a link in its time.
fn a_rate_or_none() -> Within<Speed> {
    let holds = |speed: &Speed| speed.0.bps() == 0 || rate_in_range(speed.0, || Place::Unknown).is_ok();
    Within::new("0 bps (a pause), or 8 bps to 1000 Tbps", holds)
}

fn a_delay() -> Within<Time> {
    let holds = |time: &Time| time.0 > Duration::ZERO && time.0 <= LONGEST_DELAY;
    Within::new(format!("more than zero and at most {LONGEST_DELAY}"), holds)
}

keys! {
    /// A change of links at a time. What several events change at one instant they change in the order of the file; no
    /// two change the same of one link.
    pub struct Event {
        /// When.
        pub at: At<Time>;
        /// "a->b" for one direction, "a-b" for both, or a list of such.
        pub link: At<Names>;
        /// The new capacity. At "0 bps" the link pauses: what waits stays, and what finds room joins it.
        pub capacity: Option<At<Speed>>, in a_rate_or_none();
        /// What XCP's controller at the port believes from now on, whether it is true or not.
        pub told_capacity: Option<At<Speed>>, in a_rate();
        /// The new propagation delay.
        pub delay: Option<At<Time>>, in a_delay();
        /// The new waiting room. Packets that wait stay, also where there are more than it holds.
        pub buffer: Option<At<Room>>;
        /// The keys of properties that change in time.
        pub properties: PropertyKeys<InTime>;
        /// Whether the links pass packets from now on.
        pub state: Option<At<Word<State>>>;
        /// What becomes of a packet that is in transmission. Default: with a new capacity or delay "continue", with
        /// state = "down" "cut".
        pub mid_packet: Option<At<Word<MidPacket>>>;
    }
}

words! {
    /// Whether a link passes packets.
    pub enum State {
        /// It passes packets.
        Up = "up",
        /// It does not: what waits and what comes is dropped.
        Down = "down",
    }
}

keys! {
    /// Links that change again and again: phases within a period. What a phase does not say, and all of it in the time
    /// between phases, is as the link itself has it.
    pub struct LinkPhases {
        /// "a->b" for one direction, "a-b" for both, or a list of such.
        pub link: At<Names>;
        /// All phases come again after this. Default: the end of the last phase.
        pub period: Option<At<Time>>, in more_than_zero();
        /// A period begins then, and others before and after it. Less than the period.
        pub offset: Key<Time> = NO_TIME;
        /// What becomes of a packet that is in transmission when the links change. Default: with a new capacity or
        /// delay "continue", with state = "down" "cut".
        pub mid_packet: Option<At<Word<MidPacket>>>;
        /// The phases in the order of time, such as { duration = "180 us", capacity = "80 Gbps" }.
        pub phases: At<Vec<At<Phase>>>;
    }
}

keys! {
    /// A part of a period.
    pub struct Phase {
        /// When it begins, from the beginning of the period. Default: when the phase before it ends.
        pub at: Option<At<Time>>;
        /// How long it lasts.
        pub duration: At<Time>, in more_than_zero();
        /// The capacity. At "0 bps" the link pauses: what waits stays, and what finds room joins it.
        pub capacity: Option<At<Speed>>, in a_rate_or_none();
        /// The propagation delay.
        pub delay: Option<At<Time>>, in a_delay();
        /// The waiting room. Packets that wait stay, also where there are more than it holds.
        pub buffer: Option<At<Room>>;
        /// The keys of properties that change in time.
        pub properties: PropertyKeys<InTime>;
        /// Whether the link passes packets.
        pub state: Option<At<Word<State>>>;
    }
}

keys! {
    /// Links that change as a file says.
    pub struct LinkTrace {
        /// "a->b" for one direction, "a-b" for both, or a list of such.
        pub link: At<Names>;
        /// The file, relative to the scenario's.
        pub file: At<String>;
        /// How the file is written.
        pub format: Key<Word<TraceFormat>> = Word(TraceFormat::Csv);
        /// The file begins again after this, which is more than its last time. Default: never.
        pub period: Option<At<Time>>, in more_than_zero(), when CSV;
        /// Whether the file begins again at its end. If not, nothing is delivered from then on, and a delay stays.
        pub repeat: Key<bool> = true, when NOT_CSV;
        /// What may be delivered at a line. mahimahi's program counts 1504 B, 4 of them of its tunnel.
        pub opportunity: Key<Size> = Size(Bytes(1500)), in an_opportunity(), when DELIVERY;
        /// Delays are a law of time that each packet reads as its last bit leaves, and no changes: between the times of
        /// the file they stay or go in a straight line. The file has one at time 0. Default: a delay is a change.
        pub delay_law: Option<At<Word<DelayForm>>>, when NOT_DELIVERY;
        /// The time between two lines, as LeoCC has it.
        pub interval: Key<Time> = Time(Duration::from_millis(10)), in more_than_zero(), when DELAY;
        /// What becomes of a packet that is in transmission when the links change. Default: with a new capacity or
        /// delay "continue", with state = "down" "cut".
        pub mid_packet: Option<At<Word<MidPacket>>>;
    }
}

words! {
    /// How a trace is written.
    pub enum TraceFormat {
        /// A head such as "time_s,capacity_mbps,delay_ms,loss", then a line a time. A value holds from its time on, and
        /// an empty field leaves it as it is.
        Csv = "csv",
        /// mahimahi's: whole milliseconds that do not fall. At each a packet may be delivered, all of it at once. The
        /// last is the length of the trace.
        Delivery = "delivery",
        /// LeoCC's beside it: a one-way delay in milliseconds a line, one for each interval.
        Delay = "delay",
    }
}

const CSV: When<LinkTrace> = When::new(|keys| keys.format.0 == TraceFormat::Csv, "goes with format = \"csv\"");
const NOT_CSV: When<LinkTrace> = When::new(
    |keys| keys.format.0 != TraceFormat::Csv,
    "goes with format = \"delivery\" and \"delay\"; for \"csv\": period",
);
const NOT_DELIVERY: When<LinkTrace> =
    When::new(|keys| keys.format.0 != TraceFormat::Delivery, "goes with format = \"csv\" and \"delay\"");
const DELIVERY: When<LinkTrace> =
    When::new(|keys| keys.format.0 == TraceFormat::Delivery, "goes with format = \"delivery\"");
const DELAY: When<LinkTrace> = When::new(|keys| keys.format.0 == TraceFormat::Delay, "goes with format = \"delay\"");

fn an_opportunity() -> Within<Size> {
    Within::new("1 B to 1 GB", |size: &Size| (1..=1_000_000_000).contains(&size.0.count()))
}
