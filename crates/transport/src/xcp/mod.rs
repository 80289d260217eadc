//! XCP: routers tell senders how much to change their throughput (Katabi, Handley, Rohrs, SIGCOMM 2002;
//! draft-falk-xcp-spec-03; the constants as in ns-2.35).
//!
//! | file | holds |
//! |---|---|
//! | `header` | the congestion header, 20 bytes on the wire |
//! | `sender` | the window law `xcp` of the registry, and what a sender writes into its headers |
//! | `receiver` | the feedback that waits for the next ACK |
//! | `router` | the controller of one output: efficiency, fairness, persistent queue |
//! | `wavelength` | the controller of one wavelength for macroflows that probe it (paper 002) |
//! | `macroflow` | a macroflow at its ingress: rate and probes |
//! | `smoother` | the spacing of a macroflow's packets |
//!
//! There is no second sender: loss detection, SACK, timers and pacing are those of [`tcp::Sender`](crate::tcp::Sender),
//! whose window the feedback moves. A host that carries XCP does four things. It puts
//! [`Sender::congestion_header`](crate::tcp::Sender::congestion_header) on every data segment, passes each packet
//! through the [`Router`] of every port it leaves by, shows the header of every data segment to the flow's [`Receiver`]
//! and puts the receiver's header on every ACK, and calls
//! [`Sender::handle_feedback`](crate::tcp::Sender::handle_feedback) before `handle_ack`.
//!
//! Left out: XCP between routers only, estimates of a capacity that a router does not know (XCP-i, WXCP), and any
//! defence against a sender that ignores its feedback.

mod header;
mod macroflow;
mod receiver;
mod router;
mod smoother;
mod wavelength;

pub use header::{DecodeError, Format, Header, Interval};
pub use macroflow::{Changes, Macroflow, MacroflowConfig, Tells};
pub use receiver::Receiver;
pub use router::{Figures, Router, RouterConfig, Unclaimed};
pub use smoother::Smoother;
pub use wavelength::{Decision, Gains, Macroflows, Probe, Wavelength, WavelengthConfig};
