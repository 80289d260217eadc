//! Samples of flows and links at a fixed interval. Sampling reads and never changes a run.
//!
//! A flow is sampled until it is complete: the first sample after that is its last, for nothing changes any more. A run
//! may last much longer than its flows, and its samples would fill the memory.

use crate::engine::execute::layout::Partitions;
use crate::engine::link::port::Reading;
use crate::engine::node::counters::{Counters, LinkAccount};
use crate::model::{LinkId, Probe, Selection, SimTime};
use crate::results::{Column, Table};
use transport::tcp::SenderStats;
use units::Duration;

/// What is sampled, and the samples so far.
#[derive(Debug)]
pub struct Sampler {
    next: SimTime,
    interval: Duration,
    flows: Vec<SampledFlow>,
    links: Vec<SampledLink>,
    shared: Vec<SharedLink>,
    rows: Rows,
}

/// The samples so far.
#[derive(Clone, Debug, Default)]
struct Rows {
    time_s: Vec<f64>,
    /// Places in `entities`.
    entity: Vec<u32>,
    entities: Vec<String>,
    /// Places in `quantities`.
    quantity: Vec<u32>,
    quantities: Vec<String>,
    value: Vec<f64>,
}

/// Which row of samples is whose: a place in [`Rows::entities`].
type Entity = u32;

#[derive(Clone, Debug)]
struct SampledFlow {
    number: u32,
    entity: Entity,
    /// Round trips measured up to the last sample: their sum in picoseconds, and their number.
    rtts_before: (u64, u64),
}

#[derive(Clone, Debug)]
struct SampledLink {
    /// In the engine's numbering.
    number: u32,
    entity: Entity,
    /// Totals up to the last sample.
    before: Reading,
}

/// A link whose capacity agents share out; its port is the control channel.
#[derive(Clone, Debug)]
struct SharedLink {
    link: LinkId,
    entity: Entity,
    /// Totals up to the last sample.
    before: LinkAccount,
}

/// What there is to be sampled.
#[derive(Debug)]
pub struct Known<'a> {
    /// How many flows.
    pub flows: usize,
    /// The engine's number and the name of every link.
    pub links: Vec<(u32, String)>,
    /// Those whose capacity agents share out, in order.
    pub shared: &'a [LinkId],
}

impl Sampler {
    /// A sampler as `[probe]` says; the first sample is at time zero.
    pub fn new(probe: &Probe, known: Known) -> Sampler {
        let Known { flows, links, shared } = known;
        let chosen = select(&probe.links, links.len()).into_iter().map(LinkId);
        let mut rows = Rows::default();
        let sampled = select(&probe.flows, flows).into_iter();
        let flows = sampled.map(|number| SampledFlow::new(number, rows.entity(format!("flow {number}")))).collect();
        let (mut ports, mut accounts) = (Vec::new(), Vec::new());
        for link in chosen {
            let (number, mut name) = links[link.index()].clone();
            if shared.binary_search(&link).is_ok() {
                let entity = rows.entity(name.clone());
                accounts.push(SharedLink { link, entity, before: LinkAccount::default() });
                name += " (control)";
            }
            ports.push(SampledLink { number, entity: rows.entity(name), before: Reading::default() });
        }
        Sampler {
            next: if probe.interval.is_some() { SimTime::ZERO } else { SimTime::NEVER },
            interval: probe.interval.unwrap_or(Duration::MAX),
            flows,
            links: ports,
            shared: accounts,
            rows,
        }
    }

    /// When the next sample is due.
    pub fn next(&self) -> SimTime {
        self.next
    }

    /// Flows and links that are still sampled.
    pub fn entities(&self) -> usize {
        self.flows.len() + self.links.len() + self.shared.len()
    }

    /// Takes all samples.
    pub fn sample(&mut self, now: SimTime, parts: &mut Partitions) {
        self.next = now + self.interval;
        let mut flows = std::mem::take(&mut self.flows);
        flows.retain_mut(|flow| {
            self.sample_flow(now, flow, parts);
            parts.lifecycle(flow.number).completed > now.ps()
        });
        self.flows = flows;
        let mut links = std::mem::take(&mut self.links);
        links.iter_mut().for_each(|link| self.sample_link(now, link, parts));
        self.links = links;
        if !self.shared.is_empty() {
            let counters = parts.counters();
            let mut shared = std::mem::take(&mut self.shared);
            shared.iter_mut().for_each(|link| self.sample_shared(now, link, &counters));
            self.shared = shared;
        }
        if self.entities() == 0 {
            self.next = SimTime::NEVER;
        }
    }

    fn sample_flow(&mut self, now: SimTime, flow: &mut SampledFlow, parts: &mut Partitions) {
        self.rows.push(now, flow.entity, "bytes_arrived", parts.receiver(flow.number).sink.bytes_arrived() as f64);
        let Some(sender) = parts.sender(flow.number).machine.tcp() else {
            return self.sample_hosted(now, flow, parts);
        };
        let seconds = |span: Option<Duration>| span.map_or(f64::NAN, Duration::as_secs_f64);
        let readings = [
            ("cwnd", sender.cwnd() as f64),
            ("ssthresh", if sender.ssthresh() >= u64::MAX / 2 { f64::INFINITY } else { sender.ssthresh() as f64 }),
            ("pipe", sender.pipe() as f64),
            ("acked", sender.bytes_acked() as f64),
            ("rtt", flow.mean_rtt_since(sender.stats())),
            ("srtt", seconds(sender.srtt())),
            ("rto", seconds(Some(sender.rto()))),
            ("dupthresh", f64::from(sender.dupthresh())),
        ];
        let fa_ratio = sender.fa_ratio().map(|ratio| ("fa_ratio", ratio));
        let stats = sender.stats();
        let probed = parts.probe_flow(flow.number, stats);
        for (quantity, value) in readings.into_iter().chain(fa_ratio).chain(probed) {
            self.rows.push(now, flow.entity, quantity, value);
        }
    }

    /// A flow of a kind of host that shows something.
    fn sample_hosted(&mut self, now: SimTime, flow: &mut SampledFlow, parts: &mut Partitions) {
        let machine = &parts.sender(flow.number).machine;
        let readings = machine.readings();
        if readings.is_empty() {
            return;
        }
        let rtt = ("rtt", flow.mean_rtt_since(machine.stats()));
        for (quantity, value) in readings.into_iter().chain([rtt]) {
            self.rows.push(now, flow.entity, quantity, value);
        }
    }

    /// Picoseconds since the last sample; the first is at time zero, where nothing has happened.
    fn since(&self, now: SimTime) -> f64 {
        self.interval.ps().min(now.ps()).max(1) as f64
    }

    fn sample_shared(&mut self, now: SimTime, shared: &mut SharedLink, counters: &Counters) {
        let account = counters.links.get(&shared.link).copied().unwrap_or_default();
        let room = self.since(now) * f64::from(account.channels.max(1));
        self.rows.push(now, shared.entity, "utilization", (account.busy - shared.before.busy) as f64 / room);
        self.rows.push(now, shared.entity, "offered", account.offered.packets as f64);
        self.rows.push(now, shared.entity, "dropped", account.dropped.packets as f64);
        shared.before = account;
    }

    fn sample_link(&mut self, now: SimTime, link: &mut SampledLink, parts: &mut Partitions) {
        let reading = parts.reading(now.ps(), link.number);
        let interval = self.since(now);
        self.rows.push(now, link.entity, "queue", reading.waiting as f64);
        self.rows.push(now, link.entity, "mean_queue", (reading.waited - link.before.waited) as f64 / interval);
        self.rows.push(now, link.entity, "utilization", (reading.busy - link.before.busy) as f64 / interval);
        let carried_bytes = reading.carried.bytes + reading.begun_bytes;
        self.rows.push(now, link.entity, "carried_bits", 8.0 * carried_bytes as f64);
        self.rows.push(now, link.entity, "offered", reading.offered.packets as f64);
        self.rows.push(now, link.entity, "dropped", reading.dropped.packets as f64);
        link.before = reading;
        if let Some(openings) = parts.port_mut(link.number).openings() {
            self.rows.push(now, link.entity, "granted_slots", f64::from(openings.now));
        }
        if let Some((Some(figures), _)) = parts.port_mut(link.number).control(now.ps()) {
            self.rows.push(now, link.entity, "believed_capacity", figures.capacity.bps() as f64);
            self.rows.push(now, link.entity, "feedback", 8.0 * figures.feedback);
            self.rows.push(now, link.entity, "persistent_queue", figures.queue_bytes as f64);
            self.rows.push(now, link.entity, "mean_rtt", figures.mean_rtt.as_secs_f64());
        }
    }

    /// The table `series` of the samples so far; the sampler goes on.
    pub fn table(&self, run: u32) -> Table {
        self.rows.clone().table(run)
    }

    /// The table `series`, for which the samples are taken out.
    pub fn take_table(&mut self, run: u32) -> Table {
        std::mem::take(&mut self.rows).table(run)
    }
}

impl Rows {
    /// A new name.
    fn entity(&mut self, name: String) -> Entity {
        self.entities.push(name);
        self.entities.len() as u32 - 1
    }

    fn push(&mut self, now: SimTime, entity: Entity, quantity: &str, value: f64) {
        let known = self.quantities.iter().position(|name| name == quantity);
        let place = known.unwrap_or_else(|| {
            self.quantities.push(quantity.to_owned());
            self.quantities.len() - 1
        });
        self.time_s.push(now.as_secs_f64());
        self.entity.push(entity);
        self.quantity.push(place as u32);
        self.value.push(value);
    }

    fn table(self, run: u32) -> Table {
        let runs = vec![u64::from(run); self.value.len()];
        Table {
            columns: vec![
                ("run", Column::U64(runs)),
                ("t_s", Column::F64(self.time_s)),
                ("entity", Column::Names { names: self.entities, rows: self.entity }),
                ("quantity", Column::Names { names: self.quantities, rows: self.quantity }),
                ("value", Column::F64(self.value)),
            ],
        }
    }
}

impl SampledFlow {
    fn new(number: u32, entity: Entity) -> SampledFlow {
        SampledFlow { number, entity, rtts_before: (0, 0) }
    }

    /// The mean of the round trips measured since the last call, in seconds; NaN if there was none.
    fn mean_rtt_since(&mut self, stats: SenderStats) -> f64 {
        let (sum, count) = std::mem::replace(&mut self.rtts_before, (stats.rtt_sum, stats.rtt_samples));
        let picoseconds = (stats.rtt_sum - sum) as f64 / (stats.rtt_samples - count) as f64;
        picoseconds / units::PS_PER_SECOND as f64
    }
}

fn select(selection: &Selection, count: usize) -> Vec<u32> {
    match selection {
        Selection::None => Vec::new(),
        Selection::All => (0..count as u32).collect(),
        Selection::Some(chosen) => chosen.iter().copied().filter(|i| (*i as usize) < count).collect(),
    }
}
