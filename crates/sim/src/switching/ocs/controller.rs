//! The controller: hears of the work, asks the policy, and tells the nodes of their circuits.
//!
//! A switch turns at once when that is decided. A packet in transmission is sent to its end before, and what is on the
//! fibre arrives: a guard time is part of the time of a turn.

use super::frontier::Frontier;
use super::keys::{Dark, Start};
use super::matching::{Outputs, over};
use super::policy::{Order, Policy, View};
use super::told::Tellers;
use super::{Notice, Turn, detours};
use crate::engine::node::workload::{Steward, TaskChange, Told};
use crate::engine::packet::NEVER;
use crate::engine::packet::message::Message;
use crate::results::{Column, Figure, Table};
use std::collections::VecDeque;
use units::{Duration, Instant};

/// Its table: the columns, and what they say.
pub(super) const TABLES: &[(&str, &[(&str, &str)])] = &[(
    "circuits",
    &[
        ("run", "the replication"),
        ("switch", "the optical circuit switch"),
        ("from", "the node that sends"),
        ("to", "the node that hears it"),
        ("start_s", "when light could pass"),
        ("end_s", "when the switch turned it away, or the run ended"),
    ],
)];

/// What switches go by.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnRules {
    pub reconfiguration: Duration,
    pub start: Start,
    pub dark: Dark,
    pub control_delay: Duration,
    /// Whether nodes are told ways over other nodes.
    pub detours: bool,
}

/// What decides, and by what.
pub(super) struct Deciding {
    pub policy: Box<dyn Policy>,
    pub frontier: Frontier,
}

/// A switch.
#[derive(Clone, Debug)]
struct Switch {
    /// Its circuits, or those that it turns to.
    outputs: Outputs,
    /// When it has turned.
    lit: u64,
    has_turned: bool,
    /// Since when each input has its circuit.
    since: Vec<u64>,
}

/// A circuit that was there.
#[derive(Clone, Copy, Debug)]
struct Circuit {
    switch: u32,
    ends: [u32; 2],
    begins: u64,
    ends_at: u64,
}

/// The controller of all switches. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Controller {
    rules: TurnRules,
    policy: Box<dyn Policy>,
    frontier: Frontier,
    tellers: Tellers,
    /// Names of the nodes with ports, and of the switches.
    names: [Vec<String>; 2],
    switches: Vec<Switch>,
    /// What has happened and is not known yet.
    delayed: VecDeque<(u64, TaskChange)>,
    /// When it decides though nothing has happened: at the beginning, if there is no work.
    first: u64,
    /// Whether it has heard of anything.
    has_begun: bool,
    circuits: Vec<Circuit>,
    turns: u64,
    /// Sum over the switches.
    dark: u64,
}

impl Controller {
    /// A controller of switches without circuits.
    pub fn new(rules: TurnRules, deciding: Deciding, tellers: Tellers, names: [Vec<String>; 2]) -> Controller {
        let Deciding { policy, frontier } = deciding;
        let nodes = names[0].len();
        let switch = Switch { outputs: vec![None; nodes], lit: 0, has_turned: false, since: vec![0; nodes] };
        Controller {
            rules,
            policy,
            tellers,
            switches: vec![switch; names[1].len()],
            names,
            delayed: VecDeque::new(),
            first: if frontier.works() == 0 { 0 } else { NEVER },
            has_begun: false,
            frontier,
            circuits: Vec::new(),
            turns: 0,
            dark: 0,
        }
    }

    /// What is known now is heard.
    fn hear(&mut self, now: u64) -> bool {
        let mut is_new = false;
        while let Some((_, change)) = self.delayed.front().copied().filter(|(at, _)| *at <= now) {
            self.delayed.pop_front();
            is_new |= self.frontier.change(change.work, change.task, change.is_done) | !self.has_begun;
            self.has_begun = true;
        }
        is_new
    }

    fn decide(&mut self, now: u64, told: &mut Vec<Told>) {
        self.first = NEVER;
        let outputs: Vec<Outputs> = self.switches.iter().map(|switch| switch.outputs.clone()).collect();
        let view = View { now, nodes: self.names[0].len() as u32, frontier: &self.frontier, outputs: &outputs };
        let orders = self.policy.decide(&view);
        let mut has_turned = false;
        for Order { switch, pairs } in orders {
            has_turned |= self.turn(now, switch, &over(&outputs[switch], &pairs), told);
        }
        if has_turned {
            let states: Vec<(&Outputs, &[u64])> =
                self.switches.iter().map(|switch| (&switch.outputs, switch.since.as_slice())).collect();
            self.tellers.tell(now, &states, told);
        }
        if has_turned && self.rules.detours {
            let outputs: Vec<&Outputs> = self.switches.iter().map(|switch| &switch.outputs).collect();
            for (agent, next) in (0..).zip(detours::next_ports(&outputs)) {
                told.push(Told::Agent(agent, Message::new(Notice::Detours(next))));
            }
        }
    }

    /// A switch turns to other circuits; one that is turning begins anew. Returns whether it does.
    fn turn(&mut self, now: u64, number: usize, outputs: &Outputs, told: &mut Vec<Told>) -> bool {
        let Switch { outputs: old, lit: old_lit, has_turned, since } = &mut self.switches[number];
        if old == outputs {
            return false;
        }
        let is_free = !*has_turned && self.rules.start == Start::Warm;
        let lit = if is_free { now } else { now + self.rules.reconfiguration.ps() };
        self.turns += u64::from(!is_free);
        // A turn that is broken off was dark until now.
        self.dark += lit - now - old_lit.saturating_sub(now);
        (*has_turned, *old_lit) = (true, lit);
        for input in 0..outputs.len() {
            let (from, to) = (old[input], outputs[input]);
            let stays = from == to && (self.rules.dark == Dark::Ports || from.is_none());
            if stays {
                continue;
            }
            if let Some(was) = from.filter(|_| since[input] < now) {
                let ends = [input as u32, was];
                self.circuits.push(Circuit { switch: number as u32, ends, begins: since[input], ends_at: now });
            }
            since[input] = lit;
            let turn = Turn { switch: number as u32, lit, to };
            told.push(Told::Agent(input as u32, Message::new(Notice::Turn(turn))));
        }
        old.clone_from(outputs);
        true
    }

    /// Those of the table, up to now.
    fn all_circuits(&self, now: u64) -> Vec<Circuit> {
        let mut all = self.circuits.clone();
        for (switch, own) in (0..).zip(&self.switches) {
            for (input, begins) in (0..).zip(&own.since).filter(|(_, since)| **since < now) {
                if let Some(to) = own.outputs[input as usize] {
                    all.push(Circuit { switch, ends: [input, to], begins: *begins, ends_at: now });
                }
            }
        }
        all.sort_by_key(|circuit| (circuit.begins, circuit.switch, circuit.ends));
        all
    }
}

impl Steward for Controller {
    fn handle_changes(&mut self, now: Instant, changes: &[TaskChange], told: &mut Vec<Told>) {
        let known = (now + self.rules.control_delay).ps();
        self.delayed.extend(changes.iter().map(|change| (known, *change)));
        if self.hear(now.ps()) {
            self.decide(now.ps(), told);
        }
    }

    fn next_timeout(&self) -> Instant {
        let known = self.delayed.front().map_or(NEVER, |(at, _)| *at);
        Instant::from_ps(known.min(self.first).min(self.policy.next_timeout()))
    }

    fn handle_timeout(&mut self, now: Instant, told: &mut Vec<Told>) {
        let is_due = self.next_timeout() <= now;
        let is_new = self.hear(now.ps());
        if is_new || is_due {
            self.decide(now.ps(), told);
        }
    }

    fn tables(&self, run: u32, now: Instant) -> Vec<(&'static str, Table)> {
        let all = self.all_circuits(now.ps());
        let names = |of: usize, number: fn(&Circuit) -> u32| Column::Names {
            names: self.names[of].clone(),
            rows: all.iter().map(number).collect(),
        };
        let seconds =
            |at: fn(&Circuit) -> u64| Column::F64(all.iter().map(|circuit| at(circuit) as f64 / 1e12).collect());
        let columns = [
            Column::U64(vec![run.into(); all.len()]),
            names(1, |circuit| circuit.switch),
            names(0, |circuit| circuit.ends[0]),
            names(0, |circuit| circuit.ends[1]),
            seconds(|circuit| circuit.begins),
            seconds(|circuit| circuit.ends_at),
        ];
        let (name, said) = TABLES[0];
        vec![(name, Table { columns: said.iter().map(|(column, _)| *column).zip(columns).collect() })]
    }

    fn figures(&self, now: Instant) -> Vec<Figure> {
        let turning: u64 = self.switches.iter().map(|switch| switch.lit.saturating_sub(now.ps())).sum();
        let dark = self.dark.saturating_sub(turning) as f64 / 1e12 / self.switches.len() as f64;
        vec![
            Figure { name: "switch_turns", value: self.turns as f64, unit: "1" },
            Figure { name: "reconfiguration_time", value: dark, unit: "s" },
        ]
    }
}
