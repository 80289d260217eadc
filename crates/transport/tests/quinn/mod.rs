//! QUIC's recovery beside `quinn-proto`, a second stack that nobody here wrote, without input or output.
//!
//! | file | holds |
//! |---|---|
//! | `crypto` | cryptography that does nothing, so that packets travel in the clear |
//! | `wire` | packets as the RFC has them, read from bytes |
//! | `peers`, `own` | quinn's two ends, and ours, with the same parameters |
//! | `line` | the link between two ends, losses by order, and what happens on it |
//! | `flows` | the same bytes, losses and lost ACKs for both: packets, losses, cuts and probes agree |
//! | `steps` | our sender takes each step of quinn's on random paths: losses, timers, round trips, windows agree |
//! | `differences` | what is different has a name and a size |
//!
//! Alike on both sides are packets of 1200 bytes, an initial window of ten packets, ACKs after two packets or 25 ms and
//! at once out of order, thresholds of three packets and 9/8 round trips, a granularity of 1 ms, two probes, losses
//! that halve the window to two packets at least, growth before losses and flow control that does not matter. quinn has
//! no path MTU discovery, no extension for the frequency of ACKs, no idle timeout and no spin bit here, and pads each
//! packet of data. It always paces. In `flows` that must not matter: windows stay small, or the round trip so short
//! that its bucket holds two windows. In `steps` it may, since our sender sends what quinn sends.

mod crypto;
mod differences;
mod flows;
mod line;
mod own;
mod peers;
mod steps;
mod wire;
