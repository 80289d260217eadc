//! Things that a scenario can name, each declared in one line: name, source, one sentence, and what makes it.
//!
//! [`registry!`](crate::registry!) makes the enum of the names and the list of the declarations. Where one of several
//! types is kept, [`one_of!`](crate::one_of!) makes the enum that holds any of them.

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub struct Entry<C, T> {
    /// The name in scenarios.
    pub name: &'static str,
    /// The variant of that name.
    pub choice: C,
    /// Its source.
    pub source: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its constructor, or all that its registry keeps of it.
    pub item: T,
}

/// Declares an enum of names and the `REGISTRY` that has a line for each: `Variant = "name", "source", "sentence":
/// item;`. A name that stands there twice does not compile.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        $vis:vis enum $names:ident: $item:ty {
            $($(#[cfg($on:meta)])? $variant:ident = $name:literal, $source:literal, $summary:literal: $value:expr;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $names { $($(#[cfg($on)])? #[doc = $summary] $variant),+ }

        impl $names {
            const REGISTRY: &'static [$crate::Entry<$names, $item>] = &[$($(#[cfg($on)])? $crate::Entry {
                name: $name,
                choice: $names::$variant,
                source: $source,
                summary: $summary,
                item: $value,
            }),+];

            /// The one of that name.
            $vis fn from_name(name: &str) -> Option<$names> {
                $names::REGISTRY.iter().find(|entry| entry.name == name).map(|entry| entry.choice)
            }

            /// Its declaration.
            $vis const fn entry(self) -> &'static $crate::Entry<$names, $item> {
                &$names::REGISTRY[self as usize]
            }

            /// The name.
            $vis const fn name(self) -> &'static str {
                self.entry().name
            }
        }

        const _: () = $crate::assert_distinct(&[$($(#[cfg($on)])? $name),+]);
    };
}

/// Declares an enum with one variant for each of several types, and a macro `$with!(value, inner => expression)` for
/// what is done with any of them. So a call costs a jump, and the value lies where it is used: no pointer, no table.
#[macro_export]
macro_rules! one_of {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident, $with:ident { $($(#[cfg($on:meta)])? $variant:ident($type:ty)),+ $(,)? }
    ) => {
        $(#[$meta])*
        $vis enum $name { $($(#[cfg($on)])? $variant($type)),+ }

        macro_rules! $with {
            ($one:expr, $inner:ident => $then:expr) => {
                match $one { $($(#[cfg($on)])? $name::$variant($inner) => $then),+ }
            };
        }
    };
}

/// Panics with the first name that stands among those before it.
#[doc(hidden)]
pub const fn assert_distinct(names: &[&str]) {
    let mut place = 0;
    while place < names.len() {
        let mut before = 0;
        while before < place {
            assert!(!is_same(names[before].as_bytes(), names[place].as_bytes()), "two of a registry have one name");
            before += 1;
        }
        place += 1;
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

#[cfg(test)]
mod tests {
    use super::assert_distinct;

    crate::registry! {
        /// Light.
        enum Light: fn(f64) -> Lamp {
            Bulb = "bulb", "Swan 1880", "Glows.": |watts| Lamp::Bulb(watts);
            #[cfg(any())]
            Gas = "gas", "Murdoch 1792", "Burns.": |_| Lamp::Gas(());
            Diode = "diode", "Holonyak 1962", "Shines.": |watts| Lamp::Diode(watts as u32);
        }
    }

    crate::one_of! {
        #[derive(Debug, PartialEq)]
        enum Lamp, with_lamp { Bulb(f64), #[cfg(any())] Gas(()), Diode(u32) }
    }

    #[test]
    fn a_name_leads_to_its_line_and_its_line_to_what_it_makes() {
        let line = Light::from_name("diode").unwrap().entry();
        assert_eq!(
            (line.choice, line.name, line.source, line.summary),
            (Light::Diode, Light::Diode.name(), "Holonyak 1962", "Shines.")
        );
        assert_eq!((line.item)(3.5), Lamp::Diode(3));
        assert_eq!((Light::Bulb.entry().item)(3.5), Lamp::Bulb(3.5));
        assert_eq!((Light::from_name("gas"), Light::REGISTRY.len()), (None, 2));
    }

    #[test]
    fn what_is_done_with_any_of_them_is_written_once() {
        let watts = |lamp: &Lamp| with_lamp!(lamp, inner => inner.to_string());
        assert_eq!([watts(&Lamp::Bulb(2.5)), watts(&Lamp::Diode(7))], ["2.5", "7"]);
    }

    #[test]
    fn names_that_only_begin_alike_are_distinct() {
        assert_distinct(&["red", "redo", "re", ""]);
    }

    #[test]
    #[should_panic(expected = "two of a registry have one name")]
    fn a_name_that_stands_twice_is_refused() {
        assert_distinct(&["red", "pie", "red"]);
    }
}
