//! `[switching]` with `kind = "obs"`: wavelengths, control channels, bursts.

mod memory;
mod sources;

use super::keys::{
    AckRule, AssemblySpec, ContentionRule, IngressSpec, NotificationSpec, ObsSignalling, ObsSwitching, PartRule,
    QueueRule,
};
use super::plan::{
    Acks, BurstAssembly, BurstQueues, Contention, ControlChannel, IngressRule, Notification, Obs, Offset, Part,
    Retransmission,
};
use crate::language::{At, Fault, Place, Time, choices, given, positive, probability, quoted, rate_in_range, refuse};
use crate::model::{Arrivals, LinkId, Network, NodeId, Pairs, Role, Routes, Traffic};
use crate::regime::kind::{Checked, ConversionRule, Later, Site};
use crate::topology::Draft;
use control::assembly::Assembly;
use control::reservation::{Algorithm, Conversion, DelayLines, FibreConfig, Signalling, registry};
use std::sync::Arc;
use units::{Bytes, Duration, Rate};

/// The most wavelengths of a fibre.
const MOST_WAVELENGTHS: u32 = 4096;
/// The most delay lines: a burst that finds no place tries them all.
const MOST_LINES: u32 = 1024;
/// A burst is not longer than this.
const LONGEST_BURST: Bytes = Bytes(1_000_000_000);
/// Paper 001, §IV.
const TIMER: Duration = Duration::from_millis(1);
const LENGTH: Bytes = Bytes(50_000);

/// The plan of a network with optical links.
pub fn check(table: &ObsSwitching, site: Site) -> Result<Checked, Fault> {
    let Site { at, network, draft, largest_packet, duration, .. } = site;
    let obs = Mesh { at, table, network, draft }.resolve(largest_packet)?;
    let later = table.offset.map(|offset| {
        let obs = obs.clone();
        let later = move |network: &Network, traffic: &[Traffic]| check_offset(&offset, &obs, network, traffic);
        Box::new(later) as Later
    });
    let demands = memory::demands(&obs, table, duration);
    Ok(Checked { plan: Arc::new(obs), later, demands })
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
        let contention = self.contention()?;
        let obs = Obs {
            links,
            rate,
            fibre: self.fibre()?,
            control: self.control(rate)?,
            offset: self.offset(contention)?,
            assembly: self.assembly(largest_packet)?,
            ingress: self.ingress()?,
            contention,
            retransmission: self.retransmission(),
            notification: self.notification()?,
            sources: self.sources()?,
        };
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
        if let Some((id, link)) = optical.iter().find(|(_, link)| link.controller.is_some()) {
            let message =
                format!("{} is switched in bursts and has no queue for an XCP controller", quoted(&link.name));
            let drawn = &self.draft.links[id.index()];
            return Err(Fault::new(drawn.place.clone().or_at(&self.at.place()), message));
        }
        Ok((optical.iter().map(|(id, _)| *id).collect(), first.capacity))
    }

    fn fibre(&self) -> Result<FibreConfig, Fault> {
        let table = self.table;
        let wavelengths = table.wavelengths;
        if *wavelengths == 0 || *wavelengths > MOST_WAVELENGTHS {
            return Err(wavelengths.fault(format!("found {}; allowed: 1 to {MOST_WAVELENGTHS}", *wavelengths)));
        }
        Ok(FibreConfig {
            channels: *wavelengths as u16,
            algorithm: self.algorithm()?,
            signalling: match table.signalling.map(|signalling| *signalling) {
                None | Some(ObsSignalling::Jet) => Signalling::Jet,
                Some(ObsSignalling::Jit) => Signalling::Jit,
            },
            conversion: self.conversion()?,
            lines: self.lines()?,
            switching: time(table.switching_time, Duration::ZERO),
            guard: time(table.guard, Duration::ZERO),
        })
    }

    fn algorithm(&self) -> Result<Algorithm, Fault> {
        let Some(name) = &self.table.reservation else { return Ok(Algorithm::LaucVf) };
        Algorithm::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
            name.fault(format!("there is no reservation rule {}{}", quoted(name), choices(name, &names)))
        })
    }

    fn conversion(&self) -> Result<Conversion, Fault> {
        let table = self.table;
        let rule = table.conversion.map(|rule| *rule);
        if rule != Some(ConversionRule::Limited) {
            refuse(&given!(table; conversion_range), "goes with conversion = \"limited\"")?;
        }
        Ok(match (rule, table.conversion_range) {
            (None | Some(ConversionRule::Full), _) => Conversion::Full,
            (Some(ConversionRule::None), _) => Conversion::None,
            (Some(ConversionRule::Limited), Some(range)) => Conversion::Limited((*range).min(MOST_WAVELENGTHS) as u16),
            (Some(ConversionRule::Limited), None) => {
                let at = table.conversion.map_or(self.at.place(), |at| at.place());
                return Err(Fault::new(at, "the key \"conversion_range\" is missing beside it"));
            }
        })
    }

    fn lines(&self) -> Result<DelayLines, Fault> {
        match (self.table.delay_lines, self.table.delay_line) {
            (None, None) => Ok(DelayLines::default()),
            (Some(count), _) if *count > MOST_LINES => {
                Err(count.fault(format!("found {}; allowed: at most {MOST_LINES}", *count)))
            }
            (Some(count), unit) if *count == 0 => {
                unit.as_ref().map(positive).transpose()?;
                Ok(DelayLines::default())
            }
            (Some(count), Some(unit)) => Ok(DelayLines { unit: positive(&unit)?, count: *count }),
            (Some(count), None) => Err(count.fault("the key \"delay_line\" is missing beside it")),
            (None, Some(unit)) => Err(unit.fault("the key \"delay_lines\" is missing beside it")),
        }
    }

    fn control(&self, rate: Rate) -> Result<ControlChannel, Fault> {
        let table = self.table;
        let header_size = table.header_size.map_or(64, |size| size.0);
        if let Some(at) = table.header_size.filter(|_| header_size == 0 || header_size > 65_535) {
            return Err(at.fault(format!("found {header_size} B; allowed: 1 B to 65535 B")));
        }
        Ok(ControlChannel {
            rate: match table.control_capacity {
                Some(at) => rate_in_range(at.0, || at.place())?,
                None => rate,
            },
            header_size: header_size as u16,
            processing: time(table.processing, Duration::from_micros(1)),
        })
    }

    fn offset(&self, contention: Contention) -> Result<Offset, Fault> {
        let table = self.table;
        if let Some(offset) = table.offset {
            refuse(&given!(table; spare_hops), "does not go with \"offset\"")?;
            return Ok(Offset::Fixed(offset.0));
        }
        // One for headers that wait for others on the control channel.
        let usual = 1 + if let Contention::Deflection { most } = contention { 2 * u32::from(most) } else { 0 };
        let spare_hops = table.spare_hops.map_or(usual, |hops| *hops);
        match table.spare_hops.filter(|_| spare_hops > 1000) {
            Some(at) => Err(at.fault(format!("found {spare_hops}; allowed: at most 1000"))),
            None => Ok(Offset::Needed { spare_hops }),
        }
    }

    fn assembly(&self, largest_packet: u32) -> Result<BurstAssembly, Fault> {
        let table = self.table.assembly.map_or_else(AssemblySpec::default, |at| *at);
        let timer = table.timer.map(|timer| positive(&timer)).transpose()?;
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
        let minimum = table.minimum.map_or(Bytes(0), |minimum| minimum.0);
        if let Some(at) = table.minimum.filter(|_| minimum > length.unwrap_or(LONGEST_BURST)) {
            let most = length.unwrap_or(LONGEST_BURST);
            return Err(at.fault(format!("found \"{minimum}\"; allowed: at most the length, \"{most}\"")));
        }
        Ok(BurstAssembly {
            rules: Assembly { timer, length, minimum },
            queues: match table.queues.map(|queues| *queues) {
                None | Some(QueueRule::Egress) => BurstQueues::Egress,
                Some(QueueRule::Class) => BurstQueues::Class,
                Some(QueueRule::Flow) => BurstQueues::Flow,
            },
            acks: match table.acks.map(|acks| *acks) {
                None | Some(AckRule::Assembled) => Acks::Assembled,
                Some(AckRule::Alone) => Acks::Alone,
                Some(AckRule::Beside) => Acks::Beside,
            },
        })
    }

    fn ingress(&self) -> Result<IngressRule, Fault> {
        let table = self.table;
        match table.ingress.map(|rule| *rule) {
            Some(IngressSpec::Drop) => {
                refuse(&given!(table; longest_wait), "goes with ingress = \"wait\"")?;
                Ok(IngressRule::Drop)
            }
            None | Some(IngressSpec::Wait) => {
                Ok(IngressRule::Wait(time(table.longest_wait, Duration::from_millis(10))))
            }
        }
    }

    fn contention(&self) -> Result<Contention, Fault> {
        let table = self.table;
        let rule = table.contention.map_or(ContentionRule::Drop, |rule| *rule);
        if rule != ContentionRule::Deflection {
            refuse(&given!(table; deflections), "goes with contention = \"deflection\"")?;
        }
        if rule != ContentionRule::Segmentation {
            refuse(&given!(table; dropped_part), "goes with contention = \"segmentation\"")?;
        }
        Ok(match rule {
            ContentionRule::Drop => Contention::Drop,
            ContentionRule::Deflection => Contention::Deflection { most: table.deflections.map_or(1, |most| *most) },
            ContentionRule::Segmentation => Contention::Segmentation(match table.dropped_part.map(|part| *part) {
                None | Some(PartRule::Head) => Part::Head,
                Some(PartRule::Tail) => Part::Tail,
            }),
        })
    }

    fn retransmission(&self) -> Option<Retransmission> {
        let table = self.table.retransmission.as_ref()?;
        Some(Retransmission {
            attempts: table.attempts.map_or(3, |attempts| *attempts),
            extra_delay: time(table.extra_delay, Duration::from_millis(100)),
        })
    }

    fn notification(&self) -> Result<Notification, Fault> {
        let table = self.table.notification.map_or_else(NotificationSpec::default, |at| *at);
        let window = table.window.map(|window| positive(&window)).transpose()?;
        let threshold = table.threshold.map(|threshold| probability(&threshold)).transpose()?;
        let window = window.unwrap_or(Duration::from_millis(100));
        Ok(Notification { window, threshold: threshold.unwrap_or(0.01) })
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
                let place = table.law.map_or(table.mean.place(), |law| law.place());
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
        match &traffic.arrivals {
            Arrivals::List(list) => list.iter().try_for_each(|flow| check(flow.source, flow.destination))?,
            Arrivals::Fixed { pairs, .. } | Arrivals::Poisson { pairs, .. } => match pairs {
                Pairs::Given(pairs) => pairs.iter().try_for_each(|(from, to)| check(*from, *to))?,
                Pairs::UniformRandom(nodes) => {
                    let others = |from: NodeId| nodes.iter().filter(move |to| **to != from).map(move |to| (from, *to));
                    nodes.iter().flat_map(|from| others(*from)).try_for_each(|(from, to)| check(from, to))?;
                }
            },
        }
    }
    Ok(())
}

fn time(at: Option<At<Time>>, otherwise: Duration) -> Duration {
    at.map_or(otherwise, |at| at.0)
}
