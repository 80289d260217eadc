//! The measurement of T_d from time stamps (paper 003 §3.4.1), and exact stamps that follow (two steps).

use super::field::message;
use units::Instant;

message! {
    /// Master to slave: T_d, in one number offset and delay (3.3), and its drift.
    pub struct Measurement {
        /// the number of the slot of the slave that was stamped last
        pub sequence: u64,
        /// when that slot reached the core, by the clock of the core
        pub received_at: Instant,
        /// when that slot left, by the slave's clock: the estimate holds for this instant
        pub sent_at: Instant,
        /// the estimate of T_d: clock of the core at the arrival less the slave's clock at the departure, in ps
        pub time_difference: i64,
        /// how fast T_d changes, in 1e-12 of the slave's time
        pub drift: i32,
        /// the standard error of the estimate, in ps
        pub error: u64,
    }
}

message! {
    /// Either way: when an earlier slot left in fact.
    pub struct FollowUp {
        /// the number of that slot
        pub sequence: u64,
        /// when it left, by the sender's clock
        pub sent_at: Instant,
    }
}
