//! What every frame scheduler must keep, whatever is asked for.

use control::scheduler::{Algorithm, FrameScheduler, IDLE, LineSums, Requests, Schedule, registry, share};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn schedule(algorithm: Algorithm, requests: &Requests, frame: u32) -> Schedule {
    FrameScheduler::new(algorithm).schedule(requests, frame).unwrap()
}

/// The blocks tile the frame from its start, and in each no output is used twice.
fn assert_valid(schedule: &Schedule) {
    let mut next = 0;
    for block in schedule.blocks() {
        assert!(block.start == next && block.slots > 0);
        next = block.start + block.slots;
        let used: Vec<u16> = block.outputs.iter().copied().filter(|output| *output != IDLE).collect();
        assert!(used.iter().all(|output| usize::from(*output) < schedule.nodes()));
        assert_eq!(used.iter().collect::<BTreeSet<_>>().len(), used.len(), "an output hears one input at a time");
    }
    assert!(next == schedule.length() && next <= schedule.frame());
}

/// No slot passes in which an input and an output idle that have a request left.
fn assert_maximal(schedule: &Schedule, requests: &Requests) {
    let nodes = requests.nodes();
    let mut left = requests.slots().to_vec();
    for block in schedule.blocks() {
        let free = |output: usize| !block.outputs.contains(&(output as u16));
        for (input, output) in block.outputs.iter().enumerate() {
            match *output {
                IDLE => assert!((0..nodes).all(|other| !free(other) || left[input * nodes + other] == 0)),
                output => left[input * nodes + usize::from(output)] -= block.slots,
            }
        }
    }
}

fn matrix(nodes: std::ops::Range<usize>, entry: impl Strategy<Value = u32> + Clone) -> impl Strategy<Value = Requests> {
    let entries = nodes.prop_flat_map(move |nodes| prop::collection::vec(entry.clone(), nodes * nodes));
    entries.prop_map(|slots| Requests::new(slots.len().isqrt(), slots).unwrap())
}

fn sparse() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![3 => Just(0u32), 3 => 0u32..4, 1 => 0u32..60]
}

/// The fewest slots that serve everything, by trying every set of connections.
fn fewest_slots(slots: &[u32], nodes: usize) -> u32 {
    let mut reached = BTreeSet::from([slots.to_vec()]);
    let mut count = 0;
    while !reached.contains(&vec![0; nodes * nodes]) {
        let mut next = BTreeSet::new();
        for left in &reached {
            serve_every_way(left.clone(), nodes, 0, 0, &mut next);
        }
        reached = next;
        count += 1;
    }
    count
}

fn serve_every_way(left: Vec<u32>, nodes: usize, row: usize, used: u32, found: &mut BTreeSet<Vec<u32>>) {
    if row == nodes {
        found.insert(left);
        return;
    }
    for column in (0..nodes).filter(|column| used & 1 << column == 0 && left[row * nodes + column] > 0) {
        let mut less = left.clone();
        less[row * nodes + column] -= 1;
        serve_every_way(less, nodes, row + 1, used | 1 << column, found);
    }
    serve_every_way(left, nodes, row + 1, used, found);
}

proptest! {
    #[test]
    fn bvn_serves_all_that_fits_in_as_few_slots_as_the_longest_line(
        requests in matrix(1..20, sparse()),
        spare in 0u32..9,
    ) {
        let longest = requests.longest_line() as u32;
        let schedule = schedule(Algorithm::Bvn, &requests, (longest + spare).max(1));
        assert_valid(&schedule);
        prop_assert_eq!(schedule.granted(), requests.slots());
        prop_assert_eq!(schedule.length(), longest);
    }

    #[test]
    fn bvn_spans_several_words(requests in matrix(60..70, 0u32..3)) {
        let longest = requests.longest_line() as u32;
        let schedule = schedule(Algorithm::Bvn, &requests, longest);
        assert_valid(&schedule);
        prop_assert_eq!(schedule.granted(), requests.slots());
    }

    #[test]
    fn no_schedule_is_shorter_than_bvns(requests in matrix(2..4, 0u32..3)) {
        let schedule = schedule(Algorithm::Bvn, &requests, 64);
        prop_assert_eq!(schedule.length(), fewest_slots(requests.slots(), requests.nodes()));
    }

    #[test]
    fn the_others_keep_to_the_requests_and_leave_no_slot_idle(requests in matrix(1..20, sparse()), frame in 1u32..80) {
        let admitted = share(&requests, frame, 0);
        for algorithm in [Algorithm::Greedy, Algorithm::RoundRobin, Algorithm::Islip] {
            let schedule = schedule(algorithm, &requests, frame);
            assert_valid(&schedule);
            prop_assert!(schedule.granted().iter().zip(admitted.slots()).all(|(granted, asked)| granted <= asked));
            assert_maximal(&schedule, &admitted);
        }
    }

    #[test]
    fn overload_is_shared_max_min(requests in matrix(1..10, prop_oneof![sparse(), Just(u32::MAX)]), frame in 1u32..50) {
        let (given, nodes) = (share(&requests, frame, 0), requests.nodes());
        let LineSums { rows, columns } = given.line_sums();
        prop_assert!(rows.iter().chain(&columns).all(|sum| *sum <= u64::from(frame)));
        for at in 0..nodes * nodes {
            let (row, column) = (at / nodes, at % nodes);
            let (got, asked) = (given.slots()[at], requests.slots()[at]);
            prop_assert!(got <= asked);
            // Who is refused has a full line in which nobody has more than a slot above it.
            let highest_in_row = (0..nodes).map(|other| given.slots()[row * nodes + other]).max().unwrap();
            let highest_in_column = (0..nodes).map(|other| given.slots()[other * nodes + column]).max().unwrap();
            let by_row = rows[row] == u64::from(frame) && highest_in_row <= got + 1;
            let by_column = columns[column] == u64::from(frame) && highest_in_column <= got + 1;
            prop_assert!(got == asked || by_row || by_column, "{at}: {got} of {asked} in {:?}", given);
        }
    }

    #[test]
    fn every_frame_after_frame_is_valid(requests in matrix(1..12, any::<u32>()), frame in 1u32..40) {
        for entry in registry() {
            let mut scheduler = FrameScheduler::new(entry.choice);
            for _ in 0..3 {
                let schedule = scheduler.schedule(&requests, frame).unwrap();
                assert_valid(&schedule);
                prop_assert!(schedule.served(&requests) <= requests.total());
            }
        }
    }

    #[test]
    fn a_scheduler_follows_when_the_number_of_nodes_changes(
        first in matrix(1..9, sparse()),
        second in matrix(1..9, sparse()),
    ) {
        for entry in registry() {
            let mut scheduler = FrameScheduler::new(entry.choice);
            for requests in [&first, &second, &first] {
                assert_valid(&scheduler.schedule(requests, 30).unwrap());
            }
        }
    }
}

#[test]
fn the_rotor_looks_at_nothing_and_meets_all() {
    let requests = Requests::new(5, vec![9; 25]).unwrap();
    let granted = schedule(Algorithm::Rotor, &requests, 8).granted();
    let expected: Vec<u32> = (0..25).map(|at| if at % 6 == 0 { 0 } else { 2 }).collect();
    assert_eq!(granted, expected, "8 slots are two rounds of 4, and nobody sends to itself");
}
