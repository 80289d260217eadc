//! The control wavelength at a node: the controllers of its outputs, and the way of each probe.
//!
//! A probe travels from agent to agent over the control wavelength, whose nodes keep it in electronic memory and send
//! it on when they have all of it (paper 002, §2.2). Each node's controller of the wavelength that the macroflow will
//! take writes its feedback; the egress sends the probe back to the ingress without stops.

use super::Notice;
use super::core_control::CoreControl;
use crate::engine::node::node_context::{AgentPath, ControlPacket, LocalPort, NodeContext};
use crate::engine::packet::message::Message;
use std::collections::BTreeMap;
use transport::xcp::Wavelength;
use units::Instant;

/// Bytes of a probe: an IP header and 20 bytes, as many as XCP's congestion header has.
pub const PROBE_SIZE: u16 = 40;

/// The way to another agent.
#[derive(Clone, Copy, Debug)]
pub struct Onward {
    /// The path.
    pub way: AgentPath,
    /// The agent at its end.
    pub agent: u32,
}

/// What a node does with the probes of a macroflow.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// The controller of this output sees them, and they go on.
    Pass(u32, Onward),
    /// They go back.
    Turn(Onward),
}

/// An output of the node and its controller.
#[derive(Debug)]
pub struct ControlledOutput {
    /// Its port.
    pub port: LocalPort,
    /// Absent where no macroflow passes.
    pub controller: Option<Wavelength>,
}

/// What controllers take for the queue of their output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueOf {
    /// Packets that wait for the transmitter.
    #[default]
    Line,
    /// And packets that agents keep for the output.
    LineAndKept,
}

/// The controllers of a node, and its part in the ways of probes.
#[derive(Debug, Default)]
pub struct Control {
    outputs: Vec<ControlledOutput>,
    stops: BTreeMap<u32, Stop>,
    queue: QueueOf,
    /// When the next controller decides.
    next: u64,
}

impl Control {
    /// The controllers of these outputs, and what is done with the probes of each macroflow that comes here.
    pub fn new(outputs: Vec<ControlledOutput>, stops: BTreeMap<u32, Stop>, queue: QueueOf) -> Control {
        let mut control = Control { outputs, stops, queue, next: u64::MAX };
        control.next = control.next_decision();
        control
    }

    /// When the next controller decides.
    pub fn next_timeout(&self) -> u64 {
        self.next
    }

    fn next_decision(&self) -> u64 {
        let controllers = self.outputs.iter().filter_map(|output| output.controller.as_ref());
        controllers.map(|controller| controller.next_timeout().ps()).min().unwrap_or(u64::MAX)
    }

    /// Controllers decide whose interval is over.
    pub fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        for output in &mut self.outputs {
            let Some(controller) = &mut output.controller else { continue };
            if controller.next_timeout().ps() <= now {
                let port = context.port_mut(output.port);
                let kept = if self.queue == QueueOf::LineAndKept { port.take_least_agent_backlog() } else { 0 };
                let queue = port.take_least_backlog(now) + kept;
                controller.handle_timeout(Instant::from_ps(now), port.offered_bytes(), queue);
            }
        }
        self.next = self.next_decision();
    }

    /// A probe has come here, or starts here. It goes on in the memory in which it came.
    pub fn handle_probe(&mut self, now: u64, mut message: Message, context: &mut NodeContext) {
        let Some(Notice::Probe { macroflow, probe }) = message.edit() else { return };
        let macroflow = *macroflow;
        match self.stops.get(&macroflow) {
            Some(Stop::Pass(output, onward)) => {
                if let Some(controller) = &mut self.outputs[*output as usize].controller {
                    controller.handle_probe(probe);
                }
                send(now, *onward, message, context);
            }
            Some(Stop::Turn(onward)) => {
                let answer = Notice::Feedback { macroflow, probe: *probe };
                if let Some(notice) = message.edit() {
                    *notice = answer;
                }
                send(now, *onward, message, context);
            }
            // Nobody sends these.
            None => {}
        }
    }
}

/// A core node sees probes; an edge node gives its own to the controllers and answers feedback besides.
impl CoreControl for Control {
    fn next_timeout(&self) -> u64 {
        Control::next_timeout(self)
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        Control::handle_timeout(self, now, context);
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        self.handle_probe(now, message, context);
    }
}

fn send(now: u64, Onward { way, agent: to }: Onward, message: Message, context: &mut NodeContext) {
    context.send(now, ControlPacket { to, way, size: PROBE_SIZE, number: 0, message });
}
