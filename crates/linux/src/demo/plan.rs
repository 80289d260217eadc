//! What a demo consists of: processes, their addresses and, in `configurations`, what each is told.

mod configurations;

use super::role::Role;
use super::schedule::Event;
use crate::config::{self, NodeFile, Refusal, input};
use crate::sys::file;
use control::wire::Carriage;
use std::fmt::Write;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use units::Duration;

/// Where the processes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Each in a network of its own, connected by virtual wires. For root.
    Namespaces,
    /// All on the loopback interface.
    Loopback,
}

/// How long the fibres of a demo are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// From short to the longest, which is all that is known.
    Even,
    /// All the longest, within [`UNEQUAL`], and everybody knows it.
    Equal,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub(crate) struct DemoOptions {
    pub(crate) cores: u16,
    pub(crate) slaves: u16,
    pub(crate) slot: Duration,
    /// The fibre of the farthest node; the others are evenly shorter. None: no fibres at all.
    pub(crate) fibre: Option<Duration>,
    /// Whether all fibres are as long as that one, which all know.
    pub(crate) spread: Spread,
    /// The part of the light that fibres lose.
    pub(crate) loss: f64,
    /// The part of the slots of signalling that they lose besides.
    pub(crate) signalling_loss: f64,
    /// Bytes of a slot, and of a datagram.
    pub(crate) slot_bytes: usize,
    pub(crate) datagram_bytes: usize,
    pub(crate) seconds: Option<f64>,
    pub(crate) port: u16,
    pub(crate) place: Option<Where>,
    /// Files: from, to, path.
    pub(crate) files: Vec<(u16, u16, PathBuf)>,
    /// Where files that come are written, one directory for each node.
    pub(crate) receive: Option<PathBuf>,
    /// Whether nodes have an interface for IP.
    pub(crate) ip: bool,
    /// Networks behind nodes: the node, a prefix.
    pub(crate) behind: Vec<(u16, String)>,
    /// Captures go here.
    pub(crate) capture: Option<PathBuf>,
    pub(crate) shows_table: bool,
    /// How signalling travels.
    pub(crate) carriage: Carriage,
    /// What nodes ask for.
    pub(crate) request: String,
    /// What shall happen to processes.
    pub(crate) events: Vec<Event>,
}

impl Default for DemoOptions {
    fn default() -> DemoOptions {
        DemoOptions {
            cores: 1,
            slaves: 6,
            slot: Duration::from_millis(1),
            fibre: Some(Duration::from_millis(1)),
            spread: Spread::Even,
            loss: 0.0,
            signalling_loss: 0.0,
            slot_bytes: 8000,
            datagram_bytes: 60_000,
            seconds: None,
            port: crate::serve::PORT,
            place: None,
            files: Vec::new(),
            receive: None,
            ip: true,
            behind: Vec::new(),
            capture: None,
            shows_table: true,
            carriage: Carriage::Slots,
            request: "queue".into(),
            events: Vec::new(),
        }
    }
}

/// The addresses of one node at one core: node, fibre towards it, fibre towards the core, core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) node: SocketAddr,
    pub(crate) near: SocketAddr,
    pub(crate) far: SocketAddr,
    pub(crate) core: SocketAddr,
}

/// The demo.
pub(crate) struct Plan {
    pub(crate) place: Where,
    pub(crate) nodes: u16,
    pub(crate) cores: u16,
    pub(crate) has_fibres: bool,
    ways: Vec<Vec<Way>>,
    pub(super) options: DemoOptions,
}

/// How long the core takes to switch.
const SWITCHING: Duration = Duration::from_micros(10);
/// By how much a fibre may be longer than what was asked for, or shorter.
const UNEQUAL: Duration = Duration::from_micros(50);
/// The port of all sockets in namespaces, and the first on the loopback interface.
const PORT: u16 = 7100;
/// A master and the most slaves that may be asked for.
const MOST_NODES: u16 = 61;

impl Plan {
    pub(crate) fn new(options: &DemoOptions, place: Where) -> Result<Plan, Refusal> {
        let nodes = options.slaves + 1;
        let direct = options.fibre.is_none();
        let at = |core, node| {
            let way = way(place, core, node);
            // Without a fibre the two are neighbours.
            if direct && place == Where::Namespaces { Way { core: way.near, ..way } } else { way }
        };
        let ways = (0..options.cores).map(|core| (0..nodes).map(|node| at(core, node)).collect()).collect();
        let mut options = options.clone();
        options.ip &= place == Where::Namespaces;
        if let Some((from, to, _)) = options.files.iter().find(|(from, to, _)| from.max(to) >= &nodes || from == to) {
            return Err(input(format!("a file from node {from} to node {to}; allowed: 0 to {}", nodes - 1)));
        }
        let plan = Plan { place, nodes, cores: options.cores, has_fibres: options.fibre.is_some(), ways, options };
        plan.checked()?;
        Ok(plan)
    }

    /// What a process would refuse is refused before any starts.
    fn checked(&self) -> Result<(), Refusal> {
        let master = config::parse::<NodeFile>(Path::new("the demo"), &self.configuration(Role::Node(0)))?.content;
        master.network.iter().try_for_each(|network| network.network().map(|_| ())).map_err(input)?;
        master.star.iter().try_for_each(|star| star.room().map(|_| ())).map_err(input)?;
        master.prediction().map_err(|(_, why)| input(format!("--request: {why}")))?;
        let roles = self.roles();
        self.options.events.iter().try_for_each(|event| event.checked(&roles, self.options.seconds))?;
        self.check_networks()?;
        for (_, _, path) in &self.options.files {
            file::open_ordinary(path, true).map_err(|error| input(format!("--file {}: {error}", path.display())))?;
        }
        Ok(())
    }

    pub(crate) fn way(&self, core: u16, node: u16) -> Way {
        self.ways[usize::from(core)][usize::from(node)]
    }

    /// All processes, in the order in which they start.
    pub(crate) fn roles(&self) -> Vec<Role> {
        let cores = (0..self.cores).map(Role::Core);
        let fibre = self.has_fibres.then_some(Role::Fibre);
        cores.chain(fibre).chain((0..self.nodes).map(Role::Node)).collect()
    }

    pub(crate) fn introduction(&self, port: u16) -> String {
        let Plan { nodes, cores, .. } = self;
        let mut text = match self.place {
            Where::Namespaces => {
                format!("1 master, {} slaves, {cores} core(s), each in a network of its own", nodes - 1)
            }
            Where::Loopback => format!(
                "1 master, {} slaves, {cores} core(s) on the loopback interface; as root each has a network of its \
                    own, real-time priority and IP",
                nodes - 1
            ),
        };
        let _ = write!(text, "\nmetrics: http://127.0.0.1:{port}/metrics; table: photocol-node status --port {port}");
        if self.options.ip {
            text.push_str("\nIP: node n has 10.99.0.(n + 1); try: nsenter -t PROCESS -n ping 10.99.0.3");
        }
        text
    }

    /// A slot for signalling for every node, and two data slots for each.
    fn frame_slots(&self) -> u64 {
        let (nodes, longest) = (u64::from(self.nodes), self.options.fibre.unwrap_or(Duration::ZERO));
        let unknown = match self.options.spread {
            Spread::Even => longest,
            Spread::Equal => UNEQUAL * 2,
        };
        let window = 1 + unknown.ps().saturating_mul(2).div_ceil(self.options.slot.ps());
        nodes + (2 * nodes).max(window + 4)
    }

    /// Ten frames and two round trips of the longest fibre: when a standby shall have the network in slots again.
    pub(crate) fn recovery(&self) -> Duration {
        let longest = self.options.fibre.unwrap_or(Duration::ZERO);
        self.options.slot * (10 * self.frame_slots()) + longest * 4
    }

    /// Makes the directories that must be there before a node starts.
    pub(crate) fn make_directories(&self) -> Result<(), Refusal> {
        let DemoOptions { receive, capture, .. } = &self.options;
        let of_nodes = |directory: &PathBuf| (0..self.nodes).map(|node| directory.join(node.to_string())).collect();
        let of_nodes: Vec<PathBuf> = receive.as_ref().map_or(Vec::new(), of_nodes);
        for wanted in of_nodes.iter().chain(capture) {
            fs::create_dir_all(wanted).map_err(|error| input(format!("{}: {error}", wanted.display())))?;
        }
        // The user names DIR; what is called DIR/5 there may be somebody's link.
        match of_nodes.iter().find(|path| !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())) {
            Some(link) => Err(input(format!("{}: a link; allowed: a directory", link.display()))),
            None => Ok(()),
        }
    }
}

fn way(place: Where, core: u16, node: u16) -> Way {
    let (core, node) = (core as u8, node as u8);
    let at = |network: u8, last: u8| SocketAddr::from((Ipv4Addr::new(10, network + core, node, last), PORT));
    match place {
        Where::Namespaces => Way { node: at(80, 1), near: at(80, 2), far: at(90, 1), core: at(90, 2) },
        // An address that only this process uses, and ports that the kernel gives to nobody: no socket of another
        // program lies there.
        Where::Loopback => {
            let [_, high, middle, low] = std::process::id().to_be_bytes();
            let address = Ipv4Addr::new(127, 128 | high, middle, low);
            let first = PORT + 4 * (MOST_NODES * u16::from(core) + u16::from(node));
            let at = |place| SocketAddr::from((address, first + place));
            Way { node: at(0), near: at(1), far: at(2), core: at(3) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A port of 127.0.0.1 that is free when it is looked for may be another program's a moment later.
    #[test]
    fn sockets_on_the_loopback_interface_are_where_no_other_program_has_any() {
        let options = DemoOptions { cores: 2, slaves: MOST_NODES - 1, ..DemoOptions::default() };
        let plan = Plan::new(&options, Where::Loopback).unwrap();
        let ways = plan.ways.iter().flatten();
        let all: Vec<SocketAddr> = ways.flat_map(|way| [way.node, way.near, way.far, way.core]).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 2 * 61 * 4);
        let given_to_anybody: Vec<u16> = {
            let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
            range.split_whitespace().map(|port| port.parse().unwrap()).collect()
        };
        assert!(all.iter().all(|at| at.ip().is_loopback() && at.ip() != Ipv4Addr::LOCALHOST));
        assert!(all.iter().all(|at| at.port() < given_to_anybody[0]), "{all:?} {given_to_anybody:?}");
    }
}
