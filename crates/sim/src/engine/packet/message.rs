//! Messages of the control plane: what agents, senders and the orders of the scenario are told.

use super::prefetch::prefetch;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use transport::tcp::{Actions, Sender};
use units::Instant;

/// What an agent tells another one. Only who knows its type can read it. A message has one owner, so that a node can
/// change it on its way without asking who else reads it, which would cost an atomic operation each time.
pub struct Message(Box<dyn Content>);

/// What a message says, whatever it is.
trait Content: Any + Send {
    /// Brings it into the cache, if it fits two lines.
    fn prefetch(&self);
}

impl<T: Any + Send> Content for T {
    fn prefetch(&self) {
        prefetch(self);
    }
}

impl Message {
    /// A message that says this.
    pub fn new<T: Any + Send>(says: T) -> Message {
        Message(Box::new(says))
    }

    /// What it says, if it is of this type.
    pub fn read<T: Any>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The same, to be changed on the way.
    #[inline]
    pub fn edit<T: Any>(&mut self) -> Option<&mut T> {
        (&mut *self.0 as &mut dyn Any).downcast_mut()
    }

    /// The same, taken out.
    pub fn open<T: Any>(self) -> Option<T> {
        (self.0 as Box<dyn Any>).downcast().ok().map(|says| *says)
    }

    /// Brings what it says into the cache.
    #[inline]
    pub(super) fn prefetch(&self) {
        (*self.0).prefetch();
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").finish_non_exhaustive()
    }
}

/// What the network tells the sender of a flow.
pub trait Notification: fmt::Debug + Send + Sync {
    /// Tells it.
    fn tell(&self, now: Instant, sender: &mut Sender, actions: &mut Actions);
}

/// What a packet of control says, and to whom.
#[derive(Debug)]
pub enum ControlMessage {
    /// To the agent whose number is in the field for the flow.
    Agent(Message),
    /// To the sender of the packet's flow.
    Sender(Arc<dyn Notification>),
    /// About the orders for the packet's flow; the field for the sequence number has the number of the news.
    AboutFate(Direction),
}

/// The way of news to its flow's destination and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the destination, which sends it back.
    There,
    /// Back to the source.
    Back,
}
