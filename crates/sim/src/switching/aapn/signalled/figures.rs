//! What the agents count, and the figures of a run.

use crate::engine::node::counters::{KeyedSums, SumKey};
use crate::results::Figure;
use control::signalling::Count;
use units::PS_PER_SECOND;

/// What agents sum up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// Edge nodes that joined.
    Joined,
    /// Masters that were elected.
    Elections,
    /// Terms that the core ended.
    TermsEnded,
    /// Plans that the core accepted.
    Plans,
    /// Slaves that fell silent.
    Silent,
    /// Slots that would have left too late.
    TooLate,
    /// Granted slots for which nothing waited.
    Unused,
    /// Messages and slots of signalling that fibres lost.
    Lost,
    /// Light of data or signalling that was sent.
    Light,
    /// Light of data that missed its slot at the core, or met a cut.
    Missed,
    /// Queues that went to another star.
    Moved,
    /// Squares of how far light was from its instant at the core, in ps².
    Squares,
}

impl SumKey for Sum {
    fn place(self) -> usize {
        self as usize
    }
}

/// What the machines count, and as what.
pub(super) const COUNTED: [(Count, Sum); 7] = [
    (Count::Joined, Sum::Joined),
    (Count::Elected, Sum::Elections),
    (Count::TermEnded, Sum::TermsEnded),
    (Count::PlanAccepted, Sum::Plans),
    (Count::SlaveSilent, Sum::Silent),
    (Count::TooLate, Sum::TooLate),
    (Count::GrantUnused, Sum::Unused),
];

const FIGURES: [(Sum, &str, &str); 10] = [
    (Sum::Joined, "control_joined", "nodes"),
    (Sum::Elections, "control_elections", "terms"),
    (Sum::TermsEnded, "control_terms_ended", "terms"),
    (Sum::Plans, "control_plans", "frames"),
    (Sum::Silent, "control_silent", "nodes"),
    (Sum::TooLate, "control_slots_too_late", "slots"),
    (Sum::Unused, "control_grants_unused", "slots"),
    (Sum::Lost, "control_messages_lost", "messages"),
    (Sum::Light, "control_light_sent", "slots"),
    (Sum::Missed, "control_light_missed", "slots"),
];

/// The figures of what was counted between two readings.
pub fn figures(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    let more = |sum: Sum| (after.of(sum) - before.of(sum)) as f64;
    let mut figures: Vec<Figure> =
        FIGURES.iter().map(|(sum, name, unit)| Figure { name, value: more(*sum), unit }).collect();
    // Nothing to tell where there is one star, or none fails.
    if more(Sum::Moved) > 0.0 {
        figures.push(Figure { name: "control_queues_moved", value: more(Sum::Moved), unit: "queues" });
    }
    let (light, squares) = (more(Sum::Light), more(Sum::Squares));
    if light > 0.0 {
        let value = (squares / light).sqrt() / PS_PER_SECOND as f64;
        figures.push(Figure { name: "control_arrival_error_rms", value, unit: "s" });
    }
    figures
}
