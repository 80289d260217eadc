//! A resolved scenario as a text: every default written out, every link listed. It parses again to the same scenario.

use crate::hosts;
use crate::language::keys::{Explained, Form, Table, Written};
use crate::language::{Room, Size, Speed, Text, Time, Word, quote, since_start, written};
use crate::model::*;
use crate::queue;
use crate::scenario::spec::{self, ArrivalLaw, Spec};
use crate::scenario::{Scenario, Switched};
use options::{Key, Kind, Options, Value, Words};
use transport::tcp::{LossRecovery, ReceiverConfig, SenderConfig};
use transport::xcp::RouterConfig;
use units::{Duration, Rate};

/// The text.
pub(super) fn explain(spec: &Spec, scenario: &Scenario) -> String {
    let mut text = Text::new(&scenario.network);
    text.line("# The scenario as it runs: layers and --set applied, names resolved, every default written out.");
    text.nodes();
    text.links();
    text.run(spec, &scenario.run);
    if let Some(Switched { kind, keys }) = &scenario.switching {
        text.line("\n[switching]");
        text.quantity("kind", kind, "");
        keys.write("switching", &mut text);
    }
    scenario.transports.iter().for_each(|transport| text.transport(transport));
    for (table, traffic) in spec.traffic.iter().zip(&scenario.traffic) {
        text.traffic(table, traffic, scenario.transports[traffic.transport.index()].kind.protocol());
    }
    spec.event.iter().for_each(|event| text.section("[[event]]", &event.explained()));
    spec.link_phases.iter().for_each(|phases| text.section("[[link_phases]]", &phases.explained()));
    spec.link_trace.iter().for_each(|trace| text.section("[[link_trace]]", &trace.explained()));
    spec.news.iter().for_each(|news| text.section("[[news]]", &news.explained()));
    spec.external.iter().for_each(|external| text.section("[external]", &external.explained()));
    spec.force.iter().for_each(|force| text.section("[[force]]", &force.explained()));
    text.probe(&spec.probe);
    text.trace(spec.trace.as_deref(), &scenario.trace);
    text.finish()
}

impl Text<'_> {
    fn nodes(&mut self) {
        self.line("node = [");
        let there = self.network.timed.as_ref().map_or(0, |timed| timed.nodes as usize);
        for node in &self.network.nodes[there..] {
            let mut keys = spec::Node::unfilled();
            keys.derive("name", node.name.form());
            keys.derive("role", Word(node.role).form());
            if let Some(position) = node.position {
                keys.derive("latitude", position.latitude.form());
                keys.derive("longitude", position.longitude.form());
            }
            self.line(&format!("    {},", keys.inline()));
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
            let mut keys = self.link(link);
            if back.is_none() {
                keys.derive("duplex", false.form());
            }
            if parallel {
                keys.derive("parallel", true.form());
            }
            self.line(&format!("    {},", keys.inline()));
            index += if back.is_some() { 2 } else { 1 };
        }
        self.line("]");
    }

    /// The keys of a link, whatever leads back.
    fn link(&self, link: &Link) -> Explained {
        let name = |node: NodeId| Written::Inline(self.node_name(node));
        let mut keys = spec::Link::unfilled();
        keys.derive("from", name(link.from));
        keys.derive("to", name(link.to));
        let each = Rate::from_bps(link.capacity.bps() / u64::from(link.wavelengths));
        keys.derive("capacity", Speed(each).form());
        keys.derive("delay", Time(link.delay).form());
        keys.derive("buffer", Room(link.buffer.size()).form());
        for (key, value) in link.properties.explained() {
            keys.derive(key.key.name, Written::Inline(spec::properties::form(value)));
        }
        if link.telemetry == (self.network.nodes[link.from.index()].role == Role::Host) {
            keys.derive("telemetry", link.telemetry.form());
        }
        if link.queue != queue::Config::DropTail {
            keys.derive("queue", spec::queue::explained(&link.queue));
        }
        if let Some(controller) = &link.controller {
            keys.derive("xcp", Written::Table(xcp(controller)));
        }
        if let Some(core) = link.via {
            keys.derive("via", name(core));
        }
        if link.cost != link.delay.ps() {
            keys.derive("cost", link.cost.form());
        }
        keys
    }

    /// A table with its keys.
    fn section(&mut self, header: &str, keys: &Explained) {
        self.line(&format!("\n{header}"));
        keys.write(header.trim_matches(['[', ']']), self);
    }

    fn run(&mut self, spec: &Spec, run: &RunSpec) {
        let mut keys = spec.run.explained();
        keys.derive("name", run.name.form());
        self.section("[run]", &keys);
        self.line("\n[topology]");
        if let Some(timed) = &self.network.timed {
            self.key("kind", quote("contacts"), "with the nodes and links above");
            timed.keys.iter().for_each(|(key, value)| self.key(key, value.clone(), ""));
            return;
        }
        self.key("kind", "\"custom\"", "the nodes and links above");
        if let Some(span) = self.network.reroute_after {
            self.quantity("reroute_after", span, "after a link goes down or comes up");
        }
        match self.network.routing {
            Routing::Spray(Spread::Packets) => self.key("routing", quote("spray"), "each packet by itself"),
            Routing::Spray(Spread::Flowlets(gap)) => {
                self.key("routing", quote("flowlet"), "");
                self.quantity("flowlet_gap", gap, "after such a pause another path");
            }
            Routing::Ecmp { hash_seed, weights } => {
                self.key("routing", quote("ecmp"), "each node hashes the flow");
                self.key("hash_seed", hash_seed.to_string(), "");
                self.key("weights", quote(weights.word()), "of equally near links");
            }
            Routing::First if spec.has_equal_paths() => {
                self.key("routing", quote("first"), "of several equally short paths");
            }
            // The kind of switching has paths of its own.
            Routing::First => {}
        }
    }

    fn transport(&mut self, transport: &Transport) {
        self.line(&format!("\n[transport.{}]", quote(&transport.name)));
        let kind = &transport.kind;
        let (sender, receiver) = (kind.sender(), kind.receiver());
        let mut keys = spec::Wire::unfilled();
        let entry = sender.map(|sender| sender.algorithm.entry());
        let other = kind.hosted().map_or(("", ""), |kind| (kind.name(), hosts::entry(kind).source));
        let (algorithm, source) = entry.map_or(other, |entry| (entry.name, entry.source));
        keys.derive_since("algorithm", Written::Inline(quote(algorithm)), source);
        if let Some(maker) = sender.and_then(|sender| sender.laws.external.maker.as_ref()) {
            keys.derive("law", Written::Inline(quote(maker.name())));
        }
        if let Some(size) = kind.datagram() {
            keys.derive("packet_size", size.form());
        }
        if kind.reads_hops() {
            keys.derive("telemetry_size", Word(kind.record().size).form());
            keys.derive("telemetry_echo", Word(kind.record().echo).form());
        }
        if let (Some(sender), Some(receiver)) = (sender, receiver) {
            let (header, ack_size) = kind.bare_sizes();
            keys.derive("header", header.form());
            keys.derive("ack_size", ack_size.form());
            keys.write("transport", self);
            self.parameters(receiver, Some(&ReceiverConfig::default()), &[]);
            let [own, reordering, law] = sender.parts();
            self.parameters(own, Some(&SenderConfig::default()), receiver.keys());
            if sender.loss_recovery() == LossRecovery::RrTcp {
                self.parameters(reordering, None, &[]);
            }
            self.parameters(law, None, &[]);
        } else if let (Some(kind), None) = (kind.hosted(), kind.datagram()) {
            let sizes = kind.sizes();
            keys.derive("packet_size", (sizes.payload + sizes.header).form());
            keys.derive("header", sizes.header.form());
            keys.derive("ack_size", sizes.ack.form());
            keys.write("transport", self);
            kind.options().into_iter().for_each(|own| self.parameters(own, None, &[]));
        } else {
            keys.write("transport", self);
        }
    }

    /// Every parameter with its sentence, but for those that are written elsewhere. A window that is as `usual` has no
    /// bound.
    fn parameters(&mut self, options: &dyn Options, usual: Option<&dyn Options>, but: &[Key]) {
        let is_elsewhere = |key: &Key| but.iter().any(|other| other.name == key.name);
        for (place, key) in options.keys().iter().enumerate().filter(|(_, key)| !is_elsewhere(key)) {
            let value = match key.kind {
                Kind::Window if usual.is_some_and(|usual| options.get(place) == usual.get(place)) => Value::Nothing,
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

    fn traffic(&mut self, table: &spec::Traffic, traffic: &Traffic, protocol: Protocol) {
        let mut keys = table.explained();
        keys.derive("name", traffic.name.form());
        let others = table.reserved().into_iter().filter(|one| one.user != protocol.word());
        keys.leave_out(&others.map(|one| one.key).collect::<Vec<_>>());
        match &traffic.arrivals {
            Arrivals::Work(work) => keys.derive("among", self.names(&work.ranks)),
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
            Arrivals::Incast(incast) => {
                keys.derive("among", self.names(&incast.among));
                keys.derive("senders", incast.senders.form());
                keys.derive("until", Time(since_start(incast.until)).form());
                if incast.requests == Requests::Every(Duration::MAX) {
                    keys.derive("requests", incast.at_most.form());
                }
            }
            Arrivals::Poisson { pairs, until, .. } => {
                self.pairs(table, pairs, &mut keys);
                if table.over.is_none() {
                    keys.derive("until", Time(since_start(*until)).form());
                }
            }
        }
        if let (Some(FlowSizes::Empirical(cdf)), Some(law)) = (&traffic.sizes, &table.size_law)
            && let spec::FlowSizeLaw::Cdf(points) = &**law
        {
            keys.derive("size_law", points.with_points(cdf.points()));
        }
        self.section("[[traffic]]", &keys);
    }

    /// A list of nodes.
    fn names(&self, nodes: &[NodeId]) -> Written {
        let names: Vec<String> = nodes.iter().map(|node| self.node_name(*node)).collect();
        Written::Inline(format!("[{}]", names.join(", ")))
    }

    /// Between whom, if the scenario leaves that to the topology.
    fn pairs(&self, table: &spec::Traffic, pairs: &Pairs, keys: &mut Explained) {
        let list = |names: Vec<String>| Written::Inline(format!("[{}]", names.join(", ")));
        match pairs {
            Pairs::Given(pairs) if table.pairs.is_none() && table.from.is_none() => {
                let pair = |(a, b): &(NodeId, NodeId)| format!("[{}, {}]", self.node_name(*a), self.node_name(*b));
                keys.derive("pairs", list(pairs.iter().map(pair).collect()));
            }
            Pairs::UniformRandom(nodes) | Pairs::Permutation(nodes) => keys.derive("among", self.names(nodes)),
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

    /// A table without keys would be one that traces everything, so there is none where nothing is traced.
    fn trace(&mut self, table: Option<&spec::Trace>, trace: &Trace) {
        let Some(table) = table.filter(|_| trace.is_on()) else { return };
        let mut keys = table.explained();
        keys.derive("from", Time(trace.from).form());
        keys.derive("until", Time(trace.until).form());
        let all = || Written::Inline("\"all\"".to_owned());
        if table.flows.is_none() && table.links.is_none() {
            keys.derive("flows", all());
        }
        self.section("[trace]", &keys);
    }

    fn probe(&mut self, probe: &spec::Probe) {
        let (mut keys, sampling) = (probe.explained(), &probe.sampling);
        if sampling.interval.is_none() && probe.asked().is_empty() {
            return self.line("\n[probe]\n# no interval: nothing is sampled");
        }
        if sampling.interval.is_some() && sampling.flows.is_none() && sampling.links.is_none() {
            let all = || Written::Inline("\"all\"".to_owned());
            ["flows", "links"].into_iter().for_each(|key| keys.derive(key, all()));
        }
        self.section("[probe]", &keys);
    }
}

fn xcp(controller: &PortController) -> Explained {
    let config = &controller.config;
    let RouterConfig { capacity, alpha, beta, gamma, unclaimed, min_queue_interval, .. } = config;
    let mut keys = spec::XcpPort::unfilled();
    keys.derive("alpha", alpha.form());
    keys.derive("beta", beta.form());
    keys.derive("gamma", gamma.form());
    keys.derive("capacity", Speed(*capacity).form());
    keys.derive("follows", controller.follows.form());
    keys.derive("ahead", Time(controller.ahead).form());
    keys.derive("unclaimed", Word(*unclaimed).form());
    keys.derive("queue_interval", Time(*min_queue_interval).form());
    // Not given it is two times, which the key does not say.
    if config.min_interval == config.initial_interval {
        keys.derive("interval", Time(config.min_interval).form());
    }
    keys
}
