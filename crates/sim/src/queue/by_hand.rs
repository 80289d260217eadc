//! A queue without a simulator: packets go in and come out when its owner says so.

use super::{Arrival, Config, Dropped, Fifo, Figures, Held, Item, Queue, Reason, Room, Schedule, Site, Verdict};
use units::ByteTime;

/// A waiting room with a discipline. Nobody transmits: a packet is in it until it is taken out.
#[derive(Debug)]
pub struct ByHand {
    kind: Kind,
    room: Room,
    held: Held,
    dropped: Vec<Dropped>,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "its owner has few of them")]
enum Kind {
    /// Packets leave in the order in which they came.
    Plain {
        queue: Option<Queue>,
        fifo: Fifo,
        /// Since when nothing waits.
        idle_since: Option<u64>,
    },
    Scheduled(Schedule),
}

impl ByHand {
    /// An empty queue. Thresholds of `config` are packets or bytes.
    pub fn new(config: &Config, room: Room, site: Site) -> ByHand {
        let again = || Site { byte_time: site.byte_time, stream: site.stream.clone() };
        let kind = match Schedule::new(config, again) {
            Some(schedule) => Kind::Scheduled(schedule),
            None => Kind::Plain { queue: Queue::new(config, again), fifo: Fifo::default(), idle_since: Some(0) },
        };
        ByHand { kind, room, held: Held::default(), dropped: Vec::new() }
    }

    /// A packet comes; what is dropped for it, perhaps itself.
    pub fn enqueue(&mut self, now: u64, item: Item) -> Vec<Dropped> {
        self.held.add(&item);
        match &mut self.kind {
            Kind::Scheduled(schedule) => schedule.enqueue(now, item, self.room, &mut self.dropped),
            Kind::Plain { queue, fifo, idle_since } => {
                let Held { packets, bytes } = fifo.held();
                let (size, is_capable, idle_since_then) = (item.size, item.ecn.is_capable(), *idle_since);
                let arrival = Arrival { now, size, is_capable, packets, bytes, idle_since: idle_since_then };
                let verdict = queue.as_mut().map_or(Verdict::Accept, |queue| queue.handle_arrival(&arrival));
                let admits = fifo.held().admits(self.room, &item);
                match verdict {
                    Verdict::Drop => self.dropped.push(Dropped { item, reason: Reason::Early }),
                    _ if !admits => self.dropped.push(Dropped { item, reason: Reason::Full }),
                    Verdict::Accept => fifo.push(item),
                    Verdict::Mark => fifo.push(item.marked()),
                }
                *idle_since = if fifo.is_empty() { idle_since_then } else { None };
            }
        }
        self.count()
    }

    /// The next packet leaves, if there is one; and what is dropped for that.
    pub fn dequeue(&mut self, now: u64) -> (Option<Item>, Vec<Dropped>) {
        let item = match &mut self.kind {
            Kind::Scheduled(schedule) => schedule.dequeue(now, &mut self.dropped),
            Kind::Plain { fifo, idle_since, .. } => {
                let item = fifo.pop();
                if item.is_some() && fifo.is_empty() {
                    *idle_since = Some(now);
                }
                item
            }
        };
        item.iter().for_each(|item| self.remove(item));
        (item, self.count())
    }

    /// The capacity of its link from now on, as far as its discipline reckons with it.
    pub fn set_byte_time(&mut self, byte_time: ByteTime) {
        if let Kind::Scheduled(schedule) = &mut self.kind {
            schedule.set_byte_time(byte_time);
        }
    }

    /// What waits.
    pub fn held(&self) -> Held {
        self.held
    }

    /// What the discipline knows of congestion.
    pub fn figures(&self) -> Figures {
        match &self.kind {
            Kind::Scheduled(schedule) => schedule.figures(),
            Kind::Plain { queue, .. } => queue.as_ref().map_or(Vec::new(), Queue::figures),
        }
    }

    /// What has been dropped since the last call.
    fn count(&mut self) -> Vec<Dropped> {
        let dropped = std::mem::take(&mut self.dropped);
        dropped.iter().for_each(|one| self.remove(&one.item));
        dropped
    }

    /// A packet is here no more, as it came.
    fn remove(&mut self, item: &Item) {
        self.held.remove(&Item { size: item.size + item.cut, ..*item });
    }
}

#[cfg(test)]
pub mod tests;
