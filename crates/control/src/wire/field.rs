//! How values become bytes, and back. A message is declared once, with [`message!`]: from that come its type, both
//! directions, and its table in `docs/protocol.md`.

use super::error::{Malformed, WrongFields};
use super::reader::Reader;
use super::value::{Fields, Value};
use units::{Duration, Instant};

/// A value with a form in bytes.
pub(super) trait Field: Sized {
    /// The fewest bytes it takes.
    const LEAST: usize;
    /// How the tables name its form.
    const FORM: Form;

    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed>;
    /// As a plain value.
    fn value(&self) -> Value;
    /// From a plain value; nothing if it is of another kind or out of range.
    fn of_value(value: Value) -> Option<Self>;
}

/// The form of a field, as the tables show it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Of fixed length.
    Fixed(&'static str),
    /// A count of two bytes, then as many entries.
    List(&'static [Row]),
    /// All bytes that the block has left.
    Rest,
}

/// A line of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) least: usize,
    pub(super) meaning: &'static str,
}

macro_rules! integers {
    ($($kind:ty),+) => { $(
        impl Field for $kind {
            const LEAST: usize = size_of::<$kind>();
            const FORM: Form = Form::Fixed(stringify!($kind));

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                Ok(<$kind>::from_le_bytes(from.array()?))
            }

            fn value(&self) -> Value {
                Value::Number(i128::from(*self))
            }

            fn of_value(value: Value) -> Option<Self> {
                let Value::Number(number) = value else { return None };
                number.try_into().ok()
            }
        }
    )+ };
}

integers!(u8, u16, u32, u64, i32, i64);

impl Field for Instant {
    const LEAST: usize = 8;
    const FORM: Form = Form::Fixed("u64, ps");

    fn put(&self, out: &mut Vec<u8>) {
        self.ps().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        u64::take(from).map(Instant::from_ps)
    }

    fn value(&self) -> Value {
        self.ps().value()
    }

    fn of_value(value: Value) -> Option<Self> {
        u64::of_value(value).map(Instant::from_ps)
    }
}

impl Field for Duration {
    const LEAST: usize = 8;
    const FORM: Form = Form::Fixed("u64, ps");

    fn put(&self, out: &mut Vec<u8>) {
        self.ps().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        u64::take(from).map(Duration::from_ps)
    }

    fn value(&self) -> Value {
        self.ps().value()
    }

    fn of_value(value: Value) -> Option<Self> {
        u64::of_value(value).map(Duration::from_ps)
    }
}

/// An entry of a list: a message, whose rows the table of the list shows.
pub(super) trait Entry: Field {
    const ROWS: &'static [Row];

    /// Its fields as plain values.
    fn values(&self) -> Fields;
    /// The message with these fields.
    fn of_values(fields: Fields) -> Result<Self, WrongFields>;
}

impl<T: Entry> Field for Vec<T> {
    const LEAST: usize = 2;
    const FORM: Form = Form::List(T::ROWS);

    /// Whoever makes messages keeps lists short: `Block::put` refuses a block that is too long, so no count is cut.
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u16).put(out);
        self.iter().for_each(|entry| entry.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let count = usize::from(u16::take(from)?);
        // Checked before anything is allocated: what is allocated is bounded by the bytes that are there.
        if count * T::LEAST > from.left() {
            return Err(Malformed::Truncated);
        }
        (0..count).map(|_| T::take(from)).collect()
    }

    fn value(&self) -> Value {
        Value::List(self.iter().map(Entry::values).collect())
    }

    fn of_value(value: Value) -> Option<Self> {
        let Value::List(entries) = value else { return None };
        entries.into_iter().map(|fields| T::of_values(fields).ok()).collect()
    }
}

/// All bytes that a block has left.
impl Field for Vec<u8> {
    const LEAST: usize = 0;
    const FORM: Form = Form::Rest;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(from.rest().to_vec())
    }

    fn value(&self) -> Value {
        Value::Bytes(self.clone())
    }

    fn of_value(value: Value) -> Option<Self> {
        let Value::Bytes(bytes) = value else { return None };
        Some(bytes)
    }
}

/// Declares a message: a struct whose fields follow one another in bytes.
// Over 40 lines: both directions of a message, in bytes and by name, come from one list of its fields.
macro_rules! message {
    (
        $(#[doc = $text:literal])+
        pub struct $name:ident { $( $(#[doc = $meaning:literal])+ pub $field:ident: $kind:ty, )* }
    ) => {
        $(#[doc = $text])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $meaning])+ pub $field: $kind ),* }

        const _: () = {
            use $crate::wire::field::{Entry, Field, Form, Row};
            use $crate::wire::value::{Fields, Value, nothing_left, taken};
            use $crate::wire::{error::Malformed, error::WrongFields, reader::Reader};

            impl Field for $name {
                const LEAST: usize = 0 $(+ <$kind as Field>::LEAST)*;
                const FORM: Form = Form::List(<$name as Entry>::ROWS);

                fn put(&self, out: &mut Vec<u8>) {
                    $( self.$field.put(out); )*
                }

                fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                    Ok($name { $( $field: Field::take(from)? ),* })
                }

                fn value(&self) -> Value {
                    Value::List(vec![self.values()])
                }

                fn of_value(value: Value) -> Option<Self> {
                    let Value::List(mut entries) = value else { return None };
                    $name::of_values(entries.pop()?).ok()
                }
            }

            impl Entry for $name {
                const ROWS: &'static [Row] = &[ $( Row {
                    name: stringify!($field),
                    form: <$kind as Field>::FORM,
                    least: <$kind as Field>::LEAST,
                    meaning: concat!($($meaning),+),
                } ),* ];

                fn values(&self) -> Fields {
                    vec![ $( (stringify!($field).to_string(), self.$field.value()) ),* ]
                }

                fn of_values(mut fields: Fields) -> Result<$name, WrongFields> {
                    let message = $name { $( $field: {
                        let value = taken(&mut fields, stringify!($field))?;
                        Field::of_value(value).ok_or(WrongFields::Value(stringify!($field)))?
                    } ),* };
                    nothing_left(&fields)?;
                    Ok(message)
                }
            }
        };
    };
}

/// Declares an enum of one byte: a code, and what it means.
// Over 40 lines: a code's number, name and meaning are written once, and read by four functions.
macro_rules! codes {
    (
        $(#[doc = $text:literal])+
        pub enum $name:ident ($of:literal) { $( $(#[doc = $meaning:literal])+ $variant:ident = $code:literal, )+ }
    ) => {
        $(#[doc = $text])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $( $(#[doc = $meaning])+ $variant = $code ),+ }

        impl $name {
            /// Every code with its name and its meaning.
            pub(super) const CODES: &'static [(u8, &'static str, &'static str)] =
                &[$( ($code, stringify!($variant), concat!($($meaning),+)) ),+];
        }

        impl $crate::wire::field::Field for $name {
            const LEAST: usize = 1;
            const FORM: $crate::wire::field::Form = $crate::wire::field::Form::Fixed(concat!("u8, ", $of));

            fn put(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn take(
                from: &mut $crate::wire::reader::Reader<'_>,
            ) -> Result<Self, $crate::wire::error::Malformed> {
                match <u8 as $crate::wire::field::Field>::take(from)? {
                    $( $code => Ok($name::$variant), )+
                    found => Err($crate::wire::error::Malformed::Code { of: $of, found }),
                }
            }

            fn value(&self) -> $crate::wire::value::Value {
                let name = match self { $( $name::$variant => stringify!($variant) ),+ };
                $crate::wire::value::Value::Name(name.to_string())
            }

            fn of_value(value: $crate::wire::value::Value) -> Option<Self> {
                let $crate::wire::value::Value::Name(name) = value else { return None };
                match name.as_str() {
                    $( stringify!($variant) => Some($name::$variant), )+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use {codes, message};
