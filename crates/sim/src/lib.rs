//! The deterministic packet simulator of photocol.
//!
//! A scenario is read and resolved ([`scenario`]) to plain data ([`model`]), its random parts are drawn ([`traffic`]),
//! a world is built and run ([`engine`]), and tables come out ([`results`]). True time exists only here.
//!
//! # The way of an ACK
//!
//! From the receiver of a segment to the congestion control of its sender:
//!
//! 1. A segment reaches its host: [`Hosts::receive`] finds the machine of its flow.
//! 2. [`Receiver::take_in_order`] says whether an ACK leaves now; else [`Receiver::handle_segment`] lists the ACKs.
//! 3. [`Hosts::receive_data`] hands the ACK to the first port of its path; [`Hosts::send_acks`] those that are listed.
//! 4. [`Fabric::forward`] lets it enter that port, or gives it to the agent that stands before the port.
//! 5. [`Port::enqueue`] answers with an [`Admission`]: the instant at which it will be at the far end, or why not.
//! 6. [`Fabric::put`] writes it into the [`Ring`] of the fibre. The head of each ring is in the event list.
//! 7. [`Partition::run`] asks for the [`Fabric::earliest`] event, and [`Fabric::take_arrival`] takes the ACK out.
//! 8. [`Partition::handle_arrival`] lets it enter the next port of its path, as in 4, or gives it to its host.
//! 9. [`Hosts::receive_ack`] finds the sender; [`Hosts::receive_ack_in_full`] reads SACK blocks and marks, too.
//! 10. [`Sender::handle_plain_ack`] is the fast path of a machine, [`Sender::handle_other_ack`] the full one.
//! 11. Both tell the window law, a [`CongestionControl`], of the ACK: [`CongestionControl::on_ack`].
//! 12. [`Hosts::send_segments`] sends what the new window allows, as in 3, and arms the retransmission timer.
//!
//! [`Hosts::receive`]: engine::node::hosts::Hosts::receive
//! [`Hosts::receive_data`]: engine::node::hosts::Hosts::receive_data
//! [`Hosts::send_acks`]: engine::node::hosts::Hosts::send_acks
//! [`Hosts::receive_ack`]: engine::node::hosts::Hosts::receive_ack
//! [`Hosts::receive_ack_in_full`]: engine::node::hosts::Hosts::receive_ack_in_full
//! [`Hosts::send_segments`]: engine::node::hosts::Hosts::send_segments
//! [`Fabric::forward`]: engine::node::fabric::Fabric::forward
//! [`Fabric::put`]: engine::node::fabric::Fabric::put
//! [`Fabric::take_arrival`]: engine::node::fabric::Fabric::take_arrival
//! [`Fabric::earliest`]: engine::node::fabric::Fabric::earliest
//! [`Port::enqueue`]: engine::link::port::Port::enqueue
//! [`Admission`]: engine::packet::admission::Admission
//! [`Ring`]: engine::link::ring::Ring
//! [`Partition::run`]: engine::execute::partition::Partition::run
//! [`Partition::handle_arrival`]: engine::execute::partition::Partition::handle_arrival
//! [`Receiver::take_in_order`]: transport::tcp::Receiver::take_in_order
//! [`Receiver::handle_segment`]: transport::tcp::Receiver::handle_segment
//! [`Sender::handle_plain_ack`]: transport::tcp::Sender::handle_plain_ack
//! [`Sender::handle_other_ack`]: transport::tcp::Sender::handle_other_ack
//! [`CongestionControl`]: transport::cc::CongestionControl
//! [`CongestionControl::on_ack`]: transport::cc::CongestionControl::on_ack

#![allow(rustdoc::private_intra_doc_links, reason = "the way of an ACK leads through the engine")]
#![allow(rustdoc::invalid_html_tags, reason = "a key's comment is in the schema, too, as it stands")]

pub mod applications;
pub mod engine;
pub mod hosts;
pub mod language;
pub mod links;
pub mod model;
mod probes;
pub mod queue;
pub mod random;
pub mod results;
pub mod scenario;
pub mod study;
pub mod switching;
pub mod topology;
pub mod traffic;
pub mod work;

pub use model::SimTime;
pub use probes::{About as ProbeAbout, Entry as ProbeEntry, list as probes};
