//! The process of fibres: what comes in at one end leaves at the other after the fibre's delay, with jitter and losses
//! as told.
//!
//! A fibre says on the line by how much it was late, so its program's own delays do not count; jitter that it was told
//! to have does.

use crate::config::{FibreConfig, LineConfig, Loaded, Refusal, input};
use crate::histogram::Errors;
use crate::host::{Host, Manner};
use crate::line::{Label, Line, Plane};
use crate::relay::{Received, Receiver, Relay};
use crate::report::Report;
use crate::sys::datagram::Datagrams;
use crate::sys::time::{self, Nanos};
use crate::sys::wait;
use control::wire::Class;
use std::collections::BTreeMap;
use std::os::fd::AsRawFd;

/// The real-time priority of the loop.
const PRIORITY: i32 = 62;
/// Datagrams that may be in all fibres; what comes beyond is dropped and counted.
const MOST: usize = 1 << 16;
/// Below this a sleep is not worth it.
const SPIN: Nanos = 20_000;

/// One direction of a fibre.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: usize,
    to: usize,
    delay: Nanos,
    jitter: Nanos,
    loss: f64,
    signalling_loss: f64,
}

/// An end of a fibre.
struct End {
    wire: Datagrams,
    receiver: Receiver,
    relay: Relay,
}

struct Leaving {
    to: usize,
    line: Line,
    bytes: Vec<u8>,
}

struct Fibres {
    host: Host,
    /// Both ends of every fibre.
    ends: Vec<End>,
    ways: Vec<Way>,
    inside: BTreeMap<(Nanos, u64), Leaving>,
    order: u64,
    random: u64,
    passed: u64,
    dropped: u64,
    overflowed: u64,
    lateness: Errors,
}

/// Runs fibres until they are told to stop.
pub(crate) fn run(config: &Loaded<FibreConfig>, manner: Manner) -> Result<(), Refusal> {
    let mut fibres = Fibres::open(config, manner)?;
    while fibres.host.goes_on()? {
        fibres.turn()?;
    }
    Ok(())
}

impl Fibres {
    fn open(config: &Loaded<FibreConfig>, manner: Manner) -> Result<Fibres, Refusal> {
        let FibreConfig { seed, line: lines, metrics } = &config.content;
        let shown = config.path.display();
        let host = Host::start(manner, *metrics, PRIORITY)?;
        let (mut ends, mut ways) = (Vec::new(), Vec::new());
        for line in lines {
            let LineConfig { node_bind, node_peer, core_bind, core_peer, up, down, jitter, loss, signalling_loss } =
                line;
            for (key, part) in [("loss", loss), ("signalling_loss", signalling_loss)] {
                if !(0.0..=1.0).contains(part) {
                    return Err(input(format!("{shown}: {key} is {part}; allowed: 0 to 1")));
                }
            }
            let at = ends.len();
            for (bind, peer) in [(node_bind, node_peer), (core_bind, core_peer)] {
                let wire = Datagrams::between(bind.0, peer.0)
                    .map_err(|error| input(format!("{shown}: {} cannot be listened on: {error}", bind.0)))?;
                ends.push(End { wire, receiver: Receiver::default(), relay: Relay::default() });
            }
            let way = |from, to, delay: &units::Duration| Way {
                from,
                to,
                delay: (delay.ps() / 1000) as Nanos,
                jitter: (jitter.ps() / 1000) as Nanos,
                loss: *loss,
                signalling_loss: *signalling_loss,
            };
            ways.push(way(at, at + 1, up));
            ways.push(way(at + 1, at, down));
        }
        Ok(Fibres {
            host,
            ends,
            ways,
            inside: BTreeMap::new(),
            order: 0,
            random: *seed,
            passed: 0,
            dropped: 0,
            overflowed: 0,
            lateness: Errors::new(),
        })
    }

    fn turn(&mut self) -> Result<(), Refusal> {
        let leaves = self.inside.first_key_value().map_or(Nanos::MAX, |((at, _), _)| *at - SPIN);
        let files: Vec<_> = self.ends.iter().map(|end| end.wire.as_raw_fd()).collect();
        let held = self.ends.iter().map(|end| end.receiver.next_timeout()).min().unwrap_or(Nanos::MAX);
        wait::ready(&files, leaves.min(held).min(self.host.next_timeout()))
            .map_err(|error| Refusal::Failure(format!("poll: {error}")))?;
        for End { wire, relay, .. } in &mut self.ends {
            // What is told late is of no use any more, but wakes.
            let _ = relay.learn((wire, &self.host.monotonic), |_| {});
        }
        for way in 0..self.ways.len() {
            while let Ok(Some(heard)) = self.receive(way) {
                self.take(way, heard);
            }
        }
        self.release();
        let now = time::now();
        if now >= self.host.next_timeout() {
            let report = self.report();
            self.host.report(now, || vec![report])?;
        }
        Ok(())
    }

    fn receive(&mut self, way: usize) -> std::io::Result<Option<Received>> {
        let End { wire, receiver, .. } = &mut self.ends[self.ways[way].from];
        receiver.receive(wire, &self.host.monotonic)
    }

    /// Takes what has come in at an end.
    fn take(&mut self, way: usize, heard: Received) {
        let Way { to, delay, jitter, loss, signalling_loss, .. } = self.ways[way];
        let Received { line, slot, stamp } = heard;
        let light = line.plane == Plane::Light;
        let signals = light && Label::of(&slot).is_some_and(|label| label.class == Class::Signalling as u8);
        if light && self.chance() < loss || signals && self.chance() < signalling_loss {
            self.dropped += 1;
            return;
        }
        if self.inside.len() >= MOST {
            self.overflowed += 1;
            return;
        }
        let more = if light { (self.chance() * jitter as f64) as Nanos } else { 0 };
        let late = (line.lateness() / 1000) as Nanos;
        self.order += 1;
        self.inside.insert((stamp - late + delay + more, self.order), Leaving { to, line, bytes: slot });
    }

    /// Lets out what has reached the other end.
    fn release(&mut self) {
        while let Some(entry) = self.inside.first_entry() {
            let at = entry.key().0;
            if at > time::now() + SPIN {
                return;
            }
            let Leaving { to, line, bytes } = entry.remove();
            let End { wire, relay, .. } = &mut self.ends[to];
            wire.warm_up();
            while time::now() < at {
                std::hint::spin_loop();
            }
            let data = Label::of(&bytes).is_some_and(|label| label.class == Class::Data as u8);
            let sent = match data {
                true => relay.send_once(at, line, &bytes, wire),
                false => relay.send(at, line, &bytes, (wire, &self.host.monotonic), |_| {}),
            };
            if let Ok(late) = sent {
                self.passed += 1;
                self.lateness.record(late * 1000);
            }
        }
    }

    /// SplitMix64, as a number from 0 to 1.
    fn chance(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn report(&self) -> Report {
        let mut report = Report { name: "fibre".into(), part: "fibre".into(), master: "-".into(), ..Report::default() };
        let numbers =
            [("light_passed", self.passed), ("light_lost", self.dropped), ("datagrams_overflowed", self.overflowed)];
        report.counts.extend(numbers.map(|(name, value)| (name.to_string(), value)));
        report.levels.insert("waiting_slots".into(), self.inside.len() as f64);
        report.errors.insert("release".into(), self.lateness.quantiles());
        report
    }
}
