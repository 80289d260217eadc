//! Two overlaid stars whose cores die, come back and flap, whose nodes and fibres fail: no slot of light meets another,
//! every payload is delivered once or reported, and pairs move to the star that serves them. `PHOTOCOL_SEEDS=10000`
//! runs that number.

use crate::star::{self, Clock, Entry, MS, Random, Star, US, Weather, verifier};
use control::signalling::{Move, Network, Overlay, Part, StarPatience};
use control::wire::{Block, Carriage, NodeId};
use std::collections::{BTreeMap, BTreeSet};

const NODES: usize = 7;

fn network(carriage: Carriage) -> Network {
    let (frame_slots, signalling_slots) = if carriage == Carriage::Slots { (20, 7) } else { (18, 0) };
    Network { carriage, frame_slots, signalling_slots, ..star::figure_3_8() }.checked().unwrap()
}

/// Two stars on the same nodes, which have one clock each and a fibre to each core.
struct Overlaid {
    stars: Vec<Star>,
    overlays: Vec<Overlay>,
    random: Random,
    moves: Vec<(u64, usize, Move)>,
}

impl Overlaid {
    fn new(seed: u64, carriage: Carriage) -> Overlaid {
        let mut random = Random(seed);
        let clock = |random: &mut Random| Clock {
            offset: random.below(60_000 * MS),
            ppb: random.below(200_000) as i64 - 100_000,
        };
        let clocks: Vec<Clock> = (0..NODES).map(|_| clock(&mut random)).collect();
        let mut star = |number: u64| {
            let mut fibre = || random.below(1000 * US);
            let parts: Vec<_> = clocks.iter().map(|clock| (*clock, fibre(), fibre())).collect();
            let mut star = Star::new(network(carriage), &parts, seed ^ 0x5eed ^ number << 40);
            star.payloads = number << 40;
            star.start_all();
            star
        };
        let stars = vec![star(0), star(1)];
        let overlays = (0..NODES).map(|node| Overlay::new(NodeId(node as u16), 2)).collect();
        Overlaid { stars, overlays, random: Random(seed ^ 0x0e51), moves: Vec::new() }
    }

    fn frame(&self) -> u64 {
        self.stars[0].network.frame().ps()
    }

    fn now(&self) -> u64 {
        self.stars[0].now
    }

    /// As a host does: an eighth of a frame, then every node looks at its stars.
    fn turn(&mut self) {
        let until = self.now() + self.frame() / 8;
        self.stars.iter_mut().for_each(|star| star.run(until));
        (0..NODES).for_each(|node| self.look(node, until));
    }

    fn run_frames(&mut self, frames: u64) {
        (0..8 * frames).for_each(|_| self.turn());
    }

    fn look(&mut self, node: usize, now: u64) {
        let overlay = &mut self.overlays[node];
        let shown = self.stars[0].sites[node].clock.shows(now);
        for (number, star) in self.stars.iter().enumerate() {
            let Some(machine) = &star.sites[node].node else { return };
            let Some(network) = machine.network() else { continue };
            overlay.learn(number, StarPatience::of(network));
            overlay.hear(number, machine, shown);
        }
        for made in overlay.decide(shown) {
            self.moves.push((now, node, made));
            let waiting = self.stars[made.from].sites[node].node.as_mut().unwrap().withdraw(made.to);
            let machine = self.stars[made.into].sites[node].node.as_mut().unwrap();
            waiting.into_iter().for_each(|slot| machine.enqueue_datagrams(made.to, slot).unwrap());
        }
        for to in (0..NODES as u16).map(NodeId).filter(|to| usize::from(to.0) != node) {
            let (current, also) = (self.overlays[node].star_of(to), self.overlays[node].also_asks(to, shown));
            let waiting = self.stars[current].sites[node].node.as_ref().unwrap().waiting(to);
            for (number, star) in self.stars.iter_mut().enumerate() {
                let slots = if also == Some(number) { waiting } else { 0 };
                star.sites[node].node.as_mut().unwrap().expect(to, slots);
            }
        }
    }

    /// A payload by whichever star the pair uses; its number.
    fn enqueue(&mut self, from: usize, to: usize) -> Option<u64> {
        let star = self.overlays[from].star_of(NodeId(to as u16));
        self.stars[star].enqueue(from, to)
    }

    fn kill(&mut self, node: usize) {
        self.stars.iter_mut().for_each(|star| star.kill(node));
    }

    fn start(&mut self, node: usize) {
        self.overlays[node] = Overlay::new(NodeId(node as u16), 2);
        self.stars.iter_mut().for_each(|star| star.start(node));
    }

    fn talk(&mut self) {
        for from in 0..NODES {
            let to = self.random.below(NODES as u64) as usize;
            if to != from {
                self.enqueue(from, to);
            }
        }
        self.run_frames(1);
    }

    fn agree(&self) -> bool {
        self.stars.iter().all(Star::agrees)
    }

    /// What must not have happened, in either star or in both together.
    fn violations(&self) -> Vec<String> {
        let mut found = Vec::new();
        let (mut delivered, mut twice) = (BTreeSet::new(), 0);
        for star in &self.stars {
            let ports = star.network.members.iter().map(|member| (member.node.0, member.port)).collect();
            found.extend(verifier::violations(&star.log, &ports, star.now - 40 * star.network.frame().ps()));
            for entry in &star.log {
                if let Entry::Delivered { payload, .. } = entry {
                    twice += u64::from(!delivered.insert(*payload));
                }
            }
        }
        if twice > 0 {
            found.push(format!("{twice} payloads were delivered twice, once by each star"));
        }
        found
    }
}

fn seeds() -> u64 {
    std::env::var("PHOTOCOL_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(60)
}

/// Everything at once: cores that die and come back, nodes that do, cuts of one fibre, and in half of the runs losses.
fn misfortune(net: &mut Overlaid, frames: u64) {
    if net.random.chance(500) {
        let weather = Weather { loss: 30, duplicates: 20, reordered: 50, bit_errors: 10 };
        net.stars.iter_mut().for_each(|star| star.weather = weather);
    }
    for _ in 0..frames {
        let (star, node) = (net.random.below(2) as usize, net.random.below(NODES as u64) as usize);
        match net.random.below(40) {
            0 | 1 => net.stars[star].core_is_dead = true,
            2 | 3 if net.stars[star].core_is_dead => net.stars[star].restart_core(),
            4 => net.kill(node),
            5 if !net.stars[0].is_up(node) => net.start(node),
            6 => net.stars[star].sites[node].fibre.cut_up = true,
            7 => net.stars[star].sites[node].fibre.cut_down = true,
            8 => heal(net, node),
            _ => {}
        }
        net.talk();
    }
}

fn heal(net: &mut Overlaid, node: usize) {
    for star in &mut net.stars {
        (star.sites[node].fibre.cut_up, star.sites[node].fibre.cut_down) = (false, false);
    }
}

fn heal_all(net: &mut Overlaid) {
    for node in 0..NODES {
        heal(net, node);
        if !net.stars[0].is_up(node) {
            net.start(node);
        }
    }
    for star in &mut net.stars {
        star.weather = Weather::default();
        if star.core_is_dead {
            star.restart_core();
        }
    }
}

/// A run under all faults, and the fate of a payload of every pair after them.
fn run(seed: u64) -> Result<Overlaid, String> {
    let carriage = if seed % 4 == 3 { Carriage::OutOfBand } else { Carriage::Slots };
    let mut net = Overlaid::new(seed, carriage);
    net.run_frames(40);
    misfortune(&mut net, 120);
    heal_all(&mut net);
    // As in `faults.rs`: 3 · patience + 3 (a + b) + 9 nodes + 20 frames.
    let network = net.stars[0].network.clone();
    let leads = network.answer_lead() + network.use_lead();
    let (bound, mut frames) = (3 * network.patience() + 3 * leads + 9 * NODES as u64 + 20, 0);
    while !net.agree() {
        net.talk();
        frames += 1;
        if frames > bound {
            let parts = |star: &Star| (0..NODES).map(|site| star.node(site).part()).collect::<Vec<Part>>();
            return Err(format!(
                "no agreement {bound} frames after the faults: {:?}",
                net.stars.iter().map(parts).collect::<Vec<_>>()
            ));
        }
    }
    // After the hold-down all pairs are at home again, and everybody sends to everybody.
    let patience = StarPatience::of(&network);
    let bound = bound + 2 + (patience.hold_down.ps() + patience.timeout.ps()).div_ceil(net.frame());
    let away = |net: &Overlaid| net.overlays.iter().map(Overlay::pairs_away).sum::<usize>();
    let mut frames = 0;
    while away(&net) > 0 {
        net.talk();
        frames += 1;
        if frames > bound {
            return Err(format!("{} pairs are not at home {bound} frames after both stars agree", away(&net)));
        }
    }
    // A payload that was the last of its pair in a star is missed when another one comes there.
    for (from, to) in (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to))).filter(|(from, to)| from != to) {
        for star in &mut net.stars {
            let _ = star.enqueue(from, to);
        }
    }
    net.run_frames(60);
    let mut sent = BTreeSet::new();
    for (from, to) in (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to))).filter(|(from, to)| from != to) {
        sent.extend(net.enqueue(from, to));
    }
    net.run_frames(60);
    for entry in net.stars.iter().flat_map(|star| &star.log) {
        if let Entry::Delivered { payload, .. } = entry {
            sent.remove(payload);
        }
    }
    match net.violations() {
        _ if !sent.is_empty() => Err(format!("{} payloads did not come: {sent:?}", sent.len())),
        found if found.is_empty() => Ok(net),
        found => Err(format!("{} violations: {}", found.len(), found[..found.len().min(3)].join("; "))),
    }
}

/// In this run two nodes miss the slot in which their master tells who has come back. They learn it from the next
/// configuration, and their pairs come home.
#[test]
fn who_misses_a_configuration_is_told_again() {
    assert_eq!(run(467).err(), None);
}

#[test]
fn whatever_fails_nothing_meets_nothing_comes_twice_and_pairs_come_home() {
    let (mut wrong, mut moves, mut back) = (Vec::new(), 0, 0);
    for seed in 0..seeds() {
        match run(seed) {
            Ok(net) => {
                moves += net.moves.len();
                back +=
                    net.moves.iter().filter(|(_, node, made)| net.overlays[*node].home(made.to) == made.into).count();
            }
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{moves} moves, {back} of them home");
    assert!(wrong.is_empty(), "{} of {} seeds:\n{}", wrong.len(), seeds(), wrong[..wrong.len().min(8)].join("\n"));
    assert!(back > 0 && moves > back, "pairs moved");
}

/// A core dies at any instant of a frame while every pair of its star sends all the time. From its death until the
/// pair's light arrives through the other core: at most the announced time-out and three frames. In frames: median, 99
/// %, most.
#[test]
fn after_a_core_has_died_every_pair_is_served_within_the_time_out_and_three_frames() {
    let mut recoveries: Vec<f64> = Vec::new();
    let mut bound = 0.0;
    for seed in 0..seeds() {
        let mut net = Overlaid::new(seed, if seed % 4 == 3 { Carriage::OutOfBand } else { Carriage::Slots });
        net.run_frames(120);
        assert!(net.agree(), "seed {seed}");
        let dead = (seed % 2) as usize;
        let later = net.random.below(40);
        (0..later).for_each(|_| net.turn());
        let (frame, died) = (net.frame(), net.now());
        let timeout = StarPatience::of(&net.stars[0].network).timeout.ps();
        bound = timeout as f64 / frame as f64 + 3.0;
        net.stars[dead].core_is_dead = true;
        net.stars[1 - dead].log.clear();
        let pairs = || (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to)));
        let moved: Vec<(usize, usize)> = pairs().filter(|(from, to)| from != to && (from + to) % 2 == dead).collect();
        let mut numbers = BTreeMap::new();
        for _ in 0..(timeout / frame + 6) {
            for (from, to) in &moved {
                numbers.extend(net.enqueue(*from, *to).map(|payload| (payload, (*from, *to))));
            }
            net.run_frames(1);
        }
        let mut first: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for entry in &net.stars[1 - dead].log {
            if let Entry::Delivered { at, payload, .. } = entry
                && let Some(pair) = numbers.get(payload)
            {
                first.entry(*pair).or_insert(*at);
            }
        }
        assert_eq!(first.len(), moved.len(), "seed {seed}: pairs that were never served");
        let took = first.iter().map(|(pair, at)| ((at - died) as f64 / frame as f64, pair));
        let worst = took.clone().max_by(|one, other| one.0.total_cmp(&other.0)).expect("pairs moved");
        if worst.0 > bound {
            println!("seed {seed}: pair {:?} took {:.2} frames", worst.1, worst.0);
        }
        recoveries.extend(took.map(|(frames, _)| frames));
        let found = net.violations();
        assert!(found.is_empty(), "seed {seed}: {}", found[0]);
    }
    recoveries.sort_by(f64::total_cmp);
    let quantile = |part: f64| recoveries[((recoveries.len() - 1) as f64 * part) as usize];
    println!(
        "{} pairs, time-out {:.1} frames: median {:.2}, p99 {:.2}, most {:.2} frames",
        recoveries.len(),
        bound - 3.0,
        quantile(0.5),
        quantile(0.99),
        quantile(1.0)
    );
    assert!(quantile(1.0) <= bound, "{} frames; allowed: {bound}", quantile(1.0));
}

/// What waits for a pair moves with it, in order.
#[test]
fn what_waits_is_moved() {
    let mut net = Overlaid::new(1, Carriage::Slots);
    net.run_frames(120);
    net.stars[0].core_is_dead = true;
    let sent: Vec<u64> = (0..10).map(|_| net.enqueue(0, 2).unwrap()).collect();
    net.run_frames(30);
    let come = |entry: &Entry| match entry {
        Entry::Delivered { payload, node: 2, .. } => Some(*payload),
        _ => None,
    };
    assert_eq!(net.stars[1].log.iter().filter_map(come).collect::<Vec<_>>(), sent);
    let block: Vec<Vec<Vec<Block>>> = net.stars[0].sites[0].node.as_mut().unwrap().withdraw(NodeId(2));
    assert!(block.is_empty(), "nothing waits where it was");
}
