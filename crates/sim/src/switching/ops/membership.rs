//! Which macroflow a packet belongs to: a table over the array of paths, because the place of a packet's way there
//! tells where it comes from and goes to.

use crate::engine::packet::{Class, Packet};

/// A packet's macroflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its place among those that begin at the same edge node.
    pub macroflow: u32,
    /// The packet's way on its wavelength, in the array of paths.
    pub way: u32,
}

/// The macroflows of all packets that enter the optical network.
#[derive(Debug, Default)]
pub struct Membership {
    /// By the place of the first fibre of their way: data, then ACKs.
    table: Vec<[Member; 2]>,
}

const NOBODY: Member = Member { macroflow: u32::MAX, way: 0 };

impl Membership {
    /// Packets at this place, ACKs or not, belong to a macroflow.
    pub fn add(&mut self, place: u32, ack: bool, member: Member) {
        if self.table.len() <= place as usize {
            self.table.resize(place as usize + 1, [NOBODY; 2]);
        }
        self.table[place as usize][usize::from(ack)] = member;
    }

    /// The macroflow of a packet that is before its first fibre; `None` if it only passes.
    #[inline]
    pub fn find(&self, packet: &Packet) -> Option<Member> {
        let member = self.table.get(packet.hop as usize)?[usize::from(packet.class == Class::Ack)];
        (member != NOBODY).then_some(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_belongs_where_its_way_and_class_say() {
        let mut members = Membership::default();
        let (data, acks) = (Member { macroflow: 3, way: 7 }, Member { macroflow: 4, way: 27 });
        members.add(7, false, data);
        members.add(7, true, acks);
        let at = |hop, class| members.find(&Packet { hop, class, ..Packet::default() });
        assert_eq!(at(7, Class::Data), Some(data));
        assert_eq!(at(7, Class::Ack), Some(acks));
        assert_eq!([at(6, Class::Data), at(8, Class::Ack)], [None, None]);
    }
}
