//! From a user's file to a resolved scenario: `text → Spec → Scenario`.

mod model;

pub use model::*;
