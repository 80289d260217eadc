//! Keys of the properties of links, which the properties declare: tables about links have all of them, events and
//! phases those that change in time.

use crate::language::keys::{AnyField, Declared, Facts, Limits, MapAccess, Member, Written};
use crate::language::{At, AtSeed, Fault, OfKind, Place, Setting, schema_of, written};
use crate::links::{self, LinkKey};
use options::{Kind, Value};
use schemars::{Schema, SchemaGenerator};
use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Which keys a table has.
pub trait Which: Clone + Debug + 'static {
    /// What a key means there; `None` if the table does not have it.
    fn meaning(key: &LinkKey) -> Option<&'static str>;
}

/// All keys.
#[derive(Clone, Debug)]
pub struct Own;

impl Which for Own {
    fn meaning(key: &LinkKey) -> Option<&'static str> {
        Some(key.key.meaning)
    }
}

/// Those whose values change during a run.
#[derive(Clone, Debug)]
pub struct InTime;

impl Which for InTime {
    fn meaning(key: &LinkKey) -> Option<&'static str> {
        key.rule.in_time
    }
}

/// The value of a key as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Given(Value);

/// The keys of properties that a table gives.
#[derive(Clone, Debug)]
pub struct PropertyKeys<W> {
    given: Vec<(&'static LinkKey, Option<At<Given>>)>,
    which: PhantomData<W>,
}

impl<W: Which> PropertyKeys<W> {
    /// Each key with its value, in the order of properties.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static LinkKey, Value, Place)> {
        let known = links::keys().iter().filter_map(|key| Some((key, self.find(key).as_ref()?)));
        known.map(|(key, at)| (key, at.0, at.place()))
    }

    /// Where a key was given.
    pub(crate) fn place(&self, name: &str) -> Option<Place> {
        links::key(name).and_then(|key| self.find(key).as_ref().map(At::place))
    }

    fn find(&self, key: &LinkKey) -> &Option<At<Given>> {
        const ABSENT: &Option<At<Given>> = &None;
        self.given.iter().find(|(own, _)| own.key.name == key.key.name).map_or(ABSENT, |(_, at)| at)
    }

    /// The fault of a value that is not allowed.
    fn check(&self, key: &LinkKey) -> Result<(), Fault> {
        let Some(at) = self.find(key).as_ref().filter(|at| !key.admits(at.0)) else { return Ok(()) };
        let refused = |words: String| Err(at.fault(format!("found {}; allowed: {words}", form(at.0))));
        key.allowed().map_or(Ok(()), refused)
    }
}

impl<W: Which> Member for PropertyKeys<W> {
    type Reading = Vec<(&'static LinkKey, Option<At<Given>>)>;

    fn read<'de, A: MapAccess<'de>>(
        reading: &mut Self::Reading,
        _: &str,
        name: &str,
        entries: &mut A,
    ) -> Result<bool, A::Error> {
        let Some(key) = links::key(name).filter(|key| W::meaning(key).is_some()) else { return Ok(false) };
        reading.push((key, Some(entries.next_value_seed(AtSeed(Reader(&key.key.kind)))?)));
        Ok(true)
    }

    fn complete(given: Self::Reading, _: impl FnOnce() -> Option<Self>) -> Option<Self> {
        Some(PropertyKeys { given, which: PhantomData })
    }

    fn absent() -> Option<Self> {
        Some(PropertyKeys { given: Vec::new(), which: PhantomData })
    }

    fn declare<T>(_: Facts<T>, part: fn(&T) -> &Self, _: fn() -> Option<Self>) -> Vec<Declared<T>> {
        let known = links::keys().iter().filter_map(|key| Some((key, W::meaning(key)?)));
        let declared = known.map(|(key, meaning)| Declared {
            facts: Facts {
                name: key.key.name,
                meaning,
                limits: key.allowed().map(|words| Limits {
                    words: Box::new(move || words.clone()),
                    check: Box::new(move |table| part(table).check(key)),
                }),
                user: None,
                when: &[],
            },
            field: Box::new(move |table| part(table).find(key)),
            usual: Box::new(|| Some(None)),
            schema: Box::new(|generator, _| schema(&key.key.kind, generator)),
        });
        declared.collect()
    }
}

impl AnyField for Option<At<Given>> {
    fn place(&self) -> Option<Place> {
        self.as_ref().map(At::place)
    }

    fn written(&self) -> Option<Written> {
        self.as_ref().map(|at| Written::Inline(form(at.0)))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A value as a scenario has it.
pub(crate) fn form(value: Value) -> String {
    written(&Kind::Flag, value).expect("the value of a property can be written")
}

/// Reads a value of a kind; whole numbers may be large.
struct Reader<'k>(&'k Kind);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        if let Kind::Whole(_) = self.0 {
            return u64::deserialize(deserializer).map(|number| Given(Value::Whole(number)));
        }
        match OfKind(self.0).deserialize(deserializer)? {
            Setting::Value(value) => Ok(Given(value)),
            Setting::Packets(_) => unreachable!("no property of a link is a window"),
        }
    }
}

/// What a kind allows; ranges are told in words.
fn schema(kind: &Kind, generator: &mut SchemaGenerator) -> Schema {
    match kind {
        Kind::Whole(_) => generator.subschema_for::<Option<u64>>(),
        Kind::Number(_) => generator.subschema_for::<Option<f64>>(),
        Kind::Flag => generator.subschema_for::<Option<bool>>(),
        kind => Schema::try_from(schema_of(kind, generator)).expect("an object is a schema"),
    }
}

#[cfg(test)]
mod tests {
    use crate::language::keys::Keyed;
    use crate::scenario::spec::{ClassDefaults, Event, Link, LinkDefaults, Phase};
    use std::collections::BTreeSet;

    #[test]
    fn no_table_has_two_keys_of_one_name() {
        let tables = [Link::names(), LinkDefaults::names(), ClassDefaults::names(), Event::names(), Phase::names()];
        for names in tables {
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }
}
