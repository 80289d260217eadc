//! Flow sizes, loads, incast, permutations and round-trip times as a scenario says them.

use super::{SMALL, load_text};
use crate::model::*;
use units::{Bytes, Duration};

/// A dumbbell of four pairs at 100 Mb/s; tests add a traffic.
fn four(traffic: &str) -> String {
    format!(
        "[run]\nduration = \"10 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 4\nbottleneck_capacity = \"100 Mbps\"\n\
         bottleneck_delay = \"10 ms\"\n[[traffic]]\ntransport = \"sack\"\n{traffic}"
    )
}

fn traffic(text: &str) -> Traffic {
    load_text(&four(text)).unwrap_or_else(|error| panic!("{error}")).scenario.model.traffic.remove(0)
}

/// The message without its place in the file, which begins with line 10.
fn message(text: &str) -> String {
    load_text(&four(text)).unwrap_err().to_string()
}

#[test]
fn sizes_are_drawn_from_a_law_and_the_load_follows_from_its_mean() {
    let sizes =
        |law: &str| traffic(&format!("arrivals = \"poisson\"\nmean_gap = \"1 ms\"\nsize_law = {law}")).sizes.unwrap();
    assert_eq!(sizes("{ law = \"exponential\", mean = \"10 kB\" }"), FlowSizes::Exponential { mean: 10_000.0 });
    // Shape 1.5: the least is a third of the mean.
    let FlowSizes::Pareto { least, most, .. } = sizes("{ law = \"pareto\", mean = \"9 kB\", shape = 1.5 }") else {
        panic!()
    };
    assert!((least - 3000.0).abs() < 1e-9 && most.is_infinite());
    let bounded = sizes("{ law = \"pareto\", mean = \"9 kB\", shape = 0.9, most = \"10 MB\" }");
    assert!((bounded.mean() / 9000.0 - 1.0).abs() < 1e-9);
    let lognormal = sizes("{ law = \"lognormal\", mean = \"9 kB\", sigma = 2.0 }");
    assert!((lognormal.mean() / 9000.0 - 1.0).abs() < 1e-9);
    assert_eq!(sizes("{ law = \"web-search\" }").mean(), 1_711_250.0);
    assert_eq!(sizes("{ law = \"cdf\", points = [[\"1 kB\", 0.5], [3000, 1]] }").mean(), 1500.0);
}

#[test]
fn a_load_is_a_share_of_a_link() {
    let gap = |text: &str| match traffic(&format!("size = \"125 kB\"\n{text}")).arrivals {
        Arrivals::Poisson { mean_gap, .. } => mean_gap,
        Arrivals::Incast(Incast { requests: Requests::Poisson(gap), .. }) => gap,
        other => panic!("{other:?}"),
    };
    // 1 Mbit a flow, 100 Mb/s, half of it: 50 flows a second.
    assert_eq!(gap("arrivals = \"poisson\"\nload_share = 0.5"), Duration::from_millis(20));
    // The four pairs take turns, so a quarter of the flows passes the link of a host, which has 1 Gb/s: 2000 flows a
    // second.
    let link = "arrivals = \"poisson\"\nload_share = 0.5\nload_link = \"l1->left\"";
    assert_eq!(gap(link), Duration::from_micros(500));
    // Eight hosts at random: of the 56 ordered pairs 16 pass left->right and as many right->left, at 100 Mb/s.
    let random = "pairs = \"random\"\narrivals = \"poisson\"\nload_share = 0.5";
    assert!(gap(random).ps().abs_diff(Duration::from_millis(20).ps() * 16 / 56) <= 1);
    // Four senders on the left, three and the receiver on the right: 4 of 7 flows of a request pass the bottleneck.
    let incast = "arrivals = \"incast\"\nto = \"r0\"\nload_share = 0.5";
    assert_eq!(gap(incast), Duration::from_millis(80));
}

#[test]
fn an_incast_is_one_request_or_many() {
    let incast = |text: &str| match traffic(&format!("size = \"10 kB\"\narrivals = \"incast\"\n{text}")).arrivals {
        Arrivals::Incast(incast) => incast,
        other => panic!("{other:?}"),
    };
    let one = incast("to = \"r0\"");
    assert_eq!((one.senders, one.at_most, one.to.is_some()), (7, 1, true));
    let many = incast("senders = 3\nevery = \"10 ms\"\nrequests = 5");
    assert_eq!(
        (many.senders, many.at_most, many.requests, many.to),
        (3, 5, Requests::Every(Duration::from_millis(10)), None)
    );
}

#[test]
fn round_trips_come_from_a_list_or_a_law() {
    let delays = |keys: &str| -> Vec<u64> {
        let text = four("").replace("bottleneck_delay", &format!("{keys}\nbottleneck_delay"));
        let network = load_text(&text).unwrap_or_else(|error| panic!("{error}")).scenario.model.network;
        let us = |name: &str| {
            let link = network.links.iter().find(|link| link.name == name).unwrap();
            link.delay.ps() / 1_000_000
        };
        (0..4).map(|pair| us(&format!("l{pair}->left")) + us(&format!("right->r{pair}"))).collect()
    };
    // 20 ms of a round trip are the bottleneck's; the two links of a pair have half of the rest.
    assert_eq!(delays("round_trips = [\"40 ms\", \"100 ms\"]"), [10_000, 40_000, 10_000, 40_000]);
    // Uniform from 40 to 120 ms: quantiles 1/8, 3/8, 5/8, 7/8 are 50, 70, 90, 110 ms.
    let law = "round_trip_law = { law = \"uniform\", least = \"40 ms\", most = \"120 ms\" }";
    assert_eq!(delays(law), [15_000, 25_000, 35_000, 45_000]);
}

#[test]
fn what_explain_writes_is_the_same_traffic() {
    let texts = [
        "arrivals = \"poisson\"\nload_share = 0.4\nsize_law = { law = \"pareto\", mean = \"100 kB\", shape = 1.3, most \
            = \"10 MB\" }",
        "arrivals = \"poisson\"\nload_share = 0.4\nload_link = \"left->right\"\nsize_law = { law = \"data-mining\" }",
        "pairs = \"permutation\"\nsize_law = { law = \"cdf\", points = [[\"1 kB\", 0.5], [\"1 MB\", 1.0]], between = \
            \"log\" }",
        "arrivals = \"incast\"\nto = \"r2\"\nsize = \"20 kB\"",
        "arrivals = \"incast\"\nsenders = 3\nsize = \"20 kB\"\nevery = \"100 ms\"\nspread = \"1 ms\"",
        "arrivals = \"incast\"\nsenders = 3\nsize = \"20 kB\"\nload_share = 0.1\nrequests = 7",
    ];
    for text in texts {
        let loaded = load_text(&four(text)).unwrap_or_else(|error| panic!("{error}"));
        let explained = loaded.explain();
        let again = load_text(&explained).unwrap_or_else(|error| panic!("{error}\n{explained}"));
        super::same(&loaded.scenario, &again.scenario);
        assert_eq!(again.explain(), explained);
    }
}

#[test]
fn delays_are_measured_with_samples_or_without() {
    let sampled = "flow_delays = true\ninterval = \"1 s\"";
    for probe in ["delays = true", "delays = true\ninterval = \"1 s\"", sampled, "flow_delays = true", ""] {
        let loaded = load_text(&format!("{SMALL}[probe]\n{probe}\n")).unwrap_or_else(|error| panic!("{error}"));
        let asked = format!("{:?}", loaded.scenario.probes);
        assert_eq!(asked.starts_with("[Delays "), probe.starts_with("delays"), "{probe}: {asked}");
        assert_eq!(asked.starts_with("[FlowDelays "), probe.starts_with("flow_delays"), "{probe}: {asked}");
        let again = load_text(&loaded.explain()).unwrap_or_else(|error| panic!("{error}"));
        super::same(&loaded.scenario, &again.scenario);
    }
}

#[test]
fn a_distribution_that_is_none_is_refused_at_its_point() {
    let law = |points: &str| message(&format!("size_law = {{ law = \"cdf\", points = {points} }}"));
    assert_eq!(
        law("[[\"1 kB\", 0.5], [\"2 kB\", 0.4], [\"3 kB\", 1.0]]"),
        "test.toml:10:52: traffic.0.size_law.points.1: the distribution decreases, from 0.5 to 0.4"
    );
    assert_eq!(
        law("[[\"1 kB\", 0.5], [\"2 kB\", 0.9]]"),
        "test.toml:10:52: traffic.0.size_law.points.1: the distribution ends at 0.9; it must end at 1"
    );
    assert_eq!(
        law("[[-5, 0.5], [\"2 kB\", 1.0]]"),
        "test.toml:10:38: traffic.0.size_law.points.0.0: found -5; allowed: a whole number of bytes, or a size in \
            quotes such as \
         \"1500 B\""
    );
    assert_eq!(
        law("[[\"1 kB\"]]"),
        "test.toml:10:37: traffic.0.size_law.points.0: found 0 elements; allowed: a size and a probability such as \
            [\"10 kB\", 0.15]"
    );
    assert_eq!(
        law("[]"),
        "test.toml:10:36: traffic.0.size_law.points: found an empty list; allowed: one point or more"
    );
}

#[test]
fn a_file_of_points_is_read_and_its_mistakes_have_a_line() {
    let folder = std::env::temp_dir().join(format!("photocol-cdf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("sizes.txt");
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        load_text(&four(&format!("size_law = {{ law = \"cdf\", file = {:?} }}", path.display().to_string())))
    };
    let loaded =
        load("# sizes\nsize_bytes,probability\n0 0\n1000, 0.5\n\n2000\t1\n").unwrap_or_else(|error| panic!("{error}"));
    let Some(FlowSizes::Empirical(cdf)) = &loaded.scenario.traffic[0].sizes else { panic!() };
    assert_eq!(cdf.points(), [(0.0, 0.0), (1000.0, 0.5), (2000.0, 1.0)]);
    assert!(loaded.explain().contains("points = [[0, 0.0], [1000, 0.5], [2000, 1.0]]"), "{}", loaded.explain());
    let wrong = |text: &str| load(text).unwrap_err().to_string().replace(&path.display().to_string(), "FILE");
    let key = "traffic.0.size_law.file";
    assert_eq!(wrong("10 0.5\n20 0.4\n30 1"), format!("FILE:2:1: {key}: the distribution decreases, from 0.5 to 0.4"));
    assert_eq!(wrong("10 0.5\n20 100"), format!("FILE:2:1: {key}: found the probability 100; allowed: 0 to 1"));
    assert_eq!(wrong("10 0.5\n-3 1"), format!("FILE:2:1: {key}: found the size -3 B; allowed: 0 B to {MOST_BYTES} B"));
    assert_eq!(
        wrong("10 0.5 7"),
        format!("FILE:1:1: {key}: found \"10 0.5 7\"; allowed: a whole number of bytes and a probability")
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn laws_without_a_mean_and_keys_that_contradict_are_refused() {
    let pareto = |keys: &str| message(&format!("size_law = {{ law = \"pareto\", {keys} }}"));
    assert_eq!(
        pareto("mean = \"9 kB\", shape = 1.0"),
        "test.toml:10:53: traffic.0.size_law.shape: a shape of 1.0 has no mean; allowed: more than 1, or the key most, \
            or least \
         instead of mean"
    );
    assert_eq!(
        pareto("mean = \"9 kB\", shape = 1.5, most = \"9 kB\""),
        "test.toml:10:37: traffic.0.size_law.mean: found \"9 kB\"; allowed: less than most, \"9 kB\""
    );
    assert_eq!(
        message(
            "arrivals = \"poisson\"\nload_share = 0.5\nsize_law = { law = \"pareto\", least = \"1 kB\", shape = 0.9 }"
        ),
        "test.toml:11:14: traffic.0.load_share: the sizes have no mean, so their load is not known; allowed: a shape \
            above 1, or most"
    );
    assert_eq!(
        message("arrivals = \"poisson\"\nload_share = 0.5"),
        "test.toml:11:14: traffic.0.load_share: the flows have no size, so their load is not known; allowed with size \
            or size_law"
    );
    assert_eq!(
        message("arrivals = \"poisson\"\nload_share = 0.5\nload_link = \"right->left\"\nsize = \"1 kB\""),
        "test.toml:12:13: traffic.0.load_link: no flow of this traffic passes this link"
    );
    assert_eq!(
        message("size = \"1 kB\"\nsize_law = { law = \"hadoop\" }"),
        "test.toml:10:8: traffic.0.size: there is a size_law; allowed: size or size_law"
    );
    assert_eq!(
        message("arrivals = \"incast\"\nsenders = 9\nsize = \"1 kB\""),
        "test.toml:11:11: traffic.0.senders: found 9; allowed: 1 to 7, the nodes that can answer"
    );
    assert_eq!(
        message("arrivals = \"incast\"\nfrom = \"l0\"\nto = \"r0\""),
        "test.toml:11:8: traffic.0.from: the key \"from\" does not go with arrivals = \"incast\", which takes to, \
            among, senders"
    );
    assert_eq!(
        message("arrivals = \"incast\"\nrequests = 3"),
        "test.toml:11:12: traffic.0.requests: nothing says when they come; allowed with every, mean_gap or load_share"
    );
}

#[test]
fn the_mean_of_drawn_sizes_stands_for_them_before_the_run() {
    let traffic = traffic("size_law = { law = \"web-search\" }");
    assert_eq!(traffic.load, Load::Size(Bytes(1_711_250)));
}

#[test]
fn a_round_trip_is_longer_than_the_bottleneck() {
    let text = SMALL.replace("bottleneck_delay", "round_trips = [\"50 ms\", \"20 ms\"]\npairs = 2\nbottleneck_delay");
    assert_eq!(
        load_text(&text).unwrap_err().to_string(),
        "test.toml:7:15: topology.round_trips: pair 1 has \"20 ms\"; allowed: more than \"20 ms\", twice the \
            bottleneck's delay"
    );
    let text = SMALL.replace("bottleneck_delay", "round_trips = [\"50 ms\"]\nleft_delay = \"1 ms\"\nbottleneck_delay");
    assert_eq!(
        load_text(&text).unwrap_err().to_string(),
        "test.toml:8:14: topology.left_delay: the delays follow from the round-trip times; allowed: these or delays"
    );
}

#[test]
fn a_list_is_split_by_size_so_that_two_transports_share_it() {
    let list = "list = [{ start = \"0 s\", source = \"l0\", destination = \"r0\", size = \"999 B\" }, \
        { start = \"0 s\", source = \"l1\", destination = \"r1\", size = \"1 kB\" }, \
        { start = \"0 s\", source = \"l2\", destination = \"r2\" }]\n";
    let sizes = |keys: &str| match traffic(&format!("{list}{keys}")).arrivals {
        Arrivals::List(list) => list.into_iter().map(|flow| flow.size).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(sizes("sizes_below = \"1 kB\""), [Some(Bytes(999))]);
    assert_eq!(sizes("sizes_from = \"1 kB\""), [Some(Bytes(1000)), None]);
    assert_eq!(sizes("sizes_from = \"1 B\"\nsizes_below = \"1 MB\""), [Some(Bytes(999)), Some(Bytes(1000))]);
    let wrong = message(&format!("{list}sizes_from = \"1 kB\"\nsizes_below = \"1 kB\""));
    assert!(wrong.ends_with("found \"1 kB\"; allowed: more than sizes_from, \"1 kB\""), "{wrong}");
    let wrong = message("from = \"l0\"\nto = \"r0\"\nsizes_below = \"1 kB\"");
    assert!(wrong.ends_with("goes with a list of flows: list or file"), "{wrong}");
}
