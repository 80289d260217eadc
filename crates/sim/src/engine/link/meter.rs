//! What a port that measures its packets knows of itself.

use units::Rate;

/// What a port knows of itself.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    /// Its number among all ports.
    pub port: u32,
    /// What it sends in a second.
    pub rate: Rate,
    /// Bytes sent so far.
    pub sent: u64,
}

impl Meter {
    /// A packet begins to leave.
    pub fn add(&mut self, size: u16) {
        self.sent += u64::from(size);
    }
}
