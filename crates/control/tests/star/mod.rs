//! A star for tests: nodes, the core, fibres and clocks, in true time that no machine sees. Whatever passes is written
//! into a log.
//!
//! Deterministic: what happens depends on the plan of the test and one seed.

#![allow(dead_code, reason = "every test file uses its own part")]

pub mod sabotage;
pub mod verifier;

use control::scheduler::Algorithm;
use control::signalling::{
    Action, Actions, Core, Heard, Member, Network, Node, NodeConfig, Part, Sharing, SlotPart, Tally,
};
use control::sync::FilterConfig;
use control::wire::{Block, Carriage, Fault, FaultKind, Key, Management, NodeId, Stamp};
use std::collections::BTreeMap;
use units::{Duration, Instant};

pub const MS: u64 = 1_000_000_000;
pub const US: u64 = 1_000_000;

/// Figure 3.8: a master with number 0 at the core, six slaves, 18 slots of 250 µs.
pub fn figure_3_8() -> Network {
    let members = (0..7).map(|node| Member { node: NodeId(node), port: node }).collect();
    Network {
        carriage: Carriage::Slots,
        switch_size: 7,
        frame_slots: 18,
        signalling_slots: 6,
        slot: Duration::from_micros(250),
        guard: Duration::from_micros(30),
        switching: Duration::from_micros(10),
        start: Instant::from_ps(10 * MS),
        longest: Duration::from_millis(1),
        shortest: Duration::ZERO,
        turnaround: Duration::from_micros(100),
        members,
    }
}

/// SplitMix64.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.number() % most.max(1)
    }

    pub fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }
}

/// A node's clock: true time, drifting, with an offset.
#[derive(Clone, Copy)]
pub struct Clock {
    pub offset: u64,
    pub ppb: i64,
}

impl Clock {
    pub fn shows(&self, t: u64) -> Instant {
        let drift = i128::from(t) * i128::from(self.ppb) / 1_000_000_000;
        Instant::from_ps((i128::from(t) + drift) as u64 + self.offset)
    }

    /// When it shows `local`.
    pub fn truth(&self, local: Instant) -> u64 {
        let since = i128::from(local.ps().saturating_sub(self.offset));
        (since * 1_000_000_000 / (1_000_000_000 + i128::from(self.ppb))) as u64
    }
}

/// A fibre's two directions.
#[derive(Clone, Copy)]
pub struct Fibre {
    pub up: u64,
    pub down: u64,
    pub cut_up: bool,
    pub cut_down: bool,
}

/// What goes wrong at random, per mille.
#[derive(Clone, Copy, Default)]
pub struct Weather {
    pub loss: u64,
    pub duplicates: u64,
    /// Messages beside the light that are late by up to a millisecond.
    pub reordered: u64,
    pub bit_errors: u64,
}

pub struct Site {
    pub id: NodeId,
    pub port: u16,
    pub node: Option<Node>,
    pub session: u64,
    pub clock: Clock,
    pub fibre: Fibre,
    pub knows: bool,
    pub paused_until: u64,
    timer: u64,
    before: Vec<Tally>,
}

/// What the verifier reads.
#[derive(Clone, Debug)]
pub enum Entry {
    /// Light from a node reached the core in the interval and left at `output`, if anywhere.
    Light { from: u64, until: u64, node: u16, port: u16, output: Option<u16>, bytes: Vec<u8> },
    /// A node was handed a payload: its number.
    Delivered { at: u64, node: u16, payload: u64 },
    /// A node reported payloads of another missing.
    Missing { at: u64, node: u16, from: u16, first: (u64, u64), until: (u64, u64) },
    /// A node was told, or found, that another is silent: what is on its way to that one may be lost.
    Silent { at: u64, node: u16, about: u16 },
    /// The master of a node changed, as it hears.
    Led { at: u64, node: u16, by: u16, term: u64 },
}

enum Event {
    CoreTimer,
    Timer(usize),
    AtCore { site: usize, part: SlotPart, bytes: Vec<u8> },
    ToCore { bytes: Vec<u8> },
    Light { site: usize, stamp: u64, bytes: Vec<u8> },
    Beside { site: usize, stamp: u64, bytes: Vec<u8> },
}

pub struct Star {
    pub now: u64,
    pub network: Network,
    pub core: Core,
    pub core_clock: Clock,
    pub sites: Vec<Site>,
    pub weather: Weather,
    pub log: Vec<Entry>,
    /// Faults that hosts were told of, each with the node whose host it is.
    pub told: Vec<(u16, Fault)>,
    pub random: Random,
    pub algorithm: Algorithm,
    pub sharing: Sharing,
    /// How much later light leaves than it was meant to, and its exact stamp follows; 0: it does not.
    pub host_latency: u64,
    /// Whether slots have up to four datagrams.
    pub several: bool,
    /// The mistake that machines make in this run.
    pub mistake: Option<sabotage::Mistake>,
    events: BTreeMap<(u64, u64), Event>,
    order: u64,
    core_timer: u64,
    /// The number of the last payload.
    pub payloads: u64,
    /// The core is dead: no light passes, and nobody hears it, until it starts again.
    pub core_is_dead: bool,
    sessions: u64,
    core_sessions: u64,
    core_before: Vec<Tally>,
}

pub fn key() -> Key {
    Key::new(b"a key for tests and nothing else").unwrap()
}

impl Star {
    /// A star of all members, each with its clock and fibre (there, back); the first member knows the network.
    pub fn new(network: Network, parts: &[(Clock, u64, u64)], seed: u64) -> Star {
        let core_clock = Clock { offset: 0, ppb: 0 };
        let core = Core::new(network.clone(), key(), 1 << 20, core_clock.shows(0));
        let site = |(member, (clock, up, down)): (&control::signalling::Member, &(Clock, u64, u64))| Site {
            id: member.node,
            port: member.port,
            node: None,
            session: 0,
            clock: *clock,
            fibre: Fibre { up: *up, down: *down, cut_up: false, cut_down: false },
            knows: member.node == network.members[0].node,
            paused_until: 0,
            timer: u64::MAX,
            before: Vec::new(),
        };
        let sites = network.members.iter().zip(parts).map(site).collect();
        let mut star = Star {
            now: 0,
            network,
            core,
            core_clock,
            sites,
            weather: Weather::default(),
            log: Vec::new(),
            told: Vec::new(),
            random: Random(seed),
            algorithm: Algorithm::Greedy,
            sharing: Sharing::LITERAL,
            host_latency: 0,
            several: false,
            mistake: None,
            events: BTreeMap::new(),
            order: 0,
            core_timer: u64::MAX,
            payloads: 0,
            core_is_dead: false,
            sessions: 0,
            core_sessions: 1,
            core_before: Vec::new(),
        };
        star.schedule_core();
        star
    }

    pub fn start(&mut self, site: usize) {
        self.sessions += 1;
        let latency = self.host_latency;
        let found = &mut self.sites[site];
        let config = NodeConfig {
            node: found.id,
            key: key(),
            network: found.knows.then(|| self.network.clone()),
            algorithm: self.algorithm,
            weights: None,
            sharing: self.sharing,
            stamp: if latency > 0 { Stamp::Follows } else { Stamp::Exact },
            filter: FilterConfig::default(),
        };
        found.session = self.sessions;
        found.node = Some(Node::new(config, found.session));
    }

    pub fn start_all(&mut self) {
        (0..self.sites.len()).for_each(|site| self.start(site));
    }

    pub fn kill(&mut self, site: usize) {
        if let Some(node) = self.sites[site].node.take() {
            self.sites[site].before.push(node.tally().clone());
        }
    }

    /// The controller of the core starts anew: it has forgotten plans and master, and its session is above all terms
    /// before.
    pub fn restart_core(&mut self) {
        self.core_is_dead = false;
        self.core_timer = u64::MAX;
        self.core_sessions += 1;
        self.core_before.push(self.core.tally().clone());
        let (session, now) = (self.core_sessions << 20, self.core_clock.shows(self.now));
        self.core = Core::new(self.network.clone(), key(), session, now);
        self.schedule_core();
    }

    pub fn is_up(&self, site: usize) -> bool {
        self.sites[site].node.is_some()
    }

    pub fn node(&self, site: usize) -> &Node {
        self.sites[site].node.as_ref().expect("the node is up")
    }

    /// A slot of payloads from one site for another; the number of the first.
    pub fn enqueue(&mut self, from: usize, to: usize) -> Option<u64> {
        let destination = self.sites[to].id;
        let node = self.sites[from].node.as_mut()?;
        if node.waiting(destination) > 20 {
            return None;
        }
        // Slots of one datagram, and of several: every datagram carries a payload of its own.
        let datagrams = if self.several { 1 + self.payloads % 4 } else { 1 };
        let first = self.payloads + 1;
        self.payloads += datagrams;
        let blocks = |payload: u64| vec![Management { topic: 1, bytes: payload.to_le_bytes().to_vec() }.into()];
        node.enqueue_datagrams(destination, (first..=self.payloads).map(blocks).collect()).unwrap();
        Some(first)
    }

    /// How often something happened, at all nodes in all their lives and at the core.
    pub fn count(&self, what: control::signalling::Count) -> u64 {
        let nodes = self.sites.iter().filter_map(|site| site.node.as_ref()).map(Node::tally);
        let before = self.sites.iter().flat_map(|site| &site.before);
        nodes.chain(before).chain(&self.core_before).chain([self.core.tally()]).map(|tally| tally.of(what)).sum()
    }

    /// Whether all nodes that are up agree on a master, which agrees.
    pub fn agrees(&self) -> bool {
        let (Some(master), term) = self.core.master() else { return false };
        let up = || self.sites.iter().filter(|site| site.node.is_some());
        let parts: Vec<_> = up().map(|site| (site.id, site.node.as_ref().unwrap())).collect();
        parts.iter().all(|(id, node)| {
            let plays = match node.part() {
                Part::Master { term: own } => *id == master && own == term,
                Part::Slave => *id != master,
                Part::Listening | Part::Answered => false,
            };
            plays && node.led_by() == (master, term)
        })
    }

    /// Runs until true time `until`.
    pub fn run(&mut self, until: u64) {
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= until) {
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            self.handle(event);
        }
        self.now = until;
    }

    pub fn run_frames(&mut self, frames: u64) {
        self.run(self.now + frames * self.network.frame().ps());
    }

    fn push(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.events.insert((at, self.order), event);
    }

    fn schedule_core(&mut self) {
        let due = self.core_clock.truth(self.core.next_timeout().unwrap()).max(self.now);
        if due != self.core_timer {
            self.core_timer = due;
            self.push(due, Event::CoreTimer);
        }
    }

    fn schedule(&mut self, site: usize) {
        let found = &self.sites[site];
        let Some(due) = found.node.as_ref().and_then(Node::next_timeout) else { return };
        // A clock shows a reading for the first time a moment after its rounded inverse.
        let due = (found.clock.truth(due) + 2).max(self.now + 1).max(found.paused_until);
        if due != found.timer {
            self.sites[site].timer = due;
            self.push(due, Event::Timer(site));
        }
    }

    fn handle(&mut self, event: Event) {
        let mut actions = Actions::new();
        let at_core = matches!(event, Event::CoreTimer | Event::ToCore { .. } | Event::AtCore { .. });
        if self.core_is_dead && at_core {
            return;
        }
        match event {
            Event::CoreTimer => {
                self.core_timer = u64::MAX;
                self.core.handle_timeout(self.core_clock.shows(self.now), &mut actions);
                self.done_by_core(actions);
                self.schedule_core();
            }
            Event::ToCore { bytes } => {
                let now = self.core_clock.shows(self.now);
                self.core.handle_beside(Heard { now, stamp: now }, &bytes, &mut actions);
                self.done_by_core(actions);
            }
            Event::AtCore { site, part, bytes } => self.at_core(site, part, bytes),
            Event::Timer(site) if self.sites[site].timer == self.now => self.call(site, None),
            Event::Timer(_) => {}
            Event::Light { site, stamp, bytes } => self.call(site, Some((true, stamp, bytes))),
            Event::Beside { site, stamp, bytes } => self.call(site, Some((false, stamp, bytes))),
        }
    }

    /// A node hears something, or its time has come. A paused node hears it later, with the stamp of its arrival.
    fn call(&mut self, site: usize, heard: Option<(bool, u64, Vec<u8>)>) {
        let paused_until = self.sites[site].paused_until;
        if paused_until > self.now {
            match heard {
                Some((true, stamp, bytes)) => self.push(paused_until, Event::Light { site, stamp, bytes }),
                Some((false, stamp, bytes)) => self.push(paused_until, Event::Beside { site, stamp, bytes }),
                None => {}
            }
            return self.schedule(site);
        }
        let (clock, now) = (self.sites[site].clock, self.now);
        let Some(node) = &mut self.sites[site].node else { return };
        let at = |stamp: u64| Heard { now: clock.shows(now), stamp: clock.shows(stamp) };
        let (mut actions, before) = (Actions::new(), node.led_by());
        if heard.is_some() {
            // A host may call at any time.
            control::fuzz::poll(node, clock.shows(now), &mut actions);
        }
        match heard {
            Some((true, stamp, bytes)) => node.handle_light(at(stamp), &bytes, &mut actions),
            Some((false, stamp, bytes)) => node.handle_beside(at(stamp), &bytes, &mut actions),
            None => node.handle_timeout(clock.shows(now), &mut actions),
        }
        let after = node.led_by();
        if before != after {
            let (NodeId(by), term) = after;
            self.log.push(Entry::Led { at: now, node: self.sites[site].id.0, by, term });
        }
        self.done_by_node(site, actions);
        self.schedule(site);
    }

    fn done_by_node(&mut self, site: usize, actions: Actions) {
        let actions = match self.mistake {
            Some(mistake) => mistake.of_node(self.sites[site].id.0, self.sites[site].clock.shows(self.now), actions),
            None => actions,
        };
        for action in actions {
            let fibre = self.sites[site].fibre;
            match action {
                Action::Light { at, part, bytes } => {
                    let leaves = self.sites[site].clock.truth(at) + self.host_latency;
                    self.stamp_follows(site, leaves, &bytes);
                    if leaves >= self.now && !fibre.cut_up {
                        self.push(leaves + fibre.up, Event::AtCore { site, part, bytes });
                    }
                }
                Action::Beside { to, bytes } if fibre.cut_up || self.core_is_dead => drop((to, bytes)),
                Action::Beside { to: NodeId(to), bytes } if to < NodeId::MOST => {
                    self.stamp_follows(site, self.now, &bytes);
                    self.beside(NodeId(to), fibre.up, bytes);
                }
                Action::Beside { to: NodeId::CORE, bytes } => {
                    for (late, bytes) in self.fates(bytes, true) {
                        self.push(self.now + fibre.up + late, Event::ToCore { bytes });
                    }
                }
                Action::Beside { to, bytes } => self.beside(to, fibre.up, bytes),
                Action::Deliver { blocks, .. } => self.delivered(site, &blocks),
                Action::Missing(report) => self.log.push(Entry::Missing {
                    at: self.now,
                    node: self.sites[site].id.0,
                    from: report.from.0,
                    first: (report.first.session, report.first.sequence),
                    until: (report.until.session, report.until.sequence),
                }),
                Action::Fault(Fault { kind: FaultKind::Silent, node, .. }) => {
                    self.log.push(Entry::Silent { at: self.now, node: self.sites[site].id.0, about: node.0 });
                }
                Action::Fault(fault) => self.told.push((self.sites[site].id.0, fault)),
            }
        }
    }

    /// The host tells the node when its signalling left in fact.
    fn stamp_follows(&mut self, site: usize, leaves: u64, bytes: &[u8]) {
        let found = &mut self.sites[site];
        if let Some(node) = found.node.as_mut().filter(|_| self.host_latency > 0 && bytes[3] == 0) {
            let sequence = u64::from_le_bytes(bytes[40..48].try_into().unwrap());
            node.handle_departure(sequence, found.clock.shows(leaves));
        }
    }

    fn delivered(&mut self, site: usize, blocks: &[Block]) {
        for block in blocks {
            let Block::Management(Management { bytes, .. }) = block else { continue };
            let payload = u64::from_le_bytes(bytes[..].try_into().unwrap());
            self.log.push(Entry::Delivered { at: self.now, node: self.sites[site].id.0, payload });
        }
    }

    fn done_by_core(&mut self, actions: Actions) {
        for action in actions {
            if let Action::Beside { to, bytes } = action {
                self.beside(to, 0, bytes);
            }
        }
    }

    /// From the core, after `later`, to whom it concerns.
    fn beside(&mut self, to: NodeId, later: u64, bytes: Vec<u8>) {
        for site in 0..self.sites.len() {
            let Site { id, fibre, .. } = self.sites[site];
            if fibre.cut_down || to != NodeId::ALL && to != id {
                continue;
            }
            for (late, bytes) in self.fates(bytes.clone(), true) {
                let at = self.now + later + fibre.down + late;
                self.push(at, Event::Beside { site, stamp: at, bytes });
            }
        }
    }

    /// What becomes of bytes on the way: copies, each with its delay.
    fn fates(&mut self, mut bytes: Vec<u8>, may_be_late: bool) -> Vec<(u64, Vec<u8>)> {
        let weather = self.weather;
        if self.random.chance(weather.loss) {
            return Vec::new();
        }
        let mut late = 0;
        if may_be_late && self.random.chance(weather.reordered) {
            late = self.random.below(MS);
        }
        let mut copies = Vec::new();
        if self.random.chance(weather.duplicates) {
            copies.push((self.random.below(MS), bytes.clone()));
        }
        if self.random.chance(weather.bit_errors) {
            let at = self.random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << self.random.below(8);
        }
        copies.push((late, bytes));
        copies
    }

    fn at_core(&mut self, site: usize, part: SlotPart, bytes: Vec<u8>) {
        let length = part.lasts(self.network.light());
        let (port, node) = (self.sites[site].port, self.sites[site].id.0);
        let output = self.core.route(self.core_clock.shows(self.now), port, length);
        let output = self.mistake.map_or(output, |mistake| mistake.of_switch(&bytes, output));
        let (from, until) = (self.now, self.now + length.ps());
        self.log.push(Entry::Light { from, until, node, port, output, bytes: bytes.clone() });
        let Some(output) = output else { return };
        for site in 0..self.sites.len() {
            let Site { port, fibre, .. } = self.sites[site];
            if port != output || fibre.cut_down {
                continue;
            }
            for (late, bytes) in self.fates(bytes.clone(), false) {
                let stamp = self.now + fibre.down + late;
                self.push(stamp + length.ps(), Event::Light { site, stamp, bytes });
            }
        }
    }

    /// Bytes that somebody else puts on the fibre to a site, now.
    pub fn inject(&mut self, site: usize, bytes: Vec<u8>) {
        self.push(self.now + 1, Event::Light { site, stamp: self.now + 1, bytes });
    }
}
