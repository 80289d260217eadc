//! The overlaid stars of a process: by which core each other node is reached. [`Overlay`] decides; here it hears of the
//! machines, and what waits is moved.

use crate::config::{NodeFile, Refusal, input};
use crate::histogram::{Errors, Quantiles};
use crate::side::Side;
use crate::sys::time::Nanos;
use control::signalling::{Move, Overlay, StarPatience};
use control::wire::NodeId;
use std::collections::BTreeMap;
use units::{Duration, Instant};

/// The stars are looked at so often in a frame.
const LOOKS: u64 = 4;
/// Until a network is known, so often.
const FIRST_LOOKS: Nanos = 5_000_000;

/// Pairs that came to a star, and that left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moves {
    pub(crate) came: u64,
    pub(crate) left: u64,
}

/// The stars.
pub(crate) struct Stars {
    overlay: Overlay,
    timeout: Option<Duration>,
    hold_down: Option<Duration>,
    /// When they are looked at next, by the machine's clock.
    next: Nanos,
    moves: Vec<Moves>,
    /// Pairs of which no light has left yet in their new star, and when the old one last said something.
    waiting: BTreeMap<u16, (usize, Instant)>,
    recovery: Errors,
}

impl Stars {
    pub(crate) fn new(file: &NodeFile) -> Stars {
        Stars {
            overlay: Overlay::new(NodeId(file.node), file.star.len()),
            timeout: file.star_timeout,
            hold_down: file.star_hold_down,
            next: 0,
            moves: vec![Moves::default(); file.star.len()],
            waiting: BTreeMap::new(),
            recovery: Errors::new(),
        }
    }

    /// The star by which a node is reached.
    pub(crate) fn star_of(&self, to: u16) -> usize {
        self.overlay.star_of(NodeId(to))
    }

    /// When they are to be looked at; never with one alone.
    pub(crate) fn next_timeout(&self) -> Nanos {
        if self.moves.len() > 1 { self.next } else { Nanos::MAX }
    }

    /// Hears what the machines know, and moves pairs: what happened, in words. `now` is the machine's time, and as the
    /// node's clock shows it.
    pub(crate) fn look(&mut self, now: (Nanos, Instant), sides: &mut [Side]) -> Result<Look, Refusal> {
        let ((real, shown), mut look) = (now, Look::default());
        if self.next_timeout() > real {
            return Ok(look);
        }
        let mut shortest = FIRST_LOOKS;
        for (star, side) in sides.iter().enumerate() {
            let Some(network) = side.machine.network() else { continue };
            shortest = shortest.max((network.frame().ps() / LOOKS / 1000) as Nanos);
            if self.overlay.patience(star).is_none() {
                self.overlay.learn(star, self.patience(side)?);
            }
            self.overlay.hear(star, &side.machine, shown);
        }
        self.next = real + shortest;
        let moves = self.overlay.decide(shown);
        look.moves.clone_from(&moves);
        for made in &moves {
            look.dropped += self.carry_over(made, sides);
        }
        look.events = self.words(&moves);
        self.ask_ahead(shown, sides);
        Ok(look)
    }

    fn patience(&self, side: &Side) -> Result<StarPatience, Refusal> {
        let Some(network) = side.machine.network() else { return Err(Refusal::Failure("no network".into())) };
        let wrong = |why: control::signalling::TooShort| {
            input(format!("star_timeout is \"{}\"; allowed: at least \"{}\" in this network", why.found, why.least))
        };
        let mut patience = match self.timeout {
            Some(timeout) => StarPatience::with_timeout(network, timeout).map_err(wrong)?,
            None => StarPatience::of(network),
        };
        patience.hold_down = self.hold_down.unwrap_or(patience.hold_down);
        Ok(patience)
    }

    /// What waits for a node goes to its new star; how many slots found no room there.
    fn carry_over(&mut self, made: &Move, sides: &mut [Side]) -> u64 {
        let to = made.to;
        self.moves[made.from].left += 1;
        self.moves[made.into].came += 1;
        match made.since.filter(|_| made.into != self.overlay.home(to)) {
            Some(since) => self.waiting.insert(to.0, (made.into, since)),
            None => self.waiting.remove(&to.0),
        };
        let from = &mut sides[made.from];
        from.packer.close_all();
        let mut dropped = from.enqueue();
        for datagrams in from.machine.withdraw(to) {
            let into = &mut sides[made.into];
            let full = into.room(to.0) == 0 || into.machine.enqueue_datagrams(to, datagrams).is_err();
            dropped += u64::from(full);
        }
        dropped
    }

    /// What may soon be moved is asked for where it would go.
    fn ask_ahead(&mut self, now: Instant, sides: &mut [Side]) {
        let Some(network) = sides.iter().find_map(|side| side.machine.network()) else { return };
        let members: Vec<NodeId> = network.members.iter().map(|member| member.node).collect();
        for to in members {
            let waiting = sides[self.overlay.star_of(to)].machine.waiting(to);
            let also = self.overlay.also_asks(to, now);
            for (star, side) in sides.iter_mut().enumerate() {
                side.machine.expect(to, if also == Some(star) { waiting } else { 0 });
            }
        }
    }

    /// Light for a node leaves in a star.
    pub(crate) fn departs(&mut self, star: usize, to: u16, at: Instant) {
        if let Some((_, since)) = self.waiting.get(&to).copied().filter(|(into, _)| *into == star) {
            self.waiting.remove(&to);
            self.recovery.record(at.saturating_since(since).ps().min(i64::MAX as u64) as i64);
        }
    }

    fn words(&self, moves: &[Move]) -> Vec<String> {
        let mut groups: BTreeMap<(usize, usize, bool), Vec<String>> = BTreeMap::new();
        for made in moves {
            let home = made.into == self.overlay.home(made.to);
            groups.entry((made.from, made.into, home)).or_default().push(made.to.0.to_string());
        }
        let words = |((from, into, home), nodes): ((usize, usize, bool), Vec<String>)| {
            let by = if nodes.len() > 1 { "are reached" } else { "is reached" };
            let nodes = format!("node{} {}", if nodes.len() > 1 { "s" } else { "" }, nodes.join(", "));
            let known = self.overlay.patience(if home { into } else { from });
            let seconds = |time: fn(&StarPatience) -> Duration| {
                known.as_ref().map_or("?".into(), |known| format!("{:.3} s", time(known).ps() as f64 / 1e12))
            };
            match home {
                true => format!(
                    "star {into} has served again for {}: {nodes} {by} by it, no more by star {from}",
                    seconds(|known| known.hold_down)
                ),
                false => format!(
                    "star {from} has given no light or terms for {}: {nodes} {by} by star {into}",
                    seconds(|known| known.timeout)
                ),
            }
        };
        groups.into_iter().map(words).collect()
    }

    /// Whether a star serves this node, and the moves from and to it.
    pub(crate) fn account(&self, star: usize, now: Instant) -> (bool, Moves) {
        (self.overlay.is_up(star, now), self.moves[star])
    }

    /// What a star's time-out is, once its network is known.
    pub(crate) fn timeout(&self, star: usize) -> Option<Duration> {
        self.overlay.patience(star).map(|patience| patience.timeout)
    }

    /// From the last word of a star until the first light of a pair in the other one.
    pub(crate) fn recovery(&self) -> Quantiles {
        self.recovery.quantiles()
    }
}

/// What a look has led to.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub(crate) moves: Vec<Move>,
    pub(crate) events: Vec<String>,
    pub(crate) dropped: u64,
}
