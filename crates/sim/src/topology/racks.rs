//! Racks of hosts that a packet switch and a circuit switch join.

use super::{Draft, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::{NodeId, Role};
use units::{Duration, Rate};

network_keys! {
    /// Hosts "t0h0", "t0h1", … at the top-of-rack switches "t0", "t1", …, which the nodes "packet" and "circuit" join:
    /// a hybrid network, for `[switching]` with kind = "circuits". Host j of a rack is paired with host j of the next.
    pub struct Config {
        /// Racks.
        pub racks: At<u32>, in whole(2, 1024);
        /// Hosts of each rack.
        pub hosts: Key<u32> = 1, in whole(1, 1024);
        /// Bit rate between hosts and their rack.
        pub host_capacity: At<Speed>;
        /// Delay between hosts and their rack.
        pub host_delay: Key<Time> = Time(Duration::from_micros(1));
        /// Bit rate between racks and the packet switch.
        pub packet_capacity: At<Speed>;
        /// Delay from rack to rack by the packet switch: half of it to the switch.
        pub packet_delay: At<Time>;
        /// Bit rate of a circuit.
        pub circuit_capacity: At<Speed>;
        /// Delay from rack to rack by a circuit.
        pub circuit_delay: At<Time>;
        /// Waiting room at hosts, and at racks for packets to their own hosts. Default: that of
        /// `link_defaults`, else unlimited.
        pub buffer: Option<At<PortRoom>>;
    }
}

/// No route leads over a circuit: what takes one is chosen when it is there.
pub(crate) const CIRCUIT_COST: u64 = 1 << 60;

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let racks = Racks { racks: self.racks, hosts: &self.hosts, uplinks: 2, role: Role::Edge };
        racks.check()?;
        let [packet, circuit] = ["packet", "circuit"].map(|name| draft.drawn(name, Role::Core));
        racks.draw(draft, &self.access(), |draft, tor| {
            draft.duplex(tor, packet, self.half(self.packet_capacity, self.packet_delay, None));
            draft.duplex(tor, circuit, self.half(self.circuit_capacity, self.circuit_delay, Some(CIRCUIT_COST)));
        });
        Ok(())
    }

    /// Between a rack and a switch.
    fn half(&self, capacity: At<Speed>, delay: At<Time>, cost: Option<u64>) -> Given {
        let half = |delay: Time| Duration::from_ps(delay.0.ps().div_ceil(2));
        Given { delay: Some(Property::given(delay, half)), cost, ..self.link(capacity) }
    }

    fn access(&self) -> Given {
        Given { delay: Some(Property::of(&self.host_delay, |delay| delay.0)), ..self.link(self.host_capacity) }
    }

    fn link(&self, capacity: At<Speed>) -> Given {
        let capacity: Property<Rate> = Property::given(capacity, |capacity| capacity.0);
        Given {
            capacity: Some(capacity),
            buffer: self.buffer.map(|room| Property::given(room, |room| room.0)),
            ..Given::default()
        }
    }
}

/// Racks with their hosts, whatever joins them.
pub(super) struct Racks<'a> {
    pub racks: At<u32>,
    pub hosts: &'a Key<u32>,
    /// Of each rack.
    pub uplinks: u32,
    /// Of racks.
    pub role: Role,
}

impl Racks<'_> {
    /// There are not too many.
    pub fn check(&self) -> Result<(), Fault> {
        let (racks, hosts) = (*self.racks, **self.hosts);
        let most = (MAX_ELEMENTS / 4 / u64::from(racks)).saturating_sub(u64::from(self.uplinks - 1) / 2);
        if u64::from(hosts) <= most {
            return Ok(());
        }
        let message = format!("found {hosts} hosts in each of {racks} racks; allowed: at most {most}");
        Err(Fault::new(self.hosts.place().unwrap_or_else(|| self.racks.place()), message))
    }

    /// The racks, each joined to what is there, and then their hosts.
    pub fn draw(&self, draft: &mut Draft, access: &Given, join: impl Fn(&mut Draft, NodeId)) {
        let tors: Vec<NodeId> = (0..*self.racks).map(|rack| draft.drawn(format!("t{rack}"), self.role)).collect();
        tors.iter().for_each(|tor| join(draft, *tor));
        let mut all = Vec::new();
        for (rack, tor) in tors.iter().enumerate() {
            let own: Vec<NodeId> =
                (0..**self.hosts).map(|host| draft.drawn(format!("t{rack}h{host}"), Role::Host)).collect();
            own.iter().for_each(|host| draft.duplex(*host, *tor, access.clone()));
            all.push(own);
        }
        draft.pair_with_next(&all);
    }
}
