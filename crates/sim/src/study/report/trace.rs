//! The table of events, written while the run goes on.

use crate::engine::observe::trace::Sink;
use crate::engine::packet::Class;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, NOBODY, What};
use crate::model::{Link, Node};
use crate::results;
use crate::scenario::Scenario;
use columns::{BLOCK, Field, Kind, NONE, Writer};
use std::sync::Arc;

/// The classes, in the order of their numbers.
const CLASSES: [Class; 5] = [Class::Data, Class::Ack, Class::Datagram, Class::Control, Class::Unit];

/// The causes that every kind of switching has, in the order of [`Table::cause`].
const CAUSES: [Cause; 8] = [
    Cause::Congestion,
    Cause::Early,
    Cause::Random,
    Cause::Unreachable,
    Cause::Forced,
    Cause::GuardViolation,
    Cause::OutOfSight,
    Cause::Returned,
];

/// The events of a run as a table.
#[derive(Debug)]
pub struct Table {
    writer: Writer,
    /// The number of a place in the table: of each link, by the engine's number, and of the nodes behind them.
    places: Vec<u32>,
    links: u32,
    /// Fewer events than a block has.
    open: Vec<Event>,
    last: u64,
}

impl Table {
    /// An empty one; `link_numbers` are the engine's, in the order of the scenario.
    pub fn new(scenario: &Scenario, link_numbers: &[u32]) -> Table {
        let links = link_numbers.len() as u32;
        let mut places: Vec<u32> = (0..links + scenario.network.nodes.len() as u32).collect();
        for (link, number) in (0..).zip(link_numbers) {
            places[*number as usize] = link;
        }
        Table { writer: Writer::new(fields(scenario)), places, links, open: Vec::with_capacity(BLOCK), last: 0 }
    }

    fn write(&mut self, events: &[Event]) {
        let (places, links) = (&self.places, self.links);
        let place = |event: &Event| places[event.place.place(links)];
        let (writer, all) = (&mut self.writer, events.iter());
        writer.put(0, all.clone().map(|event| event.at));
        writer.put(1, all.clone().map(|event| event.what as u64));
        writer.put(2, all.clone().map(|event| place(event).into()));
        writer.put(3, all.clone().map(|event| if event.what == What::Reserve { event.channel.into() } else { NONE }));
        writer.put(4, all.clone().map(|event| event.class as u64));
        writer.put(5, all.clone().map(|event| if event.flow == NOBODY { NONE } else { event.flow.into() }));
        writer.put(6, all.clone().map(|event| event.unit));
        writer.put(7, all.clone().map(|event| event.bytes.into()));
        writer.put(8, all.clone().map(|event| event.wait));
        writer.put(9, all.clone().map(|event| event.lasts));
        writer.put(10, all.clone().map(|event| event.flight));
        writer.put(11, all.clone().map(cause));
        writer.put(12, all.clone().map(|event| if has_value(event) { event.value } else { NONE }));
        writer.end_block(events.len());
        self.last = events.last().map_or(self.last, |event| event.at);
    }
}

impl Sink for Table {
    fn take(&mut self, all: &mut Vec<Event>) {
        let events = &all[..];
        let (filling, rest) = events.split_at(events.len().min((BLOCK - self.open.len()) % BLOCK));
        self.open.extend_from_slice(filling);
        if self.open.len() == BLOCK {
            let full = std::mem::replace(&mut self.open, Vec::with_capacity(BLOCK));
            self.write(&full);
        }
        let (blocks, rest) = rest.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.write(block));
        self.open.extend_from_slice(rest);
        all.clear();
    }

    fn finish(mut self: Box<Self>, left_out: u64) -> results::Trace {
        let rest = std::mem::take(&mut self.open);
        if !rest.is_empty() {
            self.write(&rest);
        }
        results::Trace { events: self.writer.finish(), last: self.last, left_out }
    }
}

/// The columns, in the order in which they are written.
fn fields(scenario: &Scenario) -> Vec<Field> {
    let wording = scenario.plan.wording();
    let links = scenario.network.links.iter().map(|Link { name, .. }| name.clone());
    let nodes = scenario.network.nodes.iter().map(|Node { name, .. }| name.clone());
    let causes = CAUSES.iter().map(|cause| cause.name(wording.causes)).chain(wording.causes.iter().copied());
    let words = |words: Vec<&str>| Kind::Words(words.into_iter().map(str::to_owned).collect());
    let always = |name, kind| Field { name, kind, optional: false };
    let sometimes = |name, kind| Field { name, kind, optional: true };
    vec![
        always("t_ps", Kind::Number),
        always("event", words(What::NAMES.to_vec())),
        always("place", Kind::Words(distinct(links.chain(nodes)))),
        sometimes("channel", Kind::Few),
        always("class", words(CLASSES.iter().map(|class| class.name(wording.unit)).collect())),
        sometimes("flow", Kind::Few),
        always("unit", Kind::Number),
        always("bytes", Kind::Few),
        always("wait_ps", Kind::Number),
        always("lasts_ps", Kind::Few),
        always("flight_ps", Kind::Few),
        sometimes("cause", words(causes.collect())),
        sometimes("value", Kind::Number),
    ]
}

/// Its place in the list, if it has one.
fn cause(event: &Event) -> u64 {
    match event.cause {
        None => NONE,
        Some(Cause::Agent(number)) => CAUSES.len() as u64 + u64::from(number),
        Some(cause) => CAUSES.iter().position(|one| *one == cause).map_or(NONE, |place| place as u64),
    }
}

/// Events that have a value, as bits by their number.
const VALUED: u32 = 1 << What::Ack as u32
    | 1 << What::Sack as u32
    | 1 << What::Rate as u32
    | 1 << What::Reserve as u32
    | 1 << What::Land as u32;

/// Only some events have one. Which do is not to be foreseen, so this does not branch.
fn has_value(event: &Event) -> bool {
    let is_cut = (event.what == What::Pass) & (event.value != 0);
    (VALUED >> event.what as u32 & 1 != 0) | (event.class == Class::Unit) & (event.what != What::Slot) | is_cut
}

/// The names, each of which stands for one place: a node that is called like a link gets a mark.
fn distinct(names: impl Iterator<Item = String>) -> Arc<[String]> {
    let mut seen = std::collections::BTreeSet::new();
    let mut all = Vec::new();
    for mut name in names {
        while !seen.insert(name.clone()) {
            name.push_str(" (node)");
        }
        all.push(name);
    }
    all.into()
}
