//! What an edge node knows of a queue towards another one, and what it asks for.

use super::request::Request;
use crate::engine::node::node_context::LocalPort;
use control::demand::Reading;
use control::demand::{self, Demand, Forecast};
use std::collections::VecDeque;
use units::{ByteTime, Rate};

/// What the agent knows of a queue.
#[derive(Debug)]
pub struct Queue {
    /// The place of the destination among the edge nodes.
    pub(super) to: u32,
    pub(super) port: LocalPort,
    pub(super) capacity: Rate,
    /// What a byte lasts on it; None where that is too long for a slot.
    byte: Option<ByteTime>,
    /// Whether it has a controller that is to be told.
    pub(super) follows: bool,
    pub(super) told: Option<Rate>,
    pub(super) granted: u32,
    /// Slots that were granted and empty, modulo 2^32.
    pub(super) unused: u32,
    /// Picoseconds in which it had transmitted when the running frame began.
    busy: u64,
    pub(super) demand: Demand,
    /// Bytes offered when the machine was told last.
    pub(super) seen: u64,
    /// Bytes offered up to the last request.
    pub(super) offered: u64,
    /// Slots asked for, or granted where that is known, by the frame in which they are.
    pub(super) coming: VecDeque<(u64, u32)>,
}

/// Where the packets of a queue go.
#[derive(Debug)]
pub struct QueueOutput {
    /// The place of the destination among the edge nodes.
    pub to: u32,
    /// The port.
    pub port: LocalPort,
    /// Its capacity.
    pub capacity: Rate,
    /// Whether it has a controller that is to be told.
    pub follows: bool,
}

/// From a request to its slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// How many frames.
    pub(super) frames: u64,
    /// How the master reads it.
    pub(super) reading: Reading,
}

/// What has come to a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backlog {
    /// Bytes since the start.
    pub(super) offered: u64,
    /// Bytes that wait.
    pub(super) held: u64,
}

impl Queue {
    /// A queue of which nothing is known yet.
    pub fn new(output: QueueOutput, rule: Request) -> Queue {
        let QueueOutput { to, port, capacity, follows } = output;
        let forecast = match rule {
            Request::Queue => Forecast::LastFrame,
            Request::Forecast(forecast) => forecast,
        };
        let (byte, demand) = (ByteTime::at(capacity), Demand::new(forecast));
        let (told, coming) = (None, VecDeque::new());
        Queue {
            to,
            port,
            capacity,
            byte,
            follows,
            told,
            granted: 0,
            unused: 0,
            busy: 0,
            demand,
            seen: 0,
            offered: 0,
            coming,
        }
    }

    /// What bytes take, in slots.
    pub(super) fn slots(&self, bytes: u64, payload: u64) -> u32 {
        let Some(byte) = self.byte else { return 0 };
        let time = (u128::from(byte.fixed_point()) * u128::from(bytes)) >> 24;
        let payload = payload.max(1);
        // A division of 128 bits only where 64 are too few.
        let slots = match u64::try_from(time) {
            Ok(time) => u128::from(time.div_ceil(payload)),
            Err(_) => time.div_ceil(u128::from(payload)),
        };
        u32::try_from(slots).unwrap_or(u32::MAX)
    }

    /// A frame begins, until which it has transmitted for so long: how many slots of the last one were empty.
    pub(super) fn note_unused(&mut self, busy: u64, payload: u64) -> u32 {
        let used = (busy - std::mem::replace(&mut self.busy, busy)).div_ceil(payload.max(1));
        let unused = self.granted.saturating_sub(u32::try_from(used).unwrap_or(u32::MAX));
        self.unused = self.unused.wrapping_add(unused);
        unused
    }

    /// A frame begins: what has come since the last one.
    pub(super) fn observe(&mut self, backlog: Backlog, payload: u64) {
        self.demand.observe(self.slots(backlog.offered - self.offered, payload));
        self.offered = backlog.offered;
    }

    /// All slots that are wanted, those that were granted and have not begun among them. A forecast is what arrives
    /// until then; where the master reads a rate, it is that, and at least what waits in as many parts.
    pub(super) fn wanted(&self, rule: Request, held: u64, payload: u64, span: Span) -> u32 {
        let (waiting, frames) = (self.slots(held, payload), span.frames.max(1) as u32);
        match rule {
            Request::Queue => waiting,
            Request::Forecast(_) => demand::wanted(waiting, self.demand.request(), frames, span.reading),
        }
    }

    /// So many slots were granted of what was asked for in the request for frame `due`.
    pub(super) fn grant(&mut self, due: u64, slots: u32) {
        self.coming.iter_mut().filter(|(coming, _)| *coming == due).for_each(|(_, coming)| *coming = slots);
    }

    /// What to ask for in a request that is granted in frame `due`.
    pub(super) fn request(&mut self, rule: Request, due: u64, backlog: Backlog, payload: u64) -> u32 {
        if self.byte.is_none() {
            return 0;
        }
        self.observe(backlog, payload);
        let coming: u64 = self.coming.iter().map(|(_, slots)| u64::from(*slots)).sum();
        let missing = u64::from(self.slots(backlog.held, payload)).saturating_sub(coming) as u32;
        let asked = match rule {
            Request::Queue => missing,
            Request::Forecast(_) => missing.max(self.demand.request()),
        };
        self.coming.push_back((due, asked));
        asked
    }
}
