//! Why flows did not get the whole of their paths: who is to blame for each reduction of a window, found from the drops
//! (`docs/decisions/0010`).

use super::flows::FlowRow;
use super::{End, ratio};
use crate::engine::execute::layout::Partitions;
use crate::engine::observe::loss_attribution::{Dropped, Drops, Lost, Reduction, ReductionKind};
use crate::engine::observe::observers::Observers;
use crate::engine::packet::admission::Cause;
use crate::results::{Column, Figure};
use std::collections::BTreeMap;
use units::PS_PER_SECOND;

/// What can keep a flow from the rate of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Contention,
    Congestion,
    Nights,
    Random,
    Reordering,
    FalseTimeouts,
    WindowLimits,
    Application,
    Sender,
    Rest,
}

/// Its column of `flows`, in bit/s, and its figure in the summary, a share.
const WHYS: [(Why, &str, &str); 10] = [
    (Why::Contention, "lost_to_contention_bps", "lost_to_contention"),
    (Why::Congestion, "lost_to_congestion_bps", "lost_to_congestion"),
    (Why::Nights, "lost_to_nights_bps", "lost_to_nights"),
    (Why::Random, "lost_to_random_loss_bps", "lost_to_random_loss"),
    (Why::Reordering, "lost_to_reordering_bps", "lost_to_reordering"),
    (Why::FalseTimeouts, "lost_to_false_timeouts_bps", "lost_to_false_timeouts"),
    (Why::WindowLimits, "lost_to_window_limits_bps", "lost_to_window_limits"),
    (Why::Application, "lost_to_application_bps", "lost_to_application"),
    (Why::Sender, "lost_to_sender_bps", "lost_to_sender"),
    (Why::Rest, "lost_to_rest_bps", "lost_to_rest"),
];

/// Bytes by cause, in the order of [`WHYS`].
type Bytes = [f64; WHYS.len()];

/// What the flows lost.
pub(super) struct LostRows {
    /// One a flow; nothing for those without an account.
    rows: Vec<Option<LostRow>>,
    /// Whether there are nights.
    has_nights: bool,
}

/// What a flow lost in its whole life.
struct LostRow {
    bytes: Bytes,
    life_s: f64,
}

impl LostRows {
    /// `None` where nobody asked.
    pub(super) fn read(end: &End, flows: &[FlowRow], parts: &mut Partitions) -> Option<LostRows> {
        let lists = parts.list.iter_mut().filter_map(|part| Observers::of_mut(&mut part.fabric)?.drops.take());
        let lists: Vec<Drops> = lists.map(|drops| *drops).collect();
        if lists.is_empty() {
            return None;
        }
        let (drops, known_until) = Drops::merged(lists.into_iter()).by_flow();
        let agents = end.scenario.plan.wording().causes;
        let blame = |cause: Cause| why(cause.name(agents));
        let rows = (0..).zip(flows).map(|(number, flow)| {
            let account = parts.take_loss_attribution(number)?;
            let (first, past) = bounds(&drops, number);
            let until = (flow.end_s * PS_PER_SECOND as f64) as u64;
            let (rate, life_s) = (account.rate() * PS_PER_SECOND as f64, flow.end_s - flow.start_s);
            let case = Case { drops: &drops[first..past], known_until, blame: &blame };
            let mut bytes = case.divide(&account.total(until));
            // What was lost in all is known; what no cause explains is the rest.
            let rest = rate * life_s - flow.totals.arrived as f64 - bytes.iter().sum::<f64>();
            bytes[Why::Rest as usize] += rest;
            Some(LostRow { bytes, life_s })
        });
        Some(LostRows { rows: rows.collect(), has_nights: agents.iter().any(|cause| why(cause) == Why::Nights) })
    }

    /// What can be to blame: nights only where there are some.
    fn whys(&self) -> impl Iterator<Item = &'static (Why, &'static str, &'static str)> + use<> {
        let has_nights = self.has_nights;
        WHYS.iter().filter(move |(why, ..)| has_nights || *why != Why::Nights)
    }

    /// Columns of the table of flows.
    pub(super) fn columns(&self) -> Vec<(&'static str, Column)> {
        let column = |of: &dyn Fn(&Bytes) -> f64| {
            let bps = |row: &LostRow| ratio(of(&row.bytes) * 8.0, row.life_s);
            Column::F64(self.rows.iter().map(|row| row.as_ref().map_or(f64::NAN, bps)).collect())
        };
        let mut columns = vec![("lost_bps", column(&|bytes| bytes.iter().sum()))];
        columns.extend(self.whys().map(|(why, name, _)| (*name, column(&|bytes| bytes[*why as usize]))));
        columns
    }

    /// The mean of what a flow lost while it was there, and what share of it was whose.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let rows = || self.rows.iter().flatten();
        let total = |why: Why| rows().map(|row| row.bytes[why as usize]).sum::<f64>();
        let (life, all) = (rows().map(|row| row.life_s).sum::<f64>(), WHYS.iter().map(|(why, ..)| total(*why)).sum());
        let mean = Figure { name: "mean_lost_throughput", value: ratio(all * 8.0, life), unit: "bps" };
        let shares = self.whys().map(|(why, _, name)| Figure { name, value: ratio(total(*why), all), unit: "1" });
        std::iter::once(mean).chain(shares).filter(|figure| figure.value.is_finite()).collect()
    }
}

/// Where the drops of a flow begin and end in a list ordered by flow.
fn bounds(drops: &[Dropped], flow: u32) -> (usize, usize) {
    (drops.partition_point(|drop| drop.flow < flow), drops.partition_point(|drop| drop.flow <= flow))
}

/// The words of the table of drops.
fn why(cause: &str) -> Why {
    match cause {
        "contention" => Why::Contention,
        "congestion" | "early" => Why::Congestion,
        "random" | "forced" => Why::Random,
        "night" | "waiting for a circuit" => Why::Nights,
        _ => Why::Rest,
    }
}

/// The evidence about a flow.
struct Case<'a> {
    /// Its drops in the order of time.
    drops: &'a [Dropped],
    /// Drops from then on may be missing.
    known_until: u64,
    blame: &'a dyn Fn(Cause) -> Why,
}

/// A dropped segment that has not been delivered since.
#[derive(Clone, Copy)]
struct Missing {
    why: Why,
    /// Whether a reduction has been put down to it.
    is_claimed: bool,
}

impl Case<'_> {
    /// All that a flow lost, by cause.
    fn divide(&self, lost: &Lost) -> Bytes {
        let mut bytes = Bytes::default();
        bytes[Why::Application as usize] = lost.application;
        bytes[Why::WindowLimits as usize] = lost.limits;
        bytes[Why::Sender as usize] = lost.sender;
        bytes[Why::Congestion as usize] = lost.marks;
        let mut missing = BTreeMap::new();
        let mut drops = self.drops.iter().peekable();
        for cut in lost.cuts.iter().filter(|cut| cut.at < self.known_until) {
            while let Some(drop) = drops.next_if(|drop| drop.at <= cut.at) {
                missing.insert(drop.seq, Missing { why: (self.blame)(drop.cause), is_claimed: false });
            }
            missing = missing.split_off(&cut.una);
            share_out(cut, &accused(cut, &mut missing), &mut bytes);
        }
        bytes
    }
}

/// Those whom a reduction is put down to: the drops in its window that no reduction before it was put down to, or else
/// those that are still missing; nobody if there are none.
fn accused(cut: &Reduction, missing: &mut BTreeMap<u64, Missing>) -> Vec<Why> {
    let window = cut.una..cut.end.max(cut.una);
    let fresh: Vec<Why> =
        missing.range(window.clone()).filter(|(_, one)| !one.is_claimed).map(|(_, one)| one.why).collect();
    if fresh.is_empty() {
        return missing.range(window).map(|(_, one)| one.why).collect();
    }
    missing.range_mut(window).for_each(|(_, one)| one.is_claimed = true);
    fresh
}

/// What a reduction cost goes to the accused in equal parts. If there are none it was needless, and who waited for the
/// timer waited for an ACK that came late anyway.
fn share_out(cut: &Reduction, accused: &[Why], bytes: &mut Bytes) {
    if accused.is_empty() {
        let why = match cut.kind {
            ReductionKind::FastRetransmit => Why::Reordering,
            ReductionKind::Timeout => Why::FalseTimeouts,
        };
        bytes[why as usize] += cut.cost;
    }
    for why in accused {
        bytes[*why as usize] += (cut.cost + cut.wait) / accused.len() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(at: u64, una: u64, end: u64, kind: ReductionKind) -> Reduction {
        Reduction { at, una, end, kind, cost: 10.0, wait: 4.0 }
    }

    fn dropped(at: u64, seq: u64, cause: Cause) -> Dropped {
        Dropped { flow: 0, at, seq, cause }
    }

    fn divided(drops: &[Dropped], cuts: Vec<Reduction>) -> Bytes {
        let case = Case { drops, known_until: 1000, blame: &|cause| why(cause.name(&["contention"])) };
        case.divide(&Lost { cuts, ..Lost::default() })
    }

    #[test]
    fn a_reduction_is_put_down_to_the_drops_in_its_window_by_their_number() {
        let drops = [
            dropped(1, 0, Cause::Congestion),
            dropped(2, 10, Cause::Random),
            dropped(3, 20, Cause::Random),
            dropped(4, 30, Cause::Agent(0)),
            dropped(9, 15, Cause::Congestion),
        ];
        // Byte 0 is acknowledged, 30 was not sent by then as far as the window goes, and 15 was dropped later.
        let bytes = divided(&drops, vec![cut(5, 10, 30, ReductionKind::FastRetransmit)]);
        assert_eq!((bytes[Why::Random as usize], bytes.iter().sum::<f64>()), (14.0, 14.0));
        let bytes = divided(&drops, vec![cut(5, 10, 40, ReductionKind::FastRetransmit)]);
        assert_eq!([Why::Random, Why::Contention].map(|why| bytes[why as usize]), [14.0 * 2.0 / 3.0, 14.0 / 3.0]);
    }

    #[test]
    fn a_timeout_for_a_hole_that_nobody_repaired_has_the_cause_of_the_hole() {
        let drops = [dropped(1, 0, Cause::Random), dropped(2, 10, Cause::Random)];
        let cuts = vec![cut(5, 0, 40, ReductionKind::FastRetransmit), cut(9, 10, 40, ReductionKind::Timeout)];
        assert_eq!(divided(&drops, cuts)[Why::Random as usize], 28.0);
    }

    #[test]
    fn a_reduction_without_a_drop_was_needless() {
        let cuts = vec![cut(5, 0, 40, ReductionKind::FastRetransmit), cut(9, 10, 40, ReductionKind::Timeout)];
        let bytes = divided(&[dropped(1, 50, Cause::Random)], cuts);
        // Who waited for the timer would have waited for the ACK.
        assert_eq!([Why::Reordering, Why::FalseTimeouts].map(|why| bytes[why as usize]), [10.0, 10.0]);
        assert_eq!(bytes.iter().sum::<f64>(), 20.0);
    }

    #[test]
    fn what_is_not_known_has_no_cause() {
        assert_eq!(divided(&[], vec![cut(1000, 0, 40, ReductionKind::Timeout)]).iter().sum::<f64>(), 0.0);
    }
}
