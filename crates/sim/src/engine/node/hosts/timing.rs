//! Deadlines of the machines: armed after each call, looked at when an entry comes up.

use super::{Exit, Hosts, PathFlags, ReceivingHost, SendingHost, SendingMachine, Sink};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind, TimingWheel};
use crate::engine::packet::NEVER;
use crate::engine::packet::prefetch::prefetch;
use units::Instant;

impl Hosts {
    /// Arms the start of every flow, of which there are `flows`, all here, but for those that work lets go.
    pub fn arm_starts(&mut self, flows: u32) {
        for flow in (0..flows).filter(|flow| self.lifecycles[*flow].start != NEVER) {
            self.timers.push(self.lifecycles[flow].start, TimerId::new(flow, TimerKind::Lifecycle));
        }
    }

    /// The sending machine of a flow may have set a deadline.
    pub fn arm_sender(&mut self, flow: u32) {
        arm_sender(&mut self.timers, flow, &mut self.senders[flow]);
    }

    /// The earliest timer entry has come up. Returns whether anything happened.
    pub fn visit_timer(&mut self, now: u64, fabric: &mut Fabric) -> bool {
        let Some(timer) = self.timers.first() else {
            self.open_bucket();
            return false;
        };
        let flow = timer.flow();
        match timer.kind() {
            TimerKind::Sender => {
                let host = &mut self.senders[flow];
                if matches!(host.machine, SendingMachine::Datagrams(_)) && !host.watch.has(PathFlags::SLOW_PATH) {
                    let exit = Exit { now, emitted: &mut self.emitted, fabric };
                    return exit.send_datagrams(flow, host, &mut self.timers);
                }
                let deadline = host.machine.next_timeout();
                due(&mut self.timers, &mut host.armed, now, deadline) && self.fire_sender(now, flow, fabric)
            }
            TimerKind::Receiver => {
                let host = &mut self.receivers[flow];
                let deadline = host.sink.next_timeout();
                due(&mut self.timers, &mut host.armed, now, deadline) && self.fire_receiver(now, flow, fabric)
            }
            TimerKind::Lifecycle => {
                self.timers.pop();
                self.turn(now, flow, fabric)
            }
            TimerKind::Held => {
                self.timers.pop();
                self.release(now, flow, fabric)
            }
            TimerKind::News => {
                self.timers.pop();
                self.hear_news(now, flow, fabric)
            }
            TimerKind::Shared => self.visit_shared(now, flow, fabric),
            TimerKind::Work => self.visit_work(now, fabric),
        }
    }

    /// Opens the next bucket of timers: entries that are stale are forgotten, and those whose machine has moved its
    /// deadline meanwhile move there.
    pub fn open_bucket(&mut self) {
        let mut opened = std::mem::take(&mut self.opened);
        self.timers.open_bucket(&mut opened);
        // Many of the hosts have not been asked anything for a while: the waits for their memory overlap.
        opened.iter().for_each(|(_, timer)| self.prefetch_timer(*timer));
        for (time, timer) in opened.drain(..) {
            let (armed, deadline) = match timer.kind() {
                TimerKind::Sender => {
                    let host = &mut self.senders[timer.flow()];
                    (&mut host.armed, host.machine.next_timeout())
                }
                TimerKind::Receiver => {
                    let host = &mut self.receivers[timer.flow()];
                    (&mut host.armed, host.sink.next_timeout())
                }
                TimerKind::Shared => {
                    let Some(host) = self.shared.get_mut(&timer.flow()) else { continue };
                    let deadline = host.next_timeout();
                    (&mut host.armed, deadline)
                }
                TimerKind::Work => self.work.timer(),
                TimerKind::Lifecycle | TimerKind::Held | TimerKind::News => {
                    self.timers.push(time, timer);
                    continue;
                }
            };
            if *armed == time {
                if deadline != NEVER {
                    *armed = deadline.max(time);
                }
                self.timers.push(*armed, timer);
            }
        }
        self.opened = opened;
    }

    /// Brings what a timer's host is asked when the timer comes up into the cache.
    fn prefetch_timer(&self, timer: TimerId) {
        let flow = timer.flow();
        match timer.kind() {
            TimerKind::Sender => prefetch(&self.senders[flow].armed),
            TimerKind::Receiver => prefetch(&self.receivers[flow].armed),
            TimerKind::Lifecycle | TimerKind::Held | TimerKind::News | TimerKind::Shared | TimerKind::Work => {}
        }
    }

    pub(super) fn fire_sender(&mut self, now: u64, flow: u32, fabric: &mut Fabric) -> bool {
        match &mut self.senders[flow].machine {
            SendingMachine::Tcp(sender) => {
                sender.handle_timeout(Instant::from_ps(now), &mut self.segments);
                self.send_segments(now, flow, fabric);
            }
            SendingMachine::Connection(written) => {
                written.handle_timeout(Instant::from_ps(now), &mut self.segments);
                self.send_segments(now, flow, fabric);
            }
            SendingMachine::Hosted(_) => {
                self.call_sender(now, flow, fabric, |source, context| source.handle_timeout(context));
            }
            SendingMachine::Datagrams(_) => self.send_watched_datagrams(now, flow, fabric),
        }
        true
    }

    pub(super) fn fire_receiver(&mut self, now: u64, flow: u32, fabric: &mut Fabric) -> bool {
        match &mut self.receivers[flow].sink {
            Sink::Tcp(receiver) => {
                receiver.handle_timeout(Instant::from_ps(now), &mut self.acks);
                self.send_acks(now, flow, fabric);
            }
            Sink::Explicit(sink) => {
                sink.receiver.handle_timeout(Instant::from_ps(now), &mut self.acks);
                self.send_explicit_acks(now, flow, fabric);
            }
            Sink::Endpoint(endpoint) => {
                endpoint.handle_timeout(Instant::from_ps(now), &mut self.acks);
                self.send_acks_of_endpoint(now, flow, fabric);
            }
            Sink::Hosted(_) => {
                self.call_receiver(now, flow, fabric, |machine, context| machine.handle_timeout(context));
            }
            Sink::Datagrams { .. } => {}
        }
        true
    }

    /// A flow starts or stops.
    pub(super) fn turn(&mut self, now: u64, flow: u32, fabric: &mut Fabric) -> bool {
        let life = self.lifecycles[flow];
        let instant = Instant::from_ps(now);
        if now >= life.stop {
            self.senders[flow].machine.stop(instant, &mut self.segments);
            if !self.segments.controls.is_empty() {
                self.send_segments(now, flow, fabric);
            }
            return true;
        }
        if life.stop != NEVER {
            self.timers.push(life.stop, TimerId::new(flow, TimerKind::Lifecycle));
        }
        match &mut self.senders[flow].machine {
            SendingMachine::Tcp(sender) => {
                sender.write(instant, life.bytes, &mut self.segments);
                self.send_segments(now, flow, fabric);
            }
            SendingMachine::Hosted(_) => {
                self.call_sender(now, flow, fabric, |source, context| source.start(life.bytes, context));
            }
            SendingMachine::Connection(_) => self.open(now, flow, life.bytes, fabric),
            SendingMachine::Datagrams(_) => self.arm_sender(flow),
        }
        true
    }
}

/// Whether the entry that has come up is to fire; if not, it is removed (stale) or moved to the true deadline.
pub(super) fn due(timers: &mut TimingWheel, armed: &mut u64, now: u64, deadline: u64) -> bool {
    if *armed != now {
        timers.pop();
        return false;
    }
    if deadline > now && deadline != NEVER {
        timers.postpone_first(deadline);
        *armed = deadline;
        return false;
    }
    timers.pop();
    *armed = NEVER;
    deadline != NEVER
}

/// The sending machine of `flow` may have set a deadline.
#[inline]
pub(super) fn arm_sender(timers: &mut TimingWheel, flow: u32, host: &mut SendingHost) {
    arm(timers, &mut host.armed, host.machine.next_timeout(), TimerId::new(flow, TimerKind::Sender));
}

/// The receiving machine of `flow` may have set a deadline.
#[inline]
pub(super) fn arm_receiver(timers: &mut TimingWheel, flow: u32, host: &mut ReceivingHost) {
    arm(timers, &mut host.armed, host.sink.next_timeout(), TimerId::new(flow, TimerKind::Receiver));
}

/// A machine wants to be called at `deadline`: its entry is made unless an earlier one is there.
#[inline]
pub(super) fn arm(timers: &mut TimingWheel, armed: &mut u64, deadline: u64, timer: TimerId) {
    if deadline < *armed {
        *armed = deadline;
        timers.push(deadline, timer);
    }
}
