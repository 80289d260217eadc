//! The edge node where there are several wavelengths and no macroflows: it puts each packet on one. If core nodes
//! cannot convert, all packets of a flow take the same, the flows in turn; otherwise a packet takes the one that is
//! free first.

use super::plan::{Conversion, Switches};
use super::routes::WavelengthRoutes;
use crate::engine::node::agent::Agent;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::engine::packet::Packet;
use std::sync::Arc;

/// An edge node that spreads packets over wavelengths.
#[derive(Debug)]
pub struct PathSelection {
    wavelengths: u32,
    converts: bool,
    /// The ports, by the agent's names for them.
    ports: Vec<LocalPort>,
    /// Where packets enter, and where they go on on the first wavelength; in order.
    entries: Vec<(u32, u32)>,
    ways: Arc<WavelengthRoutes>,
}

impl PathSelection {
    /// The agent of a node with these ports.
    pub fn new(
        ops: &Switches,
        ports: Vec<LocalPort>,
        mut entries: Vec<(u32, u32)>,
        ways: Arc<WavelengthRoutes>,
    ) -> PathSelection {
        entries.sort_unstable();
        PathSelection {
            wavelengths: ops.wavelengths(),
            converts: ops.conversion != Conversion::None,
            ports,
            entries,
            ways,
        }
    }

    fn choose(&self, place: u32, packet: &Packet, context: &NodeContext) -> u32 {
        if !self.converts {
            return packet.flow % self.wavelengths;
        }
        let first = place / self.wavelengths * self.wavelengths;
        let free_at = |wavelength: u32| context.port(self.ports[(first + wavelength) as usize]).busy_until();
        (0..self.wavelengths).min_by_key(|wavelength| free_at(*wavelength)).unwrap_or(0)
    }
}

impl Agent for PathSelection {
    fn next_timeout(&self) -> u64 {
        u64::MAX
    }

    fn handle_timeout(&mut self, _: u64, _: &mut NodeContext) {}

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let hop = match self.entries.binary_search_by_key(&packet.hop, |entry| entry.0) {
            Ok(entry) => self.ways.on(self.entries[entry].1, self.choose(place, packet, context)),
            Err(_) => packet.hop,
        };
        context.send_past(now, &Packet { hop, ..*packet });
    }
}
