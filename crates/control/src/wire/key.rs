//! The network's key. A tag is HMAC-SHA-256 (RFC 2104, RFC 4231) over header and payload, cut to its first 16 bytes.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// Bytes of a tag: RFC 2104 §5 allows half of the hash and no less.
pub const TAG_LENGTH: usize = 16;

/// The key that all nodes of a network share. It is never shown.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

/// A key has too few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTooShort {
    /// Its bytes.
    pub found: usize,
}

impl fmt::Display for KeyTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key of {} bytes; allowed: {} or more", self.found, Key::LEAST)
    }
}

impl std::error::Error for KeyTooShort {}

impl Key {
    /// The fewest bytes of a key: as many as a tag has.
    pub const LEAST: usize = TAG_LENGTH;

    /// A key of random bytes.
    pub fn new(bytes: &[u8]) -> Result<Key, KeyTooShort> {
        if bytes.len() < Key::LEAST {
            return Err(KeyTooShort { found: bytes.len() });
        }
        Ok(Key(Hmac::new_from_slice(bytes).expect("HMAC takes keys of any length")))
    }

    /// The tag of bytes. Outside slots they begin with a word that no slot begins with.
    pub fn tag(&self, bytes: &[u8]) -> [u8; TAG_LENGTH] {
        let whole = self.0.clone().chain_update(bytes).finalize().into_bytes();
        *whole.first_chunk().expect("SHA-256 has 32 bytes")
    }

    /// Whether a tag was made with this key, in a time that does not depend on where the tags differ. A shorter tag
    /// is none: it would be easier to guess.
    pub fn made(&self, tag: &[u8], bytes: &[u8]) -> bool {
        tag.len() == TAG_LENGTH && self.0.clone().chain_update(bytes).verify_truncated_left(tag).is_ok()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_the_first_half_of_hmac_sha_256() {
        // RFC 4231 §4.2 test case 1: key 20 times 0x0b, "Hi There".
        let key = Key::new(&[0x0b; 20]).unwrap();
        let tag: String = key.tag(b"Hi There").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(tag, "b0344c61d8db38535ca8afceaf0bf12b");
        assert!(key.made(&key.tag(b"Hi There"), b"Hi There"));
        assert!(!key.made(&key.tag(b"Hi There"), b"Hi there"));
        for shorter in 0..TAG_LENGTH {
            assert!(!key.made(&key.tag(b"Hi There")[..shorter], b"Hi There"));
        }
    }

    #[test]
    fn a_key_is_long_enough_and_is_not_shown() {
        assert_eq!(Key::new(&[7; 15]).unwrap_err(), KeyTooShort { found: 15 });
        assert_eq!(format!("{:?}", Key::new(&[7; 16]).unwrap()), "Key(hidden)");
    }
}
