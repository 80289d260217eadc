//! Racks of hosts that rotor switches join.

use super::racks::Racks;
use super::{Draft, Given, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::Role;
use units::Duration;

network_keys! {
    /// Hosts "t0h0", "t0h1", … at the top-of-rack switches "t0", "t1", …, of which each is joined to each of the rotor
    /// switches "r0", "r1", …: for `[switching]` with kind = "rotor". Host j of a rack is paired with host j of the
    /// next.
    pub struct Config {
        /// Racks.
        pub racks: At<u32>, in whole(2, 1024);
        /// Rotor switches, and so uplinks of each rack.
        pub switches: At<u32>, in whole(1, 64);
        /// Hosts of each rack.
        pub hosts: Key<u32> = 1, in whole(1, 1024);
        /// Bit rate between hosts and their rack.
        pub host_capacity: At<Speed>;
        /// Delay between hosts and their rack.
        pub host_delay: Key<Time> = Time(Duration::from_micros(1));
        /// Bit rate of a circuit.
        pub capacity: At<Speed>;
        /// Delay from rack to rack by a circuit: half of it to the rotor switch.
        pub delay: At<Time>;
        /// Waiting room at hosts, and at racks for packets to their own hosts. Default: that of
        /// `link_defaults`, else unlimited.
        pub buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let room = self.buffer.map(|room| Property::given(room, |room| room.0));
        let access = Given {
            capacity: Some(Property::given(self.host_capacity, |capacity| capacity.0)),
            delay: Some(Property::of(&self.host_delay, |delay| delay.0)),
            buffer: room.clone(),
            ..Given::default()
        };
        let half = |delay: Time| Duration::from_ps(delay.0.ps().div_ceil(2));
        let circuit = Given {
            capacity: Some(Property::given(self.capacity, |capacity| capacity.0)),
            delay: Some(Property::given(self.delay, half)),
            buffer: room,
            ..Given::default()
        };
        let racks = Racks { racks: self.racks, hosts: &self.hosts, uplinks: *self.switches, role: Role::Core };
        racks.check()?;
        let switches: Vec<_> = (0..*self.switches).map(|r| draft.drawn(format!("r{r}"), Role::Core)).collect();
        racks.draw(draft, &access, |draft, tor| {
            switches.iter().for_each(|switch| draft.duplex(tor, *switch, circuit.clone()));
        });
        Ok(())
    }
}
