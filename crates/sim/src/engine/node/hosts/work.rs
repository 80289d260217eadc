//! Flows that work lets go: who hears of their progress, and how they start.

use super::timing::{arm, due};
use super::{Hosts, SendingMachine};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::node::workload::{Notice, Progress, Release, Steward, TaskChange, Told, Workload};
use crate::engine::packet::NEVER;
use crate::engine::packet::state::{Owners, Rule};
use crate::results::{Figure, Table};
use units::{Duration, Instant};

/// The work of a run, or of the nodes of a partition. A steward is told of all nodes in the order of time, so with one
/// all is in one partition.
#[derive(Debug)]
pub struct Working {
    workload: Option<Box<dyn Workload>>,
    /// Who hears of it.
    steward: Option<Box<dyn Steward>>,
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    armed: u64,
    /// What is let go by the call under way; empty between calls.
    released: Vec<Release>,
    /// What becomes of tasks by that call; empty between calls.
    changes: Vec<TaskChange>,
    /// What agents are told; empty between calls.
    told: Vec<Told>,
}

impl Default for Working {
    fn default() -> Working {
        Working::new(None, None)
    }
}

/// Work moves with its nodes, as it says itself. A steward stays in the first partition.
#[derive(Debug)]
pub struct ByWorkload;

impl Rule<Working> for ByWorkload {
    fn merge(parts: Vec<Working>, _: &dyn Owners) -> Working {
        let (mut workloads, mut steward) = (Vec::new(), None);
        for part in parts {
            workloads.extend(part.workload);
            steward = steward.or(part.steward);
        }
        Working { workload: whole(workloads), steward, ..Working::default() }
    }

    fn split(all: Working, after: &dyn Owners) -> Vec<Working> {
        let mut workloads = all.workload.map_or_else(Vec::new, |work| work.split(after)).into_iter();
        let mut steward = all.steward;
        let part = |_| Working { workload: workloads.next(), steward: steward.take(), ..Working::default() };
        (0..after.parts()).map(part).collect()
    }
}

/// What several partitions have, in their order.
fn whole(mut parts: Vec<Box<dyn Workload>>) -> Option<Box<dyn Workload>> {
    let others = parts.split_off(parts.len().min(1));
    parts.pop().map(|first| if others.is_empty() { first } else { first.merged(others) })
}

/// It has one timer.
const TIMER: TimerId = TimerId::new(0, TimerKind::Work);

impl Working {
    /// This work, if there is some, and who hears of it.
    pub fn new(workload: Option<Box<dyn Workload>>, steward: Option<Box<dyn Steward>>) -> Working {
        let mut workload = workload;
        if steward.is_some() {
            workload.iter_mut().for_each(|work| work.watch());
        }
        let (released, changes, told) = Default::default();
        Working { workload, steward, armed: NEVER, released, changes, told }
    }

    /// Whether there is none, and nobody would hear of it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.workload.is_none() && self.steward.is_none()
    }

    /// The least time in which something at one node comes to another one, packets left out; `None` if that takes no
    /// time.
    pub fn lookahead(&self) -> Option<Duration> {
        match (&self.workload, &self.steward) {
            (_, Some(_)) => None,
            (None, None) => Some(Duration::MAX),
            (Some(work), None) => work.lookahead(),
        }
    }

    /// What several partitions have, to be read.
    pub fn read<'a>(parts: impl Iterator<Item = &'a Working>, read: impl FnOnce(&Working)) {
        let parts: Vec<&Working> = parts.filter(|part| !part.is_empty()).collect();
        match parts[..] {
            [] => {}
            [one] => read(one),
            _ => {
                let copies = parts.iter().filter_map(|part| Some(part.workload.as_ref()?.copied())).collect();
                read(&Working { workload: whole(copies), ..Working::default() });
            }
        }
    }

    /// What has been done when.
    pub fn tables(&self, run: u32, now: Instant) -> Vec<(&'static str, Table)> {
        let work = self.workload.iter().flat_map(|work| work.tables(run));
        work.chain(self.steward.iter().flat_map(|steward| steward.tables(run, now))).collect()
    }

    /// The same in some numbers.
    pub fn figures(&self, now: Instant) -> Vec<Figure> {
        let work = self.workload.iter().flat_map(|work| work.figures());
        work.chain(self.steward.iter().flat_map(|steward| steward.figures(now))).collect()
    }

    /// When it wants to be called, [`NEVER`] if it does not.
    fn next_timeout(&self) -> u64 {
        let work = self.workload.as_ref().map_or(NEVER, |work| work.next_timeout().ps());
        self.steward.as_ref().map_or(work, |steward| steward.next_timeout().ps().min(work))
    }

    /// The steward hears what has become of tasks.
    fn tell_steward(&mut self, now: Instant) {
        let (Some(work), Some(steward)) = (&mut self.workload, &mut self.steward) else { return };
        work.take_changes(&mut self.changes);
        if !self.changes.is_empty() {
            steward.handle_changes(now, &self.changes, &mut self.told);
            self.changes.clear();
        }
    }

    /// Where its armed time is kept, and when its timer is due.
    pub(super) fn timer(&mut self) -> (&mut u64, u64) {
        let deadline = self.next_timeout();
        (&mut self.armed, deadline)
    }
}

impl Hosts {
    /// This work is done, if there is some.
    pub(super) fn install_work(&mut self, work: Working) {
        self.work = work;
        self.arm_work();
    }

    /// Bytes of a flow have arrived.
    #[inline(never)]
    pub(super) fn note_arrived(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let bytes = self.receivers[flow].sink.bytes_in_order();
        self.note_progress(now, Progress { flow, bytes, has_arrived: true }, fabric);
    }

    /// Bytes of a flow are known to its sender to have arrived.
    #[inline(never)]
    pub(super) fn note_acknowledged(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let bytes = self.senders[flow].machine.bytes_acked().unwrap_or(0);
        self.note_progress(now, Progress { flow, bytes, has_arrived: false }, fabric);
    }

    fn note_progress(&mut self, now: u64, progress: Progress, fabric: &mut Fabric) {
        let Working { workload, released, .. } = &mut self.work;
        let Some(work) = workload else { return };
        if work.handle_progress(Instant::from_ps(now), progress, released) {
            self.go_on(now, fabric);
        }
    }

    /// Its timer has come up. Returns whether that is an event.
    pub(super) fn visit_work(&mut self, now: u64, fabric: &mut Fabric) -> bool {
        let deadline = self.work.next_timeout();
        if !due(&mut self.timers, &mut self.work.armed, now, deadline) {
            return false;
        }
        let Working { workload, steward, released, told, .. } = &mut self.work;
        let instant = Instant::from_ps(now);
        workload.iter_mut().for_each(|work| work.handle_timeout(instant, released));
        steward.iter_mut().for_each(|steward| steward.handle_timeout(instant, told));
        self.go_on(now, fabric);
        // How many partitions have such a timer is nothing that happens in the network.
        false
    }

    /// Agents are told what the steward makes of it; then what was let go is sent.
    fn go_on(&mut self, now: u64, fabric: &mut Fabric) {
        self.work.tell_steward(Instant::from_ps(now));
        if let Some(work) = &mut self.work.workload {
            work.take_notices(&mut |part, notice| fabric.outgoing[part as usize].notices.push(notice));
        }
        self.arm_work();
        let mut told = std::mem::take(&mut self.work.told);
        for told in told.drain(..) {
            match told {
                Told::Agent(agent, message) => self.give_message(now, agent, message, fabric),
                Told::Sender(news) => self.hear_later(news),
            }
        }
        self.work.told = told;
        self.let_all_go(now, fabric);
    }

    /// What was done in another partition.
    pub fn hear(&mut self, notices: &mut Vec<Notice>) {
        let work = &mut self.work.workload;
        notices.drain(..).for_each(|notice| work.iter_mut().for_each(|work| work.hear(notice)));
        self.arm_work();
    }

    /// Its timer stands where it wants to be called.
    pub fn arm_work(&mut self) {
        let deadline = self.work.next_timeout();
        arm(&mut self.timers, &mut self.work.armed, deadline, TIMER);
    }

    /// What was let go is sent.
    fn let_all_go(&mut self, now: u64, fabric: &mut Fabric) {
        let mut released = std::mem::take(&mut self.work.released);
        released.drain(..).for_each(|one| self.let_go(now, one, fabric));
        self.work.released = released;
    }

    fn let_go(&mut self, now: u64, Release { flow, bytes }: Release, fabric: &mut Fabric) {
        let life = &mut self.lifecycles[flow];
        if life.start == NEVER {
            life.start = now;
            if life.bytes != u64::MAX {
                self.turn(now, flow, fabric);
                return;
            }
        }
        let instant = Instant::from_ps(now);
        match &mut self.senders[flow].machine {
            SendingMachine::Tcp(sender) => sender.write(instant, bytes, &mut self.segments),
            SendingMachine::Connection(written) => written.connection.write(instant, bytes, &mut self.segments),
            SendingMachine::Hosted(_) => {
                return self.call_sender(now, flow, fabric, |source, context| source.machine.write(bytes, context));
            }
            SendingMachine::Datagrams(source) => {
                source.release(instant, bytes);
                return self.arm_sender(flow);
            }
        }
        self.send_segments(now, flow, fabric);
    }
}
