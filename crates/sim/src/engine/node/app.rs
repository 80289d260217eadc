//! Applications that have something to write only now and then, each above the sending end of a flow.

use super::machine::Application;
use transport::tcp::{Actions, Connection};
use units::Instant;

/// The application of one flow.
#[derive(Debug)]
pub struct Writer {
    application: Box<dyn Application>,
    stop: Instant,
}

impl Writer {
    /// One that writes nothing at or after `stop`.
    pub fn new(application: Box<dyn Application>, stop: Instant) -> Writer {
        Writer { application, stop }
    }

    /// When it wants to write.
    pub fn next_timeout(&self) -> Instant {
        let next = self.application.next_timeout();
        if next < self.stop { next } else { Instant::NEVER }
    }

    /// Writes what is due.
    pub fn handle_timeout(&mut self, now: Instant, mut write: impl FnMut(u64)) {
        while self.next_timeout() <= now {
            write(self.application.write(now));
        }
    }

    /// All that it has written has been acknowledged.
    pub fn handle_all_acknowledged(&mut self, now: Instant) {
        self.application.handle_all_acknowledged(now);
    }
}

/// A connection, and what writes into it if that is not one piece.
#[derive(Debug)]
pub struct AppConnection {
    /// The sending end.
    pub connection: Connection,
    /// The application.
    pub writer: Option<Writer>,
}

impl AppConnection {
    /// When one of both wants to be called.
    pub fn next_timeout(&self) -> Instant {
        let writer = self.writer.as_ref().map_or(Instant::NEVER, Writer::next_timeout);
        self.connection.next_timeout().unwrap_or(Instant::NEVER).min(writer)
    }

    /// The flow starts: `bytes` are all there will be, unless it never ends or an application writes.
    pub fn open(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        match &self.writer {
            Some(_) => {
                self.connection.write(now, 0, actions);
                self.write(now, actions);
            }
            None => {
                self.connection.write(now, bytes, actions);
                if bytes != u64::MAX {
                    self.connection.end(now, actions);
                }
            }
        }
    }

    /// The clock has reached `now`.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        self.connection.handle_timeout(now, actions);
        self.write(now, actions);
    }

    /// What is due is written.
    fn write(&mut self, now: Instant, actions: &mut Actions) {
        if let Some(writer) = &mut self.writer {
            writer.handle_timeout(now, |bytes| self.connection.write(now, bytes, actions));
        }
    }

    /// An ACK has been read: a request follows the end of the last response.
    pub fn note_progress(&mut self, now: Instant) {
        if let Some(writer) = self.writer.as_mut().filter(|_| self.connection.is_complete()) {
            writer.handle_all_acknowledged(now);
        }
    }
}
