//! What an output port does with packets, besides what every port does.

use super::{Buffer, Link, PortController};
use crate::links::LinkProperties;
use crate::queue;
use options::words;
use units::{Duration, Rate};

/// The rules of an output port. A kind of switching makes them from the port's link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortRule {
    /// Positive.
    pub capacity: Rate,
    /// To the far end, positive.
    pub delay: Duration,
    /// Waiting room, not counting the packet in transmission.
    pub buffer: Buffer,
    /// What becomes of a packet that would have room in it.
    pub queue: queue::Config,
    /// What the fibre does besides.
    pub properties: LinkProperties,
    /// XCP's controller.
    pub controller: Option<PortController>,
    /// When it sends.
    pub opening: Opening,
    /// What the far end waits for.
    pub light: Light,
    /// Whether each departure is decided when the transmitter is free, though the queue does not ask for that.
    pub is_decided_late: bool,
}

/// When a port sends. A link whose capacity changes in time, or that leads to its far end at times only, sends in
/// windows; where light goes to several far ends in turn, each has a link of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// Whenever it has something to send.
    #[default]
    Always,
    /// In windows of time that an agent opens; packets are put into them so.
    InWindows(Packing),
}

words! {
    /// How packets are put into windows of time.
    pub enum Packing {
        /// A packet goes on in the next window of its port if it does not fit.
        Cut = "cut",
        /// A packet that does not fit waits for the next window.
        Whole = "whole",
    }
}

/// What a port does as one of an optical switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// Nothing: it is none.
    #[default]
    None,
    /// The far end waits for the last bit of a packet.
    LastBit,
    /// The far end cuts through.
    FirstBit,
}

impl PortRule {
    /// A port that sends what comes as it comes.
    pub fn plain(capacity: Rate, delay: Duration, buffer: Buffer) -> PortRule {
        let (opening, light) = (Opening::Always, Light::None);
        let queue = queue::Config::DropTail;
        PortRule {
            capacity,
            delay,
            buffer,
            queue,
            properties: LinkProperties::default(),
            controller: None,
            opening,
            light,
            is_decided_late: false,
        }
    }

    /// What a link says of its port, and nothing besides.
    pub fn of(link: &Link) -> PortRule {
        let plain = PortRule::plain(link.capacity, link.delay, link.buffer);
        PortRule { queue: link.queue, properties: link.properties, controller: link.controller, ..plain }
    }

    /// The same port, with departures decided one by one, unless it sends in windows or is one of an optical switch. A
    /// port that computes them when packets arrive has to compute those of all that wait anew when its link changes,
    /// which takes time in proportion to the queue.
    pub fn decided_late(self) -> PortRule {
        PortRule { is_decided_late: self.opening == Opening::Always && self.light == Light::None, ..self }
    }
}
