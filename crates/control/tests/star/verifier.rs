//! Reads a log and nothing else, by the tables of `docs/protocol.md`, and says what must not have happened. It shares
//! no code with the machines.

use super::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What a slot says, as far as the verifier cares.
struct Seen {
    class: u8,
    source: u16,
    destination: u16,
    frame: u64,
    slot: u32,
    /// Which datagram of the slot.
    piece: u64,
    session: u64,
    sequence: u64,
    blocks: Vec<(u8, Vec<u8>)>,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes[at..at + N]);
    u64::from_le_bytes(wide)
}

fn read(bytes: &[u8]) -> Seen {
    let length = number::<4>(bytes, 56) as usize;
    let mut blocks = Vec::new();
    let mut at = 64;
    while at < 64 + length {
        let long = number::<2>(bytes, at + 2) as usize;
        blocks.push((bytes[at], bytes[at + 4..at + 4 + long].to_vec()));
        at += 4 + long;
    }
    Seen {
        class: bytes[3],
        source: number::<2>(bytes, 4) as u16,
        destination: number::<2>(bytes, 6) as u16,
        frame: number::<8>(bytes, 8),
        slot: number::<4>(bytes, 16) as u32,
        piece: number::<2>(bytes, 20),
        session: number::<8>(bytes, 24),
        sequence: number::<8>(bytes, 40),
        blocks,
    }
}

/// The port of a node.
pub type Ports = BTreeMap<u16, u16>;

/// Everything that must not have happened, in words. Payloads sent after `settled` may still be on their way.
pub fn violations(log: &[Entry], ports: &Ports, settled: u64) -> Vec<String> {
    let mut found = light_that_met(log);
    found.extend(two_into_one_output(log, ports));
    found.extend(two_masters_in_a_frame(log, ports));
    found.extend(delivered_twice(log));
    found.extend(neither_delivered_nor_reported(log, settled));
    found
}

/// From, until, node.
type Span = (u64, u64, u16);

/// At one port, in or out, light of two slots at a time.
fn light_that_met(log: &[Entry]) -> Vec<String> {
    let mut spans: BTreeMap<(&str, u16), Vec<Span>> = BTreeMap::new();
    for entry in log {
        let Entry::Light { from, until, node, port, output, .. } = entry else { continue };
        spans.entry(("input", *port)).or_default().push((*from, *until, *node));
        if let Some(output) = output {
            spans.entry(("output", *output)).or_default().push((*from, *until, *node));
        }
    }
    let mut found = Vec::new();
    for ((side, port), mut spans) in spans {
        spans.sort_unstable();
        for pair in spans.windows(2).filter(|pair| pair[0].1 > pair[1].0) {
            found
                .push(format!("light of nodes {} and {} met at {side} {port}, at {}", pair[0].2, pair[1].2, pair[1].0));
        }
    }
    found
}

/// Two edge nodes sent data into one output, or from behind one combiner, in one slot.
fn two_into_one_output(log: &[Entry], ports: &Ports) -> Vec<String> {
    let mut first: BTreeMap<(&str, u64, u32, u16), u16> = BTreeMap::new();
    let mut found = Vec::new();
    for entry in log {
        let Entry::Light { bytes, .. } = entry else { continue };
        let seen = read(bytes);
        if seen.class != 1 {
            continue;
        }
        for (side, port) in [("output", ports[&seen.destination]), ("input", ports[&seen.source])] {
            let sender = *first.entry((side, seen.frame, seen.slot, port)).or_insert(seen.source);
            if sender != seen.source {
                let (frame, slot) = (seen.frame, seen.slot);
                found.push(format!(
                    "nodes {sender} and {} used {side} {port} in frame {frame}, slot {slot}",
                    seen.source
                ));
            }
        }
    }
    found
}

/// Allocations of two terms for one frame, or two grants for one port and slot.
fn two_masters_in_a_frame(log: &[Entry], ports: &Ports) -> Vec<String> {
    let (mut terms, mut granted, mut found) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut inputs = BTreeSet::new();
    for entry in log {
        let Entry::Light { bytes, .. } = entry else { continue };
        let seen = read(bytes);
        for (_, data) in seen.blocks.iter().filter(|(code, _)| *code == 7) {
            let (term, frame) = (number::<8>(data, 0), number::<8>(data, 8));
            let other = *terms.entry(frame).or_insert((term, seen.source));
            if other != (term, seen.source) {
                found.push(format!("frame {frame} was allocated by {other:?} and by {:?}", (term, seen.source)));
            }
            for grant in data[18..].chunks_exact(10) {
                let (slot, slots, to) = (number::<4>(grant, 0), number::<4>(grant, 4), number::<2>(grant, 8) as u16);
                for slot in slot..slot + slots {
                    let node = *granted.entry((frame, slot, ports[&to])).or_insert(seen.destination);
                    let again = !inputs.insert((frame, slot, ports[&seen.destination]));
                    if node != seen.destination || again {
                        found.push(format!(
                            "frame {frame}, slot {slot} to {to}: granted to {node} and {}",
                            seen.destination
                        ));
                    }
                }
            }
        }
    }
    found
}

fn delivered_twice(log: &[Entry]) -> Vec<String> {
    let mut once = BTreeSet::new();
    let payloads = log.iter().filter_map(|entry| match entry {
        Entry::Delivered { payload, .. } => Some(*payload),
        _ => None,
    });
    payloads
        .filter(|payload| !once.insert(*payload))
        .map(|payload| format!("payload {payload} was delivered twice"))
        .collect()
}

/// Data that was sent, did not come, and of which nobody said so.
fn neither_delivered_nor_reported(log: &[Entry], settled: u64) -> Vec<String> {
    let mut delivered = BTreeSet::new();
    let (mut reported, mut silent) = (Vec::new(), Vec::new());
    for entry in log {
        match entry {
            Entry::Delivered { payload, .. } => drop(delivered.insert(*payload)),
            Entry::Missing { node, from, first, until, .. } => reported.push((*node, *from, *first, *until)),

            Entry::Silent { at, about, .. } => silent.push((*at, *about)),
            _ => {}
        }
    }
    // A node that is gone reports nothing; that it is gone is the report.
    let gone = |seen: &Seen, sent: u64| silent.iter().any(|(at, about)| *at >= sent && *about == seen.destination);
    let covered = |seen: &Seen| {
        let place = (seen.session, seen.sequence);
        reported.iter().any(|(node, from, first, until)| {
            (*node, *from) == (seen.destination, seen.source) && (*first..*until).contains(&place)
        })
    };
    let mut found = Vec::new();
    for entry in log {
        let Entry::Light { from, bytes, .. } = entry else { continue };
        let seen = read(bytes);
        if seen.class != 1 || *from > settled {
            continue;
        }
        let payload = number::<8>(&seen.blocks[0].1, 2);
        if !delivered.contains(&payload) && !covered(&seen) && !gone(&seen, *from) {
            let Seen { source, destination, session, sequence, .. } = seen;
            found.push(format!(
                "payload {payload} from {source} to {destination} (session {session}, number \
                {sequence}) is lost without a word"
            ));
        }
    }
    found
}

/// What a calm network keeps besides: instants, outputs, payloads as they were sent, one master a term.
pub fn calm_violations(log: &[Entry], ports: &Ports, meant: impl Fn(u64, u32) -> u64, tolerance: u64) -> Vec<String> {
    let (mut found, mut sent, mut masters) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    for entry in log {
        match entry {
            Entry::Light { from, until, node, output, bytes, .. } => {
                let seen = read(bytes);
                if seen.class == 1 {
                    sent.insert((seen.destination, number::<8>(&seen.blocks[0].1, 2)));
                }
                // An answer comes when its fibre lets it.
                let answers = seen.blocks.iter().any(|(code, _)| *code == 2);
                // Datagrams of a slot share its light: each turn is a hundredth longer than what is sent in it.
                let instant = meant(seen.frame, seen.slot) + seen.piece * (until - from) * 100 / 99;
                if !answers && from.abs_diff(instant) > tolerance {
                    found.push(format!("light of node {node} was {} ps off", i128::from(*from) - i128::from(instant)));
                }
                if *output != ports.get(&seen.destination).copied() {
                    found.push(format!("light of node {node} for {} left at {output:?}", seen.destination));
                }
            }
            Entry::Delivered { node, payload, .. } if !sent.contains(&(*node, *payload)) => {
                found.push(format!("node {node} was handed payload {payload}, which nobody sent to it"));
            }
            Entry::Led { by, term, .. } if *by != 0xFFFF => {
                let master = *masters.entry(*term).or_insert(*by);
                if master != *by {
                    found.push(format!("term {term} is said to have the masters {master} and {by}"));
                }
            }
            _ => {}
        }
    }
    found
}

/// What the reports and deliveries of one payload say: for tests of the order of things.
pub fn passages(log: &[Entry], wanted: impl Fn(u8, u16, u16, &[u8]) -> bool) -> Vec<(u64, u64, u32, u16)> {
    let lights = log.iter().filter_map(|entry| match entry {
        Entry::Light { from, bytes, node, .. } => Some((*from, *node, read(bytes))),
        _ => None,
    });
    let codes = |seen: &Seen| seen.blocks.iter().map(|(code, _)| *code).collect::<Vec<u8>>();
    let wanted = |(_, _, seen): &(u64, u16, Seen)| wanted(seen.class, seen.source, seen.destination, &codes(seen));
    lights.filter(wanted).map(|(at, node, seen)| (at, seen.frame, seen.slot, node)).collect()
}
