//! `[switching]` with `kind = "aapn"`: frames, plans and clocks of an agile all-photonic network; `fixed` has the plan
//! that a scenario writes out.

mod clocks;
mod fixed;
mod wavelengths;

use super::control_keys::LONGEST_FRAME;
use super::keys::{AapnSwitching, Protocol, RequestRule, SignalSpec};
use super::plan::{Aapn, Channel, Computed, Plan, Signal, SlotFrame, Uplink};
use super::request::Request;
use super::{shares, signalled};
use crate::language::{At, Fault, Time, Word, choices, quoted};
use crate::model::{Link, LinkId, Network, NodeId, Packing};
use crate::switching::kind::{Checked, Site};
use crate::topology::Draft;
use control::demand::Forecast;
use control::scheduler::{Algorithm, FrameScheduler, Requests, registry};
use std::collections::BTreeSet;
use units::{ByteTime, Duration, Rate};

const SHORTEST: Duration = SlotFrame::SHORTEST;

/// The plan of a network with links that lead through core nodes.
pub fn check(table: &AapnSwitching, site: Site) -> Result<Checked, Fault> {
    if site.network.links.iter().all(|link| link.via.is_none()) {
        return Err(site.at.fault(
            "no link leads through a core node; allowed with topology.kind = \"aapn-star\", or links with \"via\"",
        ));
    }
    let Site { at, network, draft, largest_packet, .. } = site;
    wavelengths::widen(network, table);
    let follows = follow(network);
    let aapn = Star { at, table, network, draft }.resolve(largest_packet)?;
    if !matches!(aapn.plan, Plan::Fixed(_)) {
        see_whole_frames(network, draft, aapn.frame);
    }
    let (signalling_slots, transmitters) = (aapn.frame.signalling_slots, aapn.frame.transmitters);
    if let Some(weight) = table.weight.first().filter(|_| table.allocation.is_some()) {
        return Err(weight.fault("goes with computed schedules, that is without allocation"));
    }
    let derived = match &aapn.plan {
        Plan::Signalled(rules) => {
            let (turnaround, master) = (rules.networks[0].turnaround, aapn.edges[rules.master as usize].node);
            Some((Time(turnaround), draft.nodes[master.index()].name.clone()))
        }
        _ => None,
    };
    let mut checked = Checked::plan(aapn);
    if let Some((turnaround, master)) = derived {
        if table.control.turnaround.is_none() {
            checked.derive("control.turnaround", turnaround);
        }
        if table.control.master.is_none() {
            checked.derive("control.master", master);
        }
    }
    checked.derive("signalling_slots", signalling_slots);
    if table.transmitters.is_none() && table.protocol.0 == Protocol::Known {
        checked.derive("transmitters", transmitters);
    }
    if table.spare_slots.is_none() && table.allocation.is_none() {
        checked.derive("spare_slots", Word(table.spare(follows)));
    }
    if table.signal.age.is_none() && table.signal.ahead.is_none() {
        checked.derive("signal.age", Time(Duration::ZERO));
    }
    Ok(checked)
}

/// Whether some queue follows its slots (XCP-CL).
fn follow(network: &Network) -> bool {
    let follows = |link: &Link| link.controller.is_some_and(|controller| controller.follows);
    network.links.iter().any(|link| link.via.is_some() && follows(link))
}

/// In the dark part of a frame a queue grows that is no standing one. Its slots may stand at the beginning of a frame
/// and at the end of the next, so its minimum is taken over two frames.
fn see_whole_frames(network: &mut Network, draft: &Draft, frame: SlotFrame) {
    let queues = network.links.iter_mut().zip(&draft.links).filter(|(link, _)| link.via.is_some());
    for (link, written) in queues {
        let given = written.given.controller.as_ref().and_then(|given| given.value);
        let is_timed = given.is_some_and(|controller| controller.is_timed);
        if let Some(controller) = link.controller.as_mut().filter(|controller| controller.follows && !is_timed) {
            let least = controller.config.min_queue_interval.max(Duration::from_ps(frame.length()) * 2);
            controller.config.min_queue_interval = least;
        }
    }
}

struct Star<'a> {
    at: At<()>,
    table: &'a AapnSwitching,
    network: &'a Network,
    draft: &'a Draft,
}

/// The edge nodes and the core nodes, each in the order of the nodes.
#[derive(Clone, Copy)]
struct Nodes<'a> {
    edges: &'a [NodeId],
    cores: &'a [NodeId],
}

impl Star<'_> {
    fn resolve(&self, largest_packet: u32) -> Result<Aapn, Fault> {
        let cores: Vec<NodeId> = self.network.cores().into_iter().collect();
        let nodes = self.edge_nodes(&cores)?;
        let mut frame = self.frame(nodes.len())?;
        let dark = self.dark(&cores)?;
        let uplinks = self.uplinks(&nodes, &cores)?;
        if let Some(datagrams) = &self.table.control.datagrams {
            frame = signalled::check::with_datagrams(frame, datagrams, self.network, &uplinks)?;
        }
        let packing = self.table.packing.0;
        if packing == Packing::Whole {
            self.check_that_packets_fit(frame, &uplinks, largest_packet)?;
        }
        let plan = match &self.table.allocation {
            Some(list) => {
                Plan::Fixed(self.allocations(list, frame, Nodes { edges: &nodes, cores: &cores }, &uplinks)?)
            }
            None if self.table.protocol.0 == Protocol::Simulated => {
                let site = self.signalled(frame, Nodes { edges: &nodes, cores: &cores }, &uplinks);
                Plan::Signalled(Box::new(site.resolve(self.computed()?)?))
            }
            None => {
                self.check_messages(frame, nodes.len(), &uplinks)?;
                Plan::Computed(self.computed()?)
            }
        };
        let edges = self.edges(&nodes, frame)?;
        let signal = self.signal()?;
        let weights = shares::check(&self.table.weight, self.draft, &nodes)?;
        Ok(Aapn { frame, packing, plan, weights, signal, edges, cores, uplinks, dark })
    }

    /// The ends of the queues.
    fn edge_nodes(&self, cores: &[NodeId]) -> Result<Vec<NodeId>, Fault> {
        let queues = self.network.links.iter().filter(|link| link.via.is_some());
        let nodes: BTreeSet<NodeId> = queues.flat_map(|link| [link.from, link.to]).collect();
        if let Some(both) = cores.iter().find(|core| nodes.contains(core)) {
            let name = self.name(*both);
            return Err(self
                .at
                .fault(format!("the node {name} is a core node, and an end of a queue through another one")));
        }
        if nodes.len() > Requests::MAX_NODES {
            let (found, most) = (nodes.len(), Requests::MAX_NODES);
            return Err(self.at.fault(format!("found {found} edge nodes; allowed: at most {most}")));
        }
        Ok(nodes.into_iter().collect())
    }

    fn frame(&self, edges: usize) -> Result<SlotFrame, Fault> {
        let (slots, slot) = (self.table.slots, self.table.slot_time.0);
        let transmitters = wavelengths::transmitters(self.table)?;
        let most = FrameScheduler::MAX_CONNECTIONS / edges.max(1) as u64;
        let most = most.min(FrameScheduler::MAX_FRAME.into()) / u64::from(transmitters);
        if u64::from(*slots) > most {
            let each = if transmitters > 1 { format!(" with {transmitters} transmitters") } else { String::new() };
            return Err(slots.fault(format!("found {} for {edges} edge nodes{each}; allowed: at most {most}", *slots)));
        }
        let length = slot.saturating_mul(u64::from(*slots));
        if length < SHORTEST || length > LONGEST_FRAME {
            let message =
                format!("with this a frame lasts \"{length}\"; allowed: \"{SHORTEST}\" to \"{LONGEST_FRAME}\"");
            return Err(self.table.slot_time.fault(message));
        }
        let guard = self.table.guard.0;
        if guard >= slot {
            return Err(self
                .table
                .guard
                .fault(format!("found \"{guard}\"; allowed: less than the slot of \"{slot}\"")));
        }
        self.check_light(slot.saturating_sub(guard))?;
        let asks_in_band = self.table.allocation.is_none() && self.channel() == Channel::InBand;
        let needed = if asks_in_band { edges as u32 } else { 0 };
        let signalling_slots = self.table.signalling_slots.map_or(needed, |slots| *slots);
        let place = || self.table.signalling_slots.map_or_else(|| slots.place(), |at| at.place());
        if signalling_slots < needed {
            let message =
                format!("found {signalling_slots}; allowed: at least {needed}, one for the request of each edge node");
            return Err(Fault::new(place(), message));
        }
        if signalling_slots >= *slots {
            let message =
                format!("{signalling_slots} signalling slots leave none of {} for data; allowed: fewer", *slots);
            return Err(Fault::new(place(), message));
        }
        let wavelengths = *self.table.wavelengths;
        let (datagrams, header) = (1, Duration::ZERO);
        Ok(SlotFrame { slots: *slots, slot, signalling_slots, guard, datagrams, header, wavelengths, transmitters })
    }

    fn channel(&self) -> Channel {
        self.table.signalling.0
    }

    /// The links of every edge node with every core node, and its queues.
    fn uplinks(&self, nodes: &[NodeId], cores: &[NodeId]) -> Result<Vec<Uplink>, Fault> {
        let mut uplinks = Vec::with_capacity(nodes.len() * cores.len());
        for edge in nodes {
            for core in cores {
                let queue = |(place, to): (usize, &NodeId)| {
                    let links = self.draft.between(*edge, *to).iter();
                    let mut through = links.filter(|link| self.network.links[**link].via == Some(*core));
                    let first = through.next().map(|link| (place as u32, LinkId(*link as u32)));
                    through.next().map_or(Ok(first), |second| {
                        let name = quoted(&self.draft.links[*second].name);
                        let place = self.draft.links[*second].place.clone().or_at(&self.at.place());
                        Err(Fault::new(
                            place,
                            format!("there is another queue beside {name} through the same core node"),
                        ))
                    })
                };
                let queues: Vec<_> = nodes.iter().enumerate().map(queue).collect::<Result<_, _>>()?;
                uplinks.push(Uplink {
                    request: self.signalling_link(*edge, *core)?,
                    grant: self.signalling_link(*core, *edge)?,
                    queues: queues.into_iter().flatten().collect(),
                });
            }
        }
        Ok(uplinks)
    }

    fn signalling_link(&self, from: NodeId, to: NodeId) -> Result<LinkId, Fault> {
        self.draft.between(from, to).first().map(|link| LinkId(*link as u32)).ok_or_else(|| {
            let message = format!("there is no link from {} to {} for signalling", self.name(from), self.name(to));
            self.at.fault(message)
        })
    }

    fn name(&self, node: NodeId) -> String {
        quoted(&self.draft.nodes[node.index()].name)
    }

    fn check_that_packets_fit(&self, frame: SlotFrame, uplinks: &[Uplink], packet: u32) -> Result<(), Fault> {
        for (_, link) in uplinks.iter().flat_map(|uplink| &uplink.queues) {
            let link = &self.network.links[link.index()];
            let lasts = ByteTime::at(link.capacity).map_or(Duration::MAX, |byte| byte.of(packet));
            if lasts.ps() > frame.datagram() {
                let message = format!(
                    "a packet of {packet} B lasts \"{lasts}\" on {}, longer than the data of a slot, \"{}\"; allowed: \
                        packing = \"cut\"",
                    quoted(&link.name),
                    Duration::from_ps(frame.datagram())
                );
                return Err(Fault::new(self.table.packing.place().unwrap_or(self.at.place()), message));
            }
        }
        Ok(())
    }

    fn signalled<'a>(
        &'a self,
        frame: SlotFrame,
        known: Nodes<'a>,
        uplinks: &'a [Uplink],
    ) -> signalled::check::Site<'a> {
        let Star { at, table, network, draft } = *self;
        let Nodes { edges, cores } = known;
        signalled::check::Site { at, table, network, draft, edges, cores, frame, uplinks }
    }

    fn computed(&self) -> Result<Computed, Fault> {
        let table = self.table;
        Ok(Computed {
            algorithm: self.algorithm()?,
            request: match table.request.0 {
                RequestRule::Queue => Request::Queue,
                RequestRule::LastFrame => Request::Forecast(Forecast::LastFrame),
                RequestRule::Smoothed => Request::Forecast(Forecast::Smoothed { shift: *table.smoothing }),
                RequestRule::Predicted => Request::Forecast(Forecast::Predicted { shift: *table.smoothing }),
            },
            channel: self.channel(),
            scheduling_time: table.scheduling_time.0,
            spare: table.spare(follow(self.network)),
        })
    }

    fn algorithm(&self) -> Result<Algorithm, Fault> {
        let name = &self.table.scheduler;
        Algorithm::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
            name.fault(format!("there is no scheduler {}{}", quoted(name), choices(name, &names)))
        })
    }

    /// Requests and grants are packets, and in band they fit into a slot.
    fn check_messages(&self, frame: SlotFrame, edges: usize, uplinks: &[Uplink]) -> Result<(), Fault> {
        let size = SlotFrame::request_size(edges).max(frame.grant_size());
        if size > u64::from(u16::MAX) {
            let granted = frame.slots_of_a_node(frame.wavelengths);
            let message = format!("a grant for {granted} slots has {size} B; allowed: at most {}", u16::MAX);
            return Err(self.table.slots.fault(message));
        }
        for link in uplinks.iter().flat_map(|uplink| [uplink.request, uplink.grant]) {
            let link = &self.network.links[link.index()];
            let lasts = ByteTime::at(link.capacity).map_or(Duration::MAX, |byte| byte.of(size as u32));
            // A message has one wavelength.
            let slot = frame.payload() * u64::from(frame.wavelengths);
            let room = if self.channel() == Channel::InBand { slot } else { frame.length() };
            if lasts.ps() > room {
                let message = format!(
                    "a message of {size} B lasts \"{lasts}\" on {}; allowed: at most \"{}\"",
                    quoted(&link.name),
                    Duration::from_ps(room)
                );
                return Err(self.table.slot_time.fault(message));
            }
        }
        Ok(())
    }

    /// Schedule-ahead signalling. A computed grant is known a frame before its slots at most, so there is nothing to
    /// tell.
    fn ahead(&self, spec: &SignalSpec) -> Result<Duration, Fault> {
        let Some(ahead) = spec.ahead else { return Ok(Duration::ZERO) };
        if spec.age.is_some() {
            return Err(ahead.fault("the signal has an age already; allowed: age or ahead"));
        }
        if self.table.allocation.is_none() {
            return Err(
                ahead.fault("goes with a fixed plan: computed schedules are not known before; allowed: allocation")
            );
        }
        Ok(ahead.0)
    }

    fn signal(&self) -> Result<Signal, Fault> {
        let spec = &*self.table.signal;
        let ahead = self.ahead(spec)?;
        Ok(Signal {
            age: spec.age.map_or(Duration::ZERO, |age| age.0),
            ahead,
            loss: *spec.loss,
            quantum: spec.quantum.map_or(Rate::from_bps(0), |quantum| quantum.0),
            frames: *spec.frames,
            counts: spec.counts.0,
        })
    }
}
