//! A resolved scenario as a text: every default written out, every link listed. It parses again to the same scenario.

use crate::language::keys::{Explained, Form, Written};
use crate::language::{Size, Text, Time, quote, since_start, written};
use crate::model::*;
use crate::scenario::spec::{self, ArrivalLaw, Spec};
use crate::scenario::{Scenario, Switched};
use options::{Kind, Options, Value, Words};
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::xcp::RouterConfig;

/// The text.
pub(super) fn explain(spec: &Spec, scenario: &Scenario) -> String {
    let mut text = Text::new(&scenario.network);
    text.line("# The scenario as it runs: layers and --set applied, names resolved, every default written out.");
    text.nodes();
    text.links();
    text.run(&spec.run, &scenario.run);
    if let Some(Switched { kind, keys }) = &scenario.switching {
        text.line("\n[switching]");
        text.quantity("kind", kind, "");
        keys.write("switching", &mut text);
    }
    scenario.transports.iter().for_each(|transport| text.transport(transport));
    for (table, traffic) in spec.traffic.iter().zip(&scenario.traffic) {
        text.traffic(table, traffic, &scenario.transports[traffic.transport.index()].kind);
    }
    spec.event.iter().for_each(|event| text.section("[[event]]", &event.explained()));
    spec.force.iter().for_each(|force| text.section("[[force]]", &force.explained()));
    text.probe(&spec.probe);
    text.finish()
}

impl Text<'_> {
    fn nodes(&mut self) {
        self.line("node = [");
        for node in &self.network.nodes {
            self.line(&format!("    {{ name = {}, role = \"{}\" }},", quote(&node.name), node.role.word()));
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

    /// A table with its keys.
    fn section(&mut self, header: &str, keys: &Explained) {
        self.line(&format!("\n{header}"));
        keys.write(header.trim_matches(['[', ']']), self);
    }

    fn run(&mut self, table: &spec::Run, run: &RunSpec) {
        let mut keys = table.explained();
        keys.derive("name", run.name.form());
        self.section("[run]", &keys);
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

    fn traffic(&mut self, table: &spec::Traffic, traffic: &Traffic, kind: &TransportKind) {
        let mut keys = table.explained();
        keys.derive("name", traffic.name.form());
        let of_the_other: &[&str] = match kind {
            TransportKind::Tcp { .. } => &["load", "rate", "sizes", "on", "off"],
            TransportKind::Udp { .. } => &["size", "bursts"],
        };
        keys.leave_out(of_the_other);
        match &traffic.arrivals {
            Arrivals::List(list) => {
                keys.leave_out(&["file"]);
                keys.derive("list", Written::Tables(list.iter().map(|flow| self.listed(flow)).collect()));
            }
            Arrivals::Fixed { pairs, count, .. } => {
                self.pairs(table, pairs, &mut keys);
                if table.arrivals.0 == ArrivalLaw::Fixed {
                    keys.derive("flows", count.form());
                }
            }
            Arrivals::Poisson { pairs, until, .. } => {
                self.pairs(table, pairs, &mut keys);
                if table.over.is_none() {
                    keys.derive("until", Time(since_start(*until)).form());
                }
            }
        }
        self.section("[[traffic]]", &keys);
    }

    /// Between whom, if the scenario leaves that to the topology.
    fn pairs(&self, table: &spec::Traffic, pairs: &Pairs, keys: &mut Explained) {
        let list = |names: Vec<String>| Written::Inline(format!("[{}]", names.join(", ")));
        match pairs {
            Pairs::Given(pairs) if table.pairs.is_none() && table.from.is_none() => {
                let pair = |(a, b): &(NodeId, NodeId)| format!("[{}, {}]", self.node_name(*a), self.node_name(*b));
                keys.derive("pairs", list(pairs.iter().map(pair).collect()));
            }
            Pairs::UniformRandom(nodes) => {
                keys.derive("among", list(nodes.iter().map(|node| self.node_name(*node)).collect()));
            }
            Pairs::Given(_) => {}
        }
    }

    /// A flow of a list.
    fn listed(&self, flow: &Listed) -> Explained {
        let mut row = Explained::default();
        row.add("start", "", Some(Time(since_start(flow.start)).form()));
        row.add("source", "", Some(Written::Inline(self.node_name(flow.source))));
        row.add("destination", "", Some(Written::Inline(self.node_name(flow.destination))));
        row.add("size", "", flow.size.map(|size| Size(size).form()));
        row
    }

    fn probe(&mut self, probe: &spec::Probe) {
        let mut keys = probe.explained();
        if probe.interval.is_none() {
            return self.line("\n[probe]\n# no interval: nothing is sampled");
        }
        if probe.flows.is_none() && probe.links.is_none() {
            let all = || Written::Inline("\"all\"".to_owned());
            ["flows", "links"].into_iter().for_each(|key| keys.derive(key, all()));
        }
        self.section("[probe]", &keys);
    }
}

fn xcp(controller: &PortController) -> String {
    let RouterConfig { capacity, alpha, beta, gamma, unclaimed, .. } = &controller.config;
    let unclaimed = unclaimed.word();
    let weights = format!("alpha = {alpha:?}, beta = {beta:?}, gamma = {gamma:?}");
    let follows = controller.follows;
    format!("{{ {weights}, capacity = \"{capacity}\", follows = {follows}, unclaimed = \"{unclaimed}\" }}")
}
