//! Links that change: what is refused, and where the message points.

use super::{SMALL, load_text, same};
use crate::model::*;
use options::Value;
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
            buffer, loss, jitter, state"
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
fn jitter_that_cannot_be_is_refused() {
    assert_eq!(
        phases("", r#"{ duration = "1 ms", jitter = "2 h" }"#),
        "test.toml:15:41: link_phases.0.phases.0.jitter: found \"7200 s\"; allowed: at most 3600 s"
    );
    assert!(added("[link_defaults]\njitter_law = \"normal\"\n").contains("link_defaults.jitter_law: found \"normal\""));
    let free = "[link_defaults.core]\njitter = \"1 ms\"\njitter_order = \"free\"\n";
    let event = |keys: &str| format!("{free}[[event]]\nat = \"1 s\"\nlink = \"left-right\"\n{keys}\n");
    let refused = "packets overtake on \"left->right\"; allowed: mid_packet = \"finish\", or jitter_order = \"kept\"";
    for keys in
        ["capacity = \"1 Gbps\"", "delay = \"3 ms\"", "state = \"down\"", "delay = \"3 ms\"\nmid_packet = \"cut\""]
    {
        assert!(added(&event(keys)).ends_with(refused), "{keys}");
    }
    for keys in ["jitter = \"2 ms\"", "buffer = \"3 packets\"", "state = \"down\"\nmid_packet = \"finish\""] {
        assert!(load_text(&format!("{SMALL}{}", event(keys))).is_ok(), "{keys}");
    }
}

#[test]
fn one_table_says_a_property_of_a_link() {
    let phases = format!("[[link_phases]]\nlink = \"left->right\"\nphases = [{DAY}]\n");
    assert_eq!(
        added(&format!("{phases}{phases}")),
        "test.toml:17:45: link_phases.1.phases.0.capacity: the capacity of \"left->right\" has phases or a \
            trace already; \
            the first is link_phases.0.phases.0.capacity on line 14"
    );
    let event = |keys: &str| format!("{phases}[[event]]\nat = \"1 s\"\nlink = \"left-right\"\n{keys}\n");
    assert!(
        added(&event("capacity = \"1 Gbps\""))
            .contains("the capacity of \"left->right\" has phases or a trace already")
    );
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

/// A file in a folder of its own, named after the test; removed when it goes.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let folder = std::env::temp_dir().join(format!("photocol-link-trace-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("t.trace"), text).unwrap();
        File(folder)
    }

    /// The bottleneck follows the file; other keys of the table.
    fn scenario(&self, keys: &str) -> String {
        let file = self.0.join("t.trace").display().to_string();
        format!("{SMALL}[[link_trace]]\nlink = \"left->right\"\nfile = \"{file}\"\n{keys}\n")
    }

    /// The steps that it makes, and its period.
    fn timeline(&self, keys: &str) -> (Vec<Step>, Option<Duration>) {
        let loaded = load_text(&self.scenario(keys)).unwrap_or_else(|error| panic!("{error}"));
        same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
        let [timeline] = &loaded.scenario.changes[..] else { panic!("{:?}", loaded.scenario.changes) };
        (timeline.steps.to_vec(), timeline.period)
    }

    /// What is said of it, behind the path of the file.
    fn error(&self, keys: &str) -> String {
        let error = load_text(&self.scenario(keys)).unwrap_err().to_string();
        error.rsplit_once("t.trace").map_or(error.clone(), |(_, after)| after.to_owned())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn capacity(us: u64, mbps: u64) -> Step {
    let change = Change::Capacity(Rate::from_mbps(mbps), MidPacket::Continue);
    Step { after: Duration::from_micros(us), change }
}

/// 1500 B in a millisecond are 12 Mb/s. Two packets may be delivered at 1 ms, one at 2 ms, none at 3 ms, one at 4 ms,
/// and with it the one of 0 ms, which is 4 ms of the period before.
#[test]
fn a_trace_of_mahimahi_is_instants_at_which_packets_may_leave() {
    let file = File::new("mahimahi", "0\n1\n1\n2\n4\n");
    let deliver = |ms, bytes| Step { after: Duration::from_millis(ms), change: Change::Deliver(bytes) };
    let all = |first: &[Step], last: &[Step]| [first, last].concat();
    let first = [capacity(0, 24), deliver(1, 3000), capacity(1000, 12), deliver(2, 1500), capacity(2000, 0)];
    let steps = all(&first, &[capacity(3000, 24), deliver(4, 3000)]);
    assert_eq!(file.timeline("format = \"delivery\""), (steps, Some(Duration::from_millis(4))));
    let once = all(&first, &[capacity(3000, 12), deliver(4, 1500), capacity(4000, 0)]);
    assert_eq!(file.timeline("format = \"delivery\"\nrepeat = false"), (once, None));
    let small = file.timeline("format = \"delivery\"\nopportunity = \"125 B\"").0;
    assert_eq!(small[1..3], [deliver(1, 250), capacity(1000, 1)]);
    let late = File::new("late", "3\n").timeline("format = \"delivery\"").0;
    assert_eq!(late, [capacity(0, 0), capacity(2000, 12), deliver(3, 1500)]);
}

#[test]
fn a_trace_of_delays_has_one_an_interval() {
    let file = File::new("delays", "20\n20\n35.5\n");
    let delay = |ms, us| Step {
        after: Duration::from_millis(ms),
        change: Change::Delay(Duration::from_micros(us), MidPacket::Continue),
    };
    let steps = vec![delay(0, 20_000), delay(20, 35_500)];
    assert_eq!(file.timeline("format = \"delay\""), (steps, Some(Duration::from_millis(30))));
    let steps = vec![delay(0, 20_000), delay(10, 35_500)];
    assert_eq!(file.timeline("format = \"delay\"\ninterval = \"5 ms\"\nrepeat = false"), (steps, None));
}

#[test]
fn a_table_of_a_trace_has_units_in_its_head() {
    let text = "# made by hand\ntime_ms, capacity_mbps, delay_us, jitter_us, buffer_packets, loss, state\n\
        1.5,10,100,7,5,0.1,up\n2,,100,,,,\n\n3,0,,0,unlimited,0,down\n";
    let file = File::new("csv", text);
    let at = |us, change| Step { after: Duration::from_micros(us), change };
    let steps = vec![
        capacity(1500, 10),
        at(1500, Change::Delay(Duration::from_micros(100), MidPacket::Continue)),
        at(1500, Change::Property("jitter", Value::Time(Duration::from_micros(7)))),
        at(1500, Change::Buffer(Buffer::Packets(5))),
        at(1500, Change::Property("loss", Value::Number(0.1))),
        at(1500, Change::Up),
        capacity(3000, 0),
        at(3000, Change::Property("jitter", Value::Time(Duration::ZERO))),
        at(3000, Change::Buffer(Buffer::Unlimited)),
        at(3000, Change::Property("loss", Value::Number(0.0))),
        at(3000, Change::Down(MidPacket::Cut)),
    ];
    assert_eq!(file.timeline(""), (steps.clone(), None));
    assert_eq!(file.timeline("period = \"4 ms\""), (steps, Some(Duration::from_millis(4))));
    assert!(file.error("period = \"3 ms\"").contains("allowed: more than the time of the last line, \"3 ms\""));
}

#[test]
fn a_bad_trace_is_named_by_line_and_what_is_allowed() {
    let csv = |text: &str| File::new("bad", text).error("");
    assert_eq!(
        csv("time_ms,loss\n2,0\n1,0\n"),
        ":3:1: link_trace.0.file: found the time \"1 ms\"; allowed: later than \"2 ms\", the line before"
    );
    assert_eq!(
        csv("time_ms,loss\n1,nan\n"),
        ":2:3: link_trace.0.file: found \"nan\"; allowed: a probability from 0 to 1"
    );
    assert!(csv("time_ms,capacity_mbps\n1,nan\n").starts_with(":2:3: link_trace.0.file: found \"nan\": "));
    assert!(csv("time_ms,capacity_mbps\n-1,5\n").starts_with(":2:1: link_trace.0.file: found \"-1\": "));
    assert!(csv("time_ms,capacity_mbps\n1,0.000001\n").ends_with("allowed: 8 bps to 1000 Tbps"));
    assert_eq!(csv("time_ms,loss\n1\n"), ":2:1: link_trace.0.file: found 1 fields; allowed: 2, as in the head");
    assert!(csv("time_ms,speed\n1,2\n").starts_with(":1:9: link_trace.0.file: unknown column \"speed\""));
    assert!(csv("time_ms,time_s\n1,2\n").contains("there is a column of the time already; allowed: one"));
    assert!(csv("loss\n1\n").contains("there is no column of times; allowed: time_s, time_ms, time_us, time_ns"));
    assert!(csv("time_s,delay_ms\n1,0\n").ends_with("allowed: more than zero and at most 3600 s"));
    assert!(csv("time_s,state\n1,off\n").ends_with("found \"off\"; allowed: up, down"));
    assert!(csv("time_s,loss\n").contains("found no line behind the head"));
    assert!(csv("").contains("there is no column of times"));

    let delivery = |text: &str| File::new("bad-delivery", text).error("format = \"delivery\"");
    assert_eq!(delivery("5\n4\n"), ":2:1: link_trace.0.file: found 4; allowed: from 5 on, the time of the line before");
    assert_eq!(delivery("5\n5.5\n"), ":2:1: link_trace.0.file: found \"5.5\"; allowed: a whole number of milliseconds");
    assert!(delivery("0\n").contains("the trace ends at 0 ms; allowed: 1 ms to"));
    assert!(delivery("").contains("the trace ends at 0 ms; allowed: 1 ms to"));
    let delay = |text: &str| File::new("bad-delay", text).error("format = \"delay\"");
    assert!(delay("20\nnan\n").starts_with(":2:1: link_trace.0.file: found \"nan\": "));
    assert!(delay("0\n").ends_with("allowed: more than zero and at most 3600 s"));
    assert!(File::new("keys", "1\n").error("interval = \"1 ms\"").ends_with("goes with format = \"delay\""));
}
