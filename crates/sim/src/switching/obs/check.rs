//! `[switching]` with `kind = "obs"`: wavelengths, control channels, bursts.

mod balancing;
mod memory;
mod sources;

pub(super) use balancing::shared_links;

use super::keys::{ContentionRule, IngressSpec, MOST_WAVELENGTHS, ObsSwitching};
use super::plan::{
    BurstAssembly, Contention, ControlChannel, CopyOrdering, IngressRule, Notification, Obs, Offset, Retransmission,
};
use crate::language::{At, Fault, Place, Size, Speed, Time, Word, choices, quoted};
use crate::model::{Ends, Link, LinkId, Network, NodeId, Role, Routes, Traffic};
use crate::queue;
use crate::switching::kind::{Checked, ConversionRule, Later, Site};
use crate::topology::Draft;
use control::assembly::Assembly;
use control::reservation::{Algorithm, Conversion, DelayLines, FibreConfig, registry};
use units::{Bytes, Duration, Rate};

/// A burst is not longer than this.
const LONGEST_BURST: Bytes = Bytes(1_000_000_000);
/// Paper 001, §IV.
const TIMER: Duration = Duration::from_millis(1);
const LENGTH: Bytes = Bytes(50_000);

/// The plan of a network with optical links.
pub fn check(table: &ObsSwitching, site: Site) -> Result<Checked, Fault> {
    let Site { at, network, draft, largest_packet, duration, .. } = site;
    let obs = Mesh { at, table, network, draft }.resolve(largest_packet)?;
    let (offset, balancing) = (table.offset, table.balancing.clone());
    let later = (offset.is_some() || balancing.is_some()).then(|| {
        let obs = obs.clone();
        let later = move |network: &Network, traffic: &[Traffic]| {
            offset.as_ref().map_or(Ok(()), |offset| check_offset(offset, &obs, network, traffic))?;
            balancing.as_ref().map_or(Ok(()), |at| balancing::check_pairs(at, &obs, network, traffic))
        };
        Box::new(later) as Later
    });
    let demands = memory::demands(&obs, table, duration);
    let mut checked = Checked { later, demands, ..Checked::plan(obs.clone()) };
    derive(&obs, &mut checked);
    Ok(checked)
}

/// What counts where nothing is said.
fn derive(obs: &Obs, checked: &mut Checked) {
    checked.derive("control_capacity", Speed(obs.control.rate));
    if let Offset::Needed { spare_hops } = obs.offset {
        checked.derive("spare_hops", spare_hops);
    }
    let Assembly { timer, length, .. } = obs.assembly.rules;
    timer.into_iter().for_each(|timer| checked.derive("assembly.timer", Time(timer)));
    length.into_iter().for_each(|length| checked.derive("assembly.length", Size(length)));
    obs.balancing.iter().for_each(|balancing| checked.derive("balancing.traffic", Word(balancing.traffic)));
}

pub(super) struct Mesh<'a> {
    pub(super) at: At<()>,
    pub(super) table: &'a ObsSwitching,
    pub(super) network: &'a Network,
    pub(super) draft: &'a Draft,
}

impl Mesh<'_> {
    fn resolve(&self, largest_packet: u32) -> Result<Obs, Fault> {
        let (links, rate) = self.links()?;
        let contention = self.contention();
        let obs = Obs {
            links,
            rate,
            fibre: self.fibre()?,
            control: self.control(rate),
            offset: self.offset(contention),
            assembly: self.assembly(largest_packet)?,
            ingress: self.ingress(),
            contention,
            retransmission: self.retransmission()?,
            notification: self.notification(),
            balancing: None,
            sources: self.sources()?,
        };
        let obs = Obs { balancing: self.balancing(&obs.links)?, ..obs };
        self.check_horizon(&obs)?;
        Ok(obs)
    }

    /// The optical links, which all have the same capacity: a burst keeps its rate on its way.
    fn links(&self) -> Result<(Vec<LinkId>, Rate), Fault> {
        let is_host = |node: NodeId| self.network.nodes[node.index()].role == Role::Host;
        let links = (0..).map(LinkId).zip(&self.network.links);
        let optical: Vec<_> = links.filter(|(_, link)| !is_host(link.from) && !is_host(link.to)).collect();
        let Some((_, first)) = optical.first() else {
            return Err(self.at.fault("no link leads from a core or edge node to another; allowed: one at least"));
        };
        let place = |link: LinkId| {
            let drawn = &self.draft.links[link.index()];
            drawn.given.capacity.as_ref().map_or(Place::Unknown, |at| at.place.clone()).or_at(&drawn.place)
        };
        if let Some((id, other)) = optical.iter().find(|(_, link)| link.capacity != first.capacity) {
            let (found, name) = (other.capacity, quoted(&other.name));
            let message = format!(
                "found \"{found}\" for {name}; allowed: \"{}\", as on the other optical links: a burst keeps its rate",
                first.capacity
            );
            return Err(Fault::new(place(*id).or_at(&self.at.place()), message));
        }
        let unfit = |link: &Link| match link.controller {
            Some(_) => Some("an XCP controller"),
            None => (link.queue != queue::Config::DropTail).then_some("a queue discipline"),
        };
        if let Some((id, link, what)) = optical.iter().find_map(|(id, link)| Some((id, link, unfit(link)?))) {
            let message = format!("{} is switched in bursts and has no queue for {what}", quoted(&link.name));
            let drawn = &self.draft.links[id.index()];
            return Err(Fault::new(drawn.place.clone().or_at(&self.at.place()), message));
        }
        Ok((optical.iter().map(|(id, _)| *id).collect(), first.capacity))
    }

    fn fibre(&self) -> Result<FibreConfig, Fault> {
        let table = self.table;
        Ok(FibreConfig {
            channels: *table.wavelengths as u16,
            algorithm: self.algorithm()?,
            signalling: table.signalling.0,
            conversion: self.conversion()?,
            lines: self.lines()?,
            switching: table.switching_time.0,
            guard: table.guard.0,
        })
    }

    fn algorithm(&self) -> Result<Algorithm, Fault> {
        let name = &self.table.reservation;
        Algorithm::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
            name.fault(format!("there is no reservation rule {}{}", quoted(name), choices(name, &names)))
        })
    }

    fn conversion(&self) -> Result<Conversion, Fault> {
        let table = self.table;
        Ok(match (table.conversion.0, table.conversion_range) {
            (ConversionRule::Full, _) => Conversion::Full,
            (ConversionRule::None, _) => Conversion::None,
            (ConversionRule::Limited, Some(range)) => Conversion::Limited((*range).min(MOST_WAVELENGTHS) as u16),
            (ConversionRule::Limited, None) => {
                return Err(table.conversion.fault("the key \"conversion_range\" is missing beside it"));
            }
        })
    }

    fn lines(&self) -> Result<DelayLines, Fault> {
        let (lines, unit) = (&self.table.delay_lines, self.table.delay_line);
        match (**lines, unit) {
            (0, Some(unit)) if lines.place().is_none() => {
                Err(unit.fault("the key \"delay_lines\" is missing beside it"))
            }
            (0, _) => Ok(DelayLines::default()),
            (count, Some(unit)) => Ok(DelayLines { unit: unit.0, count }),
            (_, None) => Err(lines.fault("the key \"delay_line\" is missing beside it")),
        }
    }

    fn control(&self, rate: Rate) -> ControlChannel {
        let table = self.table;
        ControlChannel {
            rate: table.control_capacity.map_or(rate, |at| at.0),
            header_size: table.header_size.0 as u16,
            processing: table.processing.0,
        }
    }

    fn offset(&self, contention: Contention) -> Offset {
        if let Some(offset) = self.table.offset {
            return Offset::Fixed(offset.0);
        }
        // One for headers that wait for others on the control channel.
        let usual = 1 + if let Contention::Deflection { most } = contention { 2 * u32::from(most) } else { 0 };
        Offset::Needed { spare_hops: self.table.spare_hops.map_or(usual, |hops| *hops) }
    }

    fn assembly(&self, largest_packet: u32) -> Result<BurstAssembly, Fault> {
        let table = &*self.table.assembly;
        let timer = table.timer.map(|timer| timer.0);
        let length = table.length.map(|length| length.0);
        if let Some(at) = table.length
            && (at.0 < Bytes(u64::from(largest_packet)) || at.0 > LONGEST_BURST)
        {
            let message = format!(
                "found \"{}\"; allowed: \"{largest_packet} B\", the largest packet, to \"{LONGEST_BURST}\"",
                at.0
            );
            return Err(at.fault(message));
        }
        let (timer, length) = match (timer, length) {
            (None, None) => (Some(TIMER), Some(LENGTH.max(Bytes(u64::from(largest_packet))))),
            given => given,
        };
        let (minimum, most) = (table.minimum.0, length.unwrap_or(LONGEST_BURST));
        if minimum > most {
            let message = format!("found \"{minimum}\"; allowed: at most the length, \"{most}\"");
            return Err(table.minimum.fault(message));
        }
        let rules = Assembly { timer, length, minimum };
        Ok(BurstAssembly { rules, queues: table.queues.0, acks: table.acks.0 })
    }

    fn ingress(&self) -> IngressRule {
        match self.table.ingress.0 {
            IngressSpec::Drop => IngressRule::Drop,
            IngressSpec::Wait => IngressRule::Wait(self.table.longest_wait.0),
        }
    }

    fn contention(&self) -> Contention {
        match self.table.contention.0 {
            ContentionRule::Drop => Contention::Drop,
            ContentionRule::Deflection => Contention::Deflection { most: *self.table.deflections },
            ContentionRule::Segmentation => Contention::Segmentation(self.table.dropped_part.0),
        }
    }

    fn retransmission(&self) -> Result<Option<Retransmission>, Fault> {
        let Some(table) = self.table.retransmission.as_ref() else { return Ok(None) };
        let ordering = table.ordering.0;
        // The parts of a burst land one by one, and bursts with two paths are numbered on each.
        let unfit = match &self.table.balancing {
            Some(_) => Some("\"balancing\""),
            None => {
                (self.table.contention.0 == ContentionRule::Segmentation).then_some("contention = \"segmentation\"")
            }
        };
        if let Some(unfit) = unfit.filter(|_| ordering == CopyOrdering::Egress) {
            return Err(table.ordering.fault(format!("found \"egress\"; allowed beside {unfit}: \"off\"")));
        }
        Ok(Some(Retransmission { attempts: *table.attempts, extra_delay: table.extra_delay.0, ordering }))
    }

    fn notification(&self) -> Notification {
        let table = &self.table.notification;
        Notification { window: table.window.0, threshold: *table.threshold, when: table.when.0 }
    }

    /// Every burst that can be made lies within the horizon.
    fn check_horizon(&self, obs: &Obs) -> Result<(), Fault> {
        let Some(at) = self.table.horizon else { return Ok(()) };
        let byte = units::ByteTime::at(obs.rate).map_or(0, units::ByteTime::fixed_point);
        let lasts = |bytes: Bytes| Duration::from_ps(((u128::from(bytes.count()) * u128::from(byte)) >> 24) as u64);
        let Some(length) = obs.assembly.rules.length else {
            return Err(at.fault("assembled bursts can have any length; allowed with assembly.length"));
        };
        let mut longest = lasts(length);
        for (source, table) in obs.sources.iter().zip(&self.table.burst) {
            longest = longest.max(source.longest().ok_or_else(|| {
                let place = table.law.place().unwrap_or(table.mean.place());
                Fault::new(place, "bursts of any length can come; allowed within a horizon: \"fixed\" or \"uniform\"")
            })?);
        }
        let lines = obs.fibre.lines.unit.saturating_mul(u64::from(obs.fibre.lines.count));
        let needed = longest + obs.fibre.guard + lines;
        if needed > at.0 {
            let message = format!(
                "found \"{}\"; allowed: at least \"{needed}\", what the longest burst needs behind its offset",
                at.0
            );
            return Err(at.fault(message));
        }
        Ok(())
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        quoted(&self.network.nodes[node.index()].name)
    }
}

/// No header is late for want of offset on an idle control channel.
fn check_offset(at: &At<Time>, obs: &Obs, network: &Network, traffic: &[Traffic]) -> Result<(), Fault> {
    let open = network.open_to_flows();
    let mut routes = Routes::new(network, &open);
    let optical = |link: &LinkId| obs.links.binary_search(link).is_ok();
    let mut check = |from: NodeId, to: NodeId| {
        let links = routes.path(from, to).unwrap_or_default().iter().filter(|link| optical(link)).count() as u32;
        let needed = obs.needed_offset(links);
        if needed <= at.0 {
            return Ok(());
        }
        let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
        let way = format!("from {} to {}", name(from), name(to));
        Err(at.fault(format!("found \"{}\"; allowed: at least \"{needed}\", for {links} optical links {way}", at.0)))
    };
    for source in &obs.sources {
        source.pairs.iter().try_for_each(|(from, to)| check(*from, *to))?;
    }
    for traffic in traffic {
        match traffic.arrivals.ends() {
            Ends::Pairs(pairs) => pairs.iter().try_for_each(|(from, to)| check(*from, *to))?,
            Ends::Among(nodes) => {
                let others = |from: NodeId| nodes.iter().filter(move |to| **to != from).map(move |to| (from, *to));
                nodes.iter().flat_map(|from| others(*from)).try_for_each(|(from, to)| check(from, to))?;
            }
        }
    }
    Ok(())
}
