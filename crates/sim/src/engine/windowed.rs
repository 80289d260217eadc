//! Windowed execution: node after node instead of event after event, where that is faster.
//!
//! What a node sends arrives no sooner than the least delay of a fibre later: the lookahead. So all that will arrive at
//! a node within a window of that length is on its fibres when the window begins. Each node of a partition is a logical
//! process, taken through the window by itself: its arrivals are merged from its own few fibres, and its deadlines
//! stand beside them. The event list of the whole partition is not needed; the little that one node does again and
//! again stays in the cache.
//!
//! **Why the results are the same.** Between two nodes no order is stated but that of packets on a fibre. At one node
//! the order is that of the event list: departures, arrivals by (time, link), agents, timers. It is a partitioning with
//! one node a partition, on one thread ([decision 0012](../../../../docs/decisions/0012-rounds.md)).
//!
//! **When.** A window costs something for every node and fibre, whether or not anything happens there. So a partition
//! goes event after event while little happens in a window, or while somebody watches events in their order, and looks
//! again now and then.

mod processes;
mod window;

use super::fabric::{Fabric, TimerOrder};
use super::partition::{EarlyUpdate, Partition};
use super::tournament_tree::NEVER;
use processes::LogicalProcesses;

/// In which order a partition handles its events. It does not change the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Whichever is expected to be faster.
    #[default]
    Auto,
    /// Event after event.
    Global,
    /// Node after node wherever that is possible.
    Windowed,
}

/// Whether a partition runs windowed, and when it looks whether it should.
#[derive(Debug)]
pub struct WindowedExecution {
    schedule: Schedule,
    /// The windows, while they are on.
    on: Option<Box<Plan>>,
    /// The least delay between two nodes of the partition; `None` if links have changed since it was known.
    lookahead: Option<u64>,
    /// When it looks next.
    next_look: u64,
    /// What it saw when it looked last.
    seen: Seen,
    /// Calls of [`Partition::run`] since then: a window ends where a call does.
    calls: u64,
    /// Windows so far.
    made: u64,
}

/// What a partition sees when it looks.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    at: u64,
    events: u64,
    hops: u64,
}

/// What a partition in windowed execution knows.
#[derive(Debug)]
pub(super) struct Plan {
    processes: LogicalProcesses,
    /// The longest window.
    window: u64,
    /// Room for the arrivals of the process that runs.
    keys: Vec<u64>,
}

/// No window is longer: arrivals within it have their places beside them in one number.
const LONGEST: u64 = 1 << 39;
/// No window has many more events than that, so that nobody waits for its end.
const MOST_EVENTS: u64 = 1 << 16;
/// Windows between the first two looks.
const FIRST_LOOK: u64 = 64;
/// Events between two looks.
const LOOK: u64 = 1 << 14;

impl WindowedExecution {
    /// A partition that goes event after event from `reached` on.
    pub fn new(fabric: &Fabric, reached: u64) -> WindowedExecution {
        let lookahead = lookahead(fabric);
        let next_look = reached.saturating_add(lookahead.saturating_mul(FIRST_LOOK));
        let seen = Seen { at: reached, ..Seen::default() };
        WindowedExecution {
            schedule: Schedule::Auto,
            on: None,
            lookahead: Some(lookahead),
            next_look,
            seen,
            calls: 0,
            made: 0,
        }
    }

    /// Whether it runs windowed now.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// When [`Partition::look`] is to be called.
    #[inline]
    pub fn next_look(&self) -> u64 {
        self.next_look
    }

    /// Windows so far.
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
fn lookahead(fabric: &Fabric) -> u64 {
    let inside = fabric.ports.iter().filter(|port| fabric.ends_here(port));
    inside.map(|port| port.delay()).min().unwrap_or(LONGEST)
}

/// In what time `wanted` things happen, if `seen` of them did in `span`.
fn time_of(wanted: u64, seen: u64, span: u64) -> u64 {
    u64::try_from(u128::from(span) * u128::from(wanted) / u128::from(seen.max(1))).unwrap_or(u64::MAX)
}

impl Partition {
    /// From now on it goes that way.
    pub fn take(&mut self, schedule: Schedule) {
        self.windowed.schedule = schedule;
        self.windowed.next_look = self.reached.saturating_add(1);
    }

    /// Chooses between windowed and global execution, by what has happened since the last look.
    pub(super) fn look(&mut self) {
        let seen = Seen { at: self.reached, events: self.events, hops: self.fabric.packet_hops };
        let before = std::mem::replace(&mut self.windowed.seen, seen);
        let (span, events) = ((seen.at - before.at).max(1), seen.events - before.events);
        let calls = std::mem::take(&mut self.windowed.calls).max(1);
        let lookahead = *self.windowed.lookahead.get_or_insert_with(|| lookahead(&self.fabric));
        let window = lookahead.min(LONGEST).min(time_of(MOST_EVENTS, events, span)).max(1);
        let is_dense = window.min(span / calls) >= time_of(self.worth(), seen.hops - before.hops, span);
        let is_wanted = match self.windowed.schedule {
            Schedule::Auto => is_dense,
            Schedule::Global => false,
            Schedule::Windowed => true,
        };
        if !is_wanted || !self.may_go_in_windows() {
            self.end_windows();
        } else if let Some(plan) = &mut self.windowed.on {
            plan.window = window;
            self.hosts.timers.go_in_windows(window);
        } else {
            self.begin_windows(window);
        }
        let next = if events < LOOK / 4 { span.saturating_mul(2) } else { time_of(LOOK, events, span) };
        self.windowed.next_look = self.reached.saturating_add(next.max(window.saturating_mul(FIRST_LOOK)));
    }

    /// How many packets must arrive in a window for it to be worth it: to look at a fibre costs what some one or two of
    /// them gain. What has begun goes on at half of that.
    fn worth(&self) -> u64 {
        let packets = 2 * (u64::from(self.fabric.entering()) + 1);
        if self.windowed.is_on() { packets / 2 } else { packets }
    }

    /// What has been counted so far is not what happened here.
    pub fn count_from_now(&mut self) {
        self.windowed.seen = Seen { at: self.reached, events: self.events, hops: self.fabric.packet_hops };
    }

    /// Whether nobody asks for events in their order, timers stand where a window expects them, behind the arrivals of
    /// their instant, and there are not too many.
    fn may_go_in_windows(&self) -> bool {
        let is_watched = self.fabric.is_watched() || self.fabric.dropped.is_some() || self.hosts.capture.is_some();
        let are_few = self.hosts.timers.may_go_in_windows(self.site.flows.len());
        !is_watched && are_few && self.fabric.timer_order() == TimerOrder::AfterArrivals
    }

    /// Windows of at most `window`, if the numbers of fibres and agents allow it.
    fn begin_windows(&mut self, window: u64) {
        let Some(processes) = LogicalProcesses::new(self) else { return };
        self.fabric.unlist_fibres();
        self.hosts.timers.go_in_windows(window);
        self.windowed.on = Some(Box::new(Plan { processes, window, keys: Vec::new() }));
    }

    /// A link of the partition is about to change, perhaps its delay: event after event until the next look.
    pub fn prepare_for_change(&mut self) {
        self.windowed.lookahead = None;
        self.end_windows();
    }

    /// Everything goes back into the event list.
    fn end_windows(&mut self) {
        if self.windowed.on.take().is_some() {
            self.hosts.timers.go_globally();
            self.fabric.list_links();
            self.hosts.arm_agents(&mut self.fabric);
            self.fabric.set_timers(self.hosts.timers.earliest());
        }
    }

    /// Window after window until `limit`, or until the effort is spent.
    pub(super) fn run_windowed(&mut self, limit: u64, effort: &mut u64, early_update: EarlyUpdate) {
        let Some(mut plan) = self.windowed.on.take() else { return };
        while self.reached < limit && *effort > 0 {
            let end = limit.min(self.reached.saturating_add(plan.window));
            self.left = u64::MAX;
            self.run_window(&mut plan, end, early_update);
            self.windowed.made += 1;
            *effort = effort.saturating_sub(u64::MAX - self.left);
            self.reached = end;
        }
        self.windowed.on = Some(plan);
    }

    /// Nodes that send to other partitions come first, so that those need not wait for the others.
    fn run_window(&mut self, plan: &mut Plan, end: u64, early_update: EarlyUpdate) {
        let Plan { processes, keys, .. } = plan;
        self.collect_timers(processes, end);
        self.hosts.timers.begin_window(self.reached, end);
        let senders = processes.senders();
        for (number, process) in processes.iter_mut().enumerate() {
            if number == senders
                && let Some(tell) = early_update
            {
                tell(&mut self.fabric, end);
            }
            self.hosts.timers.begin_process(process.due.drain(..));
            self.run_process(process, end, keys);
        }
        self.hosts.timers.end_window();
    }

    /// Gives the timers that may come up before `end` to the processes of their nodes.
    fn collect_timers(&mut self, processes: &mut LogicalProcesses, end: u64) {
        loop {
            self.hosts.timers.take_before(end, |time, timer| processes.add_timer(time, timer, &self.site.flows));
            if !self.hosts.timers.opens_before(end) {
                break;
            }
            self.hosts.open_bucket();
        }
    }
}

/// Instead of an arrival: there is none in this window.
const NONE: u64 = NEVER;
