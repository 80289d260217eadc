//! Requests, one after the other: a response leaves when a request comes, and the next request comes a time to think
//! after the last byte of the response was acknowledged. Source: the closed loop of web users, as in Barford and
//! Crovella, SIGMETRICS 1998 (SURGE). Left out: the requests themselves, which are not sent.

use super::sojourn::{Sojourn, written};
use crate::engine::node::datagrams::draw;
use crate::engine::node::machine::{Application, ApplicationMaker};
use crate::language::keys::keys;
use crate::language::{At, Fault, Size};
use crate::model;
use crate::random::Stream;
use std::sync::Arc;
use units::Instant;

pub(super) use RequestResponse as Keys;

keys! {
    /// Requests, one after the other.
    pub struct RequestResponse {
        /// Bytes of a response.
        pub response: At<Size>;
        /// The law of the time between a response and the next request.
        pub think: At<Sojourn>;
    }
}

#[derive(Debug)]
struct Maker {
    bytes: u32,
    think: model::Sojourn,
}

pub(super) fn check(keys: &RequestResponse) -> Result<Arc<dyn ApplicationMaker>, Fault> {
    Ok(Arc::new(Maker { bytes: written(keys.response)?, think: Sojourn::resolve(&keys.think)? }))
}

impl ApplicationMaker for Maker {
    fn application(&self, start: Instant, _: Instant, stream: Stream) -> Box<dyn Application> {
        Box::new(Responses { bytes: self.bytes.into(), think: self.think, stream, next: start })
    }
}

#[derive(Debug)]
struct Responses {
    bytes: u64,
    think: model::Sojourn,
    stream: Stream,
    /// When the next request comes; never while a response is on its way.
    next: Instant,
}

impl Application for Responses {
    fn next_timeout(&self) -> Instant {
        self.next
    }

    fn write(&mut self, _: Instant) -> u64 {
        self.next = Instant::NEVER;
        self.bytes
    }

    fn handle_all_acknowledged(&mut self, now: Instant) {
        if self.next == Instant::NEVER {
            self.next = now + draw(self.think, &mut self.stream);
        }
    }
}
