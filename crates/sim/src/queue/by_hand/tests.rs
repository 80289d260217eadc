//! What holds for every discipline.

use super::*;
use crate::queue::{Ecn, Form, list};
use crate::random::Seed;
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::{ByteTime, Rate};

const MS: u64 = 1_000_000_000;

pub fn site() -> Site {
    let stream = Seed { seed: 3, run: 0 }.stream("link", "queue");
    Site { byte_time: ByteTime::at(Rate::from_mbps(10)).unwrap(), stream }
}

/// What a packet of a test is: (flow, size, ECN, priority).
fn packets() -> impl Strategy<Value = Vec<(u64, u16, u8, u8)>> {
    prop::collection::vec((0u64..5, 40u16..1501, 0u8..3, 0u8..4), 1..250)
}

fn ecn(number: u8) -> Ecn {
    [Ecn::NotCapable, Ecn::Classic, Ecn::Scalable][usize::from(number)]
}

/// 1500 B in, 64 B out: what a header has lost waits no more either.
#[test]
fn what_was_cut_off_a_packet_is_held_until_its_header_leaves() {
    let mut queue = ByHand::new(&Config::named("ndp").unwrap(), Room::Packets(20), site());
    for id in 0..10 {
        let item = Item { id, size: 1500, form: crate::queue::Form::Trimmable, ..Item::default() };
        assert_eq!(queue.enqueue(0, item), []);
    }
    assert_eq!(queue.held(), Held { packets: 10, bytes: 15_000 });
    assert_eq!(queue.dequeue(0).0.map(|item| item.size), Some(64));
    assert_eq!(queue.held(), Held { packets: 9, bytes: 13_500 });
    while queue.dequeue(0).0.is_some() {}
    assert_eq!(queue.held(), Held::default());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// 10 Mb/s serve what comes at random; every packet leaves once or is dropped once, nothing is sent while something
    /// waits but the packet that the queue names, what waits fits, and packets of one flow and kind keep their order.
    #[test]
    fn nothing_is_lost_or_doubled_and_flows_keep_their_order(
        kind in 0usize..list().len(), packets in packets(), gap in 1u64..3, places in 1u64..40,
    ) {
        let name = list()[kind].name;
        let config = Config::named(name).unwrap();
        let mut queue = ByHand::new(&config, Room::Packets(places), site());
        let mut fates: BTreeMap<u32, &str> = BTreeMap::new();
        let mut last: BTreeMap<(u64, u8), u32> = BTreeMap::new();
        let (mut free_at, mut count) = (0, 0);
        let mut serve = |queue: &mut ByHand, until: u64, fates: &mut BTreeMap<u32, &str>| {
            while free_at < until {
                let before = queue.held();
                let (item, dropped) = queue.dequeue(free_at);
                for one in &dropped {
                    assert_eq!(fates.insert(one.item.id, "dropped"), None);
                }
                let Some(item) = item else {
                    // It has nothing to send only when nothing is left: work is conserved.
                    assert_eq!(before.packets, dropped.len() as u64);
                    free_at = until;
                    break;
                };
                assert_eq!(fates.insert(item.id, "sent"), None);
                // DualPI2 has two queues, priority one a band; in each of them packets of a flow keep their order.
                let (flow, _, ecn_of, priority) = packets[item.id as usize];
                let queue_of = match name {
                    "dualpi2" => u8::from(ecn(ecn_of) == Ecn::Scalable),
                    "priority" => priority.min(2),
                    _ => 0,
                };
                let before = last.insert((flow, queue_of), item.id);
                assert!(before.is_none_or(|before| before < item.id), "{before:?} {item:?}");
                free_at += u64::from(item.size) * 800_000;
            }
        };
        for (id, (flow, size, kind, priority)) in (0..).zip(&packets) {
            let now = u64::from(id) * gap * MS / 2;
            serve(&mut queue, now, &mut fates);
            let (size, priority, ecn, flow) = (*size, *priority, ecn(*kind), *flow);
            let item = Item { id, size, priority, ecn, flow, arrived: now, ..Item::default() };
            for one in queue.enqueue(now, item) {
                prop_assert_eq!(fates.insert(one.item.id, "dropped"), None);
            }
            prop_assert!(queue.held().packets <= places);
            count += 1;
        }
        serve(&mut queue, u64::MAX / 4, &mut fates);
        prop_assert_eq!((fates.len(), queue.held()), (count, Held::default()));
    }

    /// Thresholds are the discipline's own (RFC 8257's K, RED's min_th and max_th, NDP's eight packets, the targets of
    /// CoDel, PIE and DualPI2): a buffer without a bound, and one that is never full, are the same to each of them.
    #[test]
    fn a_buffer_without_a_bound_is_one_that_is_never_full(
        kind in 0usize..list().len(), packets in packets(), gap in 1u64..3,
    ) {
        let config = Config::named(list()[kind].name).unwrap();
        let fates = |room: Room| {
            let mut queue = ByHand::new(&config, room, site());
            let mut fates = Vec::new();
            for (id, (flow, size, kind, priority)) in (0..).zip(&packets) {
                let now = u64::from(id) * gap * MS / 2;
                let form = if *flow == 0 { Form::Whole } else { Form::Trimmable };
                let (size, priority, flow, ecn) = (*size, *priority, *flow, ecn(*kind));
                let item = Item { id, size, priority, ecn, flow, form, arrived: now, cut: 0 };
                let dropped = queue.enqueue(now, item);
                let left = if id % 3 == 2 { queue.dequeue(now) } else { (None, Vec::new()) };
                fates.push((dropped, left));
            }
            (fates, queue.held())
        };
        let unlimited = fates(Room::Unlimited);
        prop_assert_eq!(&fates(Room::Packets(1 << 40)), &unlimited);
        prop_assert_eq!(&fates(Room::Bytes(1 << 40)), &unlimited);
    }
}
