//! What a packet between hosts of a kind of its own says besides its number: a value that only the kind knows.

use super::real::RealBytes;
use std::any::Any;
use std::fmt;

/// What a packet says. Only who knows its type can read it.
#[derive(Clone, Debug)]
pub enum Carried {
    /// Two numbers, which need no memory of their own.
    Numbers([u64; 2]),
    /// A value of a type of the host's.
    Value(Value),
}

/// A value of any type.
pub struct Value(Box<dyn Content>);

/// A value that can be copied, since links may duplicate packets.
trait Content: Any + Send + Sync {
    fn copy(&self) -> Box<dyn Content>;
}

impl<T: Any + Clone + Send + Sync> Content for T {
    fn copy(&self) -> Box<dyn Content> {
        Box::new(self.clone())
    }
}

impl Carried {
    /// What says this.
    pub fn new<T: Any + Clone + Send + Sync>(says: T) -> Carried {
        Carried::Value(Value(Box::new(says)))
    }

    /// What it says, if it is of this type.
    pub fn open<T: Any>(self) -> Option<T> {
        let Carried::Value(Value(says)) = self else { return None };
        (says as Box<dyn Any>).downcast().ok().map(|says| *says)
    }

    /// The bytes of a packet from outside, if it is that.
    pub fn real(&self) -> Option<&[u8]> {
        let Carried::Value(Value(says)) = self else { return None };
        (&**says as &dyn Any).downcast_ref().map(RealBytes::seen)
    }

    /// The numbers, if it is numbers.
    pub fn numbers(self) -> Option<[u64; 2]> {
        if let Carried::Numbers(numbers) = self { Some(numbers) } else { None }
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        Value((*self.0).copy())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value").finish_non_exhaustive()
    }
}
