//! What a packet between hosts of a kind of its own says besides its number: a value that only the kind knows.

use std::any::Any;
use std::fmt;

/// What a packet says. Only who knows its type can read it.
pub struct Carried(Box<dyn Content>);

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
        Carried(Box::new(says))
    }

    /// What it says, if it is of this type.
    pub fn open<T: Any>(self) -> Option<T> {
        (self.0 as Box<dyn Any>).downcast().ok().map(|says| *says)
    }
}

impl Clone for Carried {
    fn clone(&self) -> Carried {
        Carried((*self.0).copy())
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carried").finish_non_exhaustive()
    }
}
