//! Kinds of host besides TCP, one a folder, each whole: its keys and their check, sizes on the wire, the machines at
//! both ends of a flow, and what a user should know of it.
//!
//! | file or folder | holds |
//! |---|---|
//! | `kind` | what a kind of host answers |
//! | `keys` | `[transport.NAME]` as a kind of host reads it |
//! | `external` | hosts outside of the simulator, which `[external]` names |
//! | `ndp` | receivers that pull packets |
//! | `quic` | RFC 9000 and RFC 9002, with any window law |
//! | `udp` | datagrams that nobody answers |
//!
//! Another kind is a folder here and a line in `kinds!` for each of its names (and its `mod`).

pub mod external;
pub(crate) mod keys;
pub(crate) mod kind;
mod ndp;
#[cfg(test)]
mod ping;
mod quic;
mod udp;

use crate::engine::node::machine::HostMaker;
use crate::language::Fault;
use crate::model::{HostKind, Transport};
use keys::Keys;
use kind::Kind;
use options::{Options, registry};
use std::any::Any;
use std::sync::Arc;

/// A kind of host as it can be named.
pub type Entry = options::Entry<Name, &'static Kind>;

macro_rules! kinds {
    ($($(#[cfg($on:meta)])? $variant:ident = $name:literal, $source:literal, $summary:literal: $kind:expr;)+) => {
        registry! {
            /// The kinds of host besides TCP, by name.
            pub enum Name: &'static Kind {
                $($(#[cfg($on)])? $variant = $name, $source, $summary: &$kind;)+
            }
        }
    };
}

kinds! {
    Ndp = "ndp", "Handley et al., SIGCOMM 2017",
        "Receivers pull packets, and switches trim what finds no room.": ndp::KIND;
    Quic = "quic", "RFC 9000, RFC 9002", "QUIC with any window law that is built in.": quic::ANY;
    QuicNewReno = "quic-newreno", "RFC 9002 appendix B", "QUIC with its own window law.": quic::NAMED;
    QuicCubic = "quic-cubic", "RFC 9002, RFC 9438", "QUIC with CUBIC.": quic::NAMED;
    QuicBbr3 = "quic-bbr3", "RFC 9002, draft-ietf-ccwg-bbr", "QUIC with BBRv3.": quic::NAMED;
    Udp = "udp", "RFC 768", "Datagrams of one size, without any control.": udp::KIND;
    #[cfg(test)]
    Ping = "ping", "RFC 792", "Echoes, one after the other.": ping::KIND;
}

/// All kinds.
pub fn list() -> &'static [Entry] {
    Name::REGISTRY
}

/// The kind of this name, read from its keys; `None` if there is no such kind.
pub(crate) fn check(name: &str, keys: Keys) -> Option<Result<Arc<dyn HostKind>, Fault>> {
    let entry = Name::from_name(name)?.entry();
    Some((entry.item.check)(&Keys { kind: entry.name, ..keys }))
}

/// The line of a kind.
pub(crate) fn entry(kind: &dyn HostKind) -> &'static Entry {
    Name::from_name(kind.name()).expect("every kind of host is in the list").entry()
}

/// The kinds that have parameters of their own, with these.
pub(crate) fn options() -> impl Iterator<Item = (&'static str, Box<dyn Options>)> {
    list().iter().filter_map(|entry| Some((entry.name, (entry.item.options)()?)))
}

/// The kinds that have this parameter, if any has.
pub(crate) fn users(key: &str) -> Option<String> {
    let users: Vec<&str> = options().filter(|(_, own)| own.find(key).is_some()).map(|(name, _)| name).collect();
    (!users.is_empty()).then(|| users.join(", "))
}

/// Makes the hosts of a transport; `None` where the engine has them.
pub(crate) fn maker(transport: &Transport) -> Option<Arc<dyn HostMaker>> {
    let kind = transport.kind.hosted()?;
    (entry(kind).item.maker)(kind as &dyn Any)
}
