//! What is measured of a run beside its usual tables. A probe watches as an [`Observer`]; what it has seen moves with
//! the flows as every [`State`] does, and in the end it says it as columns, figures and tables.

use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{Owners, State};
use crate::model::{Flow, LinkId, Scenario};
use crate::results::{Column, Figure, Table};
use std::any::Any;
use transport::tcp::SenderStats;

/// What is measured, in a partition. It is declared with [`state!`](crate::engine::packet::state::state), so that what
/// belongs to a flow is where the flow is; and it changes nothing of a run.
pub trait Probe: Observer + State + Clone + Sync {
    /// Before anything happens it asks hosts for what it is to be told.
    fn begin(&mut self, site: &mut dyn ProbeSite);

    /// The warm-up is over.
    fn end_warm_up(&mut self) {}

    /// Samples of a flow of TCP that is received here, taken at the interval of `[probe]`; always the same quantities.
    fn sample(&mut self, flow: u32, sender: SenderStats) -> Vec<(&'static str, f64)> {
        let _ = (flow, sender);
        Vec::new()
    }

    /// What has been seen in all partitions.
    fn report(seen: Vec<&mut Self>, run: &RunSoFar) -> Report;

    /// Bytes of memory that it takes for each flow.
    fn bytes_per_flow(&self) -> f64 {
        0.0
    }

    /// How many quantities [`Probe::sample`] gives.
    fn samples_per_flow(&self) -> u64 {
        0
    }
}

/// The run that is about to be watched.
pub trait ProbeSite {
    /// What is run.
    fn scenario(&self) -> &Scenario;

    /// Its flows, by number.
    fn flows(&self) -> &[Flow];

    /// The links of a flow's path, as it is at first.
    fn path(&self, flow: u32) -> Box<dyn Iterator<Item = LinkId> + '_>;

    /// Whether flows keep their paths, and these their links.
    fn has_fixed_paths(&self) -> bool;

    /// Bytes of the headers of a flow's packets.
    fn header(&self, flow: u32) -> u16;

    /// Data packets and datagrams say when they leave and as which, but for those that carry a congestion header: then
    /// [`Observer::delivered`] is called for each that arrives.
    fn stamp_packets(&mut self);

    /// [`Observer::sender_called`] is called for the sender of this flow.
    fn watch_sender(&mut self, flow: u32);
}

/// A run at its end, or as far as it is.
pub struct RunSoFar<'a> {
    /// The replication.
    pub run: u32,
    /// What each flow did.
    pub flows: &'a [FlowLife],
    /// What agents call the reasons for which they drop packets.
    pub causes: &'static [&'static str],
    /// Whether it does not go on, so that what has been seen may be taken out.
    pub is_over: bool,
}

/// What a flow did.
#[derive(Clone, Copy, Debug)]
pub struct FlowLife {
    /// When it started.
    pub start_s: f64,
    /// When it ended, at the latest now.
    pub end_s: f64,
    /// Bytes that have arrived.
    pub arrived: u64,
}

/// What a probe says in the end.
#[derive(Debug, Default)]
pub struct Report {
    /// Columns of the table of flows.
    pub columns: Vec<(&'static str, Column)>,
    /// Figures of the summary.
    pub figures: Vec<Figure>,
    /// Tables of its own, by name.
    pub tables: Vec<(&'static str, Table)>,
}

impl Report {
    /// The reports of several probes as one.
    pub fn joined(all: Vec<Report>) -> Report {
        let mut joined = Report::default();
        for Report { columns, figures, tables } in all {
            joined.columns.extend(columns);
            joined.figures.extend(figures);
            joined.tables.extend(tables);
        }
        joined
    }
}

/// A probe whatever its type.
pub trait AnyProbe: Observer + Sync {
    /// Another one that is asked for the same.
    fn copied(&self) -> Box<dyn AnyProbe>;
    /// [`Probe::begin`].
    fn begin(&mut self, site: &mut dyn ProbeSite);
    /// [`Probe::end_warm_up`].
    fn end_warm_up(&mut self);
    /// [`Probe::sample`].
    fn sample(&mut self, flow: u32, sender: SenderStats) -> Vec<(&'static str, f64)>;
    /// [`Probe::report`] of this one and those of the other partitions.
    fn report(&mut self, others: Vec<&mut dyn AnyProbe>, run: &RunSoFar) -> Report;
    /// What this one and those of the other partitions have seen goes where its owners are.
    fn moved(
        self: Box<Self>,
        others: Vec<Box<dyn AnyProbe>>,
        before: &dyn Owners,
        after: &dyn Owners,
    ) -> Vec<Box<dyn AnyProbe>>;
    /// [`Probe::bytes_per_flow`].
    fn bytes_per_flow(&self) -> f64;
    /// [`Probe::samples_per_flow`].
    fn samples_per_flow(&self) -> u64;
}

/// Every partition has the same probes in the same order.
const OF_ONE_TYPE: &str = "the probes of other partitions stand in the same order";

impl<P: Probe> AnyProbe for P {
    fn copied(&self) -> Box<dyn AnyProbe> {
        Box::new(self.clone())
    }

    fn begin(&mut self, site: &mut dyn ProbeSite) {
        Probe::begin(self, site);
    }

    fn end_warm_up(&mut self) {
        Probe::end_warm_up(self);
    }

    fn sample(&mut self, flow: u32, sender: SenderStats) -> Vec<(&'static str, f64)> {
        Probe::sample(self, flow, sender)
    }

    fn report(&mut self, others: Vec<&mut dyn AnyProbe>, run: &RunSoFar) -> Report {
        let others = others.into_iter().map(|one| (one as &mut dyn Any).downcast_mut().expect(OF_ONE_TYPE));
        P::report(std::iter::once(self).chain(others).collect(), run)
    }

    fn moved(
        self: Box<Self>,
        others: Vec<Box<dyn AnyProbe>>,
        before: &dyn Owners,
        after: &dyn Owners,
    ) -> Vec<Box<dyn AnyProbe>> {
        let others = others.into_iter().map(|one| *(one as Box<dyn Any>).downcast().expect(OF_ONE_TYPE));
        let all = P::merge(std::iter::once(*self).chain(others).collect(), before);
        all.split(after).into_iter().map(|one| Box::new(one) as Box<dyn AnyProbe>).collect()
    }

    fn bytes_per_flow(&self) -> f64 {
        Probe::bytes_per_flow(self)
    }

    fn samples_per_flow(&self) -> u64 {
        Probe::samples_per_flow(self)
    }
}

impl Clone for Box<dyn AnyProbe> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}
