//! What a port measures of the packets that it sends, for laws that read it.

use super::Port;
use crate::engine::link::meter::Meter;
use transport::telemetry::Hop;
use units::{Instant, Rate};

impl Port {
    /// It measures from now on. Only of a port that decides each departure late.
    pub fn measure(&mut self, port: u32, rate: Rate) {
        if let Some(line) = self.line_mut() {
            line.meter = Some(Meter { port, rate, sent: 0 });
        }
    }

    /// Another capacity.
    pub(super) fn note_rate(&mut self, rate: Rate) {
        if let Some(meter) = self.line_mut().and_then(|line| line.meter.as_mut()) {
            meter.rate = rate;
        }
    }

    /// What it says of the packet of `size` bytes that it begins to send.
    pub fn hop(&self, now: u64, size: u16) -> Option<Hop> {
        let line = self.line()?;
        let Meter { port, rate, sent } = line.meter?;
        let (at, queue, sent) = (Instant::from_ps(now), line.held().bytes, sent - u64::from(size));
        Some(Hop { port, at, queue, sent, rate })
    }
}
