//! What a port measures of the packets that it sends, for laws that read it.

use super::Port;
use crate::engine::link::meter::Meter;
use crate::engine::packet::{Class, Flags, Packet, PayloadTable};
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

    /// A data packet that it begins to send takes along what it measures, if it asks for that.
    #[inline]
    pub fn tell_packet(&mut self, now: u64, packet: &Packet, payloads: &mut PayloadTable) {
        if packet.class == Class::Data
            && packet.flags.has(Flags::EXPLICIT)
            && let Some(line) = self.line_mut()
            && line.meter.is_some()
            && let Some(told) = payloads.telemetry_mut(packet)
        {
            let queue = line.held().bytes;
            line.meter.iter_mut().for_each(|meter| meter.tell(now, packet.size, queue, told));
        }
    }
}
