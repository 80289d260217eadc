//! A resolved scenario as a text: every default written out, every link listed. It parses again to the same scenario.

use crate::language::{Text, quote, since_start, written};
use crate::model::*;
use crate::scenario::{Scenario, Switched};
use options::{Kind, Options, Value};
use std::fmt::Write;
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::xcp::{RouterConfig, Unclaimed};

/// The text.
pub(super) fn explain(scenario: &Scenario) -> String {
    let mut text = Text::new(&scenario.network);
    text.line("# The scenario as it runs: layers and --set applied, names resolved, every default written out.");
    text.nodes();
    text.links();
    text.run(&scenario.run);
    if let Some(Switched { kind, keys }) = &scenario.switching {
        text.line("\n[switching]");
        text.quantity("kind", kind, "");
        keys.write("switching", &mut text);
    }
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
                let sizes = ["mss", "receiver_window"];
                self.parameters(receiver, &ReceiverConfig::default(), &sizes[..1]);
                let [own, law] = sender.parts();
                self.parameters(own, &SenderConfig::default(), &sizes);
                self.parameters(law, law, &[]);
            }
        }
    }

    /// Every parameter with its sentence, but for those that are written elsewhere. A window that is as `usual` has no bound if the usual one has none.
    fn parameters(&mut self, options: &dyn Options, usual: &dyn Options, but: &[&str]) {
        for (place, key) in options.keys().iter().enumerate().filter(|(_, key)| !but.contains(&key.name)) {
            let value = match key.kind {
                Kind::Window if options.get(place) == usual.get(place) => Value::Nothing,
                _ => options.get(place),
            };
            let derived = written(&key.kind, options.derived(place));
            match (written(&key.kind, value), derived) {
                (Some(value), _) => self.key(key.name, value, key.sentence()),
                (None, Some(value)) => self.key(&format!("# {}", key.name), value, key.sentence()),
                (None, None) => {}
            }
        }
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
