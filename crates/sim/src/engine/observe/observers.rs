//! Those who watch a partition, as one [`Observer`].

use super::capture::Capture;
use super::probe::{AnyProbe, Report, RunSoFar};
use super::trace::{Trace, merged};
use crate::engine::execute::layout::Partitions;
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, Leaving, What};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::said::Said;
use crate::engine::packet::state::Owners;
use crate::engine::packet::{DropPlace, Packet, PayloadTable, Stamp};
use std::any::Any;
use transport::tcp::{Sender, SenderStats};

/// What is asked for of a partition.
#[derive(Debug, Default)]
pub struct Observers {
    /// What happened, one event after the other.
    pub trace: Option<Box<Trace>>,
    /// Packets to be written to a capture file.
    pub capture: Option<Capture>,
    /// What is measured besides.
    pub probes: Vec<Box<dyn AnyProbe>>,
}

impl Observer for Observers {
    fn at_link(&mut self, event: Event, packet: &Packet, payloads: &PayloadTable) {
        if let Some(capture) = &mut self.capture {
            capture.write_at_link(&event, packet, payloads);
        }
        if let Some(trace) = &mut self.trace {
            trace.note_packet(event);
        }
        self.probes.iter_mut().for_each(|probe| probe.at_link(event, packet, payloads));
    }

    fn at_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        if let Some(trace) = &mut self.trace {
            trace.note_at_host(now, what, packet, value);
        }
        self.probes.iter_mut().for_each(|probe| probe.at_host(now, what, packet, value));
    }

    fn passed_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        if let Some(capture) = &mut self.capture {
            capture.write_at_host(now, packet, said);
        }
        self.probes.iter_mut().for_each(|probe| probe.passed_host(now, packet, said));
    }

    fn at_agent(&mut self, event: Event, flows: &mut dyn Iterator<Item = u32>) {
        if let Some(trace) = &mut self.trace {
            trace.note_unit(event, flows);
        }
    }

    fn retimed(&mut self, now: u64, link: u32, expected: &[Leaving], planned: &[Leaving]) {
        if let Some(trace) = &mut self.trace {
            trace.amend(link, expected, planned);
        }
        if let Some(capture) = &mut self.capture {
            capture.amend(now, link, expected, planned);
        }
        self.probes.iter_mut().for_each(|probe| probe.retimed(now, link, expected, planned));
    }

    fn went_down(&mut self, now: u64, link: u32) {
        if let Some(capture) = &mut self.capture {
            capture.forget(now, link);
        }
        self.probes.iter_mut().for_each(|probe| probe.went_down(now, link));
    }

    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        self.probes.iter_mut().for_each(|probe| probe.delivered(now, packet, stamp));
    }

    fn sender_called(&mut self, now: u64, flow: u32, sender: &Sender, sends: bool) {
        self.probes.iter_mut().for_each(|probe| probe.sender_called(now, flow, sender, sends));
    }

    fn machine_called(&mut self, now: u64, flow: u32, shown: &dyn Any) {
        self.probes.iter_mut().for_each(|probe| probe.machine_called(now, flow, shown));
    }

    fn dropped(&mut self, now: u64, place: DropPlace, cause: Cause, packet: &Packet) {
        // A drop at a link has been told as an event there.
        if let (Some(trace), DropPlace::Host(_)) = (&mut self.trace, place) {
            trace.note_drop_at_host(now, cause, packet);
        }
        self.probes.iter_mut().for_each(|probe| probe.dropped(now, place, cause, packet));
    }

    fn drop_feigned(&mut self, now: u64, ack: &Packet) {
        self.probes.iter_mut().for_each(|probe| probe.drop_feigned(now, ack));
    }

    fn needs_order(&self) -> bool {
        self.trace.is_some() || self.capture.is_some() || self.probes.iter().any(|probe| probe.needs_order())
    }
}

impl Observers {
    /// Those of a partition, if there are any.
    pub fn of(fabric: &Fabric) -> Option<&Observers> {
        (&**fabric.observer.as_ref()? as &dyn Any).downcast_ref()
    }

    /// The same, to be changed.
    pub fn of_mut(fabric: &mut Fabric) -> Option<&mut Observers> {
        (&mut **fabric.observer.as_mut()? as &mut dyn Any).downcast_mut()
    }

    /// Those that a fabric calls by the name of their trait.
    pub fn unboxed(observer: Box<dyn Observer>) -> Option<Observers> {
        (observer as Box<dyn Any>).downcast().ok().map(|observers| *observers)
    }

    /// As a fabric calls them. Nobody watches where nothing is asked for.
    pub fn boxed(self) -> Option<Box<dyn Observer>> {
        let asks = self.trace.is_some() || self.capture.is_some() || !self.probes.is_empty();
        asks.then(|| Box::new(self) as Box<dyn Observer>)
    }

    /// They watch this partition from now on.
    pub fn watch(self, fabric: &mut Fabric) {
        fabric.observer = self.boxed();
    }

    /// Those of the partitions of `after`, if these were those of `before`. A file and what was traced go to the first.
    pub fn split(old: Vec<Observers>, before: &dyn Owners, after: &dyn Owners) -> Vec<Observers> {
        let mut all: Vec<Observers> = (0..after.parts()).map(|_| Observers::default()).collect();
        let (mut traces, mut probes) = (Vec::new(), Vec::new());
        for Observers { trace, capture, probes: own } in old {
            all[0].capture = all[0].capture.take().or(capture);
            traces.extend(trace.map(|trace| *trace));
            probes.push(own);
        }
        for same in transposed(probes) {
            let mut same = same.into_iter();
            let moved = same.next().map(|first| first.moved(same.collect(), before, after));
            all.iter_mut().zip(moved.into_iter().flatten()).for_each(|(part, probe)| part.probes.push(probe));
        }
        Observers::go_on_tracing(&mut all, traces);
        all
    }

    /// What the probes of all partitions have seen.
    pub fn report(parts: Vec<&mut Observers>, run: &RunSoFar) -> Report {
        let of_part = |part| Observers::probes_mut(part).collect();
        let probes: Vec<Vec<&mut dyn AnyProbe>> = parts.into_iter().map(of_part).collect();
        let reports = transposed(probes).into_iter().filter_map(|same| {
            let mut same = same.into_iter();
            same.next().map(|first| first.report(same.collect(), run))
        });
        Report::joined(reports.collect())
    }

    fn probes_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyProbe> {
        self.probes.iter_mut().map(|probe| &mut **probe)
    }

    /// What has been traced so far stays in the first, in its order; all go on.
    fn go_on_tracing(all: &mut [Observers], traces: Vec<Trace>) {
        let Some((rules, whole)) = merged(traces.into_iter()) else { return };
        let taken = whole.taken;
        let Some((first, others)) = all.split_first_mut() else { return };
        let trace = first.trace.insert(Box::new(Trace::going_on(rules.clone(), whole)));
        if others.is_empty() {
            trace.go_alone();
        }
        others.iter_mut().for_each(|one| one.trace = Some(Box::new(Trace::beside(rules.clone(), taken))));
    }
}

/// The probes of each partition, probe by probe.
fn transposed<T>(parts: Vec<Vec<T>>) -> Vec<Vec<T>> {
    let mut probes: Vec<Vec<T>> = Vec::new();
    for part in parts {
        probes.resize_with(part.len(), Vec::new);
        part.into_iter().zip(&mut probes).for_each(|(probe, same)| same.push(probe));
    }
    probes
}

impl Partitions<'_> {
    /// What all probes have seen.
    pub fn report(&mut self, run: &RunSoFar) -> Report {
        let observers = self.list.iter_mut().filter_map(|part| Observers::of_mut(&mut part.fabric));
        Observers::report(observers.collect(), run)
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        let observers = self.list.iter_mut().filter_map(|part| Observers::of_mut(&mut part.fabric));
        observers.for_each(|all| all.probes.iter_mut().for_each(|probe| probe.end_warm_up()));
    }

    /// What probes sample of a flow of TCP.
    pub fn probe_flow(&mut self, flow: u32, sender: SenderStats) -> Vec<(&'static str, f64)> {
        let part = &mut self.list[self.layout.sink_of(flow) as usize];
        let probes = Observers::of_mut(&mut part.fabric).into_iter().flat_map(|all| &mut all.probes);
        probes.flat_map(|probe| probe.sample(flow, sender)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::observe::probe::{Probe, ProbeSite};
    use crate::engine::packet::Class;
    use crate::engine::packet::state::{Summed, state};
    use crate::results::Figure;

    state! {
        /// Counts packets that arrive.
        #[derive(Clone, Debug)]
        pub struct Arrivals {
            count: u64, Summed;
        }
    }

    impl Observer for Arrivals {
        fn delivered(&mut self, _: u64, _: &Packet, _: Stamp) {
            self.count += 1;
        }
    }

    impl Probe for Arrivals {
        fn begin(&mut self, site: &mut dyn ProbeSite) {
            site.stamp_packets();
        }

        fn report(seen: Vec<&mut Arrivals>, run: &RunSoFar) -> Report {
            let count = seen.iter().map(|part| part.count).sum::<u64>() as f64;
            assert!(!run.is_over);
            Report { figures: vec![Figure { name: "arrivals", value: count, unit: "1" }], ..Report::default() }
        }
    }

    /// So many partitions, whoever owns what.
    struct Parts(u32);

    impl Owners for Parts {
        fn parts(&self) -> u32 {
            self.0
        }
        fn now(&self) -> u64 {
            0
        }
        fn source_of(&self, _: u32) -> u32 {
            0
        }
        fn sink_of(&self, _: u32) -> u32 {
            0
        }
        fn agent_of(&self, _: u32) -> u32 {
            0
        }
        fn port_of(&self, _: u32) -> u32 {
            0
        }
        fn fibre_of(&self, _: u32) -> u32 {
            0
        }
        fn path_of(&self, _: u32) -> u32 {
            0
        }
    }

    #[test]
    fn where_nothing_is_asked_for_nobody_watches() {
        let mut fabric = Fabric::default();
        Observers::default().watch(&mut fabric);
        assert!(fabric.observer.is_none());
    }

    /// One packet before two partitions became three, and one after that in the last of them.
    #[test]
    fn probes_see_what_arrives_wherever_that_is() {
        let arrive = |observers: Observers| {
            let mut fabric = Fabric::default();
            observers.watch(&mut fabric);
            let packet = Packet { flow: 3, size: 1500, class: Class::Data, ..Packet::default() };
            fabric.observer.as_mut().unwrap().delivered(4_000_000_000, &packet, Stamp { at: 1_000_000_000, number: 7 });
            assert!(!fabric.observer.as_ref().unwrap().needs_order());
            Observers::unboxed(fabric.observer.take().unwrap()).unwrap()
        };
        let asked = || Observers { probes: vec![Box::new(Arrivals { count: 0 })], ..Observers::default() };
        let mut parts = Observers::split(vec![asked(), arrive(asked())], &Parts(2), &Parts(3));
        let last = arrive(parts.pop().unwrap());
        parts.push(last);
        let run = RunSoFar { run: 0, flows: &[], causes: &[], is_over: false };
        let report = Observers::report(parts.iter_mut().collect(), &run);
        assert_eq!((report.figures[0].value, parts.len()), (2.0, 3));
    }
}
