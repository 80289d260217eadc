//! NDP: receivers pull packets, and switches trim what finds no room. Its machines are [`transport::ndp`]'s, the queue
//! that trims is [`queue::ndp`](crate::queue)'s.
//!
//! | file | holds |
//! |---|---|
//! | `machines` | the two ends of a flow, driven by packets, and the queue of PULLs of a node |
//! | `warnings` | networks that are not made for it |

mod machines;
mod warnings;

use super::keys::{Keys, MAX_PACKET, bytes};
use super::kind::Kind;
use crate::engine::node::machine::HostMaker;
use crate::language::Fault;
use crate::model::{HostKind, PacketSizes};
use options::Options;
use std::any::Any;
use std::sync::Arc;
use transport::ndp::Config;

/// Headers, ACKs, NACKs and PULLs (SIGCOMM 2017, §3.1).
const HEADER: u32 = 64;

/// What is known of it.
pub(super) const KIND: Kind =
    Kind { options: || Some(Box::<Config>::default()), warnings: Some(warnings::warnings), ..Kind::new(check, maker) };

/// Resolved.
#[derive(Debug)]
struct Ndp {
    config: Arc<Config>,
    header: u32,
    ack_size: u32,
}

impl HostKind for Ndp {
    fn name(&self) -> &'static str {
        "ndp"
    }

    fn sizes(&self) -> PacketSizes {
        PacketSizes { payload: self.config.payload, header: self.header, ack: self.ack_size }
    }

    fn first_window(&self) -> u32 {
        self.config.first_window
    }

    fn options(&self) -> Option<&dyn Options> {
        Some(&*self.config)
    }
}

fn check(keys: &Keys) -> Result<Arc<dyn HostKind>, Fault> {
    let header = bytes(keys.header, HEADER, 1..=MAX_PACKET - 1)?;
    let ack_size = bytes(keys.ack_size, HEADER, 1..=MAX_PACKET)?;
    let mut config = Config { payload: keys.payload(header)?, ..Config::default() };
    let packet = config.payload;
    keys.set(&mut config, packet)?;
    Ok(Arc::new(Ndp { config: Arc::new(config), header, ack_size }))
}

fn maker(kind: &dyn Any) -> Option<Arc<dyn HostMaker>> {
    let kind: &Ndp = kind.downcast_ref()?;
    Some(Arc::new(machines::Maker(Arc::clone(&kind.config))))
}
