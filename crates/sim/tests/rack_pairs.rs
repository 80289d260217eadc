//! Circuits between racks beside others who say the same: a link with phases, and the queue of a pair by hand. Then any
//! week with any sender.

use crate::support::{at, figure, numbers, scenario, texts};
use proptest::prelude::*;
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::{Results, Table};
use sim::study::World;
use units::{ByteTime, Rate};

fn run(text: &str, threads: usize) -> Results {
    let mut world = World::build(&scenario(text), Seed { seed: 7, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

/// A flow from a host of rack 0 to one of rack 1, and all that both networks have in common. Packets of 9000 B last
/// 7.2 µs without the circuit and 0.9 µs on it and at hosts; the first one comes to its rack at 5.3 + 0.9 + 1 = 7.2 µs.
fn flow(law: &str) -> String {
    format!(
        r#"
[run]
duration = "20 ms"
[transport.{law}]
packet_size = 9000
initial_window = 10
initial_ssthresh = "540 kB"
[[traffic]]
transport = "{law}"
from = "t0h0"
to = "t1h0"
start = "5.3 us"
[probe]
interval = "20 us"
flows = "all"
"#
    )
}

/// Two racks of one host; a day of 90 µs behind 360 µs, both ways. The packet switch cuts through, and has room.
fn as_racks(law: &str, resized: bool) -> String {
    let more = if resized { "resized_buffer = \"90 packets\"\nlead = \"72 us\"\n" } else { "" };
    flow(law)
        + &format!(
            r#"
[topology]
kind = "racks"
racks = 2
host_capacity = "80 Gbps"
packet_capacity = "10 Gbps"
packet_delay = "5 us"
circuit_capacity = "80 Gbps"
circuit_delay = "5 us"
[switching]
kind = "circuits"
night = "360 us"
day = "90 us"
buffer = "64 packets"
places = 1000
cut_through = true
{more}"#
        )
}

/// The same as one link with phases.
fn as_link(law: &str, resized: bool) -> String {
    let host = |name: &str, rack: &str| {
        format!("[[link]]\nfrom = \"{name}\"\nto = \"{rack}\"\ncapacity = \"80 Gbps\"\ndelay = \"1 us\"\n")
            + "buffer = \"unlimited\"\n"
    };
    let (ahead, room) = if resized {
        ("{ at = \"288 us\", duration = \"72 us\", buffer = \"90 packets\" },", "90")
    } else {
        ("", "64")
    };
    let phase = format!("at = \"360 us\", duration = \"90 us\", capacity = \"80 Gbps\", buffer = \"{room} packets\"");
    flow(law)
        + &host("t0h0", "t0")
        + &host("t1h0", "t1")
        + &format!(
            r#"
[[link]]
from = "t0"
to = "t1"
capacity = "10 Gbps"
delay = "5 us"
buffer = "64 packets"
[[link_phases]]
link = "t0-t1"
phases = [{ahead} {{ {phase} }}]
"#
        )
}

/// What both networks have: flows, samples, how many packets were lost, and the links of hosts.
fn in_common(run: &Results) -> String {
    let lost: f64 = numbers(&run.drops, "units").iter().sum();
    let columns: Vec<&str> = run.links.columns.iter().map(|(name, _)| *name).filter(|name| *name != "run").collect();
    let is_measure = |name: &&str| !["link", "from", "to", "class"].contains(name);
    let link = |table: &Table, link: &str| {
        columns.iter().filter(|name| is_measure(name)).map(|name| at(table, "link", link, name)).collect::<Vec<_>>()
    };
    let hosts = ["t0h0->t0", "t0->t0h0", "t1h0->t1", "t1->t1h0"].map(|name| link(&run.links, name));
    format!("{:?}\n{:?}\n{lost}\n{hosts:?}", run.flows, run.series)
}

/// One rack pair is a link with phases, to the last bit, where both can say it:
///
/// * the switch cuts through and its room is never used up, so that there is one queue;
/// * a circuit has the delay of the packet switch. With a longer one packets that leave behind the day would overtake
///   those of the day, which packets on one fibre do not;
/// * nothing is in transmission as the circuit comes or goes. The two ways of a rack work beside each other then; a
///   link has one transmitter. Here the queue is never empty, the night has 50 and the day 100 transmissions, and a packet
///   begins at each change. ACKs leave in between.
///
/// What the flow does with it, its losses too, is the same at every sample.
#[test]
fn a_pair_of_racks_is_a_link_with_phases() {
    for (law, resized) in [("cubic", false), ("cubic", true), ("sack", false), ("dctcp", true)] {
        let (racks, link) = (run(&as_racks(law, resized), 1), run(&as_link(law, resized), 1));
        assert!(in_common(&racks) == in_common(&link), "{law}, resized: {resized}");
        assert!(numbers(&racks.drops, "units").iter().sum::<f64>() > 0.0, "{law} fills the queue");
        let circuit = at(&racks.links, "link", "t0->circuit", "carried_units");
        assert!(circuit > 100.0, "{law} has sent {circuit} packets over circuits");
    }
}

const SIZE: u64 = 9000;
/// How long a packet lasts by the packet switch, by circuit, and at a host; picoseconds.
const BY_PACKET: u64 = 7_200_000;
const BY_CIRCUIT: u64 = 900_000;
const AT_HOST: u64 = 1_800_000;

/// A week and the rules of a queue; times in nanoseconds.
#[derive(Clone, Debug)]
struct Rules {
    racks: u64,
    night: u64,
    day: u64,
    places: u64,
    /// Places from so long before the day until its end.
    resized: Option<(u64, u64)>,
    both: bool,
    day_end: &'static str,
}

prop_compose! {
    fn any_rules()(
        racks in 2u64..5, night in 0u64..40_000, day in 900u64..200_000, places in 0u64..25,
        resized in prop::option::of((0u64..60, 0u64..1000)), both in any::<bool>(),
        day_end in prop_oneof![Just("hold"), Just("finish"), Just("cut")],
    ) -> Rules {
        // At most a week less the day.
        let most = (racks - 1) * (night + day) - day;
        let resized = resized.map(|(places, share)| (places, most * share / 1000));
        Rules { racks, night, day, places, resized, both, day_end }
    }
}

impl Rules {
    /// The names of so many hosts of each rack.
    fn hosts(&self, hosts: u64) -> Vec<String> {
        let of = |rack| (0..hosts).map(move |host| format!("t{rack}h{host}"));
        (0..self.racks).flat_map(of).collect()
    }

    /// Racks of so many hosts with these rules.
    fn scenario(&self, hosts: u64) -> String {
        let Rules { racks, night, day, places, day_end, .. } = self;
        let in_day = if self.both { "both" } else { "circuit" };
        let resized = self.resized.map_or(String::new(), |(places, lead)| {
            format!("resized_buffer = \"{places} packets\"\nlead = \"{lead} ns\"\n")
        });
        format!(
            r#"
[topology]
kind = "racks"
racks = {racks}
hosts = {hosts}
host_capacity = "40 Gbps"
packet_capacity = "10 Gbps"
packet_delay = "5 us"
circuit_capacity = "80 Gbps"
circuit_delay = "30 us"
[switching]
kind = "circuits"
night = "{night} ns"
day = "{day} ns"
buffer = "{places} packets"
in_day = "{in_day}"
day_end = "{day_end}"
{resized}"#
        )
    }
}

/// The queue of rack 0 for rack 1, whose packets all have one size; times in picoseconds.
struct ByHand<'r> {
    rules: &'r Rules,
    waiting: u64,
    /// When each way has sent what it was given.
    packet_free: u64,
    circuit_free: u64,
    by_packet: u64,
    by_circuit: u64,
    cut: u64,
    lost_by_day: u64,
    lost_else: u64,
}

impl ByHand<'_> {
    fn new(rules: &Rules) -> ByHand<'_> {
        let (waiting, packet_free, circuit_free) = (0, 0, 0);
        ByHand {
            rules,
            waiting,
            packet_free,
            circuit_free,
            by_packet: 0,
            by_circuit: 0,
            cut: 0,
            lost_by_day: 0,
            lost_else: 0,
        }
    }

    fn week(&self) -> u64 {
        1000 * (self.rules.racks - 1) * (self.rules.night + self.rules.day)
    }

    /// When the day ends, if it is the pair's. Its matching is the first of the week.
    fn day_ends(&self, now: u64) -> Option<u64> {
        let (into, begins) = (now % self.week(), 1000 * self.rules.night);
        let ends = begins + 1000 * self.rules.day;
        (begins..ends).contains(&into).then(|| now - into + ends)
    }

    /// When the day comes next, or goes.
    fn next_change(&self, now: u64) -> u64 {
        let (monday, begins) = (now - now % self.week(), 1000 * self.rules.night);
        let changes = [begins, begins + 1000 * self.rules.day, self.week() + begins].map(|change| monday + change);
        changes.into_iter().find(|change| *change > now).unwrap_or(u64::MAX)
    }

    fn room(&self, now: u64) -> u64 {
        let Some((places, lead)) = self.rules.resized else { return self.rules.places };
        let (week, begins) = (self.week(), 1000 * self.rules.night);
        let since = (now % week + week + 1000 * lead - begins) % week;
        if since < 1000 * (lead + self.rules.day) { places } else { self.rules.places }
    }

    fn may_take_circuit(&self, now: u64) -> bool {
        let ends = self.day_ends(now).filter(|_| self.circuit_free <= now);
        ends.is_some_and(|ends| self.rules.day_end != "hold" || now + BY_CIRCUIT <= ends)
    }

    fn may_take_packet_switch(&self, now: u64) -> bool {
        self.packet_free <= now && (self.rules.both || self.day_ends(now).is_none())
    }

    fn serve(&mut self, now: u64) {
        if self.waiting > 0 && self.may_take_circuit(now) {
            self.waiting -= 1;
            let (leaves, day_ends) = (now + BY_CIRCUIT, self.day_ends(now).unwrap());
            let is_cut = self.rules.day_end == "cut" && leaves > day_ends;
            self.circuit_free = if is_cut { day_ends } else { leaves };
            *(if is_cut { &mut self.cut } else { &mut self.by_circuit }) += 1;
        }
        if self.waiting > 0 && self.may_take_packet_switch(now) {
            self.waiting -= 1;
            self.packet_free = now + BY_PACKET;
            self.by_packet += 1;
        }
    }

    /// When something may leave, or the day changes, while something waits.
    fn wakes(&self, now: u64) -> Option<u64> {
        let all = [self.packet_free, self.circuit_free, self.next_change(now)];
        all.into_iter().filter(|time| *time > now && self.waiting > 0).min()
    }

    fn arrive(&mut self, now: u64) {
        let leaves_at_once = self.may_take_circuit(now) || self.may_take_packet_switch(now);
        if self.waiting >= self.room(now) && !(self.waiting == 0 && leaves_at_once) {
            let lost = if self.day_ends(now).is_some() { &mut self.lost_by_day } else { &mut self.lost_else };
            *lost += 1;
            return;
        }
        self.waiting += 1;
        self.serve(now);
    }

    /// All arrivals, in order, until nothing waits. `None` if one comes at the instant at which another packet leaves:
    /// which of them is first is not this program's to say.
    fn run(mut self, arrivals: &[u64]) -> Option<Self> {
        let mut now = 0;
        for next in arrivals.iter().copied().chain([u64::MAX]) {
            while let Some(wakes) = self.wakes(now).filter(|wakes| *wakes <= next) {
                if wakes == next {
                    return None;
                }
                now = wakes;
                self.serve(now);
            }
            if next < u64::MAX {
                now = next;
                self.arrive(now);
            }
        }
        Some(self)
    }
}

/// When datagrams come to their rack: of each source when it begins and how long it waits, in nanoseconds, until 2 ms.
fn arrivals(sources: &[(u64, u64)]) -> Vec<u64> {
    let of = |(start, gap): &(u64, u64)| -> Vec<u64> {
        let (first, gap) = (1000 * start, ByteTime::at(rate(*gap)).unwrap().of(SIZE as u32).ps());
        let sent = (0..).map(|number| first + number * gap).take_while(|sent| *sent < 2_000_000_000);
        sent.map(|sent| sent + AT_HOST + 1_000_000).collect()
    };
    let mut all: Vec<u64> = sources.iter().flat_map(of).collect();
    all.sort_unstable();
    all
}

fn rate(gap_ns: u64) -> Rate {
    Rate::from_bps(SIZE * 8 * 1_000_000_000 / gap_ns)
}

/// A source each, from host i of rack 0 to host i of rack 1.
fn datagrams(sources: &[(u64, u64)]) -> String {
    let source = |(host, (start, gap)): (usize, &(u64, u64))| {
        format!(
            "[[traffic]]\nname = \"{host}\"\ntransport = \"udp\"\nrate = \"{} bps\"\nstart = \"{start} ns\"\n\
             stop = \"2 ms\"\nfrom = \"t0h{host}\"\nto = \"t1h{host}\"\n",
            rate(*gap).bps()
        )
    };
    let all: String = sources.iter().enumerate().map(source).collect();
    format!("[run]\nduration = \"4 ms\"\n[transport.udp]\npacket_size = {SIZE}\n{all}")
}

/// Links whose name begins and goes on so, summed.
fn sum(run: &Results, is_one: impl Fn(&str) -> bool, value: &str) -> f64 {
    let links = texts(&run.links, "link").into_iter().zip(numbers(&run.links, value));
    links.filter(|(link, _)| is_one(link)).map(|(_, value)| value).sum()
}

/// A link from a rack to one of its hosts, or back.
fn is_down(link: &str) -> bool {
    link.split_once("->").is_some_and(|(_, to)| to.contains('h'))
}

fn is_up(link: &str) -> bool {
    link.split_once("->").is_some_and(|(from, _)| from.contains('h'))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Any week, datagrams at any rates: a packet is lost where the queue by hand has no room for it, and nowhere else,
    /// and takes the way that is free.
    #[test]
    fn a_queue_loses_what_it_has_no_room_for_as_by_hand(
        rules in any_rules(), sources in prop::collection::vec((0u64..100_000, 2_000u64..40_000), 1..5),
    ) {
        let Some(by_hand) = ByHand::new(&rules).run(&arrivals(&sources)) else { return Ok(()) };
        let places = "places = 64\n";
        let text = format!("{}{places}{}", rules.scenario(sources.len() as u64), datagrams(&sources));
        let found = run(&text, 1);
        let bytes = |name: &str| figure(&found, name) / SIZE as f64;
        let ways = [bytes("circuit_bytes"), bytes("packet_bytes")];
        prop_assert_eq!(ways, [by_hand.by_circuit as f64, by_hand.by_packet as f64]);
        let lost = ["day_drops", "other_day_drops", "night_drops"].map(|name| figure(&found, name));
        prop_assert_eq!([lost[0], lost[1] + lost[2]], [by_hand.lost_by_day as f64, by_hand.lost_else as f64]);
        let cut: f64 = numbers(&found.drops, "units").iter().sum::<f64>() - lost.iter().sum::<f64>();
        prop_assert_eq!(cut, by_hand.cut as f64);
        prop_assert_eq!(sum(&found, is_down, "carried_units"), ways[0] + ways[1], "each is delivered once");
    }
}

const SENDERS: [&str; 9] = ["cubic", "reno", "sack", "bbr", "vegas", "dctcp", "retcp", "tdtcp", "newreno"];

/// Flows of a size between any hosts, whose laws hear of all circuits.
fn flows(law: &str, hosts: &[String], count: u64, size: u64) -> String {
    let news = if ["retcp", "tdtcp"].contains(&law) { "[[news]]\ncircuit = \"all\"\nway = \"message\"\n" } else { "" };
    format!(
        r#"{news}
[run]
duration = "1 s"
[[traffic]]
transport = "{law}"
flows = {count}
pairs = "all"
among = {hosts:?}
spread = "500 us"
size = "{size} B"
[transport.{law}]
packet_size = {SIZE}
min_rto = "1 ms"
initial_rto = "1 ms"
"#
    )
}

/// Whether racks alone lose packets: for want of room, or as a day ends.
fn are_known(run: &Results, may_be_full: bool, may_be_cut: bool) -> bool {
    let places = texts(&run.drops, "where").into_iter().zip(texts(&run.drops, "cause"));
    places.into_iter().all(|(place, cause)| match cause.as_str() {
        "congestion" | "night" => may_be_full && place.ends_with("->packet"),
        "guard violation" => may_be_cut && place.ends_with("->circuit"),
        _ => false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    /// Any week, any sender: the engine's own books close (the run would fail); packets are lost where a queue was full
    /// or a day cut them; each byte arrives once; and with room for all nothing is lost.
    #[test]
    fn nothing_is_lost_that_the_queues_had_room_for(
        rules in any_rules(), law in prop::sample::select(&SENDERS[..]), hosts in 1u64..4, count in 1u64..12,
        size in 1u64..400_000, places in 1u64..6, cut_through in any::<bool>(), threads in 1usize..4,
    ) {
        let keys = format!("places = {places}\ncut_through = {cut_through}\n");
        let flows = flows(law, &rules.hosts(hosts), count, size);
        let text = |rules: &Rules| format!("{}{keys}{flows}", rules.scenario(hosts));
        let may_be_cut = rules.day_end == "cut";
        let bounded = run(&text(&rules), threads);
        prop_assert!(are_known(&bounded, true, may_be_cut), "{:?}", bounded.drops);
        // One that leaves at once is seen too.
        let most = (rules.racks - 1) * rules.places.max(rules.resized.map_or(0, |(places, _)| places));
        let racks = |link: &str| link.ends_with("->packet");
        let queues = texts(&bounded.links, "link").into_iter().zip(numbers(&bounded.links, "max_queue"));
        for (link, queue) in queues.filter(|(link, _)| racks(link)) {
            prop_assert!(queue <= most.max(1) as f64, "{} had {} packets of {}", link, queue, most);
        }
        check_delivery(&bounded, size as f64, false);

        let plenty = Rules { places: u64::from(u32::MAX), resized: None, ..rules.clone() };
        let roomy = run(&text(&plenty), threads);
        prop_assert!(are_known(&roomy, false, may_be_cut), "{:?}", roomy.drops);
        check_delivery(&roomy, size as f64, true);
    }
}

/// No byte arrives twice, and what is complete is whole; packets that hosts have sent are delivered or lost, once.
fn check_delivery(run: &Results, size: f64, all: bool) {
    let [arrived, acked, completed] =
        ["bytes_arrived", "bytes_acked", "completed"].map(|name| numbers(&run.flows, name));
    for (flow, arrived) in arrived.iter().enumerate() {
        let is_whole = *arrived == size && acked[flow] == size;
        assert!(*arrived <= size && (completed[flow] == 0.0 || is_whole), "flow {flow}: {arrived} of {size} B");
    }
    let is_over = completed.iter().all(|completed| *completed == 1.0);
    assert!(is_over || !all, "flows with room for all complete: {completed:?}");
    let (sent, delivered) = (sum(run, is_up, "carried_units"), sum(run, is_down, "carried_units"));
    let lost: f64 = numbers(&run.drops, "units").iter().sum();
    if is_over {
        assert_eq!(sent, delivered + lost);
    }
    let bits = |end: &str| sum(run, |link| link.ends_with(end), "carried_bits");
    assert_eq!(bits("->circuit") / 8.0, figure(run, "circuit_bytes"));
    assert_eq!(bits("->packet") / 8.0, figure(run, "packet_bytes"));
}
