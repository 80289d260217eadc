//! Tables of which each key is declared once: name, type, default, range, who may use it, and a comment that is what it
//! means.
//!
//! [`keys!`] makes of the declarations the struct that is read, the check of each key by itself, the schema (and with
//! it `docs/reference/scenario/`), and what `check --explain` writes. What keys mean together is for the code that reads the
//! struct.
//!
//! | file | holds |
//! |---|---|
//! | `field` | what a field of a table is, by its type |
//! | `limits` | where a value may lie, and who may use a key |
//! | `form` | values as a scenario has them |
//! | `explained` | a table as it is written out |

mod explained;
mod field;
mod form;
mod limits;

pub(crate) use explained::Explained;
pub(crate) use field::Field;
pub use field::Key;
pub(crate) use form::{Form, Written};
pub(crate) use limits::{Reserved, When, Within, a_probability, a_rate, as_declared, at_most, more_than_zero, whole};

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use std::fmt;

/// What the schema says of a key.
pub(crate) fn meaning(comment: &str, allowed: Option<String>, because: &[&str], usual: Option<Written>) -> String {
    let mut text = unindented(comment);
    // What is allowed elsewhere is for the message only.
    let brief = |because: &str| because.split("; ").next().unwrap_or(because).to_owned();
    because.iter().for_each(|because| text += &format!(" It {}.", brief(because)));
    text += &allowed.map_or(String::new(), |allowed| format!(" Allowed: {allowed}."));
    text + &usual.map_or(String::new(), |usual| format!(" Default {}.", usual.inline()))
}

/// Reads the name of a key that is one of these.
#[derive(Clone, Copy)]
pub(crate) struct KeyName(pub &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for KeyName {
    type Value = &'static str;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyName {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        self.0.iter().find(|known| **known == name).copied().ok_or_else(|| E::unknown_field(name, self.0))
    }
}

/// Declares a table. A field's type says whether its key is required (`At<T>`), may be left out (`Option<At<T>>`), has
/// a default (`Key<T>`, with `= default`), or is a list of tables (`Vec<At<T>>`). `in` says where the value may lie.
/// Who may use the key is `when`, once or more, where the table itself tells; and `of`, a word, where another table
/// does ([`Reserved`]).
macro_rules! keys {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ pub $field:ident: $type:ty $(= $default:expr)? $(, in $within:expr)? $(, of $user:expr)? $(, when $when:expr)*;)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $vis struct $name { $($(#[doc = $doc])+ pub $field: $type),* }

        #[allow(dead_code, unused_imports, unused_mut, unused_variables, reason = "some tables have no keys")]
        impl $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// The table of which nothing is said, if all of it can be left out.
            pub(crate) fn unsaid() -> $name {
                $name { $($field: $crate::language::keys::absent!($type $(, $default)?).expect("no key is \
                    required")),* }
            }

            /// Checks each key by itself, whether it is of use here first.
            pub(crate) fn check(&self) -> Result<(), $crate::language::Fault> {
                use $crate::language::keys::{Field, Form};
                $($(
                    let when: &$crate::language::keys::When<$name> = &$when;
                    when.check(self, stringify!($field), self.$field.place())?;
                )*)*
                $($(
                    let within: $crate::language::keys::Within<<$type as Field>::Value> = $within;
                    within.check(&self.$field)?;
                )?)*
                $(Field::value(&self.$field).map_or(Ok(()), Form::check_keys)?;)*
                Ok(())
            }

            /// Takes the value of a key; whether the table has the key.
            pub(crate) fn read<'de, A: serde::de::MapAccess<'de>>(&mut self, key: &str, entries: &mut A) -> Result<bool, A::Error> {
                use $crate::language::keys::Field;
                $(if key == stringify!($field) {
                    self.$field = <$type as Field>::given(entries.next_value()?);
                    return Ok(true);
                })*
                Ok(false)
            }

            /// The keys that not every user has.
            pub(crate) fn reserved(&self) -> Vec<$crate::language::keys::Reserved> {
                use $crate::language::keys::Field;
                let mut reserved = Vec::new();
                $($(
                    let user: &'static str = $user;
                    let given = self.$field.place();
                    reserved.push($crate::language::keys::Reserved { key: stringify!($field), user, given });
                )?)*
                reserved
            }

            /// The keys without their values, for what is written out from a model.
            pub(crate) fn unfilled() -> $crate::language::keys::Explained {
                let mut table = $crate::language::keys::Explained::default();
                $(table.add(stringify!($field), concat!($($doc),+), None);)*
                table
            }

            /// The table as it is written out.
            pub(crate) fn explained(&self) -> $crate::language::keys::Explained {
                use $crate::language::keys::{Field, Form};
                let mut table = $crate::language::keys::Explained::default();
                $(
                    let is_of_use = true $(&& {
                        let when: &$crate::language::keys::When<$name> = &$when;
                        (when.holds)(self)
                    })*;
                    let value = Field::value(&self.$field).filter(|_| is_of_use).map(Form::form);
                    table.add(stringify!($field), concat!($($doc),+), value);
                )*
                table
            }
        }

        impl $crate::language::keys::Form for $name {
            fn form(&self) -> $crate::language::keys::Written {
                $crate::language::keys::Written::Table(self.explained())
            }

            fn check_keys(&self) -> Result<(), $crate::language::Fault> {
                self.check()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                struct Table;
                impl<'de> serde::de::Visitor<'de> for Table {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, "a table")
                    }
                    #[allow(unused_imports, unused_mut, unused_variables, reason = "some tables have no keys")]
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<$name, A::Error> {
                        use $crate::language::keys::{Field, KeyName, absent};
                        $(let mut $field = None;)*
                        while let Some(key) = entries.next_key_seed(KeyName($name::NAMES))? {
                            $(if key == stringify!($field) {
                                $field = Some(<$type as Field>::given(entries.next_value()?));
                                continue;
                            })*
                        }
                        $(let $field = $field.or_else(|| absent!($type $(, $default)?));)*
                        Ok($name { $($field: match $field {
                            Some(value) => value,
                            None => return Err(serde::de::Error::missing_field(stringify!($field))),
                        }),* })
                    }
                }
                deserializer.deserialize_map(Table)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            #[allow(unused_imports, unused_variables, unused_mut, unused_assignments, reason = "some tables have no \
                keys")]
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::language::keys::{Field, Form, absent, meaning, unindented};
                let (mut properties, mut required) = (serde_json::Map::new(), Vec::<&str>::new());
                $(
                    let usual: Option<$type> = absent!($type $(, $default)?);
                    let (mut allowed, mut because) = (None, Vec::<&str>::new());
                    $(
                        let within: $crate::language::keys::Within<<$type as Field>::Value> = $within;
                        allowed = Some(within.words);
                    )?
                    $(
                        let user: &'static str = $user;
                        let is_for = format!("is for {user}");
                        because.push(&is_for);
                    )?
                    $(
                        let when: &$crate::language::keys::When<$name> = &$when;
                        because.push(when.because);
                    )*
                    let mut schema = match usual {
                        Some(_) => generator.subschema_for::<Option<<$type as Field>::Value>>(),
                        None => {
                            required.push(stringify!($field));
                            generator.subschema_for::<<$type as Field>::Value>()
                        }
                    };
                    let usual = usual.as_ref().and_then(Field::value).map(Form::form);
                    schema.insert("description".to_owned(), meaning(concat!($($doc),+), allowed, &because, usual).into());
                    properties.insert(stringify!($field).to_owned(), schema.to_value());
                )*
                let mut table = serde_json::json!({
                    "type": "object", "description": unindented(concat!($($about),+)), "additionalProperties": false,
                    "properties": properties,
                });
                if !required.is_empty() {
                    table["required"] = required.into();
                }
                schemars::Schema::try_from(table).expect("an object is a schema")
            }
        }
    };
}

/// What a field is whose key is not there.
macro_rules! absent {
    ($type:ty) => {
        <$type as $crate::language::keys::Field>::absent()
    };
    ($type:ty, $default:expr) => {{
        let usual: $type = $crate::language::keys::Key::usual($default);
        Some(usual)
    }};
}

pub(crate) use {absent, keys};

/// A comment on one line.
pub(crate) fn unindented(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}
