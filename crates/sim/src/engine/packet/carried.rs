//! What a packet between hosts of a kind of its own says besides its number: a value that only the kind knows.

use super::real::RealBytes;
use std::any::Any;
use std::fmt;
use transport::telemetry::Telemetry;
use transport::xcp::Header;

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

/// A value of a packet that is [`Flags::EXPLICIT`](super::Flags::EXPLICIT): what the network writes into it, and what
/// its host says.
#[derive(Clone, Debug)]
pub struct Inscribed {
    /// What devices read and write.
    pub record: Inscription,
    /// Whatever the host says besides.
    pub says: Carried,
}

/// What the network writes.
#[derive(Clone, Debug)]
pub enum Inscription {
    /// Routers, into a congestion header.
    Header(Header),
    /// Each hop what it measures, or a rate.
    Telemetry(Box<Telemetry>),
}

impl Inscribed {
    /// Its congestion header.
    pub fn header_mut(&mut self) -> Option<&mut Header> {
        if let Inscription::Header(header) = &mut self.record { Some(header) } else { None }
    }

    /// Its telemetry.
    pub fn telemetry_mut(&mut self) -> Option<&mut Telemetry> {
        if let Inscription::Telemetry(told) = &mut self.record { Some(told) } else { None }
    }
}

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

    /// The same in its place, to be changed.
    pub fn open_mut<T: Any>(&mut self) -> Option<&mut T> {
        let Carried::Value(Value(says)) = self else { return None };
        (&mut **says as &mut dyn Any).downcast_mut()
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
