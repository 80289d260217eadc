//! Fields as plain values, by name: for hosts in other languages.

use super::block::Block;
use super::field::Entry;
use super::header::Header;
use super::slot::Slot;
use std::fmt;

/// A field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer; times are picoseconds.
    Number(i128),
    /// The name of a code.
    Name(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list of messages.
    List(Vec<Fields>),
}

/// The fields of a message, in order.
pub type Fields = Vec<(String, Value)>;

/// Fields that are no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongFields {
    /// A block of that name does not exist.
    Block(String),
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
            WrongFields::Block(name) => {
                let names: Vec<&str> = Block::ALL.iter().map(|(_, name, _)| *name).collect();
                write!(f, "there is no block '{name}'; there are: {}", names.join(", "))
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

/// Takes the field of that name out of `fields`.
pub(super) fn taken(fields: &mut Fields, name: &'static str) -> Result<Value, WrongFields> {
    let at = fields.iter().position(|(found, _)| found == name).ok_or(WrongFields::Absent(name))?;
    Ok(fields.swap_remove(at).1)
}

/// All fields have been taken.
pub(super) fn nothing_left(fields: &Fields) -> Result<(), WrongFields> {
    fields.first().map_or(Ok(()), |(name, _)| Err(WrongFields::Unknown(name.clone())))
}

impl Slot {
    /// The header, and every block by its name.
    pub fn values(&self) -> (Fields, Vec<(&'static str, Fields)>) {
        (self.header.values(), self.blocks.iter().map(|block| (block.name(), block.values())).collect())
    }

    /// The slot with these values.
    pub fn of_values(header: Fields, blocks: Vec<(String, Fields)>) -> Result<Slot, WrongFields> {
        let blocks = blocks.into_iter().map(|(name, fields)| Block::of_values(&name, fields));
        Ok(Slot { header: Header::of_values(header)?, blocks: blocks.collect::<Result<_, _>>()? })
    }
}
