//! Overlaid stars: through which core a node reaches each other node. "AAPN has adopted an overlaid star topology to
//! overcome the core node failure" (paper 003, §1.1.2); how a pair moves from one star to another is our own.
//!
//! Every pair has a home star, so that its packets stay in order and the stars share the load. A star serves a node by
//! beacons and by terms: an allocation, or for the master a plan that the core accepted. When a star has given a node
//! no beacon, or no terms, for the *time-out*, its pairs are in another star, and so is, for one pair, where the other
//! node does not take part. They leave a frame before: what is moved leaves in the next frame. The pair returns when
//! its home star has served both without a break for the *hold-down*. Silence counts from when the last sign passed the
//! core, over the longest fibre: whichever fibre a node has, it has moved in time.
//!
//! Before that there is the *suspicion*: what waits is asked for in the other star too. When the pair moves, its grants
//! are there. Light needs grants in any star, so nothing that this machine decides can make two slots meet.

use super::{Network, Node};
use crate::wire::NodeId;
use std::collections::BTreeMap;
use units::{Duration, Instant};

/// How long a star may say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarPatience {
    /// After so long it is asked for in another star too.
    pub suspicion: Duration,
    /// After so long at most its pairs are in another star.
    pub timeout: Duration,
    /// After so long they leave.
    leave: Duration,
    /// For so long it must serve without a break before pairs return.
    pub hold_down: Duration,
    /// What a sign may have taken from the core.
    longest: Duration,
}

impl StarPatience {
    /// Hold-down by default, in time-outs.
    const HOLD_DOWN: u64 = 5;

    /// Suspicion is as long as the silence of a slave may be, and what was asked for then is granted at the time-out.
    pub fn of(network: &Network) -> StarPatience {
        let suspicion = network.frame() * network.patience();
        StarPatience::new(network, suspicion, suspicion + StarPatience::reaction(network))
    }

    /// With a time-out of the user's.
    pub fn with_timeout(network: &Network, timeout: Duration) -> Result<StarPatience, TooShort> {
        let least = StarPatience::least(network);
        if timeout < least {
            return Err(TooShort { found: timeout, least });
        }
        let suspicion = timeout.saturating_sub(StarPatience::reaction(network));
        Ok(StarPatience::new(network, suspicion, timeout))
    }

    fn new(network: &Network, suspicion: Duration, timeout: Duration) -> StarPatience {
        let (leave, longest) = (timeout.saturating_sub(network.frame()), network.longest);
        StarPatience { suspicion, timeout, leave, hold_down: timeout * StarPatience::HOLD_DOWN, longest }
    }

    /// The shortest time-out: two frames, in which a sign must come, its ways, and the reaction.
    pub fn least(network: &Network) -> Duration {
        network.frame() * 2 + network.longest * 2 + StarPatience::reaction(network)
    }

    /// From the first request in another star, at most a frame after the suspicion, until its grants are used, and a
    /// frame for what is moved.
    fn reaction(network: &Network) -> Duration {
        network.frame() * (network.answer_lead() + network.use_lead() + 2)
    }
}

/// A time-out that a network cannot keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooShort {
    /// What was asked for.
    pub found: Duration,
    /// The shortest that is allowed.
    pub least: Duration,
}

/// A pair goes to another star.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The other node of the pair.
    pub to: NodeId,
    /// The star that is left.
    pub from: usize,
    /// The star that it uses now.
    pub into: usize,
    /// When the last sign of the star that is left passed its core, if there was one.
    pub since: Option<Instant>,
}

/// Signs of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    /// The last, and the first after which none was missing.
    signs: Option<(Instant, Instant)>,
}

impl Watch {
    fn sign(&mut self, at: Instant, patience: StarPatience) {
        let since = match self.signs {
            Some((last, since)) if at.saturating_since(last) <= patience.leave => since,
            _ => at,
        };
        let last = self.signs.map_or(at, |(last, _)| last.max(at));
        self.signs = Some((last, since));
    }

    fn age(self, now: Instant) -> Duration {
        self.signs.map_or(Duration::MAX, |(last, _)| now.saturating_since(last))
    }

    fn has_held(self, now: Instant, patience: StarPatience) -> bool {
        let held = |(_, since)| now.saturating_since(since) >= patience.hold_down;
        self.age(now) <= patience.leave && self.signs.is_some_and(held)
    }
}

/// What a node knows of one star.
#[derive(Clone, Debug, Default)]
struct Star {
    /// Known with the network.
    patience: Option<StarPatience>,
    serves: Watch,
    /// Who else takes part.
    members: BTreeMap<NodeId, Watch>,
}

impl Star {
    fn watches(&self, to: NodeId) -> [Watch; 2] {
        [self.serves, self.members.get(&to).copied().unwrap_or_default()]
    }

    /// How long ago it last served the pair.
    fn age(&self, to: NodeId, now: Instant) -> Duration {
        self.watches(to).into_iter().map(|watch| watch.age(now)).max().unwrap_or(Duration::MAX)
    }

    fn is_up(&self, to: NodeId, now: Instant) -> bool {
        self.patience.is_some_and(|patience| self.age(to, now) <= patience.leave)
    }

    fn is_suspect(&self, to: NodeId, now: Instant) -> bool {
        self.patience.is_none_or(|patience| self.age(to, now) > patience.suspicion)
    }

    fn has_held(&self, to: NodeId, now: Instant) -> bool {
        self.patience.is_some_and(|patience| self.watches(to).into_iter().all(|watch| watch.has_held(now, patience)))
    }
}

/// The stars of a node.
#[derive(Clone, Debug)]
pub struct Overlay {
    node: NodeId,
    stars: Vec<Star>,
    /// The home of all pairs, where it is not by their numbers.
    home: Option<usize>,
    /// Pairs that are not at home, and where they are.
    away: BTreeMap<NodeId, usize>,
    /// When any star first served.
    began: Option<Instant>,
}

impl Overlay {
    /// A node that has so many stars, one at least.
    pub fn new(node: NodeId, stars: usize) -> Overlay {
        Overlay { node, stars: vec![Star::default(); stars.max(1)], home: None, away: BTreeMap::new(), began: None }
    }

    /// The same where all pairs have one home: the queues of one star, which a simulated node has for each.
    pub fn at_home(node: NodeId, stars: usize, home: usize) -> Overlay {
        Overlay { home: Some(home.min(stars.saturating_sub(1))), ..Overlay::new(node, stars) }
    }

    /// The network of a star is known.
    pub fn learn(&mut self, star: usize, patience: StarPatience) {
        if let Some(found) = self.stars.get_mut(star) {
            found.patience = Some(patience);
        }
    }

    /// What is known of a star's time-outs.
    pub fn patience(&self, star: usize) -> Option<StarPatience> {
        self.stars.get(star)?.patience
    }

    /// A star has served this node: its sign came at `heard`.
    pub fn served(&mut self, star: usize, heard: Instant) {
        let Some(found) = self.stars.get_mut(star) else { return };
        let Some(patience) = found.patience else { return };
        let passed = Instant::from_ps(heard.ps().saturating_sub(patience.longest.ps()));
        found.serves.sign(passed, patience);
        self.began.get_or_insert(passed);
    }

    /// Another node takes part in a star, as is known at `now`.
    pub fn met(&mut self, star: usize, to: NodeId, now: Instant) {
        let Some(found) = self.stars.get_mut(star).filter(|_| to != self.node) else { return };
        if let Some(patience) = found.patience {
            found.members.entry(to).or_default().sign(now, patience);
        }
    }

    /// What the machine of a star knows: when it was served last, and who takes part.
    pub fn hear(&mut self, star: usize, machine: &Node, now: Instant) {
        let Some(network) = machine.network() else { return };
        machine.served_at().into_iter().for_each(|at| self.served(star, at));
        let members = network.members.iter().map(|member| member.node);
        members.filter(|to| machine.is_member_active(*to)).for_each(|to| self.met(star, to, now));
    }

    /// The star that a pair uses as long as it serves.
    pub fn home(&self, to: NodeId) -> usize {
        self.home.unwrap_or((usize::from(to.0) + usize::from(self.node.0)) % self.stars.len())
    }

    /// The star by which a node is reached now.
    pub fn star_of(&self, to: NodeId) -> usize {
        self.away.get(&to).copied().unwrap_or_else(|| self.home(to))
    }

    /// The star in which what waits for a node is asked for too, since its own says nothing.
    pub fn also_asks(&self, to: NodeId, now: Instant) -> Option<usize> {
        let current = self.star_of(to);
        self.stars[current].is_suspect(to, now).then(|| self.other(to, current, |star| !star.is_suspect(to, now)))?
    }

    /// Whether a star serves this node, as far as it knows.
    pub fn is_up(&self, star: usize, now: Instant) -> bool {
        let found = self.stars.get(star);
        found.is_some_and(|star| star.patience.is_some_and(|patience| star.serves.age(now) <= patience.leave))
    }

    /// How many pairs are not at home.
    pub fn pairs_away(&self) -> usize {
        self.away.len()
    }

    /// Moves the pairs that must, or may, move.
    pub fn decide(&mut self, now: Instant) -> Vec<Move> {
        let members: Vec<NodeId> = {
            let all = self.stars.iter().flat_map(|star| star.members.keys());
            let mut all: Vec<NodeId> = all.copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        members.into_iter().filter_map(|to| self.moved(to, now)).collect()
    }

    fn moved(&mut self, to: NodeId, now: Instant) -> Option<Move> {
        let (home, from) = (self.home(to), self.star_of(to));
        let into = if from != home && self.stars[home].has_held(to, now) {
            home
        } else if self.stars[from].is_up(to, now) || self.is_awaited(from, now) {
            return None;
        } else {
            self.other(to, from, |star| star.is_up(to, now))?
        };
        match into == home {
            true => self.away.remove(&to),
            false => self.away.insert(to, into),
        };
        let since =
            self.stars[from].watches(to).into_iter().filter_map(|watch| watch.signs).map(|(last, _)| last).min();
        Some(Move { to, from, into, since })
    }

    /// The first star after `from` for which that holds.
    fn other(&self, to: NodeId, from: usize, holds: impl Fn(&Star) -> bool) -> Option<usize> {
        debug_assert!(to != self.node, "a node has no star to itself");
        let count = self.stars.len();
        (1..count).map(|step| (from + step) % count).find(|star| holds(&self.stars[*star]))
    }

    /// A star that has never served is waited for as long as one that comes back.
    fn is_awaited(&self, star: usize, now: Instant) -> bool {
        let longest = self.stars.iter().filter_map(|star| star.patience).map(|patience| patience.hold_down).max();
        let waits = || self.began.zip(longest).is_some_and(|(began, most)| now.saturating_since(began) < most);
        self.stars[star].serves.signs.is_none() && waits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn at(ms: u64) -> Instant {
        Instant::from_ps(ms * MS)
    }

    fn patience() -> StarPatience {
        let ms = Duration::from_millis;
        StarPatience { suspicion: ms(40), timeout: ms(110), leave: ms(100), hold_down: ms(500), longest: ms(1) }
    }

    /// Node 0 with two stars, which serve it and node 2 every 10 ms where `up` says so; the moves, with their instants.
    fn run(overlay: &mut Overlay, times: std::ops::Range<u64>, up: impl Fn(usize, u64) -> bool) -> Vec<(u64, Move)> {
        let mut moves = Vec::new();
        for ms in times.step_by(10) {
            for star in (0..2).filter(|star| up(*star, ms)) {
                overlay.served(star, at(ms));
                overlay.met(star, NodeId(2), at(ms));
            }
            moves.extend(overlay.decide(at(ms)).into_iter().map(|made| (ms, made)));
        }
        moves
    }

    fn overlay() -> Overlay {
        let mut overlay = Overlay::new(NodeId(0), 2);
        (0..2).for_each(|star| overlay.learn(star, patience()));
        overlay
    }

    /// The last sign, at 3990 ms, passed the core at 3989 at the latest: the pair leaves in the first turn after 4089
    /// ms. It is back when the star has served for 500 ms from 5000 ms on, when the other node was met.
    #[test]
    fn a_pair_has_left_a_star_by_the_time_out_and_returns_after_the_hold_down() {
        let mut overlay = overlay();
        assert_eq!((overlay.home(NodeId(2)), overlay.home(NodeId(1))), (0, 1));
        let moves = run(&mut overlay, 1000..3000, |star, ms| star == 1 || ms >= 1400);
        assert_eq!(moves, [], "what has never served is waited for");
        let moves = run(&mut overlay, 3000..6000, |star, ms| star == 1 || !(4000..5000).contains(&ms));
        let (left, back) = (moves[0], moves[1]);
        assert_eq!(left, (4090, Move { to: NodeId(2), from: 0, into: 1, since: Some(at(3989)) }));
        assert_eq!((back.0, back.1.from, back.1.into), (5500, 1, 0));
        assert_eq!((moves.len(), overlay.pairs_away()), (2, 0));
    }

    #[test]
    fn a_star_that_flaps_keeps_pairs_away() {
        let mut overlay = overlay();
        run(&mut overlay, 1000..3000, |_, _| true);
        // Up for 400 ms, down for 200, again and again: less than the hold-down.
        let moves = run(&mut overlay, 3000..9000, |star, ms| star == 1 || ms % 600 >= 200);
        assert_eq!(moves.len(), 1, "{moves:?}");
        assert_eq!(overlay.star_of(NodeId(2)), 1);
    }

    #[test]
    fn what_waits_is_asked_for_in_the_other_star_from_the_suspicion_on() {
        let mut overlay = overlay();
        run(&mut overlay, 1000..3000, |_, _| true);
        assert_eq!(overlay.also_asks(NodeId(2), at(2990)), None);
        run(&mut overlay, 3000..3050, |star, _| star == 1);
        // The last sign of the other node came at 2990, of the star at 2989.
        assert_eq!(overlay.also_asks(NodeId(2), at(3029)), None);
        assert_eq!(overlay.also_asks(NodeId(2), at(3030)), Some(1));
        run(&mut overlay, 3050..3200, |_, _| false);
        assert_eq!(overlay.also_asks(NodeId(2), at(3200)), None, "both are silent");
        // Star 1 had been silent for less as star 0 was left; then there is nowhere to go.
        assert_eq!(overlay.star_of(NodeId(2)), 1);
    }

    #[test]
    fn a_node_that_is_gone_from_one_star_only_is_reached_by_the_other() {
        let mut overlay = overlay();
        run(&mut overlay, 1000..3000, |_, _| true);
        for ms in (3000..3300).step_by(10) {
            (0..2).for_each(|star| overlay.served(star, at(ms)));
            overlay.met(1, NodeId(2), at(ms));
            (0..2).for_each(|star| overlay.met(star, NodeId(4), at(ms)));
            overlay.decide(at(ms));
        }
        assert_eq!((overlay.star_of(NodeId(2)), overlay.star_of(NodeId(4))), (1, 0));
    }
}
