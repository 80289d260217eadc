//! What a fibre adds to the delay of each packet.

use crate::model::{Jitter, JitterLaw, JitterOrder};
use crate::random::{Stream, exponential_span, uniform_index};
use units::Duration;

/// The delays of packets, drawn one by one as they leave.
#[derive(Debug)]
pub struct JitterProcess {
    jitter: Jitter,
    stream: Stream,
    /// What the packet that left last was given.
    last: u64,
}

impl JitterProcess {
    /// The process of a fibre; its choices come from `stream`.
    pub fn new(jitter: Jitter, stream: Stream) -> JitterProcess {
        JitterProcess { jitter, stream, last: 0 }
    }

    /// Packets that leave from now on have so much.
    pub fn change(&mut self, scale: Duration) {
        self.jitter.scale = scale;
    }

    /// What is added to the delay of the next packet, in picoseconds.
    pub fn draw(&mut self) -> u64 {
        let Jitter { scale, law, .. } = self.jitter;
        self.last = match law {
            _ if scale == Duration::ZERO => 0,
            JitterLaw::Uniform => uniform_index(&mut self.stream, scale.ps() + 1),
            JitterLaw::Exponential => exponential_span(scale, &mut self.stream).ps(),
        };
        self.last
    }

    /// What the packet that left last was given.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Whether packets overtake.
    pub fn is_free(&self) -> bool {
        self.jitter.order == JitterOrder::Free
    }
}
