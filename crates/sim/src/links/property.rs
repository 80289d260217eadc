//! What a property of links answers, and its part of a port.

use crate::random::Stream;
use options::{Options, Value};
use std::fmt::Debug;

/// A property of a link with its values: [`options!`](options::options) declares its keys.
pub trait Property: Options {
    /// Whether it does anything to packets.
    fn acts(&self) -> bool;

    /// Its part of a port; random choices come from `stream`. A port has one too where the keys change in time.
    fn at_port(&self, stream: Stream) -> Box<dyn PortFeature>;

    /// What is told of keys besides their declaration.
    fn rules(&self) -> &'static [KeyRule] {
        &[]
    }

    /// Keys of which a link has one at most, if there are such.
    fn alternatives(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a port has to decide each departure when the transmitter is free. Ports that know departures when
    /// packets arrive are faster.
    fn is_decided_late(&self) -> bool {
        false
    }

    /// If packets overtake: what to write where they must not.
    fn overtaking(&self) -> Option<&'static str> {
        None
    }

    /// Whether `check --explain` writes it also where all is as usual.
    fn is_always_told(&self) -> bool {
        false
    }
}

/// What is told of a key besides its declaration.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyRule {
    /// The key.
    pub key: &'static str,
    /// Where its value may lie, if its kind does not say that.
    pub allowed: Option<Allowed>,
    /// What it means in events and phases; `None` if it does not change in time. Such a key is a time or a number.
    pub in_time: Option<&'static str>,
}

/// Where a value may lie.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// In words.
    pub words: &'static str,
    /// Whether a value is there.
    pub holds: fn(Value) -> bool,
}

/// The part of a port that belongs to a property.
pub trait PortFeature: Debug + Send {
    /// How many copies of a packet that comes to the port come with it. Asked only where departures are decided late.
    fn copies(&mut self) -> u32 {
        0
    }

    /// What becomes of a packet of `size` bytes whose last bit leaves at `end`.
    fn depart(&mut self, end: u64, size: u16) -> Passage {
        let _ = (end, size);
        Passage::Arrives { late: 0 }
    }

    /// A key has another value from now on.
    fn change(&mut self, key: &str, value: Value) {
        let _ = (key, value);
    }
}

/// What becomes of a packet that has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It arrives, so many picoseconds later than the delay of the link says.
    Arrives {
        /// The picoseconds.
        late: u64,
    },
    /// The fibre loses it.
    Lost,
}
