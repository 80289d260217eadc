//! The language that scenarios are written in, whatever they are about: texts with places, layers, quantities, checks,
//! and the one message about bad input.
//!
//! | file | holds |
//! |---|---|
//! | `layers` | reading files, `extends`, `drop`, `--set` |
//! | `paths` | what `drop` and `--set` name |
//! | `tree` | values that know where they were written |
//! | `json` | the tree of a JSON text |
//! | `de` | typed values out of the tree |
//! | `quantity`, `value` | values with units, or with more than one form |
//! | `keys` | tables of which each key is declared once |
//! | `option` | parameters that the machines of the transport declare |
//! | `check` | what is checked in many tables |
//! | `text` | tables and keys written out again |
//! | `error`, `nearest` | the one message about bad input |

mod check;
mod de;
pub(crate) mod error;
mod json;
pub(crate) mod keys;
mod layers;
mod nearest;
mod option;
mod paths;
mod quantity;
mod text;
mod tree;
mod value;

pub(crate) use check::{bounded, rate_in_range, room, room_of};
pub use de::At;
pub(crate) use de::{AtSeed, from_tree};
pub use error::Error;
pub(crate) use error::{Fault, Place};
pub use keys::Key;
pub use layers::Input;
pub(crate) use layers::{read, read_text};
pub use nearest::nearest;
pub(crate) use nearest::{choices, nearest_unit};
pub(crate) use option::{OfKind, described, schema_of, written};
pub use option::{Parameter, Setting, Word};
pub use quantity::{Length, PortRoom, Room, Size, Speed, Time, Window};
pub(crate) use text::{Text, quote, rounded, since_start};
pub(crate) use tree::quoted;
pub use value::{ByteCount, CdfPoint, Choice, DelayedAck, FlowSize, Names, PairsSpec, Raw};
