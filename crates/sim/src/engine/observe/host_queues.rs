//! Whether flows wait for each other at their own host rather than in the network: the packets that wait at hosts' own
//! links in the last tenth of a run, beside those at all other links.

use crate::engine::execute::layout::Partitions;
use crate::model::{Flow, LinkId, Network, SimTime};

/// The ports in question, and what had waited at them as the last tenth began.
#[derive(Debug, Default)]
pub struct HostQueues {
    /// Several flows leave by it, the only link of their host, to a node that passes them on, and do not take turns.
    own: Vec<Watched>,
    others: Vec<Watched>,
    since: Option<SimTime>,
}

/// A link, its port, and packet-picoseconds.
#[derive(Debug)]
struct Watched {
    link: LinkId,
    port: u32,
    waited: u128,
}

impl HostQueues {
    /// Those of a network of ports alone; `numbers` are the engine's of each link.
    pub fn new(network: &Network, flows: &[Flow], numbers: &[u32]) -> HostQueues {
        // By node.
        let (mut begun, mut leaving) = (vec![0u32; network.nodes.len()], vec![0u32; network.nodes.len()]);
        flows.iter().for_each(|flow| begun[flow.source.index()] += 1);
        network.links.iter().for_each(|link| leaving[link.from.index()] += 1);
        let mut queues = HostQueues::default();
        for (id, (link, port)) in (0..).map(LinkId).zip(network.links.iter().zip(numbers)) {
            let watched = Watched { link: id, port: *port, waited: 0 };
            let (from, to) = (link.from.index(), link.to.index());
            if !(leaving[from] == 1 && begun[from] > 0 && leaving[to] > 1) {
                queues.others.push(watched);
            } else if begun[from] > 1 && !link.queue.serves_by_flow() {
                queues.own.push(watched);
            }
        }
        queues
    }

    /// Whether there is nothing to find out.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The last tenth begins.
    pub fn begin(&mut self, now: SimTime, parts: &mut Partitions) {
        for watched in self.own.iter_mut().chain(&mut self.others) {
            watched.waited = parts.whole_reading(now.ps(), watched.port).0.waited;
        }
        self.since = Some(now);
    }

    /// A sentence, if a host's queue held more packets on average than that of any other link, and one at least.
    pub fn remark(&self, now: SimTime, network: &Network, parts: &mut Partitions) -> Option<String> {
        let span = now.saturating_since(self.since?).ps();
        let mut most = |of: &[Watched]| {
            let mean = |watched: &Watched| {
                let waited = parts.whole_reading(now.ps(), watched.port).0.waited - watched.waited;
                (waited as f64 / span.max(1) as f64, watched.link)
            };
            of.iter().map(mean).reduce(|a, b| if b.0 > a.0 { b } else { a })
        };
        let ((at_host, own), (elsewhere, _)) = (most(&self.own)?, most(&self.others).unwrap_or((0.0, LinkId(0))));
        let link = &network.links[own.index()].name;
        (at_host > elsewhere.max(2.0)).then(|| {
            format!(
                "in the last tenth of the run {at_host:.0} packets waited at {link}, a host's own link, and at most \
                 {elsewhere:.0} at any other: flows of one host wait behind each other there; \
                 queue = {{ kind = \"drr\" }} at hosts serves them in turn, limit_output of TCP bounds each"
            )
        })
    }
}
