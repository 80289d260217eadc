//! Properties of links that may change during a run: keys that say them, whether a link's port can follow, and the
//! changes that lead from one to the next.

use super::Context;
use crate::language::{At, Fault, Place, Room, Speed, Time, Word, room};
use crate::model::{Buffer, Change, Light, Link, LinkId, Loss, MidPacket, Network, Opening};
use crate::scenario::spec::{Event, Phase, State};
use crate::switching::kind::Plan;
use units::{Duration, Rate};

/// All that may change of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Properties {
    capacity: Rate,
    delay: Duration,
    buffer: Buffer,
    loss: f64,
    is_up: bool,
}

/// The keys by which a table says some of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    pub capacity: Option<At<Speed>>,
    pub delay: Option<At<Time>>,
    pub buffer: Option<At<Room>>,
    pub loss: Option<At<f64>>,
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
        let Event { capacity, delay, buffer, loss, state, .. } = event;
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, loss: *loss, state: *state }
    }
}

impl From<&Phase> for Said {
    fn from(phase: &Phase) -> Said {
        let Phase { capacity, delay, buffer, loss, state, .. } = phase;
        Said { capacity: *capacity, delay: *delay, buffer: *buffer, loss: *loss, state: *state }
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

impl Said {
    /// The keys that are there, each with its place.
    pub fn keys(&self) -> Vec<(&'static str, Place)> {
        let keys = [
            ("capacity", self.capacity.map(|at| at.place())),
            ("delay", self.delay.map(|at| at.place())),
            ("buffer", self.buffer.map(|at| at.place())),
            ("loss", self.loss.map(|at| at.place())),
            ("state", self.state.map(|at| at.place())),
        ];
        keys.into_iter().filter_map(|(key, place)| Some((key, place?))).collect()
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
            is_up: self.state.map_or(below.is_up, |at| at.0 == State::Up),
        })
    }

    /// Why the port of a link cannot follow.
    pub fn check(&self, rest: Rest, link: LinkId, ports: Ports, context: &Context) -> Result<(), Fault> {
        let name = context.name(link);
        let kept = self.keys().into_iter().find(|(key, _)| *key != "state");
        if let (Some((_, place)), Some(why)) = (kept, ports.plan.keeps(ports.network, link, &name)) {
            return Err(Fault::new(place, why));
        }
        if let (Some(loss), Loss::EveryNth(_)) = (self.loss, ports.network.links[link.index()].loss) {
            return Err(loss.fault(format!("{name} has loss_every; allowed: a link with loss, or without any")));
        }
        let rule = ports.plan.port(ports.network, link);
        if rule.opening == Opening::Always && rule.light == Light::None {
            return Ok(());
        }
        let is_pause = |at: &At<Speed>| at.0.bps() == 0;
        let place = self.capacity.filter(is_pause).map(|at| at.place()).or(rest.said.map(|at| at.place()));
        let why = format!("the port of {name} decides early when packets leave; allowed: a capacity, no mid_packet");
        place.map_or(Ok(()), |place| Err(Fault::new(place, why)))
    }
}

impl Properties {
    /// Those that a link has by itself.
    pub fn of(link: &Link) -> Properties {
        let loss = if let Loss::Bernoulli(p) = link.loss { p } else { 0.0 };
        Properties { capacity: link.capacity, delay: link.delay, buffer: link.buffer, loss, is_up: true }
    }

    /// The change of a key to its present value.
    pub fn change(&self, key: &str, rest: Rest) -> Change {
        match key {
            "capacity" => Change::Capacity(self.capacity, rest.moved()),
            "delay" => Change::Delay(self.delay, rest.moved()),
            "buffer" => Change::Buffer(self.buffer),
            "loss" => Change::Loss(self.loss),
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
            ("state", self.is_up != before.is_up),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(move |(key, _)| self.change(key, rest))
    }
}
