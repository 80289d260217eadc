//! Control planes of optical networks as values: told what happened, they say what follows. No clock, no socket, no
//! random number, and no knowledge that a simulator exists.
//!
//! - [`frame`]: slots and frames, and the rate that granted slots amount to.
//! - [`demand`]: what an edge node asks for, from what has arrived.
//! - [`allowance`]: how many slots a queue may leave unused before others get them.
//! - [`assembly`]: which packets travel in one burst.
//! - [`scheduler`]: which node sends to which in every slot of a frame; one algorithm a file, and their registry.
//! - [`reservation`]: which wavelength a burst gets, and whether it gets any; one rule a file, and their registry.
//! - [`signalling`]: who may send in which slot, and when: nodes and the controller of the core, in bytes.
//! - [`sync`]: what another clock shows when light that leaves now arrives there.
//! - [`wire`]: what travels on a fibre, as bytes.
//! - [`log`]: what happened in stars, as one log of the simulator and of processes, and what must not have.
//! - [`fuzz`]: decoders driven by arbitrary bytes, for fuzzers and property tests.

pub mod allowance;
pub mod assembly;
pub mod demand;
pub mod frame;
pub mod fuzz;
pub mod log;
pub mod reservation;
pub mod scheduler;
pub mod signalling;
pub mod sync;
pub mod wire;
