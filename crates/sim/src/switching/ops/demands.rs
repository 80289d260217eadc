//! Who sends where: the trips of flows over the optical part of the network, the macroflows they are part of, and the
//! wavelengths of these.
//!
//! A trip enters the optical network at the first fibre between edge and core nodes on a flow's path, and leaves it
//! where the fibres end. Macroflows have one wavelength all the way (§2.2: "the wavelength that macroflow i was
//! assigned to"): they take them in turn, in the order of ingress, egress and class; ACKs may have the last one for
//! themselves.

use super::membership::{Member, Membership};
use super::plan::{Scheme, Switches};
use super::routes::WavelengthRoutes;
use crate::engine::node::agent_setup::BuildContext;
use crate::model::{LinkId, Network, NodeId, Routes};
use std::collections::BTreeMap;

/// All trips and macroflows.
#[derive(Debug, Default)]
pub struct Demands {
    /// In the order of their paths.
    pub list: Vec<Demand>,
    /// In the order of their ids.
    pub macroflows: Vec<Macroflow>,
}

/// The way of some flows' packets.
#[derive(Debug)]
pub struct Demand {
    /// Where the array of paths has it.
    path: u32,
    /// Links before the optical network.
    enters: u32,
    /// The links from there on.
    links: Vec<LinkId>,
    /// How many of them are fibres of the optical network.
    fibres: usize,
    /// Where the array of paths has the part from there on, on the first wavelength.
    pub first: u32,
    length: u32,
}

/// Packets of an ingress for an egress.
#[derive(Debug)]
pub struct Macroflow {
    /// Unique.
    pub id: u32,
    /// Where it begins.
    pub ingress: NodeId,
    /// Where it ends.
    pub egress: NodeId,
    /// Its wavelength.
    pub wavelength: u32,
    /// First wavelengths of its fibres.
    pub links: Vec<LinkId>,
    /// The same from the egress to the ingress.
    pub back: Vec<LinkId>,
    /// Demands whose packets belong to it, and whether it is their ACKs.
    pub members: Vec<(usize, bool)>,
}

impl Demand {
    /// Where packets are that enter the optical network, in the array of paths.
    pub fn entry(&self) -> u32 {
        self.path + self.enters
    }

    /// From there on, on this wavelength.
    pub fn agent_path(&self, wavelength: u32) -> u32 {
        self.first + wavelength * self.length
    }
}

impl Demands {
    /// The trips of all flows and their ACKs, laid on every wavelength.
    pub fn new(ops: &Switches, build: &mut BuildContext) -> (Demands, WavelengthRoutes) {
        let network = build.network;
        let mut routes = Routes::new(network, &network.open_to_flows());
        let mut known: BTreeMap<u32, Option<usize>> = BTreeMap::new();
        let mut trips = Demands::default();
        let mut groups: BTreeMap<(NodeId, NodeId, bool), Vec<(usize, bool)>> = BTreeMap::new();
        for (flow, (there, back)) in build.flows.iter().zip(build.paths) {
            let transport = &build.transports[flow.transport.index()].kind;
            let answers = transport.receiver().is_some();
            let ways = [(*there, flow.source, flow.destination, false), (*back, flow.destination, flow.source, true)];
            for (path, from, to, ack) in ways.into_iter().filter(|(.., ack)| answers || !ack) {
                let trip = *known.entry(path).or_insert_with(|| {
                    let links = routes.path(from, to)?;
                    trips.add(Demand::over(ops, path, links)?)
                });
                let Some(number) = trip else { continue };
                let (ingress, egress) = trips.list[number].ends(network);
                let apart = ack && ops.scheme.is_some_and(|scheme| scheme != Scheme::Same);
                let members = groups.entry((ingress, egress, apart)).or_default();
                if !members.contains(&(number, ack)) {
                    members.push((number, ack));
                }
            }
        }
        let ways = trips.add_path(ops, build);
        if ops.scheme.is_some() {
            trips.assign(ops, groups, &mut routes);
        }
        (trips, ways)
    }

    /// Which packets belong to which macroflow.
    pub fn members(&self) -> Membership {
        let mut members = Membership::default();
        let mut begun: BTreeMap<NodeId, u32> = BTreeMap::new();
        for Macroflow { ingress, wavelength, members: trips, .. } in &self.macroflows {
            let place = begun.entry(*ingress).or_default();
            for (trip, ack) in trips {
                let trip = &self.list[*trip];
                members.add(trip.entry(), *ack, Member { macroflow: *place, way: trip.agent_path(*wavelength) });
            }
            *place += 1;
        }
        members
    }

    fn add(&mut self, trip: Demand) -> Option<usize> {
        self.list.push(trip);
        Some(self.list.len() - 1)
    }

    /// Lays each trip on every wavelength.
    fn add_path(&mut self, ops: &Switches, build: &mut BuildContext) -> WavelengthRoutes {
        let wavelengths = ops.wavelengths();
        if wavelengths == 1 {
            return WavelengthRoutes::default();
        }
        for trip in &mut self.list {
            trip.length = trip.links.len() as u32 + 1;
            for wavelength in 0..wavelengths as usize {
                let way: Vec<LinkId> = trip.links.iter().map(|link| on(ops, *link, wavelength)).collect();
                let place = build.add_path(&way);
                trip.first = if wavelength == 0 { place } else { trip.first };
                debug_assert_eq!(place, trip.agent_path(wavelength as u32), "paths are laid one after the other");
            }
        }
        WavelengthRoutes::new(self.list.iter().map(|trip| (trip.first, trip.length)).collect())
    }

    fn assign(
        &mut self,
        ops: &Switches,
        groups: BTreeMap<(NodeId, NodeId, bool), Vec<(usize, bool)>>,
        routes: &mut Routes,
    ) {
        let apart = ops.scheme == Some(Scheme::SeparateWavelength);
        let (all, last) = (ops.wavelengths(), ops.wavelengths() - 1);
        let mut turn = 0;
        for (id, ((ingress, egress, ack), members)) in (0..).zip(groups) {
            let wavelength = if apart && ack { last } else { turn % if apart { last } else { all } };
            turn += u32::from(!(apart && ack));
            let trip = &self.list[members[0].0];
            let links = trip.links[..trip.fibres].to_vec();
            let back = routes.path(egress, ingress).unwrap_or_default();
            self.macroflows.push(Macroflow { id, ingress, egress, wavelength, links, back, members });
        }
    }
}

impl Demand {
    /// The part of a path from its first fibre on; `None` if it has none.
    fn over(ops: &Switches, path: u32, mut links: Vec<LinkId>) -> Option<Demand> {
        let is_fibre = |link: &LinkId| ops.fibres.binary_search_by_key(link, |fibre| fibre.wavelengths[0]).is_ok();
        let enters = links.iter().position(is_fibre)?;
        let links = links.split_off(enters);
        let fibres = links.iter().take_while(|link| is_fibre(link)).count();
        let enters = enters as u32;
        Some(Demand { path, enters, links, fibres, first: path + enters, length: 0 })
    }

    /// Its fibres in the optical network, on the first wavelength.
    pub fn fibres(&self) -> &[LinkId] {
        &self.links[..self.fibres]
    }

    /// Where the optical network is entered and left.
    pub fn ends(&self, network: &Network) -> (NodeId, NodeId) {
        let link = |place: usize| &network.links[self.links[place].index()];
        (link(0).from, link(self.fibres - 1).to)
    }
}

/// The link beside this one on another wavelength; itself if it is no fibre.
fn on(ops: &Switches, link: LinkId, wavelength: usize) -> LinkId {
    let fibre = ops.fibres.binary_search_by_key(&link, |fibre| fibre.wavelengths[0]);
    fibre.map_or(link, |place| ops.fibres[place].wavelengths[wavelength])
}
