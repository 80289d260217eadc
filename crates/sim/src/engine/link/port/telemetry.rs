//! What a port measures of the packets that it sends, for laws that read it.

use super::Port;
use crate::engine::link::meter::Meter;
use transport::telemetry::Telemetry;
use units::Rate;

impl Port {
    /// It measures from now on. Only of a port that decides each departure late.
    pub fn measure(&mut self, meter: Meter) {
        self.makes_room = meter.makes_room;
        if let Some(line) = self.line_mut() {
            line.meter = Some(Box::new(meter));
        }
    }

    /// Another capacity.
    pub(super) fn note_rate(&mut self, now: u64, rate: Rate) {
        if let Some(meter) = self.line_mut().and_then(|line| line.meter.as_mut()) {
            meter.note_rate(now, rate);
        }
    }

    /// Whether it does.
    #[inline]
    pub fn measures(&self) -> bool {
        self.line().is_some_and(|line| line.meter.is_some())
    }

    /// The packet of `size` bytes that it begins to send takes along what it says.
    pub fn tell(&mut self, now: u64, size: u16, told: &mut Telemetry) {
        if let Some(line) = self.line_mut() {
            let queue = line.held().bytes;
            line.meter.iter_mut().for_each(|meter| meter.tell(now, size, queue, told));
        }
    }
}
