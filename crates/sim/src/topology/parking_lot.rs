//! A chain of bottlenecks with cross traffic on each.

use super::dumbbell::{ACCESS_DELAY, access, bottleneck};
use super::{Draft, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::Role;

network_keys! {
    /// Routers "0" to "N" in a chain of N bottlenecks. The host "source" is at the first router, "sink" at the last;
    /// for hop i there are the hosts "c<i>" at router i and "d<i>" at router i+1.
    pub struct Config {
        /// Bottlenecks in the chain.
        pub hops: Key<u32> = 3, in whole(1, (MAX_ELEMENTS / 6 - 1) as u32);
        /// Bit rate between routers. Default: `link_defaults`.
        pub bottleneck_capacity: Option<At<Speed>>;
        /// Delay between routers. Default: `link_defaults`.
        pub bottleneck_delay: Option<At<Time>>;
        /// Waiting room between routers. Default: `link_defaults`.
        pub bottleneck_buffer: Option<At<PortRoom>>;
        /// Bit rate between hosts and routers. Default: ten times `bottleneck_capacity`.
        pub access_capacity: Option<At<Speed>>;
        /// Delay between hosts and routers.
        pub access_delay: Key<Time> = ACCESS_DELAY;
        /// Waiting room of the access links. Default: `link_defaults`.
        pub access_buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let hops = *self.hops;
        let routers: Vec<_> = (0..=hops).map(|router| draft.drawn(router.to_string(), Role::Core)).collect();
        for ends in routers.windows(2) {
            let given = bottleneck(self.bottleneck_capacity, self.bottleneck_delay, self.bottleneck_buffer);
            draft.duplex(ends[0], ends[1], given);
        }
        let hosts = [("source".to_owned(), 0), ("sink".to_owned(), hops)];
        let cross = (0..hops).flat_map(|hop| [(format!("c{hop}"), hop), (format!("d{hop}"), hop + 1)]);
        let mut ends = Vec::new();
        for (name, router) in hosts.into_iter().chain(cross) {
            let host = draft.drawn(name, Role::Host);
            let delay = Property::of(&self.access_delay, |delay| delay.0);
            let given = access(self.access_capacity, self.bottleneck_capacity, delay, self.access_buffer);
            draft.duplex(host, routers[router as usize], given);
            ends.push(host);
        }
        draft.pairs = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Ok(())
    }
}
