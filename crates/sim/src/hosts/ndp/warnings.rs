//! Networks that are not made for it: queues that do not trim, hosts whose own queue does, long round trips.

use super::Ndp;
use crate::hosts::kind::Ways;
use crate::model::{Buffer, HostKind, Link};
use crate::queue;
use std::any::Any;
use units::{BufferSize, Duration};

/// What to tell a user of traffic that is pulled.
pub(super) fn warnings(kind: &dyn HostKind, ways: &Ways) -> Vec<String> {
    let Some(ndp) = (kind as &dyn Any).downcast_ref::<Ndp>() else { return Vec::new() };
    [untrimmed(ways), narrow(ndp, ways), long(ndp, ways)].into_iter().flatten().collect()
}

/// Links behind the first that drop whole packets, of those that packets are sure to take.
fn untrimmed(ways: &Ways) -> Option<String> {
    let names = ways.later_links(|link| !link.queue.trims())?;
    Some(format!(
        "the queues of {names} do not trim packets, so that losses there are repaired by timeouts only; \
         give links queue = {{ kind = \"ndp\" }}"
    ))
}

/// First links whose queue has no room for a first window.
fn narrow(ndp: &Ndp, ways: &Ways) -> Option<String> {
    let window = u64::from(ndp.config.first_window);
    let packet = u64::from((ndp.config.payload + ndp.header).max(ndp.ack_size)).max(1);
    // One of them is in transmission.
    let names = ways.first_links(|link| places(link, packet) + 1 < window)?;
    Some(format!(
        "the first window of {window} packets finds no room at its own host, at {names}; allowed for links that \
         leave hosts: buffer = \"unlimited\" and queue = {{ kind = \"ndp\", data = \"1000 packets\" }} in \
         [link_defaults.host], or fewer packets as first_window"
    ))
}

/// Packets that may wait at a link.
fn places(link: &Link, packet: u64) -> u64 {
    let places = match link.buffer {
        Buffer::Packets(places) => places,
        Buffer::Bytes(bytes) => bytes.count() / packet,
        Buffer::Unlimited => u64::MAX - 1,
    };
    match link.queue {
        queue::Config::Ndp(queue) => places.min(match queue.data {
            BufferSize::Packets(places) => places,
            BufferSize::Bytes(bytes) => bytes.count() / packet,
            BufferSize::Time(_) | BufferSize::Unlimited => places,
        }),
        _ => places,
    }
}

/// Round trips that last longer than a sender waits.
fn long(ndp: &Ndp, ways: &Ways) -> Option<String> {
    let waits = ndp.config.resend_after;
    let delay = |path: &Vec<_>| path.iter().map(|link| ways.link(*link).delay.ps()).sum::<u64>();
    let longest = Duration::from_ps(ways.paths.iter().map(delay).max()?.saturating_mul(2));
    (longest >= waits).then(|| {
        format!(
            "a round trip takes {longest} at least, and what is not answered within {waits} is sent again; give it a \
             longer resend_after"
        )
    })
}
