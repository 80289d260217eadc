//! Tables of which each key is declared once: name, type, default, range, who may use it, and a comment that is what it
//! means.
//!
//! [`keys!`] makes of the declarations the struct that is read and a list of [`Declared`]. [`Table`] goes over that
//! list for the check of each key by itself, for the schema (and with it `docs/reference/scenario/`), and for what
//! `check --explain` writes. What keys mean together is for the code that reads the struct.
//!
//! | file | holds |
//! |---|---|
//! | `field` | what a field of a table is, by its type |
//! | `limits` | where a value may lie, and who may use a key |
//! | `form` | values as a scenario has them |
//! | `explained` | a table as it is written out |
//! | `table` | what is done with any table: checked, read, described, written out |
//! | `joined` | tables whose keys are declared in several places |

mod explained;
mod field;
mod form;
mod joined;
mod limits;
mod table;

pub(crate) use explained::Explained;
pub use field::Key;
pub(crate) use field::{Field, Member};
pub(crate) use form::{Form, Written};
pub(crate) use joined::{Joined, Part, joined_keys, joined_names};
pub(crate) use limits::{Limits, Reserved, When, Within};
pub(crate) use limits::{a_probability, a_rate, as_declared, at_most, more_than_zero, whole};
pub(crate) use serde::de::MapAccess;
pub(crate) use table::{AnyField, Declared, DescribedKeys, Facts, KeyList, KeyName, Keyed, Table};
pub(crate) use table::{read_table, schema_of};

/// Declares a table. A field's type says whether its key is required (`At<T>`), may be left out (`Option<At<T>>`), has
/// a default (`Key<T>`, with `= default`), or is a list of tables (`Vec<At<T>>`); another [`Member`] stands for keys
/// that are declared elsewhere. `in` says where the value may lie.
/// Who may use the key is `when`, once or more, where the table itself tells; and `of`, a word, where another table
/// does ([`Reserved`]). All that is done with a table is written once, in [`Table`]; here is what needs its fields.
// Over 40 lines: it gathers what needs the fields of a table; the rest is in [`Table`].
macro_rules! keys {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ pub $field:ident: $type:ty $(= $default:expr)? $(, in $within:expr)?
                $(, of $user:expr)? $(, when $when:expr)*;)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $vis struct $name { $($(#[doc = $doc])+ pub $field: $type),* }

        #[allow(unused_imports, unused_variables, reason = "some tables have no keys")]
        const _: () = {
            use $crate::language::keys::{self, Facts, KeyList, Keyed, MapAccess, Member, Table};
            use $crate::language::keys::{absent, optional, within};

            #[derive(Default)] pub struct Given { $($field: <$type as Member>::Reading),* }

            impl Table for $name {
                const ABOUT: &'static str = concat!($($about),+);
                fn keys() -> &'static KeyList<$name> {
                    static KEYS: keys::Made<KeyList<$name>> = keys::Made::new(|| KeyList::of(vec![
                        $(<$type as Member>::declare(Facts {
                            name: stringify!($field),
                            meaning: concat!($($doc),+),
                            limits: optional!($(within!($name, $field: $type, $within))?),
                            user: optional!($($user)?),
                            when: &[$(&$when),*],
                        }, |table| &table.$field, || absent!($type $(, $default)?))),*
                    ]));
                    &KEYS
                }
            }

            impl Keyed for $name {
                type Given = Given;
                fn names() -> &'static [&'static str] { <$name as Table>::keys().names() }

                fn read<'de, A: MapAccess<'de>>(given: &mut Given, key: &str, all: &mut A) -> Result<bool, A::Error> {
                    Ok(false $(|| <$type as Member>::read(&mut given.$field, stringify!($field), key, all)?)*)
                }

                fn complete(given: Given) -> Result<$name, &'static str> {
                    Ok($name { $($field: <$type as Member>::complete(given.$field, || absent!($type $(, $default)?))
                        .ok_or(stringify!($field))?),* })
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(it: D) -> Result<Self, D::Error> { keys::read_table(it) }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
                fn json_schema(all: &mut schemars::SchemaGenerator) -> schemars::Schema { keys::schema_of::<Self>(all) }
            }
        };
    };
}

/// What is made once.
pub(crate) type Made<T> = std::sync::LazyLock<T>;

/// What a field is whose key is not there.
macro_rules! absent {
    ($type:ty) => {
        <$type as $crate::language::keys::Member>::absent()
    };
    ($type:ty, $default:expr) => {{
        let usual: $type = $crate::language::keys::Key::usual($default);
        Some(usual)
    }};
}

/// The limits of a key, from a [`Within`], which is made once: a scenario may have many thousands of such tables.
macro_rules! within {
    ($name:ty, $field:ident: $type:ty, $within:expr) => {{
        type Value = <$type as $crate::language::keys::Field>::Value;
        static WITHIN: std::sync::LazyLock<$crate::language::keys::Within<Value>> =
            std::sync::LazyLock::new(|| $within);
        $crate::language::keys::Limits {
            words: Box::new(|| WITHIN.words.clone()),
            check: Box::new(|table: &$name| WITHIN.check(&table.$field)),
        }
    }};
}

/// What stands there, if something does.
macro_rules! optional {
    () => {
        None
    };
    ($some:expr) => {
        Some($some)
    };
}

pub(crate) use {absent, keys, optional, within};
