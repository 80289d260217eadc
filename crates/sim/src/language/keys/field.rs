//! What the field of a table is: its value, given or usual, and where it was given.

use super::{Declared, Facts, Form, MapAccess};
use crate::language::{At, Fault, Place};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Deref;

/// The value of a key that has a default: as given, or the usual one.
#[derive(Clone, Copy)]
pub struct Key<T> {
    value: T,
    node: Option<At<()>>,
}

impl<T> Key<T> {
    pub(crate) fn usual(value: T) -> Key<T> {
        Key { value, node: None }
    }

    /// Where it was given.
    pub(crate) fn place(&self) -> Option<Place> {
        self.node.as_ref().map(At::place)
    }

    /// A fault of this value; without a place if it was not given.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.place().unwrap_or(Place::Unknown), message)
    }
}

impl<T> Deref for Key<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// What a field of a table is: a required key, one that may be left out, one with a default, a list of tables.
pub(crate) trait Field: Sized {
    /// The type of the key's value.
    type Value;
    /// The key is there.
    fn given(at: At<Self::Value>) -> Self;
    /// It is not; `None` if it must be.
    fn absent() -> Option<Self>;
    /// Its value, given or usual.
    fn value(&self) -> Option<&Self::Value>;
    /// Where it was given.
    fn place(&self) -> Option<Place>;
}

/// What a field of a table stands for: one key, or several that are declared elsewhere.
pub(crate) trait Member: Sized + 'static {
    /// What has been read of it.
    type Reading: Default;

    /// Takes the value of a key, if it is one of its own; `name` is that of the field.
    fn read<'de, A: MapAccess<'de>>(
        reading: &mut Self::Reading,
        name: &str,
        key: &str,
        entries: &mut A,
    ) -> Result<bool, A::Error>;

    /// All has been read; `None` if something is missing.
    fn complete(reading: Self::Reading, usual: impl FnOnce() -> Option<Self>) -> Option<Self>;

    /// Nothing of it is there; `None` if it must be.
    fn absent() -> Option<Self>;

    /// The keys for which it stands in the table `T`.
    fn declare<T>(facts: Facts<T>, part: fn(&T) -> &Self, usual: fn() -> Option<Self>) -> Vec<Declared<T>>;
}

impl<F: Field<Value: Form + DeserializeOwned + JsonSchema> + 'static> Member for F {
    type Reading = Option<F>;

    fn read<'de, A: MapAccess<'de>>(
        reading: &mut Option<F>,
        name: &str,
        key: &str,
        entries: &mut A,
    ) -> Result<bool, A::Error> {
        if key != name {
            return Ok(false);
        }
        *reading = Some(F::given(entries.next_value()?));
        Ok(true)
    }

    fn complete(reading: Option<F>, usual: impl FnOnce() -> Option<F>) -> Option<F> {
        reading.or_else(usual)
    }

    fn absent() -> Option<F> {
        Field::absent()
    }

    fn declare<T>(facts: Facts<T>, part: fn(&T) -> &F, usual: fn() -> Option<F>) -> Vec<Declared<T>> {
        vec![Declared::of_field(facts, part, usual)]
    }
}

impl<T> Field for At<T> {
    type Value = T;
    fn given(at: At<T>) -> At<T> {
        at
    }
    fn absent() -> Option<At<T>> {
        None
    }
    fn value(&self) -> Option<&T> {
        Some(self)
    }
    fn place(&self) -> Option<Place> {
        Some(At::place(self))
    }
}

impl<T> Field for Option<At<T>> {
    type Value = T;
    fn given(at: At<T>) -> Option<At<T>> {
        Some(at)
    }
    fn absent() -> Option<Option<At<T>>> {
        Some(None)
    }
    fn value(&self) -> Option<&T> {
        self.as_deref()
    }
    fn place(&self) -> Option<Place> {
        self.as_ref().map(At::place)
    }
}

impl<T> Field for Key<T> {
    type Value = T;
    fn given(at: At<T>) -> Key<T> {
        Key { node: Some(at.mark()), value: at.into_inner() }
    }
    fn absent() -> Option<Key<T>> {
        None
    }
    fn value(&self) -> Option<&T> {
        Some(self)
    }
    fn place(&self) -> Option<Place> {
        Key::place(self)
    }
}

impl<T> Field for Vec<At<T>> {
    type Value = Vec<At<T>>;
    fn given(at: At<Vec<At<T>>>) -> Vec<At<T>> {
        at.into_inner()
    }
    fn absent() -> Option<Vec<At<T>>> {
        Some(Vec::new())
    }
    fn value(&self) -> Option<&Vec<At<T>>> {
        (!self.is_empty()).then_some(self)
    }
    fn place(&self) -> Option<Place> {
        None
    }
}
