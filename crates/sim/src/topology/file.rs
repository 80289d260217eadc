//! A network from a file.

use super::geography::{Capacity, ImportError, Imported, ImportedLink, great_circle};
use super::{Draft, Given, MAX_ELEMENTS, Property, gml, network_keys, sndlib};
use crate::language::{At, Fault, Key, Place, Speed, Time, Word, error, read_text};
use crate::model::{NodeId, Role};
use options::words;
use std::path::Path;
use units::{Duration, Rate};

/// The largest file.
const MAX_BYTES: u64 = 256 << 20;

network_keys! {
    /// A network from a file. Nodes are core nodes. A link's delay is that of the file, of its length there, or of the
    /// great circle between its ends, in this order.
    pub struct Config {
        /// The file, relative to this scenario.
        pub path: At<String>;
        /// Default: as the file's name ends, .gml or .xml.
        pub format: Option<At<Word<Format>>>;
        /// What the number 1 means as a capacity. Default: "1 bps" in GML (LinkSpeedRaw), "1 Mbps" in SNDlib.
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
    /// A file format.
    pub enum Format {
        /// GML.
        Gml = "gml",
        /// SNDlib XML.
        Xml = "xml",
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
        let format = self.format()?;
        let text = read_text(Path::new(&*self.path), MAX_BYTES)
            .map_err(|why| self.path.fault(format!("found {:?}: {why}", *self.path)))?;
        let imported = match format {
            Format::Gml => gml::parse(&text),
            Format::Xml => sndlib::parse(&text),
        };
        let imported = imported.map_err(|why| self.fault(&text, why))?;
        let (nodes, links) = (imported.nodes.len() as u64, imported.links.len() as u64);
        if nodes == 0 || 2 * nodes > MAX_ELEMENTS || 2 * links + 2 * nodes > MAX_ELEMENTS {
            let found = format!("the file has {nodes} nodes and {links} links; allowed: 1 to {MAX_ELEMENTS} in all");
            return Err(self.path.fault(found));
        }
        let unit = self.capacity_unit.map_or(if format == Format::Gml { 1.0 } else { 1e6 }, |unit| unit.0.bps() as f64);
        self.place_nodes(&imported, draft)?;
        self.place_links(&imported, unit, draft).map_err(|why| self.fault(&text, why))?;
        self.place_edge_nodes(imported.nodes.len(), draft)
    }

    fn format(&self) -> Result<Format, Fault> {
        match (self.format, Path::new(&*self.path).extension().and_then(|ending| ending.to_str())) {
            (Some(format), _) => Ok(format.0),
            (None, Some("gml")) => Ok(Format::Gml),
            (None, Some("xml")) => Ok(Format::Xml),
            _ => Err(self.path.fault(format!(
                "found {:?}, whose ending names no format; allowed: .gml, .xml, or the key \"format\"",
                *self.path
            ))),
        }
    }

    fn fault(&self, text: &str, why: ImportError) -> Fault {
        let (line, column) = error::position(text, why.offset);
        let (node, file) = (self.path.node(), self.path.to_string());
        Fault::new(Place::Data { node, file, line, column }, why.message)
    }

    fn place_nodes(&self, imported: &Imported, draft: &mut Draft) -> Result<(), Fault> {
        for node in &imported.nodes {
            let taken = || self.path.fault(format!("the file has two nodes {:?}", node.name));
            let id = draft.node(node.name.clone(), Role::Core).ok_or_else(taken)?;
            draft.nodes[id.index()].position = node.position;
        }
        Ok(())
    }

    fn place_links(&self, imported: &Imported, unit: f64, draft: &mut Draft) -> Result<(), ImportError> {
        let (mut loops, mut duplicates) = (0, 0);
        for fibre in &imported.links {
            let (from, to) = (NodeId(fibre.from as u32), NodeId(fibre.to as u32));
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
                    capacity: self.capacity(fibre, unit)?.and_then(Property::built_in),
                    delay: Property::built_in(self.delay(fibre, imported, draft)?),
                    ..Given::default()
                };
                draft.simplex(from, to, given.clone());
                if !imported.directed {
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

    fn capacity(&self, fibre: &ImportedLink, unit: f64) -> Result<Option<Rate>, ImportError> {
        match fibre.capacity {
            None => Ok(None),
            Some(Capacity::Rate(rate)) => Ok(Some(rate)),
            Some(Capacity::Number(number)) => {
                let bps = libm::round(number * unit);
                let sound = (8.0..1e18).contains(&bps);
                let message =
                    || format!("found the capacity {number}, that is {bps:e} bit/s; allowed: 8 bit/s to 1e18 bit/s");
                if sound { Ok(Some(Rate::from_bps(bps as u64))) } else { Err(wrong(fibre, message())) }
            }
        }
    }

    fn delay(&self, fibre: &ImportedLink, imported: &Imported, draft: &Draft) -> Result<Duration, ImportError> {
        let ends = [fibre.from, fibre.to].map(|end| &imported.nodes[end]);
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
    ImportError { offset: fibre.offset, message }
}
