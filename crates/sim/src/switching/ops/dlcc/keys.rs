//! `[switching.dlcc]`.

use super::notification::Carriage;
use super::reaction::LossMean;
use super::rules::{Beyond, DescriptorOf, Discard, Form, LossRateOf, Named, Silent, Smoothing};
use super::smoothing::NuRule;
use crate::language::keys::{When, Within, a_rate, keys, more_than_zero, whole};
use crate::language::{At, ByteCount, Key, Speed, Time, Word};
use options::words;
use units::Duration;

const SMOOTHED: When<DlccKeys> =
    When::new(|keys| keys.smoothing.0 != Smoothing::Off, "belongs to smoothing = \"tcp\" and \"all\"");
const CONTROLLED: When<DlccKeys> = When::new(|keys| *keys.rate_control, "belongs to rate_control = true");
const ACKED: When<DlccKeys> = When::new(
    |keys| keys.ops_acks.0 != OpsAcks::Off,
    "belongs to ops_acks = \"dlcc-paper\", \"dlcc-sack\" and \"dlcc-ece\"",
);
const PRINTED: When<DlccKeys> =
    When::new(|keys| keys.ops_acks.0 == OpsAcks::Paper, "belongs to ops_acks = \"dlcc-paper\"");
const RIDING: When<DlccKeys> =
    When::new(|keys| keys.notification.0 == Carriage::Piggyback, "belongs to notification = \"piggyback\"");
const PACED: When<DlccKeys> = When::new(|keys| *keys.ack_pacing, "belongs to ack_pacing = true");

/// A part of a rate.
fn a_part() -> Within<f64> {
    Within::new("above 0 and at most 1, the port's rate", |part| *part > 0.0 && *part <= 1.0)
}

/// ν.
fn a_weight() -> Within<f64> {
    Within::new("from 0 to below 1: eq. (1) would take negative rates", |weight| (0.0..1.0).contains(weight))
}

const fn ms(count: u64) -> Time {
    Time(Duration::from_millis(count))
}

keys! {
    /// Dual-layer congestion control (paper 000) over slotted packets: edge nodes cut packets into slots and smooth
    /// them, core nodes tell them of slots that congestion has lost; edge nodes then lower their optical rate and send
    /// sources ACKs that name the lost segment. Each control can be off.
    pub struct DlccKeys {
        /// The edge nodes that support it, by name. Default: all. The others cut packets into slots and put them
        /// together.
        pub edges: Option<At<Vec<At<String>>>>;
        /// Bytes of each slot that are its own header. Packets longer than the rest take several slots.
        pub slot_header: Key<ByteCount> = ByteCount(0);
        /// What edge nodes smooth: eq. (1) of §II. What is not smoothed leaves at once, in slots; TCP's data always
        /// have a rate.
        pub smoothing: Key<Word<Smoothing>> = Word(Smoothing::Tcp);
        /// Arrivals are measured over units of this.
        pub unit: Key<Time> = ms(50), in more_than_zero(), when SMOOTHED;
        /// What determines ν, the weight of the average so far.
        pub nu_rule: Key<Word<NuRule>> = Word(NuRule::Constant), when SMOOTHED;
        /// ν with nu_rule = "constant". With the other rules ν where as much comes as is served.
        pub nu: Key<f64> = 0.5, in a_weight(), when SMOOTHED;
        /// τ, in which what waits is to leave. Default: a unit.
        pub tau: Option<At<Time>>, in more_than_zero(), when SMOOTHED;
        /// Time between two decisions about the rate. Between them it is constant.
        pub negotiation: Key<Time> = ms(1000), in more_than_zero();
        /// Rate of an edge node for another at its beginning. Default: the capacity of the wavelength.
        pub first_rate: Option<At<Speed>>, in a_rate(), when SMOOTHED;
        /// What an edge node asks for before its first packet.
        pub silent: Key<Word<Silent>> = Word(Silent::Asks), when SMOOTHED;
        /// The part of a core output that is promised at most.
        pub admission: Key<f64> = 1.0, in a_part(), when SMOOTHED;
        /// What becomes of requests for more than is left of it.
        pub beyond: Key<Word<Beyond>> = Word(Beyond::Lowered), when SMOOTHED;

        /// Where the congestion descriptor is.
        pub descriptor: Key<Word<DescriptorOf>> = Word(DescriptorOf::Output);
        /// A loss is due to congestion if the descriptor is this part of the port's rate or more.
        pub threshold: Key<f64> = 0.95, in a_part();
        /// The descriptor is the mean arrival rate over this time. The paper's words: 2T, with T = 0.4 to 1 s.
        pub window: Key<Time> = ms(20), in more_than_zero();
        /// The descriptor must have been at its threshold for this long. The paper's words: more than two round trips.
        pub hold: Key<Time> = ms(0);
        /// What the loss rate of a notification is about.
        pub loss_rate: Key<Word<LossRateOf>> = Word(LossRateOf::Output);
        /// How notifications travel.
        pub notification: Key<Word<Carriage>> = Word(Carriage::Packets);
        /// They wait this long for a packet to ride on.
        pub patience: Key<Time> = ms(1), when RIDING;

        /// The first control: edge nodes lower their optical rate.
        pub rate_control: Key<bool> = true;
        /// What is taken off the rate when several notifications have come.
        pub loss_mean: Key<Word<LossMean>> = Word(LossMean::Running), when CONTROLLED;
        /// At least this part of the scheduled rate stays.
        pub floor: Key<f64> = 0.1, in a_part(), when CONTROLLED;

        /// The second control: artificial ACKs.
        pub ops_acks: Key<Word<OpsAcks>> = Word(OpsAcks::Paper);
        /// How many of them for a lost segment.
        pub artificial_acks: Key<u32> = 4, in whole(1, 64), when ACKED;
        /// Which of a flow's lost segments they name. The edge node "checks to see whether these have already been
        /// generated" (§IV).
        pub acks_per: Key<Word<Named>> = Word(Named::Segment), when PRINTED;
        /// Segments and artificial ACKs are remembered for this time, about a round trip.
        pub record: Key<Time> = ms(1000), in more_than_zero(), when ACKED;
        /// Which duplicate ACKs of the receiver are discarded. Default: "all" for dlcc-paper, otherwise "safe".
        pub discard: Option<At<Word<Discard>>>, when ACKED;
        /// No artificial ACK passes what may be missing; it waits. Default: not for dlcc-paper, otherwise so.
        pub guard: Option<At<bool>>, when ACKED;

        /// A baseline: edge nodes release ACKs one by one while the core is busy (Xue and Yoo, reconstructed).
        pub ack_pacing: Key<bool> = false;
        /// The part of a busy output's capacity that they aim at.
        pub pacing_target: Key<f64> = 0.9, in a_part(), when PACED;
    }
}

words! {
    /// What artificial ACKs look like.
    pub enum OpsAcks {
        /// There are none.
        Off = "off",
        /// Four without SACK blocks, as printed.
        Paper = "dlcc-paper",
        /// With SACK blocks for data above the hole that have arrived.
        Sack = "dlcc-sack",
        /// One that echoes a congestion mark and acknowledges nothing.
        Ece = "dlcc-ece",
    }
}

impl OpsAcks {
    /// The form of the ACKs, if there are any.
    pub fn form(self) -> Option<Form> {
        match self {
            OpsAcks::Off => None,
            OpsAcks::Paper => Some(Form::Paper),
            OpsAcks::Sack => Some(Form::Sack),
            OpsAcks::Ece => Some(Form::Ece),
        }
    }
}
