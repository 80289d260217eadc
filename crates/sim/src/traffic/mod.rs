//! Traffic: the rules of a scenario, and the flows they yield for one seed.

mod expand;

pub use expand::expand;
