//! Round trips of the traffic at each link: what a buffer of `"1 BDP"` is measured by.
//!
//! They are those of propagation, there and back, along the routes and with the delays at the start. Of several flows
//! at a link the longest counts, as in the rule of thumb of routers (Villamizar and Song 1994); who wants the mean of
//! Appenzeller, Keslassy and McKeown (SIGCOMM 2004) says it: `"1 BDP of 80 ms"`.

use super::share::{MOST_PAIRS, listed};
use crate::language::{Fault, Place, quoted, room_of};
use crate::model::{Buffer, Link, LinkId, Network, NodeId, Routes, Traffic};
use units::{Duration, Products};

/// The longest round trips.
pub(super) struct RoundTrips {
    /// Per link, of the flows whose data or ACKs pass it; zero where none passes.
    at: Vec<Duration>,
    longest: Duration,
}

impl RoundTrips {
    /// Those of the traffic; `place` is where they are asked for.
    pub fn of(network: &Network, traffic: &[Traffic], place: &Place) -> Result<RoundTrips, Fault> {
        let mut trips = RoundTrips { at: vec![Duration::ZERO; network.links.len()], longest: Duration::ZERO };
        let mut routes = Routes::new(network, &network.open_to_flows());
        for (a, b) in pairs(traffic, place)? {
            let (Some(there), Some(back)) = (routes.path(a, b), routes.path(b, a)) else { continue };
            trips.add(network, &there, &back);
        }
        if trips.longest == Duration::ZERO {
            let message = "no traffic has a round trip; allowed: one that is said, such as \"1 BDP of 40 ms\"";
            return Err(Fault::new(place.clone(), message));
        }
        Ok(trips)
    }

    fn add(&mut self, network: &Network, there: &[LinkId], back: &[LinkId]) {
        let links = || there.iter().chain(back).map(|link| link.index());
        let trip = links().fold(Duration::ZERO, |sum, link| sum + network.links[link].delay);
        links().for_each(|link| self.at[link] = self.at[link].max(trip));
        self.longest = self.longest.max(trip);
    }

    /// So many products of a link as bytes.
    pub fn room(
        &self,
        products: Products,
        id: LinkId,
        link: &Link,
        packet: u32,
        place: Place,
    ) -> Result<Buffer, Fault> {
        let trip = self.at.get(id.index()).copied().filter(|trip| *trip > Duration::ZERO).unwrap_or(self.longest);
        let Some(span) = products.of(trip) else {
            return Err(Fault::new(place, format!("found \"{products}\" of \"{trip}\"; allowed: at most 213 days")));
        };
        let bytes = link.capacity.bytes_in(span);
        let (name, capacity) = (quoted(&link.name), link.capacity);
        let found = format!("\"{products}\", that is {bytes} at {name}: {capacity} for a round trip of \"{trip}\"");
        room_of(bytes, &found, packet, || place)
    }
}

/// The pairs of nodes between which flows can run, each once.
fn pairs(traffic: &[Traffic], place: &Place) -> Result<Vec<(NodeId, NodeId)>, Fault> {
    let too_many = |number: u64| {
        let message = format!(
            "{number} pairs of nodes are too many to look for round trips; allowed: {MOST_PAIRS}, or products that say \
             it, such as \"1 BDP of 40 ms\""
        );
        Fault::new(place.clone(), message)
    };
    let mut pairs = Vec::new();
    for one in traffic {
        let either = |(a, b): (NodeId, NodeId)| if a < b { (a, b) } else { (b, a) };
        pairs.extend(listed(one.arrivals.ends()).map_err(too_many)?.into_iter().map(either));
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.len() as u64 > MOST_PAIRS {
            return Err(too_many(pairs.len() as u64));
        }
    }
    Ok(pairs)
}
