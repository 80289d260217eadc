//! Node after node instead of event after event, where that is faster.
//!
//! What a node sends arrives no sooner than the least delay of a fibre later. So all that will arrive at a node within a window of that
//! length is on its fibres when the window begins, whatever happens elsewhere meanwhile. In a *round* each node of a partition is
//! taken through one such window in turn: its arrivals are merged from its own few fibres, and its deadlines stand beside them. The
//! list of events of the whole partition is not needed, nor does a fibre that lights up have to be put into it; what one node does
//! again and again stays in the cache and is foreseen by the processor.
//!
//! **Why the results are the same.** Between two nodes no order is stated but that of packets on a fibre, and at one node the
//! order is that of the event list: departures, arrivals by (time, link), agents, timers. A round is a partition of
//! one node for each node, on one thread, whose mail goes straight to the fibres ([decision 0012](../../../../docs/decisions/0012-rounds.md)).
//!
//! **When.** A round costs something for every node and fibre, whether or not anything happens there. So a partition goes by
//! time while little happens in a window, or while somebody watches events in their order, and looks again now and then.

mod stations;
mod turn;

use super::net::{Net, TimerOrder};
use super::partition::{Herald, Partition};
use super::tree::NEVER;
use stations::Stations;

/// In which order a partition handles its events. It does not change the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// Whichever is expected to be faster.
    #[default]
    AsPays,
    /// Event after event.
    ByTime,
    /// Node after node wherever that is possible.
    InRounds,
}

/// Whether a partition goes in rounds, and when it looks whether it should.
#[derive(Debug)]
pub struct Rounds {
    course: Course,
    /// The rounds, while they are on.
    on: Option<Box<Plan>>,
    /// The least delay between two nodes of the partition; `None` if links have changed since it was known.
    lookahead: Option<u64>,
    /// When it looks next.
    next_look: u64,
    /// What it saw when it looked last.
    seen: Seen,
    /// Calls of [`Partition::run`] since then: a window ends where a call does.
    calls: u64,
    /// Rounds so far.
    made: u64,
}

/// What a partition sees when it looks.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    at: u64,
    events: u64,
    hops: u64,
}

/// What a partition in rounds knows.
#[derive(Debug)]
pub(super) struct Plan {
    stations: Stations,
    /// The longest round.
    window: u64,
    /// Room for the arrivals of the station whose turn it is.
    keys: Vec<u64>,
}

/// No round is longer: arrivals within it have their places beside them in one number.
const LONGEST: u64 = 1 << 39;
/// No round has many more events than that, so that nobody waits for its end.
const MOST_EVENTS: u64 = 1 << 16;
/// Windows between the first two looks.
const FIRST_LOOK: u64 = 64;
/// Events between two looks.
const LOOK: u64 = 1 << 14;

impl Rounds {
    /// A partition that goes by time from `reached` on.
    pub fn new(net: &Net, reached: u64) -> Rounds {
        let lookahead = lookahead(net);
        let next_look = reached.saturating_add(lookahead.saturating_mul(FIRST_LOOK));
        let seen = Seen { at: reached, ..Seen::default() };
        Rounds { course: Course::AsPays, on: None, lookahead: Some(lookahead), next_look, seen, calls: 0, made: 0 }
    }

    /// Whether it goes in rounds now.
    #[inline]
    pub fn are_on(&self) -> bool {
        self.on.is_some()
    }

    /// When [`Partition::look`] is to be called.
    #[inline]
    pub fn next_look(&self) -> u64 {
        self.next_look
    }

    /// Rounds so far.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// [`Partition::run`] was called.
    #[inline]
    pub fn note_call(&mut self) {
        self.calls += 1;
    }
}

/// The least delay between two nodes of a partition.
fn lookahead(net: &Net) -> u64 {
    let inside = net.ports.iter().filter(|port| net.ends_here(port));
    inside.map(|port| port.delay()).min().unwrap_or(LONGEST)
}

/// In what time `wanted` things happen, if `seen` of them did in `span`.
fn time_of(wanted: u64, seen: u64, span: u64) -> u64 {
    u64::try_from(u128::from(span) * u128::from(wanted) / u128::from(seen.max(1))).unwrap_or(u64::MAX)
}

impl Partition {
    /// From now on it goes that way.
    pub fn take(&mut self, course: Course) {
        self.rounds.course = course;
        self.rounds.next_look = self.reached.saturating_add(1);
    }

    /// Chooses between rounds and events by time, by what has happened since the last look.
    pub(super) fn look(&mut self) {
        let seen = Seen { at: self.reached, events: self.events, hops: self.net.packet_hops };
        let before = std::mem::replace(&mut self.rounds.seen, seen);
        let (span, events) = ((seen.at - before.at).max(1), seen.events - before.events);
        let calls = std::mem::take(&mut self.rounds.calls).max(1);
        let lookahead = *self.rounds.lookahead.get_or_insert_with(|| lookahead(&self.net));
        let window = lookahead.min(LONGEST).min(time_of(MOST_EVENTS, events, span)).max(1);
        let is_dense = window.min(span / calls) >= time_of(self.worth(), seen.hops - before.hops, span);
        let is_wanted = match self.rounds.course {
            Course::AsPays => is_dense,
            Course::ByTime => false,
            Course::InRounds => true,
        };
        if !is_wanted || !self.may_go_in_rounds() {
            self.end_rounds();
        } else if let Some(plan) = &mut self.rounds.on {
            plan.window = window;
            self.hosts.timers.go_in_rounds(window);
        } else {
            self.begin_rounds(window);
        }
        let next = if events < LOOK / 4 { span.saturating_mul(2) } else { time_of(LOOK, events, span) };
        self.rounds.next_look = self.reached.saturating_add(next.max(window.saturating_mul(FIRST_LOOK)));
    }

    /// How many packets must arrive in a round for it to be worth it: to look at a fibre costs what some one or two of them gain. What has
    /// begun goes on at half of that.
    fn worth(&self) -> u64 {
        let packets = 2 * (u64::from(self.net.entering()) + 1);
        if self.rounds.are_on() { packets / 2 } else { packets }
    }

    /// What has been counted so far is not what happened here.
    pub fn count_from_now(&mut self) {
        self.rounds.seen = Seen { at: self.reached, events: self.events, hops: self.net.packet_hops };
    }

    /// Whether nobody asks for events in their order, timers stand where a turn expects them, behind the arrivals of their instant, and
    /// there are not too many.
    fn may_go_in_rounds(&self) -> bool {
        let is_watched = self.net.is_watched() || self.net.dropped.is_some() || self.hosts.capture.is_some();
        let are_few = self.hosts.timers.may_go_in_rounds(self.site.flows.len());
        !is_watched && are_few && self.net.timer_order() == TimerOrder::AfterArrivals
    }

    /// Rounds of at most `window`, if the numbers of fibres and agents allow it.
    fn begin_rounds(&mut self, window: u64) {
        let Some(stations) = Stations::new(self) else { return };
        self.net.unlist_fibres();
        self.hosts.timers.go_in_rounds(window);
        self.rounds.on = Some(Box::new(Plan { stations, window, keys: Vec::new() }));
    }

    /// A link of the partition is about to change, perhaps its delay: by time until the next look.
    pub fn expect_change(&mut self) {
        self.rounds.lookahead = None;
        self.end_rounds();
    }

    /// Everything goes back into the event list.
    fn end_rounds(&mut self) {
        if self.rounds.on.take().is_some() {
            self.hosts.timers.go_by_time();
            self.net.list_links();
            self.hosts.arm_agents(&mut self.net);
            self.net.set_timers(self.hosts.timers.earliest());
        }
    }

    /// Round after round until `limit`, or until the effort is spent.
    pub(super) fn run_in_rounds(&mut self, limit: u64, effort: &mut u64, herald: Herald) {
        let Some(mut plan) = self.rounds.on.take() else { return };
        while self.reached < limit && *effort > 0 {
            let end = limit.min(self.reached.saturating_add(plan.window));
            self.left = u64::MAX;
            self.run_round(&mut plan, end, herald);
            self.rounds.made += 1;
            *effort = effort.saturating_sub(u64::MAX - self.left);
            self.reached = end;
        }
        self.rounds.on = Some(plan);
    }

    /// Nodes that send to other partitions come first, so that those need not wait for the others.
    fn run_round(&mut self, plan: &mut Plan, end: u64, herald: Herald) {
        let Plan { stations, keys, .. } = plan;
        self.collect_timers(stations, end);
        self.hosts.timers.begin_round(self.reached, end);
        let senders = stations.senders();
        for (number, station) in stations.iter_mut().enumerate() {
            if number == senders
                && let Some(tell) = herald
            {
                tell(&mut self.net, end);
            }
            self.hosts.timers.begin_turn(station.due.drain(..));
            self.take_turn(station, end, keys);
        }
        self.hosts.timers.end_round();
    }

    /// Gives the timers that may come up before `end` to the stations of their nodes.
    fn collect_timers(&mut self, stations: &mut Stations, end: u64) {
        loop {
            self.hosts.timers.take_before(end, |time, timer| stations.expect(time, timer, &self.site.flows));
            if !self.hosts.timers.opens_before(end) {
                break;
            }
            self.hosts.open_slot();
        }
    }
}

/// Instead of an arrival: there is none in this round.
const NONE: u64 = NEVER;
