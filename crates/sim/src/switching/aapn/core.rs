//! The core node of an agile all-photonic network: it schedules a frame from the requests of its edge nodes, and grants
//! slots.
//!
//! Its switch needs no agent: the light of a slot passes it without a stop, and what comes outside its window was
//! marked where it was sent.

use super::plan::{SlotFrame, Spare};
use super::spare::Shares;
use super::wavelengths::{Wavelengths, granted};
use super::{Notice, SlotRange};
use crate::engine::node::agent::Agent;
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::message::Message;
use control::allowance::Terms;
use control::scheduler::{FrameScheduler, Requests, Schedule};
use std::collections::BTreeMap;
use std::fmt;

/// Senders do not follow what they are told at once: so many frames at least pass until the use of slots shows.
const FOLLOWED_IN: u32 = 6;

/// The agent of a core node.
pub struct CoreNode {
    frame: SlotFrame,
    wavelengths: Wavelengths,
    scheduler: FrameScheduler,
    shares: Shares,
    /// It schedules this long after the beginning of a frame.
    after: u64,
    /// It schedules for the frame this many frames later.
    lag: u64,
    downlinks: Vec<Downlink>,
    /// What each edge node asked for last, and in which frame.
    requests: Vec<(u64, Box<[u32]>)>,
    /// The frame at which it schedules next.
    next: u64,
    /// Grants that leave later, by time and edge node.
    grants: BTreeMap<(u64, u32), Grant>,
}

/// How a core node schedules.
pub struct Rules {
    /// Slots and frames.
    pub frame: SlotFrame,
    /// Which wavelengths have light.
    pub(super) wavelengths: Wavelengths,
    /// The scheduler.
    pub scheduler: FrameScheduler,
    /// How what is too much is shared; None: evenly.
    pub weights: Option<Requests>,
    /// What happens to slots nobody asked for.
    pub spare: Spare,
    /// It schedules this long after the beginning of a frame.
    pub after: u64,
    /// It schedules for the frame this many frames later.
    pub lag: u64,
}

/// A grant: the frame, and the slots.
type Grant = (u64, Vec<SlotRange>);

/// The way to an edge node.
#[derive(Clone, Copy, Debug)]
pub struct Downlink {
    /// The path.
    pub way: AgentPath,
    /// The agent there.
    pub agent: u32,
    /// Grants leave this long after the beginning of the frame in which they were asked for.
    pub after: u64,
}

impl Agent for CoreNode {
    fn next_timeout(&self) -> u64 {
        let grant = self.grants.first_key_value().map_or(u64::MAX, |((leaves, _), _)| *leaves);
        self.schedules().min(grant)
    }

    /// Schedules, and sends the grants that are due.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if self.schedules() <= now {
            self.schedule();
        }
        while let Some(grant) = self.grants.first_entry().filter(|grant| grant.key().0 <= now) {
            let ((_, edge), (frame, runs)) = grant.remove_entry();
            let Downlink { way, agent, .. } = self.downlinks[edge as usize];
            let size = self.frame.grant_size() as u16;
            let message = Message::new(Notice::Grant { frame, runs });
            context.send(now, ControlPacket { to: agent, way, size, number: frame, message });
        }
    }

    fn handle_message(&mut self, _: u64, message: Message, _: &mut NodeContext) {
        if let Some(Notice::Request { edge, frame, slots, unused }) = message.open() {
            self.shares.hear(edge as usize, &unused);
            self.handle_request(edge, frame, slots);
        }
    }
}

impl CoreNode {
    /// A core node that has heard of nobody.
    pub fn new(rules: Rules, downlinks: Vec<Downlink>) -> CoreNode {
        let Rules { frame, wavelengths, scheduler, weights, spare, after, lag } = rules;
        // Requests for a frame are heard when the one before has ended.
        let frames = u32::try_from(lag).unwrap_or(u32::MAX).saturating_add(1).max(FOLLOWED_IN);
        let terms = Terms { slots: frame.slots_of_a_node(frame.wavelengths), frames };
        let shares = Shares::new(spare, weights, downlinks.len(), terms);
        let requests = vec![(u64::MAX, Box::default()); downlinks.len()];
        CoreNode {
            frame,
            wavelengths,
            scheduler,
            shares,
            after,
            lag,
            downlinks,
            requests,
            next: 0,
            grants: BTreeMap::new(),
        }
    }

    fn schedules(&self) -> u64 {
        self.next.saturating_mul(self.frame.length()).saturating_add(self.after)
    }

    /// An edge node asks for slots.
    fn handle_request(&mut self, edge: u32, frame: u64, slots: Box<[u32]>) {
        if let Some(known) = self.requests.get_mut(edge as usize) {
            *known = (frame, slots);
        }
    }

    fn schedule(&mut self) {
        let (asked, nodes) = (self.next, self.downlinks.len());
        let (begins, now) = (asked.saturating_mul(self.frame.length()), self.schedules());
        self.next += 1;
        let mut slots = vec![0; nodes * nodes];
        // A request that got lost asks for nothing.
        for (edge, (_, row)) in self.requests.iter().enumerate().filter(|(_, (frame, _))| *frame == asked) {
            slots[edge * nodes..][..row.len()].copy_from_slice(row);
        }
        let lit = self.wavelengths.lit(now);
        let slots_of_a_node = self.frame.slots_of_a_node(lit.len() as u32);
        let grants = match slots_of_a_node {
            0 => vec![Vec::new(); nodes],
            _ => granted(&self.scheduled(asked, slots, slots_of_a_node), self.frame, &lit),
        };
        for (edge, runs) in (0..).zip(grants) {
            let leaves = begins.saturating_add(self.downlinks[edge as usize].after);
            self.grants.insert((leaves, edge), (asked + self.lag, runs));
        }
    }

    /// The schedule of a frame in which every edge node can send in `frame` slots.
    fn scheduled(&mut self, asked: u64, slots: Vec<u32>, frame: u32) -> Schedule {
        let nodes = self.downlinks.len();
        let requests = Requests::new(nodes, slots).expect("a resolved network has edge nodes, and not too many");
        let requests = self.shares.share(requests, frame, asked);
        self.scheduler.schedule(&requests, frame).expect("a resolved frame is neither empty nor too long")
    }
}

impl fmt::Debug for CoreNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CoreNode").field("next", &self.next).finish_non_exhaustive()
    }
}
