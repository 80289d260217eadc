//! QUIC's recovery: the two ends of RFC 9000 and RFC 9002 from the first packet after the handshake on, without
//! encryption.
//!
//! | file | holds |
//! |---|---|
//! | `config` | the parameters of both ends |
//! | `sender`, `losses`, `transmit` | RFC 9002 appendix A: its inputs and timers, ACKs and losses, what leaves |
//! | `readings` | what is known of a sender |
//! | `congestion` | RFC 9002 appendix B, or a window law of [`cc`](crate::cc) in its place |
//! | `rtt`, `pacer`, `ecn` | round trips, pacing, validation of ECN |
//! | `told` | what the network writes for laws |
//! | `sent`, `ranges` | packets by number, sets of numbers |
//! | `streams`, `datagrams`, `chunk` | bytes that were written, sent, lost and acknowledged |
//! | `receiver` | ACKs, and bytes in order |
//! | `ack` | an ACK frame, and the errors of a peer |
//!
//! There is one space of packet numbers, of a handshake that is confirmed. A packet carries bytes of one stream, or a
//! datagram (RFC 9221). The permission for more data (MAX_DATA, MAX_STREAM_DATA) is in every ACK, so that a lost one
//! needs no repair.
//!
//! Left out: handshake and encryption, migration, the limit before an address is validated (anti-amplification,
//! RFC 9000 §8.1), path MTU discovery, and the undo of a spurious loss.

mod ack;
mod chunk;
mod config;
mod congestion;
mod datagrams;
mod ecn;
mod losses;
mod pacer;
mod ranges;
mod readings;
mod receiver;
mod rtt;
mod sender;
mod sent;
mod streams;
mod told;
mod transmit;

pub use ack::{Ack, EcnCounts, TransportError};
pub use chunk::Chunk;
pub use config::{Config, Frames, GrowthOrder, Persistent, ReceiverConfig, StreamOrder, Threshold, Underuse};
pub use receiver::{AckOut, Mark, Received, Receiver};
pub use rtt::Rtt;
pub use sender::{ByHand, News, Packet, Sender, Timer};
pub use sent::SentPacket;
