//! The same number of bytes in equal steps of time, as media players and sensors send them.

use super::sojourn::written;
use crate::engine::node::machine::{Application, ApplicationMaker};
use crate::language::keys::{keys, more_than_zero};
use crate::language::{At, Fault, Size, Time};
use crate::random::Stream;
use std::sync::Arc;
use units::{Duration, Instant};

pub(super) use PacedWriter as Keys;

keys! {
    /// Equal steps.
    pub struct PacedWriter {
        /// Bytes that are written at once, such as a frame of a film.
        pub write: At<Size>;
        /// The time from one to the next.
        pub every: At<Time>, in more_than_zero();
    }
}

#[derive(Debug)]
struct Maker {
    bytes: u32,
    every: Duration,
}

pub(super) fn check(keys: &PacedWriter) -> Result<Arc<dyn ApplicationMaker>, Fault> {
    Ok(Arc::new(Maker { bytes: written(keys.write)?, every: keys.every.0 }))
}

impl ApplicationMaker for Maker {
    fn application(&self, start: Instant, _: Instant, _: Stream) -> Box<dyn Application> {
        Box::new(Paced { bytes: self.bytes.into(), every: self.every, next: start })
    }
}

#[derive(Debug)]
struct Paced {
    bytes: u64,
    every: Duration,
    next: Instant,
}

impl Application for Paced {
    fn next_timeout(&self) -> Instant {
        self.next
    }

    fn write(&mut self, _: Instant) -> u64 {
        self.next = self.next + self.every;
        self.bytes
    }
}
