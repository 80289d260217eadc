//! Between whom the flows of a traffic run.

use crate::model::{NodeId, Pairs};
use crate::random::{Stream, uniform_index};

/// Pairs in the making: what is drawn once for a run, and the stream of what is drawn for each flow.
pub struct Drawn<'p> {
    pairs: &'p Pairs,
    stream: &'p mut Stream,
    /// The partner of each node of a permutation.
    partners: Vec<NodeId>,
}

impl<'p> Drawn<'p> {
    /// Draws what is drawn once.
    pub fn new(pairs: &'p Pairs, stream: &'p mut Stream) -> Drawn<'p> {
        let partners = if let Pairs::Permutation(nodes) = pairs { derangement(nodes, stream) } else { Vec::new() };
        Drawn { pairs, stream, partners }
    }

    /// The ends of flow `number`: given pairs and those of a permutation take turns, random ones are drawn.
    pub fn of(&mut self, number: u32) -> (NodeId, NodeId) {
        match self.pairs {
            Pairs::Given(list) => list[number as usize % list.len()],
            Pairs::UniformRandom(nodes) => {
                let source = uniform_index(self.stream, nodes.len() as u64) as usize;
                let other = uniform_index(self.stream, nodes.len() as u64 - 1) as usize;
                (nodes[source], nodes[if other < source { other } else { other + 1 }])
            }
            Pairs::Permutation(nodes) => {
                let place = number as usize % nodes.len();
                (nodes[place], self.partners[place])
            }
        }
    }
}

/// A permutation of at least two nodes without fixed points, uniform over all of them: shuffles are drawn until one has
/// none, e of them in the mean.
fn derangement(nodes: &[NodeId], stream: &mut Stream) -> Vec<NodeId> {
    let mut partners = nodes.to_vec();
    while partners.iter().zip(nodes).any(|(partner, node)| partner == node) {
        shuffle(&mut partners, stream);
    }
    partners
}

/// Fisher and Yates.
pub(super) fn shuffle(nodes: &mut [NodeId], stream: &mut Stream) {
    for last in (1..nodes.len()).rev() {
        nodes.swap(last, uniform_index(stream, last as u64 + 1) as usize);
    }
}
