//! Optical packet switching with a handful of packets of optical RAM, and paced XCP macroflows (Alparslan, Arakawa,
//! Murata: paper 002).
//!
//! | file | holds |
//! |---|---|
//! | `builder` | who gets an agent, what it is made on, and what a control of the edge nodes answers it |
//! | `check`, `macroflow_check`, `edge_site` | the keys against the network, those of macroflows, and what those of a
//! control are checked against |
//! | `edges` | which control the edge nodes have |
//! | `core_control` | the part of such a control at core nodes |
//! | `dlcc/` | the control by notifications of losses: paper 000 |
//! | `macroflows`, `edge` | the control by macroflows; its edge node: their pacing and probes |
//! | `membership` | which packets belong to which macroflow |
//! | `queue` | what waits in a macroflow |
//! | `path_selection` | the edge node without macroflows where there are several wavelengths |
//! | `core` | the core node |
//! | `control` | the control wavelength: controllers, and the ways of probes |
//! | `store`, `ram`, `slots`, `lines` | packets that meet at a core node; when it is congested, and who is marked |
//! | `arrivals` | the order in which the arrivals of a slot get places |
//! | `demands` | who sends where, and on which wavelength |
//! | `routes` | the same way on each wavelength |
//!
//! A core output with one wavelength, or whose wavelengths share nothing, is an ordinary port: its buffer is the
//! optical RAM. Where core nodes cut through, the fibres to them tell when a packet's *first* bit arrives; the output
//! may begin at once, because it has the rate of the input.
//!
//! Left out: processing and set-up times of the switch, conversion in a network with macroflows (their controllers are
//! those of one wavelength each), changes of links during a run.

mod arrivals;
mod builder;
mod check;
mod control;
mod core;
mod core_control;
mod demands;
pub mod dlcc;
mod edge;
mod edge_site;
mod edges;
mod keys;
mod lines;
mod macroflow_check;
mod macroflows;
mod membership;
mod path_selection;
pub mod plan;
#[cfg(test)]
pub(crate) mod quench;
mod queue;
mod ram;
mod routes;
mod slots;
mod store;

pub(super) use check::check;
pub use keys::OpsSwitching as Keys;

use self::builder::{Builder, EdgeControl};
use self::edges::EdgeRules;
use self::plan::Switches;
use super::kind::{self, Kind, Wording};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::model::{Lane, Light, LinkId, Network, PortRule, Role};
use crate::queue::Config as Discipline;
use crate::results::Figure;
use transport::xcp::Probe;

pub(super) const KIND: Kind = Kind::new();

/// Optical packet switching, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Ops {
    /// The switches, and what carries data between them.
    pub switches: Switches,
    /// What edge nodes do.
    pub edge: EdgeRules,
}

impl kind::Plan for Ops {
    /// Where packets of light travel, the far end waits for their last bit or for their first.
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let [from, to] = [link.from, link.to].map(|node| network.nodes[node.index()].role);
        let is_data = link.lane != Lane::Control && from != Role::Host && to != Role::Host;
        let light = match (is_data, self.switches.cut_through && to == Role::Core) {
            (false, _) => Light::None,
            (true, false) => Light::LastBit,
            (true, true) => Light::FirstBit,
        };
        let rule = PortRule::of(link);
        // Where an agent keeps the packets it minds the threshold too.
        let is_store_s = self.switches.needs_store() && is_data && from == Role::Core;
        let queue = if is_store_s { Discipline::DropTail } else { rule.queue };
        PortRule { light, queue, ..rule }
    }

    /// The agents of the network's edge and core nodes, where they have something to do.
    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        self.equip_with(self.edge.control(), build)
    }

    fn echoes(&self) -> Option<&'static str> {
        self.edge.echoes()
    }

    /// What the control of the edge nodes has counted, and the reasons for which it drops packets.
    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        self.edge.control().map_or(Vec::new(), |control| control.figures(before, after))
    }

    fn wording(&self) -> Wording {
        Wording { unit: "unit", causes: self.edge.control().map_or(&[], |control| control.causes()) }
    }
}

/// What nodes tell one another.
#[derive(Clone, Copy, Debug)]
pub enum Notice {
    /// A probe of a macroflow is on its way from node to node.
    Probe {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
    /// A probe of a macroflow comes back.
    Feedback {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
}

impl Ops {
    /// The agents of the network with this control of the edge nodes.
    fn equip_with(&self, edge_control: Option<&dyn EdgeControl>, build: &mut BuildContext) -> AgentSetup {
        Builder::new(&self.switches, edge_control, build).agent_setup(build)
    }
}
