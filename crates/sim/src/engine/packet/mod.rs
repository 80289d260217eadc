//! What travels, and the words and containers that all rooms share.

pub(crate) mod admission;
pub(crate) mod carried;
pub(crate) mod containers;
pub(crate) mod delay_queue;
pub(crate) mod drops;
pub(crate) mod event;
pub(crate) mod fields;
pub(crate) mod message;
pub(crate) mod observer;
pub(crate) mod payload;
mod pool;
pub(crate) mod prefetch;
pub(crate) mod real;
pub(crate) mod reserved;
pub(crate) mod said;
pub(crate) mod state;

pub use carried::{Carried, Inscribed, Inscription};
pub use drops::{DropPlace, Drops, LinkTotals, add_drops};
pub use fields::{Class, Flags, Packet};
pub use payload::{HostPayload, Payload, PayloadTable, Stamp, Written};
pub use reserved::{DELIVER, IN_TIME, NEVER, NO_PATH, NO_PAYLOAD, NOWHERE, SPREAD, TO_HOST};
