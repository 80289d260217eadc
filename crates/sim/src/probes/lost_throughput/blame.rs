//! Who is to blame for each reduction of a window, found from the drops (`docs/decisions/0010`).

use super::account::{Account, Lost, Reduction, ReductionKind};
use super::drops::{Dropped, Drops};
use crate::engine::observe::probe::{FlowLife, RunSoFar};
use crate::engine::packet::admission::Cause;
use crate::probes::about::Named;
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

/// What can be to blame, with its column of `flows`, in bit/s, and its figure of the summary, a share.
struct Blamed {
    why: Why,
    column: Named,
    figure: Named,
}

macro_rules! blamed {
    ($($why:ident: $name:literal, $words:literal, $meaning:literal;)+) => {
        [$(Blamed {
            why: Why::$why,
            column: (concat!("lost_to_", $name, "_bps"), $meaning),
            figure: (
                concat!("lost_to_", $name),
                concat!("The share of the lost throughput for which the cause is: ", $words, "."),
            ),
        }),+]
    };
}

const ALL: [Blamed; 10] = blamed! {
    Contention: "contention", "contention", "bursts that found no wavelength";
    Congestion: "congestion", "congestion",
        "full buffers, queue disciplines, marks; the share of other flows on the link is here too";
    Nights: "nights", "nights",
        "between racks, and over rotor switches: packets for which there was no room while their rack had no circuit";
    Random: "random_loss", "random loss", "the scenario's random losses and ordered ones";
    Reordering: "reordering", "reordering", "fast retransmits although nothing was dropped";
    FalseTimeouts: "false_timeouts", "false timeouts", "timeouts although nothing was dropped";
    WindowLimits: "window_limits", "window limits", "the receiver's window, `max_window`";
    Application: "application", "application", "times at which nothing waited to be sent";
    Sender: "sender", "sender", "the first slow start, and rate that a law gives up without a loss or a mark";
    Rest: "rest", "rest",
        "late ACKs, as after a wait for a circuit; drops for other causes; the model's error: it can be below zero";
};

const WHOLE_COLUMN: Named = ("lost_bps", "the payload rate of the slowest link of its path less its goodput");
const WHOLE_FIGURE: Named =
    ("mean_lost_throughput", "The mean by which a TCP flow stayed below the payload rate of its slowest link.");

/// The columns of the table of flows.
pub(super) fn columns() -> Vec<Named> {
    std::iter::once(WHOLE_COLUMN).chain(ALL.iter().map(|one| one.column)).collect()
}

/// The figures of the summary.
pub(super) fn figures() -> Vec<Named> {
    std::iter::once(WHOLE_FIGURE).chain(ALL.iter().map(|one| one.figure)).collect()
}

/// Bytes by cause, in the order of [`ALL`].
type Bytes = [f64; ALL.len()];

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
    /// From the accounts of flows and all drops of a run that is over.
    pub(super) fn new(mut accounts: BTreeMap<u32, Box<Account>>, drops: Drops, run: &RunSoFar) -> LostRows {
        let (drops, known_until) = drops.by_flow();
        let blame = |cause: Cause| why(cause.name(run.causes));
        let rows = (0..).zip(run.flows).map(|(number, flow)| {
            let account = accounts.remove(&number)?;
            let (first, past) = bounds(&drops, number);
            Some(Case { drops: &drops[first..past], known_until, blame: &blame }.row(*account, flow))
        });
        LostRows { rows: rows.collect(), has_nights: run.causes.iter().any(|cause| why(cause) == Why::Nights) }
    }

    /// What can be to blame: nights only where there are some.
    fn blamed(&self) -> impl Iterator<Item = &'static Blamed> + use<> {
        let has_nights = self.has_nights;
        ALL.iter().filter(move |one| has_nights || one.why != Why::Nights)
    }

    /// Columns of the table of flows.
    pub(super) fn columns(&self) -> Vec<(&'static str, Column)> {
        let column = |of: &dyn Fn(&Bytes) -> f64| {
            let bps = |row: &LostRow| ratio(of(&row.bytes) * 8.0, row.life_s);
            Column::F64(self.rows.iter().map(|row| row.as_ref().map_or(f64::NAN, bps)).collect())
        };
        let mut columns = vec![(WHOLE_COLUMN.0, column(&|bytes| bytes.iter().sum()))];
        columns.extend(self.blamed().map(|one| (one.column.0, column(&|bytes| bytes[one.why as usize]))));
        columns
    }

    /// The mean of what a flow lost while it was there, and what share of it was whose.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let rows = || self.rows.iter().flatten();
        let total = |why: Why| rows().map(|row| row.bytes[why as usize]).sum::<f64>();
        let (life, all) = (rows().map(|row| row.life_s).sum::<f64>(), ALL.iter().map(|one| total(one.why)).sum());
        let mean = Figure { name: WHOLE_FIGURE.0, value: ratio(all * 8.0, life), unit: "bps" };
        let share = |one: &Blamed| Figure { name: one.figure.0, value: ratio(total(one.why), all), unit: "1" };
        let figures = std::iter::once(mean).chain(self.blamed().map(share));
        figures.filter(|figure| figure.value.is_finite()).collect()
    }
}

/// `a / b`, NaN if `b` is zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
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
    /// What the flow lost.
    fn row(&self, account: Account, flow: &FlowLife) -> LostRow {
        let until = (flow.end_s * PS_PER_SECOND as f64) as u64;
        let (rate, life_s) = (account.rate() * PS_PER_SECOND as f64, flow.end_s - flow.start_s);
        let mut bytes = self.divide(&account.total(until));
        // What was lost in all is known; what no cause explains is the rest.
        let rest = rate * life_s - flow.arrived as f64 - bytes.iter().sum::<f64>();
        bytes[Why::Rest as usize] += rest;
        LostRow { bytes, life_s }
    }

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
