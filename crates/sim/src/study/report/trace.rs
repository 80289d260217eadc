//! The table of events.

use super::End;
use crate::engine::offer::Cause;
use crate::engine::packet::Class;
use crate::engine::trace::{Event, Merged, NOBODY, What};
use crate::model::{Link, Node};
use crate::results::{Column, Table, Trace};

/// The classes, in the order of their numbers.
const CLASSES: [Class; 5] = [Class::Data, Class::Ack, Class::Datagram, Class::Control, Class::Unit];

/// The causes that every kind of switching has, in the order of [`Words::cause`].
const CAUSES: [Cause; 6] =
    [Cause::Congestion, Cause::Early, Cause::Random, Cause::Unreachable, Cause::Forced, Cause::GuardViolation];

/// The events of a run as a table.
pub fn table(trace: Merged, end: &End) -> Trace {
    let Merged { events, left_out } = trace;
    let words = Words::new(end);
    let numbers = |of: fn(&Event) -> u64| Column::U64(events.iter().map(of).collect());
    let known = |of: fn(&Event) -> Option<u64>| {
        Column::Known(events.iter().map(|event| of(event).unwrap_or(u64::MAX)).collect())
    };
    let places = |of: &dyn Fn(&Event) -> u32, words: Vec<String>| Column::Words {
        places: events.iter().map(of).collect(),
        words,
    };
    let columns = vec![
        ("t_ps", numbers(|event| event.at)),
        ("event", places(&|event| event.what as u32, What::NAMES.iter().map(|name| (*name).to_owned()).collect())),
        ("place", places(&|event| words.place(event), words.places.clone())),
        ("channel", known(|event| (event.what == What::Reserve).then_some(event.channel.into()))),
        ("class", places(&|event| event.class as u32, words.classes.clone())),
        ("flow", known(|event| (event.flow != NOBODY).then_some(event.flow.into()))),
        ("unit", numbers(|event| event.unit)),
        ("bytes", numbers(|event| event.bytes.into())),
        ("wait_ps", numbers(|event| event.wait)),
        ("lasts_ps", numbers(|event| event.lasts)),
        ("flight_ps", numbers(|event| event.flight)),
        ("cause", places(&|event| words.cause(event), words.causes.clone())),
        ("value", known(value)),
    ];
    Trace { events: Table { columns }, left_out }
}

/// Only some events have one.
fn value(event: &Event) -> Option<u64> {
    let has = matches!(event.what, What::Ack | What::Sack | What::Rate | What::Reserve | What::Land);
    (has || event.class == Class::Unit && event.what != What::Slot).then_some(event.value)
}

/// The names that events mean by numbers.
struct Words {
    /// Links in the order of the scenario, then nodes.
    places: Vec<String>,
    /// Where each link is in that order, by the engine's number.
    order: Vec<u32>,
    links: u32,
    classes: Vec<String>,
    causes: Vec<String>,
}

impl Words {
    fn new(end: &End) -> Words {
        let network = &end.scenario.network;
        let wording = end.scenario.plan.wording();
        let mut order = vec![0; network.links.len()];
        for (link, number) in (0..).zip(&end.world.link_numbers) {
            order[*number as usize] = link;
        }
        let links = network.links.iter().map(|Link { name, .. }| name.clone());
        let nodes = network.nodes.iter().map(|Node { name, .. }| name.clone());
        let causes = CAUSES.iter().map(|cause| cause.name(wording.causes)).chain(wording.causes.iter().copied());
        Words {
            places: distinct(links.chain(nodes)),
            order,
            links: network.links.len() as u32,
            classes: CLASSES.iter().map(|class| class.name(wording.unit).to_owned()).collect(),
            causes: causes.map(str::to_owned).collect(),
        }
    }

    fn place(&self, event: &Event) -> u32 {
        match event.place.number() {
            Ok(node) => self.links + node,
            Err(link) => self.order[link as usize],
        }
    }

    /// Its place in the list; past the end if there is none.
    fn cause(&self, event: &Event) -> u32 {
        let place = match event.cause {
            None => self.causes.len(),
            Some(Cause::Agent(number)) => CAUSES.len() + usize::from(number),
            Some(cause) => CAUSES.iter().position(|one| *one == cause).unwrap_or(self.causes.len()),
        };
        place as u32
    }
}

/// The names, each of which stands for one place: a node that is called like a link gets a mark.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let mut all = Vec::new();
    for mut name in names {
        while !seen.insert(name.clone()) {
            name.push_str(" (node)");
        }
        all.push(name);
    }
    all
}
