//! Properties of links that may change during a run: keys that say them, whether a link's port can follow, and the
//! changes that lead from one to the next.

use super::Context;
use crate::language::{At, Fault, Place, Room, Speed, Time, Word, quoted, room};
use crate::links::{self, LinkKey, LinkProperties};
use crate::model::{Buffer, Change, Light, Link, LinkId, MidPacket, Network, Opening, Role};
use crate::scenario::spec::{Event, Phase, Spec, State};
use crate::switching::kind::Plan;
use options::Value;
use units::{Duration, Rate};

/// All that may change of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Properties {
    capacity: Rate,
    delay: Duration,
    buffer: Buffer,
    others: LinkProperties,
    is_up: bool,
}

/// The keys by which a table says some of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub capacity: Option<At<Speed>>,
    pub delay: Option<At<Time>>,
    pub buffer: Option<At<Room>>,
    /// In the order of keys.
    pub others: Vec<(&'static LinkKey, Value, Place)>,
    pub state: Option<At<Word<State>>>,
}

/// What a check asks of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape([bool; 6], Vec<&'static str>);

/// What becomes of a packet in transmission, where a table says it and where it does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    said: Option<At<Word<MidPacket>>>,
}

/// The ports of links.
#[derive(Clone, Copy)]
pub(super) struct Ports<'a> {
    pub network: &'a Network,
    pub plan: &'a dyn Plan,
    /// In bytes.
    pub largest_packet: u32,
}

impl From<&Event> for Said {
    fn from(event: &Event) -> Said {
        let Event { capacity, delay, buffer, properties, state, .. } = event;
        let others = properties.given().collect();
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, others, state: *state }
    }
}

impl From<&Phase> for Said {
    fn from(phase: &Phase) -> Said {
        let Phase { capacity, delay, buffer, properties, state, .. } = phase;
        let others = properties.given().collect();
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, others, state: *state }
    }
}

impl Rest {
    /// As a table says it.
    pub fn new(said: Option<At<Word<MidPacket>>>) -> Rest {
        Rest { said }
    }

    /// Where the capacity or the delay changes.
    pub fn moved(self) -> MidPacket {
        self.said.map_or(MidPacket::Continue, |said| said.0)
    }

    /// Where the link goes down.
    pub fn down(self) -> MidPacket {
        self.said.map(|said| said.0).filter(|rest| *rest != MidPacket::Continue).unwrap_or(MidPacket::Cut)
    }
}

/// The keys of properties that change in time, in words.
pub(super) fn changing_keys() -> impl Iterator<Item = &'static LinkKey> {
    links::keys().iter().filter(|key| key.rule.in_time.is_some())
}

/// Keys of properties, with commas between them.
pub(super) fn named<'k>(keys: impl Iterator<Item = &'k LinkKey>) -> String {
    keys.map(|key| key.key.name).collect::<Vec<_>>().join(", ")
}

/// Why a link cannot have a property that it has by itself.
pub(super) fn check_own(spec: &Spec, ports: Ports, context: &Context) -> Result<(), Fault> {
    let table = &spec.link_defaults;
    let class = |role: Role| match role {
        Role::Core => &table.core,
        Role::Edge => &table.edge,
        Role::Host => &table.host,
    };
    let all = ports.network.links.iter().enumerate();
    for (index, key) in all.filter_map(|(index, link)| Some((index, link.properties.late().next()?))) {
        let drawn = context.draft.links.get(index).and_then(|link| link.given.properties.place(key));
        let role = ports.network.nodes[ports.network.links[index].from.index()].role;
        let in_class = || class(role).as_ref().and_then(|class| class.properties.place(key));
        let place = drawn.or_else(in_class).or_else(|| table.properties.place(key));
        let link = LinkId(index as u32);
        let (name, rule) = (quoted(&ports.network.links[index].name), ports.plan.port(ports.network, link));
        let early = || format!("the port of {name} decides early when packets leave; allowed: no {key}");
        let is_late = rule.opening == Opening::Always && rule.light == Light::None;
        let why = ports.plan.keeps(ports.network, link, &name).or_else(|| (!is_late).then(early));
        why.map_or(Ok(()), |why| Err(Fault::new(place.unwrap_or(Place::Unknown), why)))?;
    }
    Ok(())
}

impl Said {
    /// The keys that are there, each with its place.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, Place)> + use<> {
        let first = [
            ("capacity", self.capacity.map(|at| at.place())),
            ("delay", self.delay.map(|at| at.place())),
            ("buffer", self.buffer.map(|at| at.place())),
        ];
        let others: Vec<_> = self.others.iter().map(|(key, _, place)| (key.key.name, Some(place.clone()))).collect();
        let state = ("state", self.state.map(|at| at.place()));
        first.into_iter().chain(others).chain([state]).filter_map(|(key, place)| Some((key, place?)))
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.keys().next().is_none()
    }

    /// What [`Said::check`] asks of it, whatever the values are: tables that are alike in it pass alike.
    pub fn shape(&self, rest: Rest) -> Shape {
        let pauses = self.capacity.is_some_and(|at| at.0.bps() == 0);
        let Said { capacity, delay, buffer, others, state } = self;
        let keeps = delay.is_some() || buffer.is_some();
        let finishes = rest.down() == MidPacket::Finish;
        let bits = [capacity.is_some(), keeps, state.is_some(), pauses, rest.said.is_some(), finishes];
        Shape(bits, others.iter().map(|(key, ..)| key.key.name).collect())
    }

    /// These properties, and what it does not say as `below`.
    pub fn over(&self, below: &Properties, ports: Ports) -> Result<Properties, Fault> {
        let capacity = self.capacity.map_or(below.capacity, |at| at.0);
        let sized_by = if capacity.bps() > 0 { capacity } else { below.capacity };
        let buffer = match self.buffer {
            Some(at) => room(at.0, sized_by, ports.largest_packet, || at.place())?,
            None => below.buffer,
        };
        let mut others = below.others;
        self.others.iter().for_each(|(key, value, _)| others.set(key.key.name, *value));
        Ok(Properties {
            capacity,
            delay: self.delay.map_or(below.delay, |at| at.0),
            buffer,
            others,
            is_up: self.state.map_or(below.is_up, |at| at.0 == State::Up),
        })
    }

    /// Why the port of a link cannot follow.
    pub fn check(&self, rest: Rest, link: LinkId, ports: Ports, context: &Context) -> Result<(), Fault> {
        let name = context.name(link);
        let kept = self.keys().find(|(key, _)| *key != "state");
        if let (Some((_, place)), Some(why)) = (kept, ports.plan.keeps(ports.network, link, &name)) {
            return Err(Fault::new(place, why));
        }
        let own = ports.network.links[link.index()].properties;
        let set = |other: &&str| links::key(other).is_some_and(|key| own.get(other) != key.usual);
        for (key, _, place) in &self.others {
            if let Some(other) = key.others().find(|other| set(other)) {
                let why = format!("{name} has {other}; allowed: a link with {}, or without any", key.key.name);
                return Err(Fault::new(place.clone(), why));
            }
        }
        let rule = ports.plan.port(ports.network, link);
        if rule.opening == Opening::Always && rule.light == Light::None {
            return self.check_overtaking(rest, &ports.network.links[link.index()], &name);
        }
        let is_pause = |at: &At<Speed>| at.0.bps() == 0;
        let place = self.capacity.filter(is_pause).map(|at| at.place()).or(rest.said.map(|at| at.place()));
        let late = self.others.iter().find(|(key, ..)| key.is_decided_late);
        let place = place.or(late.map(|(.., place)| place.clone()));
        let names = changing_keys().filter(|key| key.is_decided_late).map(|key| format!(", no {}", key.key.name));
        let allowed = format!("allowed: a capacity, no mid_packet{}", names.collect::<String>());
        let why = format!("the port of {name} decides early when packets leave; {allowed}");
        place.map_or(Ok(()), |place| Err(Fault::new(place, why)))
    }

    /// Why a link on which packets overtake cannot follow: what is in transmission is not the last that arrives.
    fn check_overtaking(&self, rest: Rest, link: &Link, name: &str) -> Result<(), Fault> {
        let retimed = [self.capacity.map(|at| at.place()), self.delay.map(|at| at.place())];
        let place = retimed.into_iter().flatten().next().or(self.state.map(|at| at.place()));
        let overtaking = link.properties.overtaking().filter(|_| rest.down() != MidPacket::Finish);
        match place.zip(overtaking) {
            Some((place, or)) => {
                let why = format!("packets overtake on {name}; allowed: mid_packet = \"finish\", or {or}");
                Err(Fault::new(place, why))
            }
            None => Ok(()),
        }
    }
}

impl Properties {
    /// Those that a link has by itself.
    pub fn of(link: &Link) -> Properties {
        let Link { capacity, delay, buffer, properties: others, .. } = *link;
        Properties { capacity, delay, buffer, others, is_up: true }
    }

    /// The change of a key to its present value.
    pub fn change(&self, key: &'static str, rest: Rest) -> Change {
        match key {
            "capacity" => Change::Capacity(self.capacity, rest.moved()),
            "delay" => Change::Delay(self.delay, rest.moved()),
            "buffer" => Change::Buffer(self.buffer),
            "state" if self.is_up => Change::Up,
            "state" => Change::Down(rest.down()),
            key => Change::Property(key, self.others.get(key)),
        }
    }

    /// What has to change of a link that is as `before`, in the order of its keys.
    pub fn since(&self, before: &Properties, rest: Rest) -> impl Iterator<Item = Change> {
        let first = [
            ("capacity", self.capacity != before.capacity),
            ("delay", self.delay != before.delay),
            ("buffer", self.buffer != before.buffer),
        ];
        let names = changing_keys().map(|key| key.key.name);
        let others = names.map(|name| (name, self.others.get(name) != before.others.get(name)));
        let all = first.into_iter().chain(others).chain([("state", self.is_up != before.is_up)]);
        all.filter(|(_, differs)| *differs).map(move |(key, _)| self.change(key, rest))
    }
}
