//! Overlaid stars, simulated: the agents of an edge node, one for each core node, share what they know, and a queue
//! whose star fails sends in the slots of another one. [`Overlay`] decides, the machine that the processes have too.
//!
//! A queue belongs to one star; its packets stay in it and its link keeps its delay, whichever core node they cross.

use super::super::queue::Queue;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use control::signalling::{Node, Overlay, StarPatience};
use control::wire::NodeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use units::Instant;

/// What an agent knows of its star.
#[derive(Clone, Debug, Default)]
struct Known {
    patience: Option<StarPatience>,
    served: Option<Instant>,
    /// Who takes part.
    members: Vec<NodeId>,
}

/// A queue of one star that sends, or may soon send, in another.
#[derive(Clone, Copy, Debug)]
struct Guest {
    star: usize,
    port: LocalPort,
    /// Its slots are only asked for yet.
    expected: bool,
}

/// What the agents of an edge node share.
#[derive(Debug, Default)]
pub(super) struct Board {
    known: Vec<Known>,
    /// By the star that is left and the destination.
    guests: BTreeMap<(usize, u32), Guest>,
    /// Until when windows were opened, by star and destination of the queue: they come in the order of time.
    opened: BTreeMap<(usize, u32), u64>,
}

impl Board {
    /// The board of an edge node at so many core nodes.
    pub(super) fn new(stars: usize) -> Arc<Mutex<Board>> {
        Arc::new(Mutex::new(Board { known: vec![Known::default(); stars], ..Board::default() }))
    }

    /// Queues of other stars with this destination that a star serves.
    fn guests_of(&self, star: usize, to: u32) -> impl Iterator<Item = (usize, Guest)> {
        let here = move |((_, of), guest): &(&(usize, u32), &Guest)| guest.star == star && *of == to;
        self.guests.iter().filter(here).map(|((home, _), guest)| (*home, *guest))
    }
}

/// The stars as the agent of one of them sees them.
#[derive(Debug)]
pub(super) struct Stars {
    board: Arc<Mutex<Board>>,
    star: usize,
    overlay: Overlay,
    /// Whose turn it is among the queues that share a star's slots.
    turn: usize,
    /// Queues that went to another star.
    pub(super) moved: u64,
}

impl Stars {
    pub(super) fn new(board: Arc<Mutex<Board>>, node: NodeId, star: usize) -> Stars {
        let stars = board.lock().unwrap_or_else(PoisonError::into_inner).known.len();
        Stars { board, star, overlay: Overlay::at_home(node, stars, star), turn: 0, moved: 0 }
    }

    /// A frame begins: says what this star does, hears of the others, and moves queues. Those of this star that go, and
    /// to which one.
    pub(super) fn look(&mut self, now: Instant, machine: Option<&Node>, queues: &[Queue]) -> Vec<(NodeId, usize)> {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.known[self.star] = machine.map_or_else(Known::default, |machine| Known {
            patience: machine.network().map(StarPatience::of),
            served: machine.served_at(),
            members: queues
                .iter()
                .map(|queue| NodeId(queue.to as u16))
                .filter(|to| machine.is_member_active(*to))
                .collect(),
        });
        for (star, known) in board.known.iter().enumerate() {
            let Some(patience) = known.patience else { continue };
            self.overlay.learn(star, patience);
            known.served.into_iter().for_each(|at| self.overlay.served(star, at));
            known.members.iter().for_each(|to| self.overlay.met(star, *to, now));
        }
        let moves = self.overlay.decide(now);
        let own = moves.iter().filter(|made| made.from == self.star).map(|made| (made.to, made.into));
        let own: Vec<(NodeId, usize)> = own.collect();
        self.moved += own.len() as u64;
        for queue in queues {
            let to = NodeId(queue.to as u16);
            let (at, ahead) = (self.overlay.star_of(to), self.overlay.also_asks(to, now));
            let guest = |star: usize, expected: bool| Guest { star, port: queue.port, expected };
            let guest = (at != self.star).then(|| guest(at, false)).or(ahead.map(|star| guest(star, true)));
            match guest {
                Some(guest) => board.guests.insert((self.star, queue.to), guest),
                None => board.guests.remove(&(self.star, queue.to)),
            };
        }
        own
    }

    /// Whether the queue to a node sends in its own star.
    pub(super) fn is_at_home(&self, to: u32) -> bool {
        self.overlay.star_of(NodeId(to as u16)) == self.star
    }

    /// Whether the slots of this star to a node are those of its own queue alone.
    pub(super) fn has_no_guests(&self, to: u32) -> bool {
        let board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_at_home(to) && board.guests_of(self.star, to).next().is_none()
    }

    /// Bytes that wait in queues of other stars for slots of this one.
    pub(super) fn held_by_guests(&self, to: u32, context: &NodeContext) -> u64 {
        let board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.guests_of(self.star, to).map(|(_, guest)| context.port(guest.port).held_bytes()).sum()
    }

    /// The queue that sends in a window of this star: its own and its guests take turns, as far as something waits.
    /// None: it would be before one that the queue has.
    pub(super) fn turn(&mut self, own: &Queue, window: (u64, u64), context: &NodeContext) -> Option<LocalPort> {
        let (start, end) = window;
        let at_home = self.is_at_home(own.to);
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        let mut queues: Vec<(usize, LocalPort)> = at_home.then_some((self.star, own.port)).into_iter().collect();
        let here = board.guests_of(self.star, own.to).filter(|(_, guest)| !guest.expected);
        queues.extend(here.map(|(home, guest)| (home, guest.port)));
        queues.retain(|(home, _)| board.opened.get(&(*home, own.to)).is_none_or(|until| *until <= start));
        let waits: Vec<_> = queues.iter().filter(|(_, port)| context.port(*port).held_bytes() > 0).collect();
        self.turn = self.turn.wrapping_add(1);
        let (home, port) = match waits.len() {
            0 => *queues.first()?,
            several => *waits[self.turn % several],
        };
        // Only queues that have been guests have windows of two stars.
        if home != self.star || board.opened.contains_key(&(home, own.to)) {
            board.opened.insert((home, own.to), end);
        }
        Some(port)
    }
}
