//! Properties of links: what a fibre does to packets besides carrying them, a file each.
//!
//! A property is one file with its keys, where their values may lie, what becomes of them in time, and its part of a
//! port; and the line in `properties!` below (with its `mod` line above). The tables of links, of events and phases,
//! the columns of traces, `check --explain`, the schema and the ports find it here. Nothing else names it.
//!
//! | file | holds |
//! |---|---|
//! | `property` | what a property answers |
//! | `at_port` | what all properties of a link do at its port |
//! | `loss` | packets that vanish |
//! | `jitter` | what is added to the delay of each packet |

mod at_port;
#[cfg(test)]
pub(crate) mod duplicates;
pub mod jitter;
pub mod loss;
mod property;

pub use at_port::AtPort;
pub use property::{Allowed, KeyRule, Passage, PortFeature, Property};

use crate::random::Stream;
use options::{Key, Kind, Value};
use std::sync::LazyLock;

/// Lists the properties; those of tests are in no table.
macro_rules! properties {
    (
        $($(#[doc = $doc:literal])+ $module:ident;)+
        of tests { $($(#[doc = $example_doc:literal])+ $example:ident;)+ }
    ) => {
        /// All properties of a link.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct LinkProperties {
            $($(#[doc = $doc])+ pub $module: $module::Config,)+
            $($(#[doc = $example_doc])+ #[cfg(test)] pub $example: $example::Config,)+
        }

        /// The properties that users know.
        const NAMES: &[&str] = &[$(stringify!($module)),+];

        impl LinkProperties {
            /// Each with its name.
            fn all(&self) -> Vec<(&'static str, &dyn Property)> {
                vec![
                    $((stringify!($module), &self.$module as &dyn Property),)+
                    $(#[cfg(test)] (stringify!($example), &self.$example as &dyn Property),)+
                ]
            }

            fn all_mut(&mut self) -> Vec<&mut dyn Property> {
                vec![
                    $(&mut self.$module as &mut dyn Property,)+
                    $(#[cfg(test)] (&mut self.$example as &mut dyn Property),)+
                ]
            }
        }
    };
}

properties! {
    /// Packets that vanish.
    loss;
    /// What is added to the delay of each packet.
    jitter;
    of tests {
        /// The example of the guide.
        duplicates;
    }
}

/// A key of a property.
#[derive(Debug)]
pub struct LinkKey {
    /// Its declaration.
    pub key: Key,
    /// What is told of it besides.
    pub rule: KeyRule,
    /// Its value where nobody says anything.
    pub usual: Value,
    /// The keys of which one at most is given, this one among them; none if it has no such others.
    pub alternatives: &'static [&'static str],
    /// Whether the port of a link decides each departure when the transmitter is free, so that the property can be.
    pub is_decided_late: bool,
}

/// The keys of all properties, in their order.
pub fn keys() -> &'static [LinkKey] {
    static KEYS: LazyLock<Vec<LinkKey>> = LazyLock::new(|| {
        let usual = LinkProperties::default();
        let known = usual.all().into_iter().filter(|(name, _)| NAMES.contains(name));
        known.flat_map(|(_, property)| keys_of(property)).collect()
    });
    &KEYS
}

fn keys_of(property: &dyn Property) -> Vec<LinkKey> {
    let key = |(place, key): (usize, &Key)| LinkKey {
        key: *key,
        rule: property.rules().iter().find(|rule| rule.key == key.name).copied().unwrap_or_default(),
        usual: property.get(place),
        alternatives: property
            .alternatives()
            .iter()
            .find(|one| **one == key.name)
            .map_or(&[], |_| property.alternatives()),
        is_decided_late: property.is_decided_late(),
    };
    property.keys().iter().enumerate().map(key).collect()
}

/// A key by its name.
pub fn key(name: &str) -> Option<&'static LinkKey> {
    keys().iter().find(|one| one.key.name == name)
}

impl LinkKey {
    /// Where its value may lie, in words; `None` if anywhere.
    pub fn allowed(&self) -> Option<String> {
        match (self.rule.allowed, self.key.kind) {
            (Some(allowed), _) => Some(allowed.words.to_owned()),
            (None, Kind::Whole(range) | Kind::Number(range)) => Some(range.to_string()),
            (None, kind) => (kind == Kind::POSITIVE).then(|| "more than zero".to_owned()),
        }
    }

    /// Whether a value may be that.
    pub fn admits(&self, value: Value) -> bool {
        let by_kind = || self.key.kind.refuses(value).is_none();
        self.rule.allowed.map_or_else(by_kind, |allowed| (allowed.holds)(value))
    }

    /// The others of which it excludes one.
    pub fn others(&self) -> impl Iterator<Item = &'static str> {
        self.alternatives.iter().copied().filter(|other| *other != self.key.name)
    }
}

impl LinkProperties {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Value {
        let found = self.all().into_iter().find_map(|(_, one)| Some(one.get(one.find(name)?)));
        found.expect("a key of a property")
    }

    /// Sets a key to a value of its kind.
    pub fn set(&mut self, name: &str, value: Value) {
        for one in self.all_mut() {
            if let Some(place) = one.find(name) {
                one.set(place, value);
            }
        }
    }

    /// The keys that tell of the link, with their values.
    pub fn explained(&self) -> Vec<(&'static LinkKey, Value)> {
        let usual = LinkProperties::default();
        let mut told = Vec::new();
        for ((name, now), (_, before)) in self.all().into_iter().zip(usual.all()) {
            let is_usual = (0..now.keys().len()).all(|place| now.get(place) == before.get(place));
            if NAMES.contains(&name) && (now.is_always_told() || !is_usual) {
                let keys = now.keys().iter().filter_map(|one| key(one.name));
                told.extend(
                    keys.map(|key| (key, self.get(key.key.name))).filter(|(key, value)| self.is_told(key, *value)),
                );
            }
        }
        told
    }

    /// Of keys that exclude each other, the one that is set tells; else the first.
    fn is_told(&self, key: &LinkKey, value: Value) -> bool {
        let is_set = |name: &str| self.get(name) != self::key(name).map_or(Value::Nothing, |one| one.usual);
        value != Value::Nothing && (is_set(key.key.name) || !key.others().any(is_set))
    }

    /// The first key of each property that is there and needs a port that decides late.
    pub fn late(&self) -> impl Iterator<Item = &'static str> {
        let late = self.all().into_iter().filter(|(_, one)| one.acts() && one.is_decided_late());
        late.map(|(_, one)| one.keys()[0].name)
    }

    /// If packets overtake on the link: what to write where they must not.
    pub fn overtaking(&self) -> Option<&'static str> {
        self.all().into_iter().find_map(|(_, one)| one.overtaking())
    }

    /// What they do at the port of a link of which these keys `change` during the run. Random choices come from the
    /// stream of each property's name.
    pub fn at_port(&self, changing: &[&str], stream: impl Fn(&'static str) -> Stream) -> AtPort {
        let is_there = |one: &dyn Property| one.acts() || one.keys().iter().any(|key| changing.contains(&key.name));
        let there = self.all().into_iter().filter(|(_, one)| is_there(*one));
        AtPort::new(there.map(|(name, one)| (one, one.at_port(stream(name)))))
    }
}
