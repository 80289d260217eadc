//! Between which nodes with ports to switches of light a flow's packets travel, and where a packet goes: what the nodes
//! of kinds that put packets on ways of their own know of a flow.

use crate::engine::packet::{Class, Packet};
use crate::model::LinkId;

/// What nodes know of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Its source's node and its destination's.
    pub nodes: [u32; 2],
    /// What is left of the path at the destination's node, and at the source's of the way back.
    pub tails: [u32; 2],
}

/// The part of a path over a switch.
struct Part {
    from: u32,
    to: u32,
    tail: u32,
}

impl Ends {
    /// Of the paths of a flow there and back, which begin there in the array of paths; `None` if one passes no switch.
    /// `owners` has by link the node that it joins to a switch.
    pub fn of(laid: &[Option<LinkId>], paths: [u32; 2], owners: &[Option<u32>]) -> Option<Ends> {
        let [there, back] = [Part::of(laid, paths[0], owners)?, Part::of(laid, paths[1], owners)?];
        Some(Ends { nodes: [there.from, there.to], tails: [there.tail, back.tail] })
    }

    /// Which way a packet at a node goes: 0 with the flow's data, 1 back.
    #[inline]
    pub fn way(&self, packet: &Packet, here: u32, is_from_light: bool) -> usize {
        match packet.class {
            Class::Data | Class::Datagram | Class::Unit => 0,
            Class::Ack => 1,
            // A message begins at one end and takes one hop.
            Class::Control => usize::from((self.nodes[1] == here) != is_from_light),
        }
    }

    /// To which node a packet goes by this way, and its path from there on.
    #[inline]
    pub fn goal(&self, way: usize) -> (u32, u32) {
        (self.nodes[1 - way], self.tails[way])
    }
}

impl Part {
    fn of(laid: &[Option<LinkId>], path: u32, owners: &[Option<u32>]) -> Option<Part> {
        let links = laid[path as usize..].iter().map_while(|link| *link);
        let owner = |link: LinkId| owners[link.index()];
        let (place, up) = (path..).zip(links).find(|(_, link)| owner(*link).is_some())?;
        let down = (*laid.get(place as usize + 1)?)?;
        Some(Part { from: owner(up)?, to: owner(down)?, tail: place + 2 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links 0 and 3 join node 5 to a switch, 1 and 2 node 7; link 4 leads on to a host. There by 0, 1 and 4; back by 2
    /// and 3.
    #[test]
    fn a_flow_is_between_the_owners_of_its_links_with_a_switch() {
        let owners = [Some(5), Some(7), Some(7), Some(5), None];
        let laid: Vec<Option<LinkId>> = [Some(0), Some(1), Some(4), None, Some(2), Some(3), None, Some(4), None]
            .map(|link| link.map(LinkId))
            .into();
        let ends = Ends::of(&laid, [0, 4], &owners).unwrap();
        assert_eq!((ends.nodes, ends.tails), ([5, 7], [2, 6]));
        assert_eq!([ends.goal(0), ends.goal(1)], [(7, 2), (5, 6)]);
        assert!(Ends::of(&laid, [0, 7], &owners).is_none(), "a path that passes no switch");
    }

    #[test]
    fn data_goes_there_acks_back_and_a_message_to_the_other_end() {
        let ends = Ends { nodes: [0, 1], tails: [20, 10] };
        let way = |class, here, is_from_light| ends.way(&Packet { class, ..Packet::default() }, here, is_from_light);
        assert_eq!([Class::Data, Class::Datagram, Class::Unit].map(|class| way(class, 0, false)), [0; 3]);
        assert_eq!(way(Class::Ack, 1, false), 1);
        // One that came by light ends here.
        assert_eq!([way(Class::Control, 0, false), way(Class::Control, 1, true)], [0; 2]);
        assert_eq!([way(Class::Control, 1, false), way(Class::Control, 0, true)], [1; 2]);
    }
}
