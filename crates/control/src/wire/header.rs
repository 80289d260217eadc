//! The header of a slot: paper 003 figure 3.5 with a frame, a version, a checksum, and what a keyed tag needs.
//!
//! Left out: the receiving time stamp, which the receiver knows, and the time difference, which is a
//! [`super::Measurement`].

use super::error::{self, Malformed};
use super::field::{Field, Form, codes, message};
use super::reader::Reader;
use super::value::Value;
use std::fmt;
use units::Instant;

/// The number of a node of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

impl NodeId {
    /// The controller of the core switch.
    pub const CORE: NodeId = NodeId(0xFFFE);
    /// Nobody, as a source; everybody, as a destination.
    pub const ALL: NodeId = NodeId(0xFFFF);
    /// The most edge nodes: what a request matrix holds.
    pub const MOST: u16 = crate::scheduler::Requests::MAX_NODES as u16;
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            NodeId::CORE => write!(f, "core"),
            NodeId::ALL => write!(f, "all"),
            NodeId(number) => write!(f, "node {number}"),
        }
    }
}

impl Field for NodeId {
    const LEAST: usize = 2;
    const FORM: Form = Form::Fixed("u16, node");

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        u16::take(from).map(NodeId)
    }

    fn value(&self) -> Value {
        self.0.value()
    }

    fn of_value(value: Value) -> Option<Self> {
        u16::of_value(value).map(NodeId)
    }
}

codes! {
    /// What a slot is for.
    pub enum Class("class") {
        /// signalling, switched through the core between a slave and the master; it has a tag
        Signalling = 0,
        /// data between two edge nodes; it has no tag
        Data = 1,
        /// between a node and the controller of the core, beside the light; it has a tag
        Control = 2,
    }
}

codes! {
    /// How `sent_at` is meant.
    pub enum Stamp("stamp") {
        /// the slot left at that instant
        Exact = 0,
        /// the slot left about then; the instant follows in a block `follow-up`
        Follows = 1,
    }
}

message! {
    /// The header of a slot.
    pub struct Header {
        /// what the slot is for
        pub class: Class,
        /// the node that sent it
        pub source: NodeId,
        /// the node that shall have it
        pub destination: NodeId,
        /// the frame in which it passes the core
        pub frame: u64,
        /// the slot of that frame, from 0
        pub slot: u32,
        /// which of several datagrams of one slot, from 0
        pub piece: u16,
        /// whether `sent_at` is exact
        pub stamp: Stamp,
        /// zero
        pub reserved: u8,
        /// the sender's session: a number that is larger at every start of the node
        pub session: u64,
        /// the addressee's session as the sender knows it, 0 if not: who reads its own number here knows that the slot
        /// is not older than its start
        pub peer_session: u64,
        /// the number of the slot among those that this session sent
        pub sequence: u64,
        /// when it left, by the sender's clock
        pub sent_at: Instant,
    }
}

impl Header {
    /// Bytes of a header, with what stands before and behind its fields: magic, version, payload length, checksum.
    pub const LENGTH: usize = 3 + <Header as Field>::LEAST + 4 + 4;
    /// The version that is spoken here.
    pub const VERSION: u8 = error::VERSION;
    /// The first bytes of every slot.
    pub const MAGIC: [u8; 2] = *b"pc";
}
