//! What all properties of a link do at its port.

use super::{Passage, PortFeature, Property};
use options::Value;

/// The parts of a port, in the order of properties.
#[derive(Debug, Default)]
pub struct AtPort {
    parts: Vec<Box<dyn PortFeature>>,
    /// Whether one of them needs departures that are decided late.
    pub is_decided_late: bool,
    /// Whether packets overtake one another.
    pub lets_overtake: bool,
    /// How much later the packet that left last arrives, in picoseconds.
    pub late: u64,
    /// Copies that are still to come of a packet that came.
    owed: u32,
}

impl AtPort {
    pub(super) fn new<'p>(parts: impl Iterator<Item = (&'p dyn Property, Box<dyn PortFeature>)>) -> AtPort {
        let mut all = AtPort::default();
        for (property, part) in parts {
            all.is_decided_late |= property.is_decided_late();
            all.lets_overtake |= property.overtaking().is_some();
            all.parts.push(part);
        }
        all
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a copy of the packet that comes is to come behind it. A copy has no copies of its own.
    #[inline]
    pub fn is_doubled(&mut self) -> bool {
        self.owed = match self.owed {
            0 => self.parts.iter_mut().map(|part| part.copies()).sum(),
            owed => owed - 1,
        };
        self.owed > 0
    }

    /// A packet did not get in, and no copy of it comes.
    pub fn forget_copies(&mut self) {
        self.owed = 0;
    }

    /// What becomes of a packet whose last bit leaves at `end`. Of one that is lost, the properties behind do not hear.
    #[inline]
    pub fn depart(&mut self, end: u64, size: u16) -> Passage {
        let mut late = 0;
        for part in &mut self.parts {
            match part.depart(end, size) {
                Passage::Arrives { late: more } => late += more,
                Passage::Lost => return Passage::Lost,
            }
        }
        self.late = late;
        Passage::Arrives { late }
    }

    /// A key has another value from now on.
    pub fn change(&mut self, key: &str, value: Value) {
        self.parts.iter_mut().for_each(|part| part.change(key, value));
    }
}
