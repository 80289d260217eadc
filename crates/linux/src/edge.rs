//! The process of an edge node, master or slave: one machine for each core, and one loop that feeds them.

mod log;
mod report;

use crate::capture::Capture;
use crate::clock::NodeClock;
use crate::config::{self, IpConfig, Loaded, NodeFile, Refusal, StarConfig, input};
use crate::host::{Host, Manner};
use crate::line::{ANSWER, Label, Line, Plane};
use crate::log::Log;
use crate::relay;
use crate::side::{Side, Start};
use crate::slots::{Due, SlotThread};
use crate::stars::Stars;
use crate::sys::datagram::Departure;
use crate::sys::time::{self, Monotonic, Nanos};
use crate::sys::wait;
use crate::traffic::Routes;
use crate::traffic::files::{self, Files};
use crate::traffic::ip::Ip;
use control::log::{Watch, What};
use control::signalling::{Action, Actions, Heard, Node, Part};
use control::wire::{Block, Class, Fault, FaultKind, NodeId};
use std::collections::VecDeque;
use std::os::fd::AsRawFd;
use std::path::Path;

/// The real-time priority of the loop.
const PRIORITY: i32 = 60;
/// Events that a report names.
const EVENTS: usize = 16;
/// Leaving takes so long.
const SHORTEST_LEAVE: Nanos = 200_000_000;
const LONGEST_LEAVE: Nanos = 2_000_000_000;
/// Packets that are read from the interface at a time.
const BATCH: usize = 256;

/// The process.
struct Edge {
    node: u16,
    clock: NodeClock,
    true_clock: NodeClock,
    host: Host,
    sides: Vec<Side>,
    stars: Stars,
    ip: Option<Ip>,
    files: Files,
    capture: Option<Capture>,
    /// Beside a capture, with what it looks at in each star.
    log: Option<(Log, Vec<Watch>)>,
    dropped: u64,
    events: VecDeque<String>,
    quiet: bool,
}

/// Runs an edge node until it is told to stop.
pub(crate) fn run(config: &Loaded<NodeFile>, start: Start, manner: Manner) -> Result<(), Refusal> {
    let mut edge = Edge::open(config, start, manner)?;
    edge.note_start();
    if !edge.quiet {
        eprintln!("{}", log::introduction(&config.content));
    }
    while edge.host.goes_on()? {
        edge.turn()?;
    }
    edge.leave();
    Ok(())
}

/// A slot of light left: the slot thread and the machine hear when.
fn tell_departure(departure: Departure, monotonic: &Monotonic, to: (&mut SlotThread, &mut Node), clock: &NodeClock) {
    let ((slots, machine), left) = (to, monotonic.of(departure.stamp));
    if slots.departed(departure.tag, departure.called, left) {
        machine.handle_departure(departure.tag, clock.shows(left));
    }
}

/// What is wrong with routes is said with its line, before anything is made.
fn ip_routes(config: &Loaded<NodeFile>, ip: &IpConfig) -> Result<Routes, Refusal> {
    Ip::check(ip, config.content.node).map_err(|(span, why)| input(format!("{}: [ip]: {why}", config.place(span))))
}

impl Edge {
    fn open(config: &Loaded<NodeFile>, start: Start, manner: Manner) -> Result<Edge, Refusal> {
        let content = &config.content;
        let shown = config.path.display();
        if content.star.is_empty() || content.node >= NodeId::MOST {
            return Err(input(format!("{shown}: a node has a number below {} and a [[star]] or more", NodeId::MOST)));
        }
        // What waits in one star may be sent in another.
        let size = |star: &StarConfig| (star.slot_bytes, star.datagram_bytes);
        if content.star.iter().any(|star| size(star) != size(&content.star[0])) {
            return Err(input(format!(
                "{shown}: stars differ; allowed: one slot_bytes and datagram_bytes in all [[star]]"
            )));
        }
        let host = Host::start(manner, content.metrics, PRIORITY)?;
        let sides = content.star.iter().map(|star| Side::open(config, star, start)).collect::<Result<_, _>>()?;
        let key = config::key(&config.path, &content.key_file)?;
        let folder = config.path.parent().unwrap_or(Path::new("."));
        let receive = content.receive.as_ref().map(|path| folder.join(path));
        let mut files = Files::new(receive.as_deref(), content.node, key).map_err(|error| {
            let path = receive.as_ref().map_or_else(String::new, |path| path.display().to_string());
            input(format!("{shown}: receive = '{path}': {error}; allowed: a directory in which files can be made"))
        })?;
        for file in &content.file {
            let path = folder.join(&file.path);
            files.send(&path, file.to).map_err(|error| input(format!("{shown}: {}: {error}", path.display())))?;
        }
        let captured = content.capture.as_ref().map(|path| folder.join(path));
        let capture = captured.as_ref().map(|path| Capture::create(path)).transpose();
        let watch = |star| Watch::new(star as u16, NodeId(content.node));
        let log = captured
            .as_ref()
            .map(|path| Log::beside(path).map(|log| (log, (0..content.star.len()).map(watch).collect())));
        Ok(Edge {
            node: content.node,
            clock: NodeClock::new(content.clock.offset, content.clock.drift_ppm),
            true_clock: NodeClock::new(units::Duration::ZERO, 0.0),
            host,
            sides,
            stars: Stars::new(content),
            ip: content.ip.as_ref().map(|ip| Ip::open(ip, content.node, ip_routes(config, ip)?)).transpose()?,
            files,
            capture: capture.map_err(|error| input(format!("{shown}: capture: {error}")))?,
            log: log.transpose().map_err(|error| input(format!("{shown}: log: {error}")))?,
            dropped: 0,
            events: VecDeque::new(),
            quiet: manner.reports,
        })
    }

    /// Waits for the next thing and does all that is due.
    fn turn(&mut self) -> Result<(), Refusal> {
        let mut until = self.host.next_timeout().min(self.stars.next_timeout());
        for side in &self.sides {
            until = until.min(side.receiver.next_timeout());
            until = until.min(side.machine.next_timeout().map_or(Nanos::MAX, |due| self.clock.truth(due)));
        }
        until = until.min(self.files.next_timeout().map_or(Nanos::MAX, |due| due.max(time::now() + 5_000_000)));
        let mut files: Vec<_> = self.sides.iter().map(|side| side.line.as_raw_fd()).collect();
        files.extend(self.ip.as_ref().map(Ip::file));
        let ready = wait::ready(&files, until).map_err(|error| Refusal::Failure(format!("poll: {error}")))?;
        for side in 0..self.sides.len() {
            self.receive(side);
            self.learn_departures(side);
        }
        if ready.get(self.sides.len()) == Some(&true) {
            self.read_packets();
        }
        let look = self.stars.look((time::now(), self.clock.now()), &mut self.sides)?;
        self.dropped += look.dropped;
        look.events.into_iter().for_each(|text| self.said(text));
        for made in look.moves {
            self.log(made.from, What::Moved { to: made.to, into: made.into as u16 });
        }
        for side in 0..self.sides.len() {
            self.keep_time(side);
        }
        if self.sides.iter().any(|side| side.machine.has_a_double()) {
            let node = self.node;
            return Err(input(format!("another process is master as node {node}; allowed: one process for each node")));
        }
        for (from, file) in self.files.arrived() {
            self.log(0, What::Arrived { from: NodeId(from), file });
        }
        for text in self.files.said() {
            // Whoever waits for a file must hear it, under a demo too.
            eprintln!("node {}: {text}", self.node);
            self.remember(text);
        }
        let now = time::now();
        if now >= self.host.next_timeout() {
            if let Some(capture) = &mut self.capture {
                capture.flush();
            }
            let reports = self.reports();
            self.host.report(now, || reports)?;
        }
        Ok(())
    }

    /// Takes the datagrams that wait at one side.
    fn receive(&mut self, side: usize) {
        loop {
            let Side { line, receiver, .. } = &mut self.sides[side];
            let Ok(Some(found)) = receiver.receive(line, &self.host.monotonic) else { return };
            let relay::Received { line, slot, stamp } = found;
            let heard = Heard { now: self.clock.now(), stamp: line.corrected(self.clock.shows(stamp)) };
            let mut actions = Actions::new();
            self.note(line, &slot, "received");
            let machine = &mut self.sides[side].machine;
            match line.plane {
                Plane::Light => machine.handle_light(heard, &slot, &mut actions),
                Plane::Beside => machine.handle_beside(heard, &slot, &mut actions),
            }
            self.perform(side, heard.now, actions);
        }
    }

    fn note(&mut self, line: Line, slot: &[u8], what: &str) {
        if let Some(capture) = &mut self.capture {
            capture.add(time::time_of_day() as u64, line, slot, what);
        }
    }

    /// The kernel tells when slots left in fact.
    fn learn_departures(&mut self, side: usize) {
        let Side { line, slots, machine, relay, .. } = &mut self.sides[side];
        let monotonic = &self.host.monotonic;
        let told = |departure: Departure| tell_departure(departure, monotonic, (slots, machine), &self.clock);
        // Without it the machine has no exact stamp, which it bears.
        let _ = relay.learn((line, monotonic), told);
    }

    /// Packets of the interface into slots. What finds a full queue is dropped, as by any router.
    fn read_packets(&mut self) {
        let Some(ip) = &mut self.ip else { return };
        let mut buffer = [0u8; 1 << 16];
        for _ in 0..BATCH {
            let star = |node: u16| self.sides[self.stars.star_of(node)].machine.network();
            let is_there = |node: u16| star(node).is_none_or(|network| network.member(NodeId(node)).is_some());
            let Some((to, length)) = ip.next(&mut buffer, is_there) else { break };
            let Some(to) = to else { continue };
            // Of several stars, each pair of nodes uses one at a time: packets stay in order.
            let side = self.stars.star_of(to);
            let Side { packer, .. } = &mut self.sides[side];
            ip.pack(to, &buffer[..length], packer);
            self.dropped += self.sides[side].enqueue();
        }
    }

    /// What is due at one side. Open slots are closed when a frame is about to begin.
    fn keep_time(&mut self, side: usize) {
        let now = self.clock.now();
        let found = &mut self.sides[side];
        let due = found.machine.next_timeout().is_some_and(|due| due <= now);
        let Side { packer, machine, queue_slots, .. } = &mut *found;
        let here = |to: u16| self.stars.star_of(to) == side;
        let room = |to: u16| queue_slots.saturating_sub(machine.waiting(NodeId(to))).min(16);
        self.files.fill(time::now(), packer, |to| if here(to) { room(to) } else { 0 });
        if due {
            found.packer.close_all();
        }
        self.dropped += found.enqueue();
        if due {
            if let Some(network) = found.machine.network() {
                // A quarter is left for T_d and for the way through the kernel.
                found.slots.tolerate((network.tolerance().ps() / 4000 * 3) as Nanos);
            }
            let mut actions = Actions::new();
            found.handle_timeout(now, &mut actions);
            self.perform(side, now, actions);
        }
    }

    fn perform(&mut self, side: usize, now: units::Instant, actions: Actions) {
        for action in actions {
            match action {
                Action::Light { at, part, bytes } => {
                    self.note_delay(side, self.clock.truth(at), &bytes);
                    let label = Label::of(&bytes);
                    if let Some(data) = label.filter(|label| label.class == Class::Data as u8) {
                        self.stars.departs(side, data.destination, at);
                    }
                    let label = label.filter(|label| label.class == Class::Signalling as u8);
                    self.note(Line::light(part.of()), &bytes, "to be sent");
                    let datagrams = part.of();
                    let due = Due { datagrams, bytes, stamped: label.map(|label| label.sequence), handed: time::now() };
                    self.sides[side].slots.push(self.clock.truth(at), due);
                }
                Action::Beside { bytes, .. } => self.send_beside(side, now, &bytes),
                Action::Deliver { from, blocks } => self.deliver(side, from, blocks),
                Action::Missing(report) => {
                    let (first, until) = (report.first, report.until);
                    // Across sessions nobody knows how many there were.
                    let known =
                        if first.session == until.session { until.sequence.saturating_sub(first.sequence) } else { 1 };
                    // Data have no tag: anybody may name any number.
                    let missing = &mut self.sides[side].missing;
                    *missing = missing.saturating_add(known);
                }
                Action::Fault(fault) => self.happened(&fault),
            }
        }
        self.watch(side);
    }

    /// Light leaves so long before it is meant to pass the core. An answer to an invitation passes when it does.
    fn note_delay(&mut self, side: usize, leaves: Nanos, bytes: &[u8]) {
        let found = &mut self.sides[side];
        let (Some(network), Some(label)) = (found.machine.network(), Label::of(bytes)) else { return };
        if label.class == Class::Signalling as u8 && label.first_block != ANSWER && label.slot < network.frame_slots {
            let meant = self.true_clock.truth(network.arrival(label.frame, label.slot));
            found.fibre_delay = Some(meant - leaves);
        }
    }

    /// A message beside the light says that it was sent at `now`; how long it took since is said on the line, and
    /// afterwards exactly.
    fn send_beside(&mut self, side: usize, now: units::Instant, bytes: &[u8]) {
        let line = Line::beside();
        self.note(line, bytes, "sent");
        let Side { line: wire, slots, machine, relay, unreadable, .. } = &mut self.sides[side];
        if let Some(label) = Label::of(bytes).filter(|label| label.class == Class::Signalling as u8) {
            // Its stamp follows: it left when it says.
            machine.handle_departure(label.sequence, now);
        }
        let (monotonic, clock) = (&self.host.monotonic, &self.clock);
        let told = |departure: Departure| tell_departure(departure, monotonic, (slots, machine), clock);
        if relay.send(clock.truth(now), line, bytes, (wire, monotonic), told).is_err() {
            *unreadable += 1;
        }
    }

    fn deliver(&mut self, side: usize, from: NodeId, blocks: Vec<Block>) {
        self.sides[side].delivered += 1;
        for block in blocks {
            match block {
                Block::IpPacket(part) => {
                    if let Some(ip) = &mut self.ip {
                        ip.take((side, from.0), part);
                    }
                }
                Block::FileChunk(chunk) => self.files.take_chunk(time::now(), from.0, &chunk),
                Block::Management(word) if word.topic == files::TOPIC => {
                    let star = self.stars.star_of(from.0);
                    self.files.take_word(time::now(), from.0, &word.bytes, &mut self.sides[star].packer);
                }
                _ => {}
            }
        }
    }

    fn happened(&mut self, fault: &Fault) {
        self.said(format!("frame {}: {:?} of {}", fault.frame, fault.kind, fault.node));
    }

    fn said(&mut self, text: String) {
        if !self.quiet {
            eprintln!("node {}: {text}", self.node);
        }
        self.remember(text);
    }

    /// What a report names among the last events.
    fn remember(&mut self, text: String) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(text);
    }

    /// The process will end: a master tells all and resigns, a slave says that it goes.
    fn leave(&mut self) {
        for side in &mut self.sides {
            match side.machine.part() {
                Part::Master { .. } => side.machine.resign(),
                _ => side.machine.handle_fault(FaultKind::PowerFailure),
            }
        }
        // A master tells all in two frames, and resigns in a third.
        let frame = |side: &Side| side.machine.network().map_or(0, |network| (network.frame().ps() / 1000) as Nanos);
        let frames = self.sides.iter().map(frame).max().unwrap_or(0).saturating_mul(4);
        let until = time::now() + frames.clamp(SHORTEST_LEAVE, LONGEST_LEAVE);
        while time::now() < until {
            for side in 0..self.sides.len() {
                self.keep_time(side);
            }
            let _ = time::sleep_until(time::now() + 500_000);
        }
        if let Some(capture) = &mut self.capture {
            capture.flush();
        }
        (0..self.sides.len()).for_each(|star| self.log(star, What::Down));
    }
}
