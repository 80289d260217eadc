//! News of links, and of circuits between racks, to the senders whose data cross them.

use super::{Change, LinkId, Network, NodePair, SimTime, Timeline};
use transport::cc::{NewsWay, PathChange, Turn};
use units::{Duration, Rate};

/// Parts of paths whose changes of capacity are told, and how. Only senders whose window law listens hear of them.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkNews {
    /// Which.
    pub parts: Vec<PathPart>,
    /// Pairs of nodes whose way changes in time, from the first to the second.
    pub pairs: Vec<NodePair>,
    /// How.
    pub told: Telling,
    /// More capacity counts as there so long before it is: the queue of a circuit grows ahead of its day.
    pub ahead: Duration,
    /// By how much it is wrong.
    pub errors: NewsErrors,
}

/// Standard deviations of the normal errors of news, each drawn for each change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewsErrors {
    /// Of the time of a change.
    pub time: Duration,
    /// Of its capacity, as a share of it.
    pub capacity: f64,
}

/// A part of a path: a directed link, or the circuit between two racks.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPart {
    /// Data belong to it whose path has these links in this order. A circuit is known by the way that packets take
    /// while it is not there.
    pub links: Vec<LinkId>,
    /// Its capacity at the start.
    pub first: Rate,
    /// How that changes.
    pub changes: Vec<Timeline>,
}

impl PathPart {
    /// A link, of all that changes.
    pub fn of_link(network: &Network, changes: &[Timeline], link: LinkId) -> PathPart {
        let own = changes.iter().filter(|timeline| timeline.link == link).cloned().collect();
        PathPart { links: vec![link], first: network.links[link.index()].capacity, changes: own }
    }
}

impl LinkNews {
    /// When a sender hears of a change, if not by marks, which come when they come.
    pub fn heard(&self, at: SimTime, turn: Turn) -> Option<SimTime> {
        let ahead = if turn == Turn::Up { self.ahead.ps() } else { 0 };
        self.told.heard(SimTime::from_ps(at.ps().saturating_sub(ahead)))
    }
}

/// How senders are told that a link changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Data packets that leave while the link is not what it was first are marked, and ACKs echo it.
    Mark,
    /// A message of the switch is at the sender so long after the change.
    Message(Duration),
    /// The hosts know the schedule, and so long ahead.
    Schedule(Duration),
}

impl Telling {
    /// In a word.
    pub fn way(self) -> NewsWay {
        match self {
            Telling::Mark => NewsWay::Mark,
            Telling::Message(_) => NewsWay::Message,
            Telling::Schedule(_) => NewsWay::Schedule,
        }
    }

    /// When a sender hears of a change at this time; marks come when they come.
    pub fn heard(self, at: SimTime) -> Option<SimTime> {
        match self {
            Telling::Mark => None,
            Telling::Message(delay) => Some(at + delay),
            Telling::Schedule(lead) => Some(SimTime::from_ps(at.ps().saturating_sub(lead.ps()))),
        }
    }
}

/// The changes of a part's capacity before `end`, in the order of time, as they are told in this way. Whatever changes
/// a path is read here and nowhere else: what several changes do at one instant is one change, and a link that is down
/// or paused carries nothing. Division 0 is the capacity of the start; each other one has its number in the order in
/// which they come.
pub fn path_changes(part: &PathPart, way: NewsWay, end: SimTime) -> Vec<(SimTime, PathChange)> {
    let first = part.first;
    let (mut capacity, mut is_up, mut known, mut before) = (first, true, vec![first], first);
    let mut own: Vec<(SimTime, Change)> = part.changes.iter().flat_map(|timeline| timeline.until(end)).collect();
    own.sort_by_key(|(at, _)| *at);
    let mut changes = Vec::new();
    for at_once in own.chunk_by(|one, next| one.0 == next.0) {
        for (_, change) in at_once {
            match change {
                Change::Capacity(rate, _) => capacity = *rate,
                Change::Up => is_up = true,
                Change::Down(_) => is_up = false,
                Change::Deliver(_) | Change::Told(_) => {}
                Change::Delay(..) | Change::Buffer(_) | Change::Property(..) => {}
            }
        }
        let now = if is_up { capacity } else { Rate::from_bps(0) };
        if now == before {
            continue;
        }
        let turn = Turn::of(before, now);
        let division = (now.bps() > 0).then(|| number_of(now, &mut known));
        let at = at_once[0].0;
        changes.push((
            at,
            PathChange { way, turn, division, capacity: Some(now), base_rtt: None, at: at.on_ideal_clock() },
        ));
        before = now;
    }
    changes
}

/// The number of the division with this capacity, or whatever tells divisions apart.
pub(super) fn number_of<T: PartialEq>(division: T, known: &mut Vec<T>) -> u16 {
    let place = known.iter().position(|one| *one == division).unwrap_or(known.len());
    if place == known.len() {
        known.push(division);
    }
    u16::try_from(place).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Buffer, Lane, Link, MidPacket, NodeId, Step};
    use crate::queue;

    /// The changes of a link of 10 Gb/s, as (ms, up or down, division, Gb/s).
    fn told(events: &[(u64, Change)]) -> Vec<(u64, Turn, Option<u16>, u64)> {
        let link = Link {
            name: String::new(),
            from: NodeId(0),
            to: NodeId(1),
            capacity: gbps(10),
            wavelengths: 1,
            delay: Duration::from_micros(1),
            buffer: Buffer::Unlimited,
            queue: queue::Config::DropTail,
            properties: Default::default(),
            controller: None,
            via: None,
            cost: 1,
            lane: Lane::FIRST,
            telemetry: true,
        };
        let network = Network { links: vec![link.clone(), link], ..Network::default() };
        let at = |ms| SimTime::ZERO + Duration::from_millis(ms);
        let steps = events.iter().map(|(ms, change)| Step { after: Duration::from_millis(*ms), change: *change });
        let own = Timeline { link: LinkId(0), steps: steps.collect(), period: None };
        let down = Step { after: Duration::from_millis(2), change: Change::Down(MidPacket::Cut) };
        let other = Timeline { link: LinkId(1), steps: [down].into(), period: None };
        let part = PathPart::of_link(&network, &[other, own], LinkId(0));
        let changes = path_changes(&part, NewsWay::Message, at(100));
        let of = |change: &PathChange| change.capacity.unwrap().bps() / 1_000_000_000;
        let seen = |(at, one): &(SimTime, PathChange)| (at.ps() / 1_000_000_000, one.turn, one.division, of(one));
        changes.iter().map(seen).collect()
    }

    fn capacity(number: u64) -> Change {
        Change::Capacity(gbps(number), MidPacket::Continue)
    }

    fn gbps(number: u64) -> Rate {
        Rate::from_bps(number * 1_000_000_000)
    }

    #[test]
    fn each_capacity_is_a_division_with_a_number_and_a_link_that_is_down_is_none() {
        let changes = told(&[
            (1, capacity(80)),
            (1, Change::Delay(Duration::from_micros(30), MidPacket::Continue)),
            (2, capacity(10)),
            (3, Change::Down(MidPacket::Cut)),
            (4, capacity(40)),
            (5, Change::Up),
            (6, capacity(80)),
            (7, capacity(0)),
        ]);
        let (up, down) = (Turn::Up, Turn::Down);
        let expected = [
            (1, up, Some(1), 80),
            (2, down, Some(0), 10),
            (3, down, None, 0),
            (5, up, Some(2), 40),
            (6, up, Some(1), 80),
            (7, down, None, 0),
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn what_several_events_do_at_one_instant_is_one_change_and_none_if_it_leaves_what_was_there() {
        let changes = told(&[
            (1, Change::Down(MidPacket::Cut)),
            (1, capacity(80)),
            (1, Change::Up),
            (2, capacity(20)),
            (2, capacity(80)),
        ]);
        assert_eq!(changes, [(1, Turn::Up, Some(1), 80)]);
    }

    #[test]
    fn a_message_comes_later_and_a_schedule_is_known_earlier_but_not_before_the_start() {
        let (at, span) = (SimTime::from_ps(500), Duration::from_ps(700));
        assert_eq!(Telling::Message(span).heard(at), Some(SimTime::from_ps(1200)));
        assert_eq!(Telling::Schedule(span).heard(at), Some(SimTime::ZERO));
        assert_eq!(Telling::Schedule(span).heard(SimTime::from_ps(900)), Some(SimTime::from_ps(200)));
        assert_eq!(Telling::Mark.heard(at), None);
    }

    #[test]
    fn more_capacity_may_count_as_there_before_it_is() {
        let told = Telling::Message(Duration::from_ps(5));
        let (parts, pairs, errors) = (Vec::new(), Vec::new(), NewsErrors::default());
        let news = LinkNews { parts, pairs, told, ahead: Duration::from_ps(30), errors };
        let at = SimTime::from_ps(100);
        assert_eq!(news.heard(at, Turn::Up), Some(SimTime::from_ps(75)));
        assert_eq!(news.heard(at, Turn::Down), Some(SimTime::from_ps(105)));
    }
}
