//! `[switching]` with `kind = "ocs"`.

use crate::language::keys::{When, keys, more_than_zero, whole};
use crate::language::{At, Key, Room, Time, Word};
use options::words;
use units::{BufferSize, Duration};

/// The usual name of the packet switch.
pub(super) const PACKET_SWITCH: &str = "packet";

const STATIC: When<OcsSwitching> =
    When::new(|keys| keys.policy.0 == PolicyRule::Static, "goes with policy = \"static\"");
const BY_STEP: When<OcsSwitching> = When::new(
    |keys| matches!(keys.policy.0, PolicyRule::PerStep | PolicyRule::PerCollective),
    "goes with policy = \"per-step\" or \"per-collective\"",
);
const DEMAND: When<OcsSwitching> =
    When::new(|keys| keys.policy.0 == PolicyRule::Demand, "goes with policy = \"demand\"");

const CLASS: When<OcsSwitching> =
    When::new(|keys| keys.policy.0 == PolicyRule::Python, "goes with policy = \"python\"");

keys! {
    /// Optical circuit switches (OCS) that a policy sets for the work of the scenario. The core nodes without hosts are
    /// the switches, or all core nodes but the packet switch where each has hosts; a node with a link to and from each
    /// of them has a port at each (topology "ocs"). Docs: docs/guide/ocs.md.
    pub struct OcsSwitching {
        /// What sets the switches.
        pub policy: At<Word<PolicyRule>>;
        /// The class that sets them, "module:Class" or "file.py:Class", under `@photocol.policy`. Only where Python
        /// runs the scenario.
        pub class: Option<At<String>>, when CLASS;
        /// How long no light passes while a switch turns to another matching.
        pub reconfiguration: At<Time>;
        /// Whether the first matching of a switch costs a turn.
        pub start: Key<Word<Start>> = Word(Start::Cold);
        /// When a switch turns to a matching that is needed next.
        pub turns: Key<Word<Turns>> = Word(Turns::Ahead), when BY_STEP;
        /// Where no light passes while a switch turns.
        pub dark: Key<Word<Dark>> = Word(Dark::Switch);
        /// How old what the policy knows of the work is.
        pub control_delay: Key<Time> = Time(Duration::ZERO);
        /// Each switch joins port i to port i + its stride, modulo their number. Default: each pair of the work has a
        /// circuit.
        pub strides: Option<At<Vec<At<u32>>>>, when STATIC;
        /// How long until the demand is measured again, if it has not been served before.
        pub interval: Key<Time> = Time(Duration::from_millis(1)), in more_than_zero(), when DEMAND;
        /// The rule of the schedule (`photocol list circuit-schedules`) for a demand.
        pub rule: Key<String> = "solstice".to_owned(), when DEMAND;
        /// What each interval begins with.
        pub first: Key<Word<First>> = Word(First::Rule), when DEMAND;
        /// A turn and the light behind it, for the rules that need it.
        pub slice: Option<At<Time>>, in more_than_zero(), when DEMAND;
        /// What becomes of a packet to whose port no circuit leads.
        pub rest: Key<Word<Rest>> = Word(Rest::Wait);
        /// The way of ACKs. Default: "packets" if there is a packet switch, else "as-data".
        pub acks: Option<At<Word<Acks>>>;
        /// Packets for another port that may wait at a node, not counting one in transmission.
        pub buffer: Key<Room> = Room(BufferSize::Unlimited);
        /// Nodes mark packets (ECN) that find so many waiting for the same port. Default: never.
        pub mark_from: Option<At<u32>>, in whole(1, u32::MAX);
        /// The node that switches packets, if there is one of that name.
        pub packet_switch: Key<String> = PACKET_SWITCH.to_owned();
    }
}

words! {
    /// What sets the switches.
    pub enum PolicyRule {
        /// They are set once: all matchings of the work, or `strides`.
        Static = "static",
        /// Once for each [[traffic]] with work: all its matchings, each on its own switches (one-shot).
        PerCollective = "per-collective",
        /// For each step: all switches turn to its matchings when the step before is done everywhere.
        PerStep = "per-step",
        /// Steps take halves of the switches in turn: one half sends while the other one turns to the next matching.
        Overlap = "overlap",
        /// The bytes that are under way are measured again and again, and scheduled by a rule.
        Demand = "demand",
        /// A class in Python decides.
        Python = "python",
    }
}

words! {
    /// Whether the first matching of a switch costs a turn.
    pub enum Start {
        /// It does.
        Cold = "cold",
        /// It is there when the work begins.
        Warm = "warm",
    }
}

words! {
    /// When a switch turns to a matching that is needed next.
    pub enum Turns {
        /// As soon as the step before is done: while ranks compute, it turns.
        Ahead = "ahead",
        /// When the first transfer of the step is ready.
        OnDemand = "on-demand",
    }
}

words! {
    /// What an interval of measured demand begins with.
    pub enum First {
        /// The schedule of the rule, which goes by bytes: pairs with few may wait as long as others have many.
        Rule = "rule",
        /// Pairs that have waited the longest since they had a circuit, or were ready (oldest cell first; McKeown,
        /// Mekkittikul, Anantharam, Walrand 1999), for as long as the bytes of the first of them take. Then the rule.
        Oldest = "oldest",
    }
}

words! {
    /// Where no light passes while a switch turns.
    pub enum Dark {
        /// In all of it.
        Switch = "switch",
        /// At ports whose circuit changes.
        Ports = "ports",
    }
}

words! {
    /// What becomes of a packet to whose port no circuit leads.
    pub enum Rest {
        /// It waits for one.
        Wait = "wait",
        /// It goes over other nodes, by the fewest circuits.
        Detour = "detour",
        /// It goes by the packet switch.
        Packets = "packets",
    }
}

words! {
    /// The way of ACKs.
    pub enum Acks {
        /// That of data.
        AsData = "as-data",
        /// By the packet switch.
        Packets = "packets",
    }
}
