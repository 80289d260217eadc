//! TCP as two machines: a [`Sender`] and a [`Receiver`] of one byte stream.
//!
//! | file | holds |
//! |---|---|
//! | `segment` | what travels: segments, ACKs, SACK blocks |
//! | `config` | the sender's parameters and their check |
//! | `initial_window` | the congestion window before the first ACK, QUIC's too |
//! | `presets` | a law and what a host sets besides it, by one name |
//! | `keys` | what users can set of a sender and its law, from the declarations |
//! | `sender` | the sender: its inputs, its fast path, its books |
//! | `readings` | what the sender shows of its state |
//! | `window` | the congestion window: what the law is told, and its bounds |
//! | `timer` | the retransmission timer, and the persist timer it is for a closed window |
//! | `recovery` | what an ACK means in each phase; the loss recoveries, one a file |
//! | `phase` | the phases of a sender |
//! | `transmit` | which segment leaves next |
//! | `scoreboard` | the SACKed ranges and the pipe |
//! | `rtt` | the retransmission timeout |
//! | `segments` | a record of every segment in flight, for flows that need one |
//! | `record` | one of them |
//! | `rate` | delivery rates |
//! | `rack` | what RACK-TLP knows of a flow |
//! | `prr` | proportional rate reduction |
//! | `frto` | whether a timeout was spurious, found out by new data |
//! | `ecn` | congestion marks that ACKs echo |
//! | `min_rtt` | the shortest round trip of the last minutes |
//! | `divisions` | round trips and holes by division of time, for laws that want it |
//! | `news` | news of the path, told to laws that listen |
//! | `pacing` | one segment every SRTT/cwnd |
//! | `explicit` | feedback and congestion header of a network that tells a sender its throughput |
//! | `features` | what only some flows have |
//! | `delay` | what TD-FR knows of a flow |
//! | `reordering` | what RR-TCP knows of a flow's reordering |
//! | `bursts` | what an edge node says about lost bursts, and their repair |
//! | `stats` | what the sender counts |
//! | `window_limits` | what it lets itself send at an instant |
//! | `spurious` | retransmissions that D-SACK proves spurious |
//! | `undo` | spurious reductions of the window, taken back |
//! | `receiver` | the receiver: delayed ACKs, SACK, D-SACK |
//! | `reader` | an application that reads slowly |
//! | `timestamps` | round trips by the timestamps that ACKs echo |
//! | `connection`, `endpoint` | sender and receiver with handshake, teardown, timestamps, a window that grows |
//!
//! Left out: urgent data, half-open connections, resets, silly-window avoidance beyond "no short segment while
//! something is outstanding".

#[cfg(test)]
mod any_law_tests;
mod bursts;
mod config;
mod connection;
mod delay;
mod divisions;
mod ecn;
mod endpoint;
mod explicit;
mod features;
mod frto;
mod initial_window;
pub mod keys;
mod lost;
mod min_rtt;
mod news;
mod pacing;
mod phase;
mod presets;
mod prr;
mod rack;
mod rate;
mod reader;
mod readings;
mod receiver;
mod record;
mod recovery;
mod reordering;
mod rtt;
mod scoreboard;
mod segment;
mod segments;
mod sender;
mod small_queue;
mod spurious;
mod stats;
mod timer;
mod timers;
mod timestamps;
mod transmit;
mod undo;
mod window;
mod window_limits;

pub use crate::ConfigError;
pub use crate::cc::LossRecovery;
pub use bursts::BurstReport;
pub use config::{FastRetransmitGuard, PartialAckTimer, SackAfterTimeout, SenderConfig, SsthreshFrom, TimerRestart};
pub use connection::{Connection, Control, TcpOptions};
pub use ecn::{Codepoint, EcnFeedback, SegmentEcn};
pub use endpoint::Endpoint;
pub(crate) use explicit::header;
pub use frto::Frto;
pub use initial_window::InitialWindow;
pub use presets::{Preset, presets};
pub use prr::Reduction;
pub(crate) use rate::{Deliveries, Sending};
pub use readings::PhaseName;
pub use receiver::{EcnNews, InOrder, Receiver, ReceiverActions, ReceiverConfig, ReceiverStats};
pub(crate) use record::{Record, Snapshot, State};
pub use reordering::{
    FaIncrease, LimitedTransmit, ReorderingConfig, ReorderingLength, Restore, RrVariant, TimeoutCost,
};
pub use segment::{Ack, AckOut, Actions, EcnEcho, SackBlock, SackList, Segment};
pub use sender::Sender;
pub use stats::SenderStats;
pub use timers::Timer;
pub use undo::{Undo, UndoResponse};
pub use window_limits::WindowLimits;
