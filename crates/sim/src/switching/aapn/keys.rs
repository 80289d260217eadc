//! `[switching]` with `kind = "aapn"`.

use super::control_keys::{ControlSpec, FaultSpec, LONGEST_FRAME, a_drift};
use super::plan::{Channel, Counts};
use crate::language::keys::{When, Within, a_probability, a_rate, at_most, keys, more_than_zero, whole};
use crate::language::{At, Key, Speed, Time, Word};
use crate::model::Packing;
use control::demand::Reading;
use control::scheduler::{Algorithm, FrameScheduler};
use control::signalling::{Sharing, Spare};
use options::words;
use units::Duration;

/// The most wavelengths of a fibre.
const MOST_WAVELENGTHS: u32 = 1024;
const NONE: Time = Time(Duration::ZERO);
const ONE_SECOND: Time = Time(Sharing::IDLE_TIMEOUT);
const COMPUTED: When<AapnSwitching> =
    When::new(|keys| keys.allocation.is_none(), "goes with computed schedules, that is without allocation");
const SMOOTHED: When<AapnSwitching> = When::new(
    |keys| matches!(keys.request.0, RequestRule::Smoothed | RequestRule::Predicted),
    "goes with request = \"smoothed\" or \"predicted\"",
);
const SIMULATED: When<AapnSwitching> =
    When::new(|keys| keys.protocol.0 == Protocol::Simulated, "goes with protocol = \"simulated\"");

const KNOWN: When<AapnSwitching> = When::new(
    |keys| keys.protocol.0 == Protocol::Known,
    "goes with protocol = \"known\": the messages of the protocol have no wavelengths. Core nodes in one place \
        (topology.cores) are wavelengths that each have a frame and a master of their own",
);

/// A probe by which requests grow.
fn a_probe() -> Within<f64> {
    Within::new("0 to 10 (times what is asked for)", |probe| {
        (0.0..=f64::from(Sharing::MOST_PROBE) / 1000.0).contains(probe)
    })
}

keys! {
    /// An agile all-photonic network: paper 003, chapters 2 to 4. Links with `via` (topology "aapn-star") are queues
    /// that send in the slots they are granted; the core nodes switch these slots without keeping anything.
    pub struct AapnSwitching {
        /// Slots in a frame.
        pub slots: At<u32>, in whole(1, FrameScheduler::MAX_FRAME);
        /// How long a slot lasts.
        pub slot_time: At<Time>, in more_than_zero();
        /// Wavelengths of every fibre, each with the capacity of the link. At a core node each has a switching fabric
        /// of its own, and connections of its own in every slot.
        pub wavelengths: Key<u32> = 1, in whole(1, MOST_WAVELENGTHS), when KNOWN;
        /// On so many wavelengths an edge node can send at a time, and receive. Default: on all, with a laser for each.
        pub transmitters: Option<At<u32>>, when KNOWN;
        /// The first slots of each frame carry no data. Default: one for each edge node where they carry requests, else
        /// 0.
        pub signalling_slots: Option<At<u32>>;
        /// The part of each slot in which nothing is sent, half of it before the data and half behind.
        pub guard: Key<Time> = NONE;
        /// What happens to a packet that does not fit into the rest of a slot.
        pub packing: Key<Word<Packing>> = Word(Packing::Cut);
        /// A fixed plan: the slots of each queue in every frame. Without it the core nodes compute a schedule for each
        /// frame.
        pub allocation: Option<At<Vec<At<Allocation>>>>;
        /// The algorithm of computed schedules (`photocol list schedulers`).
        pub scheduler: Key<String> = Algorithm::Bvn.name().to_owned(), when COMPUTED;
        /// What edge nodes ask for.
        pub request: Key<Word<RequestRule>> = Word(RequestRule::Queue), when COMPUTED;
        /// The last frame has the weight 1/2^smoothing.
        pub smoothing: Key<u8> = 3, in whole(0, 16), when COMPUTED, when SMOOTHED;
        /// How requests and grants travel.
        pub signalling: Key<Word<Channel>> = Word(Channel::InBand), when COMPUTED;
        /// How long a core node computes.
        pub scheduling_time: Key<Time> = NONE, in at_most(LONGEST_FRAME), when COMPUTED;
        /// Shares: where more is asked for than a frame has, a queue of weight w gets w slots where one of weight 1
        /// gets one. Queues that are not named weigh 1.
        pub weight: Vec<At<Weight>>;
        /// What happens to slots that nobody asked for. Default "using", and "all" with protocol = "known" where
        /// no queue follows its slots (XCP-CL); "idle" is the paper's letter.
        pub spare_slots: Option<At<Word<Spare>>>, when COMPUTED;
        /// Slots of every frame that a queue counts as wanting at least while it asks.
        pub floor: Key<u32> = 0, in whole(0, FrameScheduler::MAX_FRAME), when COMPUTED, when SIMULATED;
        /// A request counts for this much more than it says, rounded up to whole slots: 0.25 makes 10 of 8.
        pub probe: Key<f64> = 0.0, in a_probe(), when COMPUTED, when SIMULATED;
        /// How the master reads requests.
        pub request_means: Key<Word<Reading>> = Word(Reading::Backlog), when COMPUTED, when SIMULATED;
        /// A queue that has asked counts as asking for so long, for spare_slots = "asking" or "using" and the floor.
        pub idle_timeout: Key<Time> = ONE_SECOND, in at_most(LONGEST_FRAME), when COMPUTED, when SIMULATED;
        /// Whether edge nodes know one another, their delays and what their clocks show, or a signalling protocol finds
        /// out.
        pub protocol: Key<Word<Protocol>> = Word(Protocol::Known), when COMPUTED;
        /// The signalling protocol.
        pub control: Key<ControlSpec> = ControlSpec::unsaid(), when SIMULATED;
        /// How XCP's controllers at the queues are told what is granted (XCP-CL).
        pub signal: Key<SignalSpec> = SignalSpec::unsaid();
        /// Clocks that are off.
        pub clock: Vec<At<Clock>>;
        /// What happens to the signalling of edge nodes, with protocol = "simulated", or to a wavelength.
        pub fault: Vec<At<FaultSpec>>;
    }
}

impl AapnSwitching {
    /// What happens to slots nobody asked for, in a network in which some queue `follows` its grants, or none does. One
    /// that does starves where nothing happens to them, and has little where those share them that do not use them.
    pub fn spare(&self, follows: bool) -> Spare {
        let default = match self.protocol.0 {
            Protocol::Known if !follows => Spare::All,
            Protocol::Known | Protocol::Simulated => Spare::Using,
        };
        self.spare_slots.map_or(default, |spare| spare.0)
    }
}

keys! {
    /// From a time on, a queue has this many slots in every frame. Queues that are not named have none.
    pub struct Allocation {
        /// The first frame is the one that begins then or later at the core node. Allocations come in the order of
        /// time.
        pub at: Key<Time> = NONE;
        /// The sending edge node.
        pub from: At<String>;
        /// The receiving edge node.
        pub to: At<String>;
        /// The core node. Default: the only one.
        pub via: Option<At<String>>;
        /// Slots of each frame.
        pub slots: At<u32>;
    }
}

keys! {
    /// The weight of an edge node's queues.
    pub struct Weight {
        /// The sending edge node.
        pub from: At<String>;
        /// The receiving edge node. Default: all; what names one counts more than what does not.
        pub to: Option<At<String>>;
        /// Its weight. Queues without any get what the others leave.
        pub weight: At<u32>, in whole(0, 1 << 16);
    }
}

words! {
    /// Who knows what.
    pub enum Protocol {
        /// Edge nodes know what they should have measured; requests and grants travel, and nothing else is said.
        Known = "known",
        /// The machines of `docs/protocol.md`: edge nodes join, one of them is master, T_d is measured in every frame.
        Simulated = "simulated",
    }
}

words! {
    /// What edge nodes ask for.
    pub enum RequestRule {
        /// Slots for what waits and has not been asked for.
        Queue = "queue",
        /// The same, but at least what arrived in the last frame.
        LastFrame = "last-frame",
        /// The same, but at least the weighted mean of what arrived in frames.
        Smoothed = "smoothed",
        /// The same, but at least what that mean, with its rise from frame to frame (Holt 1957), will be in the next
        /// frame.
        Predicted = "predicted",
    }
}

keys! {
    /// How XCP's controllers at the queues are told what is granted. Those with `follows = false` are not.
    pub struct SignalSpec {
        /// They are told about a frame this long after its beginning. Default "0 s".
        pub age: Option<At<Time>>;
        /// They are told about a frame this long before its beginning (schedule-ahead), rounded down to whole frames;
        /// only with a fixed plan, which is known before. Default "0 s".
        pub ahead: Option<At<Time>>, in at_most(LONGEST_FRAME);
        /// Probability that an edge node hears nothing of a frame.
        pub loss: Key<f64> = 0.0, in a_probability();
        /// What is told is rounded down to a multiple of this. Default: it is exact.
        pub quantum: Option<At<Speed>>, in a_rate();
        /// What is told is the mean over this many frames.
        pub frames: Key<u32> = 1, in whole(1, 1 << 20);
        /// What counts as a slot's capacity.
        pub counts: Key<Word<Counts>> = Word(Counts::Payload);
    }
}

keys! {
    /// The clock of an edge node. Slots that are off by more than half of the guard time are lost at the core node.
    /// With protocol = "simulated" edge nodes measure what their clocks show, so that nothing is off but by what they
    /// cannot measure.
    pub struct Clock {
        /// The edge node.
        pub node: At<String>;
        /// Its slots come so late.
        pub late: Option<At<Time>>;
        /// Its slots come so early.
        pub early: Option<At<Time>>;
        /// Each slot arrives up to this much earlier or later than that, uniformly.
        pub jitter: Key<Time> = NONE;
        /// It shows so much more than the core node's, with protocol = "simulated".
        pub offset: Option<At<Time>>;
        /// It runs so much faster than the core node's, in millionths, with protocol = "simulated".
        pub drift_ppm: Option<At<f64>>, in a_drift();
    }
}
