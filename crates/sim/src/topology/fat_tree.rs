//! Three tiers of switches with equal numbers of ports.

use super::clos::{NEAR, check_hosts, hosts, link};
use super::{Draft, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::{Within, whole};
use crate::language::{At, Fault, Key, Speed, Time};
use crate::model::{NodeId, Role};

network_keys! {
    /// A folded Clos network of switches with k ports: k pods of k/2 edge switches "p0e0", …, each joined to every
    /// aggregation switch "p0a0", … of its pod, of which each is joined to k/2 core switches "c0", …; hosts "h0", "h1",
    /// … fill one edge switch after the other. An edge switch has u uplinks and k − u hosts; with as many of both it is
    /// the fat tree of the source, with k³/4 hosts. Equal paths (`routing = "ecmp"`): u within a pod, u·k/2 between
    /// pods. Host j of an edge switch is paired with host j of the next.
    pub struct Config {
        /// Ports of a switch; even.
        pub k: At<u32>, in an_even_number();
        /// Hosts of an edge switch over its uplinks; with k they must give whole numbers.
        pub oversubscription: Key<f64> = 1.0, in Within::new("0.01 to 127", |ratio| (0.01..=127.0).contains(ratio));
        /// Pods, if they are not all there.
        pub pods: Option<At<u32>>, in whole(1, 128);
        /// Bit rate of all links.
        pub capacity: At<Speed>;
        /// Bit rate between hosts and edge switches. Default: `capacity`.
        pub host_capacity: Option<At<Speed>>;
        /// Delay between hosts and edge switches.
        pub host_delay: Key<Time> = NEAR;
        /// Delay between switches.
        pub delay: Key<Time> = NEAR;
    }
}

fn an_even_number() -> Within<u32> {
    Within::new("an even number from 2 to 128", |k: &u32| (2..=128).contains(k) && k.is_multiple_of(2))
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let (k, uplinks) = (*self.k, self.uplinks()?);
        let (half, pods) = (k / 2, self.pods()?);
        let each = k - uplinks;
        check_hosts(u64::from(pods * half * each), MAX_ELEMENTS / 4, || self.k.place())?;
        let between = link(Property::given(self.capacity, |capacity| capacity.0), &self.delay);
        let cores: Vec<NodeId> = (0..uplinks * half).map(|core| draft.drawn(format!("c{core}"), Role::Core)).collect();
        let mut edges = Vec::new();
        for pod in 0..pods {
            let own: Vec<NodeId> = (0..half).map(|edge| draft.drawn(format!("p{pod}e{edge}"), Role::Core)).collect();
            for (number, group) in cores.chunks(half as usize).enumerate() {
                let aggregation = draft.drawn(format!("p{pod}a{number}"), Role::Core);
                own.iter().for_each(|edge| draft.duplex(*edge, aggregation, between.clone()));
                group.iter().for_each(|core| draft.duplex(aggregation, *core, between.clone()));
            }
            edges.extend(own);
        }
        let access = Property::given(self.host_capacity.unwrap_or(self.capacity), |capacity| capacity.0);
        hosts(draft, &edges, each, &link(access, &self.host_delay));
        Ok(())
    }

    /// Of an edge switch.
    fn uplinks(&self) -> Result<u32, Fault> {
        let (k, ratio) = (f64::from(*self.k), *self.oversubscription);
        let uplinks = k / (1.0 + ratio);
        let whole = uplinks.round();
        if whole < 1.0 || whole >= k || (uplinks - whole).abs() > 1e-6 {
            let ratio_of = |uplinks: u32| (*self.k - uplinks) as f64 / f64::from(uplinks);
            let near = (whole as u32).clamp(1, *self.k - 1);
            let message = format!(
                "an edge switch of {k} ports has {uplinks:.3} uplinks then; allowed: (k − u)/u for whole u, such as {}",
                ratio_of(near)
            );
            return Err(Fault::new(self.oversubscription.place().unwrap_or_else(|| self.k.place()), message));
        }
        Ok(whole as u32)
    }

    fn pods(&self) -> Result<u32, Fault> {
        match self.pods {
            Some(pods) if *pods > *self.k => {
                Err(pods.fault(format!("found {} pods; allowed: at most k, {}", *pods, *self.k)))
            }
            Some(pods) => Ok(*pods),
            None => Ok(*self.k),
        }
    }
}
