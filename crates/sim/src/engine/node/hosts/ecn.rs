//! ECN between packets and machines (RFC 3168).

use super::{Hosts, enter};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::{Flags, Packet};
use transport::tcp::{EcnNews, Receiver, ReceiverActions, SegmentEcn};

/// What a segment says, as flags of its packet.
pub fn flags(said: Option<SegmentEcn>) -> Flags {
    let Some(SegmentEcn { codepoint, window_reduced }) = said else { return Flags::NONE };
    let capable = Flags::of_codepoint(codepoint);
    if window_reduced { capable.with(Flags::REDUCED) } else { capable }
}

/// A packet of data has arrived. A mark on one that is not ECN-capable is somebody else's, and no news to TCP.
pub fn read(flags: Flags, receiver: &mut Receiver, acks: &mut ReceiverActions) {
    if flags.has(Flags::CAPABLE.with(Flags::MARKED)) {
        receiver.handle_ecn(EcnNews::CongestionExperienced, acks);
    } else if flags.has(Flags::REDUCED) {
        receiver.handle_ecn(EcnNews::WindowReduced, acks);
    } else if flags.has(Flags::CAPABLE) {
        receiver.handle_ecn(EcnNews::NotMarked, acks);
    }
}

impl Hosts {
    /// [`Hosts::send_segments`] for a flow that uses ECN.
    #[inline(never)]
    pub(super) fn send_capable_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &self.senders[flow];
        for segment in &self.segments.segments {
            let flags = flags(host.machine.tcp().and_then(|sender| sender.ecn_of(segment)));
            self.emitted += 1;
            enter(now, Packet { flags, ..host.packet(flow, segment.seq, segment.len) }, fabric);
        }
        self.segments.segments.clear();
        self.arm_sender(flow);
    }
}
