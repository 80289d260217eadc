//! Nodes and links: the topology, what the scenario adds and changes, then the defaults.

use super::link_defaults::Defaults;
use super::orbits;
use super::round_trips::RoundTrips;
use crate::language::keys::Table;
use crate::language::{At, Fault, Place, quoted, rate_in_range, room};
use crate::links::LinkKey;
use crate::model::{Buffer, Lane, Link, LinkId, Network, NodeId, PortController, Position, Role, Routing};
use crate::queue;
use crate::scenario::Files;
use crate::scenario::spec::{self, LONGEST_DELAY, LinkKeys, Shared, Spec};
use crate::topology::{Controller, Draft, DraftLink, Given, GivenProperties, MAX_ELEMENTS, Property, Topology};
use options::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use transport::xcp::RouterConfig;
use units::{Duration, PortBuffer, Rate};

/// By what buffers are sized besides their link.
#[derive(Clone, Copy)]
pub(super) struct Sizing<'t> {
    /// In bytes.
    pub largest_packet: u32,
    /// `None` while the traffic is not known: products are without a limit then.
    pub trips: Option<&'t RoundTrips>,
}

/// The network, and the draft with its names.
pub(super) fn resolve(spec: &Spec, files: Option<&dyn Files>, sizing: Sizing) -> Result<(Network, Draft), Fault> {
    let mut draft = Draft::default();
    spec.link_defaults.check()?;
    draft.delay_per_km = spec.link_defaults.delay_per_km.map(|delay| delay.0);
    if let Some(topology) = &spec.topology {
        if let Topology::File(file) = &**topology {
            let Some(files) = files else {
                return Err(topology.fault("networks in files are read only where Python runs the scenario"));
            };
            let (format, unit) = (file.format.as_ref().map(|at| at.as_str()), file.capacity_unit.map(|at| at.0));
            draft.imported = files.network(&file.path, format, unit).map_err(|why| why.fault(&file.path))?;
        }
        orbits::prepare(spec, files, &mut draft)?;
        topology.draw(&mut draft)?;
    }
    add_nodes(spec, &mut draft)?;
    for link in &spec.link {
        add_link(link, &mut draft)?;
    }
    if draft.nodes.is_empty() {
        let message =
            "there is no network; allowed: [topology] kind = \"dumbbell\" or another, or [[node]] and [[link]]";
        return Err(spec.topology.as_ref().map_or(Fault::new(Place::Unknown, message), |at| at.fault(message)));
    }
    let defaults = Defaults::new(spec, &draft)?;
    let mut products = None;
    let mut links = Vec::with_capacity(draft.links.len());
    for (number, link) in (0..).zip(&draft.links) {
        let (mut link, buffer) = finish(link, &draft, &defaults)?;
        link.buffer = match (buffer.value, sizing.trips) {
            (PortBuffer::Size(size), _) => room(size, link.capacity, sizing.largest_packet, || buffer.place)?,
            (PortBuffer::Products(count), Some(trips)) => {
                trips.room(count, LinkId(number), &link, sizing.largest_packet, buffer.place)?
            }
            (PortBuffer::Products(_), None) => {
                products.get_or_insert(buffer.place);
                Buffer::Unlimited
            }
        };
        links.push(link);
    }
    draft.products = products;
    check_laws(&draft)?;
    lead_through_cores(&mut links, &draft)?;
    let reroute_after = spec.topology.as_ref().and_then(|topology| topology.reroute_after()).map(|at| at.0);
    let routing = spec.topology.as_ref().map_or(Ok(Routing::First), |topology| topology.routing())?;
    let timed = draft.timed.take().map(Arc::new);
    Ok((Network { nodes: draft.nodes.clone(), links, reroute_after, routing, timed }, draft))
}

/// Nothing but its law says the delay of a link that has one.
fn check_laws(draft: &Draft) -> Result<(), Fault> {
    for lawful in &draft.laws {
        let link = &draft.links[lawful.link.index()];
        let least = lawful.law.least();
        if let Some(given) = link.given.delay.as_ref().filter(|given| given.value != least) {
            let message = format!(
                "the delay of {} is that of its contacts; allowed: none, or their least, \"{least}\"",
                quoted(&link.name)
            );
            return Err(Fault::new(given.place.clone(), message));
        }
    }
    Ok(())
}

/// The nodes of `[[node]]`. If there are none and the topology has none, the ends of links are the nodes.
fn add_nodes(spec: &Spec, draft: &mut Draft) -> Result<(), Fault> {
    if draft.nodes.is_empty() && spec.node.is_empty() {
        for name in spec.link.iter().flat_map(|link| [&link.from, &link.to]) {
            check_name(name)?;
            draft.node(name.as_str(), Role::Host);
        }
    }
    for node in &spec.node {
        check_name(&node.name)?;
        let taken = || node.name.fault(format!("there is a node {} already", quoted(&node.name)));
        let id = draft.node(node.name.as_str(), node.role.0).ok_or_else(taken)?;
        draft.nodes[id.index()].position = position(node)?;
    }
    let count = draft.nodes.len();
    if count as u64 > MAX_ELEMENTS {
        return Err(Fault::new(Place::Unknown, format!("found {count} nodes; allowed: at most {MAX_ELEMENTS}")));
    }
    Ok(())
}

/// Where a node is: both coordinates or none.
fn position(node: &spec::Node) -> Result<Option<Position>, Fault> {
    match (node.latitude, node.longitude) {
        (None, None) => Ok(None),
        (Some(latitude), Some(longitude)) => Ok(Some(Position { latitude: *latitude, longitude: *longitude })),
        (Some(only), None) => Err(only.fault("a latitude goes with a longitude")),
        (None, Some(only)) => Err(only.fault("a longitude goes with a latitude")),
    }
}

fn check_name(name: &At<String>) -> Result<(), Fault> {
    if name.is_empty() || name.contains("->") || name.len() > 200 {
        return Err(name.fault(format!("found {}; allowed: a name of 1 to 200 bytes without \"->\"", quoted(name))));
    }
    Ok(())
}

/// One `[[link]]`: new links, or changes of those the topology has.
fn add_link(link: &At<spec::Link>, draft: &mut Draft) -> Result<(), Fault> {
    let from = draft.require(&link.from, link.from.place())?;
    let to = draft.require(&link.to, link.to.place())?;
    if from == to {
        return Err(link
            .to
            .fault(format!("found {}, where the link comes from; allowed: another node", quoted(&link.to))));
    }
    let via = match &link.via {
        Some(name) => Some(Property { value: draft.require(name, name.place())?, place: name.place() }),
        None => None,
    };
    link.check()?;
    let given = Given { via, ..link.shared().given(draft)? };
    let reverse = link.duplex.then_some((to, from));
    for (from, to) in [Some((from, to)), reverse].into_iter().flatten() {
        let given = Given { cost: link.cost.map(At::into_inner), ..given.clone() };
        let index = match draft.between(from, to).first() {
            Some(_) if *link.parallel => draft.simplex(from, to, given),
            None => draft.simplex(from, to, given),
            Some(index) => {
                let index = *index;
                let old = &mut draft.links[index];
                if old.touched {
                    let name = quoted(&old.name);
                    return Err(
                        link.fault(format!("there is a link {name} already; for another beside it: parallel = true"))
                    );
                }
                old.given = given.or(&old.given);
                index
            }
        };
        let changed = &mut draft.links[index];
        changed.touched = true;
        changed.place = link.place();
    }
    match draft.links.len() as u64 {
        0..=MAX_ELEMENTS => Ok(()),
        _ => Err(link.fault(format!("too many links; allowed: {MAX_ELEMENTS} directions"))),
    }
}

impl Shared<'_> {
    pub(super) fn given(&self, draft: &Draft) -> Result<Given, Fault> {
        let delay = match (self.delay, self.length) {
            (Some(_), Some(length)) => return Err(length.fault("there is a delay already; allowed: delay or length")),
            (Some(delay), None) => Some(Property { value: delay.0, place: delay.place() }),
            (None, Some(length)) => Some(Property { value: draft.fibre(length.0.metres), place: length.place() }),
            (None, None) => None,
        };
        Ok(Given {
            capacity: self.capacity.map(|at| Property { value: at.0, place: at.place() }),
            delay,
            buffer: self.buffer.map(|at| Property { value: at.0, place: at.place() }),
            queue: match self.queue {
                Some(at) => Some(Property { value: at.config()?, place: at.place() }),
                None => None,
            },
            properties: self.given_properties()?,
            controller: self.controller()?,
            via: None,
            cost: None,
            telemetry: self.telemetry.map(|at| *at),
        })
    }

    fn controller(&self) -> Result<Option<Property<Option<Controller>>>, Fault> {
        let Some(port) = self.xcp else { return Ok(None) };
        let RouterConfig { min_interval, initial_interval, .. } = RouterConfig::default();
        let config = RouterConfig {
            alpha: *port.alpha,
            beta: *port.beta,
            gamma: *port.gamma,
            unclaimed: port.unclaimed.0,
            min_queue_interval: port.queue_interval.map_or(RouterConfig::default().min_queue_interval, |at| at.0),
            min_interval: port.interval.map_or(min_interval, |at| at.0),
            initial_interval: port.interval.map_or(initial_interval, |at| at.0),
            ..RouterConfig::new(Rate::from_bps(8))
        };
        config.validate().map_err(|why| port.fault(why.to_string()))?;
        if port.ahead.0 > Duration::ZERO && !*port.follows {
            let place = port.ahead.place().unwrap_or_else(|| port.place());
            return Err(Fault::new(
                place,
                "needs follows = true: a controller that is told nothing cannot be told ahead",
            ));
        }
        let controller = Controller {
            config,
            believes: port.capacity.map(|at| at.0),
            follows: *port.follows,
            ahead: port.ahead.0,
            is_timed: port.queue_interval.is_some(),
        };
        let value = port.enabled.then_some(controller);
        Ok(Some(Property { value, place: port.place() }))
    }

    /// The keys of properties, of which one at most is given where they exclude each other.
    fn given_properties(&self) -> Result<GivenProperties, Fault> {
        let mut given: Vec<(&LinkKey, Property<Value>)> = Vec::new();
        for (key, value, place) in self.properties.given() {
            if let Some((first, _)) = given.iter().find(|(first, _)| key.others().any(|other| other == first.key.name))
            {
                let (first, allowed) = (first.key.name, key.alternatives.join(" or "));
                return Err(Fault::new(place, format!("there is a {first} already; allowed: {allowed}")));
            }
            given.push((key, Property { value, place }));
        }
        Ok(GivenProperties(given))
    }
}

/// A link with all its properties but the buffer, and the size of that.
fn finish(link: &DraftLink, draft: &Draft, defaults: &Defaults) -> Result<(Link, Property<PortBuffer>), Fault> {
    let given = link.given.clone().or(defaults.of(draft.nodes[link.from.index()].role));
    let or_link = |place: Place| match (place, &link.place) {
        (Place::Unknown, Place::Unknown) => defaults.place.clone(),
        (Place::Unknown, place) => place.clone(),
        (place, _) => place,
    };
    let missing = |what: &str| {
        let table = "[link_defaults]";
        let message = format!("the link {} has no {what}; allowed: give one here or in {table}", quoted(&link.name));
        Fault::new(or_link(Place::Unknown), message)
    };
    let capacity = given.capacity.ok_or_else(|| missing("capacity"))?;
    let capacity = rate_in_range(capacity.value, || or_link(capacity.place))?;
    // A link through a core node gets the delay of both parts of its way.
    let through = given.via.as_ref().and_then(|_| Property::built_in(Duration::from_ps(1)));
    let delay = through.or(given.delay).ok_or_else(|| missing("delay"))?;
    if delay.value == Duration::ZERO || delay.value > LONGEST_DELAY {
        let message =
            format!("found the delay \"{}\"; allowed: more than zero and at most {LONGEST_DELAY}", delay.value);
        return Err(Fault::new(or_link(delay.place), message));
    }
    let buffer = given.buffer.ok_or_else(|| missing("buffer"))?;
    let buffer = Property { value: buffer.value, place: or_link(buffer.place) };
    if let Some(Property { value: Some(Controller { ahead, .. }), place }) = &given.controller
        && *ahead > Duration::ZERO
        && given.via.is_some()
    {
        let message = "the xcp of a link with slots has no ahead; allowed: ahead in switching.signal";
        return Err(Fault::new(or_link(place.clone()), message));
    }
    let link = Link {
        name: link.name.clone(),
        from: link.from,
        to: link.to,
        capacity,
        wavelengths: 1,
        delay: delay.value,
        buffer: Buffer::Unlimited,
        queue: given.queue.map_or(queue::Config::DropTail, |queue| queue.value.at(capacity)),
        properties: given.properties.resolve(),
        controller: given.controller.and_then(|controller| controller.value).map(|controller| {
            let believes = controller.believes.unwrap_or(capacity);
            let config = RouterConfig { capacity: believes, ..controller.config };
            PortController { config, follows: controller.follows, ahead: controller.ahead }
        }),
        via: given.via.map(|via| via.value),
        cost: given.cost.unwrap_or(delay.value.ps()),
        lane: Lane::FIRST,
        telemetry: given.telemetry.unwrap_or(draft.nodes[link.from.index()].role != Role::Host),
    };
    Ok((link, buffer))
}

/// Gives the links through core nodes the delay of the links to and from there.
fn lead_through_cores(links: &mut [Link], draft: &Draft) -> Result<(), Fault> {
    for index in 0..links.len() {
        let (Some(core), from, to) = (links[index].via, links[index].from, links[index].to) else { continue };
        let drawn = &draft.links[index];
        let place = || drawn.given.via.as_ref().map_or(Place::Unknown, |via| via.place.clone()).or_at(&drawn.place);
        let leg = |from: NodeId, to: NodeId| {
            let leg = draft.between(from, to).first().filter(|leg| links[**leg].via.is_none());
            leg.map(|leg| links[*leg].delay).ok_or_else(|| {
                let name = |node: NodeId| quoted(&draft.nodes[node.index()].name);
                let (ends, link) = (format!("from {} to {}", name(from), name(to)), quoted(&drawn.name));
                Fault::new(place(), format!("the link {link} needs one {ends}, for its light and for signalling"))
            })
        };
        let delay = leg(from, core)? + leg(core, to)?;
        if let Some(given) = drawn.given.delay.as_ref().filter(|given| given.value != delay) {
            let message =
                format!("found \"{}\"; allowed: \"{delay}\", the delay of its way through the core", given.value);
            return Err(Fault::new(given.place.clone().or_at(&drawn.place), message));
        }
        links[index].delay = delay;
        links[index].cost = drawn.given.cost.unwrap_or(delay.ps());
    }
    Ok(())
}

impl super::Context<'_> {
    /// The nodes of random pairs: hosts, and edge nodes that no host is joined to; or all nodes if there are not two
    /// of these.
    pub(super) fn end_points(&self) -> Vec<NodeId> {
        let role = |id: NodeId| self.draft.nodes[id.index()].role;
        let from_hosts = self.draft.links.iter().filter(|link| role(link.from) == Role::Host);
        let with_hosts: BTreeSet<NodeId> = from_hosts.map(|link| link.to).collect();
        let is_end = |id: &NodeId| match role(*id) {
            Role::Host => true,
            Role::Edge => !with_hosts.contains(id),
            Role::Core => false,
        };
        let all = (0..self.draft.nodes.len() as u32).map(NodeId);
        let ends: Vec<NodeId> = all.clone().filter(is_end).collect();
        if ends.len() >= 2 { ends } else { all.collect() }
    }
}
