//! Properties of links that may change during a run: keys that say them, whether a link's port can follow, and the
//! changes that lead from one to the next.

use super::Context;
use crate::language::{At, Fault, Place, Room, Speed, Time, Word, quoted, room};
use crate::model::{Buffer, Change, JitterOrder, Light, Link, LinkId, Loss, MidPacket, Network, Opening, Role};
use crate::scenario::spec::{Event, Phase, Spec, State};
use crate::switching::kind::Plan;
use units::{Duration, Rate};

/// All that may change of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Properties {
    capacity: Rate,
    delay: Duration,
    buffer: Buffer,
    loss: f64,
    jitter: Duration,
    is_up: bool,
}

/// The keys by which a table says some of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    pub capacity: Option<At<Speed>>,
    pub delay: Option<At<Time>>,
    pub buffer: Option<At<Room>>,
    pub loss: Option<At<f64>>,
    pub jitter: Option<At<Time>>,
    pub state: Option<At<Word<State>>>,
}

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
        let Event { capacity, delay, buffer, loss, jitter, state, .. } = event;
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, loss: *loss, jitter: *jitter, state: *state }
    }
}

impl From<&Phase> for Said {
    fn from(phase: &Phase) -> Said {
        let Phase { capacity, delay, buffer, loss, jitter, state, .. } = phase;
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, loss: *loss, jitter: *jitter, state: *state }
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

/// Why a link cannot have the jitter that it has by itself.
pub(super) fn check_jitter(spec: &Spec, ports: Ports, context: &Context) -> Result<(), Fault> {
    let table = &spec.link_defaults;
    let class = |role: Role| match role {
        Role::Core => &table.core,
        Role::Edge => &table.edge,
        Role::Host => &table.host,
    };
    for (index, _) in ports.network.links.iter().enumerate().filter(|(_, link)| link.jitter.is_some()) {
        let drawn = context.draft.links.get(index).and_then(|link| link.given.jitter.as_ref());
        let role = ports.network.nodes[ports.network.links[index].from.index()].role;
        let said = class(role).as_ref().and_then(|class| class.jitter).or(table.jitter);
        let place = drawn.map(|jitter| jitter.place.clone()).or(said.map(|at| at.place()));
        let link = LinkId(index as u32);
        let (name, rule) = (quoted(&ports.network.links[index].name), ports.plan.port(ports.network, link));
        let early = || format!("the port of {name} decides early when packets leave; allowed: no jitter");
        let is_late = rule.opening == Opening::Always && rule.light == Light::None;
        let why = ports.plan.keeps(ports.network, link, &name).or_else(|| (!is_late).then(early));
        why.map_or(Ok(()), |why| Err(Fault::new(place.unwrap_or(Place::Unknown), why)))?;
    }
    Ok(())
}

impl Said {
    /// The keys that are there, each with its place.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, Place)> + use<> {
        let keys = [
            ("capacity", self.capacity.map(|at| at.place())),
            ("delay", self.delay.map(|at| at.place())),
            ("buffer", self.buffer.map(|at| at.place())),
            ("loss", self.loss.map(|at| at.place())),
            ("jitter", self.jitter.map(|at| at.place())),
            ("state", self.state.map(|at| at.place())),
        ];
        keys.into_iter().filter_map(|(key, place)| Some((key, place?)))
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.keys().next().is_none()
    }

    /// What [`Said::check`] asks of it, whatever the values are: tables that are alike in it pass alike.
    pub fn shape(&self, rest: Rest) -> [bool; 8] {
        let pauses = self.capacity.is_some_and(|at| at.0.bps() == 0);
        let Said { capacity, delay, buffer, loss, jitter, state } = self;
        let said = [capacity.is_some(), delay.is_some() || buffer.is_some(), loss.is_some(), jitter.is_some()];
        let [moves, keeps, is_lossy, jitters] = said;
        let finishes = rest.down() == MidPacket::Finish;
        [moves, keeps, is_lossy, jitters, state.is_some(), pauses, rest.said.is_some(), finishes]
    }

    /// These properties, and what it does not say as `below`.
    pub fn over(&self, below: &Properties, ports: Ports) -> Result<Properties, Fault> {
        let capacity = self.capacity.map_or(below.capacity, |at| at.0);
        let sized_by = if capacity.bps() > 0 { capacity } else { below.capacity };
        let buffer = match self.buffer {
            Some(at) => room(at.0, sized_by, ports.largest_packet, || at.place())?,
            None => below.buffer,
        };
        Ok(Properties {
            capacity,
            delay: self.delay.map_or(below.delay, |at| at.0),
            buffer,
            loss: self.loss.map_or(below.loss, |at| *at),
            jitter: self.jitter.map_or(below.jitter, |at| at.0),
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
        if let (Some(loss), Loss::EveryNth(_)) = (self.loss, ports.network.links[link.index()].loss) {
            return Err(loss.fault(format!("{name} has loss_every; allowed: a link with loss, or without any")));
        }
        let rule = ports.plan.port(ports.network, link);
        if rule.opening == Opening::Always && rule.light == Light::None {
            return self.check_overtaking(rest, &ports.network.links[link.index()], &name);
        }
        let is_pause = |at: &At<Speed>| at.0.bps() == 0;
        let place = self.capacity.filter(is_pause).map(|at| at.place()).or(rest.said.map(|at| at.place()));
        let place = place.or(self.jitter.map(|at| at.place()));
        let allowed = "allowed: a capacity, no mid_packet, no jitter";
        let why = format!("the port of {name} decides early when packets leave; {allowed}");
        place.map_or(Ok(()), |place| Err(Fault::new(place, why)))
    }

    /// Why a link on which packets overtake cannot follow: what is in transmission is not the last that arrives.
    fn check_overtaking(&self, rest: Rest, link: &Link, name: &str) -> Result<(), Fault> {
        let retimed = [self.capacity.map(|at| at.place()), self.delay.map(|at| at.place())];
        let place = retimed.into_iter().flatten().next().or(self.state.map(|at| at.place()));
        match place.filter(|_| link.jitter.order == JitterOrder::Free && rest.down() != MidPacket::Finish) {
            Some(place) => {
                let why =
                    format!("packets overtake on {name}; allowed: mid_packet = \"finish\", or jitter_order = \"kept\"");
                Err(Fault::new(place, why))
            }
            None => Ok(()),
        }
    }
}

impl Properties {
    /// Those that a link has by itself.
    pub fn of(link: &Link) -> Properties {
        let loss = if let Loss::Bernoulli(p) = link.loss { p } else { 0.0 };
        let Link { capacity, delay, buffer, jitter, .. } = *link;
        Properties { capacity, delay, buffer, loss, jitter: jitter.scale, is_up: true }
    }

    /// The change of a key to its present value.
    pub fn change(&self, key: &str, rest: Rest) -> Change {
        match key {
            "capacity" => Change::Capacity(self.capacity, rest.moved()),
            "delay" => Change::Delay(self.delay, rest.moved()),
            "buffer" => Change::Buffer(self.buffer),
            "loss" => Change::Loss(self.loss),
            "jitter" => Change::Jitter(self.jitter),
            "state" if self.is_up => Change::Up,
            "state" => Change::Down(rest.down()),
            _ => unreachable!("{key} is a property of a link"),
        }
    }

    /// What has to change of a link that is as `before`, in the order of its keys.
    pub fn since(&self, before: &Properties, rest: Rest) -> impl Iterator<Item = Change> {
        let differs = [
            ("capacity", self.capacity != before.capacity),
            ("delay", self.delay != before.delay),
            ("buffer", self.buffer != before.buffer),
            ("loss", self.loss != before.loss),
            ("jitter", self.jitter != before.jitter),
            ("state", self.is_up != before.is_up),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(move |(key, _)| self.change(key, rest))
    }
}
