//! All that can be wrong: with bytes that are read, with a slot that is written, with fields by name.

use std::fmt;

/// The version of the protocol.
pub(super) const VERSION: u8 = 1;
/// The longest payload of a slot, in bytes.
pub(super) const MAX_PAYLOAD: usize = 1 << 20;

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
                write!(f, "version {found} of the protocol; known: {}", VERSION)
            }
            Malformed::Length { found } => {
                write!(f, "a payload of {found} bytes; allowed: up to {}", MAX_PAYLOAD)
            }
            Malformed::Checksum => write!(f, "the checksum does not match: bits were changed on the way"),
            Malformed::Code { of, found } => write!(f, "{found} is not a code of {of}"),
            Malformed::Tag => write!(f, "the tag does not match: it was not made with the network's key"),
            Malformed::Unprotected { block } => write!(f, "a data slot has no tag and may not carry a block '{block}'"),
        }
    }
}

impl std::error::Error for Malformed {}

/// A block or a payload has more bytes than its length can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The block, or `payload`.
    pub block: &'static str,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is too long for a slot; allowed: blocks up to 65535 bytes, payloads up to {}",
            self.block, MAX_PAYLOAD
        )
    }
}

impl std::error::Error for TooLong {}

/// Fields that are no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongFields {
    /// A block of that name does not exist.
    Block {
        /// The name.
        name: String,
        /// Those that exist.
        known: Vec<&'static str>,
    },
    /// A field is not there.
    Absent(&'static str),
    /// A field of that name does not exist.
    Unknown(String),
    /// A field has a value of another kind, or out of its range.
    Value(&'static str),
}

impl fmt::Display for WrongFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongFields::Block { name, known } => {
                write!(f, "there is no block '{name}'; there are: {}", known.join(", "))
            }
            WrongFields::Absent(name) => write!(f, "the field '{name}' is not there"),
            WrongFields::Unknown(name) => write!(f, "there is no field '{name}'"),
            WrongFields::Value(name) => {
                write!(f, "the field '{name}' has a value of another kind, or out of its range")
            }
        }
    }
}

impl std::error::Error for WrongFields {}
