//! Edge-to-edge flows: what goes from an ingress edge node to an egress edge node, and which packets belong to it.

use super::super::builder::Builder;
use super::rules::{DlccPlan, Smoothing};
use crate::engine::node::agent_setup::BuildContext;
use crate::model::{LinkId, NodeId};
use std::collections::BTreeMap;

/// What one edge node sends to another.
#[derive(Clone, Debug)]
pub struct EdgeFlow {
    /// Where it enters the core.
    pub ingress: NodeId,
    /// Its fibres.
    pub links: Vec<LinkId>,
    /// Some of its packets are smoothed, so that its rate is negotiated.
    pub smoothed: bool,
    /// Its ingress supports the control, so that it is told of losses.
    pub supported: bool,
}

/// All of them, by number.
#[derive(Debug, Default)]
pub struct Layout {
    /// In the order of their ends.
    pub flows: Vec<EdgeFlow>,
    of_hop: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Layout {
    /// Those of all trips.
    pub fn new(builder: &Builder, build: &BuildContext, plan: &DlccPlan) -> Layout {
        let mut layout = Layout::default();
        let mut numbers: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
        for trip in &builder.trips.list {
            numbers.entry(trip.ends(builder.network)).or_default();
        }
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let mut links = vec![Vec::new(); numbers.len()];
        for trip in &builder.trips.list {
            let number = numbers[&trip.ends(builder.network)];
            links[number as usize] = trip.fibres().to_vec();
            let (first, fibres) = (trip.entry() as usize, trip.fibres().len());
            if layout.of_hop.len() < first + fibres {
                layout.of_hop.resize(first + fibres, NOBODY);
            }
            layout.of_hop[first..first + fibres].fill(number);
        }
        let flow = |((ingress, _), links): (&(NodeId, NodeId), _)| EdgeFlow {
            ingress: *ingress,
            links,
            smoothed: false,
            supported: plan.is_at(*ingress),
        };
        layout.flows = numbers.keys().zip(links).map(flow).collect();
        for (flow, (there, _)) in build.flows.iter().zip(build.paths) {
            let is_tcp = build.transports[flow.transport.index()].kind.receiver().is_some();
            let smoothing = plan.rules.smoothing;
            let smoothed = smoothing == Smoothing::All || (is_tcp && smoothing == Smoothing::Tcp);
            if let Some(number) = layout.of_path(*there, build).filter(|_| smoothed) {
                let flow = &mut layout.flows[number as usize];
                flow.smoothed = flow.supported;
            }
        }
        layout
    }

    /// The flow of packets that take a path.
    pub fn of_path(&self, path: u32, build: &BuildContext) -> Option<u32> {
        let hops = (path..).take_while(|hop| build.laid.get(*hop as usize).is_some_and(Option::is_some));
        hops.into_iter().find_map(|hop| self.at(hop))
    }

    /// What belongs to the flow of each place of the array of paths, and to the places of no flow.
    pub fn by_hop<T: Copy>(&self, of_flow: impl Fn(u32) -> T, of_none: T) -> Vec<T> {
        self.of_hop.iter().map(|flow| if *flow == NOBODY { of_none } else { of_flow(*flow) }).collect()
    }

    /// The flow of packets at a place of the array of paths.
    #[inline]
    pub fn at(&self, hop: u32) -> Option<u32> {
        self.of_hop.get(hop as usize).copied().filter(|flow| *flow != NOBODY)
    }
}
