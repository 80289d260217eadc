//! Applications that have something to write only now and then, each above the sending end of a flow.

use super::machine::Application;
use transport::tcp::{Actions, Connection};
use units::Instant;

/// What writes into one flow now and then, if anything does.
#[derive(Debug)]
pub struct Writer {
    application: Option<Box<dyn Application>>,
    stop: Instant,
}

impl Writer {
    /// Nothing: a flow is given its bytes in one piece.
    pub const NONE: Writer = Writer { application: None, stop: Instant::NEVER };

    /// One that writes nothing at or after `stop`.
    pub fn new(application: Box<dyn Application>, stop: Instant) -> Writer {
        Writer { application: Some(application), stop }
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.application.is_none()
    }

    /// When it wants to write.
    pub fn next_timeout(&self) -> Instant {
        let next = self.application.as_ref().map_or(Instant::NEVER, |application| application.next_timeout());
        if next < self.stop { next } else { Instant::NEVER }
    }

    /// Writes what is due.
    pub fn handle_timeout(&mut self, now: Instant, mut write: impl FnMut(u64)) {
        while self.next_timeout() <= now {
            let Some(application) = &mut self.application else { return };
            write(application.write(now));
        }
    }

    /// The sending end has been called: whether all that was written `is_acknowledged` now.
    pub fn note_progress(&mut self, now: Instant, is_acknowledged: bool) {
        if let Some(application) = self.application.as_mut().filter(|_| is_acknowledged) {
            application.handle_all_acknowledged(now);
        }
    }
}

/// A connection, and what writes into it.
#[derive(Debug)]
pub struct AppConnection {
    /// The sending end.
    pub connection: Connection,
    /// The application.
    pub writer: Writer,
}

impl AppConnection {
    /// When one of both wants to be called.
    pub fn next_timeout(&self) -> Instant {
        self.connection.next_timeout().unwrap_or(Instant::NEVER).min(self.writer.next_timeout())
    }

    /// The flow starts: `bytes` are all there will be, unless it never ends or an application writes.
    pub fn open(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        if !self.writer.is_none() {
            self.connection.write(now, 0, actions);
            return self.write(now, actions);
        }
        self.connection.write(now, bytes, actions);
        if bytes != u64::MAX {
            self.connection.end(now, actions);
        }
    }

    /// The clock has reached `now`.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        self.connection.handle_timeout(now, actions);
        self.write(now, actions);
    }

    /// What is due is written.
    fn write(&mut self, now: Instant, actions: &mut Actions) {
        self.writer.handle_timeout(now, |bytes| self.connection.write(now, bytes, actions));
    }

    /// An ACK has been read: a request follows the end of the last response.
    pub fn note_progress(&mut self, now: Instant) {
        self.writer.note_progress(now, self.connection.is_complete());
    }
}
