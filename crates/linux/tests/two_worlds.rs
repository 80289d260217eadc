//! The control exchange of a simulated network and of real processes: the same messages in the same order.
//!
//! Both worlds run the same machines over a star of the same lengths. Their logs of what each node sent and took are
//! read here by the tables of `docs/protocol.md`, and by nothing else. Periodic messages repeat, and how often depends
//! on when a process was started; so the conversation of two nodes is told without repetitions of the same step.

use sim::SimTime;
use sim::engine::{Direction, Options};
use sim::random::Seed;
use sim::scenario::{Input, load};
use sim::study::World;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Who said what to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    sent: bool,
    peer: u16,
    blocks: Vec<u8>,
}

/// The block with the configuration. It is said again whenever another node has joined, and when that is depends on
/// when its process was started; so a conversation is told with the first one only.
const CONFIGURATION: u8 = 3;

/// The steps of a node with each of its peers.
type Conversations = BTreeMap<(u16, u16), Vec<Step>>;

/// On a machine that is busy with other work slots are late; so many runs may be.
const RUNS: u32 = 5;

/// With more late slots than this, one in a hundred, the machine does not keep up.
const BUSY: u64 = 240;

/// So many steps of each conversation are compared: joining, and several frames as a member.
const STEPS: usize = 14;

fn number(bytes: &[u8], at: usize, long: usize) -> u64 {
    bytes[at..at + long].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// A slot of signalling or control that a node sent or took; not data.
fn step(node: u16, sent: bool, bytes: &[u8]) -> Option<Step> {
    if bytes[3] == 1 {
        return None;
    }
    let (source, destination) = (number(bytes, 4, 2) as u16, number(bytes, 6, 2) as u16);
    // Behind a splitter, and of the core's words to others, a node hears what is not for it.
    if !sent && destination != node && destination != 0xFFFF {
        return None;
    }
    let (mut at, end) = (64, 64 + number(bytes, 56, 4) as usize);
    let mut blocks = Vec::new();
    while at < end {
        blocks.push(bytes[at]);
        at += 4 + number(bytes, at + 2, 2) as usize;
    }
    // Beacons are for all, and a conversation of their own: one that leaves with a verdict may overtake it.
    let peer = if sent || destination == 0xFFFF { destination } else { source };
    Some(Step { sent, peer, blocks })
}

fn converse(conversations: &mut Conversations, node: u16, sent: bool, bytes: &[u8]) {
    let Some(mut step) = step(node, sent, bytes) else { return };
    let steps = conversations.entry((node, step.peer)).or_default();
    if steps.iter().any(|known| known.sent == sent && known.blocks.contains(&CONFIGURATION)) {
        step.blocks.retain(|block| *block != CONFIGURATION);
        if step.blocks.is_empty() {
            return;
        }
    }
    if steps.last() != Some(&step) {
        steps.push(step);
    }
}

const NODES: u16 = 3;

/// The demo's star: a frame of ten slots of 1 ms, fibres of 333, 666 and 1000 µs, hosts whose exact stamps follow.
fn simulated() -> Conversations {
    let clock = |node: u16, seconds: u16, ppm: f64| {
        format!(
            "[[switching.clock]]\nnode = \"e{node}\"\noffset = \"{seconds} s\"\ndrift_ppm = {ppm:?}\njitter = \"1 \
                us\"\n"
        )
    };
    let clocks = [clock(0, 0, 0.0), clock(1, 7, 37.5), clock(2, 14, -50.0)].concat();
    let text = format!(
        r#"
        [run]
        duration = "2 s"
        [topology]
        kind = "aapn-star"
        edges = 3
        capacity = "1 Gbps"
        delays = ["333 us", "666 us", "1000 us"]
        buffer = "100 packets"
        [switching]
        kind = "aapn"
        slots = 10
        slot_time = "1 ms"
        guard = "200 us"
        scheduler = "greedy"
        protocol = "simulated"
        control = {{ turnaround = "4 ms", transcript = true }}
        {clocks}
        [[traffic]]
        transport = "reno"
        from = "e1"
        to = "e2"
        size = "1 kB"
        start = "1.9 s"
        "#
    );
    let loaded = load(Input::Text { name: "star", text: &text, folder: Path::new(".") }, &[]).unwrap();
    let mut world = World::build(&loaded.scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    world.run_until(SimTime::from_ps(1_800_000_000_000));
    let mut conversations = Conversations::new();
    for record in world.records() {
        // Nodes 0 to 2 are the edge nodes, in the order of their names.
        let node = record.node.index() as u16;
        if node < NODES && record.direction != Direction::Noted {
            converse(&mut conversations, node, record.direction == Direction::Sent, &record.bytes);
        }
    }
    conversations
}

/// A directory that goes when the test ends, however it does.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The same of processes, whose captures have what each of them sent and took; and how many slots this machine could
/// not send or pass on in time.
fn processes(scratch: &Path) -> (Conversations, u64) {
    std::fs::create_dir_all(scratch).unwrap();
    let reports = scratch.join("reports.json");
    let mut demo = Command::new(env!("CARGO_BIN_EXE_photocol-node"))
        .args(["demo", "--slaves", "2", "--slot", "1ms", "--fibre", "1ms", "--port", "0", "--no-ip", "--json"])
        .args(["--seconds", "6", "--capture"])
        .arg(scratch)
        .stdout(std::fs::File::create(&reports).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        matches!(demo.try_wait(), Ok(Some(_)))
    });
    // Its children die with it.
    let _ = demo.kill();
    let _ = demo.wait();
    assert!(ended, "the demo did not end");
    let mut conversations = Conversations::new();
    for node in 0..NODES {
        let bytes = std::fs::read(scratch.join(format!("node-{node}.pcapng"))).unwrap();
        for (comment, slot) in packets(&bytes) {
            converse(&mut conversations, node, comment != "received", slot);
        }
    }
    (conversations, late(&std::fs::read(reports).unwrap()))
}

/// The slots that were skipped or lost, by the reports at the end.
fn late(reports: &[u8]) -> u64 {
    let reports: serde_json::Value = serde_json::from_slice(reports).unwrap();
    let count = |report: &serde_json::Value, name: &str| report["counts"][name].as_u64().unwrap_or(0);
    let each = reports.as_array().unwrap().iter();
    each.map(|report| count(report, "light_skipped") + count(report, "light_lost")).sum()
}

/// Where the two differ first.
fn difference(simulated: &Conversations, real: &Conversations) -> Option<String> {
    // The master with the core and with each slave, both ways; beacons for all.
    let pairs: Vec<_> = simulated.keys().collect();
    if pairs != real.keys().collect::<Vec<_>>() {
        return Some(format!("simulated {pairs:?}, real {:?}", real.keys()));
    }
    let head = |steps: &[Step]| steps[..steps.len().min(STEPS)].to_vec();
    let (pair, steps) = simulated.iter().find(|(pair, steps)| head(steps) != head(&real[pair]))?;
    Some(format!("{pair:?}\nsimulated: {:?}\nreal: {:?}", head(steps), head(&real[pair])))
}

/// The slots of a capture with their comments: draft-ietf-opsawg-pcapng, enhanced packet blocks; 16 bytes of the line
/// stand before a slot.
fn packets(bytes: &[u8]) -> Vec<(&str, &[u8])> {
    let (mut at, mut found) = (0, Vec::new());
    while at + 12 <= bytes.len() {
        let (kind, length) = (number(bytes, at, 4), number(bytes, at + 4, 4) as usize);
        if kind == 6 {
            let captured = number(bytes, at + 20, 4) as usize;
            let option = at + 28 + captured.next_multiple_of(4);
            let comment = &bytes[option + 4..option + 4 + number(bytes, option + 2, 2) as usize];
            found.push((std::str::from_utf8(comment).unwrap(), &bytes[at + 28 + 16..at + 28 + captured]));
        }
        at += length;
    }
    found
}

fn is_root() -> bool {
    // The files of /proc/self are the user's who runs it.
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

#[test]
fn a_simulated_network_and_real_processes_say_the_same_in_the_same_order() {
    if !is_root() {
        eprintln!("SKIP: namespaces and real-time priority need root; the two worlds were NOT compared");
        return;
    }
    // Nobody else writes there.
    let scratch =
        Scratch(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("two-worlds-{}", std::process::id())));
    let simulated = simulated();
    let mut least_late = u64::MAX;
    for run in 1..=RUNS {
        let (real, late) = processes(&scratch.0.join(run.to_string()));
        let Some(difference) = difference(&simulated, &real) else { return };
        // A message that did not leave in time is said again later, or not at all: that run was of another network.
        least_late = least_late.min(late);
        if run == RUNS && least_late > BUSY {
            eprintln!("SKIP: {least_late} slots and more are late in each run: the two worlds were NOT compared");
            return;
        }
        assert!(late > 0 && run < RUNS, "run {run}, {late} slots late: {difference}");
        eprintln!("run {run} says otherwise, with {late} slots late; once more");
    }
}
