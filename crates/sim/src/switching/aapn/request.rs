//! What edge nodes ask for.

use control::demand::Forecast;

/// What an edge node asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Slots for what waits and has not been asked for.
    Queue,
    /// The same, but at least what is expected to arrive in a frame.
    Forecast(Forecast),
}
