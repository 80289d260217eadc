//! What slots carry at the edge: packets of IP and files. Out of payloads come blocks, out of blocks datagrams, out of
//! datagrams slots.

pub(crate) mod files;
mod icmp;
mod incoming;
pub(crate) mod ip;
mod outgoing;
mod packer;
mod ranges;
mod routes;
mod word;

pub(crate) use packer::{BLOCK, Packer};
pub(crate) use routes::Routes;
