//! Networks in SNDlib's XML (Orlowski et al. 2010).
//!
//! Read: nodes with their coordinates (x is the longitude, y the latitude, if the coordinates are geographical), links
//! with source, target and pre-installed capacity. Demands and cost modules are passed over.

use super::geography::{Capacity, ImportError, Imported, ImportedLink, ImportedNode, position};
use crate::language::quoted;
use crate::model::Position;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;

/// XML elements and texts at most.
const MAX_XML_NODES: u32 = 20_000_000;

/// Reads a network.
pub fn parse(text: &str) -> Result<Imported, ImportError> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_XML_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|why| ImportError { offset: offset(text, why.pos()), message: format!("not XML: {why}") })?;
    let structure = child(document.root_element(), "networkStructure")?;
    let nodes = child(structure, "nodes")?;
    // SNDlib: the other type is "pixel", where x and y are places on a drawing.
    let on_earth = nodes.attribute("coordinatesType") != Some("pixel");
    let mut imported = Imported::default();
    let mut index = BTreeMap::new();
    for node in elements(nodes, "node") {
        let name = node.attribute("id").ok_or_else(|| error(node, "the attribute \"id\" is missing"))?;
        if index.insert(name, imported.nodes.len()).is_some() {
            return Err(error(node, format!("found a second node {}", quoted(name))));
        }
        let place = if on_earth { place(node)? } else { None };
        imported.nodes.push(ImportedNode { name: name.to_owned(), position: place });
    }
    for link in elements(child(structure, "links")?, "link") {
        imported.links.push(read_link(link, &index)?);
    }
    Ok(imported)
}

fn error(node: Node<'_, '_>, message: impl Into<String>) -> ImportError {
    ImportError { offset: node.range().start, message: message.into() }
}

fn child<'d, 't>(node: Node<'d, 't>, name: &str) -> Result<Node<'d, 't>, ImportError> {
    elements(node, name).next().ok_or_else(|| {
        error(node, format!("there is no <{name}> in this <{}>: not an SNDlib network", node.tag_name().name()))
    })
}

fn number<'d, 't>(node: Node<'d, 't>) -> Result<f64, ImportError> {
    let text = node.text().unwrap_or("").trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(error(node, format!("{}: found {}; allowed: a number", node.tag_name().name(), quoted(text)))),
    }
}

fn place<'d, 't>(node: Node<'d, 't>) -> Result<Option<Position>, ImportError> {
    let Some(coordinates) = elements(node, "coordinates").next() else { return Ok(None) };
    let longitude = number(child(coordinates, "x")?)?;
    let latitude = number(child(coordinates, "y")?)?;
    Ok(position(Some(latitude), Some(longitude)))
}

fn read_link<'d, 't>(link: Node<'d, 't>, index: &BTreeMap<&str, usize>) -> Result<ImportedLink, ImportError> {
    let end = |name: &str| {
        let end = child(link, name)?;
        let text = end.text().unwrap_or("").trim();
        let unknown = || error(end, format!("{name}: there is no node {}", quoted(text)));
        index.get(text).copied().ok_or_else(unknown)
    };
    let module = elements(link, "preInstalledModule").next();
    let capacity = module.map(|module| number(child(module, "capacity")?)).transpose()?;
    Ok(ImportedLink {
        from: end("source")?,
        to: end("target")?,
        // A link to be dimensioned has the capacity 0.
        capacity: capacity.filter(|capacity| *capacity != 0.0).map(Capacity::Number),
        offset: link.range().start,
        ..ImportedLink::default()
    })
}

fn elements<'d, 't>(node: Node<'d, 't>, name: &str) -> impl Iterator<Item = Node<'d, 't>> {
    let name = name.to_owned();
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The byte at a line and column, both from 1, or the end of the text.
fn offset(text: &str, position: roxmltree::TextPos) -> usize {
    let start: usize = text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = text.get(start..).unwrap_or("");
    start + line.char_indices().nth(position.col.saturating_sub(1) as usize).map_or(line.len(), |(at, _)| at)
}
