//! What travels on a fibre: slots, as bytes.
//!
//! A slot has a header of [`Header::LENGTH`] bytes, a payload of blocks (code, length, data) and, except for data
//! slots, a keyed tag. After paper 003 figure 3.5 every message of the signalling is a block. `docs/protocol.md` has
//! the tables of bytes; they are made from the declarations here. Two ways in: [`decode`] checks structure and
//! checksum, [`Key::open`] the tag too.
//!
//! | file | holds |
//! |---|---|
//! | `header` | the header; `slot`: a whole slot and its checks |
//! | `block` | blocks and their codes |
//! | `field`, `reader` | how fields become bytes, and back |
//! | `key`, `replay` | the network's key and tags; what has been seen before |
//! | `error` | all that can be wrong |
//! | `value` | fields as plain values, by name |
//! | `layout` | the tables of `docs/protocol.md` |
//! | the others | one message each |
//!
//! Integers are little-endian. Nothing here panics on any bytes, and what is allocated is bounded by their number.

mod allocation;
mod answer;
mod beacon;
mod block;
mod claim;
mod configuration;
mod error;
mod fault;
mod field;
mod header;
mod invitation;
mod key;
mod layout;
mod measurement;
mod payload;
mod plan;
mod reader;
mod replay;
mod request;
mod slot;
mod value;
mod verdict;

pub use allocation::{Allocation, Grant};
pub use answer::Answer;
pub use beacon::Beacon;
pub use block::Block;
pub use claim::{Claim, ClaimKind};
pub(crate) use configuration::agreed;
pub use configuration::{Carriage, Configuration, NodeState, NodeStatus};
pub use error::{Malformed, TooLong, WrongFields};
pub use fault::{Fault, FaultKind};
pub use header::{Class, Header, NodeId, Stamp};
pub use invitation::Invitation;
pub use key::{Key, KeyTooShort, TAG_LENGTH};
pub use layout::tables;
pub use measurement::{FollowUp, Measurement};
pub use payload::{FileChunk, IpPacket, Management};
pub use plan::{Connection, Plan};
pub use replay::ReplayWindow;
pub use request::{Idle, Request, Unused, Wish};
pub use slot::{Slot, decode};
pub use value::{Fields, Value};
pub use verdict::{Verdict, VerdictKind};
