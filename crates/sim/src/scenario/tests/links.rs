//! Links that change: what is refused, and where the message points.

use super::{SMALL, load_text, same};
use crate::model::*;
use std::sync::Arc;
use units::{Duration, Rate};

fn added(text: &str) -> String {
    load_text(&format!("{SMALL}{text}")).unwrap_err().to_string()
}

/// Phases of the bottleneck from line 12 on; the keys of the table and its phases.
fn phases(keys: &str, phases: &str) -> String {
    added(&format!("[[link_phases]]\nlink = \"left->right\"\n{keys}\nphases = [{phases}]\n"))
}

const DAY: &str = r#"{ duration = "180 us", capacity = "80 Gbps" }"#;

#[test]
fn phases_that_overlap_or_leave_the_period_are_refused() {
    assert_eq!(
        phases("", &format!(r#"{DAY}, {{ at = "100 us", duration = "20 us" }}"#)),
        "test.toml:15:65: link_phases.0.phases.1.at: found \"100 us\"; allowed: from \"180 us\" on, when the phase \
            before it ends"
    );
    assert_eq!(
        phases("period = \"150 us\"", DAY),
        "test.toml:15:24: link_phases.0.phases.0.duration: the phase ends at \"180 us\"; allowed: at most the period, \
            \"150 us\""
    );
    assert_eq!(
        phases("offset = \"180 us\"", DAY),
        "test.toml:14:10: link_phases.0.offset: found \"180 us\"; allowed: less than the period, \"180 us\""
    );
    assert_eq!(
        phases("", r#"{ duration = "0 s" }"#),
        "test.toml:15:24: link_phases.0.phases.0.duration: found \"0 s\"; allowed: more than zero"
    );
    assert_eq!(phases("", r#"{ duration = "-1 s" }"#).split(": ").nth(1).unwrap(), "link_phases.0.phases.0.duration");
    assert_eq!(
        phases("", ""),
        "test.toml:15:10: link_phases.0.phases: no phase says anything; allowed: at least one with capacity, delay, \
            buffer, loss, state"
    );
}

#[test]
fn the_values_of_phases_are_in_their_ranges() {
    let phase = |key: &str| phases("", &format!(r#"{{ duration = "1 ms", {key} }}"#));
    let at = "test.toml:15:";
    assert_eq!(
        phase("capacity = \"7 bps\""),
        format!(
            "{at}43: link_phases.0.phases.0.capacity: found \"7 bps\"; allowed: 0 bps (a pause), or 8 bps to 1000 Tbps"
        )
    );
    assert_eq!(
        phase("delay = \"2 h\""),
        format!("{at}40: link_phases.0.phases.0.delay: found \"7200 s\"; allowed: more than zero and at most 3600 s")
    );
    assert_eq!(
        phase("loss = nan"),
        format!("{at}39: link_phases.0.phases.0.loss: found NaN; allowed: a probability from 0 to 1")
    );
    assert_eq!(
        phase("buffer = \"1 B\""),
        format!(
            "{at}41: link_phases.0.phases.0.buffer: found \"1 B\", less than the largest packet; allowed: at least \
                1500 B, or \"0 packets\""
        )
    );
}

#[test]
fn one_table_says_a_property_of_a_link() {
    let phases = format!("[[link_phases]]\nlink = \"left->right\"\nphases = [{DAY}]\n");
    assert_eq!(
        added(&format!("{phases}{phases}")),
        "test.toml:17:45: link_phases.1.phases.0.capacity: the capacity of \"left->right\" has phases already; the first \
            is link_phases.0.phases.0.capacity on line 14"
    );
    let event = |keys: &str| format!("{phases}[[event]]\nat = \"1 s\"\nlink = \"left-right\"\n{keys}\n");
    assert!(added(&event("capacity = \"1 Gbps\"")).contains("the capacity of \"left->right\" has phases already"));
    assert!(load_text(&format!("{SMALL}{}", event("delay = \"3 ms\""))).is_ok(), "another property");
}

#[test]
fn routes_do_not_follow_phases() {
    let down = "[[link_phases]]\nlink = \"left->right\"\nphases = [{ duration = \"1 ms\", state = \"down\" }]\n";
    let small = SMALL.replace("kind = \"dumbbell\"", "kind = \"dumbbell\"\nreroute_after = \"1 ms\"");
    assert_eq!(
        load_text(&format!("{small}{down}")).unwrap_err().to_string(),
        "test.toml:15:40: link_phases.0.phases.0.state: routes do not follow phases; allowed: no reroute_after, or \
            [[event]] instead"
    );
}

#[test]
fn slots_keep_the_capacity_of_their_links() {
    let text = r#"
        run = { duration = "1 s" }
        topology = { kind = "aapn-star" }
        link_defaults = { capacity = "10 Gbps" }
        switching = { kind = "aapn", slot = "10 us", frame = "1 ms" }
        link_phases = [{ link = "e0->e1", phases = [{ duration = "1 ms", capacity = "0 bps" }] }]
    "#;
    assert!(load_text(text).is_err());
}

/// A day of 3 us and a night of 1 us, of which 2 us of the day are over at the start: the night comes at 1 us.
#[test]
fn a_period_begins_at_its_offset() {
    let text = r#"[[link_phases]]
        link = "left->right"
        offset = "2 us"
        mid_packet = "cut"
        phases = [{ duration = "3 us", capacity = "80 Gbps" }, { duration = "1 us", capacity = "0 bps" }]"#;
    let loaded = load_text(&format!("{SMALL}{text}")).unwrap();
    let [start, again] = &loaded.scenario.changes[..] else { panic!("{:?}", loaded.scenario.changes) };
    let change = |us, gbps| Step {
        after: Duration::from_micros(us),
        change: Change::Capacity(Rate::from_gbps(gbps), MidPacket::Cut),
    };
    assert_eq!(start.steps, Arc::from([change(0, 80)]));
    assert_eq!(
        (&again.steps, again.period),
        (&Arc::from([change(1, 0), change(2, 80)]), Some(Duration::from_micros(4)))
    );
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
}
