//! Flows that work lets go: who hears of their progress, and how they start.

use super::timing::{arm, due};
use super::{Hosts, SendingMachine};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::node::workload::{Progress, Release, Workload};
use crate::engine::packet::NEVER;
use crate::engine::packet::state::{Owners, Rule};
use units::Instant;

/// The work of a run. It is told of all nodes in the order of time, so it is in one partition.
#[derive(Debug)]
pub struct Working {
    workload: Option<Box<dyn Workload>>,
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    armed: u64,
    /// What is let go by the call under way; empty between calls.
    released: Vec<Release>,
}

impl Default for Working {
    fn default() -> Working {
        Working { workload: None, armed: NEVER, released: Vec::new() }
    }
}

/// All of it is in the first partition.
#[derive(Debug)]
pub struct InFirst;

impl Rule<Working> for InFirst {
    fn merge(parts: Vec<Working>, _: &dyn Owners) -> Working {
        parts.into_iter().find(|part| !part.is_empty()).unwrap_or_default()
    }

    fn split(all: Working, after: &dyn Owners) -> Vec<Working> {
        let mut all = Some(all);
        (0..after.parts()).map(|_| all.take().unwrap_or_default()).collect()
    }
}

/// It has one timer.
const TIMER: TimerId = TimerId::new(0, TimerKind::Work);

impl Working {
    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.workload.is_none()
    }

    /// The work, if there is some.
    pub fn workload(&self) -> Option<&dyn Workload> {
        self.workload.as_deref()
    }

    /// When it wants to be called, [`NEVER`] if it does not.
    fn next_timeout(&self) -> u64 {
        self.workload.as_ref().map_or(NEVER, |work| work.next_timeout().ps())
    }

    /// Where its armed time is kept, and when its timer is due.
    pub(super) fn timer(&mut self) -> (&mut u64, u64) {
        let deadline = self.next_timeout();
        (&mut self.armed, deadline)
    }
}

impl Hosts {
    /// This work is done, if there is some.
    pub(super) fn install_work(&mut self, workload: Option<Box<dyn Workload>>) {
        self.work.workload = workload;
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
            self.arm_work();
            self.let_all_go(now, fabric);
        }
    }

    /// Its timer has come up. Returns whether anything happened.
    pub(super) fn visit_work(&mut self, now: u64, fabric: &mut Fabric) -> bool {
        let deadline = self.work.next_timeout();
        if !due(&mut self.timers, &mut self.work.armed, now, deadline) {
            return false;
        }
        let Working { workload, released, .. } = &mut self.work;
        workload.iter_mut().for_each(|work| work.handle_timeout(Instant::from_ps(now), released));
        self.arm_work();
        self.let_all_go(now, fabric);
        true
    }

    fn arm_work(&mut self) {
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
