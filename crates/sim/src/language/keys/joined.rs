//! Tables whose keys are declared in several places, each part where it belongs: what is written is one table.

/// Declares a table that has the keys of several that [`keys!`](super::keys) declares; all of them can be left out.
/// `as` says what the schema calls it.
// Over 40 lines: it gathers what needs the parts of a table; the rest is in [`Joined`].
macro_rules! joined_keys {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $name:ident as $known:literal {
            $($(#[doc = $doc:literal])+ pub $part:ident: $type:ty,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug)]
        $vis struct $name { $($(#[doc = $doc])+ pub $part: $type),+ }

        const _: () = {
            use $crate::language::keys::{self, Joined, Keyed, MapAccess, Part, Table};

            #[derive(Default)]
            pub struct Given { $($part: <$type as Keyed>::Given),+ }

            impl Keyed for $name {
                type Given = Given;

                fn names() -> &'static [&'static str] {
                    static NAMES: std::sync::LazyLock<Vec<&'static str>> =
                        std::sync::LazyLock::new(|| keys::joined_names(&[$(<$type as Keyed>::names()),+]));
                    &NAMES
                }

                fn read<'de, A: MapAccess<'de>>(given: &mut Given, key: &str, all: &mut A) -> Result<bool, A::Error> {
                    Ok($(<$type>::read(&mut given.$part, key, all)?)||+)
                }

                fn complete(given: Given) -> Result<$name, &'static str> {
                    Ok($name { $($part: <$type>::complete(given.$part)?),+ })
                }
            }

            impl Joined for $name {
                fn parts(&self) -> Vec<&dyn Part> {
                    vec![$(&self.$part),+]
                }
            }

            impl Default for $name {
                fn default() -> $name { $name { $($part: <$type>::unsaid()),+ } }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(it: D) -> Result<Self, D::Error> { keys::read_table(it) }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> { $known.into() }
                fn json_schema(all: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let mut keys = keys::DescribedKeys::default();
                    $(keys.add::<$type>(all);)+
                    keys.schema(concat!($($about),+))
                }
            }
        };
    };
}

use super::{Explained, Table};
use crate::language::Fault;
pub(crate) use joined_keys;

/// A table of several parts.
pub(crate) trait Joined {
    /// The parts in the order of their keys.
    fn parts(&self) -> Vec<&dyn Part>;

    /// Checks each key by itself, whether it is of use here first.
    fn check(&self) -> Result<(), Fault> {
        let parts = self.parts();
        parts.iter().try_for_each(|part| part.check_use())?;
        parts.iter().try_for_each(|part| part.check_limits())?;
        parts.iter().try_for_each(|part| part.check_inside())
    }

    /// The keys of all parts as they are written out.
    fn joined(&self) -> Explained {
        let mut explained = Explained::default();
        self.parts().iter().for_each(|part| explained.append(part.explained()));
        explained
    }
}

/// A part whatever its type.
pub(crate) trait Part {
    /// [`Table::check_use`].
    fn check_use(&self) -> Result<(), Fault>;
    /// [`Table::check_limits`].
    fn check_limits(&self) -> Result<(), Fault>;
    /// [`Table::check_inside`].
    fn check_inside(&self) -> Result<(), Fault>;
    /// [`Table::explained`].
    fn explained(&self) -> Explained;
}

impl<T: Table> Part for T {
    fn check_use(&self) -> Result<(), Fault> {
        Table::check_use(self)
    }

    fn check_limits(&self) -> Result<(), Fault> {
        Table::check_limits(self)
    }

    fn check_inside(&self) -> Result<(), Fault> {
        Table::check_inside(self)
    }

    fn explained(&self) -> Explained {
        Table::explained(self)
    }
}

/// The names of several tables one after the other. Panics with a name that two of them have.
pub(crate) fn joined_names(tables: &[&'static [&'static str]]) -> Vec<&'static str> {
    let all = tables.concat();
    options::assert_distinct(&all);
    all
}
