//! Times of window laws that do not fit the paths of their flows, and timers that do not fit each other.

use super::Context;
use super::equal_paths::some_of;
use crate::language::quoted;
use crate::model::{LinkId, Network, NodeId, Routes, Traffic, Transport, TransportKind};
use std::collections::BTreeSet;
use transport::cc::Fit;
use units::{ByteTime, Duration};

/// The initial timeout is so many times the least one, at most.
const MOST_TIMES: u64 = 10;

/// What to tell the user of such laws: of each traffic the first pair of nodes.
pub(super) fn warnings(context: &Context, transports: &[Transport], traffic: &[Traffic]) -> Vec<String> {
    let network = context.network;
    let mut routes = Routes::new(network, &network.open_to_flows());
    let mut warnings = BTreeSet::new();
    for one in traffic {
        let transport = &transports[one.transport.index()];
        warnings.extend(first_timer(transport));
        let Some(fit) = transport.kind.fit() else { continue };
        let mut trip =
            |(from, to)| round_trip(network, &transport.kind, [routes.path(from, to)?, routes.path(to, from)?]);
        let misfit = some_of(one.arrivals.ends()).into_iter().find_map(|pair| {
            let trip = trip(pair)?;
            (trip < fit.least || trip > fit.most).then_some((pair, trip))
        });
        let node = |id: NodeId| quoted(&network.nodes[id.index()].name);
        warnings.extend(misfit.map(|((from, to), trip)| {
            let (name, from, to) = (quoted(&transport.name), node(from), node(to));
            format!("the transport {name}: from {from} to {to} {}", told(fit, trip))
        }));
    }
    warnings.into_iter().collect()
}

/// A flow whose first packets are lost has measured nothing, and waits for the initial timeout.
fn first_timer(transport: &Transport) -> Option<String> {
    let sender = transport.kind.sender().filter(|sender| !sender.handshake)?;
    let (least, first) = (sender.min_rto, sender.initial_rto);
    (first > least.saturating_mul(MOST_TIMES)).then(|| {
        format!(
            "the transport {}: a flow that loses its first packets waits for {first} (initial_rto), and others for \
             {least} at least (min_rto); give it initial_rto = \"{least}\", or handshake = true, which measures first",
            quoted(&transport.name)
        )
    })
}

/// What is wrong, and what would be right.
fn told(fit: Fit, trip: Duration) -> String {
    let Fit { key, least, most, above } = fit;
    let range = if least == Duration::ZERO { format!("at most {most}") } else { format!("{least} to {most}") };
    let (trip, value) = (rounded_up(trip), rounded_up(trip + above));
    format!("a round trip takes about {trip} if nothing waits, and its {key} fits {range}; give it {key} = \"{value}\"")
}

/// To three digits.
fn rounded_up(span: Duration) -> Duration {
    let unit = 10u64.pow(span.ps().max(100).ilog10() - 2);
    Duration::from_ps(span.ps().div_ceil(unit).saturating_mul(unit))
}

/// How long a full packet and its ACK take on an empty path.
fn round_trip(network: &Network, kind: &TransportKind, ways: [Vec<LinkId>; 2]) -> Option<Duration> {
    let sizes = [kind.payload()? + kind.header(), kind.ack_size()];
    let links = ways.iter().zip(sizes).flat_map(|(way, size)| way.iter().map(move |link| (link, size)));
    Some(links.fold(Duration::ZERO, |time, (link, size)| {
        let link = &network.links[link.index()];
        time + link.delay + ByteTime::at(link.capacity).map_or(Duration::ZERO, |byte| byte.of(size))
    }))
}
