//! A trace: what happened to chosen packets, bursts and slots, one record an event, in the order of time.
//!
//! Each partition notes what happens at its nodes. [`merged`] puts the notes of all into one order, which does not
//! depend on how the nodes were assigned: by time, then by node, then as it happened there.
//!
//! A trace holds the first events only, as many as it may: each partition keeps that many, so no event of the whole
//! trace is missing.
//!
//! Where one partition has the whole network, complete instants go to the [`Sink`] as the run goes on: written at once
//! they cost less than in memory, where each takes 72 bytes.
//!
//! The times of a packet that waits are known in advance. Where a change of its link moves them, [`Trace::amend`] says
//! so; up to the last such change no event goes to the sink.

use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, Leaving, Spot, What};
use crate::engine::packet::{Class, Packet};
use crate::results;
use std::fmt;
use std::sync::Arc;

/// What is traced.
#[derive(Clone, Debug)]
pub struct TraceRules {
    /// By the engine's number.
    pub links: Arc<[bool]>,
    /// By number.
    pub flows: Arc<[bool]>,
    /// The nodes at which each flow's data and its ACKs are sent.
    pub ends: Arc<[[u32; 2]]>,
    /// The node of each link's port, by the engine's number.
    pub senders: Arc<[u32]>,
    /// Whether that is all of them, so that what belongs to no flow is traced too.
    pub all_flows: bool,
    /// Whether what sending hosts do is traced.
    pub hosts: bool,
    /// The first instant.
    pub from: u64,
    /// The first instant after it.
    pub until: u64,
    /// The most events.
    pub limit: usize,
    /// From then on no traced link changes its capacity or delay.
    pub settled: u64,
}

/// What takes the events of a trace.
pub trait Sink: fmt::Debug + Send {
    /// The next ones, in their order; it leaves the list empty.
    fn take(&mut self, events: &mut Vec<Event>);

    /// There are no more; for so many there was no room.
    fn finish(self: Box<Self>, left_out: u64) -> results::Trace;
}

/// As many events as stay in the cache.
const PORTION: usize = 2048;

/// The trace of a partition.
#[derive(Debug)]
pub struct Trace {
    rules: TraceRules,
    /// What the sink does not have yet.
    events: Vec<Event>,
    /// Empty but for a moment.
    last_instant: Vec<Event>,
    /// How many events the sink has.
    taken: usize,
    /// Only one of the partitions has it.
    sink: Option<Box<dyn Sink>>,
    /// How many events go to the sink at once; never any if other partitions trace too.
    portion: usize,
    left_out: u64,
}

impl Trace {
    /// An empty one.
    pub fn new(rules: TraceRules) -> Trace {
        Trace::beside(rules, 0)
    }

    /// An empty one beside others, when the sink has this many events.
    pub fn beside(rules: TraceRules, taken: usize) -> Trace {
        Trace {
            rules,
            events: Vec::new(),
            last_instant: Vec::new(),
            taken,
            sink: None,
            portion: usize::MAX,
            left_out: 0,
        }
    }

    /// One that has noted this already, beside others.
    pub fn going_on(rules: TraceRules, before: Merged) -> Trace {
        let Merged { events, left_out, taken, sink } = before;
        Trace { events, left_out, sink, ..Trace::beside(rules, taken) }
    }

    /// Its events go there.
    pub fn go_to(&mut self, sink: Box<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// No other partition traces anything until the next migration.
    pub fn go_alone(&mut self) {
        self.portion = PORTION;
    }

    /// Whether what happens at a place is traced.
    fn sees(&self, place: Spot) -> bool {
        place.number().map_or_else(|link| self.rules.links[link as usize], |_| self.rules.hosts)
    }

    /// Whether the packets of a class with this flow are. What belongs to no flow is, unless flows were chosen.
    fn follows(&self, class: Class, flow: u32) -> bool {
        self.rules.all_flows || (class != Class::Control && self.rules.flows.get(flow as usize).is_some_and(|one| *one))
    }

    /// Something happens to a packet.
    pub fn note_packet(&mut self, event: Event) {
        if self.sees(event.place) && self.follows(event.class, event.flow) {
            self.note(event);
        }
    }

    /// The sending host of a packet's flow does something with it.
    pub fn note_at_host(&mut self, now: u64, what: What, packet: &Packet, value: u64) {
        let [source, _] = self.rules.ends[packet.flow as usize];
        self.note_packet(Event { value, ..Event::of_packet(now, what, Spot::node(source), packet) });
    }

    /// The host that would send a packet drops it.
    pub fn note_drop_at_host(&mut self, now: u64, cause: Cause, packet: &Packet) {
        let place = Spot::node(packet.class.sent_by(self.rules.ends[packet.flow as usize]));
        self.note_packet(Event { cause: Some(cause), ..Event::of_packet(now, What::Drop, place, packet) });
    }

    /// Something happens that concerns these flows.
    pub fn note_unit(&mut self, event: Event, mut flows: impl Iterator<Item = u32>) {
        if self.sees(event.place) && (self.rules.all_flows || flows.any(|flow| self.follows(Class::Data, flow))) {
            self.note(event);
        }
    }

    fn note(&mut self, event: Event) {
        if event.at < self.rules.from || event.at >= self.rules.until {
            return;
        }
        // Where it is full it still takes the other events of its last instant: their order is only known in the end.
        if self.taken + self.events.len() >= self.rules.limit
            && self.events.last().is_none_or(|last| last.at < event.at)
        {
            self.left_out += 1;
            return;
        }
        if self.events.len() >= self.portion {
            self.hand_over();
        }
        self.events.push(event);
    }

    /// What happened before the last instant goes to the sink.
    #[cold]
    #[inline(never)]
    fn hand_over(&mut self) {
        let (Some(sink), Some(last)) = (&mut self.sink, self.events.last()) else { return };
        if last.at < self.rules.settled {
            return;
        }
        let whole = self.events.partition_point(|event| event.at < last.at);
        if whole == 0 {
            return;
        }
        put_in_order(&mut self.events[..whole], &self.rules.senders);
        self.last_instant.extend(self.events.drain(whole..));
        sink.take(&mut self.events);
        self.events.append(&mut self.last_instant);
        self.taken += whole;
    }

    /// What is inside a link's port leaves otherwise than was expected; both are in the order in which it came.
    pub fn amend(&mut self, link: u32, expected: &[Leaving], now: &[Leaving]) {
        let mut left = expected.len().min(now.len());
        let place = Spot::link(link);
        for event in self.events.iter_mut().rev().filter(|event| event.what == What::Pass && event.place == place) {
            // Those that came last leave last; some may not be traced.
            let end = event.at + event.wait + event.lasts;
            while left > 0 && expected[left - 1].end > end {
                left -= 1;
            }
            if left == 0 {
                return;
            }
            if expected[left - 1].end < end {
                continue;
            }
            let Leaving { end, flight } = now[left - 1];
            // The first one is in transmission already.
            let begins = if left > 1 { now[left - 2].end } else { event.at + event.wait };
            (event.wait, event.lasts, event.flight) = (begins - event.at, end - begins, flight);
            left -= 1;
        }
    }
}

/// What happened at one instant by the nodes where it happened; there as it happened.
fn put_in_order(events: &mut [Event], senders: &[u32]) {
    let node = |event: &Event| node_of(event, senders);
    let mut rest = events;
    // Most instants have one event.
    while let Some(first) = rest.windows(2).position(|two| two[0].at == two[1].at) {
        let at = rest[first].at;
        let count = rest[first..].iter().take_while(|event| event.at == at).count();
        let instant = &mut rest[first..][..count];
        if !instant.is_sorted_by_key(node) {
            instant.sort_by_key(node);
        }
        rest = &mut rest[first + count..];
    }
}

fn node_of(event: &Event, senders: &[u32]) -> u32 {
    event.place.number().unwrap_or_else(|link| senders[link as usize])
}

/// A whole trace.
#[derive(Debug, Default)]
pub struct Merged {
    /// In the order of time, node, and what happened there; what the sink does not have yet.
    pub events: Vec<Event>,
    /// Later events for which there was no room.
    pub left_out: u64,
    /// How many events the sink has.
    pub taken: usize,
    /// Where they go.
    pub sink: Option<Box<dyn Sink>>,
}

impl Merged {
    /// What the sink makes of it, if there is one.
    pub fn finish(mut self) -> Option<results::Trace> {
        let mut sink = self.sink?;
        sink.take(&mut self.events);
        Some(sink.finish(self.left_out))
    }
}

/// The traces of partitions as one; nothing if there are none.
pub fn merged(traces: impl Iterator<Item = Trace>) -> Option<(TraceRules, Merged)> {
    let mut whole = Merged::default();
    let mut rules = None;
    let mut count = 0;
    for Trace { rules: of_part, events, taken, sink, left_out, last_instant: _, portion: _ } in traces {
        whole.left_out += left_out;
        whole.taken = whole.taken.max(taken);
        whole.sink = whole.sink.or(sink);
        if whole.events.is_empty() {
            whole.events = events;
        } else {
            whole.events.extend(events);
        }
        rules = Some(of_part);
        count += 1;
    }
    let rules = rules?;
    if count > 1 {
        // Stable: what happened at one node at one instant stays as it was.
        whole.events.sort_by_key(|event| (event.at, node_of(event, &rules.senders)));
    } else {
        put_in_order(&mut whole.events, &rules.senders);
    }
    let room = rules.limit.saturating_sub(whole.taken);
    whole.left_out += whole.events.len().saturating_sub(room) as u64;
    whole.events.truncate(room);
    Some((rules, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(limit: usize) -> TraceRules {
        let links: Arc<[bool]> = vec![true; 4].into();
        TraceRules {
            flows: Arc::clone(&links),
            links,
            ends: vec![[0, 1]; 4].into(),
            senders: (0..4).collect(),
            all_flows: true,
            hosts: true,
            from: 0,
            until: u64::MAX,
            limit,
            settled: 0,
        }
    }

    fn filled(limit: usize, events: &[(u64, u32)]) -> Trace {
        let mut trace = Trace::new(rules(limit));
        for (at, node) in events {
            trace.note(Event::new(*at, What::Send, Spot::node(*node)));
        }
        trace
    }

    fn read(whole: &Merged) -> Vec<(u64, u32)> {
        whole.events.iter().map(|event| (event.at, event.place.number().unwrap())).collect()
    }

    #[test]
    fn an_event_has_nine_words() {
        assert_eq!(size_of::<Event>(), 72);
    }

    #[test]
    fn a_trace_does_not_know_how_nodes_were_dealt() {
        let alone = filled(4, &[(1, 2), (2, 1), (2, 0), (2, 2), (3, 0)]);
        let assigned = [filled(4, &[(1, 2), (2, 2)]), filled(4, &[(2, 1), (2, 0), (3, 0)])];
        let whole = |traces: Vec<Trace>| merged(traces.into_iter()).unwrap().1;
        let (one, two) = (whole(vec![alone]), whole(assigned.into()));
        assert_eq!((read(&one), one.left_out), (read(&two), two.left_out));
        assert_eq!((read(&one), one.left_out), (vec![(1, 2), (2, 0), (2, 1), (2, 2)], 1));
    }

    #[test]
    fn the_order_within_a_node_is_kept() {
        let mut trace = Trace::new(rules(10));
        for unit in [3, 1, 2] {
            trace.note(Event { unit, ..Event::new(5, What::Send, Spot::node(0)) });
        }
        let (_, whole) = merged([trace].into_iter()).unwrap();
        let units: Vec<u64> = whole.events.iter().map(|event| event.unit).collect();
        assert_eq!(units, [3, 1, 2]);
    }

    /// Keeps what it is given where the test can see it.
    #[derive(Debug)]
    struct Seen(Arc<std::sync::Mutex<Vec<(u64, u32)>>>);

    impl Sink for Seen {
        fn take(&mut self, events: &mut Vec<Event>) {
            self.0.lock().unwrap().extend(events.drain(..).map(|event| (event.at, event.place.number().unwrap())));
        }

        fn finish(self: Box<Self>, _: u64) -> results::Trace {
            unreachable!("no test finishes")
        }
    }

    /// What a sink gets that takes events while they are noted, and how many have no room.
    fn streamed(limit: usize, events: &[(u64, u32)]) -> (Vec<(u64, u32)>, u64) {
        let seen = Arc::default();
        let mut trace = Trace::new(rules(limit));
        trace.go_to(Box::new(Seen(Arc::clone(&seen))));
        trace.portion = 2;
        for (at, node) in events {
            trace.note(Event::new(*at, What::Send, Spot::node(*node)));
        }
        let (_, mut whole) = merged([trace].into_iter()).unwrap();
        whole.sink.as_mut().unwrap().take(&mut whole.events);
        let all = seen.lock().unwrap().clone();
        (all, whole.left_out)
    }

    #[test]
    fn a_sink_gets_the_same_events_in_the_same_order() {
        let events = [(1, 2), (2, 1), (2, 0), (2, 2), (2, 0), (3, 1), (3, 0), (4, 0)];
        for limit in 0..=events.len() + 1 {
            let (_, whole) = merged([filled(limit, &events)].into_iter()).unwrap();
            assert_eq!(streamed(limit, &events), (read(&whole), whole.left_out), "{limit}");
        }
    }
}
