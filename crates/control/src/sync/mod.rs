//! Synchronisation: what another clock shows when light that leaves here now arrives there.
//!
//! Clock difference and delay are one number, T_d (paper 003 (3.3)): the receiver's clock at the arrival less the
//! sender's at the departure. A slot that shall arrive at T leaves at T − T_d. T_d drifts, since the clocks do, so its
//! drift is estimated too.
//!
//! - [`sample`]: one measurement, from two stamps (one way) or four (both ways).
//! - [`filter`]: the estimate: a Kalman filter of two states.
//! - `scatter`: the part of its error that does not average out.
//! - [`regression`]: the same by a straight line through the best of the last samples; a cross-check.

pub mod filter;
pub mod regression;
pub mod sample;
mod scatter;

pub use filter::{ClockFilter, Estimate, FilterConfig, Heard};
pub use regression::Line;
pub use sample::Sample;
