//! A master's rules, and what they come to with senders that follow their grants.

use super::*;
use crate::allowance;
use crate::scheduler::{Algorithm, FrameScheduler, IDLE, Requests};
use proptest::prelude::*;
use std::collections::VecDeque;

/// Eight slots asked for and three granted since: five; with half as much more, nine; as a rate, eight.
#[test]
fn a_request_counts_by_the_rules() {
    let literal = Sharing::LITERAL;
    assert_eq!(literal.wanted(8, 3), 5);
    assert_eq!(Sharing { probe: 500, ..literal }.wanted(8, 3), 9);
    assert_eq!(Sharing { reading: Reading::Rate, ..literal }.wanted(8, 3), 8);
}

/// A tenth more of one slot is a whole slot: grants are whole.
#[test]
fn a_probe_asks_for_at_least_one_slot_more_but_never_for_nothing() {
    let probing = Sharing { probe: 100, ..Sharing::LITERAL };
    assert_eq!([0, 1, 10, 11].map(|asked| probing.wanted(asked, 0)), [0, 2, 11, 13]);
    assert_eq!(Sharing { probe: Sharing::MOST_PROBE, ..probing }.wanted(u32::MAX, 0), u32::MAX);
}

fn pair(from: u16, to: u16) -> Pair {
    Pair { from: NodeId(from), to: NodeId(to) }
}

const TERMS: Terms = Terms { slots: 12, frames: 5 };

fn demands(shares: &mut Shares, frame: u64, asked: &[Asked], nodes: &[NodeId]) -> Demands {
    shares.demands(Planning { frame, length: Duration::from_micros(3600), terms: TERMS, nodes }, asked)
}

/// Frames of 3.6 ms, so 277 of them are 1 s. One slot was asked for in frame 10, and nothing since.
#[test]
fn a_pair_counts_as_asking_for_its_idle_timeout() {
    let nodes = [NodeId(0), NodeId(1), NodeId(2)];
    let mut shares = Shares::new(Sharing { spare: Spare::Asking, floor: 3, ..Sharing::LITERAL });
    let asked = [Asked { pair: pair(0, 1), slots: 1, granted: 1 }];
    assert!(demands(&mut shares, 9, &[], &nodes).takers.is_empty());
    for (frame, asked) in [(10, &asked[..]), (11, &[]), (287, &[])] {
        let demands = demands(&mut shares, frame, asked, &nodes);
        assert_eq!((demands.wanted.get(&pair(0, 1)), demands.takers.len()), (Some(&3), 1), "frame {frame}");
    }
    let later = demands(&mut shares, 288, &[], &nodes);
    assert!(later.wanted.is_empty() && later.takers.is_empty());
}

/// Of three nodes, one of which has left: the two pairs of the others share; nobody does by the letter.
#[test]
fn spare_slots_are_for_nodes_that_take_part() {
    let takers = |spare: Spare| {
        let mut shares = Shares::new(Sharing { spare, ..Sharing::LITERAL });
        let asked = [pair(0, 1), pair(0, 2)].map(|pair| Asked { pair, slots: 1, granted: 0 });
        demands(&mut shares, 5, &asked, &[NodeId(0), NodeId(1)]).takers.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(takers(Spare::All), [pair(0, 1), pair(1, 0)]);
    assert_eq!(takers(Spare::Asking), [pair(0, 1)]);
    assert_eq!(takers(Spare::Idle), []);
}

/// What a pair of nodes sends, in slots of a frame.
#[derive(Clone, Copy, Debug)]
enum Sends {
    /// What it is granted: it changes its rate by 0.4 of the difference in every round trip (XCP-CL's α).
    Greedy,
    /// So many slots of eight frames.
    Eighths(u32),
    /// The same, but so many frames of it and so many without anything, by turns.
    OnOff(u32, u32),
    /// So many slots of eight frames until this frame, then what it is granted.
    GreedyFrom(u64, u32),
    /// The other way round.
    GreedyUntil(u64, u32),
}

impl Sends {
    /// The slots of a frame for which it has a use, where it does not have one for all.
    fn wants(self, frame: u64) -> Option<f64> {
        let eighths = match self {
            Sends::Greedy => return None,
            Sends::GreedyFrom(from, _) if frame >= from => return None,
            Sends::GreedyUntil(until, _) if frame < until => return None,
            Sends::OnOff(frames, _) if frame / u64::from(frames) % 2 == 1 => 0,
            Sends::Eighths(eighths)
            | Sends::OnOff(_, eighths)
            | Sends::GreedyFrom(_, eighths)
            | Sends::GreedyUntil(_, eighths) => eighths,
        };
        Some(f64::from(eighths) / 8.0)
    }
}

/// A pattern of pairs over frames of so many data slots.
#[derive(Clone, Debug)]
struct Pattern {
    nodes: usize,
    slots: u32,
    pairs: BTreeMap<(usize, usize), (Sends, u32)>,
}

impl Pattern {
    /// The weighted max-min shares of the pairs, in slots of a frame, as they are found with pen and paper: all rise as
    /// their weights say until a row or column is full, or what is sent is met.
    fn shares(&self, frame: u64) -> BTreeMap<(usize, usize), f64> {
        let wants = |sends: Sends| match sends {
            Sends::OnOff(_, eighths) => f64::from(eighths) / 16.0,
            _ => sends.wants(frame).unwrap_or(f64::from(self.slots)),
        };
        let mut shares: BTreeMap<_, f64> = self.pairs.keys().map(|pair| (*pair, 0.0)).collect();
        let mut rising: BTreeSet<_> = self.pairs.keys().copied().collect();
        while !rising.is_empty() {
            let lines = (0..self.nodes).flat_map(|line| [(line, true), (line, false)]);
            let room = |(line, is_row): (usize, bool)| {
                let on = |pair: &&(usize, usize)| if is_row { pair.0 == line } else { pair.1 == line };
                let weight: u32 = rising.iter().filter(on).map(|pair| self.pairs[pair].1).sum();
                let used: f64 = shares.iter().filter(|(pair, _)| on(pair)).map(|(_, share)| share).sum();
                (weight > 0).then(|| (f64::from(self.slots) - used) / f64::from(weight))
            };
            let full = lines.clone().filter_map(room).fold(f64::INFINITY, f64::min);
            let met =
                rising.iter().map(|pair| (wants(self.pairs[pair].0) - shares[pair]) / f64::from(self.pairs[pair].1));
            let step = met.fold(full, f64::min);
            rising.iter().for_each(|pair| *shares.get_mut(pair).unwrap() += step * f64::from(self.pairs[pair].1));
            let is_full = |line: (usize, bool)| {
                let on = |pair: &&(usize, usize)| if line.1 { pair.0 == line.0 } else { pair.1 == line.0 };
                let used: f64 = shares.iter().filter(|(pair, _)| on(pair)).map(|(_, share)| share).sum();
                used > f64::from(self.slots) - 1e-9
            };
            let filled: Vec<_> = lines.filter(|line| is_full(*line)).collect();
            rising.retain(|pair| {
                let stands = filled.iter().any(|(line, is_row)| *line == if *is_row { pair.0 } else { pair.1 });
                !stands && shares[pair] < wants(self.pairs[pair].0) - 1e-9
            });
        }
        shares
    }

    /// The slots of each pair in a plan for these demands.
    fn planned(&self, scheduler: &mut FrameScheduler, demands: &Demands) -> BTreeMap<Pair, u32> {
        let mut matrix = vec![0; self.nodes * self.nodes];
        let place = |pair: &Pair| usize::from(pair.from.0) * self.nodes + usize::from(pair.to.0);
        demands.wanted.iter().for_each(|(pair, slots)| matrix[place(pair)] = *slots);
        let takes: BTreeSet<usize> = demands.takers.iter().map(place).collect();
        let requests = Requests::new(self.nodes, matrix).unwrap();
        let schedule = scheduler
            .schedule_all(&requests, self.slots, |input, output| takes.contains(&(input * self.nodes + output)));
        let mut plan: BTreeMap<Pair, u32> = BTreeMap::new();
        for block in schedule.unwrap().blocks() {
            for (input, output) in block.outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
                *plan.entry(pair(input as u16, *output)).or_insert(0) += block.slots;
            }
        }
        plan
    }

    /// The slots that each pair is granted in each of so many frames, by a master whose plans are for four frames
    /// later.
    fn granted(&self, frames: u64) -> Vec<BTreeMap<Pair, u32>> {
        const ANSWER: u64 = 4;
        const ROUND_TRIP: f64 = 3.0;
        let nodes: Vec<NodeId> = (0..self.nodes as u16).map(NodeId).collect();
        let mut weights = vec![1; self.nodes * self.nodes];
        self.pairs.iter().for_each(|((from, to), (_, weight))| weights[from * self.nodes + to] = *weight);
        let mut scheduler = FrameScheduler::weighted(Algorithm::Bvn, Requests::new(self.nodes, weights).unwrap());
        let mut shares = Shares::new(Sharing { spare: Spare::Using, ..Sharing::LITERAL });
        let mut plans: VecDeque<BTreeMap<Pair, u32>> = vec![BTreeMap::new(); ANSWER as usize].into();
        let mut told: BTreeMap<Pair, VecDeque<u32>> = BTreeMap::new();
        // Rate, what has come and is no whole packet of a slot, what waits, and what was empty.
        let mut senders: BTreeMap<Pair, (f64, f64, u32, u32)> =
            self.pairs.keys().map(|(from, to)| (pair(*from as u16, *to as u16), (1.0, 0.0, 0, 0))).collect();
        let mut all = Vec::new();
        for frame in 0..frames {
            for (pair, (_, _, _, unused)) in &senders {
                shares.hear(pair.from, &[Idle { destination: pair.to, slots: *unused }]);
            }
            let asked: Vec<Asked> = senders
                .iter()
                .filter(|(_, (_, came, waits, _))| *waits > 0 || *came > 0.0)
                .map(|(pair, (_, _, waits, _))| {
                    let granted = plans.iter().filter_map(|plan| plan.get(pair)).sum();
                    Asked { pair: *pair, slots: *waits, granted }
                })
                .collect();
            let terms = Terms { slots: self.slots, frames: ANSWER as u32 + 1 };
            let length = Duration::from_micros(3600);
            let demands = shares.demands(Planning { frame, length, terms, nodes: &nodes }, &asked);
            let plan = self.planned(&mut scheduler, &demands);
            shares.granted(&demands, || plan.clone());
            plans.push_back(plan);
            let now = plans.pop_front().unwrap();
            for (pair, (rate, came, waits, unused)) in &mut senders {
                let slots = now.get(pair).copied().unwrap_or(0);
                let at = (usize::from(pair.from.0), usize::from(pair.to.0));
                let heard = told.entry(*pair).or_insert_with(|| vec![0; 10].into());
                heard.push_back(slots);
                heard.pop_front();
                let capacity = f64::from(heard.iter().sum::<u32>()) / 10.0;
                let follows = (*rate + 0.4 * (capacity - *rate) / ROUND_TRIP).max(0.5);
                *rate = self.pairs[&at].0.wants(frame).unwrap_or(follows);
                *came += *rate;
                let whole = came.floor();
                (*came, *waits) = (*came - whole, *waits + whole as u32);
                let used = slots.min(*waits);
                (*waits, *unused) = (*waits - used, unused.wrapping_add(slots - used));
            }
            all.push(now);
        }
        all
    }

    /// By which part of its share the pair of these that sends what it is granted is served worst.
    fn worst(&self, granted: &[BTreeMap<Pair, u32>], frame: u64) -> f64 {
        let shares = self.shares(frame);
        let greedy = self.pairs.iter().filter(|(_, (sends, _))| sends.wants(frame).is_none());
        greedy.map(|(at, _)| mean(granted, *at) / shares[at]).fold(f64::INFINITY, f64::min)
    }

    /// So many frames after this one each pair that sends what it is granted has 0.95 of its share for good, in means
    /// of a hundred frames.
    fn settles(&self, from: u64) -> u64 {
        let granted = self.granted(from + 3000);
        let is_served = |frame: usize| self.worst(&granted[frame..frame + 100], from) >= 0.95;
        let last = (from as usize..from as usize + 2900).rev().find(|frame| !is_served(*frame));
        last.map_or(0, |frame| frame as u64 + 1 - from)
    }
}

/// The mean slots of a frame that a pair has in these.
fn mean(granted: &[BTreeMap<Pair, u32>], at: (usize, usize)) -> f64 {
    let at = pair(at.0 as u16, at.1 as u16);
    granted.iter().map(|frame| f64::from(frame.get(&at).copied().unwrap_or(0))).sum::<f64>() / granted.len() as f64
}

/// Greedy pairs and others of at most so many slots of eight frames, of weights up to this.
fn patterns(most: u32, heaviest: u32) -> impl Strategy<Value = Pattern> {
    let slots = prop_oneof![Just(12u32), Just(15), Just(24)];
    (2usize..9, slots).prop_flat_map(move |(nodes, slots)| {
        let sends = prop_oneof![3 => Just(Sends::Greedy), 2 => (1..=most).prop_map(Sends::Eighths)];
        let pair = (0..nodes, 1..nodes).prop_map(move |(from, step)| (from, (from + step) % nodes));
        let pairs = prop::collection::btree_map(pair, (sends, 1..=heaviest), 1..12);
        pairs.prop_map(move |pairs| Pattern { nodes, slots, pairs })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// The bound: who fills what it is granted has at least 0.95 of its weighted max-min share beside trickles.
    #[test]
    fn greedy_pairs_have_their_shares(pattern in patterns(4, 3)) {
        let worst = pattern.worst(&pattern.granted(4000)[3000..], 0);
        prop_assert!(worst >= 0.95, "{worst}");
    }

    /// Beside pairs that fill most of a frame, whose margin is a large part of a small rest, 0.9.
    #[test]
    fn greedy_pairs_have_most_of_small_rests(pattern in patterns(100, 1)) {
        let worst = pattern.worst(&pattern.granted(4000)[3000..], 0);
        prop_assert!(worst >= 0.9, "{worst}");
    }
}

/// Pairs of equal weight over frames of 12 slots.
fn equals(pairs: &[((usize, usize), Sends)]) -> Pattern {
    Pattern { nodes: 4, slots: 12, pairs: pairs.iter().map(|(at, sends)| (*at, (*sends, 1))).collect() }
}

/// The numbers of docs/guide/aapn.md: of the allowance, and the frames until greedy pairs have 0.95 of new shares, in
/// means of a hundred frames: from the start; where a pair with a use of an eighth to two slots turns greedy; where one
/// that was greedy has such a use.
#[test]
fn shares_are_found_in_the_guides_frames() {
    assert_eq!((allowance::USED, allowance::SELDOM, allowance::FRAMES), (16, 6, 128));
    let greedy = Sends::Greedy;
    assert_eq!(equals(&[((0, 1), greedy), ((1, 2), greedy), ((2, 0), greedy)]).settles(0), 0);
    for light in [1, 4, 8, 16] {
        let beside = |sends| {
            [vec![((0, 1), greedy), ((0, 2), sends)], vec![((0, 1), greedy), ((0, 3), greedy), ((0, 2), sends)]]
        };
        let most = |sends, from| beside(sends).iter().map(|pairs| equals(pairs).settles(from)).max().unwrap();
        let found = [
            most(Sends::Eighths(light), 0),
            most(Sends::GreedyFrom(2000, light), 2000),
            most(Sends::GreedyUntil(2000, light), 2000),
        ];
        assert!(found[0] <= 300 && found[1] <= 500 && found[2] <= 300, "{light} eighths: {found:?}");
    }
}

/// Beside pairs that are on and off by turns, however long, a greedy pair has never less than an equal share, and
/// beside one of them 0.8 of what the means of their uses leave.
#[test]
fn a_greedy_pair_stands_bursts() {
    for (frames, eighths) in
        [1, 2, 5, 10, 20, 30, 50, 100, 200].iter().flat_map(|frames| [4, 16, 48].map(|e| (*frames, e)))
    {
        let on_off = |to, frames| ((0, to), Sends::OnOff(frames, eighths));
        let greedy = ((0, 1), Sends::Greedy);
        let one = equals(&[greedy, on_off(2, frames)]);
        let worst = one.worst(&one.granted(6000)[4000..], 0);
        assert!(worst >= 0.8, "one of {eighths} eighths for {frames} frames: {worst}");
        let two = equals(&[greedy, on_off(2, frames), on_off(3, frames + 1)]);
        let has = mean(&two.granted(6000)[4000..], (0, 1));
        assert!(has >= 4.0, "two of {eighths} eighths for {frames} frames: {has}");
    }
}
