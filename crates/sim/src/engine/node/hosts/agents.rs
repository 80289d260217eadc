//! Agents at the nodes of a partition: called when their deadlines come, and with what reaches them.

use super::Hosts;
use super::work::Working;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::Counters;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::admission::Interceptor;
use crate::engine::packet::containers::PerAgent;
use crate::engine::packet::message::Message;
use crate::engine::packet::{NEVER, Packet};

/// An agent, its node and its deadline.
#[derive(Debug)]
pub struct HostedAgent {
    /// Where it stands.
    pub node: u32,
    /// When the event list has it; [`NEVER`] if it has not.
    pub armed: u64,
    /// The agent.
    pub agent: Box<dyn Agent>,
}

impl HostedAgent {
    /// The agent may have changed its deadline.
    #[inline]
    fn arm(&mut self, place: u32, fabric: &mut Fabric) {
        let deadline = self.agent.next_timeout();
        if deadline != self.armed {
            self.armed = deadline;
            fabric.set_agent(place, deadline);
        }
    }
}

impl Hosts {
    /// Takes over the agents, all of which are here, and the work.
    pub fn install(&mut self, agents: Vec<(u32, Box<dyn Agent>)>, work: Working) {
        self.install_work(work);
        let hosted = |(node, agent)| HostedAgent { node, armed: NEVER, agent };
        self.agents = PerAgent::all(agents.into_iter().map(hosted).collect());
    }

    /// Puts the deadlines of all agents into an event list that does not have them.
    pub fn arm_agents(&mut self, fabric: &mut Fabric) {
        self.arm_some_agents(0..self.agents.len() as u32, fabric);
    }

    /// The same of the agents at these places.
    pub fn arm_some_agents(&mut self, places: impl Iterator<Item = u32>, fabric: &mut Fabric) {
        for place in places {
            let hosted = &mut self.agents.items_mut()[place as usize];
            hosted.armed = hosted.agent.next_timeout();
            fabric.set_agent(place, hosted.armed);
        }
    }

    /// The deadline of the agent at this place has come.
    pub fn call_agent(&mut self, now: u64, place: u32, fabric: &mut Fabric) {
        let hosted = &mut self.agents.items_mut()[place as usize];
        hosted.agent.handle_timeout(now, &mut NodeContext::new(hosted.node, fabric, &mut self.emitted));
        hosted.arm(place, fabric);
    }

    /// An agent takes a packet before a port of its node.
    pub fn give_to_agent(&mut self, now: u64, interceptor: Interceptor, packet: &Packet, fabric: &mut Fabric) {
        let place = self.agents.place(interceptor.agent);
        let hosted = &mut self.agents.items_mut()[place];
        let mut context = NodeContext::new(hosted.node, fabric, &mut self.emitted);
        hosted.agent.handle_packet(now, interceptor.place, packet, &mut context);
        hosted.arm(place as u32, fabric);
    }

    /// An agent is given a message.
    pub fn give_message(&mut self, now: u64, agent: u32, message: Message, fabric: &mut Fabric) {
        let place = self.agents.place(agent);
        let hosted = &mut self.agents.items_mut()[place];
        hosted.agent.handle_message(now, message, &mut NodeContext::new(hosted.node, fabric, &mut self.emitted));
        hosted.arm(place as u32, fabric);
    }

    /// Whether there is one here.
    pub fn have_agents(&self) -> bool {
        self.agents.len() > 0
    }

    /// Packets that agents keep.
    pub fn kept(&self) -> i64 {
        self.agents.items().iter().map(|hosted| hosted.agent.kept()).sum()
    }

    /// Packets that agents have made by cutting others.
    pub fn cut(&self) -> i64 {
        self.agents.items().iter().map(|hosted| hosted.agent.cut()).sum()
    }

    /// Adds what each agent has counted.
    pub fn account(&self, counters: &mut Counters) {
        self.agents.items().iter().for_each(|hosted| hosted.agent.account(counters));
    }
}
