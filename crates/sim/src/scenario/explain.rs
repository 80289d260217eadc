//! A resolved scenario as a text: every default written out, every link listed. It parses again to the same scenario.

use crate::language::{Text, quote, since_start};
use crate::model::*;
use crate::scenario::Scenario;
use std::fmt::Write;
use transport::cc::xcp::{DuplicateAcks, LossReaction};
use transport::cc::{self, Algorithm, btcp, gaimd, highspeed, reno, tcp_eng};
use transport::tcp::{
    FastRetransmitGuard, InitialWindow, LossRecovery, PartialAckTimer, ReceiverConfig, SackAfterTimeout, SenderConfig,
};
use transport::xcp::{RouterConfig, Unclaimed};
use units::Bytes;

/// The text.
pub(super) fn explain(scenario: &Scenario) -> String {
    let mut text = Text::new(&scenario.network);
    text.line("# The scenario as it runs: layers and --set applied, names resolved, every default written out.");
    text.nodes();
    text.links();
    text.run(&scenario.run);
    scenario.plan.explain(&mut text);
    scenario.transports.iter().for_each(|transport| text.transport(transport));
    scenario.traffic.iter().for_each(|traffic| text.traffic(traffic, &scenario.transports));
    scenario.events.iter().for_each(|event| text.event(event));
    scenario.forced.iter().for_each(|forced| text.forced(forced));
    text.probe(&scenario.probe);
    text.finish()
}

impl Text<'_> {
    fn nodes(&mut self) {
        self.line("node = [");
        for node in &self.network.nodes {
            let role = match node.role {
                Role::Core => "core",
                Role::Edge => "edge",
                Role::Host => "host",
            };
            self.line(&format!("    {{ name = {}, role = \"{role}\" }},", quote(&node.name)));
        }
        self.line("]");
    }

    fn links(&mut self) {
        // The other wavelengths of a fibre come from the switching.
        let links = &self.network.links;
        let links = &links[..links.iter().take_while(|link| link.lane == Lane::FIRST).count()];
        let mut seen = std::collections::BTreeSet::new();
        self.line("link = [");
        let mut index = 0;
        while let Some(link) = links.get(index) {
            let parallel = !seen.insert((link.from, link.to));
            let back = links.get(index + 1).filter(|back| {
                let ends = (back.from, back.to) == (link.to, link.from);
                let alike = Link { name: String::new(), from: link.from, to: link.to, ..(*back).clone() };
                ends && alike == (Link { name: String::new(), ..link.clone() })
                    && parallel == seen.contains(&(back.from, back.to))
            });
            if let Some(back) = back {
                seen.insert((back.from, back.to));
            }
            let parallel = if parallel { ", parallel = true" } else { "" };
            let duplex = if back.is_some() { "" } else { ", duplex = false" };
            let line = format!("    {{ {}{parallel}{duplex} }},", self.link(link));
            self.line(&line);
            index += if back.is_some() { 2 } else { 1 };
        }
        self.line("]");
    }

    /// The keys of a link, whatever leads back.
    fn link(&self, link: &Link) -> String {
        let buffer = match link.buffer {
            Buffer::Packets(packets) => format!("{packets} packets"),
            Buffer::Bytes(bytes) => bytes.to_string(),
            Buffer::Unlimited => "unlimited".to_owned(),
        };
        let mut line = format!(
            "from = {}, to = {}, capacity = \"{}\", delay = \"{}\", buffer = \"{buffer}\"",
            self.node_name(link.from),
            self.node_name(link.to),
            link.capacity,
            link.delay
        );
        line += &match link.loss {
            Loss::None => ", loss = 0.0".to_owned(),
            Loss::Bernoulli(p) => format!(", loss = {p:?}"),
            Loss::EveryNth(n) => format!(", loss_every = {n}"),
        };
        if let Some(controller) = &link.controller {
            line += &format!(", xcp = {}", xcp(controller));
        }
        if let Some(core) = link.via {
            line += &format!(", via = {}", self.node_name(core));
        }
        if link.cost != link.delay.ps() {
            line += &format!(", cost = {}", link.cost);
        }
        line
    }

    fn run(&mut self, run: &RunSpec) {
        self.line("\n[run]");
        self.key("name", quote(&run.name), "");
        self.quantity("duration", run.duration, "the run covers [0, duration)");
        self.quantity("warm_up", run.warm_up, "statistics of links begin here");
        self.key("seed", run.seed, "of all random streams");
        self.key("runs", run.runs, "replications");
        self.quantity("memory", run.memory, "more is refused, or ends the run");
        self.line("\n[topology]");
        self.key("kind", "\"custom\"", "the nodes and links above");
        if let Some(span) = self.network.reroute_after {
            self.quantity("reroute_after", span, "after a link goes down or comes up");
        }
    }

    fn transport(&mut self, transport: &Transport) {
        self.line(&format!("\n[transport.{}]", quote(&transport.name)));
        match &transport.kind {
            TransportKind::Udp { packet_size } => {
                self.key("algorithm", "\"udp\"", "");
                self.key("packet_size", packet_size, "bytes on the wire");
            }
            TransportKind::Tcp { sender, receiver, header, ack_size } => {
                self.key("algorithm", format!("\"{}\"", sender.algorithm.name()), sender.algorithm.entry().source);
                self.key("mss", sender.mss, "bytes of payload");
                self.key("header", header, "bytes that headers add on the wire");
                self.key("ack_size", ack_size, "bytes on the wire");
                self.receiver(receiver);
                self.sender(sender);
            }
        }
    }

    fn receiver(&mut self, receiver: &ReceiverConfig) {
        match receiver.delayed_ack {
            None => self.key("delayed_ack", false, "an ACK for every segment"),
            Some(span) => self.quantity("delayed_ack", span, "an ACK for every second segment, or after this"),
        }
        match receiver.window == ReceiverConfig::default().window {
            true => self.key("receiver_window", "\"unlimited\"", "so much that it never binds"),
            false => self.quantity("receiver_window", Bytes(receiver.window), ""),
        }
        self.key("sack", receiver.sack, "RFC 2018");
        self.key("dsack", receiver.dsack, "RFC 2883");
    }

    fn sender(&mut self, sender: &SenderConfig) {
        let window = |bytes: Option<u64>| bytes.map_or("unlimited".to_owned(), |bytes| Bytes(bytes).to_string());
        self.key("paced", sender.paced, "segments leave at cwnd/srtt");
        match sender.initial_cwnd {
            InitialWindow::Segments(segments) => self.key("initial_window", segments, "segments"),
            InitialWindow::Rfc3390 => self.key("initial_window", "\"rfc3390\"", ""),
            InitialWindow::Rfc6928 => self.key("initial_window", "\"rfc6928\"", "10 segments of up to 1460 B"),
        }
        self.quantity("initial_ssthresh", window(sender.initial_ssthresh), "slow start ends here at first");
        self.quantity("max_window", window(Some(sender.max_cwnd).filter(|bytes| *bytes != u64::MAX)), "");
        self.quantity("min_rto", sender.min_rto, "RFC 6298 says 1 s");
        self.quantity("max_rto", sender.max_rto, "");
        self.quantity("initial_rto", sender.initial_rto, "");
        self.quantity("clock_granularity", sender.clock_granularity, "G of RFC 6298");
        self.key("dupthresh", sender.dupthresh, "duplicate ACKs that mean a loss");
        let recovery = match sender.loss_recovery() {
            LossRecovery::Reno => "\"reno\"",
            LossRecovery::NewReno => "\"newreno\"",
            LossRecovery::Sack => "\"sack\"",
        };
        self.key("recovery", recovery, "how losses are repaired");
        self.key("limited_transmit", sender.limited_transmit, "RFC 3042");
        self.key("rescue_retransmission", sender.rescue_retransmission, "RFC 6675, NextSeg rule 4");
        self.key("idle_restart", sender.idle_restart, "RFC 5681, section 4.1");
        let guard = match sender.guard() {
            FastRetransmitGuard::Timeout => "\"timeout\"",
            FastRetransmitGuard::Recovery => "\"recovery\"",
        };
        self.key("fast_retransmit_guard", guard, "recovery reno and newreno; ns-2's bugFix_ is \"recovery\"");
        let timer = match sender.partial_ack_timer {
            PartialAckTimer::Impatient => "\"impatient\"",
            PartialAckTimer::SlowButSteady => "\"slow-but-steady\"",
        };
        self.key("partial_ack_timer", timer, "RFC 6582, section 4");
        let memory = match sender.sack_after_timeout {
            SackAfterTimeout::Discard => "\"discard\"",
            SackAfterTimeout::Keep => "\"keep\"",
        };
        self.key("sack_after_timeout", memory, "");
        self.laws(sender);
    }

    /// The parameters of the algorithm's own law, and of others where they are not the defaults.
    fn laws(&mut self, sender: &SenderConfig) {
        let (laws, default) = (&sender.laws, cc::Config::default());
        let highspeed = sender.algorithm == Algorithm::HighSpeed;
        if !highspeed || laws.reno.increase != default.reno.increase {
            let increase = match laws.reno.increase {
                reno::Increase::ByteCounting => "\"byte-counting\"",
                reno::Increase::PerAck => "\"per-ack\"",
            };
            self.key("increase", increase, "congestion avoidance of reno, newreno, sack");
        }
        if sender.algorithm == Algorithm::Xcp {
            let reaction = match laws.xcp.loss {
                LossReaction::Tcp => "\"tcp\"",
                LossReaction::RepairOnly => "\"repair-only\"",
            };
            self.key("loss_reaction", reaction, "what duplicate ACKs do to the window");
            let duplicates = match laws.xcp.duplicate_acks {
                DuplicateAcks::Obey => "\"obey\"",
                DuplicateAcks::Ignore => "\"ignore\"",
            };
            self.key("duplicate_acks", duplicates, "the feedback that they bring");
        }
        self.burst_laws(sender);
        if highspeed || format!("{:?}", laws.highspeed) != format!("{:?}", default.highspeed) {
            self.highspeed(&laws.highspeed);
        }
    }

    fn burst_laws(&mut self, sender: &SenderConfig) {
        let (plain, eng) = (&sender.laws.gaimd, &sender.laws.tcp_eng);
        match sender.algorithm {
            Algorithm::Gaimd | Algorithm::Baimd => self.gaimd(plain.beta, plain.alpha, plain.relation),
            Algorithm::TcpEng => {
                self.gaimd(eng.beta, eng.alpha, eng.relation);
                let applies = match eng.alpha_applies {
                    tcp_eng::AlphaApplies::BenOnly => "\"ben-only\"",
                    tcp_eng::AlphaApplies::LargeWindow => "\"large-window\"",
                    tcp_eng::AlphaApplies::BenPeriod => "\"ben-period\"",
                };
                self.key("alpha_applies", applies, "for how long alpha is not 1");
                self.key(
                    "congestion_beta",
                    format!("{:?}", eng.congestion_beta),
                    "kept at a loss without notification",
                );
            }
            Algorithm::Btcp => {
                let detector = match sender.laws.btcp.detector {
                    btcp::Detector::Ble => "\"ble\"",
                    btcp::Detector::Back => "\"back\"",
                    btcp::Detector::Bnak => "\"bnak\"",
                };
                self.key("detector", detector, "how a false timeout is told");
            }
            _ => {}
        }
    }

    fn gaimd(&mut self, beta: f64, alpha: Option<f64>, relation: gaimd::Relation) {
        let friendly = format!("alpha = {:.4} unless it is given", relation.alpha(beta));
        let relation = match relation {
            gaimd::Relation::TripleDuplicate => "\"triple-duplicate\"",
            gaimd::Relation::Timeout => "\"timeout\"",
        };
        self.key("beta", format!("{beta:?}"), "share of the window that is kept at a loss");
        if let Some(alpha) = alpha {
            self.key("alpha", format!("{alpha:?}"), "segments by which it grows in a round trip");
        }
        self.key("relation", relation, &friendly);
    }

    fn highspeed(&mut self, law: &highspeed::Config) {
        let response = match law.response {
            highspeed::ResponseFunction::Rounded => "rounded",
            highspeed::ResponseFunction::Unrounded => "unrounded",
        };
        let highspeed::Config { low_window, low_p, high_window, high_p, high_decrease, .. } = law;
        let windows = format!(
            "low_window = {low_window:?}, low_p = {low_p:?}, high_window = {high_window:?}, high_p = {high_p:?}"
        );
        let rest = format!("high_decrease = {high_decrease:?}, response = \"{response}\"");
        let halve = format!("halve_after_slow_start = {}", law.halve_after_slow_start);
        self.key("highspeed", format!("{{ {windows}, {rest}, {halve} }}"), "");
    }

    fn traffic(&mut self, traffic: &Traffic, transports: &[Transport]) {
        self.line("\n[[traffic]]");
        self.key("name", quote(&traffic.name), "also the name of its random streams");
        self.key("transport", quote(&transports[traffic.transport.index()].name), "");
        match &traffic.arrivals {
            Arrivals::Fixed { pairs, count, start, spread } => {
                self.pairs(pairs);
                self.key("arrivals", "\"fixed\"", "");
                self.key("flows", count, "in all");
                self.quantity("start", since_start(*start), "");
                self.quantity("spread", spread, "starts are uniform over this");
            }
            Arrivals::Poisson { pairs, mean_gap, start, until, at_most } => {
                self.pairs(pairs);
                self.key("arrivals", "\"poisson\"", "");
                self.quantity("mean_gap", mean_gap, "between starts");
                self.quantity("start", since_start(*start), "");
                self.quantity("until", since_start(*until), "");
                if let Some(count) = at_most {
                    self.key("count", count, "at most");
                }
            }
            Arrivals::List(list) => self.list(list),
        }
        if let Some(stop) = traffic.stop {
            self.quantity("stop", since_start(stop), "");
        }
        self.load(traffic.load);
        if let Some(BurstRule { segments, losses, notify }) = &traffic.bursts {
            let losses = match losses {
                BurstLosses::Random(probability) => format!("loss = {probability:?}"),
                BurstLosses::These(numbers) => format!("lose = {numbers:?}"),
            };
            let rule = format!("{{ segments = {segments}, {losses}, notify = {notify} }}");
            self.key("bursts", rule, "of segments in a row");
        }
    }

    fn pairs(&mut self, pairs: &Pairs) {
        match pairs {
            Pairs::Given(list) => {
                let pair = |(a, b): &(NodeId, NodeId)| format!("[{}, {}]", self.node_name(*a), self.node_name(*b));
                let pairs: Vec<String> = list.iter().map(pair).collect();
                self.key("pairs", format!("[{}]", pairs.join(", ")), "");
            }
            Pairs::UniformRandom(nodes) => {
                let names: Vec<String> = nodes.iter().map(|node| self.node_name(*node)).collect();
                self.key("pairs", "\"random\"", "");
                self.key("among", format!("[{}]", names.join(", ")), "");
            }
        }
    }

    fn list(&mut self, list: &[Listed]) {
        self.line("list = [");
        for flow in list {
            let ends = (self.node_name(flow.source), self.node_name(flow.destination));
            let size = flow.size.map_or(String::new(), |size| format!(", size = \"{size}\""));
            let start = since_start(flow.start);
            self.line(&format!("    {{ start = \"{start}\", source = {}, destination = {}{size} }},", ends.0, ends.1));
        }
        self.line("]");
    }

    fn load(&mut self, load: Load) {
        match load {
            Load::Greedy => self.key("size", "\"greedy\"", ""),
            Load::Size(bytes) => self.quantity("size", bytes, ""),
            Load::Constant(rate) => {
                self.key("load", "\"constant\"", "");
                self.quantity("rate", rate, "on the wire");
            }
            Load::Poisson { rate, sizes } => {
                self.key("load", "\"poisson\"", "");
                self.quantity("rate", rate, "mean, on the wire");
                let sizes = match sizes {
                    SizeLaw::Fixed => "\"fixed\"",
                    SizeLaw::Exponential => "\"exponential\"",
                };
                self.key("sizes", sizes, "");
            }
            Load::OnOff { rate, on, off } => {
                self.key("load", "\"on-off\"", "");
                self.quantity("rate", rate, "on the wire, while on");
                self.key("on", sojourn(on), "");
                self.key("off", sojourn(off), "");
            }
        }
    }

    fn event(&mut self, event: &LinkEvent) {
        self.line("\n[[event]]");
        self.quantity("at", since_start(event.at), "");
        let names: Vec<String> = event.links.iter().map(|link| self.link_name(*link)).collect();
        self.key("link", format!("[{}]", names.join(", ")), "");
        match event.change {
            Change::Capacity(rate) => self.quantity("capacity", rate, ""),
            Change::Told(capacity) => self.quantity("told_capacity", capacity, "what XCP's controller believes"),
            Change::Delay(delay) => self.quantity("delay", delay, ""),
            Change::Down => self.key("state", "\"down\"", ""),
            Change::Up => self.key("state", "\"up\"", ""),
        }
    }

    fn forced(&mut self, forced: &Forced) {
        self.line("\n[[force]]");
        self.key("flow", forced.flow, "in the order of starts, from 0");
        self.key("segment", forced.segment, "of the flow, from 0");
        self.key("copy", forced.copy, "which transmission, from 1");
        match forced.fate {
            Fate::Drop => self.key("action", "\"drop\"", ""),
            Fate::Duplicate => self.key("action", "\"duplicate\"", ""),
            Fate::Delay(span) => {
                self.key("action", "\"delay\"", "");
                self.quantity("delay", span, "");
            }
        }
    }

    fn probe(&mut self, probe: &Probe) {
        self.line("\n[probe]");
        let Some(interval) = probe.interval else {
            return self.line("# no interval: nothing is sampled");
        };
        self.quantity("interval", interval, "");
        let indices = |indices: &[u32], name: &dyn Fn(u32) -> String| {
            let names: Vec<String> = indices.iter().map(|index| name(*index)).collect();
            format!("[{}]", names.join(", "))
        };
        match &probe.flows {
            Selection::None => {}
            Selection::All => self.key("flows", "\"all\"", ""),
            Selection::Some(flows) => self.key("flows", indices(flows, &|flow| flow.to_string()), ""),
        }
        match &probe.links {
            Selection::None => {}
            Selection::All => self.key("links", "\"all\"", ""),
            Selection::Some(links) => {
                let names = indices(links, &|link| self.link_name(LinkId(link)));
                self.key("links", names, "");
            }
        }
    }
}

fn sojourn(law: Sojourn) -> String {
    let mut text = String::new();
    let written = match law {
        Sojourn::Constant(mean) => write!(text, "{{ law = \"constant\", mean = \"{mean}\" }}"),
        Sojourn::Exponential(mean) => write!(text, "{{ law = \"exponential\", mean = \"{mean}\" }}"),
        Sojourn::Pareto { mean, shape } => write!(text, "{{ law = \"pareto\", mean = \"{mean}\", shape = {shape:?} }}"),
    };
    written.expect("a string takes all");
    text
}

fn xcp(controller: &PortController) -> String {
    let RouterConfig { capacity, alpha, beta, gamma, unclaimed, .. } = &controller.config;
    let unclaimed = match unclaimed {
        Unclaimed::CountsAsNegative => "counts-as-negative",
        Unclaimed::Spent => "spent",
    };
    let weights = format!("alpha = {alpha:?}, beta = {beta:?}, gamma = {gamma:?}");
    let follows = controller.follows;
    format!("{{ {weights}, capacity = \"{capacity}\", follows = {follows}, unclaimed = \"{unclaimed}\" }}")
}
