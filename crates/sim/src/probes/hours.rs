//! The example of `docs/guide/add-a-probe.md`: how many packets arrive in each hour of the run. Only tests know it.

use super::ProbeKeys;
use super::about::{About, Named};
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{Summed, state};
use crate::engine::packet::{Packet, Stamp};
use crate::language::Key;
use crate::language::keys::keys;
use crate::results::{Column, Figure, Table};
use std::collections::BTreeMap;

pub(super) const ABOUT: About =
    About { figures: || FIGURES.to_vec(), tables: &[("hours", &COLUMNS)], ..About::NOTHING };

keys! {
    /// Packets by hour.
    pub struct Keys {
        /// Whether it is counted how many packets arrive in each hour. A run takes longer with it, and does not change.
        pub hours: Key<bool> = false;
    }
}

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        self.hours.then(|| Box::new(Hours { packets: BTreeMap::new() }) as Box<dyn AnyProbe>)
    }
}

const FIGURES: [Named; 1] = [("busiest_hour", "The most packets that arrived in one hour.")];

const COLUMNS: [Named; 3] = [
    ("run", "the replication"),
    ("hour", "hours since the start of the run, from 0; those without a packet are left out"),
    ("packets", "data packets and datagrams that arrived in this hour"),
];

const HOUR: u64 = 3_600_000_000_000_000;

state! {
    /// What has arrived in a partition.
    #[derive(Clone, Debug)]
    pub struct Hours {
        /// By hour.
        packets: BTreeMap<u64, u64>, Summed;
    }
}

impl Observer for Hours {
    fn delivered(&mut self, now: u64, _: &Packet, _: Stamp) {
        *self.packets.entry(now / HOUR).or_default() += 1;
    }
}

impl Probe for Hours {
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        site.stamp_packets();
    }

    fn report(seen: Vec<&mut Hours>, run: &RunSoFar) -> Report {
        let mut packets: BTreeMap<u64, u64> = BTreeMap::new();
        for (hour, count) in seen.iter().flat_map(|part| &part.packets) {
            *packets.entry(*hour).or_default() += count;
        }
        let most = packets.values().max().copied().unwrap_or(0);
        let columns = [
            Column::U64(vec![run.run.into(); packets.len()]),
            Column::U64(packets.keys().copied().collect()),
            Column::U64(packets.into_values().collect()),
        ];
        let columns = COLUMNS.iter().map(|(name, _)| *name).zip(columns).collect();
        Report {
            figures: vec![Figure { name: FIGURES[0].0, value: most as f64, unit: "packets" }],
            tables: vec![("hours", Table { columns })],
            ..Report::default()
        }
    }
}
