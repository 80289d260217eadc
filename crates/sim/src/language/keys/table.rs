//! What is done with any table of declared keys: checked, read, described, written out.

use super::{Explained, Field, Form, Limits, Reserved, When, Written};
use crate::language::{Fault, Place};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A key of the table `T`, as it was declared.
pub(crate) struct Declared<T: 'static> {
    /// Its name, comment and rules.
    pub facts: Facts<T>,
    /// Its field in a table.
    pub field: Box<dyn Fn(&T) -> &(dyn AnyField) + Send + Sync>,
    /// Its default, as it is written; nothing in it if the key may be left out; `None` if it is required.
    pub usual: Box<dyn Fn() -> Option<Option<Written>> + Send + Sync>,
    /// The schema of its value, which may be optional.
    pub schema: Describe,
}

/// Gives the schema of a value, which may be optional.
pub(crate) type Describe = Box<dyn Fn(&mut SchemaGenerator, bool) -> Schema + Send + Sync>;

/// What is said of a key besides its type.
pub(crate) struct Facts<T: 'static> {
    pub name: &'static str,
    /// Its comment.
    pub meaning: &'static str,
    /// Where its value may lie.
    pub limits: Option<Limits<T>>,
    /// Who has it, if another table tells.
    pub user: Option<&'static str>,
    /// When it may be used.
    pub when: &'static [&'static When<T>],
}

impl<T> Declared<T> {
    /// The key of a field; `usual` is the field where the key is not there.
    pub fn of_field<F>(facts: Facts<T>, part: fn(&T) -> &F, usual: fn() -> Option<F>) -> Declared<T>
    where
        F: Field<Value: Form + JsonSchema> + 'static,
    {
        Declared {
            facts,
            field: Box::new(move |table| part(table)),
            usual: Box::new(move || usual().map(|usual| usual.written())),
            schema: Box::new(subschema::<F::Value>),
        }
    }
}

/// The keys of a table.
pub(crate) struct KeyList<T: 'static> {
    declared: Vec<Declared<T>>,
    names: Vec<&'static str>,
}

impl<T> KeyList<T> {
    /// Those for which its fields stand.
    pub fn of(fields: Vec<Vec<Declared<T>>>) -> KeyList<T> {
        let declared: Vec<Declared<T>> = fields.into_iter().flatten().collect();
        KeyList { names: declared.iter().map(|key| key.facts.name).collect(), declared }
    }

    /// Their names.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }
}

/// A field whatever its type.
pub(crate) trait AnyField {
    /// Where it was given.
    fn place(&self) -> Option<Place>;
    /// Its value as it is written.
    fn written(&self) -> Option<Written>;
    /// Checks the keys in its value, each by itself.
    fn check_keys(&self) -> Result<(), Fault>;
}

impl<F: Field<Value: Form>> AnyField for F {
    fn place(&self) -> Option<Place> {
        Field::place(self)
    }

    fn written(&self) -> Option<Written> {
        self.value().map(Form::form)
    }

    fn check_keys(&self) -> Result<(), Fault> {
        self.value().map_or(Ok(()), Form::check_keys)
    }
}

/// A table that is read key by key.
pub(crate) trait Keyed: Sized {
    /// The fields of the keys that are there.
    type Given: Default;

    /// The names of its keys.
    fn names() -> &'static [&'static str];

    /// Takes the value of a key; false if the table has no such key.
    fn read<'de, A: MapAccess<'de>>(given: &mut Self::Given, key: &str, entries: &mut A) -> Result<bool, A::Error>;

    /// The table with its defaults, or the name of a key that is missing.
    fn complete(given: Self::Given) -> Result<Self, &'static str>;
}

/// A table that [`keys!`](super::keys) declares.
pub(crate) trait Table: Keyed + 'static {
    /// Its comment.
    const ABOUT: &'static str;

    /// Its keys.
    fn keys() -> &'static KeyList<Self>;

    /// The table of which nothing is said, if all of it can be left out.
    fn unsaid() -> Self {
        Self::complete(Default::default()).expect("no key is required")
    }

    /// Checks each key by itself, whether it is of use here first.
    fn check(&self) -> Result<(), Fault> {
        self.check_use()?;
        self.check_limits()?;
        self.check_inside()
    }

    /// Checks whether each key is of use here.
    fn check_use(&self) -> Result<(), Fault> {
        for Declared { facts, field, .. } in &Self::keys().declared {
            facts.when.iter().try_for_each(|when| when.check(self, facts.name, field(self).place()))?;
        }
        Ok(())
    }

    /// Checks where the values lie.
    fn check_limits(&self) -> Result<(), Fault> {
        let mut limits = Self::keys().declared.iter().filter_map(|key| key.facts.limits.as_ref());
        limits.try_for_each(|limits| (limits.check)(self))
    }

    /// Checks the keys inside the values, each by itself.
    fn check_inside(&self) -> Result<(), Fault> {
        Self::keys().declared.iter().try_for_each(|key| (key.field)(self).check_keys())
    }

    /// The keys that not every user has.
    fn reserved(&self) -> Vec<Reserved> {
        let reserved = |key: &Declared<Self>| {
            Some(Reserved { key: key.facts.name, user: key.facts.user?, given: (key.field)(self).place() })
        };
        Self::keys().declared.iter().filter_map(reserved).collect()
    }

    /// The keys without their values, for what is written out from a model.
    fn unfilled() -> Explained {
        let mut table = Explained::default();
        Self::keys().declared.iter().for_each(|key| table.add(key.facts.name, key.facts.meaning, None));
        table
    }

    /// The table as it is written out.
    fn explained(&self) -> Explained {
        let mut table = Explained::default();
        for Declared { facts, field, .. } in &Self::keys().declared {
            let is_of_use = facts.when.iter().all(|when| (when.holds)(self));
            table.add(facts.name, facts.meaning, field(self).written().filter(|_| is_of_use));
        }
        table
    }
}

impl<T: Table> Form for T {
    fn form(&self) -> Written {
        Written::Table(self.explained())
    }

    fn check_keys(&self) -> Result<(), Fault> {
        self.check()
    }
}

/// Reads a table; another key than the declared ones is an error.
pub(crate) fn read_table<'de, T: Keyed, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Keyed> Visitor<'de> for Reader<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<T, A::Error> {
            let mut given = T::Given::default();
            while let Some(key) = entries.next_key_seed(KeyName(T::names()))? {
                T::read(&mut given, key, &mut entries)?;
            }
            T::complete(given).map_err(A::Error::missing_field)
        }
    }

    deserializer.deserialize_map(Reader(PhantomData))
}

/// The schema of a table.
pub(crate) fn schema_of<T: Table>(generator: &mut SchemaGenerator) -> Schema {
    let mut keys = DescribedKeys::default();
    keys.add::<T>(generator);
    keys.schema(T::ABOUT)
}

/// Keys of one table or several, for its schema.
#[derive(Default)]
pub(crate) struct DescribedKeys {
    properties: serde_json::Map<String, serde_json::Value>,
    required: Vec<&'static str>,
}

impl DescribedKeys {
    /// Adds the keys of a table.
    pub fn add<T: Table>(&mut self, generator: &mut SchemaGenerator) {
        for Declared { facts, usual, schema, .. } in &T::keys().declared {
            let usual = usual();
            if usual.is_none() {
                self.required.push(facts.name);
            }
            let mut schema = schema(generator, usual.is_some());
            schema.insert("description".to_owned(), description(facts, usual.flatten()).into());
            self.properties.insert(facts.name.to_owned(), schema.to_value());
        }
    }

    /// The schema of the table that has them.
    pub fn schema(self, about: &str) -> Schema {
        let DescribedKeys { properties, required } = self;
        let mut table = serde_json::json!({
            "type": "object", "description": unindented(about), "additionalProperties": false, "properties": properties,
        });
        if !required.is_empty() {
            table["required"] = required.into();
        }
        Schema::try_from(table).expect("an object is a schema")
    }
}

/// The schema of a value of this type, which may be optional.
pub(crate) fn subschema<V: JsonSchema>(generator: &mut SchemaGenerator, is_optional: bool) -> Schema {
    if is_optional { generator.subschema_for::<Option<V>>() } else { generator.subschema_for::<V>() }
}

/// What the schema says of a key.
fn description<T>(key: &Facts<T>, usual: Option<Written>) -> String {
    let mut text = unindented(key.meaning);
    // What is allowed elsewhere is for the message only.
    let brief = |because: &str| because.split("; ").next().unwrap_or(because).to_owned();
    let reserved = key.user.map(|user| format!("is for {user}"));
    let because = reserved.as_deref().into_iter().chain(key.when.iter().map(|when| when.because));
    because.for_each(|because| text += &format!(" It {}.", brief(because)));
    text += &key.limits.as_ref().map_or(String::new(), |limits| format!(" Allowed: {}.", (limits.words)()));
    text + &usual.map_or(String::new(), |usual| format!(" Default {}.", usual.inline()))
}

/// A comment on one line.
pub(crate) fn unindented(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
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
