//! What each node of a partition has to itself: its fibres, its agents, its departures.

use super::site::PartitionSite;
use crate::engine::node::fabric::{EventList, Fabric, TimerOrder};
use crate::engine::node::hosts::Hosts;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::model::Flow;
use std::ops::Range;

/// The nodes of a partition at which anything happens.
#[derive(Debug)]
pub(super) struct LogicalProcesses {
    list: Vec<LogicalProcess>,
    /// So many of them have fibres that lead to other partitions; they stand first.
    senders: usize,
    /// The process of each node of the network, [`NOWHERE`] of those without.
    of_node: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// A node of a partition.
#[derive(Debug, Default)]
pub(super) struct LogicalProcess {
    node: u32,
    /// Whether a fibre leads from here to another partition.
    sends: bool,
    /// The fibres that end here, in the order of simultaneous arrivals.
    pub(super) fibres: Range<u32>,
    /// Its agents among those of the partition.
    agents: Range<u32>,
    /// Its ports whose departures are events, until its event list has them.
    departing: Vec<u32>,
    /// Its timers of the window that begins; empty between windows.
    pub(super) due: Vec<(u64, TimerId)>,
    /// Departures, agents and timers, of a node that has more than timers.
    pub(super) event_list: Option<Box<EventList>>,
}

impl LogicalProcesses {
    /// The processes of a partition. `None` if the fibres or the agents of a node do not lie together, as in runs that
    /// shuffle ties.
    pub(super) fn new(
        fabric: &mut Fabric,
        hosts: &mut Hosts,
        site: &PartitionSite,
        nodes: usize,
    ) -> Option<LogicalProcesses> {
        let mut processes = LogicalProcesses { list: Vec::new(), senders: 0, of_node: vec![NOWHERE; nodes] };
        for (fibre, end) in (0..).zip(&site.ends) {
            lengthen(&mut processes.at(end.node()).fibres, fibre)?;
        }
        for (place, hosted) in (0..).zip(hosts.agents.items()) {
            lengthen(&mut processes.at(hosted.node).agents, place)?;
        }
        for cut in fabric.boundaries() {
            let link = fabric.links[cut.port as usize];
            processes.at(site.links[link as usize].from).sends = true;
        }
        for port in fabric.departing() {
            let link = fabric.links[*port as usize];
            processes.at(site.links[link as usize].from).departing.push(*port);
        }
        processes.list.iter_mut().for_each(|process| process.set_up(fabric, hosts));
        processes.sort();
        Some(processes)
    }

    /// Puts nodes that send to other partitions first, and nodes that do the same one after the other, so that the
    /// processor predicts what each does. No result depends on it.
    fn sort(&mut self) {
        self.list.sort_by_key(|process| (!process.sends, process.event_list.is_some(), process.fibres.len()));
        self.senders = self.list.partition_point(|process| process.sends);
        for (number, process) in (0..).zip(&self.list) {
            self.of_node[process.node as usize] = number;
        }
    }

    /// How many of them send to other partitions: the first ones.
    pub(super) fn senders(&self) -> usize {
        self.senders
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut LogicalProcess> {
        self.list.iter_mut()
    }

    /// A timer may come up in the window that begins.
    pub(super) fn add_timer(&mut self, time: u64, timer: TimerId, flows: &[Flow]) {
        let flow = &flows[timer.flow() as usize];
        let node = match timer.kind() {
            TimerKind::Work => panic!("a run with work does not go in windows"),
            TimerKind::Receiver | TimerKind::Shared => flow.destination,
            TimerKind::Sender | TimerKind::Lifecycle | TimerKind::Held | TimerKind::News => flow.source,
        };
        self.at(node.0).due.push((time, timer));
    }

    fn at(&mut self, node: u32) -> &mut LogicalProcess {
        let number = self.number(node);
        &mut self.list[number as usize]
    }

    fn number(&mut self, node: u32) -> u32 {
        let number = &mut self.of_node[node as usize];
        if *number == NOWHERE {
            *number = self.list.len() as u32;
            self.list.push(LogicalProcess { node, ..LogicalProcess::default() });
        }
        *number
    }
}

impl LogicalProcess {
    /// Gives it a list of its own for what is neither an arrival nor a timer.
    fn set_up(&mut self, fabric: &mut Fabric, hosts: &mut Hosts) {
        if self.agents.is_empty() && self.departing.is_empty() {
            return;
        }
        let mut event_list =
            EventList::new(TimerOrder::AfterArrivals, std::mem::take(&mut self.departing), 0, self.agents.clone());
        fabric.swap_event_list(&mut event_list);
        fabric.list_departures();
        hosts.arm_some_agents(self.agents.clone(), fabric);
        fabric.swap_event_list(&mut event_list);
        self.event_list = Some(Box::new(event_list));
    }
}

/// `next` comes to a range, unless it lies apart from it.
fn lengthen(range: &mut Range<u32>, next: u32) -> Option<()> {
    if range.start == range.end {
        *range = next..next;
    }
    (range.end == next).then(|| range.end += 1)
}
