//! Blocking on a mesh with given routes by the Erlang fixed point. Sources: F. P. Kelly, Advances in Applied
//! Probability 18, 1986 (a circuit holds all its links, so each is thinned by all others of its route); Z. Rosberg, H.
//! L. Vu, M. Zukerman and J. White, "Performance analyses of optical burst-switching networks", IEEE JSAC 21(7), 2003
//! (a burst is thinned by the links before, and has already used those when it is lost).

use crate::declare::{choice, model};
use crate::erlang_b::erlang_b;
use crate::{Error, Kind, Range, Unit};
use std::sync::Arc;

/// Sweeps of the iteration, after how many it goes half as far, and the largest change at which it has converged.
const MOST_SWEEPS: u32 = 20_000;
const WHOLE_SWEEPS: u32 = 1_000;
const CONVERGED: f64 = 1e-13;

choice! {
    /// By which links of its route the load of a link is thinned.
    Thinning {
        Upstream = "upstream", "By the links before it, as bursts under JET.";
        WholePath = "whole_path", "By all others of the route, as circuits.";
    }
}

model! {
    name: Mesh,
    holds: "Links taken as independent; Poisson arrivals; good when no route carries most of a link.",
    inputs {
        servers: Arc<[f64]> =
            Kind::Row { unit: Unit::Named("servers"), default: &[8.0, 8.0], range: Range::whole(0.0, 1e4) },
            "Wavelengths of each link; links are numbered from 0 in this order.";
        routes: Arc<[Vec<f64>]> =
            Kind::Rows { unit: Unit::Named("link"), default: &[&[0.0, 1.0], &[1.0]], range: Range::whole(0.0, 1e5) },
            "The links of each route, in the order in which a burst meets them.";
        loads: Arc<[f64]> =
            Kind::Row { unit: Unit::Named("erlang"), default: &[4.0, 2.0], range: Range::closed(0.0, 1e6) },
            "Offered load of each route.";
        thinning: Thinning = Thinning::KIND, "By which links of its route the load of a link is thinned.";
        scale: f64 = Kind::Number { unit: Unit::One, default: 1.0, range: Range::closed(0.0, 1e3) },
            "Multiplies all loads.";
    }
    outputs {
        blocking: f64 ["1"], "Probability that a burst is lost on its route, over all routes.";
        route_blocking: Vec<f64> ["1"], "The same for each route.";
        link_blocking: Vec<f64> ["1"], "Probability that a burst that reaches the link is refused there, for each \
            link.";
        link_load: Vec<f64> ["erlang"], "Load that reaches each link.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let mesh = Mesh::new(inputs)?;
    let mut passes = vec![1.0; mesh.servers.len()];
    for sweep in 0..MOST_SWEEPS {
        let step = if sweep < WHOLE_SWEEPS { 1.0 } else { 0.5 };
        if mesh.improve(&mut passes, step) < CONVERGED {
            return Ok(mesh.outputs(&passes));
        }
    }
    let why = format!("the iteration has not converged after {MOST_SWEEPS} sweeps");
    Err(Error::Impossible { input: "scale", value: inputs.scale, why })
}

struct Mesh {
    servers: Vec<u32>,
    routes: Vec<(Vec<usize>, f64)>,
    /// Of each link, the routes over it and its place in them.
    crossing: Vec<Vec<(usize, usize)>>,
    thinning: Thinning,
}

impl Mesh {
    fn new(inputs: &Inputs) -> Result<Mesh, Error> {
        let wrong =
            |input, value: usize, why: &str| Err(Error::Impossible { input, value: value as f64, why: why.into() });
        if inputs.loads.len() != inputs.routes.len() {
            let why = format!("numbers, but there are {} routes: one load for each", inputs.routes.len());
            return wrong("loads", inputs.loads.len(), &why);
        }
        if inputs.routes.is_empty() {
            return wrong("routes", 0, "at least one route");
        }
        let mut routes = Vec::new();
        let mut crossing = vec![Vec::new(); inputs.servers.len()];
        for (route, load) in inputs.routes.iter().zip(inputs.loads.iter()) {
            let links: Vec<usize> = route.iter().map(|link| *link as usize).collect();
            if links.is_empty() {
                return wrong("routes", 0, "a route has at least one link");
            }
            for (place, link) in links.iter().enumerate() {
                if *link >= inputs.servers.len() {
                    return wrong(
                        "routes",
                        *link,
                        &format!("links are numbered 0 … {}", inputs.servers.len() as i64 - 1),
                    );
                }
                if links[..place].contains(link) {
                    return wrong("routes", *link, "stands twice in one route");
                }
            }
            links.iter().enumerate().for_each(|(place, link)| crossing[*link].push((routes.len(), place)));
            routes.push((links, load * inputs.scale));
        }
        let servers = inputs.servers.iter().map(|servers| *servers as u32).collect();
        Ok(Mesh { servers, routes, crossing, thinning: inputs.thinning })
    }

    /// The load that reaches a link if link l lets the share `passes[l]` pass. It does not depend on the link's own
    /// share.
    fn load(&self, link: usize, passes: &[f64]) -> f64 {
        let of_route = |(route, place): &(usize, usize)| {
            let (links, load) = &self.routes[*route];
            let others = match self.thinning {
                Thinning::Upstream => &links[..*place],
                Thinning::WholePath => &links[..],
            };
            load * others.iter().filter(|other| **other != link).map(|other| passes[*other]).product::<f64>()
        };
        self.crossing[link].iter().map(of_route).sum()
    }

    /// Moves each link's share, one after another, by `step` of the way to what its load says; returns the largest way.
    /// With whole paths a sweep descends Kelly's convex function coordinate by coordinate, so it converges.
    fn improve(&self, passes: &mut [f64], step: f64) -> f64 {
        let mut change = 0.0f64;
        for link in 0..passes.len() {
            let way = 1.0 - erlang_b(self.load(link, passes), self.servers[link]) - passes[link];
            passes[link] += step * way;
            change = change.max(way.abs());
        }
        change
    }

    fn outputs(&self, passes: &[f64]) -> Outputs {
        let link_load: Vec<f64> = (0..passes.len()).map(|link| self.load(link, passes)).collect();
        let link_blocking =
            link_load.iter().zip(&self.servers).map(|(load, servers)| erlang_b(*load, *servers)).collect();
        let lost = |links: &[usize]| 1.0 - links.iter().map(|link| passes[*link]).product::<f64>();
        let route_blocking: Vec<f64> = self.routes.iter().map(|(links, _)| lost(links).clamp(0.0, 1.0)).collect();
        let offered: f64 = self.routes.iter().map(|(_, load)| load).sum();
        let all: f64 = self.routes.iter().zip(&route_blocking).map(|((_, load), lost)| load * lost).sum();
        Outputs { blocking: if offered == 0.0 { 0.0 } else { all / offered }, route_blocking, link_blocking, link_load }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn inputs(servers: &[f64], routes: &[&[f64]], loads: &[f64], thinning: Thinning) -> Inputs {
        let routes = routes.iter().map(|route| route.to_vec()).collect();
        Inputs { servers: servers.into(), routes, loads: loads.into(), thinning, scale: 1.0 }
    }

    #[test]
    fn one_link_is_erlang_b_of_the_sum_of_its_routes() {
        let found = evaluate(&inputs(&[8.0], &[&[0.0], &[0.0]], &[2.0, 3.0], Thinning::Upstream)).unwrap();
        assert!((found.blocking - erlang_b(5.0, 8)).abs() < 1e-12);
    }

    #[test]
    fn the_second_link_of_a_route_is_offered_what_the_first_lets_pass() {
        let found = evaluate(&inputs(&[4.0, 4.0], &[&[0.0, 1.0]], &[4.0], Thinning::Upstream)).unwrap();
        let first = erlang_b(4.0, 4);
        let second = erlang_b(4.0 * (1.0 - first), 4);
        assert!((found.link_blocking[0] - first).abs() < 1e-12 && (found.link_blocking[1] - second).abs() < 1e-12);
        assert!((found.blocking - (1.0 - (1.0 - first) * (1.0 - second))).abs() < 1e-12);
    }

    /// Kelly's symmetric case by bisection: a ring of routes of two links, B = E(2a(1 − B), C).
    #[test]
    fn a_symmetric_ring_solves_its_one_equation() {
        for load in [1.0, 4.0, 20.0] {
            let routes: &[&[f64]] = &[&[0.0, 1.0], &[1.0, 2.0], &[2.0, 0.0]];
            let found = evaluate(&inputs(&[5.0; 3], routes, &[load; 3], Thinning::WholePath)).unwrap();
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if erlang_b(2.0 * load * (1.0 - middle), 5) > middle { low = middle } else { high = middle }
            }
            assert!((found.link_blocking[1] - low).abs() < 1e-10, "{load}: {found:?} {low}");
        }
    }

    /// A burst-switched triangle simulated burst by burst, no offsets, propagation neglected: the fixed point takes
    /// links as independent, so 10 % is asked of the whole network's blocking, which is near 0.1.
    #[test]
    fn a_simulated_mesh_of_bursts_blocks_about_the_same() {
        let routes: [&[usize]; 6] = [&[0], &[1], &[2], &[0, 1], &[1, 2], &[2, 0]];
        let as_numbers: Vec<Vec<f64>> = routes.iter().map(|route| route.iter().map(|l| *l as f64).collect()).collect();
        let rows: Vec<&[f64]> = as_numbers.iter().map(Vec::as_slice).collect();
        let expected = evaluate(&inputs(&[8.0; 3], &rows, &[1.7; 6], Thinning::Upstream)).unwrap().blocking;
        let (mut random, mut now, mut lost) = (Random::new(8), 0.0, 0);
        let mut ends: [Vec<f64>; 3] = Default::default();
        for _ in 0..300_000 {
            now += random.exponential(1.0 / (6.0 * 1.7));
            let length = random.exponential(1.0);
            for link in routes[random.below(6)] {
                ends[*link].retain(|end| *end > now);
                if ends[*link].len() == 8 {
                    lost += 1;
                    break;
                }
                ends[*link].push(now + length);
            }
        }
        let share = f64::from(lost) / 300_000.0;
        assert!((share / expected - 1.0).abs() < 0.1, "{share} {expected}");
    }

    #[test]
    fn a_mesh_that_contradicts_itself_is_refused() {
        for (servers, routes, loads, message) in [
            (&[8.0][..], &[&[1.0][..]][..], &[1.0][..], "routes = 1: links are numbered 0 … 0"),
            (&[8.0], &[&[0.0, 0.0]], &[1.0], "routes = 0: stands twice in one route"),
            (&[8.0], &[&[0.0]], &[1.0, 2.0], "loads = 2: numbers, but there are 1 routes: one load for each"),
            (&[8.0], &[&[]], &[1.0], "routes = 0: a route has at least one link"),
            (&[8.0], &[], &[], "routes = 0: at least one route"),
        ] {
            let found = evaluate(&inputs(servers, routes, loads, Thinning::Upstream)).unwrap_err().to_string();
            assert_eq!(found, message);
        }
    }
}
