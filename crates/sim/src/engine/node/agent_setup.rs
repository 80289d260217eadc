//! What a network is fitted out with besides ports and fibres: agents, and the ports before which they stand.

use super::agent::Agent;
use super::node_context::{AgentPath, LocalPort};
use crate::engine::packet::admission::Interceptor;
use crate::model::{Flow, LinkId, LinkNews, Network, NodeId, Transport};
use crate::random::Seed;
use std::collections::{BTreeMap, BTreeSet};

/// The agents of a network.
#[derive(Debug, Default)]
pub struct AgentSetup {
    /// Each with its node; an agent's number is its place here.
    pub agents: Vec<(NodeId, Box<dyn Agent>)>,
    /// The ports before which agents stand.
    pub interceptors: BTreeMap<LinkId, Interceptor>,
    /// The ports that take everything, because agents mind their room.
    pub unbounded: BTreeSet<LinkId>,
    /// The links whose capacity agents share out, in order: they have accounts, and their ports are control channels.
    pub shared: Vec<LinkId>,
    /// Links by which agents let data come to a node, instead of the last ones of its paths.
    pub arrivals: BTreeMap<NodeId, Vec<LinkId>>,
}

impl AgentSetup {
    /// Every agent stands at ports of its own node only.
    pub fn check(&self, network: &Network) {
        let name = |node: NodeId| &network.nodes[node.index()].name;
        for (id, interceptor) in &self.interceptors {
            let link = &network.links[id.index()];
            let agent = self.agents.get(interceptor.agent as usize);
            let node = agent.map(|(node, _)| *node);
            assert!(
                node == Some(link.from),
                "agent {} of node {:?} stands at the port of {:?}, which node {:?} owns",
                interceptor.agent,
                node.map(name),
                link.name,
                name(link.from)
            );
        }
    }
}

/// What agents are made on: the network with the paths of its flows, to which they add their own.
pub struct BuildContext<'a> {
    /// The network.
    pub network: &'a Network,
    /// All flows.
    pub flows: &'a [Flow],
    /// How they send.
    pub transports: &'a [Transport],
    /// Of what senders are told.
    pub news: &'a [LinkNews],
    /// Where the array of paths has the way and the way back of each flow.
    pub paths: &'a [(u32, u32)],
    /// The array of paths as links; `None` ends a path. What is laid here is not in it.
    pub laid: &'a [Option<LinkId>],
    /// For streams of random numbers.
    pub seed: Seed,
    pub(crate) add: &'a mut dyn FnMut(&[LinkId]) -> u32,
}

impl BuildContext<'_> {
    /// Lays a path in the array of paths, for packets to be put on, and gives its position there.
    pub fn add_path(&mut self, links: &[LinkId]) -> u32 {
        (self.add)(links)
    }

    /// A way for messages of an agent at `node`.
    pub fn agent_path(&mut self, node: NodeId, links: &[LinkId]) -> AgentPath {
        if let Some(first) = links.first() {
            self.check(node, *first);
        }
        AgentPath(self.add_path(links))
    }

    /// A port for an agent at `node`.
    pub fn port(&mut self, node: NodeId, link: LinkId) -> LocalPort {
        self.check(node, link);
        LocalPort(self.add_path(&[link]))
    }

    /// An agent has the ports of its own node only.
    fn check(&self, node: NodeId, link: LinkId) {
        let name = |node: NodeId| &self.network.nodes[node.index()].name;
        let link = &self.network.links[link.index()];
        let (agent, owner) = (name(node), name(link.from));
        assert!(
            link.from == node,
            "an agent of node {agent:?} asks for the port of {:?}, which node {owner:?} owns",
            link.name
        );
    }
}
