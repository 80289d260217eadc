//! The process of a core: a photonic switch in software, and its controller.
//!
//! The switch keeps nothing. Light that is wholly inside what its port is connected to, by the stamp of its arrival, is
//! passed on at once; all other light is lost and counted. The controller is the machine [`Core`].

use crate::arrivals::Arrivals;
use crate::capture::Capture;
use crate::clock::NodeClock;
use crate::config::{self, CoreConfig, Loaded, PortConfig, Refusal, input};
use crate::host::{self, Host, Manner};
use crate::line::{Label, Line, Plane};
use crate::log::Log;
use crate::outputs::Outputs;
use crate::relay::{Receiver, Relay};
use crate::report::Report;
use crate::sys::datagram::Datagrams;
use crate::sys::time::{self, Nanos};
use crate::sys::wait;
use control::log::{Light, What};
use control::signalling::{Action, Actions, Core, Heard, Network, SlotPart};
use control::wire::{Class, NodeId};
use std::os::fd::AsRawFd;
use std::path::Path;
use units::Instant;

/// The real-time priority of the loop.
const PRIORITY: i32 = 65;

/// The fate of light that has passed.
const PASSED: &str = "passed";

/// A fibre's end.
struct Port {
    number: u16,
    wire: Datagrams,
    receiver: Receiver,
    relay: Relay,
}

/// The process.
struct Switch {
    /// `core`, or which of several.
    name: String,
    clock: NodeClock,
    host: Host,
    machine: Core,
    network: Network,
    ports: Vec<Port>,
    outputs: Outputs,
    arrivals: Arrivals,
    passed: u64,
    lost: u64,
    /// With light of another fibre.
    collided: u64,
    /// With light of the slot after it, of its own fibre: its sender was late.
    overtaken: u64,
    unreadable: u64,
    capture: Option<Capture>,
    /// Beside a capture.
    log: Option<Log>,
    star: usize,
    /// Who was master, in which term, when it was noted last.
    master: (Option<NodeId>, u64),
    /// The term whose master's light has passed, and when it first did, by the machine's monotonic clock.
    led: Option<(u64, Nanos)>,
}

/// Runs a core until it is told to stop.
pub(crate) fn run(config: &Loaded<CoreConfig>, manner: Manner) -> Result<(), Refusal> {
    let mut switch = Switch::open(config, manner)?;
    switch.log(time::now(), What::Up);
    while switch.host.goes_on()? {
        switch.turn()?;
    }
    Ok(())
}

impl Switch {
    fn open(config: &Loaded<CoreConfig>, manner: Manner) -> Result<Switch, Refusal> {
        let CoreConfig { number, key_file, network, port, clock, metrics, capture } = &config.content;
        let shown = config.path.display();
        let network = network.network().map_err(|why| input(format!("{shown}: {why}")))?;
        let host = Host::start(manner, *metrics, PRIORITY)?;
        let clock = NodeClock::new(clock.offset, clock.drift_ppm);
        let session = time::time_of_day() as u64;
        let key = config::key(&config.path, key_file)?;
        let machine = Core::new(network.clone(), key.clone(), session, clock.now());
        let outputs = Outputs::new(network.frame());
        let open = |port: &PortConfig| {
            let wire = Datagrams::between(port.bind.0, port.peer.0)
                .map_err(|error| input(format!("{shown}: {} cannot be listened on: {error}", port.bind.0)))?;
            Ok(Port { number: port.number, wire, receiver: Receiver::default(), relay: Relay::default() })
        };
        let folder = config.path.parent().unwrap_or(Path::new("."));
        let capture = capture.as_ref().map(|path| folder.join(path));
        let log = capture.as_ref().map(|path| Log::beside(path)).transpose();
        let capture = capture.as_ref().map(|path| Capture::create(path)).transpose();
        Ok(Switch {
            name: number.map_or("core".into(), |number| format!("core {number}")),
            clock,
            host,
            machine,
            network,
            ports: port.iter().map(open).collect::<Result<_, Refusal>>()?,
            outputs,
            arrivals: Arrivals::new(key),
            passed: 0,
            lost: 0,
            collided: 0,
            overtaken: 0,
            unreadable: 0,
            capture: capture.map_err(|error| input(format!("{shown}: capture: {error}")))?,
            log: log.map_err(|error| input(format!("{shown}: log: {error}")))?,
            star: number.unwrap_or(0).into(),
            master: (None, 0),
            led: None,
        })
    }

    fn turn(&mut self) -> Result<(), Refusal> {
        let frame = self.machine.next_timeout().map_or(Nanos::MAX, |due| self.clock.truth(due));
        let held = self.ports.iter().map(|port| port.receiver.next_timeout()).min().unwrap_or(Nanos::MAX);
        let until = frame.min(held).min(self.host.next_timeout());
        let files: Vec<_> = self.ports.iter().map(|port| port.wire.as_raw_fd()).collect();
        wait::ready(&files, until).map_err(|error| Refusal::Failure(format!("poll: {error}")))?;
        self.keep_time();
        (0..self.ports.len()).for_each(|port| self.receive(port));
        let now = time::now();
        if now >= self.host.next_timeout() {
            if let Some(capture) = &mut self.capture {
                capture.flush();
            }
            let report = self.report();
            self.host.report(now, || vec![report])?;
        }
        Ok(())
    }

    fn keep_time(&mut self) {
        let now = self.clock.now();
        if self.machine.next_timeout().is_some_and(|due| due <= now) {
            let mut actions = Actions::new();
            self.machine.handle_timeout(now, &mut actions);
            self.perform(now, actions);
        }
    }

    fn receive(&mut self, port: usize) {
        loop {
            let Port { wire, receiver, relay, .. } = &mut self.ports[port];
            let _ = relay.learn((wire, &self.host.monotonic), |_| {});
            let Ok(Some(heard)) = receiver.receive(wire, &self.host.monotonic) else { return };
            let stamp = heard.line.corrected(self.clock.shows(heard.stamp));
            match heard.line.plane {
                Plane::Light => self.pass(port, stamp, heard.line.datagrams, &heard.slot),
                Plane::Beside => self.hear_beside(stamp, &heard.slot),
            }
        }
    }

    /// Light came in at a port.
    fn pass(&mut self, port: usize, stamp: Instant, datagrams: u16, slot: &[u8]) {
        let Some(label) = Label::of(slot) else {
            self.unreadable += 1;
            return;
        };
        let Some(part) = SlotPart::new(label.piece, datagrams) else {
            self.unreadable += 1;
            return;
        };
        let (length, from) = (part.lasts(self.network.light()), (port, label.frame, label.slot));
        let output = self.machine.route(stamp, self.ports[port].number, length);
        let fate = match output.map(|output| (output, self.outputs.pass(output, (stamp, stamp + length), from))) {
            None => {
                self.lost += 1;
                "lost: no connection"
            }
            Some((_, Err(fibre))) => {
                self.lost += 1;
                *(if fibre == port { &mut self.overtaken } else { &mut self.collided }) += 1;
                "lost: met other light"
            }
            Some((output, Ok(()))) => {
                self.passed += 1;
                let at = self.clock.truth(stamp);
                let stamped = label.class == Class::Signalling as u8;
                for found in 0..self.ports.len() {
                    if self.ports[found].number == output {
                        self.send(found, at, Line::light(datagrams), slot, stamped);
                    }
                }
                PASSED
            }
        };
        if let Some(capture) = &mut self.capture {
            capture.add(time::time_of_day() as u64, Line::light(datagrams), slot, fate);
        }
        if label.class == Class::Data as u8 {
            self.log_light(stamp, &label, part, fate == PASSED);
        }
        // Light waits for none of this.
        if self.arrivals.observe(&self.network, (part, stamp), slot) && fate == PASSED {
            self.note_master(&label);
        }
    }

    /// An entry of the log, if there is one.
    fn log(&mut self, at: Nanos, what: What) {
        if let Some(log) = &mut self.log {
            log.note(at, self.star, NodeId::CORE, what);
        }
    }

    fn log_light(&mut self, stamp: Instant, label: &Label, part: SlotPart, passed: bool) {
        let light = Light {
            from: NodeId(label.source),
            to: NodeId(label.destination),
            frame: label.frame,
            slot: label.slot,
            part: part.number(),
            lasts: part.lasts(self.network.light()),
            passed,
        };
        self.log(self.clock.truth(stamp), What::Light(light));
    }

    /// The first words of a new master pass: the network is in slots again.
    fn note_master(&mut self, label: &Label) {
        let (master, term) = self.machine.master();
        if master == Some(NodeId(label.source)) && self.led.is_none_or(|(known, _)| known < term) {
            self.led = Some((term, time::now()));
        }
    }

    /// A message beside the light: for the controller, or for other nodes.
    fn hear_beside(&mut self, stamp: Instant, slot: &[u8]) {
        let Some(label) = Label::of(slot) else {
            self.unreadable += 1;
            return;
        };
        if label.destination != NodeId::CORE.0 {
            return self.send_beside(stamp, NodeId(label.destination), slot);
        }
        let heard = Heard { now: self.clock.now(), stamp };
        let mut actions = Actions::new();
        self.machine.handle_beside(heard, slot, &mut actions);
        self.perform(heard.now, actions);
    }

    fn perform(&mut self, now: Instant, actions: Actions) {
        let master = self.machine.master();
        if master != self.master {
            self.master = master;
            self.log(time::now(), What::Led { by: master.0.unwrap_or(NodeId::ALL), term: master.1 });
        }
        for action in actions {
            if let Action::Beside { to, bytes } = action {
                self.send_beside(now, to, &bytes);
            }
        }
    }

    /// Sends what should have left at `at`.
    fn send_beside(&mut self, at: Instant, to: NodeId, slot: &[u8]) {
        let port = self.network.member(to).map(|member| member.port);
        if to != NodeId::ALL && port.is_none() {
            self.unreadable += 1;
            return;
        }
        let (at, beside) = (self.clock.truth(at), Line::beside());
        for found in 0..self.ports.len() {
            if port.is_none_or(|port| port == self.ports[found].number) {
                self.send(found, at, beside, slot, true);
            }
        }
    }

    /// Sends at a port what should have left at `at`.
    fn send(&mut self, port: usize, at: Nanos, line: Line, slot: &[u8], stamped: bool) {
        let Port { wire, relay, .. } = &mut self.ports[port];
        let sent = match stamped {
            true => relay.send(at, line, slot, (wire, &self.host.monotonic), |_| {}),
            false => relay.send_once(at, line, slot, wire),
        };
        self.unreadable += u64::from(sent.is_err());
    }

    fn report(&self) -> Report {
        let (master, term) = self.machine.master();
        let mut report = Report {
            name: self.name.clone(),
            part: "core".into(),
            master: master.map_or("none".into(), |node| node.to_string()),
            term,
            ..Report::default()
        };
        report.counts = host::counts(self.machine.tally()).collect();
        let numbers = [
            ("light_passed", self.passed),
            ("light_lost", self.lost),
            ("light_collided", self.collided),
            ("light_overtaken", self.overtaken),
            (
                "datagrams_unreadable",
                self.unreadable + self.ports.iter().map(|port| port.receiver.unreadable).sum::<u64>(),
            ),
        ];
        report.counts.extend(numbers.map(|(name, value)| (name.to_string(), value)));
        let all = self.arrivals.all.quantiles();
        let switching = self.network.switching.ps() as f64 / 1e6;
        report.levels.insert("guard_needed_us".into(), all.guard_needed(switching));
        report.levels.insert("guard_us".into(), self.network.guard.ps() as f64 / 1e6);
        report.levels.insert("frame_seconds".into(), self.network.frame().ps() as f64 / 1e12);
        report.errors.insert("slot_arrival".into(), all);
        if let Some((_, since)) = self.led.filter(|(led, _)| *led == term) {
            report.levels.insert("led_since_seconds".into(), since as f64 / 1e9);
        }
        for (node, errors) in &self.arrivals.of_node {
            report.errors.insert(format!("slot_arrival_of_node_{node}"), errors.quantiles());
        }
        report.arrivals = self.arrivals.latest();
        report
    }
}
