//! Slots as bytes: vectors both ways, what is refused, and what any bytes may do.
//!
//! `vectors.txt` comes from `tests/python/wire_bytes.py`, which knows `docs/protocol.md` and not this code.

use control::wire::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::{Duration, Instant};

fn key() -> Key {
    Key::new(b"a key for tests and nothing else").unwrap()
}

fn vectors() -> BTreeMap<&'static str, Vec<u8>> {
    let bytes = |hex: &str| (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
    let lines = include_str!("vectors.txt").lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(name, hex)| (name, bytes(hex))).collect()
}

/// Of frame 7, slot 3, piece 1, session 11 to 12, number 13, sent at 14 ps.
fn header(class: Class, source: NodeId, destination: NodeId) -> Header {
    Header {
        class,
        source,
        destination,
        frame: 7,
        slot: 3,
        piece: 1,
        stamp: Stamp::Exact,
        reserved: 0,
        session: 11,
        peer_session: 12,
        sequence: 13,
        sent_at: Instant::from_ps(14),
    }
}

const MASTER: NodeId = NodeId(0);
const SLAVE: NodeId = NodeId(5);

fn to_slave(block: impl Into<Block>) -> Slot {
    Slot { header: header(Class::Signalling, MASTER, SLAVE), blocks: vec![block.into()] }
}

fn to_master(blocks: Vec<Block>) -> Slot {
    Slot { header: header(Class::Signalling, SLAVE, MASTER), blocks }
}

fn control(source: NodeId, destination: NodeId, block: impl Into<Block>) -> Slot {
    Slot { header: header(Class::Control, source, destination), blocks: vec![block.into()] }
}

fn configuration() -> Configuration {
    let node = |node: u16, status| NodeState { node: NodeId(node), port: 1, status };
    Configuration {
        term: 9,
        carriage: Carriage::Slots,
        switch_size: 7,
        frame_slots: 18,
        signalling_slots: 6,
        slot: Duration::from_micros(250),
        guard: Duration::from_micros(20),
        switching: Duration::from_micros(10),
        start: Instant::from_ps(1000),
        longest: Duration::from_millis(10),
        shortest: Duration::from_millis(9),
        turnaround: Duration::from_micros(100),
        nodes: vec![node(1, NodeStatus::Active), node(2, NodeStatus::Inactive)],
    }
}

fn signalling() -> Vec<(&'static str, Slot)> {
    let at = Instant::from_ps;
    let invitation = Invitation { node: SLAVE, term: 9, frame: 8, answer_after: Duration::from_micros(1) };
    let measurement = Measurement {
        sequence: 13,
        received_at: at(500),
        sent_at: at(400),
        time_difference: -100,
        drift: -37_500_000,
        error: 25,
    };
    let wishes = vec![Wish { destination: NodeId(1), slots: 4 }, Wish { destination: NodeId(2), slots: 70_000 }];
    let mut request = to_master(vec![
        FollowUp { sequence: 12, sent_at: at(399) }.into(),
        Request { term: 9, frame: 7, wishes }.into(),
    ]);
    request.header.stamp = Stamp::Follows;
    let grants = vec![Grant { slot: 6, slots: 12, destination: NodeId(2) }];
    vec![
        ("empty", Slot { header: header(Class::Signalling, NodeId(1), MASTER), blocks: vec![] }),
        ("invitation", to_slave(invitation)),
        ("answer", to_master(vec![Answer { node: SLAVE, term: 9, frame: 8, heard_at: at(1 << 63) }.into()])),
        ("configuration", to_slave(configuration())),
        ("measurement", to_slave(measurement)),
        ("request", request),
        (
            "unused",
            to_master(vec![Unused { term: 9, frame: 7, idle: vec![Idle { destination: NodeId(2), slots: 3 }] }.into()]),
        ),
        ("allocation", to_slave(Allocation { term: 9, frame: 8, grants })),
        ("fault", to_master(vec![Fault { kind: FaultKind::Synchronization, node: SLAVE, frame: 7 }.into()])),
    ]
}

fn others() -> Vec<(&'static str, Slot)> {
    let at = Instant::from_ps;
    let beacon = Beacon { term: 9, master: MASTER, session: 11, frame: 7, unplanned: 9, start: at(1000) };
    let connections = vec![Connection { slot: 0, slots: 1, input: 1, output: 0 }];
    let verdict = Verdict {
        kind: VerdictKind::WrongFrame,
        term: 9,
        frame: 8,
        sequence: 13,
        sent_at: at(14),
        received_at: at(600),
    };
    let data = vec![
        IpPacket { packet: 3, offset: 0, length: 4, bytes: vec![0x45, 0, 0, 4] }.into(),
        FileChunk { transfer: 1, offset: 2, length: 5, bytes: b"abc".to_vec() }.into(),
        Management { topic: 6, bytes: vec![] }.into(),
    ];
    let claim = Claim { kind: ClaimKind::Take, term: 10, heard: 6 };
    vec![
        ("beacon", control(NodeId::CORE, NodeId::ALL, beacon)),
        ("claim", control(NodeId(1), NodeId::CORE, claim)),
        ("plan", control(MASTER, NodeId::CORE, Plan { term: 9, frame: 8, heard: 6, connections })),
        ("verdict", control(NodeId::CORE, MASTER, verdict)),
        ("data", Slot { header: header(Class::Data, SLAVE, NodeId(2)), blocks: data }),
    ]
}

fn slots() -> Vec<(&'static str, Slot)> {
    [signalling(), others()].concat()
}

#[test]
fn slots_and_the_bytes_of_the_specification_are_the_same_both_ways() {
    let vectors = vectors();
    let slots = slots();
    assert_eq!(slots.len(), vectors.len());
    for (name, slot) in &slots {
        assert_eq!(slot.encode(&key()).unwrap(), vectors[name], "{name}");
        assert_eq!(key().open(&vectors[name]).as_ref(), Ok(slot), "{name}");
    }
}

#[test]
fn slots_and_their_plain_values_are_the_same_both_ways() {
    for (name, slot) in slots() {
        let (header, blocks) = slot.values();
        let named = |(name, fields): (&str, Fields)| (name.to_string(), fields);
        assert_eq!(Slot::of_values(header, blocks.into_iter().map(named).collect()), Ok(slot), "{name}");
    }
    let follow = |fields: Fields| Block::of_values("follow-up", fields).unwrap_err().to_string();
    let field = |name: &str, value: Value| (name.to_string(), value);
    assert_eq!(follow(vec![field("sequence", Value::Number(1))]), "the field 'sent_at' is not there");
    let both = vec![field("sequence", Value::Number(-1)), field("sent_at", Value::Number(1))];
    assert_eq!(follow(both), "the field 'sequence' has a value of another kind, or out of its range");
    let three = ["sequence", "sent_at", "when"].map(|name| field(name, Value::Number(1))).to_vec();
    assert_eq!(follow(three), "there is no field 'when'");
    assert!(Block::of_values("folow-up", vec![]).unwrap_err().to_string().starts_with("there is no block 'folow-up'"));
}

#[test]
fn a_header_has_64_bytes() {
    // Paper 003 has 60. An empty slot of signalling has its tag of 16 too.
    assert_eq!(Header::LENGTH, 64);
    assert_eq!(vectors()["empty"].len(), 80);
}

#[test]
fn every_cut_and_every_changed_bit_is_refused() {
    for (name, bytes) in vectors() {
        for length in 0..bytes.len() {
            assert!(key().open(&bytes[..length]).is_err(), "{name} cut to {length}");
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(key().open(&changed).is_err(), "{name} with bit {bit} changed");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(key().open(&longer), Err(Malformed::Trailing), "{name}");
    }
}

#[test]
fn a_slot_of_another_key_is_forged() {
    let other = Key::new(b"a key for tests and nothing more").unwrap();
    for (name, slot) in slots() {
        let bytes = slot.encode(&other).unwrap();
        let expected = if slot.header.class == Class::Data { Ok(slot) } else { Err(Malformed::Tag) };
        assert_eq!(key().open(&bytes), expected, "{name}");
    }
}

#[test]
fn signalling_in_a_data_slot_is_refused() {
    for (name, mut slot) in signalling().into_iter().filter(|(_, slot)| !slot.blocks.is_empty()) {
        slot.header.class = Class::Data;
        let bytes = slot.encode(&key()).unwrap();
        assert!(matches!(key().open(&bytes), Err(Malformed::Unprotected { .. })), "{name}");
    }
}

#[test]
fn another_version_is_named() {
    let mut bytes = vectors()["empty"].clone();
    bytes[2] = 2;
    let refused = decode(&bytes).unwrap_err();
    assert_eq!(refused.to_string(), "version 2 of the protocol; known: 1");
}

#[test]
fn what_is_too_long_is_not_encoded() {
    let data = |bytes: usize, blocks: usize| {
        let block = Block::from(Management { topic: 0, bytes: vec![0; bytes] });
        let header = header(Class::Data, SLAVE, MASTER);
        Slot { header, blocks: vec![block; blocks] }.encode(&key()).map(|bytes| bytes.len())
    };
    assert_eq!(data(65_533, 1), Ok(64 + 4 + 65_535));
    assert_eq!(data(65_534, 1), Err(TooLong { block: "management" }));
    // 16 blocks with heads of 4 bytes and topics of 2 fill a payload of 16 · 65536 bytes.
    assert_eq!(data(65_530, 16), Ok(64 + (1 << 20)));
    assert_eq!(data(65_531, 16), Err(TooLong { block: "payload" }));
    let wishes = vec![Wish { destination: MASTER, slots: 1 }; 70_000];
    let request = to_master(vec![Request { term: 0, frame: 0, wishes }.into()]);
    assert_eq!(request.encode(&key()), Err(TooLong { block: "request" }));
}

/// A list says that it has 65 535 entries and has none; a slot says that its payload has a gigabyte.
#[test]
fn what_is_allocated_is_bounded_by_the_bytes_that_came() {
    let mut claims = vectors()["request"].clone();
    let count = claims.len() - 16 - 2 * 6 - 2;
    claims[count..count + 2].fill(0xFF);
    let mut giant = vectors()["data"].clone();
    giant[56..60].copy_from_slice(&(1u32 << 30).to_le_bytes());
    for bytes in [claims, giant].into_iter().chain(vectors().into_values()) {
        assert_bounded(&bytes);
    }
    assert!(matches!(decode(&vectors()["data"][..63]), Err(Malformed::Truncated)));
}

/// Memory for at most 64 bytes of each that came: a block of 4 bytes is a value of about 100.
fn assert_bounded(bytes: &[u8]) {
    let allocated = allocation_counter::measure(|| drop(decode(bytes)));
    assert!(allocated.bytes_max <= 64 * bytes.len() as u64 + 512, "{} of {}", allocated.bytes_max, bytes.len());
}

/// Bytes with a right header and checksum around any payload, so that blocks are reached.
fn framed(class: u8, payload: Vec<u8>) -> Vec<u8> {
    let mut bytes = vectors()["empty"][..64].to_vec();
    bytes[3] = class;
    bytes[56..60].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&payload);
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(&[&bytes[..60], &bytes[64..]].concat());
    bytes[60..64].copy_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(if class == 1 { &[] } else { &[0; 16] });
    bytes
}

fn blocks() -> impl Strategy<Value = Vec<u8>> {
    let code = prop::sample::select(vec![1u8, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 32, 33, 34, 35]);
    let data = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        prop::collection::vec(prop::sample::select(vec![0u8, 1, 2, 3]), 0..120)
    ];
    let block =
        (code, data).prop_map(|(code, data)| [&[code, 0], &(data.len() as u16).to_le_bytes()[..], &data].concat());
    prop::collection::vec(block, 0..6).prop_map(|blocks| blocks.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        control::fuzz::wire(&bytes);
        assert_bounded(&bytes);
    }

    #[test]
    fn any_payload_is_survived(
        class in 0u8..4,
        payload in prop_oneof![blocks(), prop::collection::vec(any::<u8>(), 0..80)],
    ) {
        let bytes = framed(class, payload);
        control::fuzz::wire(&bytes);
        assert_bounded(&bytes);
    }

    #[test]
    fn changed_vectors_are_survived(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
        cut in 0usize..40,
    ) {
        let vectors = vectors();
        let mut bytes = vectors.values().nth(which.index(vectors.len())).unwrap().clone();
        let at = at.index(bytes.len());
        bytes[at] = value;
        bytes.truncate(bytes.len() - cut);
        control::fuzz::wire(&bytes);
    }
}
