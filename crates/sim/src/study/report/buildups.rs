//! What built up before links in episodes, where agents count it: columns of the table of links, and figures.

use super::{End, ratio, seconds};
use crate::engine::node::counters::{Buildup, Counters};
use crate::model::LinkId;
use crate::results::{Column, Figure};
use std::collections::BTreeMap;
use units::PS_PER_SECOND;

/// The episodes since the end of the warm-up, by link.
pub(super) struct Buildups {
    links: BTreeMap<LinkId, Row>,
    window: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// That have ended.
    episodes: u64,
    /// Of the most bits in each.
    sum_of_most: f64,
    /// Bits times seconds.
    area: f64,
    most: u64,
}

impl Buildups {
    pub(super) fn read(end: &End, counters: &Counters, window: u64) -> Buildups {
        let before = &end.world.baseline.counters.buildups;
        let row = |(link, after): (&LinkId, &Buildup)| {
            let (episodes, sum, area) =
                before.get(link).map_or((0, 0, 0), |before| (before.episodes, before.sum_of_most, before.area));
            let row = Row {
                episodes: after.episodes - episodes,
                sum_of_most: 8.0 * (after.sum_of_most - sum) as f64,
                area: 8.0 * (after.area - area) as f64 / PS_PER_SECOND as f64,
                most: 8 * after.most_since(end.world.baseline.at.ps()),
            };
            (*link, row)
        };
        Buildups { links: counters.buildups.iter().map(row).collect(), window }
    }

    /// Columns for rows of these links; none where no agent counts.
    pub(super) fn columns(&self, rows: &[Option<LinkId>]) -> Vec<(&'static str, Column)> {
        if self.links.is_empty() {
            return Vec::new();
        }
        let found: Vec<Option<&Row>> = rows.iter().map(|link| self.links.get(&(*link)?)).collect();
        let count = |of: fn(&Row) -> u64| Column::U64(found.iter().map(|row| row.map_or(0, of)).collect());
        let measure =
            |of: &dyn Fn(&Row) -> f64| Column::F64(found.iter().map(|row| row.map_or(f64::NAN, of)).collect());
        vec![
            ("extra_buffer_episodes", count(|row| row.episodes)),
            ("extra_buffer_bits", measure(&|row| ratio(row.area, seconds(self.window)))),
            ("mean_extra_buffer_bits", measure(&|row| ratio(row.sum_of_most, row.episodes as f64))),
            ("max_extra_buffer_bits", count(|row| row.most)),
        ]
    }

    /// The same of all links together.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let total = |of: fn(&Row) -> f64| self.links.values().map(of).sum::<f64>();
        let episodes = total(|row| row.episodes as f64);
        let most = self.links.values().map(|row| row.most).max();
        let figures = [
            Figure { name: "extra_buffer_episodes", value: episodes, unit: "1" },
            Figure { name: "extra_buffer", value: ratio(total(|row| row.area), seconds(self.window)), unit: "bit" },
            Figure { name: "mean_extra_buffer", value: ratio(total(|row| row.sum_of_most), episodes), unit: "bit" },
            Figure { name: "max_extra_buffer", value: most.unwrap_or(0) as f64, unit: "bit" },
        ];
        figures.into_iter().filter(|figure| !self.links.is_empty() && figure.value.is_finite()).collect()
    }
}
