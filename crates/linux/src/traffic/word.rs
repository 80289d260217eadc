//! What the two ends of a file say to each other, and the SHA-256 that they mean.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What the two say. The sessions are random numbers of the starts of both ends; the sender says 0 for a receiver
/// that it has not heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Word {
    pub(super) transfer: u32,
    pub(super) sender: u64,
    pub(super) receiver: u64,
    pub(super) says: Says,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Says {
    /// The file is this.
    Offer(Offer),
    /// The offer was for another session of the receiver.
    Again,
    /// This is lacking; nothing, if it is there and right.
    Lacks { gaps: Vec<(u64, u64)> },
    /// The receiver cannot take it.
    Refused { why: String },
}

/// What there is to know of a file before it comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    pub(super) name: String,
    pub(super) length: u64,
    pub(super) sha256: String,
}

/// The SHA-256 of the first bytes of a file.
pub(super) fn digest(file: &File, length: u64) -> io::Result<[u8; 32]> {
    let (mut sum, mut at, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    while at < length {
        let size = buffer.len().min((length - at) as usize);
        file.read_exact_at(&mut buffer[..size], at)?;
        sum.update(&buffer[..size]);
        at += size as u64;
    }
    Ok(sum.finalize().into())
}

/// Bytes as digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
