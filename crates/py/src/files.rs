//! Files in other people's forms, which `photocol.conversions` reads.

use options::Words;
use pyo3::prelude::*;
use sim::model::{Done, Position, Role, SimTime};
use sim::scenario::{
    Files, ImportError, Imported, ImportedFlow, ImportedFlows, ImportedLink, ImportedNode, ImportedSizes, Orbits,
};
use sim::work::GraphText;
use units::{Bytes, Duration, Rate};

/// The readers in Python.
pub struct Conversions<'py>(pub Python<'py>);

/// `found.Found`.
#[derive(FromPyObject)]
struct Found {
    nodes: Vec<Node>,
    links: Vec<Link>,
    flows: Vec<Flow>,
    warnings: Vec<String>,
}

#[derive(FromPyObject)]
struct Node {
    name: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    role: Option<String>,
}

#[derive(FromPyObject)]
struct Link {
    source: String,
    target: String,
    bps: Option<u64>,
    delay_ps: Option<u64>,
    metres: Option<u64>,
    cost: Option<u64>,
    two_way: bool,
    line: u32,
}

#[derive(FromPyObject)]
struct Flow {
    start_ps: u64,
    source: String,
    target: String,
    size: Option<u64>,
    line: u32,
}

impl Conversions<'_> {
    /// What the function of this name reads in a file.
    fn ask<A>(&self, what: &str, arguments: A) -> PyResult<Bound<'_, PyAny>>
    where
        A: for<'a> pyo3::call::PyCallArgs<'a>,
    {
        self.0.import("photocol.conversions.parts")?.getattr(what)?.call1(arguments)
    }

    /// What is wrong, and the line if the reader knows it.
    fn wrong(&self, error: &PyErr) -> ImportError {
        let value = error.value(self.0);
        let attribute = |name: &str| value.getattr(name).ok();
        let line = attribute("line").and_then(|line| line.extract().ok());
        let reason = attribute("reason").and_then(|reason| reason.extract().ok());
        ImportError { line, message: reason.unwrap_or_else(|| value.to_string()) }
    }
}

impl Files for Conversions<'_> {
    fn network(&self, file: &str, format: Option<&str>, unit: Option<Rate>) -> Result<Imported, ImportError> {
        let found = self.ask("network", (file, format, unit.map(|unit| unit.to_string())));
        let found: Found = found.and_then(|found| found.extract()).map_err(|error| self.wrong(&error))?;
        Ok(Imported {
            nodes: found.nodes.into_iter().map(ImportedNode::from).collect(),
            links: found.links.into_iter().map(ImportedLink::from).collect(),
            warnings: found.warnings,
        })
    }

    fn flows(&self, file: &str) -> Result<ImportedFlows, ImportError> {
        let found: PyResult<Found> = self.ask("flows", (file,)).and_then(|found| found.extract());
        let found = found.map_err(|error| self.wrong(&error))?;
        let flows = found.flows.into_iter().map(ImportedFlow::from).collect();
        Ok(ImportedFlows { flows, warnings: found.warnings })
    }

    fn graph(&self, file: &str) -> Result<(GraphText, Vec<String>), ImportError> {
        let read = || -> PyResult<(GraphText, Vec<String>)> {
            let found = self.ask("graph", (file,))?;
            let word: Option<String> = found.getattr("done")?.extract()?;
            let graph = GraphText {
                text: found.getattr("text")?.extract()?,
                done: word.and_then(|word| Done::from_word(&word)),
                last_first: found.getattr("last_first")?.extract()?,
            };
            Ok((graph, found.getattr("warnings")?.extract()?))
        };
        read().map_err(|error| self.wrong(&error))
    }

    fn contacts(&self, orbits: &Orbits) -> Result<String, ImportError> {
        let arguments = (&orbits.keys, orbits.pairs.clone(), orbits.duration.ps(), &orbits.folder);
        let ask = || self.0.import("photocol.orbits.kept")?.getattr("contacts")?.call1(arguments)?.extract();
        ask().map_err(|error| self.wrong(&error))
    }

    fn sizes(&self, file: &str, unit: Option<Bytes>) -> Result<ImportedSizes, ImportError> {
        let read = || -> PyResult<ImportedSizes> {
            let found = self.ask("sizes", (file, unit.map(Bytes::count)))?;
            let points = found.getattr("sizes")?.extract()?;
            Ok(ImportedSizes { points, warnings: found.getattr("warnings")?.extract()? })
        };
        read().map_err(|error| self.wrong(&error))
    }
}

impl From<Node> for ImportedNode {
    fn from(node: Node) -> ImportedNode {
        let position = node.latitude.zip(node.longitude).map(|(latitude, longitude)| Position { latitude, longitude });
        ImportedNode { name: node.name, position, role: node.role.and_then(|role| Role::from_word(&role)) }
    }
}

impl From<Link> for ImportedLink {
    fn from(link: Link) -> ImportedLink {
        ImportedLink {
            from: link.source,
            to: link.target,
            capacity: link.bps.map(Rate::from_bps),
            delay: link.delay_ps.map(Duration::from_ps),
            metres: link.metres,
            cost: link.cost,
            two_way: link.two_way,
            line: link.line,
        }
    }
}

impl From<Flow> for ImportedFlow {
    fn from(flow: Flow) -> ImportedFlow {
        ImportedFlow {
            start: SimTime::ZERO + Duration::from_ps(flow.start_ps),
            source: flow.source,
            destination: flow.target,
            size: flow.size.map(Bytes),
            line: flow.line,
        }
    }
}
