//! Those who watch the packets of a partition, as one [`Observer`].

use super::capture::Capture;
use super::delays::Delays;
use super::loss_attribution::{Drops, LossAttribution};
use super::reordering::{FlowReordering, Reordering};
use crate::engine::execute::layout::Partitions;
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::observer::Observer;
use crate::engine::packet::said::Said;
use crate::engine::packet::{Packet, Stamp};
use std::any::Any;
use std::collections::BTreeMap;
use transport::tcp::Sender;

/// What is asked for of a partition.
#[derive(Debug, Default)]
pub struct Observers {
    /// Packets to be written to a capture file.
    pub capture: Option<Capture>,
    /// How long packets were on their way.
    pub delays: Option<Box<Delays>>,
    /// How far they are out of order.
    pub reordering: Option<Box<Reordering>>,
    /// What flows did not get of their paths, by flow.
    pub accounts: BTreeMap<u32, Box<LossAttribution>>,
    /// Dropped segments one by one.
    pub drops: Option<Box<Drops>>,
}

impl Observer for Observers {
    fn passed_host(&mut self, now: u64, packet: &Packet, said: &Said<'_>) {
        if let Some(capture) = &self.capture {
            capture.write(now, packet, said);
        }
    }

    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        if let Some(delays) = &mut self.delays {
            delays.record(packet.flow, packet.size, stamp.at, now);
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

    fn dropped(&mut self, now: u64, packet: &Packet, cause: Cause) {
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
        self.capture.is_some() || self.drops.is_some()
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
        let Observers { capture, delays, reordering, accounts, drops } = &self;
        let is_any = capture.is_some() || delays.is_some() || reordering.is_some() || drops.is_some();
        (is_any || !accounts.is_empty()).then(|| Box::new(self) as Box<dyn Observer>)
    }

    /// They watch this partition from now on.
    pub fn watch(self, fabric: &mut Fabric) {
        fabric.observer = self.boxed();
    }

    /// Asked for the same by packets, and nothing has been seen. A file and the accounts of flows are in one place.
    pub fn anew(&self) -> Observers {
        Observers {
            delays: self.delays.as_ref().map(|delays| Box::new(delays.anew())),
            reordering: self.reordering.as_ref().map(|reordering| Box::new(reordering.anew())),
            drops: self.drops.as_ref().map(|_| Box::default()),
            ..Observers::default()
        }
    }
}

impl Partitions<'_> {
    /// Takes the account of what a flow did not get, if there is one.
    pub fn take_loss_attribution(&mut self, flow: u32) -> Option<LossAttribution> {
        let part = &mut self.list[self.layout.source_of(flow) as usize];
        Observers::of_mut(&mut part.fabric)?.accounts.remove(&flow).map(|account| *account)
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
    use crate::engine::node::fabric::{FabricParts, TimerOrder};
    use crate::engine::packet::Class;
    use std::sync::Arc;

    fn fabric() -> Fabric {
        Fabric::new(FabricParts::default(), TimerOrder::AfterArrivals, 1)
    }

    #[test]
    fn where_nothing_is_asked_for_nobody_watches() {
        let mut fabric = fabric();
        Observers::default().watch(&mut fabric);
        assert!(fabric.observer.is_none());
    }

    /// A packet of flow 3, number 7, sent at 1 ms and delivered at 4 ms.
    #[test]
    fn each_is_told_what_it_asks_for() {
        let mut fabric = fabric();
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
