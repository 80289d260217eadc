//! Senders that are told of circuits: that the switches turn to one of their pair, or away from it.
//!
//! A policy decides as the work goes on, so that nobody knows of a turn before it is decided: a schedule is known from
//! then on, and no earlier.

use super::matching::Outputs;
use crate::engine::node::workload::{SenderNews, Told};
use crate::model::{Flow, LinkNews, NodeId, SimTime};
use std::collections::BTreeMap;
use transport::cc::{PathChange, Turn};
use units::{Duration, Instant, Rate};

/// Two nodes with ports, by their numbers: from the first to the second.
type Pair = [u32; 2];

/// What senders know of circuits.
#[derive(Debug)]
pub(super) struct Tellers {
    /// How the pairs are told, and whom.
    pairs: BTreeMap<Pair, Teller>,
    capacities: Capacities,
}

#[derive(Debug)]
struct Teller {
    news: LinkNews,
    flows: Vec<(u32, RoundTrips)>,
    /// What has been told, or is to be: from when on there are so many circuits.
    known: Vec<(u64, u32)>,
}

/// The round trips of a full packet of a flow and its ACK on empty ways, by a circuit and without one; `None` where
/// there is no way.
pub(super) type RoundTrips = [Option<Duration>; 2];

/// What a pair has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacities {
    /// Of a circuit.
    pub circuit: Rate,
    /// Without one: that of the packet network if packets go by it, else none.
    pub without: Rate,
}

impl Tellers {
    /// For these flows between nodes, which have numbers.
    pub fn new(
        news: &[LinkNews],
        flows: &[Flow],
        numbers: &BTreeMap<NodeId, u32>,
        capacities: Capacities,
        round_trips: &dyn Fn(&Flow) -> RoundTrips,
    ) -> Tellers {
        let mut pairs: BTreeMap<Pair, Teller> = BTreeMap::new();
        for (news, pair) in news.iter().flat_map(|news| news.pairs.iter().map(move |pair| (news, pair))) {
            let (Some(from), Some(to)) = (numbers.get(&pair.0), numbers.get(&pair.1)) else { continue };
            let teller = Teller { news: news.clone(), flows: Vec::new(), known: vec![(0, 0)] };
            pairs.insert([*from, *to], teller);
        }
        for (flow, number) in flows.iter().zip(0..) {
            let ends = [flow.source, flow.destination].map(|node| numbers.get(&node).copied());
            if let [Some(from), Some(to)] = ends
                && let Some(teller) = pairs.get_mut(&[from, to])
            {
                teller.flows.push((number, round_trips(flow)));
            }
        }
        pairs.retain(|_, teller| !teller.flows.is_empty());
        Tellers { pairs, capacities }
    }

    /// The switches have turned: what each has, and since when or from when on. Who has been told otherwise is told.
    pub fn tell(&mut self, now: u64, switches: &[(&Outputs, &[u64])], told: &mut Vec<Told>) {
        for ([from, to], teller) in &mut self.pairs {
            let lit = switches.iter().filter(|(outputs, _)| outputs[*from as usize] == Some(*to));
            let mut lit: Vec<u64> = lit.map(|(_, since)| since[*from as usize].max(now)).collect();
            lit.sort_unstable();
            let mut states = vec![(now, 0)];
            for (at, count) in lit.into_iter().zip(1..) {
                match states.last_mut().filter(|(last, _)| *last == at) {
                    Some((_, last)) => *last = count,
                    None => states.push((at, count)),
                }
            }
            teller.follow(now, &states, self.capacities, told);
        }
    }
}

impl Teller {
    /// From `now` on the pair has so many circuits, each from a time on.
    fn follow(&mut self, now: u64, states: &[(u64, u32)], capacities: Capacities, told: &mut Vec<Told>) {
        let passed = self.known.partition_point(|(at, _)| *at <= now).max(1);
        let (mut before, old) = (self.known[passed - 1].1, self.known.split_off(passed));
        self.known.drain(..passed - 1);
        let mut changes = Vec::new();
        for (at, count) in states {
            if *count != before {
                changes.push((*at, before, *count));
                self.known.push((*at, *count));
                before = *count;
            }
        }
        let same = |change: &(u64, u32, u32), known: &(u64, u32)| (change.0, change.2) == *known;
        if changes.len() == old.len() && changes.iter().zip(&old).all(|(change, known)| same(change, known)) {
            return;
        }
        let news: Vec<(Instant, PathChange)> = changes
            .into_iter()
            .filter_map(|(at, before, count)| {
                let change = capacities.change(&self.news, at, [before, count])?;
                let heard = self.news.heard(SimTime::from_ps(at), change.turn)?.ps().max(now);
                Some((Instant::from_ps(heard), change))
            })
            .collect();
        for (flow, [by_circuit, without]) in &self.flows {
            let own = |(heard, change): &(Instant, PathChange)| {
                let base_rtt = change.division.and_then(|circuits| if circuits > 0 { *by_circuit } else { *without });
                (*heard, PathChange { base_rtt, ..*change })
            };
            let (after, news) = (Instant::from_ps(now), news.iter().map(own).collect());
            told.push(Told::Sender(SenderNews { flow: *flow, after, news }));
        }
    }
}

impl Capacities {
    fn of(self, circuits: u32) -> Rate {
        match circuits {
            0 => self.without,
            _ => Rate::from_bps(self.circuit.bps().saturating_mul(circuits.into())),
        }
    }

    /// From `at` on there are other numbers of circuits, before and behind; `None` if that makes no difference.
    fn change(self, news: &LinkNews, at: u64, circuits: [u32; 2]) -> Option<PathChange> {
        let [before, now] = circuits.map(|circuits| self.of(circuits));
        if now == before {
            return None;
        }
        let turn = Turn::of(before, now);
        let division = (now.bps() > 0).then(|| u16::try_from(circuits[1]).unwrap_or(u16::MAX));
        let (way, at) = (news.told.way(), SimTime::from_ps(at).on_ideal_clock());
        Some(PathChange { way, turn, division, capacity: Some(now), base_rtt: None, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NewsErrors, Telling};

    /// A pair with two switches, told of a change 5 ps after it, or as it is decided. 10 b/s a circuit.
    fn teller(told: Telling) -> Tellers {
        let (parts, pairs, ahead, errors) = (Vec::new(), Vec::new(), Duration::ZERO, NewsErrors::default());
        let news = LinkNews { parts, pairs, told, ahead, errors };
        let flows = vec![(7, [Some(Duration::from_ps(30)), Some(Duration::from_ps(40))])];
        let teller = Teller { news, flows, known: vec![(0, 0)] };
        let capacities = Capacities { circuit: Rate::from_bps(10), without: Rate::from_bps(1) };
        Tellers { pairs: [([0, 1], teller)].into(), capacities }
    }

    /// What the flow hears of its switches: after when, and (when, turn, division, b/s, time of the change).
    type Heard = Option<(u64, Vec<(u64, Turn, Option<u16>, u64, u64)>)>;

    fn tell(tellers: &mut Tellers, now: u64, switches: &[(Option<u32>, u64)]) -> Heard {
        let all: Vec<(Outputs, Vec<u64>)> =
            switches.iter().map(|(to, since)| (vec![*to, None], vec![*since, 0])).collect();
        let states: Vec<(&Outputs, &[u64])> = all.iter().map(|(outputs, since)| (outputs, since.as_slice())).collect();
        let mut told = Vec::new();
        tellers.tell(now, &states, &mut told);
        let news = told.pop().map(|one| match one {
            Told::Sender(news) => news,
            Told::Agent(..) => panic!("no agent is told"),
        });
        let said = |(at, change): &(Instant, PathChange)| {
            (at.ps(), change.turn, change.division, change.capacity.unwrap().bps(), change.at.ps())
        };
        news.map(|news| (news.after.ps(), news.news.iter().map(said).collect()))
    }

    #[test]
    fn a_pair_hears_of_each_circuit_that_comes_or_goes_once() {
        let mut tellers = teller(Telling::Message(Duration::from_ps(5)));
        let up = tell(&mut tellers, 100, &[(Some(1), 150), (None, 0)]);
        assert_eq!(up, Some((100, vec![(155, Turn::Up, Some(1), 10, 150)])));
        assert_eq!(tell(&mut tellers, 120, &[(Some(1), 150), (Some(0), 170)]), None, "another pair's circuit");
        let second = tell(&mut tellers, 200, &[(Some(1), 150), (Some(1), 240)]);
        assert_eq!(second, Some((200, vec![(245, Turn::Up, Some(2), 20, 240)])));
        let both = tell(&mut tellers, 300, &[(None, 0), (None, 0)]);
        assert_eq!(both, Some((300, vec![(305, Turn::Down, Some(0), 1, 300)])));
    }

    #[test]
    fn a_turn_that_is_broken_off_is_taken_back_before_it_is_heard() {
        let mut tellers = teller(Telling::Message(Duration::from_ps(5)));
        tell(&mut tellers, 100, &[(Some(1), 150), (None, 0)]);
        assert_eq!(tell(&mut tellers, 120, &[(None, 0), (None, 0)]), Some((120, vec![])));
        let later = tell(&mut tellers, 130, &[(Some(1), 180), (None, 0)]);
        assert_eq!(later, Some((130, vec![(185, Turn::Up, Some(1), 10, 180)])));
    }

    /// 30 ps by circuits, however many, and 40 without.
    #[test]
    fn the_base_round_trip_is_that_of_the_way_from_then_on() {
        let mut tellers = teller(Telling::Message(Duration::from_ps(5)));
        let mut base = |now, switches: [Option<u32>; 2]| {
            let all = switches.map(|to| (vec![to, None], vec![now, 0]));
            let states: Vec<(&Outputs, &[u64])> = all.iter().map(|(to, since)| (to, since.as_slice())).collect();
            let mut told = Vec::new();
            tellers.tell(now, &states, &mut told);
            let Some(Told::Sender(news)) = told.pop() else { panic!("the flow is told") };
            news.news.iter().map(|(_, change)| change.base_rtt.unwrap().ps()).collect::<Vec<_>>()
        };
        assert_eq!([base(100, [Some(1), None]), base(200, [Some(1); 2]), base(300, [None; 2])], [[30], [30], [40]]);
    }

    /// A turn of 50 ps is known when it is decided, and not 200 ps ahead.
    #[test]
    fn a_schedule_is_known_from_the_decision_on() {
        for (lead, heard) in [(200, 100), (30, 120)] {
            let mut tellers = teller(Telling::Schedule(Duration::from_ps(lead)));
            let up = tell(&mut tellers, 100, &[(Some(1), 150), (None, 0)]);
            assert_eq!(up, Some((100, vec![(heard, Turn::Up, Some(1), 10, 150)])));
        }
    }
}
