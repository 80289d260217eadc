//! NDP on networks that are not made for it: queues that do not trim, hosts whose own queue does, long round trips.

use super::Context;
use super::equal_paths::some_of;
use crate::language::quoted;
use crate::model::{Buffer, Link, LinkId, Network, Routes, Traffic, Transport};
use crate::queue::Config;
use std::collections::BTreeSet;
use units::{BufferSize, Duration};

/// Links that a warning names.
const MOST_NAMES: usize = 3;

/// What to tell the user of traffic that is pulled.
pub(super) fn warnings(context: &Context, transports: &[Transport], traffic: &[Traffic]) -> Vec<String> {
    let network = context.network;
    let mut warnings = BTreeSet::new();
    let mut routes = Routes::new(network, &network.open_to_flows());
    for one in traffic {
        let transport = &transports[one.transport.index()];
        if transport.kind.ndp().is_none() {
            continue;
        }
        let ends = some_of(one.arrivals.ends());
        let paths: Vec<Vec<LinkId>> = ends.into_iter().filter_map(|(from, to)| routes.path(from, to)).collect();
        let found = [untrimmed(context, &paths), narrow(network, transport, &paths), long(network, transport, &paths)];
        let name = quoted(&transport.name);
        warnings.extend(found.into_iter().flatten().map(|what| format!("the transport {name}: {what}")));
    }
    warnings.into_iter().collect()
}

/// Links behind the first that drop whole packets, of those that packets are sure to take.
fn untrimmed(context: &Context, paths: &[Vec<LinkId>]) -> Option<String> {
    let links = paths.iter().flat_map(|path| path.iter().skip(1)).filter(|link| context.is_of_paths(link.index()));
    let links = links.map(|link| &context.network.links[link.index()]);
    let names: BTreeSet<&str> = links.filter(|link| !link.queue.trims()).map(|link| link.name.as_str()).collect();
    let (some, more) = some_names(&names)?;
    Some(format!(
        "the queues of {some}{more} do not trim packets, so that losses there are repaired by timeouts only; \
         give links queue = {{ kind = \"ndp\" }}"
    ))
}

/// First links whose queue has no room for a first window.
fn narrow(network: &Network, transport: &Transport, paths: &[Vec<LinkId>]) -> Option<String> {
    let window = u64::from(transport.kind.ndp()?.first_window);
    let packet = u64::from(transport.kind.largest_packet()).max(1);
    let firsts = paths.iter().filter_map(|path| path.first()).map(|link| &network.links[link.index()]);
    // One of them is in transmission.
    let is_narrow = |link: &&Link| places(link, packet) + 1 < window;
    let names: BTreeSet<&str> = firsts.filter(is_narrow).map(|link| link.name.as_str()).collect();
    let (some, more) = some_names(&names)?;
    Some(format!(
        "the first window of {window} packets finds no room at its own host, at {some}{more}; allowed for links that \
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
        Config::Ndp(queue) => places.min(match queue.data {
            BufferSize::Packets(places) => places,
            BufferSize::Bytes(bytes) => bytes.count() / packet,
            BufferSize::Time(_) | BufferSize::Unlimited => places,
        }),
        _ => places,
    }
}

/// Round trips that last longer than a sender waits.
fn long(network: &Network, transport: &Transport, paths: &[Vec<LinkId>]) -> Option<String> {
    let waits = transport.kind.ndp()?.resend_after;
    let delay = |path: &Vec<LinkId>| path.iter().map(|link| network.links[link.index()].delay.ps()).sum::<u64>();
    let longest = Duration::from_ps(paths.iter().map(delay).max()?.saturating_mul(2));
    (longest >= waits).then(|| {
        format!(
            "a round trip takes {longest} at least, and what is not answered within {waits} is sent again; give it a \
             longer resend_after"
        )
    })
}

fn some_names(names: &BTreeSet<&str>) -> Option<(String, &'static str)> {
    let some: Vec<String> = names.iter().take(MOST_NAMES).map(|name| quoted(name)).collect();
    (!some.is_empty()).then(|| (some.join(", "), if names.len() > MOST_NAMES { ", …" } else { "" }))
}
