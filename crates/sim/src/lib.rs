//! The deterministic packet simulator of photocol.
//!
//! A scenario is read and resolved ([`scenario`]) to plain data ([`model`]), its random parts are drawn ([`traffic`]),
//! a world is built and run ([`engine`]), and tables come out ([`results`]). True time exists only here.

pub mod engine;
pub mod language;
pub mod model;
pub mod queue;
pub mod random;
pub mod results;
pub mod scenario;
pub mod study;
pub mod switching;
pub mod topology;
pub mod traffic;

pub use model::SimTime;
pub use switching::{Entry as Switch, list as switches};
