//! The loop of a partition: event after event, or [windowed](super::windowed).

use super::partition::Partition;
use super::processes::LogicalProcesses;
use super::windowed::{FIRST_LOOK, LONGEST, LOOK, MOST_EVENTS, Progress, Schedule, Windows, lookahead, time_of};
use crate::engine::node::fabric::{Fabric, TimerOrder};

/// Called as soon as everything that leaves the partition before the end of a window has been sent.
pub type EarlyUpdate<'a> = Option<&'a dyn Fn(&mut Fabric, u64)>;

impl Partition {
    /// Handles all events before `limit`, but comes back when hosts and agents have been given something `effort`
    /// times, or soon after; `effort` becomes what is left of it. `early_update` is told in each window as soon as
    /// nothing more will leave the partition in it. Returns the time before which everything has happened: `limit`
    /// unless the effort was spent.
    pub fn run(&mut self, limit: u64, effort: &mut u64, early_update: EarlyUpdate) -> u64 {
        self.windowed.note_call();
        while self.reached < limit && *effort > 0 {
            let stretch = limit.min(self.windowed.next_look());
            match self.windowed.is_on() {
                true => self.run_windowed(stretch, effort, early_update),
                false => self.run_globally(stretch, effort),
            }
            if self.reached == self.windowed.next_look() {
                self.look();
            }
        }
        self.reached
    }

    /// Event after event in the order of time.
    fn run_globally(&mut self, limit: u64, effort: &mut u64) {
        let mut now = self.reached;
        self.effort_left = *effort;
        loop {
            let (next, leaf) = self.fabric.earliest(now);
            if next >= limit {
                now = limit.max(now);
                break;
            }
            now = next;
            // One comparison for the usual case: a table of all kinds of events would be a jump that nobody predicts.
            match self.fabric.arrival(leaf) {
                Some(fibre) => self.arrive(now, fibre),
                None => self.handle_event(now, leaf),
            }
            if self.fabric.needs_attention(self.hosts.timers.earliest()) {
                self.handle_pending(now);
                self.fabric.set_timers(self.hosts.timers.earliest());
                if self.effort_left == 0 {
                    break;
                }
            }
        }
        (self.reached, *effort) = (now, self.effort_left);
    }
}

impl Partition {
    /// From now on it goes that way.
    pub fn take(&mut self, schedule: Schedule) {
        self.windowed.schedule = schedule;
        self.windowed.next_look = self.reached.saturating_add(1);
    }

    /// Chooses between windowed and global execution, by what has happened since the last look.
    fn look(&mut self) {
        let seen = Progress { at: self.reached, events: self.events, hops: self.fabric.totals.packet_hops };
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

    /// The first look counts what happens from now on.
    pub(super) fn count_from_now(&mut self) {
        self.windowed.seen = Progress { at: self.reached, events: self.events, hops: self.fabric.totals.packet_hops };
    }

    /// Whether nobody asks for events in their order, and timers stand where a window expects them, behind the arrivals
    /// of their instant.
    fn may_go_in_windows(&self) -> bool {
        let needs_order = self.fabric.observer.as_ref().is_some_and(|observer| observer.needs_order());
        !needs_order && self.hosts.work.is_empty() && self.fabric.timer_order() == TimerOrder::AfterArrivals
    }

    /// Windows of at most `window`, if the numbers of fibres and agents allow it.
    fn begin_windows(&mut self, window: u64) {
        let Some(processes) = LogicalProcesses::new(&mut self.fabric, &mut self.hosts, &self.site, self.chains.len())
        else {
            return;
        };
        self.fabric.unlist_fibres();
        self.hosts.timers.go_in_windows();
        self.windowed.on = Some(Box::new(Windows { processes, window, keys: Vec::new() }));
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
    fn run_windowed(&mut self, limit: u64, effort: &mut u64, early_update: EarlyUpdate) {
        let Some(mut plan) = self.windowed.on.take() else { return };
        while self.reached < limit && *effort > 0 {
            let end = limit.min(self.reached.saturating_add(plan.window));
            self.effort_left = u64::MAX;
            self.run_window(&mut plan, end, early_update);
            self.windowed.made += 1;
            *effort = effort.saturating_sub(u64::MAX - self.effort_left);
            self.reached = end;
        }
        self.windowed.on = Some(plan);
    }

    /// Nodes that send to other partitions come first, so that those need not wait for the others.
    fn run_window(&mut self, plan: &mut Windows, end: u64, early_update: EarlyUpdate) {
        let Windows { processes, keys, .. } = plan;
        self.collect_timers(processes, end);
        self.hosts.timers.begin_window(end);
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
