//! A network from a file. What reads the file is not here; here gaps are filled.

use super::geography::{ImportError, Imported, ImportedLink, great_circle};
use super::{Draft, Given, MAX_ELEMENTS, Property, network_keys};
use crate::language::{At, Fault, Key, Place, Speed, Time, Word};
use crate::model::{NodeId, Role};
use options::words;
use units::Duration;

network_keys! {
    /// A network from a file in one of the forms that `photocol convert` reads (docs/guide/other-peoples-files.md).
    /// Nodes are core nodes unless the file says otherwise. A link's delay is that of the file, of its length there, or
    /// of the great circle between its ends, in this order.
    pub struct Config {
        /// The file, relative to this scenario.
        pub path: At<String>;
        /// "graphml", "gml", "sndlib-xml", "sndlib-native", "repetita", "hpcc-network" or "edges". Default: as the
        /// file's name ends, or as it begins.
        pub format: Option<At<String>>;
        /// What the number 1 means as a capacity, such as "1 Mbps". Default: as the format has it.
        pub capacity_unit: Option<At<Speed>>;
        /// Delay of links whose length is not known (or zero). Default: an error.
        pub missing_delay: Option<At<Time>>;
        /// Links between nodes that are linked already.
        pub duplicate_links: Key<Word<Duplicates>> = Word(Duplicates::First);
        /// Adds an edge node "e:NAME" to each node, behind a link of this delay. Default: no edge nodes.
        pub edge_delay: Option<At<Time>>;
    }
}

words! {
    /// What to do with links between nodes that are linked already.
    pub enum Duplicates {
        /// The first counts; the later ones are left out, with a warning.
        First = "first",
        /// All count, as parallel links.
        Keep = "keep",
        /// Refuse the file.
        Error = "error",
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let imported = std::mem::take(&mut draft.imported);
        let (nodes, links) = (imported.nodes.len() as u64, imported.links.len() as u64);
        if nodes == 0 || 2 * nodes > MAX_ELEMENTS || 2 * links + 2 * nodes > MAX_ELEMENTS {
            let found = format!("the file has {nodes} nodes and {links} links; allowed: 1 to {MAX_ELEMENTS} in all");
            return Err(self.path.fault(found));
        }
        let path = &*self.path;
        draft.warnings.extend(imported.warnings.iter().map(|warning| format!("{path}: {warning}")));
        self.place_nodes(&imported, draft)?;
        self.place_links(&imported, draft).map_err(|why| why.fault(&self.path))?;
        self.place_edge_nodes(imported.nodes.len(), draft)
    }

    fn place_nodes(&self, imported: &Imported, draft: &mut Draft) -> Result<(), Fault> {
        for node in &imported.nodes {
            let taken = || self.path.fault(format!("the file has two nodes {:?}", node.name));
            let id = draft.node(node.name.clone(), node.role.unwrap_or(Role::Core)).ok_or_else(taken)?;
            draft.nodes[id.index()].position = node.position;
        }
        Ok(())
    }

    fn place_links(&self, imported: &Imported, draft: &mut Draft) -> Result<(), ImportError> {
        let (mut loops, mut duplicates) = (0, 0);
        for fibre in &imported.links {
            let end = |name: &str| draft.find(name).ok_or_else(|| wrong(fibre, format!("there is no node {name:?}")));
            let (from, to) = (end(&fibre.from)?, end(&fibre.to)?);
            let twice = !draft.between(from, to).is_empty();
            if from == to {
                loops += 1;
            } else if twice && self.duplicate_links.0 == Duplicates::Error {
                let names = [from, to].map(|node| draft.nodes[node.index()].name.clone()).join(" and ");
                return Err(wrong(fibre, format!("{names} are linked already")));
            } else if twice && self.duplicate_links.0 != Duplicates::Keep {
                duplicates += 1;
            } else {
                let given = Given {
                    capacity: fibre.capacity.and_then(Property::built_in),
                    delay: Property::built_in(self.delay(fibre, [from, to], draft)?),
                    cost: fibre.cost,
                    ..Given::default()
                };
                draft.simplex(from, to, given.clone());
                if fibre.two_way {
                    draft.simplex(to, from, given);
                }
            }
        }
        let path = &*self.path;
        if loops > 0 {
            draft.warnings.push(format!("{path}: {loops} links from a node to itself are left out"));
        }
        if duplicates > 0 {
            draft
                .warnings
                .push(format!("{path}: {duplicates} links between nodes that are linked already are left out"));
        }
        Ok(())
    }

    fn delay(&self, fibre: &ImportedLink, ends: [NodeId; 2], draft: &Draft) -> Result<Duration, ImportError> {
        let ends = ends.map(|end| &draft.nodes[end.index()]);
        let circle = || Some(great_circle(ends[0].position?, ends[1].position?));
        let by_length = || fibre.metres.or_else(circle).map(|metres| draft.fibre(metres));
        let delay = fibre.delay.or_else(by_length).filter(|delay| *delay > Duration::ZERO);
        delay.or(self.missing_delay.map(|delay| delay.0)).ok_or_else(|| {
            let [a, b] = ends.map(|node| &node.name);
            let message = format!(
                "the link between {a:?} and {b:?} has no delay, no length, and its ends have no coordinates that \
                    differ; \
                 allowed: one of these in the file, or topology.missing_delay = \"1 ms\""
            );
            wrong(fibre, message)
        })
    }

    fn place_edge_nodes(&self, cores: usize, draft: &mut Draft) -> Result<(), Fault> {
        let Some(delay) = self.edge_delay else { return Ok(()) };
        for core in 0..cores {
            let name = format!("e:{}", draft.nodes[core].name);
            let taken = || delay.fault(format!("the file has a node {name:?} already"));
            let edge = draft.node(name.clone(), Role::Edge).ok_or_else(taken)?;
            let delay = Some(Property::given(delay, |delay| delay.0));
            draft.duplex(NodeId(core as u32), edge, Given { delay, ..Given::default() });
        }
        Ok(())
    }
}

fn wrong(fibre: &ImportedLink, message: String) -> ImportError {
    ImportError { line: Some(fibre.line), message }
}

impl ImportError {
    /// As a fault of the key that names the file.
    pub(crate) fn fault(self, file: &At<String>) -> Fault {
        match self.line {
            Some(line) => {
                let place = Place::Data { node: file.node(), file: file.to_string(), line, column: 1 };
                Fault::new(place, self.message)
            }
            None => file.fault(format!("found {:?}: {}", **file, self.message)),
        }
    }
}
