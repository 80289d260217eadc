//! Schedules of reconfigurable switches against hand computation, brute force, counting and published numbers. A byte
//! lasts a picosecond here (8 Tb/s), so demands, times and thresholds are the same numbers.

use control::scheduler::IDLE;
use control::scheduler::circuits::{
    Algorithm, CircuitError, CircuitSchedule, Coverage, DemandMatrix, Hold, Matched, Order, Readings, Remainder, Rule,
    Site, Stuffing, Threshold, birkhoff, plan, quick_stuff, registry,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::{Duration, Rate};

const PS_A_BYTE: Rate = Rate::from_gbps(8000);

fn site(week: u64, dark: u64) -> Site {
    Site {
        switches: 1,
        capacity: PS_A_BYTE,
        packet_capacity: Rate::from_bps(0),
        reconfiguration: ps(dark),
        week: Some(ps(week)),
        slice: None,
    }
}

fn ps(time: u64) -> Duration {
    Duration::from_ps(time)
}

/// Of the numbers of a matrix.
fn demand(bytes: &[u64]) -> DemandMatrix {
    DemandMatrix::new(bytes.len().isqrt(), bytes.to_vec()).unwrap()
}

/// (start, length, outputs) of a switch.
fn holds(schedule: &CircuitSchedule, switch: usize) -> Vec<(u64, u64, Vec<u16>)> {
    let holds = schedule.switches()[switch].iter();
    holds.map(|hold| (hold.start.ps(), hold.length.ps(), hold.outputs.clone())).collect()
}

fn is_permutation(outputs: &[u16]) -> bool {
    let mut sorted = outputs.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..outputs.len() as u16)
}

fn matrix(ports: std::ops::Range<usize>, most: u64) -> impl Strategy<Value = Vec<u64>> {
    let entry = prop_oneof![2 => Just(0u64), 3 => 0..most];
    ports.prop_flat_map(move |ports| prop::collection::vec(entry.clone(), ports * ports))
}

const NINE: [u64; 9] = [4, 1, 0, 0, 5, 2, 3, 0, 3];

/// Rows 5, 7, 6, columns 7, 6, 5. Of the entries that are not zero (0, 1) lacks 1 in both lines, (2, 2) too; then
/// (0, 2).
#[test]
fn quick_stuffing_by_hand() {
    assert_eq!(quick_stuff(&NINE, 3, Stuffing::Rows), [4, 2, 1, 0, 5, 2, 3, 0, 4]);
    // 2 1 / 1 0, lines 3, 1 and 3, 1: (1, 1) lacks 2. Of 1 2 / 0 0, rows 3, 0, columns 1, 2, the second row lacks 2, 1.
    assert_eq!(quick_stuff(&[2, 1, 1, 0], 2, Stuffing::Rows), [2, 1, 1, 2]);
    assert_eq!(quick_stuff(&[1, 2, 0, 0], 2, Stuffing::Rows), [1, 2, 2, 1]);
}

/// Rows 3, 5, 3, columns 4, 2, 5. Row after row (0, 0) gets what column 0 lacks; the largest first, (2, 0) does.
#[test]
fn the_order_of_stuffing_decides_who_gets_what_a_line_lacks() {
    let lacking = [1, 2, 0, 0, 0, 5, 3, 0, 0];
    assert_eq!(quick_stuff(&lacking, 3, Stuffing::Rows), [2, 3, 0, 0, 0, 5, 3, 2, 0]);
    assert_eq!(quick_stuff(&lacking, 3, Stuffing::Largest), [1, 4, 0, 0, 0, 5, 4, 1, 0]);
}

/// The largest entry is 5, the threshold 4: the diagonal, for 4. What is left has lines of 3; from a threshold of 2 on
/// 0 → 1 → 2 → 0 is a slice of 2, and from 1 on the rest of 1. With a packet network of a quarter of the circuits'
/// capacity: after the first slice and a dark time of 1 it has carried 5/4, less than 3; after the second 8/4, more
/// than 1.
#[test]
fn solstice_by_hand() {
    let (nine, mut site) = (demand(&NINE), site(100, 1));
    let whole = plan(Algorithm::Solstice, &nine, &site, &Readings::default()).unwrap();
    assert_eq!(holds(&whole, 0), [(1, 4, vec![0, 1, 2]), (6, 2, vec![1, 2, 0]), (9, 1, vec![2, 1, 0])]);
    site.packet_capacity = Rate::from_gbps(2000);
    let hybrid = plan(Algorithm::Solstice, &nine, &site, &Readings::default()).unwrap();
    assert_eq!(holds(&hybrid, 0), [(1, 4, vec![0, 1, 2]), (6, 2, vec![1, 2, 0])]);
    let coverage = Coverage::of(&hybrid, &nine, site.capacity, site.packet_capacity).unwrap();
    assert_eq!(coverage.left, [0, 0, 0, 0, 1, 0, 1, 0, 0]);
    assert_eq!((coverage.packet, coverage.longest_left(), coverage.fits()), (25, 1, true));
    assert_eq!((coverage.share, coverage.scale), (16.0 / 18.0, 2.0 / 3.0));
    // A week of 7 leaves 1 of the second slice.
    site.week = Some(ps(7));
    let short = plan(Algorithm::Solstice, &nine, &site, &Readings::default()).unwrap();
    assert_eq!(holds(&short, 0), [(1, 4, vec![0, 1, 2]), (6, 1, vec![1, 2, 0])]);
}

/// From 4 on, the largest power of two below 7, all entries can be matched and the diagonal of 6 is found first; from 7
/// on, only the other one.
#[test]
fn thresholds_begin_where_they_are_told_to() {
    let lengths = |threshold| -> Vec<u64> {
        let readings = Readings { threshold, ..Readings::default() };
        let schedule = plan(Algorithm::Solstice, &demand(&[6, 7, 7, 6]), &site(100, 2), &readings).unwrap();
        holds(&schedule, 0).iter().map(|hold| hold.1).collect()
    };
    assert_eq!(lengths(Threshold::PowerOfTwo), [6, 7]);
    assert_eq!(lengths(Threshold::Largest), [7, 6]);
}

/// Lines of 7 are permutations of 4, 2 and 1 (as above). With a dark time of 2 that of 1 is not worth it.
#[test]
fn bvn_holds_what_is_worth_the_dark_time_longest_first() {
    let lengths = |dark, readings: &Readings| -> Vec<u64> {
        let schedule = plan(Algorithm::Bvn, &demand(&NINE), &site(100, dark), readings).unwrap();
        holds(&schedule, 0).iter().map(|hold| hold.1).collect()
    };
    let all = lengths(2, &Readings { shortest: Some(ps(0)), ..Readings::default() });
    assert_eq!(all.iter().sum::<u64>(), 7);
    assert!(all.is_sorted_by(|a, b| a >= b));
    let worth: Vec<u64> = all.iter().copied().filter(|length| *length >= 2).collect();
    assert!(worth.len() < all.len());
    assert_eq!(lengths(2, &Readings::default()), worth);
    assert_eq!(lengths(9, &Readings::default()), [100], "nothing is worth it: one hold that connects nobody");
}

/// Demands 6 and 2 on the diagonal, 3 and 3 beside it, a dark time of 2. The quotients: diagonal for 2: 4/4, for 6:
/// 8/8; exchange for 3: 6/5, the best. Then 6/2: of 1 and 1 the longer, 8/8.
#[test]
fn eclipse_by_hand() {
    let schedule = plan(Algorithm::Eclipse, &demand(&[6, 3, 3, 2]), &site(100, 2), &Readings::default()).unwrap();
    assert_eq!(holds(&schedule, 0), [(2, 3, vec![1, 0]), (7, 6, vec![0, 1])]);
    // A week of 10: after 5 there are 3 of light, which serve 3 + 2 of the diagonal.
    let schedule = plan(Algorithm::Eclipse, &demand(&[6, 3, 3, 2]), &site(10, 2), &Readings::default()).unwrap();
    assert_eq!(holds(&schedule, 0), [(2, 3, vec![1, 0]), (7, 3, vec![0, 1])]);
}

/// Slices of 4 light: the diagonal serves 4 + 2, the exchange 3 + 3, of which the first found stays; then the other;
/// then 2 of the diagonal are left.
#[test]
fn the_heaviest_matching_holds_for_a_slice() {
    let site = Site { slice: Some(ps(5)), ..site(15, 1) };
    let schedule = plan(Algorithm::MaxWeight, &demand(&[6, 3, 3, 2]), &site, &Readings::default()).unwrap();
    assert!(holds(&schedule, 0).iter().map(|hold| (hold.0, hold.1)).eq([(1, 4), (6, 4), (11, 4)]));
    let coverage = Coverage::of(&schedule, &demand(&[6, 3, 3, 2]), PS_A_BYTE, Rate::from_bps(0)).unwrap();
    assert_eq!(coverage.left, [0; 4]);
}

proptest! {
    #[test]
    fn a_stuffed_matrix_is_a_sum_of_permutations(times in matrix(2..12, 40), largest in any::<bool>()) {
        let ports = times.len().isqrt();
        let order = if largest { Stuffing::Largest } else { Stuffing::Rows };
        let stuffed = quick_stuff(&times, ports, order);
        let row = |matrix: &[u64], at: usize| matrix[at * ports..][..ports].iter().sum::<u64>();
        let column = |matrix: &[u64], at: usize| matrix.iter().skip(at).step_by(ports).sum::<u64>();
        let longest = (0..ports).flat_map(|at| [row(&times, at), column(&times, at)]).max().unwrap();
        for at in 0..ports {
            prop_assert_eq!((row(&stuffed, at), column(&stuffed, at)), (longest, longest));
        }
        prop_assert!(stuffed.iter().zip(&times).all(|(stuffed, time)| stuffed >= time));
        let (mut sum, matched) = (vec![0; ports * ports], birkhoff(&stuffed, ports));
        prop_assert!(matched.len() <= ports * ports - 2 * ports + 2);
        for Matched { outputs, time } in matched {
            prop_assert!(is_permutation(&outputs) && time > 0);
            outputs.iter().enumerate().for_each(|(row, to)| sum[row * ports + usize::from(*to)] += time);
        }
        prop_assert_eq!(sum, stuffed);
    }

    #[test]
    fn a_week_that_is_long_enough_carries_all_and_a_short_one_is_not_exceeded(
        times in matrix(2..9, 30),
        dark in 0u64..6,
        short in 7u64..60,
        switches in 1usize..3,
        stretch in any::<bool>(),
    ) {
        let wanted = demand(&times);
        let remainder = if stretch { Remainder::Stretch } else { Remainder::Dark };
        let readings = Readings { shortest: Some(ps(0)), remainder, ..Readings::default() };
        for algorithm in [Algorithm::Bvn, Algorithm::Solstice, Algorithm::Eclipse, Algorithm::MaxWeight] {
            for (week, is_long) in [(100_000, true), (short, false)] {
                let slice = (algorithm == Algorithm::MaxWeight).then_some(ps(dark + 1));
                let site = Site { switches, slice, ..site(week, dark) };
                let schedule = plan(algorithm, &wanted, &site, &readings).unwrap();
                prop_assert_eq!(schedule.week(), ps(week));
                let coverage = Coverage::of(&schedule, &wanted, site.capacity, Rate::from_bps(0)).unwrap();
                let whole = coverage.carried.iter().zip(&coverage.left).map(|(carried, left)| carried + left);
                prop_assert!(whole.eq(times.iter().copied()));
                prop_assert!(!is_long || coverage.left.iter().all(|left| *left == 0));
                for hold in schedule.switches().iter().flatten() {
                    let idle = hold.outputs.iter().all(|output| *output == IDLE);
                    prop_assert!(is_permutation(&hold.outputs) || (idle && hold.length == ps(week)));
                }
                let busy = schedule.length() > Duration::ZERO;
                prop_assert!(!stretch || !busy || schedule.length() == ps(week));
                prop_assert_eq!(CircuitSchedule::from_csv(&schedule.to_csv()), Ok(schedule));
            }
        }
    }

    /// The paper's loop with every permutation tried: each slice reaches the threshold, which is halved only where no
    /// permutation reaches it; it lasts as long as its least entry; and the last is the first after which the packet
    /// network, of a quarter of the capacity, carries the rest in the time so far.
    #[test]
    fn solstice_cuts_slices_that_reach_the_threshold(times in matrix(3..5, 60), dark in 0u64..9) {
        let ports = times.len().isqrt();
        let hybrid = Site { packet_capacity: Rate::from_gbps(2000), ..site(100_000, dark) };
        let schedule = plan(Algorithm::Solstice, &demand(&times), &hybrid, &Readings::default()).unwrap();
        let mut left = quick_stuff(&times, ports, Stuffing::Rows);
        let (mut line, mut spent, mut threshold) = (left[..ports].iter().sum::<u64>(), 0, 1u64 << 20);
        while threshold > 1 && threshold >= left.iter().copied().max().unwrap() {
            threshold /= 2;
        }
        let entry = |left: &[u64], outputs: &[u16]| {
            outputs.iter().enumerate().map(|(row, to)| left[row * ports + usize::from(*to)]).min().unwrap()
        };
        let slices = schedule.switches()[0].iter().filter(|hold| hold.outputs.iter().all(|output| *output != IDLE));
        for Hold { length, outputs, .. } in slices {
            prop_assert!(4 * line > spent, "there was no need for another slice");
            let reached = permutations(ports).iter().map(|outputs| entry(&left, outputs)).max().unwrap();
            while threshold > reached {
                threshold /= 2;
            }
            let time = entry(&left, outputs);
            prop_assert!(time >= threshold && length.ps() == time, "{length} of {time}, {threshold}");
            outputs.iter().enumerate().for_each(|(row, to)| left[row * ports + usize::from(*to)] -= time);
            (line, spent) = (line - time, spent + time + dark);
        }
        prop_assert!(4 * line <= spent);
    }

    /// The best total time by trying every matching and time, beside the two that take a stuffed matrix apart. Without
    /// dark time nothing is shorter than the longest line.
    #[test]
    fn no_schedule_is_shorter_than_the_best_of_all(times in matrix(3..5, 3), dark in 0u64..4) {
        let ports = times.len().isqrt();
        let best = shortest_time(&times, ports, dark, &mut BTreeMap::new());
        let lines = |at: usize| {
            let column: u64 = times.iter().skip(at).step_by(ports).sum();
            column.max(times[at * ports..][..ports].iter().sum())
        };
        let longest = (0..ports).map(lines).max().unwrap();
        let readings = Readings { shortest: Some(ps(0)), ..Readings::default() };
        for algorithm in [Algorithm::Bvn, Algorithm::Solstice] {
            let length = plan(algorithm, &demand(&times), &site(1000, dark), &readings).unwrap().length().ps();
            prop_assert!(best <= length, "{best} <= {length}");
            prop_assert!(length <= longest + (ports * ports - 2 * ports + 2) as u64 * dark);
            prop_assert!(dark > 0 || length == longest, "{length} of {longest}");
        }
    }

    /// Each step has the largest quotient of all permutations and all whole times, not of entries alone.
    #[test]
    fn eclipse_takes_the_best_quotient_of_all(times in matrix(2..5, 12), dark in 0u64..5, week in 6u64..30) {
        let ports = times.len().isqrt();
        let schedule = plan(Algorithm::Eclipse, &demand(&times), &site(week, dark), &Readings::default()).unwrap();
        let (mut left, mut budget) = (times.clone(), week);
        let served = |left: &[u64], outputs: &[u16], time: u64| -> u64 {
            outputs.iter().enumerate().map(|(row, to)| time.min(left[row * ports + usize::from(*to)])).sum()
        };
        for Hold { length, outputs, .. } in schedule.switches()[0].iter().filter(|hold| hold.outputs[0] != IDLE) {
            let (time, mine) = (length.ps(), served(&left, outputs, length.ps()));
            for other in permutations(ports) {
                for longer in 1..=budget - dark {
                    prop_assert!(served(&left, &other, longer) * (time + dark) <= mine * (longer + dark));
                }
            }
            for (row, to) in outputs.iter().enumerate() {
                let entry = &mut left[row * ports + usize::from(*to)];
                *entry = entry.saturating_sub(time);
            }
            budget -= time + dark;
        }
        prop_assert!(budget <= dark || left.iter().all(|left| *left == 0));
    }

    /// The paper's abstract: at least half of the best. Entries are short beside the week, as its theorem has it.
    #[test]
    fn eclipse_serves_at_least_half_of_the_best(times in matrix(3..4, 4), dark in 0u64..3, week in 8u64..12) {
        let schedule = plan(Algorithm::Eclipse, &demand(&times), &site(week, dark), &Readings::default()).unwrap();
        let coverage = Coverage::of(&schedule, &demand(&times), PS_A_BYTE, Rate::from_bps(0)).unwrap();
        let (served, best) = (coverage.carried.iter().sum::<u64>(), most_served(&times, 0, week, dark));
        prop_assert!(served <= best && 2 * served >= best, "{served} of {best}");
    }

    /// A line of all times and dark times, cut into equal parts; each cut costs a dark time.
    #[test]
    fn switches_side_by_side_share_the_time(times in matrix(3..8, 30), dark in 0u64..5, switches in 1usize..4) {
        let readings = Readings::default();
        let alone = plan(Algorithm::Solstice, &demand(&times), &site(100_000, dark), &readings).unwrap();
        let site = Site { switches, ..site(100_000, dark) };
        let shared = plan(Algorithm::Solstice, &demand(&times), &site, &readings).unwrap();
        let line = alone.length().ps() + (switches as u64 - 1) * dark;
        prop_assert!(shared.length().ps() <= line.div_ceil(switches as u64));
        prop_assert_eq!(alone.light(), shared.light());
    }
}

/// The least sum of times and dark times that serves all: some matching must serve the first entry that is left.
fn shortest_time(left: &[u64], ports: usize, dark: u64, known: &mut BTreeMap<Vec<u64>, u64>) -> u64 {
    let Some(first) = left.iter().position(|time| *time > 0) else { return 0 };
    if let Some(time) = known.get(left) {
        return *time;
    }
    let mut best = u64::MAX;
    for outputs in permutations(ports).into_iter().filter(|to| usize::from(to[first / ports]) == first % ports) {
        let largest = outputs.iter().enumerate().map(|(row, to)| left[row * ports + usize::from(*to)]).max().unwrap();
        for time in 1..=largest {
            let mut less = left.to_vec();
            for (row, to) in outputs.iter().enumerate() {
                let entry = &mut less[row * ports + usize::from(*to)];
                *entry = entry.saturating_sub(time);
            }
            best = best.min(dark + time + shortest_time(&less, ports, dark, known));
        }
    }
    known.insert(left.to_vec(), best);
    best
}

/// The most that matchings from `from` on serve within `week`, each used once at most.
fn most_served(left: &[u64], from: usize, week: u64, dark: u64) -> u64 {
    let all = permutations(3);
    let Some(outputs) = all.get(from) else { return 0 };
    let mut best = most_served(left, from + 1, week, dark);
    for time in 1..=week.saturating_sub(dark) {
        let (mut less, mut served) = (left.to_vec(), 0);
        for (row, to) in outputs.iter().enumerate() {
            let entry = &mut less[row * 3 + usize::from(*to)];
            served += time.min(*entry);
            *entry = entry.saturating_sub(time);
        }
        best = best.max(served + most_served(&less, from + 1, week - dark - time, dark));
    }
    best
}

fn permutations(ports: usize) -> Vec<Vec<u16>> {
    let longer = |shorter: Vec<Vec<u16>>| {
        let put = |one: Vec<u16>| (0..=one.len()).map(move |at| [&one[..at], &[one.len() as u16], &one[at..]].concat());
        shorter.into_iter().flat_map(put).collect()
    };
    (0..ports).fold(vec![Vec::new()], |shorter, _| longer(shorter))
}

/// 10 from each port to the next: one switch takes 10, two take 5 each, side by side.
#[test]
fn one_matching_is_cut_for_two_switches() {
    let site = Site { switches: 2, ..site(100, 2) };
    let schedule = plan(Algorithm::Bvn, &demand(&[0, 10, 0, 0, 0, 10, 10, 0, 0]), &site, &Readings::default()).unwrap();
    assert_eq!(holds(&schedule, 0), [(2, 5, vec![1, 2, 0])]);
    assert_eq!(holds(&schedule, 1), [(2, 5, vec![1, 2, 0])]);
}

/// The schedule of turns; the demand only says how many ports there are.
fn turns(algorithm: Algorithm, ports: usize, site: &Site, readings: &Readings) -> CircuitSchedule {
    plan(algorithm, &demand(&vec![0; ports * ports]), site, readings).unwrap()
}

fn sliced(slice: u64, dark: u64, switches: usize) -> Site {
    Site { switches, week: None, slice: Some(ps(slice)), ..site(slice, dark) }
}

#[test]
fn matchings_of_pairs_meet_every_pair_exactly_once() {
    let seeds = [1, 2, 77].map(|seed| Readings { seed, ..Readings::default() });
    for ports in (2..=40).step_by(2).chain([108]) {
        for algorithm in [Algorithm::RoundRobin, Algorithm::Random] {
            for readings in &seeds {
                let schedule = turns(algorithm, ports, &sliced(1, 0, 1), readings);
                let matchings = &schedule.switches()[0];
                assert_eq!(matchings.len(), ports - 1);
                for Hold { outputs, .. } in matchings {
                    let back = |(port, to): (usize, &u16)| usize::from(outputs[usize::from(*to)]) == port;
                    assert!(outputs.iter().enumerate().all(back), "pairs");
                }
                let once = (0..ports * ports).map(|at| u64::from(at / ports != at % ports));
                assert!(schedule.light().into_iter().eq(once));
            }
        }
    }
    let random = seeds.map(|readings| turns(Algorithm::Random, 10, &sliced(1, 0, 1), &readings));
    assert!(random[0] != random[1] && random[1] != random[2]);
    assert_eq!(turns(Algorithm::Random, 10, &sliced(1, 0, 1), &seeds[1]), random[1]);
}

/// With d = (slice − dark)/slice a saturated permutation gets d/(N − 1) of a port's fibres, uniform traffic d. One by
/// one a matching lasts as many slices as there are switches, and d is that much larger.
#[test]
fn direct_circuits_have_the_shares_of_the_closed_forms() {
    for ports in 4..=12u64 {
        for (switches, order) in
            [(1, Order::Together), (2, Order::Together), (3, Order::Together), (3, Order::OneByOne)]
        {
            for algorithm in [Algorithm::RoundRobin, Algorithm::Offsets, Algorithm::Random] {
                if algorithm != Algorithm::Offsets && ports % 2 == 1 {
                    continue;
                }
                let readings = Readings { order, ..Readings::default() };
                let schedule = turns(algorithm, ports as usize, &sliced(50, 3, switches), &readings);
                let held = if order == Order::OneByOne { 50 * switches as u64 } else { 50 };
                // light / (week · switches) = (held − dark) / held / (N − 1), in integers.
                let week = schedule.week().ps() * switches as u64;
                for (at, light) in schedule.light().into_iter().enumerate() {
                    let is_pair = at as u64 / ports != at as u64 % ports;
                    let part = if is_pair { (held - 3) * week } else { 0 };
                    assert_eq!(light * held * (ports - 1), part, "{algorithm:?} {ports} {switches}");
                }
                assert!((schedule.duty() - (held - 3) as f64 / held as f64).abs() < 1e-12);
            }
        }
    }
}

/// 8 ports of 4 switches by offsets: 7 matchings, 4 of them at once, so each switch has all of them in turn. Of 3
/// switches with 9 matchings each switch has 3 of its own.
#[test]
fn switches_have_matchings_of_their_own_where_they_can() {
    let offsets = |ports, switches, switch: usize| -> Vec<u16> {
        let schedule = turns(Algorithm::Offsets, ports, &sliced(10, 1, switches), &Readings::default());
        schedule.switches()[switch].iter().map(|hold| hold.outputs[0]).collect()
    };
    assert_eq!(offsets(8, 4, 1), [2, 6, 3, 7, 4, 1, 5]);
    assert_eq!(offsets(10, 3, 1), [2, 5, 8]);
}

/// The published cycle (NSDI 2020): 108 racks, 6 switches, superslices of 100 µs, 10 µs of reconfiguration: 10.8 ms.
/// At the end of each superslice one switch is dark and the five others stay.
#[test]
fn operas_switches_change_one_at_a_time() {
    const US: u64 = 1_000_000;
    let schedule = turns(Algorithm::Opera, 108, &sliced(100 * US, 10 * US, 6), &Readings::default());
    assert_eq!(schedule.week(), Duration::from_micros(10_800));
    let dark = |time: u64| (0..6).filter(|switch| schedule.at(*switch, ps(time)).is_none()).collect::<Vec<_>>();
    for slice in 0..108 {
        let begin = slice * 100 * US;
        assert_eq!(dark(begin), [0; 0]);
        assert_eq!(dark(begin + 90 * US - 1), [0; 0]);
        // Switch s begins its holds at the slices s, s + 6, …, so the one before is dark.
        assert_eq!(dark(begin + 90 * US), [(slice as usize + 1) % 6]);
        assert_eq!(dark(begin + 100 * US - 1).len(), 1);
    }
    let pair = 590 * US;
    assert!(
        schedule.light().iter().enumerate().all(|(at, light)| *light == if at / 108 == at % 108 { 0 } else { pair })
    );
    // Each port is alone for one of its 108 turns, 590 µs like the others; in no matching are many alone.
    let alone = |hold: &Hold| hold.outputs.iter().filter(|output| **output == IDLE).count() as u64;
    let holds = || schedule.switches().iter().flatten();
    assert_eq!(holds().map(|hold| alone(hold) * hold.length.ps()).sum::<u64>(), 108 * pair);
    assert!(holds().map(alone).max().unwrap() < 16);
}

/// The throughput of single hops that Vermilion's authors publish for RotorNet (inet-tub/rdcn-throughput,
/// `nsdi-throughput-results`), 4 links a node and no dark time: its N matchings have the one from each node to itself.
/// A demand of skew s is (1 − s) uniform and s a permutation, as much as the links carry.
#[test]
fn single_hop_throughput_is_the_published_one() {
    let published = [
        (8, 0.0, 0.875),
        (8, 1.0, 0.125),
        (8, 0.1, 0.546875),
        (8, 0.3, 0.3125),
        (8, 0.5, 0.21874999999999997),
        (8, 0.9, 0.13671875),
        (16, 0.2, 0.24671052631578952),
        (16, 0.5, 0.1171875),
        (32, 0.4, 0.07451923076923087),
        (32, 0.0, 0.96875),
        (48, 0.1, 0.17485119047619047),
    ];
    for (ports, skew, throughput) in published {
        let site = Site { slice: Some(Duration::from_micros(10)), ..sliced(1, 0, 4) };
        let schedule = turns(Algorithm::Opera, ports, &site, &Readings::default());
        let all = 4.0 * schedule.week().ps() as f64;
        let entry = |at: usize| {
            let (row, column) = (at / ports, at % ports);
            let uniform = if row == column { 0.0 } else { (1.0 - skew) / (ports - 1) as f64 };
            all * (uniform + if (row + ports / 2) % ports == column { skew } else { 0.0 })
        };
        let wanted = demand(&(0..ports * ports).map(|at| entry(at).round() as u64).collect::<Vec<_>>());
        let scale = Coverage::of(&schedule, &wanted, PS_A_BYTE, Rate::from_bps(0)).unwrap().scale;
        assert!((scale - throughput).abs() < 1e-6, "{ports} {skew}: {scale} beside {throughput}");
        // A rule that looks at this demand, whose lines are full, loses nothing without dark time.
        let week = Site { week: Some(schedule.week()), slice: None, ..site };
        let looked = plan(Algorithm::Solstice, &wanted, &week, &Readings::default()).unwrap();
        let scale = Coverage::of(&looked, &wanted, PS_A_BYTE, Rate::from_bps(0)).unwrap().scale;
        assert!(scale > 0.9999, "{ports} {skew}: {scale}");
    }
}

proptest! {
    /// Whatever a file says is a schedule that is written and read again, or an error.
    #[test]
    fn any_text_is_a_schedule_or_an_error(
        rows in prop::collection::vec(prop::collection::vec(prop_oneof![
            4 => (0u64..12).prop_map(|number| number.to_string()),
            1 => prop::sample::select(vec!["-", "1 0", "- 1", "x", "", "18446744073709551615"]).prop_map(str::to_owned),
        ], 5..7), 0..4),
        common in any::<bool>(),
    ) {
        let line = |cells: &Vec<String>| {
            let mut cells = cells.clone();
            if common {
                cells[..2].clone_from_slice(&["40".to_owned(), "1".to_owned()]);
                cells[4..].iter_mut().skip(1).for_each(|outputs| *outputs = "1 0".to_owned());
            }
            cells.join(",")
        };
        let lines: Vec<String> = rows.iter().map(line).collect();
        let text = format!("week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs\n{}\n", lines.join("\n"));
        if let Ok(schedule) = CircuitSchedule::from_csv(&text) {
            prop_assert!(schedule.length() <= schedule.week() && schedule.duty() <= 1.0);
            prop_assert_eq!(CircuitSchedule::from_csv(&schedule.to_csv()), Ok(schedule));
        }
    }

    #[test]
    fn any_bytes_are_no_panic(text in "\\PC{0,200}") {
        prop_assert!(CircuitSchedule::from_csv(&text).is_err());
    }
}

fn refusal(algorithm: Algorithm, ports: usize, site: &Site) -> String {
    plan(algorithm, &demand(&vec![1; ports * ports]), site, &Readings::default()).unwrap_err().to_string()
}

#[test]
fn wrong_sites_are_refused_with_what_is_allowed() {
    let good = site(100, 2);
    let of = |change: fn(&mut Site)| {
        let mut site = good;
        change(&mut site);
        refusal(Algorithm::Solstice, 4, &site)
    };
    assert_eq!(of(|site| site.switches = 5), "5 switches; allowed: 1 to 4, one for each port");
    assert_eq!(of(|site| site.switches = 0), "0 switches; allowed: 1 to 4, one for each port");
    let week = "a week of 100 ps; allowed: longer than the reconfiguration (100 ps), at most 60 s";
    assert_eq!(of(|site| site.reconfiguration = ps(100)), week);
    assert_eq!(of(|site| site.week = None), "the rule solstice needs a week");
    assert_eq!(of(|site| site.capacity = Rate::from_bps(0)), "circuits of 0 bps; allowed: at least 1 bps");
    let long = "a week of 61 s; allowed: longer than the reconfiguration (2 ps), at most 60 s";
    assert_eq!(of(|site| site.week = Some(Duration::from_secs(61))), long);
    assert_eq!(refusal(Algorithm::MaxWeight, 4, &good), "the rule max-weight needs a slice");
    let surplus = refusal(Algorithm::Eclipse, 4, &Site { slice: Some(ps(10)), ..good });
    assert!(surplus.starts_with("a slice for the rule eclipse, whose matchings last as the demand says"), "{surplus}");
    let odd = refusal(Algorithm::RoundRobin, 5, &sliced(10, 1, 1));
    assert_eq!(odd, "5 ports for the rule round-robin; allowed: an even number, or the rule offsets");
    let few = refusal(Algorithm::Offsets, 7, &Site { slice: Some(ps(25)), ..good });
    assert_eq!(few, "a week of 4 slices; allowed: at least 6, those of a cycle");
    let guard = refusal(Algorithm::Offsets, 7, &sliced(10, 10, 1));
    assert_eq!(guard, "a slice of 10 ps; allowed: longer than the reconfiguration (10 ps), at most 60 s");
    assert_eq!(refusal(Algorithm::Opera, 6, &Site { week: None, ..good }), "the rule opera needs a slice or a week");
}

#[test]
fn wrong_demands_are_refused_with_their_place() {
    assert_eq!(DemandMatrix::new(1, vec![0]), Err(CircuitError::Ports { found: 1 }));
    assert_eq!(DemandMatrix::new(2, vec![0; 3]), Err(CircuitError::NotSquare { ports: 2, found: 3 }));
    let too_much = DemandMatrix::new(2, vec![0, 0, u64::MAX, 0]).unwrap();
    let error = plan(Algorithm::Bvn, &too_much, &site(100, 1), &Readings::default()).unwrap_err();
    let most = 60_000_000_000_000u64;
    assert_eq!(
        error.to_string(),
        format!("row 1, column 0: found {} B; allowed: 0 to {most} B at this capacity", u64::MAX)
    );
}

#[test]
fn wrong_holds_are_refused_with_their_place() {
    let hold =
        |start, length, outputs: &[u16]| Hold { start: ps(start), length: ps(length), outputs: outputs.to_vec() };
    let of = |holds: Vec<Hold>| CircuitSchedule::new(2, ps(100), ps(5), vec![holds]).map_err(|error| error.to_string());
    let (straight, crossed) = (&[0, 1][..], &[1, 0][..]);
    assert!(of(vec![hold(5, 40, straight), hold(50, 50, crossed)]).is_ok());
    assert!(of(vec![hold(0, 40, straight), hold(40, 60, straight)]).is_ok(), "the same matching needs no dark time");
    let wrong = [
        (
            vec![hold(5, 40, straight), hold(49, 51, crossed)],
            "switch 0, matching 1: dark for 4 ps before it; allowed: at \
            least 5 ps, the reconfiguration",
        ),
        (
            vec![hold(4, 41, straight), hold(50, 50, crossed)],
            "switch 0, matching 0: dark for 4 ps before it; allowed: at \
            least 5 ps, the reconfiguration",
        ),
        (
            vec![hold(5, 40, straight), hold(44, 9, crossed)],
            "switch 0, matching 1: from 44 ps; allowed: from 45 ps on, \
            when the last one ends",
        ),
        (
            vec![hold(60, 41, straight)],
            "switch 0, matching 0: from 60 ps for 41 ps; allowed: more than 0 ps, within 100 ps",
        ),
        (
            vec![hold(60, 0, straight)],
            "switch 0, matching 0: from 60 ps for 0 s; allowed: more than 0 ps, within 100 ps",
        ),
        (vec![hold(0, u64::MAX, straight)], "switch 0, matching 0: from 0 s for 18446744073709551615 ps; allowed: "),
        (vec![hold(0, 1, &[1, 1])], "switch 0, matching 0: inputs 0 and 1 to output 1; allowed: one input an output"),
        (vec![hold(0, 1, &[2, 1])], "switch 0, matching 0: input 0 to output 2; allowed: 0 to 1"),
        (vec![hold(0, 1, &[0])], "switch 0, matching 0: outputs of 1 inputs; allowed: of 2, one for each port"),
    ];
    for (holds, reason) in wrong {
        let error = of(holds).unwrap_err();
        assert!(error.starts_with(reason), "{error} / {reason}");
    }
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let head = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs";
    let good = format!("{head}\n100,5,0,5,40,1 0\n100,5,0,50,50,- 1\n100,5,1,0,100,- -\n");
    let schedule = CircuitSchedule::from_csv(&good).unwrap();
    assert_eq!((schedule.to_csv(), schedule.switches().len()), (good.clone(), 2));
    assert_eq!(schedule.light(), [0, 40, 40, 50]);
    let wrong = [
        ("", "line 1: found ''; allowed: week_ps,"),
        ("a,b\n1,2\n", "line 1: found 'a,b'; allowed: week_ps,"),
        (head, "line 2: no matching; allowed: at least one"),
        ("100,5,0,5,40\n", "line 2: 5 columns; allowed: 6"),
        ("100,5,0,-5,40,1 0\n", "line 2: start_ps is '-5'; allowed: a whole number, 0 to 18446744073709551615"),
        ("100,5,0,NaN,40,1 0\n", "line 2: start_ps is 'NaN'; allowed: a whole number, 0 to"),
        ("100,5,0,5,40,1 x\n", "line 2: output 'x'; allowed: a port or -"),
        (
            "100,5,0,5,40,1 0\n99,5,0,50,40,1 0\n",
            "line 3: another week, reconfiguration or number of ports than line 2; allowed: 100, 5, 2",
        ),
        ("100,5,0,5,40,1 0\n100,5,2,50,40,1 0\n", "line 3: switch 2; allowed: switches in order, from 0"),
        ("100,5,18446744073709551615,5,40,1 0\n", "line 2: switch 18446744073709551614; allowed: switches in order"),
        ("100,5,0,5,96,1 0\n", "line 2: from 5 ps for 96 ps; allowed: more than 0 ps, within 100 ps"),
        (
            "100,5,0,5,40,1 0\n\n100,5,0,30,40,0 1\n",
            "line 4: from 30 ps; allowed: from 45 ps on, when the last one ends",
        ),
        ("100,5,0,5,40,1 0\n100,5,1,9,9,1 1\n", "line 3: inputs 0 and 1 to output 1; allowed: one input an output"),
        ("100,100,0,5,40,1 0\n", "line 2: a week of 100 ps; allowed: longer than the reconfiguration (100 ps)"),
        ("100,5,0,5,40,0\n", "line 2: 1 ports; allowed: 2 to 4096"),
    ];
    for (text, reason) in wrong {
        let whole = if text.starts_with('1') { format!("{head}\n{text}") } else { text.to_owned() };
        let error = CircuitSchedule::from_csv(&whole).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{error} / {reason}");
    }
}

#[test]
fn every_rule_is_found_under_its_name() {
    for entry in registry() {
        assert_eq!(Algorithm::from_name(entry.name), Some(entry.choice));
        assert!(entry.summary.ends_with('.') && !entry.source.is_empty());
    }
    assert!(registry().iter().filter(|entry| matches!(entry.item, Rule::Turns(_))).count() == 4);
}
