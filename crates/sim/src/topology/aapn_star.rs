//! The star, or overlaid stars, of an agile all-photonic network.

use super::dumbbell::{ACCESS_DELAY, access};
use super::{Draft, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault, Key, PortRoom, Speed, Time};
use crate::model::{NodeId, Role};
use units::{BufferSize, PortBuffer};

network_keys! {
    /// Edge nodes e0, e1, … around the core nodes c0, c1, … of an agile all-photonic network; `[switching]` says how
    /// slots are granted. The link "e0->e1" is the queue for e1 at e0, whose light passes c0; "e0->e1#2" that through
    /// c1. The links between edge and core nodes carry requests and grants only.
    pub struct Config {
        /// Number of edge nodes.
        pub edges: At<u32>, in whole(1, 4096);
        /// Number of core nodes: more than one make overlaid stars, and flows take them in turn.
        pub cores: Key<u32> = 1, in whole(1, 4096);
        /// Bit rate of an edge node's fibres. Default: `link_defaults`.
        pub capacity: Option<At<Speed>>;
        /// Delay between edge and core nodes. Default: `link_defaults`.
        pub delay: Option<At<Time>>;
        /// The same, for each edge node in turn.
        pub delays: Option<At<Vec<At<Time>>>>;
        /// Waiting room of each queue. Default: `link_defaults`.
        pub buffer: Option<At<PortRoom>>;
        /// Bit rate of the signalling. Default: that of the fibres.
        pub signalling_capacity: Option<At<Speed>>;
        /// Hosts at each edge node, "h0.0", "h0.1", … at e0. Without any, flows start at edge nodes.
        pub hosts: Key<u32> = 0;
        /// Bit rate between hosts and edge nodes. Default: ten times `capacity`.
        pub host_capacity: Option<At<Speed>>;
        /// Delay between hosts and edge nodes.
        pub host_delay: Key<Time> = ACCESS_DELAY;
        /// Waiting room of the links between hosts and edge nodes. Default: `link_defaults`.
        pub host_buffer: Option<At<PortRoom>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let (edges, cores, hosts) = (*self.edges, *self.cores, *self.hosts);
        if edges < 2 {
            return Err(self.edges.fault("found 1; allowed: at least 2"));
        }
        let most = MAX_ELEMENTS / u64::from(edges);
        if u64::from(hosts) > most / 4 {
            return Err(self.hosts.fault(format!("found {hosts}; allowed: 1 to {}", most / 4)));
        }
        if u64::from(edges + 1) * u64::from(cores) + 2 * u64::from(hosts) > most {
            let message = format!("with this there are more than {MAX_ELEMENTS} queues and links");
            return Err(Fault::new(self.cores.place().unwrap_or(self.edges.place()), message));
        }
        if let Some(delays) = self.delays.as_ref().filter(|delays| delays.len() != edges as usize) {
            return Err(
                delays.fault(format!("found {} delays; allowed: {edges}, one for each edge node", delays.len()))
            );
        }
        if let (Some(delay), Some(_)) = (&self.delay, &self.delays) {
            return Err(delay.fault("there are delays already; allowed: delay or delays"));
        }
        let edge_nodes: Vec<NodeId> = (0..edges).map(|edge| draft.drawn(format!("e{edge}"), Role::Edge)).collect();
        for core in 0..cores {
            let core = draft.drawn(format!("c{core}"), Role::Core);
            for (number, edge) in edge_nodes.iter().enumerate() {
                draft.duplex(*edge, core, self.signalling(number));
            }
            self.draw_queues(&edge_nodes, core, draft);
        }
        self.draw_hosts(&edge_nodes, hosts, draft);
        Ok(())
    }

    fn signalling(&self, edge: usize) -> Given {
        let capacity = self.signalling_capacity.or(self.capacity);
        let delay = self.delays.as_ref().map(|delays| delays[edge]).or(self.delay);
        Given {
            capacity: capacity.map(|capacity| Property::given(capacity, |capacity| capacity.0)),
            delay: delay.map(|delay| Property::given(delay, |delay| delay.0)),
            buffer: Property::built_in(PortBuffer::Size(BufferSize::Unlimited)),
            controller: Property::built_in(None),
            ..Given::default()
        }
    }

    fn draw_queues(&self, edges: &[NodeId], core: NodeId, draft: &mut Draft) {
        for (number, from) in edges.iter().enumerate() {
            for to in &edges[number + 1..] {
                let given = Given {
                    capacity: self.capacity.map(|capacity| Property::given(capacity, |capacity| capacity.0)),
                    buffer: self.buffer.map(|buffer| Property::given(buffer, |buffer| buffer.0)),
                    via: Property::built_in(core),
                    ..Given::default()
                };
                draft.duplex(*from, *to, given);
            }
        }
    }

    fn draw_hosts(&self, edges: &[NodeId], hosts: u32, draft: &mut Draft) {
        for (edge, node) in edges.iter().enumerate() {
            for host in 0..hosts {
                let host = draft.drawn(format!("h{edge}.{host}"), Role::Host);
                let delay = Property::of(&self.host_delay, |delay| delay.0);
                draft.duplex(host, *node, access(self.host_capacity, self.capacity, delay, self.host_buffer));
            }
        }
    }
}
