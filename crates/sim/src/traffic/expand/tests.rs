use super::*;
use crate::model::{Listed, Network, Probe, RunSpec, TransportId};
use units::{Bytes, PS_PER_SECOND};

const SECOND: u64 = PS_PER_SECOND;

fn at(seconds: u64) -> SimTime {
    SimTime::from_ps(seconds * SECOND)
}

fn traffic(name: &str, arrivals: Arrivals) -> Traffic {
    Traffic { name: name.into(), transport: TransportId(0), arrivals, load: Load::Greedy, stop: None, bursts: None }
}

fn scenario(traffic: Vec<Traffic>) -> Scenario {
    Scenario {
        run: RunSpec {
            name: String::new(),
            duration: Duration::from_secs(40),
            warm_up: Duration::ZERO,
            seed: 1,
            runs: 1,
            memory: units::Bytes(1 << 33),
        },
        network: Network::default(),
        transports: Vec::new(),
        traffic,
        events: Vec::new(),
        forced: Vec::new(),
        probe: Probe::default(),
    }
}

fn random(count: u32) -> Arrivals {
    let pairs = Pairs::UniformRandom((0..14).map(NodeId).collect());
    Arrivals::Fixed { pairs, count, start: SimTime::ZERO, spread: Duration::from_secs(40) }
}

const SEED: Seed = Seed { seed: 1, run: 0 };

#[test]
fn flows_are_sorted_by_start_then_traffic_then_number() {
    let pairs = || Pairs::Given(vec![(NodeId(0), NodeId(1)), (NodeId(2), NodeId(3))]);
    let now = |count| Arrivals::Fixed { pairs: pairs(), count, start: at(1), spread: Duration::ZERO };
    let flows = expand(&scenario(vec![traffic("a", now(3)), traffic("b", now(1)), traffic("c", random(50))]), SEED);
    assert!(flows.is_sorted_by_key(|flow| (flow.start, flow.origin)));
    let a: Vec<_> = flows.iter().filter(|flow| flow.origin.0 == 0).map(|flow| (flow.source.0, flow.origin.1)).collect();
    assert_eq!(a, [(0, 0), (2, 1), (0, 2)], "given pairs take turns");
    assert!(flows.iter().all(|flow| flow.stop == at(40)));
}

#[test]
fn a_traffic_draws_the_same_whatever_stands_beside_it() {
    let alone = expand(&scenario(vec![traffic("flows", random(1586))]), SEED);
    let pairs = Pairs::Given(vec![(NodeId(0), NodeId(1))]);
    let other =
        Arrivals::Poisson { pairs, mean_gap: Duration::from_secs(1), start: at(0), until: at(9), at_most: None };
    let beside = expand(&scenario(vec![traffic("more", other), traffic("flows", random(1586))]), SEED);
    let key = |flow: &Flow| (flow.start, flow.source, flow.destination, flow.origin.1);
    let kept: Vec<_> = beside.iter().filter(|flow| flow.origin.0 == 1).map(key).collect();
    assert_eq!(alone.iter().map(key).collect::<Vec<_>>(), kept);
    let fewer = expand(&scenario(vec![traffic("flows", random(10))]), SEED);
    assert!(fewer.iter().all(|flow| alone.contains(flow)), "flow k does not depend on how many follow");
    assert_ne!(expand(&scenario(vec![traffic("flows", random(1586))]), Seed { seed: 1, run: 1 }), alone);
}

#[test]
fn random_pairs_are_uniform_over_ordered_pairs() {
    // 182 pairs, 91 000 draws, 500 expected each: chi-squared has 181 degrees of freedom, mean 181, deviation 19.
    let flows = expand(&scenario(vec![traffic("flows", random(91_000))]), SEED);
    let mut counts = [[0u32; 14]; 14];
    flows.iter().for_each(|flow| counts[flow.source.index()][flow.destination.index()] += 1);
    assert!((0..14).all(|node| counts[node][node] == 0));
    let distance = |count: u32| (f64::from(count) - 500.0).powi(2) / 500.0;
    let off_diagonal = (0..14).flat_map(|a| (0..14).filter(move |b| *b != a).map(move |b| (a, b)));
    let chi_squared: f64 = off_diagonal.map(|(a, b)| distance(counts[a][b])).sum();
    assert!((181.0 - 4.0 * 19.0..181.0 + 4.0 * 19.0).contains(&chi_squared), "{chi_squared}");
}

#[test]
fn a_poisson_process_has_its_rate_and_exponential_gaps() {
    let pairs = Pairs::Given(vec![(NodeId(0), NodeId(1))]);
    let gap = Duration::from_millis(1);
    let process = Arrivals::Poisson { pairs, mean_gap: gap, start: at(10), until: at(30), at_most: None };
    let flows = expand(&scenario(vec![traffic("flows", process)]), SEED);
    // 20 000 expected, standard deviation 141.
    assert!((flows.len() as f64 - 20_000.0).abs() < 4.0 * 141.4, "{}", flows.len());
    assert!(flows.first().unwrap().start > at(10) && flows.last().unwrap().start < at(30));
    // The mean square of exponential gaps is twice the square of the mean (standard error 2·sqrt(5/n) of it).
    let gaps: Vec<f64> = flows.windows(2).map(|pair| (pair[1].start - pair[0].start).as_secs_f64() * 1e3).collect();
    let mean_square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / gaps.len() as f64;
    assert!((mean_square - 2.0).abs() < 4.0 * 2.0 * (5.0 / gaps.len() as f64).sqrt(), "{mean_square}");
}

#[test]
fn a_process_ends_after_so_many_starts() {
    let pairs = Pairs::Given(vec![(NodeId(0), NodeId(1))]);
    let gap = Duration::from_millis(1);
    let process = Arrivals::Poisson { pairs, mean_gap: gap, start: at(0), until: at(40), at_most: Some(7) };
    assert_eq!(expand(&scenario(vec![traffic("flows", process)]), SEED).len(), 7);
}

#[test]
fn a_list_is_taken_as_it_is_but_for_what_starts_too_late() {
    let flow = |start, size| Listed { start: at(start), source: NodeId(0), destination: NodeId(1), size };
    let list = Arrivals::List(vec![flow(3, None), flow(1, Some(Bytes(5))), flow(40, None), flow(20, None)]);
    let stopped = Traffic { stop: Some(at(20)), ..traffic("flows", list) };
    let flows = expand(&scenario(vec![stopped]), SEED);
    let brief: Vec<_> = flows.iter().map(|flow| (flow.start, flow.load, flow.origin.1, flow.stop)).collect();
    assert_eq!(brief, [(at(1), Load::Size(Bytes(5)), 1, at(20)), (at(3), Load::Greedy, 0, at(20))]);
}
