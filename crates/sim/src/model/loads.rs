//! How much links carry of what pairs of nodes send.

use super::{EqualRoutes, LinkId, Network, NodeId, Routes, Routing, Weights};

/// Tells `add` of each link on the way of each pair its part of the pair's amount, as the network's routes divide it.
/// Routes are kept by destination, so pairs, sender first, are best in that order.
pub fn loads(network: &Network, pairs: &[(NodeId, NodeId, f64)], mut add: impl FnMut(LinkId, f64)) {
    let open = network.open_to_flows();
    match network.routing {
        Routing::First => {
            let mut routes = Routes::new(network, &open);
            for (from, to, amount) in pairs {
                routes.path(*from, *to).into_iter().flatten().for_each(|link| add(link, *amount));
            }
        }
        Routing::Ecmp { .. } | Routing::Spray(_) => {
            let mut routes = EqualRoutes::new(network, &open);
            let weights = if let Routing::Ecmp { weights, .. } = network.routing { weights } else { Weights::Equal };
            let weight = |link: LinkId| weights.of(network, link) as f64;
            for (from, to, amount) in pairs {
                routes.shares(*from, *to, weight, |link, part| add(link, part * amount));
            }
        }
    }
}
