//! Samples of flows and links at a fixed interval. Sampling reads and never changes a run.

use super::ledger::{Ledger, LinkAccount};
use super::parts::Parts;
use super::port::Reading;
use crate::model::{LinkId, Probe, Selection, SimTime};
use crate::results::{Column, Table};
use transport::tcp::SenderStats;
use units::Duration;

/// What is sampled, and the samples so far.
#[derive(Debug)]
pub struct Sampler {
    next: SimTime,
    interval: Duration,
    /// Whether the order of packets is measured.
    reordering: bool,
    flows: Vec<SampledFlow>,
    links: Vec<SampledLink>,
    shared: Vec<SharedLink>,
    time_s: Vec<f64>,
    entity: Vec<String>,
    quantity: Vec<String>,
    value: Vec<f64>,
}

#[derive(Clone, Debug)]
struct SampledFlow {
    number: u32,
    /// Round trips measured up to the last sample: their sum in picoseconds, and their number.
    rtts_before: (u64, u64),
    /// The sum of all extents of reordered packets up to the last sample, and their number.
    extents_before: (u64, u64),
}

#[derive(Clone, Debug)]
struct SampledLink {
    /// In the engine's numbering.
    number: u32,
    name: String,
    /// Totals up to the last sample.
    before: Reading,
}

/// A link whose capacity agents share out; its port is the control channel.
#[derive(Clone, Debug)]
struct SharedLink {
    link: LinkId,
    name: String,
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
        let (mut ports, mut accounts) = (Vec::new(), Vec::new());
        for link in chosen {
            let (number, mut name) = links[link.index()].clone();
            if shared.binary_search(&link).is_ok() {
                accounts.push(SharedLink { link, name: name.clone(), before: LinkAccount::default() });
                name += " (control)";
            }
            ports.push(SampledLink { number, name, before: Reading::default() });
        }
        Sampler {
            next: if probe.interval.is_some() { SimTime::ZERO } else { SimTime::NEVER },
            interval: probe.interval.unwrap_or(Duration::MAX),
            reordering: probe.reordering.is_some(),
            flows: select(&probe.flows, flows).into_iter().map(SampledFlow::new).collect(),
            links: ports,
            shared: accounts,
            time_s: Vec::new(),
            entity: Vec::new(),
            quantity: Vec::new(),
            value: Vec::new(),
        }
    }

    /// When the next sample is due.
    pub fn next(&self) -> SimTime {
        self.next
    }

    /// Flows and links that are sampled.
    pub fn entities(&self) -> usize {
        self.flows.len() + self.links.len() + self.shared.len()
    }

    /// Takes all samples.
    pub fn sample(&mut self, now: SimTime, parts: &mut Parts) {
        self.next = now + self.interval;
        let mut flows = std::mem::take(&mut self.flows);
        flows.iter_mut().for_each(|flow| self.sample_flow(now, flow, parts));
        self.flows = flows;
        let mut links = std::mem::take(&mut self.links);
        links.iter_mut().for_each(|link| self.sample_link(now, link, parts));
        self.links = links;
        if !self.shared.is_empty() {
            let ledger = Ledger::read(parts);
            let mut shared = std::mem::take(&mut self.shared);
            shared.iter_mut().for_each(|link| self.sample_shared(now, link, &ledger));
            self.shared = shared;
        }
    }

    fn sample_flow(&mut self, now: SimTime, flow: &mut SampledFlow, parts: &Parts) {
        let Some(sender) = parts.sender(flow.number).machine.tcp() else { return };
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
        let entity = format!("flow {}", flow.number);
        let fa_ratio = sender.fa_ratio().map(|ratio| ("fa_ratio", ratio));
        for (quantity, value) in readings.into_iter().chain(fa_ratio) {
            self.push(now, &entity, quantity, value);
        }
        if self.reordering {
            self.sample_reordering(now, &entity, flow, parts);
        }
    }

    /// What reordering there was, and what the sender took for losses by mistake; all but the mean extent since the start.
    fn sample_reordering(&mut self, now: SimTime, entity: &str, flow: &mut SampledFlow, parts: &Parts) {
        let stats = parts.sender(flow.number).machine.tcp().map(|sender| sender.stats()).unwrap_or_default();
        let seen = parts.reordering(flow.number).map(|seen| (seen.extents.reordered(), seen.extents.sum()));
        let (reordered, sum) = seen.unwrap_or_default();
        let readings = [
            ("fast_retransmits", stats.fast_retransmits as f64),
            ("false_fast_retransmits", stats.false_fast_retransmits as f64),
            ("timeouts", stats.timeouts as f64),
            ("false_timeouts", stats.false_timeouts as f64),
            ("reordered_packets", reordered as f64),
            ("mean_extent", flow.mean_extent_since(sum, reordered)),
        ];
        for (quantity, value) in readings {
            self.push(now, entity, quantity, value);
        }
    }

    /// Picoseconds since the last sample; the first is at time zero, where nothing has happened.
    fn since(&self, now: SimTime) -> f64 {
        self.interval.ps().min(now.ps()).max(1) as f64
    }

    fn sample_shared(&mut self, now: SimTime, shared: &mut SharedLink, ledger: &Ledger) {
        let account = ledger.links.get(&shared.link).copied().unwrap_or_default();
        let room = self.since(now) * f64::from(account.channels.max(1));
        self.push(now, &shared.name, "utilization", (account.busy - shared.before.busy) as f64 / room);
        self.push(now, &shared.name, "offered", account.offered.packets as f64);
        self.push(now, &shared.name, "dropped", account.dropped.packets as f64);
        shared.before = account;
    }

    fn sample_link(&mut self, now: SimTime, link: &mut SampledLink, parts: &mut Parts) {
        let reading = parts.port_mut(link.number).reading(now.ps());
        let interval = self.since(now);
        self.push(now, &link.name, "queue", reading.waiting as f64);
        self.push(now, &link.name, "mean_queue", (reading.waited - link.before.waited) as f64 / interval);
        self.push(now, &link.name, "utilization", (reading.busy - link.before.busy) as f64 / interval);
        self.push(now, &link.name, "offered", reading.offered.packets as f64);
        self.push(now, &link.name, "dropped", reading.dropped.packets as f64);
        link.before = reading;
        if let Some(granted) = parts.port_mut(link.number).granted() {
            self.push(now, &link.name, "granted_slots", f64::from(granted.now));
        }
        if let Some((Some(figures), _)) = parts.port_mut(link.number).control(now.ps()) {
            self.push(now, &link.name, "believed_capacity", figures.capacity.bps() as f64);
            self.push(now, &link.name, "feedback", 8.0 * figures.feedback);
            self.push(now, &link.name, "persistent_queue", figures.queue_bytes as f64);
            self.push(now, &link.name, "mean_rtt", figures.mean_rtt.as_secs_f64());
        }
    }

    fn push(&mut self, now: SimTime, entity: &str, quantity: &str, value: f64) {
        self.time_s.push(now.as_secs_f64());
        self.entity.push(entity.to_owned());
        self.quantity.push(quantity.to_owned());
        self.value.push(value);
    }

    /// The table `series`.
    pub fn table(self, run: u32) -> Table {
        let runs = vec![u64::from(run); self.value.len()];
        Table {
            columns: vec![
                ("run", Column::U64(runs)),
                ("t_s", Column::F64(self.time_s)),
                ("entity", Column::Text(self.entity)),
                ("quantity", Column::Text(self.quantity)),
                ("value", Column::F64(self.value)),
            ],
        }
    }
}

impl SampledFlow {
    fn new(number: u32) -> SampledFlow {
        SampledFlow { number, rtts_before: (0, 0), extents_before: (0, 0) }
    }

    /// The mean extent of the packets that were reordered since the last call; NaN if there was none.
    fn mean_extent_since(&mut self, sum: u64, reordered: u64) -> f64 {
        let (sum_before, before) = std::mem::replace(&mut self.extents_before, (sum, reordered));
        (sum - sum_before) as f64 / (reordered - before) as f64
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
