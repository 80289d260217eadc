//! Equal steps in on-times, and nothing in off-times: bytes are written as the packets of an on-off source would leave.

use super::sojourn::{Sojourn, apart, enough, written};
use crate::engine::node::datagrams::Datagrams;
use crate::engine::node::machine::{Application, ApplicationMaker};
use crate::language::keys::keys;
use crate::language::{At, Fault, Size, Speed};
use crate::model::Load;
use crate::random::Stream;
use std::sync::Arc;
use units::Instant;

pub(super) use OnOffWriter as Keys;

keys! {
    /// Equal steps in on-times.
    pub struct OnOffWriter {
        /// Bytes that are written at once.
        pub write: At<Size>;
        /// Bit rate of what is written while on.
        pub rate: At<Speed>;
        /// The law of the on-times.
        pub on: At<Sojourn>;
        /// The law of the off-times.
        pub off: At<Sojourn>;
    }
}

#[derive(Debug)]
struct Maker {
    bytes: u32,
    load: Load,
}

pub(super) fn check(keys: &OnOffWriter) -> Result<Arc<dyn ApplicationMaker>, Fault> {
    let bytes = written(keys.write)?;
    let (rate, on, off) = (apart(keys.rate, bytes)?, Sojourn::resolve(&keys.on)?, Sojourn::resolve(&keys.off)?);
    enough(&keys.on, on, rate, bytes)?;
    Ok(Arc::new(Maker { bytes, load: Load::OnOff { rate, on, off } }))
}

impl ApplicationMaker for Maker {
    fn application(&self, start: Instant, stop: Instant, stream: Stream) -> Box<dyn Application> {
        let source = Datagrams::new(self.load, self.bytes, start, stop, stream);
        Box::new(OnOff(source.expect("a checked rate leaves time between two writes")))
    }
}

#[derive(Debug)]
struct OnOff(Datagrams);

impl Application for OnOff {
    fn next_timeout(&self) -> Instant {
        self.0.next_timeout().unwrap_or(Instant::NEVER)
    }

    fn write(&mut self, now: Instant) -> u64 {
        let due = std::iter::from_fn(|| self.0.handle_timeout(now));
        due.map(|datagram| u64::from(datagram.size)).sum()
    }
}
