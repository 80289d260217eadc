//! Kinds of host besides TCP and UDP, one a folder: the machines at both ends of a flow.
//!
//! | folder | holds |
//! |---|---|
//! | `ndp` | receivers that pull packets |

mod ndp;

use crate::engine::node::machine::HostMaker;
use crate::model::{Transport, TransportKind};
use std::sync::Arc;

/// Makes the hosts of a transport; `None` where they are TCP's or UDP's.
pub(crate) fn maker(transport: &Transport) -> Option<Arc<dyn HostMaker>> {
    match &transport.kind {
        TransportKind::Ndp { config, .. } => Some(Arc::new(ndp::Maker(Arc::new(config.clone())))),
        TransportKind::Tcp { .. } | TransportKind::Udp { .. } => None,
    }
}
