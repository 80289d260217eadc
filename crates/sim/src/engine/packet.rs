//! What travels: 32 bytes, and a side table for the few packets that carry SACK blocks.

use transport::tcp::SackList;

/// What a packet is, for its receiver and for the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A TCP segment with payload.
    #[default]
    Data,
    /// A pure TCP acknowledgement.
    Ack,
    /// A UDP datagram.
    Datagram,
}

impl Class {
    /// As written in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Data => "data",
            Class::Ack => "ack",
            Class::Datagram => "datagram",
        }
    }
}

/// A packet on a fibre.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// When its last bit arrives at the far end of the fibre, in picoseconds of true time.
    pub at: u64,
    /// Data: offset of the first payload byte; ACK: the acknowledgement number; datagram: its number.
    pub seq: u64,
    /// The flow.
    pub flow: u32,
    /// Position of the next link in the flat array of paths.
    pub hop: u32,
    /// Its SACK blocks in [`SackTable`], or [`NO_SACK`].
    pub sack: u32,
    /// Size on the wire in bytes.
    pub size: u16,
    /// What it is.
    pub class: Class,
}

/// The packet carries no SACK blocks.
pub const NO_SACK: u32 = u32::MAX;

/// SACK blocks of packets in flight. Slots are reused, so nothing is allocated once the table has reached its size.
#[derive(Debug, Default)]
pub struct SackTable {
    slots: Vec<SackList>,
    free: Vec<u32>,
}

impl SackTable {
    /// Stores `list` and gives the number for the packet; an empty list needs no slot.
    #[inline]
    pub fn put(&mut self, list: &SackList) -> u32 {
        if list.is_empty() { NO_SACK } else { self.put_some(*list) }
    }

    fn put_some(&mut self, list: SackList) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = list;
            return slot;
        }
        self.slots.push(list);
        (self.slots.len() - 1) as u32
    }

    /// Takes the list of a packet that has arrived.
    #[inline]
    pub fn take(&mut self, slot: u32) -> SackList {
        if slot == NO_SACK {
            return SackList::default();
        }
        self.free.push(slot);
        self.slots[slot as usize]
    }

    /// Forgets the list of a packet that was dropped.
    #[inline]
    pub fn forget(&mut self, slot: u32) {
        if slot != NO_SACK {
            self.free.push(slot);
        }
    }

    /// A second packet is to carry the same list.
    pub fn duplicate(&mut self, slot: u32) -> u32 {
        if slot == NO_SACK { NO_SACK } else { self.put_some(self.slots[slot as usize]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_half_a_cache_line() {
        assert_eq!(size_of::<Packet>(), 32);
    }
}
