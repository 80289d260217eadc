//! Decoders and machines driven by arbitrary bytes: the same functions serve cargo-fuzz and the property tests.

use crate::scheduler::Algorithm;
use crate::signalling::{Action, Actions, Core, Heard, Member, Network, Node, NodeConfig, Sharing};
use crate::sync::{ClockFilter, FilterConfig, Sample};
use crate::wire::{self, Block, Carriage, Class, Header, Key, Malformed, NodeId, Slot, Stamp};
use units::{Duration, Instant};

/// Decodes; panics if an invariant breaks. What decodes is the form that would be encoded, to the last bit.
pub fn wire(bytes: &[u8]) {
    let key = Key::new(b"a key for tests and nothing else").expect("it is long enough");
    let decoded = wire::decode(bytes);
    match (&decoded, key.open(bytes)) {
        (Ok(slot), Ok(opened)) => assert_eq!(*slot, opened, "a tag changes nothing"),
        (Ok(_), Err(refused)) => assert_eq!(refused, Malformed::Tag, "nothing else is looked at beyond decoding"),
        (Err(_), Err(_)) => {}
        (Err(malformed), Ok(_)) => panic!("what opens decodes: {malformed}"),
    }
    let Ok(slot) = decoded else { return };
    let again = slot.encode(&key).expect("what was decoded is short enough");
    assert_eq!(again.len(), bytes.len(), "a slot has one form in bytes");
    // Only the tag may differ: the bytes may be of another key.
    let tagged = slot.header.class != wire::Class::Data;
    let same = bytes.len() - if tagged { 16 } else { 0 };
    assert_eq!(again[..same], bytes[..same], "a slot has one form in bytes");
}

/// Feeds a clock filter with any samples; panics if an invariant breaks.
pub fn clock(bytes: &[u8]) {
    let mut filter = ClockFilter::new(FilterConfig::default());
    for chunk in bytes.chunks_exact(17) {
        let (kind, numbers) = chunk.split_first().expect("chunks have 17 bytes");
        let number = |at: usize| u64::from_le_bytes(*numbers[at..].first_chunk().expect("there are 16 bytes"));
        let spread = |number: u64| Instant::from_ps(number >> (kind % 64));
        let (sent, there) = (spread(number(0)), spread(number(8)));
        filter.observe(match kind & 64 {
            0 => Sample::one_way(sent, there),
            _ => Sample::two_way(sent, there, there, spread(number(4))),
        });
        let estimate = filter.estimate(sent).expect("there was a sample");
        assert!(estimate.drift.is_finite() && estimate.error >= 0.0, "an estimate is a number");
        let _ = (filter.send_time(there), filter.arrival(sent), filter.line().map(|line| line.difference(there)));
    }
}

/// Three members, one of which knows the network.
fn small_network() -> Network {
    let members = (0..3).map(|node| Member { node: NodeId(node), port: node }).collect();
    Network {
        carriage: Carriage::Slots,
        switch_size: 3,
        frame_slots: 12,
        signalling_slots: 2,
        slot: Duration::from_micros(250),
        guard: Duration::from_micros(30),
        switching: Duration::from_micros(10),
        start: Instant::from_ps(1),
        longest: Duration::from_micros(300),
        shortest: Duration::ZERO,
        turnaround: Duration::from_micros(10),
        members,
    }
}

/// Feeds a node and a core with slots that have the right tag and say anything. Panics if an invariant breaks; what
/// they want done is bounded, whatever they are told.
pub fn signalling(bytes: &[u8]) {
    let key = Key::new(b"a key for tests and nothing else").expect("it is long enough");
    let network = small_network().checked().expect("it can work");
    let (knows, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let config = NodeConfig {
        node: NodeId(1),
        key: key.clone(),
        network: knows.is_multiple_of(2).then(|| network.clone()),
        algorithm: Algorithm::Greedy,
        weights: None,
        sharing: Sharing::LITERAL,
        stamp: Stamp::Exact,
        filter: FilterConfig::default(),
    };
    let (mut node, mut actions) = (Node::new(config, 7), Actions::new());
    let mut core = Core::new(network, key.clone(), 7, Instant::ZERO);
    let mut now = Instant::ZERO;
    for (at, chunk) in bytes.chunks(40).enumerate() {
        let [step, source, class, data @ ..] = chunk else { break };
        now = now + Duration::from_micros(u64::from(*step) * 20);
        poll(&mut node, now, &mut actions);
        let due = core.next_timeout();
        let before = actions.len();
        core.handle_timeout(now, &mut actions);
        assert!(before == actions.len() || is_due(due, now), "the core acts when it said that it would");
        let class = [Class::Signalling, Class::Data, Class::Control][usize::from(class % 3)];
        let slot = any_slot(class, *source, at as u64, data);
        for to in [NodeId(1), NodeId::CORE] {
            let header = Header { destination: to, ..slot.header.clone() };
            let Ok(slot) = (Slot { header, blocks: slot.blocks.clone() }).encode(&key) else { continue };
            let heard = Heard { now, stamp: Instant::from_ps(now.ps() - now.ps() % 7_000_000_000) };
            node.handle_light(heard, &slot, &mut actions);
            node.handle_beside(heard, &slot, &mut actions);
            core.handle_beside(heard, &slot, &mut actions);
        }
        assert!(actions.len() <= 200, "a call wants a bounded number of things done");
        for action in actions.drain(..) {
            if let Action::Light { at, bytes, .. } = action {
                assert!(at >= now && !bytes.is_empty(), "light leaves later, and is a slot");
            }
        }
        let _ = (node.next_timeout(), core.route(now, u16::from(*source) % 4, Duration::from_micros(220)));
    }
}

/// Calls a node at any time. Panics if it does something then that it had not asked to be called for, or leaves undone
/// what is due: a host polls when it is told to.
pub fn poll(node: &mut Node, now: Instant, actions: &mut Actions) {
    let (due, before) = (node.next_timeout(), actions.len());
    node.handle_timeout(now, actions);
    assert!(before == actions.len() || is_due(due, now), "a node acts when it said that it would");
    assert!(!is_due(node.next_timeout(), now), "what is due is done");
}

fn is_due(due: Option<Instant>, now: Instant) -> bool {
    due.is_some_and(|due| due <= now)
}

/// A slot with a block made of arbitrary bytes, or with none.
fn any_slot(class: Class, source: u8, sequence: u64, data: &[u8]) -> Slot {
    let (session, source) = match source % 4 {
        3 => (9, NodeId::CORE),
        node => (9, NodeId(u16::from(node))),
    };
    let frame = data.first().map_or(0, |frame| u64::from(*frame));
    let header = Header {
        class,
        source,
        destination: NodeId::ALL,
        frame: if frame > 250 { u64::MAX - frame } else { frame },
        slot: 0,
        piece: 0,
        stamp: if frame.is_multiple_of(2) { Stamp::Exact } else { Stamp::Follows },
        reserved: 0,
        session,
        peer_session: 7,
        sequence,
        sent_at: Instant::from_ps(frame << (frame % 60)),
    };
    Slot { header, blocks: Block::any(data).into_iter().collect() }
}
