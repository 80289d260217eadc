use super::*;
use crate::model::{FlowSizes, Incast, Listed, Network, Pairs, Probe, Requests, RunSpec, TransportId, WEB_SEARCH};
use std::sync::Arc;
use units::{Bytes, PS_PER_SECOND};

const SECOND: u64 = PS_PER_SECOND;

fn at(seconds: u64) -> SimTime {
    SimTime::from_ps(seconds * SECOND)
}

fn traffic(name: &str, arrivals: Arrivals) -> Traffic {
    Traffic {
        name: name.into(),
        transport: TransportId(0),
        arrivals,
        load: Load::Greedy,
        sizes: None,
        stop: None,
        priority: 0,
        bursts: None,
    }
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
            completion: crate::model::Completion::Delivered,
        },
        network: Network::default(),
        transports: Vec::new(),
        traffic,
        changes: Vec::new(),
        laws: Vec::new(),
        news: Vec::new(),
        forced: Vec::new(),
        probe: Probe::default(),
        trace: crate::model::Trace::default(),
        external: None,
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

/// The sizes of 100 000 flows, all at once.
fn sizes(law: FlowSizes) -> Vec<f64> {
    let sized = Traffic { sizes: Some(law), ..traffic("sized", random(100_000)) };
    let flows = expand(&scenario(vec![sized]), SEED);
    let size = |flow: &Flow| if let Load::Size(bytes) = flow.load { bytes.count() as f64 } else { panic!("{flow:?}") };
    flows.iter().map(size).collect()
}

/// The greatest distance between what was drawn and a distribution (Kolmogorov, Smirnov), times the square root of the
/// number.
fn distance(mut drawn: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
    drawn.sort_by(f64::total_cmp);
    let n = drawn.len() as f64;
    // Sizes are whole: what is drawn as s lies in (s − 1, s].
    let gap = |(place, size): (usize, &f64)| {
        let next = drawn.get(place + 1).is_none_or(|next| next > size);
        if next { ((place + 1) as f64 / n - below(*size)).abs() } else { 0.0 }
    };
    drawn.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn flow_sizes_follow_their_laws() {
    // 1.95 is exceeded with a probability of 0.001.
    let exponential = distance(sizes(FlowSizes::Exponential { mean: 1e5 }), |x| 1.0 - (-x / 1e5).exp());
    let pareto = |most: f64| FlowSizes::Pareto { least: 1e4, shape: 1.2, most };
    let unbounded = distance(sizes(pareto(f64::INFINITY)), |x| 1.0 - (1e4 / x).powf(1.2));
    let within = 1.0 - (1e4f64 / 1e6).powf(1.2);
    let bounded = distance(sizes(pareto(1e6)), |x| (1.0 - (1e4 / x).powf(1.2)) / within);
    let weibull =
        distance(sizes(FlowSizes::Weibull { scale: 1e5, shape: 0.6 }), |x| 1.0 - (-(x / 1e5).powf(0.6)).exp());
    assert!(weibull < 1.95, "{weibull}");
    let law = FlowSizes::Lognormal { median: 2e4, sigma: 1.5 };
    // Φ at −1, 0, 1 and 2: SciPy, scipy.stats.norm.cdf.
    let drawn = sizes(law);
    let table = [(-1.0f64, 0.158_655), (0.0, 0.5), (1.0, 0.841_345), (2.0, 0.977_250)];
    for (deviations, share) in table {
        let limit = 2e4 * (1.5 * deviations).exp();
        let found = drawn.iter().filter(|size| **size <= limit).count() as f64 / drawn.len() as f64;
        let deviation = (share * (1.0 - share) / drawn.len() as f64).sqrt();
        assert!((found - share).abs() < 4.0 * deviation, "{deviations}: {found}");
    }
    assert!(exponential < 1.95 && unbounded < 1.95 && bounded < 1.95, "{exponential} {unbounded} {bounded}");
}

#[test]
fn a_published_table_gives_its_shares_and_its_mean() {
    let drawn = sizes(FlowSizes::Empirical(Arc::new(WEB_SEARCH.cdf())));
    let n = drawn.len() as f64;
    for (size, share) in WEB_SEARCH.cdf().points() {
        let found = drawn.iter().filter(|drawn| **drawn <= *size).count() as f64 / n;
        assert!((found - share).abs() <= 4.0 * (share * (1.0 - share) / n).sqrt(), "{size} {share} {found}");
    }
    // The standard deviation of the table is 4.1 MB: four standard errors of 100 000 draws are 52 kB.
    let mean = drawn.iter().sum::<f64>() / n;
    assert!((mean - 1_711_250.0).abs() < 52_000.0, "{mean}");
}

#[test]
fn the_size_of_a_flow_does_not_depend_on_the_others() {
    let law = || Some(FlowSizes::Exponential { mean: 1e5 });
    let sized = |count| Traffic { sizes: law(), ..traffic("sized", random(count)) };
    let loads = |scenario: &Scenario| -> Vec<_> {
        let index = scenario.traffic.len() as u32 - 1;
        let mut flows = expand(scenario, SEED);
        flows.retain(|flow| flow.origin.0 == index);
        flows.sort_by_key(|flow| flow.origin.1);
        flows.iter().map(|flow| flow.load).collect()
    };
    let alone = loads(&scenario(vec![sized(20)]));
    assert_eq!(alone[..7], loads(&scenario(vec![traffic("other", random(50)), sized(7)])));
}

#[test]
fn a_permutation_has_no_fixed_point_and_is_uniform() {
    let nodes: Vec<NodeId> = (0..4).map(NodeId).collect();
    let mut counts = std::collections::BTreeMap::new();
    for run in 0..900 {
        let pairs = Pairs::Permutation(nodes.clone());
        let arrivals = Arrivals::Fixed { pairs, count: 8, start: SimTime::ZERO, spread: Duration::ZERO };
        let flows = expand(&scenario(vec![traffic("p", arrivals)]), Seed { seed: 1, run });
        let to: Vec<u32> = flows.iter().map(|flow| flow.destination.0).collect();
        assert!(flows.iter().all(|flow| flow.source != flow.destination) && to[..4] == to[4..]);
        *counts.entry(to[..4].to_vec()).or_insert(0) += 1;
    }
    // Nine derangements of four, 100 times each; the standard deviation is 9.4.
    assert_eq!(counts.len(), 9);
    assert!(counts.values().all(|count: &i32| (count - 100).abs() < 38), "{counts:?}");
}

fn incast(to: Option<NodeId>, senders: u32) -> Incast {
    Incast {
        to,
        among: (0..10).map(NodeId).collect(),
        senders,
        requests: Requests::Every(Duration::from_secs(2)),
        start: at(1),
        until: at(8),
        at_most: 100,
        spread: Duration::ZERO,
    }
}

#[test]
fn all_others_answer_a_request_at_once() {
    let flows = expand(&scenario(vec![traffic("i", Arrivals::Incast(incast(Some(NodeId(3)), 9)))]), SEED);
    let starts: Vec<SimTime> = flows.iter().step_by(9).map(|flow| flow.start).collect();
    assert_eq!(starts, [at(1), at(3), at(5), at(7)]);
    let of_second: Vec<u32> = flows[9..18].iter().map(|flow| flow.source.0).collect();
    assert_eq!(of_second, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert!(flows.iter().all(|flow| flow.destination == NodeId(3)));
}

#[test]
fn so_many_senders_are_drawn_for_each_request() {
    let flows = expand(&scenario(vec![traffic("i", Arrivals::Incast(incast(None, 4)))]), SEED);
    assert_eq!(flows.len(), 16);
    for request in flows.chunks(4) {
        let senders: std::collections::BTreeSet<u32> = request.iter().map(|flow| flow.source.0).collect();
        assert_eq!((senders.len(), request[0].start), (4, request[3].start));
        assert!(
            !senders.contains(&request[0].destination.0)
                && request.iter().all(|flow| flow.destination == request[0].destination)
        );
    }
}
