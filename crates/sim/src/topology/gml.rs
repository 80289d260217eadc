//! Networks in GML (Himsolt 1996), as the Internet Topology Zoo has them.
//!
//! Read: `graph [ directed, node [ id, label, Latitude, Longitude ], edge [ source, target, … ] ]`, in any case. Of an
//! edge: `capacity`, `bandwidth` or `LinkSpeedRaw` (a number of bit/s, or a text with a unit), `delay` (a text with a
//! unit), `length`, `distance` or `dist` (a number of km, or a text with a unit). Everything else is passed over.

use super::geography::{Capacity, ImportError, Imported, ImportedLink, ImportedNode, position};
use crate::language::quoted;
use std::collections::{BTreeMap, BTreeSet};

/// Lists within lists at most.
const MAX_DEPTH: u32 = 32;

/// Reads a network.
pub fn parse(text: &str) -> Result<Imported, ImportError> {
    let mut lexer = Lexer { text, at: 0 };
    let file = lexer.list(None, 0)?;
    let graphs: Vec<&Pair<'_>> = file.iter().filter(|pair| pair.is("graph")).collect();
    match graphs[..] {
        [graph] => read_graph(graph.list()?),
        [] => Err(lexer.here().error("there is no \"graph [ … ]\" in the file")),
        [_, second, ..] => Err(second.spot.error("found a second graph; allowed: one")),
    }
}

fn read_graph(graph: &[Pair<'_>]) -> Result<Imported, ImportError> {
    let mut imported = Imported {
        directed: graph.iter().any(|pair| pair.is("directed") && matches!(pair.value, Value::Number(1.0))),
        ..Imported::default()
    };
    let mut index = BTreeMap::new();
    let mut labels = BTreeSet::new();
    for node in graph.iter().filter(|pair| pair.is("node")) {
        let (id, place) = read_node(node)?;
        if index.insert(id, imported.nodes.len()).is_some() {
            return Err(node.spot.error(format!("found a second node with the id {id}")));
        }
        let name = if labels.contains(&place.name) { format!("{} ({id})", place.name) } else { place.name };
        labels.insert(name.clone());
        imported.nodes.push(ImportedNode { name, ..place });
    }
    for edge in graph.iter().filter(|pair| pair.is("edge")) {
        imported.links.push(read_edge(edge, &index)?);
    }
    Ok(imported)
}

fn read_node(node: &Pair<'_>) -> Result<(i64, ImportedNode), ImportError> {
    let id = node.integer("id")?;
    let label = node.find(&["label"])?.map(|pair| match &pair.value {
        // GML names the characters of ISO 8859-1 as HTML does; networkx writes numbers.
        Value::Text(text) => html_escape::decode_html_entities(text).into_owned(),
        Value::Number(number) => number.to_string(),
        Value::List(_) => String::new(),
    });
    let name = label.filter(|label| !label.is_empty()).unwrap_or_else(|| id.to_string());
    let latitude = node.number(&["latitude", "lat"])?;
    let longitude = node.number(&["longitude", "lon", "lng", "long"])?;
    Ok((id, ImportedNode { name, position: position(latitude, longitude) }))
}

fn read_edge(edge: &Pair<'_>, index: &BTreeMap<i64, usize>) -> Result<ImportedLink, ImportError> {
    let end = |key: &str| {
        let id = edge.integer(key)?;
        index
            .get(&id)
            .copied()
            .ok_or_else(|| edge.spot.error(format!("the {key} of this edge is {id}, which no node is")))
    };
    let capacity = match edge.find(&["linkspeedraw", "capacity", "bandwidth"])? {
        None => None,
        Some(pair) => Some(match &pair.value {
            Value::Number(bps) if bps.is_finite() => Capacity::Number(*bps),
            Value::Number(_) => return Err(pair.wrong("a rate is a finite number of bit/s")),
            Value::Text(text) => Capacity::Rate(units::parse_rate(text).map_err(|why| pair.wrong(format!("{why}")))?),
            Value::List(_) => return Err(pair.wrong("a rate is a number of bit/s or a text with a unit")),
        }),
    };
    let delay = match edge.find(&["delay"])? {
        None => None,
        Some(Pair { value: Value::Text(text), spot, .. }) => {
            Some(units::parse_duration(text).map_err(|why| spot.error(format!("delay: found {text:?}: {why}")))?)
        }
        Some(pair) => return Err(pair.wrong("a delay is a text with a unit, such as \"5 ms\"")),
    };
    let metres = match edge.find(&["length", "distance", "dist"])? {
        None => None,
        Some(pair) => Some(match &pair.value {
            Value::Number(km) if (0.0..=1e6).contains(km) => libm::round(km * 1000.0) as u64,
            Value::Text(text) => units::parse_length(text).map_err(|why| pair.wrong(format!("{why}")))?.metres,
            _ => return Err(pair.wrong("a length is a number of km (at most 1e6) or a text with a unit")),
        }),
    };
    Ok(ImportedLink { from: end("source")?, to: end("target")?, capacity, delay, metres, offset: edge.spot.0 })
}

/// A key with its value.
#[derive(Debug)]
struct Pair<'t> {
    key: &'t str,
    value: Value<'t>,
    spot: Spot,
}

#[derive(Debug)]
enum Value<'t> {
    Number(f64),
    Text(&'t str),
    List(Vec<Pair<'t>>),
}

/// A byte of the file.
#[derive(Clone, Copy, Debug)]
struct Spot(usize);

impl Spot {
    fn error(self, message: impl Into<String>) -> ImportError {
        ImportError { offset: self.0, message: message.into() }
    }
}

impl Pair<'_> {
    fn is(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }

    fn wrong(&self, allowed: impl std::fmt::Display) -> ImportError {
        let found = match &self.value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => quoted(text),
            Value::List(_) => "a list".to_owned(),
        };
        self.spot.error(format!("{}: found {found}: {allowed}", self.key))
    }

    fn list(&self) -> Result<&[Pair<'_>], ImportError> {
        match &self.value {
            Value::List(pairs) => Ok(pairs),
            _ => Err(self.wrong("allowed: a list in brackets")),
        }
    }

    /// The first pair under one of the keys, in the order of the keys.
    fn find(&self, keys: &[&str]) -> Result<Option<&Pair<'_>>, ImportError> {
        let pairs = self.list()?;
        Ok(keys.iter().find_map(|key| pairs.iter().find(|pair| pair.is(key))))
    }

    fn number(&self, keys: &[&str]) -> Result<Option<f64>, ImportError> {
        match self.find(keys)? {
            None => Ok(None),
            Some(Pair { value: Value::Number(number), .. }) if number.is_finite() => Ok(Some(*number)),
            Some(pair) => Err(pair.wrong("allowed: a finite number")),
        }
    }

    fn integer(&self, key: &str) -> Result<i64, ImportError> {
        match self.number(&[key])? {
            Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => Ok(number as i64),
            Some(number) => Err(self.spot.error(format!("{key}: found {number}; allowed: a whole number"))),
            None => Err(self.spot.error(format!("the key \"{key}\" is missing in this {}", self.key))),
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn here(&self) -> Spot {
        Spot(self.at)
    }

    /// The pairs up to the closing bracket, or to the end of the file for the outermost list.
    fn list(&mut self, opened: Option<(&str, Spot)>, depth: u32) -> Result<Vec<Pair<'t>>, ImportError> {
        if depth > MAX_DEPTH {
            return Err(self.here().error("more than 32 lists within lists"));
        }
        let mut pairs = Vec::new();
        loop {
            self.skip_space();
            match (self.peek(), opened) {
                (None, None) => return Ok(pairs),
                (None, Some((key, spot))) => {
                    return Err(spot.error(format!("the file ends inside this {key}: it is cut off")));
                }
                (Some(b']'), Some(_)) => {
                    self.at += 1;
                    return Ok(pairs);
                }
                _ => pairs.push(self.pair(depth)?),
            }
        }
    }

    fn pair(&mut self, depth: u32) -> Result<Pair<'t>, ImportError> {
        let spot = self.here();
        let key = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if key.is_empty() || key.as_bytes()[0].is_ascii_digit() {
            return Err(spot.error(format!("found {}; allowed: a key", quoted(self.rest_of_line()))));
        }
        self.skip_space();
        let value = match self.peek() {
            Some(b'[') => {
                self.at += 1;
                Value::List(self.list(Some((key, spot)), depth + 1)?)
            }
            Some(b'"') => Value::Text(self.text_value(spot)?),
            _ => Value::Number(self.number_value(key)?),
        };
        Ok(Pair { key, value, spot })
    }

    fn text_value(&mut self, spot: Spot) -> Result<&'t str, ImportError> {
        let start = self.at + 1;
        let Some(length) = self.text[start..].find('"') else {
            return Err(spot.error("the file ends inside the quotes that open here: it is cut off"));
        };
        let text = &self.text[start..start + length];
        self.at = start + length + 1;
        Ok(text)
    }

    fn number_value(&mut self, key: &str) -> Result<f64, ImportError> {
        let spot = self.here();
        let word = self.take_while(|byte| !byte.is_ascii_whitespace() && byte != b'[' && byte != b']');
        match word.parse::<f64>() {
            Ok(number) => Ok(number), // NAN, +INF and -INF too, as networkx writes them.
            _ if word.eq_ignore_ascii_case("_nan") => Ok(f64::NAN),
            _ if word.is_empty() => {
                Err(spot.error(format!("{key} has no value: the file is cut off or a value is missing")))
            }
            _ => Err(spot.error(format!("{key}: found {}; allowed: a number, a text in quotes, or [", quoted(word)))),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        // Bytes beyond ASCII are wanted all or not at all by every caller, but only ASCII ends can be trusted to be
        // boundaries of characters.
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn rest_of_line(&self) -> &'t str {
        self.text[self.at..].lines().next().unwrap_or("")
    }

    /// Passes over space and over comments, which are lines that begin with `#`.
    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'#' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }
}
