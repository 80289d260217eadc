//! Those who watch a partition, as one [`Observer`].

use super::capture::Capture;
use super::delays::Delays;
use super::flow_delays::{FlowDelay, FlowDelays};
use super::loss_attribution::{Drops, LossAttribution};
use super::reordering::{FlowReordering, Reordering};
use super::trace::{Trace, merged};
use crate::engine::execute::layout::{PartitionLayout, Partitions};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, Leaving, What};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::said::Said;
use crate::engine::packet::{DropPlace, Packet, PayloadTable, Stamp};
use std::any::Any;
use std::collections::BTreeMap;
use transport::tcp::Sender;

/// What is asked for of a partition.
#[derive(Debug, Default)]
pub struct Observers {
    /// What happened, one event after the other.
    pub trace: Option<Box<Trace>>,
    /// Packets to be written to a capture file.
    pub capture: Option<Capture>,
    /// How long packets were on their way.
    pub delays: Option<Box<Delays>>,
    /// The same, its variation and losses by flow.
    pub flow_delays: Option<Box<FlowDelays>>,
    /// How far they are out of order.
    pub reordering: Option<Box<Reordering>>,
    /// What flows did not get of their paths, by flow.
    pub accounts: BTreeMap<u32, Box<LossAttribution>>,
    /// Dropped segments one by one.
    pub drops: Option<Box<Drops>>,
}

impl Observer for Observers {
    fn at_link(&mut self, event: Event, packet: &Packet, payloads: &PayloadTable) {
        if let Some(capture) = &mut self.capture {
            capture.write_at_link(&event, packet, payloads);
        }
        if let Some(trace) = &mut self.trace {
            trace.note_packet(event);
        }
    }

    fn at_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        if let Some(trace) = &mut self.trace {
            trace.note_at_host(now, what, packet, |event| Event { value, ..event });
        }
    }

    fn passed_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        if let Some(capture) = &mut self.capture {
            capture.write_at_host(now, packet, said);
        }
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
    }

    fn went_down(&mut self, now: u64, link: u32) {
        if let Some(capture) = &mut self.capture {
            capture.forget(now, link);
        }
    }

    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        if let Some(delays) = &mut self.delays {
            delays.record(packet.flow, packet.size, stamp.at, now);
        }
        if let Some(delays) = &mut self.flow_delays {
            delays.record(now, packet.flow, stamp.at, stamp.number);
        }
        if let Some(reordering) = &mut self.reordering {
            reordering.record(now, packet.flow, stamp.number);
        }
    }

    fn sender_called(&mut self, now: u64, flow: u32, sender: &Sender, sends: bool) {
        if let Some(account) = self.accounts.get_mut(&flow) {
            account.look(now, sender, sends);
        }
    }

    fn dropped(&mut self, now: u64, place: DropPlace, cause: Cause, packet: &Packet) {
        // A drop at a link has been told as an event there.
        if let (Some(trace), DropPlace::Host(_)) = (&mut self.trace, place) {
            trace.note_at_host(now, What::Drop, packet, |event| Event { cause: Some(cause), ..event });
        }
        if let Some(drops) = &mut self.drops {
            drops.note(now, cause, packet);
        }
    }

    fn drop_feigned(&mut self, now: u64, ack: &Packet) {
        if let Some(drops) = &mut self.drops {
            drops.note_feigned(now, ack);
        }
    }

    fn needs_order(&self) -> bool {
        self.trace.is_some() || self.capture.is_some() || self.drops.is_some()
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
        let of_arrivals = self.delays.is_some() || self.flow_delays.is_some() || self.reordering.is_some();
        let asks = of_arrivals || !self.accounts.is_empty() || self.needs_order();
        asks.then(|| Box::new(self) as Box<dyn Observer>)
    }

    /// They watch this partition from now on.
    pub fn watch(self, fabric: &mut Fabric) {
        fabric.observer = self.boxed();
    }

    /// Asked for the same by packets, and nothing has been seen. A file, the accounts of flows and what was traced are
    /// in one place.
    fn anew(&self) -> Observers {
        Observers {
            delays: self.delays.as_ref().map(|delays| Box::new(delays.anew())),
            flow_delays: self.flow_delays.as_ref().map(|delays| Box::new(delays.anew())),
            reordering: self.reordering.as_ref().map(|reordering| Box::new(reordering.anew())),
            drops: self.drops.as_ref().map(|_| Box::default()),
            ..Observers::default()
        }
    }

    /// Those of each partition of `layout`, if these were those of another layout. What has been seen of a flow goes
    /// with its end, all else to the first.
    pub fn split(old: Vec<Observers>, layout: &PartitionLayout) -> Vec<Observers> {
        let anew = |_| old.first().map(Observers::anew).unwrap_or_default();
        let mut all: Vec<Observers> = (0..layout.parts).map(anew).collect();
        let (mut traces, mut lists) = (Vec::new(), Vec::new());
        for Observers { trace, capture, delays, flow_delays, reordering, accounts, drops } in old {
            all[0].capture = all[0].capture.take().or(capture);
            if let (Some(sum), Some(delays)) = (&mut all[0].delays, &delays) {
                sum.add(delays);
            }
            for (flow, seen) in flow_delays.map(|mut delays| delays.take()).unwrap_or_default() {
                if let Some(delays) = &mut all[layout.sink_of(flow) as usize].flow_delays {
                    delays.put(flow, seen);
                }
            }
            for (flow, seen) in reordering.map(|mut reordering| reordering.take()).unwrap_or_default() {
                if let Some(reordering) = &mut all[layout.sink_of(flow) as usize].reordering {
                    reordering.put(flow, seen);
                }
            }
            for (flow, account) in accounts {
                all[layout.source_of(flow) as usize].accounts.insert(flow, account);
            }
            traces.extend(trace.map(|trace| *trace));
            lists.extend(drops.map(|drops| *drops));
        }
        if let Some(drops) = &mut all[0].drops {
            **drops = Drops::merged(lists.into_iter());
        }
        Observers::go_on_tracing(&mut all, traces);
        all
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

impl Partitions<'_> {
    /// Takes the account of what a flow did not get, if there is one.
    pub fn take_loss_attribution(&mut self, flow: u32) -> Option<LossAttribution> {
        let part = &mut self.list[self.layout.source_of(flow) as usize];
        Observers::of_mut(&mut part.fabric)?.accounts.remove(&flow).map(|account| *account)
    }

    /// Whether the delays of each flow are measured.
    pub fn asks_for_flow_delays(&self) -> bool {
        self.list.iter().any(|part| Observers::of(&part.fabric).is_some_and(|all| all.flow_delays.is_some()))
    }

    /// How long the packets of a flow were on their way, if that is measured and any have arrived.
    pub fn flow_delay(&self, flow: u32) -> Option<&FlowDelay> {
        let part = &self.list[self.layout.sink_of(flow) as usize];
        Observers::of(&part.fabric)?.flow_delays.as_ref()?.of(flow)
    }

    /// Whether the order of packets is measured.
    pub fn asks_for_reordering(&self) -> bool {
        self.list.iter().any(|part| Observers::of(&part.fabric).is_some_and(|all| all.reordering.is_some()))
    }

    /// How far the packets of a flow arrived out of order, if that is measured and any have arrived.
    pub fn reordering(&self, flow: u32) -> Option<&FlowReordering> {
        let part = &self.list[self.layout.sink_of(flow) as usize];
        Observers::of(&part.fabric)?.reordering.as_ref()?.of(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::packet::Class;
    use std::sync::Arc;

    #[test]
    fn where_nothing_is_asked_for_nobody_watches() {
        let mut fabric = Fabric::default();
        Observers::default().watch(&mut fabric);
        assert!(fabric.observer.is_none());
    }

    /// A packet of flow 3, number 7, sent at 1 ms and delivered at 4 ms.
    #[test]
    fn each_is_told_what_it_asks_for() {
        let mut fabric = Fabric::default();
        let (delays, reordering) = (Box::new(Delays::new(Arc::from([]))), Box::new(Reordering::new(3)));
        Observers { delays: Some(delays), reordering: Some(reordering), ..Observers::default() }.watch(&mut fabric);
        let packet = Packet { flow: 3, size: 1500, class: Class::Data, ..Packet::default() };
        let stamp = Stamp { at: 1_000_000_000, number: 7 };
        fabric.observer.as_mut().unwrap().delivered(4_000_000_000, &packet, stamp);
        let seen = Observers::unboxed(fabric.observer.take().unwrap()).unwrap();
        assert!(!seen.needs_order() && fabric.observer.is_none());
        let [whole, _] = seen.delays.as_ref().unwrap().readings();
        assert_eq!((whole.count(), (whole.mean() * 1e3).round()), (1, 3.0));
        assert_eq!(seen.reordering.as_ref().unwrap().of(3).unwrap().extents.arrived(), 1);
        let anew = seen.anew();
        assert_eq!(anew.delays.unwrap().readings()[0].count(), 0);
        assert!(anew.reordering.unwrap().of(3).is_none());
    }
}
