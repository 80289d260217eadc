//! Bytes, read front to back; and all that can be wrong with them.

use std::fmt;

/// Why bytes are not a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Malformed {
    /// They end before the slot does.
    Truncated,
    /// They go on after its end.
    Trailing,
    /// They do not begin as a slot does.
    Magic,
    /// Another version of the protocol.
    Version {
        /// Which.
        found: u8,
    },
    /// The payload is said to be longer than any may be.
    Length {
        /// Bytes.
        found: u32,
    },
    /// The checksum is another.
    Checksum,
    /// A code without a meaning.
    Code {
        /// What it stands for.
        of: &'static str,
        /// The code.
        found: u8,
    },
    /// The tag is not that of the network's key.
    Tag,
    /// A slot of this class carries no tag, so it cannot carry this block.
    Unprotected {
        /// The block.
        block: &'static str,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Truncated => write!(f, "the bytes end before the slot does"),
            Malformed::Trailing => write!(f, "there are bytes after the end of the slot"),
            Malformed::Magic => write!(f, "this is no slot: it does not begin with the bytes 'pc'"),
            Malformed::Version { found } => {
                write!(f, "version {found} of the protocol; known: {}", super::Header::VERSION)
            }
            Malformed::Length { found } => {
                write!(f, "a payload of {found} bytes; allowed: up to {}", super::Slot::MAX_PAYLOAD)
            }
            Malformed::Checksum => write!(f, "the checksum does not match: bits were changed on the way"),
            Malformed::Code { of, found } => write!(f, "{found} is not a code of {of}"),
            Malformed::Tag => write!(f, "the tag does not match: it was not made with the network's key"),
            Malformed::Unprotected { block } => write!(f, "a data slot has no tag and may not carry a block '{block}'"),
        }
    }
}

impl std::error::Error for Malformed {}

/// What is left of the bytes.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next bytes as an array.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were asked for"))
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed::Trailing) }
    }
}
