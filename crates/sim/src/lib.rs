//! The deterministic packet simulator of photocol.
//!
//! A scenario is read and resolved ([`scenario`]), its random parts are drawn ([`traffic`]), a world is built and run
//! ([`engine`]), and tables come out ([`results`]). True time exists only here.

pub mod engine;
pub mod ids;
pub mod random;
pub mod results;
pub mod scenario;
pub(crate) mod switch;
mod time;
pub mod topology;
pub mod traffic;

pub use switch::{Entry as Switch, list as switches};
pub use time::SimTime;
