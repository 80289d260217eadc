//! What a scenario would hold at once, against `run.memory`.

use super::{SMALL, load_set, load_text};
use units::Bytes;

fn message(text: &str) -> String {
    load_text(text).unwrap_err().to_string()
}

#[test]
fn eight_gigabytes_unless_the_scenario_says_otherwise() {
    assert_eq!(load_text(SMALL).unwrap().scenario.run.memory, Bytes(8_000_000_000));
    assert_eq!(load_set(SMALL, &[("run.memory", "64 GB")]).unwrap().scenario.run.memory, Bytes(64_000_000_000));
}

#[test]
fn samples_that_fit_nowhere_are_refused_where_they_are_ordered() {
    // One flow of 7 values and 6 directed links of 5 over 10 s: 37 values a nanosecond, 3.7e11 in all, 200 B each.
    let fine = format!("{SMALL}[probe]\ninterval = \"1 ns\"\n");
    assert_eq!(
        message(&fine),
        "test.toml:13:12: probe.interval: 3.7e11 samples would take about 74.0 TB of memory; allowed: \"8 GB\" for the \
         whole run, see run.memory"
    );
    let one = format!("{SMALL}[probe]\ninterval = \"1 ps\"\nlinks = [\"left->right\"]\n");
    assert!(message(&one).contains("5.0e13 samples would take about 10.0 PB"), "{}", message(&one));
    // The bound can be raised, for those who have more; replications count.
    let coarse = format!("{SMALL}[probe]\ninterval = \"1 us\"\n");
    assert!(load_set(&coarse, &[("run.memory", "75 GB")]).is_ok());
    assert!(message(&coarse).contains("74.0 GB"), "{}", message(&coarse));
    assert!(load_set(&coarse, &[("run.memory", "75 GB"), ("run.runs", "2")]).is_err());
}

#[test]
fn flows_first_windows_and_bursts_that_fit_nowhere_are_refused() {
    let flows = load_set(SMALL, &[("traffic.0.flows", "10000000")]).unwrap_err().to_string();
    assert!(flows.contains("traffic.0: 1.0e7 flows would take about 19.0 GB of memory"), "{flows}");
    // 2 kB more each where the delays of flows are measured.
    let delays = [("traffic.0.flows", "10000000"), ("probe.flow_delays", "true")];
    let delays = load_set(SMALL, &delays).unwrap_err().to_string();
    assert!(delays.contains("traffic.0: 1.0e7 flows would take about 39.0 GB of memory"), "{delays}");
    let windows = [
        ("transport.big.algorithm", "sack"),
        ("transport.big.initial_window", "4294967295"),
        ("transport.big.receiver_window", "unlimited"),
        ("traffic.0.transport", "big"),
    ];
    let refused = load_set(SMALL, &windows).unwrap_err().to_string();
    // The receiver's window is 2^40 B if it has no bound: 7.5e8 segments of 1460 B.
    assert!(refused.contains("7.5e8 packets of first windows would take about 24.1 GB"), "{refused}");
    // Of a list those count that begin together: two of 400 GB, that is 5.5e8 segments of 1460 B.
    let list = r#"[{ source = "left", destination = "right", start = "1 s", size = "400 GB" },
                   { source = "left", destination = "right", start = "1 s", size = "400 GB" },
                   { source = "left", destination = "right", start = "2 s", size = "700 GB" },
                   { source = "left", destination = "right", start = "3 s", size = "1 kB" }]"#;
    let traffic = format!(r#"[{{ transport = "big", list = {list} }}]"#);
    let listed = [windows[0], windows[1], windows[2], ("traffic", traffic.as_str())];
    let listed = load_set(SMALL, &listed).unwrap_err().to_string();
    assert!(listed.contains("5.5e8 packets of first windows would take about 17.5 GB"), "{listed}");
    let obs = std::fs::read_to_string(super::root().join("scenarios/obs.toml")).unwrap();
    let bursts = load_set(&obs, &[("switching.burst.0.mean", "1 ps"), ("switching.burst.0.load", "0.5")])
        .unwrap_err()
        .to_string();
    // 182 pairs, a burst every 2 ps over 2 s; the control channel takes 2e7 headers of 64 B a second.
    assert!(
        bursts.contains("switching.burst.0: 1.8e14 burst headers that wait for a control channel would take"),
        "{bursts}"
    );
}
