//! Two tiers of switches: every leaf is joined to every spine.

use super::clos::{NEAR, check_hosts, hosts, link, uplink};
use super::{Draft, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::{Within, whole};
use crate::language::{At, Fault, Key, Speed, Time};
use crate::model::{NodeId, Role};

network_keys! {
    /// Leaves "l0", "l1", …, of which each is joined to each of the spines "s0", "s1", …, and hosts "h0", "h1", … that
    /// fill one leaf after the other. Between hosts of two leaves there are as many equal paths as spines
    /// (`routing = "ecmp"`). Host j of a leaf is paired with host j of the next.
    pub struct Config {
        /// Leaves, the switches of the racks.
        pub leaves: At<u32>, in whole(2, 10_000);
        /// Spines.
        pub spines: At<u32>, in whole(1, 10_000);
        /// Hosts at each leaf.
        pub hosts: At<u32>, in whole(1, 10_000);
        /// Bit rate between hosts and leaves.
        pub host_capacity: At<Speed>;
        /// Bit rate between a leaf and a spine. Default: as `oversubscription` says.
        pub capacity: Option<At<Speed>>;
        /// The rates of a leaf's hosts over those of its links to spines.
        pub oversubscription: Key<f64> = 1.0, in Within::new("0.01 to 1000", |ratio| (0.01..=1000.0).contains(ratio));
        /// Delay between hosts and leaves.
        pub host_delay: Key<Time> = NEAR;
        /// Delay between leaves and spines.
        pub delay: Key<Time> = NEAR;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let (leaves, spines, each) = (*self.leaves, *self.spines, *self.hosts);
        let (leaf_links, host_links) = (u64::from(leaves) * u64::from(spines), u64::from(leaves) * u64::from(each));
        check_hosts(host_links, (MAX_ELEMENTS / 2).saturating_sub(leaf_links), || self.leaves.place())?;
        let between = match (self.capacity, self.oversubscription.place()) {
            (Some(_), Some(ratio)) => {
                return Err(Fault::new(ratio, "the capacity is given; allowed: capacity or oversubscription"));
            }
            (Some(capacity), None) => Property::given(capacity, |capacity| capacity.0),
            (None, _) => uplink(self.host_capacity, each, spines, *self.oversubscription)?,
        };
        let all: Vec<NodeId> = (0..leaves).map(|leaf| draft.drawn(format!("l{leaf}"), Role::Core)).collect();
        for spine in 0..spines {
            let spine = draft.drawn(format!("s{spine}"), Role::Core);
            all.iter().for_each(|leaf| draft.duplex(*leaf, spine, link(between.clone(), &self.delay)));
        }
        let access = Property::given(self.host_capacity, |capacity| capacity.0);
        hosts(draft, &all, each, &link(access, &self.host_delay));
        Ok(())
    }
}
