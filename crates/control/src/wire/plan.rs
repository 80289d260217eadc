//! The master to the controller of the core: what the switch shall connect in every slot of a frame.

use super::field::message;

message! {
    /// A connection that holds for some slots in a row.
    pub struct Connection {
        /// the first slot
        pub slot: u32,
        /// how many
        pub slots: u32,
        /// the port where the light comes in
        pub input: u16,
        /// the port where it goes out
        pub output: u16,
    }
}

message! {
    /// The plan of one frame.
    pub struct Plan {
        /// the master's term
        pub term: u64,
        /// the frame
        pub frame: u64,
        /// the frame of the last beacon that the master has heard: without a fresh one its term ends
        pub heard: u64,
        /// what is connected; other ports are dark
        pub connections: Vec<Connection>,
    }
}
