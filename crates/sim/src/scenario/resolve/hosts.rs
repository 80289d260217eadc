//! Kinds of host on networks that are not made for them.

use super::Context;
use super::equal_paths::some_of;
use crate::hosts;
use crate::hosts::kind::Ways;
use crate::language::quoted;
use crate::model::{Routes, Traffic, Transport};
use std::collections::BTreeSet;

/// What to tell the user of such traffic.
pub(super) fn warnings(context: &Context, transports: &[Transport], traffic: &[Traffic]) -> Vec<String> {
    let network = context.network;
    let mut warnings = BTreeSet::new();
    let mut routes = Routes::new(network, &network.open_to_flows());
    for one in traffic {
        let transport = &transports[one.transport.index()];
        let Some(kind) = transport.kind.hosted() else { continue };
        let Some(told) = hosts::entry(kind).item.warnings else { continue };
        let ends = some_of(one.arrivals.ends());
        let paths = ends.into_iter().filter_map(|(from, to)| routes.path(from, to)).collect();
        let ways = Ways { network, paths, is_sure: &|link| context.is_of_paths(link.index()) };
        let name = quoted(&transport.name);
        warnings.extend(told(kind, &ways).into_iter().map(|what| format!("the transport {name}: {what}")));
    }
    warnings.into_iter().collect()
}
