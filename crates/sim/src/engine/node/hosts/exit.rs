//! How packets leave their host.

use super::{SendingHost, SendingMachine};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::TimingWheel;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::{DropPlace, NEVER, Packet};
use units::Instant;

/// Where packets leave their host.
pub(super) struct Exit<'a> {
    pub(super) now: u64,
    pub(super) emitted: &'a mut u64,
    pub(super) fabric: &'a mut Fabric,
}

impl Exit<'_> {
    /// Sends a packet.
    #[inline(always)]
    pub(super) fn send(&mut self, packet: Packet) {
        *self.emitted += 1;
        enter_inline(self.now, packet, self.fabric);
    }

    /// The timer of a source of datagrams has come up: sends those that are due and moves the timer to the next one,
    /// unless it is stale. Returns whether any was due.
    #[inline(always)]
    pub(super) fn send_datagrams(mut self, flow: u32, host: &mut SendingHost, timers: &mut TimingWheel) -> bool {
        let (now, emitted_before) = (self.now, *self.emitted);
        if let SendingMachine::Datagrams(source) = &mut host.machine
            && host.armed == now
        {
            while let Some(datagram) = source.handle_timeout(Instant::from_ps(now)) {
                self.send(datagram.packet(flow, host.path));
            }
            if let Some(next) = source.next_timeout() {
                host.armed = next.ps();
                timers.postpone_first(host.armed);
                return *self.emitted > emitted_before;
            }
            host.armed = NEVER;
        }
        timers.pop();
        *self.emitted > emitted_before
    }
}

/// A packet leaves its host.
pub(super) fn enter(now: u64, packet: Packet, fabric: &mut Fabric) {
    enter_inline(now, packet, fabric);
}

/// The same within its caller, for the packets of which there are most.
#[inline(always)]
pub(super) fn enter_inline(now: u64, packet: Packet, fabric: &mut Fabric) {
    if fabric.spray.is_some() {
        return enter_any_way(now, packet, fabric);
    }
    follow_path(now, &packet, fabric.next_link(&packet), fabric);
}

/// A packet leaves its host, where packets of a flow may take several paths.
#[cold]
fn enter_any_way(now: u64, packet: Packet, fabric: &mut Fabric) {
    let (hop, link) = fabric.way(now, &packet);
    follow_path(now, &Packet { hop, ..packet }, link, fabric);
}

#[inline(always)]
fn follow_path(now: u64, packet: &Packet, link: u32, fabric: &mut Fabric) {
    // [`NO_PATH`] is the number of no port.
    match fabric.leads_on(link) {
        true => fabric.forward(now, link, packet),
        false => follow_timed_path(now, packet, fabric),
    }
}

/// The path of a packet depends on the time, or there is none for it.
#[cold]
fn follow_timed_path(now: u64, packet: &Packet, fabric: &mut Fabric) {
    if let Some((hop, port)) = fabric.departure_in_time(now, packet.hop) {
        return fabric.forward(now, port, &Packet { hop, ..*packet });
    }
    fabric.drop(now, DropPlace::Host(packet.flow), Cause::Unreachable, packet);
}
