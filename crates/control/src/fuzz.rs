//! Decoders and machines driven by arbitrary bytes: the same functions serve cargo-fuzz and the property tests.

use crate::sync::{ClockFilter, FilterConfig, Sample};
use crate::wire::{self, Key, Malformed};
use units::Instant;

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
