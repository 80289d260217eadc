//! Fields as plain values, by name: for hosts in other languages.

use super::error::WrongFields;

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

/// Takes the field of that name out of `fields`.
pub(super) fn taken(fields: &mut Fields, name: &'static str) -> Result<Value, WrongFields> {
    let at = fields.iter().position(|(found, _)| found == name).ok_or(WrongFields::Absent(name))?;
    Ok(fields.swap_remove(at).1)
}

/// All fields have been taken.
pub(super) fn nothing_left(fields: &Fields) -> Result<(), WrongFields> {
    fields.first().map_or(Ok(()), |(name, _)| Err(WrongFields::Unknown(name.clone())))
}
