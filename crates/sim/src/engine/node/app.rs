//! Applications that have something to write only now and then, each above a TCP connection.

use super::datagrams::{Datagrams, draw};
use crate::model::{Load, Sojourn, Writes};
use crate::random::Stream;
use transport::tcp::{Actions, Connection};
use units::{Duration, Instant};

/// The application of one flow.
#[derive(Clone, Debug)]
pub struct App {
    law: Law,
    stop: Instant,
    /// When it writes next; `NEVER` while it waits for something.
    next: Instant,
}

#[derive(Clone, Debug)]
enum Law {
    /// It answers requests.
    Responses { bytes: u64, think: Sojourn, stream: Stream },
    /// Every so often.
    Paced { bytes: u64, every: Duration },
    /// As packets of an on-off source would leave.
    OnOff { source: Datagrams },
}

impl App {
    /// An application that begins at `start` and writes nothing at or after `stop`. `None` if the load is not one of an
    /// application, or so fast that there is no time between two writes.
    pub fn new(load: Load, start: Instant, stop: Instant, stream: Stream) -> Option<App> {
        let Load::Writes { bytes, when } = load else { return None };
        let law = match when {
            Writes::Responses { think } => Law::Responses { bytes: bytes.into(), think, stream },
            Writes::Paced { every } => Law::Paced { bytes: bytes.into(), every },
            Writes::OnOff { rate, on, off } => {
                let source = Datagrams::new(Load::OnOff { rate, on, off }, bytes, start, stop, stream)?;
                Law::OnOff { source }
            }
        };
        let mut writer = App { law, stop, next: start };
        writer.look_ahead();
        Some(writer)
    }

    /// When it wants to write.
    pub fn next_timeout(&self) -> Instant {
        if self.next < self.stop { self.next } else { Instant::NEVER }
    }

    /// Writes what is due.
    pub fn handle_timeout(&mut self, now: Instant, connection: &mut Connection, actions: &mut Actions) {
        while self.next_timeout() <= now {
            let bytes = self.write(now);
            connection.write(now, bytes, actions);
            self.look_ahead();
        }
    }

    /// The connection has made progress: a request follows the end of the last response.
    pub fn handle_progress(&mut self, now: Instant, connection: &Connection) {
        if let Law::Responses { think, stream, .. } = &mut self.law
            && self.next == Instant::NEVER
            && connection.is_complete()
        {
            self.next = now + draw(*think, stream);
        }
    }

    /// The bytes of a write that is due, after which the next one is known or waited for.
    fn write(&mut self, now: Instant) -> u64 {
        match &mut self.law {
            Law::Responses { bytes, .. } => {
                self.next = Instant::NEVER;
                *bytes
            }
            Law::Paced { bytes, every } => {
                self.next = self.next + *every;
                *bytes
            }
            Law::OnOff { source } => {
                let due = std::iter::from_fn(|| source.handle_timeout(now));
                due.map(|datagram| u64::from(datagram.size)).sum()
            }
        }
    }

    fn look_ahead(&mut self) {
        if let Law::OnOff { source } = &self.law {
            self.next = source.next_timeout().unwrap_or(Instant::NEVER);
        }
    }
}

/// A connection, and what writes into it if that is not one piece.
#[derive(Debug)]
pub struct AppConnection {
    /// The sending end.
    pub connection: Connection,
    /// The application.
    pub writer: Option<App>,
}

impl AppConnection {
    /// When one of both wants to be called.
    pub fn next_timeout(&self) -> Instant {
        let writer = self.writer.as_ref().map_or(Instant::NEVER, App::next_timeout);
        self.connection.next_timeout().unwrap_or(Instant::NEVER).min(writer)
    }

    /// The flow starts: `bytes` are all there will be, unless it never ends or an application writes.
    pub fn open(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        match &mut self.writer {
            Some(writer) => {
                self.connection.write(now, 0, actions);
                writer.handle_timeout(now, &mut self.connection, actions);
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
        if let Some(writer) = &mut self.writer {
            writer.handle_timeout(now, &mut self.connection, actions);
        }
    }

    /// An ACK has been read.
    pub fn note_progress(&mut self, now: Instant) {
        if let Some(writer) = &mut self.writer {
            writer.handle_progress(now, &self.connection);
        }
    }
}
