//! The declaration of a struct of parameters.

/// Declares a struct of parameters, its defaults and what its users can set.
///
/// `fixed` fields have a type and a default, and no user sets them by name. Every other field is a key: its type, its
/// default, its kind. The comment is what it means to a user too. `field as "name"` gives the key another name than the
/// field; `or |config| …` says what counts where an optional one is not set.
// Over 40 lines: a parameter's default, kind and meaning are written once, and a struct, its keys and its setters
// follow.
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(fixed { $($(#[doc = $about:literal])+ pub $fixed:ident: $fixed_type:ty = $value:expr;)+ })?
            $(
                $(#[doc = $doc:literal])+
                pub $field:ident $(as $key:literal)?: $type:ty = $default:expr, $kind:expr $(, or $derived:expr)?;
            )+
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($($(#[doc = $about])+ pub $fixed: $fixed_type,)+)?
            $($(#[doc = $doc])+ pub $field: $type),+
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($($fixed: $value,)+)? $($field: $default),+ }
            }
        }

        impl $name {
            const KEYS: &[$crate::Key] = &[$($crate::Key {
                name: $crate::key_name!($field $($key)?),
                kind: $kind,
                meaning: concat!($($doc),+),
            }),+];
        }

        impl $crate::Options for $name {
            fn owner(&self) -> &'static str {
                concat!(module_path!(), "::", stringify!($name))
            }

            fn keys(&self) -> &'static [$crate::Key] {
                $name::KEYS
            }

            fn get(&self, place: usize) -> $crate::Value {
                const GET: &[fn(&$name) -> $crate::Value] = &[$(|one| $crate::Argument::to_value(&one.$field)),+];
                GET[place](self)
            }

            fn derived(&self, place: usize) -> $crate::Value {
                const DERIVED: &[Option<fn(&$name) -> $crate::Value>] = &[$($crate::derived!($name $(, $derived)?)),+];
                DERIVED[place].map_or($crate::Value::Nothing, |derived| derived(self))
            }

            fn set(&mut self, place: usize, value: $crate::Value) {
                const SET: &[fn(&mut $name, $crate::Value)] = &[$(|one, value| {
                    one.$field = $crate::Argument::from_value(value).expect("a value has the kind of its key");
                }),+];
                SET[place](self, value)
            }
        }
    };
}

/// The name of a key: that of its field, or its own.
#[doc(hidden)]
#[macro_export]
macro_rules! key_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

/// What counts where a parameter is not set.
#[doc(hidden)]
#[macro_export]
macro_rules! derived {
    ($name:ident) => {
        None
    };
    ($name:ident, $derived:expr) => {
        Some(|one: &$name| {
            let derived: fn(&$name) -> _ = $derived;
            $crate::Argument::to_value(&derived(one))
        })
    };
}

#[cfg(test)]
mod tests {
    use crate::{ConfigError, Kind, Options, Range, Value, clash};
    use units::Duration;

    crate::options! {
        /// A source of light.
        #[derive(Clone, Debug)]
        pub struct Lamp {
            fixed {
                /// Its number.
                pub number: u32 = 7;
            }
            /// How bright
            /// it is. More costs more.
            pub lumens as "brightness": f64 = 1.5, Kind::Number(Range::above(0.0, 2.0));
            /// How long it burns.
            pub hours: Option<Duration> = None, Kind::POSITIVE, or |lamp| Duration::from_secs(u64::from(lamp.number));
        }
    }

    crate::options! {
        /// Another one.
        #[derive(Clone, Debug)]
        pub struct Candle {
            /// How bright it is.
            pub brightness: f64 = 0.1, Kind::Number(Range::from(0.0));
            /// Whether it drips.
            pub hours: bool = true, Kind::Flag;
        }
    }

    #[test]
    fn a_key_has_the_name_the_kind_and_the_sentence_of_its_declaration() {
        let lamp = Lamp::default();
        let names: Vec<_> = lamp.keys().iter().map(|key| (key.name, key.sentence())).collect();
        assert_eq!(names, [("brightness", "How bright it is"), ("hours", "How long it burns")]);
        assert_eq!((lamp.number, lamp.get(0), lamp.get(1)), (7, Value::Number(1.5), Value::Nothing));
        assert_eq!((lamp.derived(0), lamp.derived(1)), (Value::Nothing, Value::Time(Duration::from_secs(7))));
    }

    #[test]
    fn what_is_set_is_checked_against_its_range() {
        let mut lamp = Lamp::default();
        lamp.set(0, Value::Number(2.0));
        assert_eq!((lamp.lumens, lamp.check_ranges()), (2.0, Ok(())));
        lamp.set(0, Value::Number(f64::NAN));
        let wrong = |field, reason: &'static str| Err(ConfigError::new(field, reason));
        assert_eq!(lamp.check_ranges(), wrong("brightness", "must be above 0 and at most 2"));
        lamp = Lamp { hours: Some(Duration::ZERO), ..Lamp::default() };
        assert_eq!(lamp.check_ranges(), wrong("hours", "must be positive"));
    }

    #[test]
    fn a_key_declared_twice_is_told_with_both_places() {
        let (lamp, candle): (&dyn Options, &dyn Options) = (&Lamp::default(), &Candle::default());
        assert_eq!(clash(&[lamp], &[]), None);
        let both =
            |how: &str| format!("the key \"brightness\" is {how}: in {0}::Lamp and in {0}::Candle", module_path!());
        let turned =
            format!("the key \"brightness\" is declared twice: in {0}::Candle and in {0}::Lamp", module_path!());
        assert_eq!(clash(&[lamp, candle], &[]), Some(both("declared twice")));
        assert_eq!(clash(&[lamp], &[candle]), Some(turned));
        // Of two that exclude one another both may have it, if it is written in the same way.
        let told = clash(&[], &[lamp, candle]);
        assert_eq!(told, Some(both("written in two ways").replace("brightness", "hours")));
    }
}
