//! What the field of a table is: its value, given or usual, and where it was given.

use crate::language::{At, Fault, Place};
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
