//! The example of `docs/guide/add-a-switching.md`: the outputs of every core node send in turn, each for a slot. Only
//! tests know it.

use super::kind::{self, Checked, Kind, Site};
use crate::engine::link::gated::Window;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::{Counters, KeyedSums, SumKey};
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::language::keys::{keys, more_than_zero};
use crate::language::{At, Fault, Time};
use crate::model::{LinkId, Network, NodeId, Opening, Packing, PortRule, Role};
use crate::results::Figure;
use units::Duration;

pub(super) const KIND: Kind = Kind::new();

keys! {
    /// The outputs of every core node send in turn.
    pub struct Keys {
        /// How long an output sends before it is the turn of the next.
        pub slot: At<Time>, in more_than_zero();
    }
}

/// Checks the keys against the network.
pub(super) fn check(keys: &Keys, site: Site) -> Result<Checked, Fault> {
    let network = &*site.network;
    let ids = (0..network.nodes.len() as u32).map(NodeId);
    let cores = ids.filter(|node| network.nodes[node.index()].role == Role::Core);
    let of = |node: NodeId| (0..).map(LinkId).zip(&network.links).filter(move |(_, link)| link.from == node);
    let outputs = cores.map(|node| (node, of(node).map(|(id, _)| id).collect::<Vec<_>>()));
    let nodes: Vec<_> = outputs.filter(|(_, outputs)| !outputs.is_empty()).collect();
    if nodes.is_empty() {
        return Err(site.at.fault("no core node has an output; allowed: one at least"));
    }
    Ok(Checked::plan(Turns { slot: keys.slot.0, nodes }))
}

/// The plan: the core nodes with their outputs.
#[derive(Clone, Debug)]
struct Turns {
    slot: Duration,
    nodes: Vec<(NodeId, Vec<LinkId>)>,
}

impl kind::Plan for Turns {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let rule = PortRule::of(&network.links[id.index()]);
        match self.nodes.iter().any(|(_, outputs)| outputs.contains(&id)) {
            true => PortRule { opening: Opening::InWindows(Packing::Whole), ..rule },
            false => rule,
        }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let mut agent_setup = AgentSetup::default();
        for (node, outputs) in &self.nodes {
            let ports = outputs.iter().map(|link| build.port(*node, *link)).collect();
            let agent = Turner { slot: self.slot.ps(), ports, turns: 0 };
            agent_setup.agents.push((*node, Box::new(agent)));
        }
        agent_setup
    }

    fn keeps(&self, _: &Network, id: LinkId, name: &str) -> Option<String> {
        let takes_turns = self.nodes.iter().any(|(_, outputs)| outputs.contains(&id));
        takes_turns.then(|| format!("{name} takes turns and keeps its capacity and delay"))
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        vec![Figure { name: "turns", value: (after.of(Sum::Turns) - before.of(Sum::Turns)) as f64, unit: "1" }]
    }
}

/// What agents sum up.
#[derive(Clone, Copy, Debug)]
enum Sum {
    Turns,
}

impl SumKey for Sum {
    fn place(self) -> usize {
        self as usize
    }
}

/// The agent of a core node.
#[derive(Debug)]
struct Turner {
    /// In picoseconds.
    slot: u64,
    ports: Vec<LocalPort>,
    /// How many so far.
    turns: u64,
}

impl Agent for Turner {
    fn next_timeout(&self) -> u64 {
        self.turns.saturating_mul(self.slot)
    }

    /// It is the turn of the next output.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        let port = self.ports[(self.turns % self.ports.len() as u64) as usize];
        self.turns += 1;
        let own = context.port_mut(port);
        own.begin_cycle(now, 1);
        own.open_windows(Window { start: now, end: now + self.slot, passes: true });
        context.release(now, port);
    }

    fn account(&self, counters: &mut Counters) {
        counters.sums.add(Sum::Turns, self.turns.into());
    }
}
