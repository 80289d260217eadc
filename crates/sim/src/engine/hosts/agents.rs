//! Agents at the nodes of a partition: called when their deadlines come, and with what reaches them.

use super::Hosts;
use crate::engine::agent::{Agent, Message};
use crate::engine::arena::Arena;
use crate::engine::bench::Bench;
use crate::engine::ledger::Ledger;
use crate::engine::net::Net;
use crate::engine::offer::Intake;
use crate::engine::packet::Packet;
use crate::engine::tree::NEVER;

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
    fn arm(&mut self, place: u32, net: &mut Net) {
        let deadline = self.agent.next_timeout();
        if deadline != self.armed {
            self.armed = deadline;
            net.set_agent(place, deadline);
        }
    }
}

impl Hosts {
    /// Takes over the agents, all of which are here.
    pub fn install(&mut self, agents: Vec<(u32, Box<dyn Agent>)>) {
        let hosted = |(node, agent)| HostedAgent { node, armed: NEVER, agent };
        self.agents = Arena::all(agents.into_iter().map(hosted).collect());
    }

    /// Puts the deadlines of all agents into an event list that does not have them.
    pub fn arm_agents(&mut self, net: &mut Net) {
        self.arm_some_agents(0..self.agents.len() as u32, net);
    }

    /// The same of the agents at these places.
    pub fn arm_some_agents(&mut self, places: impl Iterator<Item = u32>, net: &mut Net) {
        for place in places {
            let hosted = &mut self.agents.items_mut()[place as usize];
            hosted.armed = hosted.agent.next_timeout();
            net.set_agent(place, hosted.armed);
        }
    }

    /// The deadline of the agent at this place has come.
    pub fn call_agent(&mut self, now: u64, place: u32, net: &mut Net) {
        let hosted = &mut self.agents.items_mut()[place as usize];
        hosted.agent.handle_timeout(now, &mut Bench::new(hosted.node, net, &mut self.emitted));
        hosted.arm(place, net);
    }

    /// An agent takes a packet before a port of its node.
    pub fn give_to_agent(&mut self, now: u64, intake: Intake, packet: &Packet, net: &mut Net) {
        let place = self.agents.place(intake.agent);
        let hosted = &mut self.agents.items_mut()[place];
        let mut bench = Bench::new(hosted.node, net, &mut self.emitted);
        hosted.agent.handle_packet(now, intake.place, packet, &mut bench);
        hosted.arm(place as u32, net);
    }

    /// An agent is given a message.
    pub fn give_message(&mut self, now: u64, agent: u32, message: Message, net: &mut Net) {
        let place = self.agents.place(agent);
        let hosted = &mut self.agents.items_mut()[place];
        hosted.agent.handle_message(now, message, &mut Bench::new(hosted.node, net, &mut self.emitted));
        hosted.arm(place as u32, net);
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
    pub fn account(&self, ledger: &mut Ledger) {
        self.agents.items().iter().for_each(|hosted| hosted.agent.account(ledger));
    }
}
