//! The controller of the core to a node that claimed or planned.

use super::field::{codes, message};
use units::Instant;

codes! {
    /// What was decided.
    pub enum VerdictKind("verdict") {
        /// the plan will be carried out, or the claim is granted
        Accepted = 0,
        /// another term is the present one
        StaleTerm = 1,
        /// the frame has begun, has a plan, or is too far ahead
        WrongFrame = 2,
        /// two inputs at one output, two outputs at one input, or ports and slots that do not exist
        Contradiction = 3,
        /// the present master is alive
        Occupied = 4,
    }
}

message! {
    /// A verdict. It also tells the node its own T_d to the core: `received_at` less `sent_at`.
    pub struct Verdict {
        /// what was decided
        pub kind: VerdictKind,
        /// the present term
        pub term: u64,
        /// the frame of the plan; of a claim, the first that may be planned
        pub frame: u64,
        /// the number of the slot that is answered
        pub sequence: u64,
        /// when it was sent, as it says itself
        pub sent_at: Instant,
        /// when it arrived, by the clock of the core
        pub received_at: Instant,
    }
}
