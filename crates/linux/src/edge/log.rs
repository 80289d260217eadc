//! What an edge node says of itself at its start, and its part of the log.

use super::Edge;
use crate::config::{NodeFile, StarConfig};
use crate::sys::time;
use control::log::What;
use control::wire::NodeId;

/// What a node says when it starts: its version, and the sizes of what it sends (paper 003, §3.4.4).
pub(super) fn introduction(content: &NodeFile) -> String {
    let (node, stars, StarConfig { slot_bytes, datagram_bytes, queue_slots, .. }) =
        (content.node, content.star.len(), &content.star[0]);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "node {node}: photocol-node {version}; {stars} star(s), slots of {slot_bytes} B, datagrams of {datagram_bytes} \
            B at most, queues of {queue_slots} slots"
    )
}

impl Edge {
    /// An entry of the log, if there is one.
    pub(super) fn log(&mut self, star: usize, what: What) {
        if let Some((log, _)) = &mut self.log {
            log.note(time::now(), star, NodeId(self.node), what);
        }
    }

    pub(super) fn note_start(&mut self) {
        (0..self.sides.len()).for_each(|star| self.log(star, What::Up));
        let offers: Vec<_> = self.files.offers().map(|(to, name)| (NodeId(to), name.to_owned())).collect();
        for (to, file) in offers {
            self.log(0, What::Offered { to, file });
        }
    }

    /// What is new with a machine.
    pub(super) fn watch(&mut self, side: usize) {
        let Some((log, watches)) = &mut self.log else { return };
        let at = (time::now().max(0) as u64) * 1000;
        let news = watches[side].look(at, &self.sides[side].machine, self.stars.timeout(side));
        news.iter().for_each(|entry| log.add(entry));
    }
}
