//! Hosts with a port at each of several optical circuit switches.

use super::{Draft, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::Role;
use units::Duration;

network_keys! {
    /// Hosts "n0", "n1", … with a port at each of the optical circuit switches "o0", "o1", …, and a link to the switch
    /// "packet" if it has a capacity: for `[switching]` with kind = "ocs". Host j is paired with host j + 1.
    pub struct Config {
        /// Hosts.
        pub hosts: At<u32>, in whole(2, 4096);
        /// Optical circuit switches, and so ports of each host.
        pub switches: Key<u32> = 1, in whole(1, 64);
        /// Bit rate of a circuit.
        pub capacity: At<Speed>;
        /// Delay from host to host by a circuit: half of it to the switch.
        pub delay: At<Time>;
        /// Bit rate between hosts and the packet switch. Default: there is none.
        pub packet_capacity: Option<At<Speed>>;
        /// Delay from host to host by the packet switch: half of it to the switch. Default: that of a circuit.
        pub packet_delay: Option<At<Time>>;
        /// Waiting room at the packet switch. Default: that of `link_defaults`, else unlimited.
        pub buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let (hosts, switches) = (*self.hosts, *self.switches);
        if u64::from(hosts) * u64::from(switches + 1) * 2 > MAX_ELEMENTS {
            let most = MAX_ELEMENTS;
            return Err(self
                .hosts
                .fault(format!("{hosts} hosts with {switches} ports; allowed: at most {most} links")));
        }
        let half = |delay: Time| Duration::from_ps(delay.0.ps().div_ceil(2));
        let room = || self.buffer.map(|room| Property::given(room, |room| room.0));
        let link = |capacity: At<Speed>, delay: At<Time>| Given {
            capacity: Some(Property::given(capacity, |capacity| capacity.0)),
            delay: Some(Property::given(delay, half)),
            buffer: room(),
            ..Given::default()
        };
        let lights: Vec<_> = (0..switches).map(|number| draft.drawn(format!("o{number}"), Role::Core)).collect();
        let packet = self.packet_capacity.map(|capacity| (capacity, draft.drawn("packet", Role::Core)));
        let nodes: Vec<_> = (0..hosts).map(|number| draft.drawn(format!("n{number}"), Role::Host)).collect();
        for host in &nodes {
            lights.iter().for_each(|switch| draft.duplex(*host, *switch, link(self.capacity, self.delay)));
            if let Some((capacity, switch)) = packet {
                draft.duplex(*host, switch, link(capacity, self.packet_delay.unwrap_or(self.delay)));
            }
        }
        draft.pairs = (0..nodes.len()).map(|number| (nodes[number], nodes[(number + 1) % nodes.len()])).collect();
        Ok(())
    }
}
