//! A network in the making: names, and properties that may still be open.

use super::geography::Imported;
use crate::language::{At, Fault, Key, Place};
use crate::links::{LinkKey, LinkProperties};
use crate::model::{LawfulLink, Node, NodeId, Role, TimedRoutes};
use crate::queue;
use options::Value;
use std::collections::BTreeMap;
use transport::xcp::RouterConfig;
use units::{Duration, PortBuffer, Rate};

/// Nodes and links without defaults.
#[derive(Debug, Default)]
pub struct Draft {
    /// Nodes in the order of their ids.
    pub nodes: Vec<Node>,
    /// Directed links in the order of their ids.
    pub links: Vec<DraftLink>,
    /// The pairs that traffic takes by turns if it does not say between whom it runs; empty if the topology has none.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The delay of a kilometre of fibre.
    pub delay_per_km: Option<Duration>,
    /// What was read for a network from a file.
    pub(crate) imported: Imported,
    /// The file of contacts of a constellation.
    pub(crate) contacts: Option<At<String>>,
    /// Routes that are known beforehand.
    pub(crate) timed: Option<TimedRoutes>,
    /// Links whose delay is a law of time.
    pub(crate) laws: Vec<LawfulLink>,
    /// Where the first buffer is given whose size waits for the round trips of the traffic.
    pub(crate) products: Option<Place>,
    by_name: BTreeMap<String, NodeId>,
    by_ends: BTreeMap<(NodeId, NodeId), Vec<usize>>,
}

/// A directed link in the making.
#[derive(Clone, Debug)]
pub struct DraftLink {
    /// `a->b`, `a->b#2`, …
    pub name: String,
    /// The node whose output port this is.
    pub from: NodeId,
    /// The far end.
    pub to: NodeId,
    /// What is known of it.
    pub given: Given,
    /// The place to name when something is missing.
    pub(crate) place: Place,
    /// Whether a `[[link]]` made or changed it already.
    pub(crate) touched: bool,
}

/// A property and where the user gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property<T> {
    /// The value.
    pub value: T,
    pub(crate) place: Place,
}

/// XCP's controller as far as it is given.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// All but the capacity.
    pub config: RouterConfig,
    /// What it believes at the start, if not the capacity of the link.
    pub believes: Option<Rate>,
    /// Whether it is told when the capacity changes.
    pub follows: bool,
    /// So long before that.
    pub ahead: Duration,
    /// Whether the time over which the queue's minimum is taken is given.
    pub is_timed: bool,
}

/// Properties of a link as far as they are given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Bit rate.
    pub capacity: Option<Property<Rate>>,
    /// Propagation delay.
    pub delay: Option<Property<Duration>>,
    /// Waiting room.
    pub buffer: Option<Property<PortBuffer>>,
    /// Queue discipline.
    pub queue: Option<Property<queue::Config>>,
    /// The properties that have files of their own.
    pub properties: GivenProperties,
    /// The core node through which its light passes.
    pub via: Option<Property<NodeId>>,
    /// XCP's controller; `None` as the value is to have none.
    pub controller: Option<Property<Option<Controller>>>,
    /// Weight for shortest paths.
    pub cost: Option<u64>,
    /// Whether the port measures packets.
    pub telemetry: Option<bool>,
}

/// Keys of properties as far as they are given, each with its value.
#[derive(Clone, Debug, Default)]
pub struct GivenProperties(pub(crate) Vec<(&'static LinkKey, Property<Value>)>);

impl GivenProperties {
    /// These keys, completed from `below`. One of several that exclude each other stands for all of them.
    fn or(mut self, below: &GivenProperties) -> GivenProperties {
        let own: Vec<&str> = self.0.iter().map(|(key, _)| key.key.name).collect();
        let is_open = |key: &LinkKey| !own.contains(&key.key.name) && !key.others().any(|other| own.contains(&other));
        self.0.extend(below.0.iter().filter(|(key, _)| is_open(key)).cloned());
        self
    }

    /// The properties, as usual where nobody says anything.
    pub(crate) fn resolve(&self) -> LinkProperties {
        let mut all = LinkProperties::default();
        self.0.iter().for_each(|(key, given)| all.set(key.key.name, given.value));
        all
    }

    /// Where a key was given.
    pub(crate) fn place(&self, key: &str) -> Option<Place> {
        self.0.iter().find(|(own, _)| own.key.name == key).map(|(_, given)| given.place.clone())
    }
}

impl<T> Property<T> {
    /// A value that no user gave.
    pub fn built_in(value: T) -> Option<Property<T>> {
        Some(Property { value, place: Place::Unknown })
    }

    /// What a key says.
    pub(crate) fn given<K: Copy>(at: At<K>, value: impl FnOnce(K) -> T) -> Property<T> {
        Property { value: value(*at), place: at.place() }
    }

    /// What a key says that has a default.
    pub(crate) fn of<K: Copy>(key: &Key<K>, value: impl FnOnce(K) -> T) -> Property<T> {
        Property { value: value(**key), place: key.place().unwrap_or(Place::Unknown) }
    }
}

impl Given {
    /// These properties, completed from `below`.
    pub(crate) fn or(self, below: &Given) -> Given {
        Given {
            capacity: self.capacity.or_else(|| below.capacity.clone()),
            delay: self.delay.or_else(|| below.delay.clone()),
            buffer: self.buffer.or_else(|| below.buffer.clone()),
            queue: self.queue.or_else(|| below.queue.clone()),
            properties: self.properties.or(&below.properties),
            via: self.via.or_else(|| below.via.clone()),
            controller: self.controller.or_else(|| below.controller.clone()),
            cost: self.cost.or(below.cost),
            telemetry: self.telemetry.or(below.telemetry),
        }
    }
}

impl Draft {
    /// A new node; `None` if the name is taken.
    pub fn node(&mut self, name: impl Into<String>, role: Role) -> Option<NodeId> {
        let name = name.into();
        let id = NodeId(u32::try_from(self.nodes.len()).ok()?);
        if self.by_name.contains_key(&name) {
            return None;
        }
        self.by_name.insert(name.clone(), id);
        self.nodes.push(Node { name, role, position: None });
        Some(id)
    }

    /// A new node of a ready-made network, whose names differ by construction.
    pub(super) fn drawn(&mut self, name: impl Into<String>, role: Role) -> NodeId {
        self.node(name, role).expect("the names of a ready-made network differ")
    }

    /// Traffic that does not say between whom it runs goes from host j of each group to host j of the next one.
    pub(super) fn pair_with_next(&mut self, groups: &[Vec<NodeId>]) {
        let next = groups.iter().cycle().skip(1);
        self.pairs = groups.iter().zip(next).flat_map(|(a, b)| a.iter().copied().zip(b.iter().copied())).collect();
    }

    /// The node of that name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// The node of that name, or what to tell the user.
    pub(crate) fn require(&self, name: &str, place: Place) -> Result<NodeId, Fault> {
        self.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
            let choices = crate::language::choices(name, &names);
            Fault::new(place, format!("there is no node {}{choices}", crate::language::quoted(name)))
        })
    }

    /// The links from one node to another, in order.
    pub fn between(&self, from: NodeId, to: NodeId) -> &[usize] {
        self.by_ends.get(&(from, to)).map_or(&[], Vec::as_slice)
    }

    /// A link in one direction.
    pub fn simplex(&mut self, from: NodeId, to: NodeId, given: Given) -> usize {
        let parallel = self.between(from, to).len();
        let ends = format!("{}->{}", self.nodes[from.index()].name, self.nodes[to.index()].name);
        let name = if parallel == 0 { ends } else { format!("{ends}#{}", parallel + 1) };
        let index = self.links.len();
        self.links.push(DraftLink { name, from, to, given, place: Place::Unknown, touched: false });
        self.by_ends.entry((from, to)).or_default().push(index);
        index
    }

    /// A link in both directions, forward first.
    pub fn duplex(&mut self, from: NodeId, to: NodeId, given: Given) {
        self.simplex(from, to, given.clone());
        self.simplex(to, from, given);
    }

    /// The delay of a fibre of this length in metres, to the nearest picosecond.
    pub fn fibre(&self, metres: u64) -> Duration {
        let per_km = self.delay_per_km.unwrap_or(DELAY_PER_KM);
        let ps = (u128::from(per_km.ps()) * u128::from(metres) + 500) / 1000;
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

/// Light in fibre: 200 km in a millisecond.
pub const DELAY_PER_KM: Duration = Duration::from_micros(5);
