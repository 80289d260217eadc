//! Decoders and machines driven by arbitrary bytes: the same functions serve cargo-fuzz and the property tests.

use crate::wire::{self, Key, Malformed};

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
