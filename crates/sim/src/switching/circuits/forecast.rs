//! What the queue of a pair of racks will have, its circuit in its days, else its part of the packet switch; and
//! what it measures for laws that read that.

use super::members::Members;
use super::{Circuits, InDay};
use crate::engine::link::meter::{Asked, Meter};
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::{Class, Packet};
use crate::model::{Forecast, Network};
use std::collections::BTreeMap;
use units::Rate;

/// The rates of a pair.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// Its part of the packet switch.
    packet: Rate,
    changes: Option<Forecast>,
}

impl Course {
    /// Those of the pairs with data of a rack, by the rack that packets go to.
    pub fn of_rack(
        plan: &Circuits,
        rack: u32,
        members: &Members,
        network: &Network,
    ) -> impl Iterator<Item = (u32, Course)> {
        let links = plan.racks[rack as usize];
        let [to_packet, to_circuit] =
            [links.to_packet, links.to_circuit].map(|id| network.links[id.index()].capacity.bps());
        members.sharers_from(rack).into_iter().map(move |(to, sharers)| {
            let packet = to_packet / sharers;
            let besides = if plan.rules.in_day == InDay::Both { packet } else { 0 };
            let [packet, circuit] = [packet, to_circuit + besides].map(Rate::from_bps);
            let mut changes: Vec<(u64, Rate)> = Vec::new();
            for day in plan.week.days(rack, to) {
                // A day that begins as another ends changes nothing.
                match changes.last() {
                    Some((end, _)) if *end == day.begins => drop(changes.pop()),
                    _ => changes.push((day.begins, circuit)),
                }
                changes.push((day.begins + day.lasts, packet));
            }
            (to, Course::new(packet, changes, plan.week.length()))
        })
    }

    /// That of a pair whose rate changes at these times of each week.
    pub fn new(packet: Rate, changes: Vec<(u64, Rate)>, week: u64) -> Course {
        Course { packet, changes: Forecast::periodic(changes, week) }
    }

    /// The rate at a time.
    pub fn at(&self, at: u64) -> Rate {
        self.changes.as_ref().and_then(|changes| changes.at(at)).unwrap_or(self.packet)
    }

    /// What measures at the pair's queue.
    pub fn meter(self, port: u32, asked: &Asked) -> Meter {
        asked.meter(port, self.at(0), self.changes)
    }
}

/// What measures at the queues of a rack, by the rack that packets go to. Their numbers follow those of links.
pub(super) fn meters(
    plan: &Circuits,
    rack: u32,
    members: &Members,
    network: &Network,
    asked: Asked,
) -> BTreeMap<u32, Meter> {
    let links = plan.racks[rack as usize];
    if !asked.measures() || !network.links[links.to_packet.index()].telemetry {
        return BTreeMap::new();
    }
    let first = network.links.len() as u32 + rack * plan.racks.len() as u32;
    let meter = |(to, course): (u32, Course)| (to, course.meter(first + to, &asked));
    Course::of_rack(plan, rack, members, network).map(meter).collect()
}

/// A packet leaves a queue that measures, in which so many bytes wait.
pub(super) fn measure(meter: &mut Meter, now: u64, waiting: u64, packet: &Packet, context: &mut NodeContext) {
    meter.follow(now);
    meter.add(packet.size);
    if let Some(told) = context.telemetry_mut(packet).filter(|_| packet.class == Class::Data) {
        meter.tell(now, packet.size, waiting, told);
    }
}
