//! The text of a file of contacts: who is there, when which two are in contact at what distance, and which way a pair
//! takes from when on. A row says what it is in its first field:
//!
//! ```text
//! photocol-contacts,1
//! node,Manila,station,14.59,120.98     named by their number from 0 on in what follows
//! node,satellite 17,satellite,,
//! contact,0,1,START,STEP,DELAY DELAY … picoseconds: a delay at the start and at each step; it lasts a step longer
//! route,TIME,0,2,0 1 2                 from 0 to 2 from then on; nothing behind the last comma: no route
//! way,5 1 2                            what packets of that route take that are at node 5
//! ```

use super::super::MAX_ELEMENTS;
use crate::language::quoted;
use crate::model::Position;
use options::{Words, words};
use std::collections::{BTreeMap, BTreeSet};
use units::{Duration, Field, Rows, Separator};

/// The first row.
const HEAD: [&str; 2] = ["photocol-contacts", "1"];
/// In picoseconds, as of any link.
const MOST_DELAY: u64 = Duration::from_secs(3600).ps();
/// Times of a file, in picoseconds: far from where they overflow.
const MOST_TIME: u64 = u64::MAX / 4;

words! {
    /// What a node of a file of contacts is.
    pub enum NodeKind {
        /// A satellite.
        Satellite = "satellite",
        /// A ground station.
        Terminal = "station",
    }
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct PlanNode {
    pub name: String,
    pub kind: NodeKind,
    pub position: Option<Position>,
    pub line: u32,
}

/// Two nodes in contact: the delay at `start` and at each step, in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub start: u64,
    pub step: u64,
    pub delays: Vec<u64>,
}

/// What a pair has from a time on.
#[derive(Clone, Debug)]
pub(super) struct PlanRoute {
    pub from: u64,
    /// Empty while it is cut off.
    pub way: Vec<u32>,
    pub others: Vec<Vec<u32>>,
    pub line: u32,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub nodes: Vec<PlanNode>,
    /// By the two nodes, the lower number first.
    pub contacts: BTreeMap<(u32, u32), Vec<Contact>>,
    /// By source and destination.
    pub routes: BTreeMap<(u32, u32), Vec<PlanRoute>>,
    /// When the last contact is over, in picoseconds.
    pub end: u64,
    /// In the order of the file.
    pub pairs: Vec<(u32, u32)>,
}

/// Where something is wrong, and what.
#[derive(Debug)]
pub(super) struct Wrong {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl Wrong {
    fn at(field: &Field, message: impl Into<String>) -> Wrong {
        Wrong { line: field.line, column: field.column, message: message.into() }
    }
}

impl Contact {
    /// From then on it is over.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.step.saturating_mul(self.delays.len() as u64))
    }
}

impl Plan {
    /// Reads a text.
    pub fn read(text: &str) -> Result<Plan, Wrong> {
        let (mut rows, mut fields, mut plan) = (Rows::new(text, Separator::Comma), Vec::new(), Plan::default());
        let mut next = |fields: &mut Vec<_>| {
            rows.read(fields).map_err(|why| Wrong { line: why.line, column: why.column, message: why.reason })
        };
        if !next(&mut fields)? || fields.iter().map(|field| &*field.text).ne(HEAD) {
            let message = format!("allowed: \"{}\" as the first line", HEAD.join(","));
            return Err(Wrong { line: 1, column: 1, message });
        }
        let mut last = None;
        while next(&mut fields)? {
            match &*fields[0].text {
                "node" => plan.node(sized(&fields, 5)?)?,
                "contact" => plan.contact(sized(&fields, 6)?)?,
                "route" => last = Some(plan.route(sized(&fields, 5)?)?),
                "way" => plan.way(sized(&fields, 2)?, last)?,
                other => {
                    let message = format!("found {}; allowed: node, contact, route, way", quoted(other));
                    return Err(Wrong::at(&fields[0], message));
                }
            }
        }
        Ok(plan)
    }

    fn node(&mut self, fields: &[Field]) -> Result<(), Wrong> {
        let [_, name, kind, latitude, longitude] = fields else { return Ok(()) };
        let all = || NodeKind::LIST.words.iter().map(|word| word.word).collect::<Vec<_>>().join(", ");
        let wrong = || Wrong::at(kind, format!("found {}; allowed: {}", quoted(&kind.text), all()));
        let kind = NodeKind::from_word(&kind.text).ok_or_else(wrong)?;
        if name.text.is_empty() || name.text.contains("->") || name.text.len() > 200 {
            let message = format!("found {}; allowed: a name of 1 to 200 bytes without \"->\"", quoted(&name.text));
            return Err(Wrong::at(name, message));
        }
        if self.nodes.len() as u64 >= MAX_ELEMENTS {
            return Err(Wrong::at(name, format!("too many nodes; allowed: {MAX_ELEMENTS}")));
        }
        let position = match (degrees(latitude, 90.0)?, degrees(longitude, 360.0)?) {
            (Some(latitude), Some(longitude)) => Some(Position { latitude, longitude }),
            _ => None,
        };
        self.nodes.push(PlanNode { name: name.text.clone().into_owned(), kind, position, line: name.line });
        Ok(())
    }

    fn contact(&mut self, fields: &[Field]) -> Result<(), Wrong> {
        let [_, one, other, start, step, delays] = fields else { return Ok(()) };
        let (a, b) = (self.number(one)?, self.number(other)?);
        if a == b {
            return Err(Wrong::at(other, format!("found {a} again; allowed: another node")));
        }
        let (at, start) = (start, whole(start, 0, MOST_TIME)?);
        let step = whole(step, 1, MOST_TIME)?;
        let delay = |text| whole(&Field { text: std::borrow::Cow::Borrowed(text), ..delays.clone() }, 1, MOST_DELAY);
        let found = delays.text.split_ascii_whitespace().map(delay).collect::<Result<Vec<u64>, Wrong>>()?;
        if found.is_empty() {
            return Err(Wrong::at(delays, "there is no delay; allowed: one or more, in picoseconds"));
        }
        let known = self.contacts.entry((a.min(b), a.max(b))).or_default();
        if let Some(before) = known.last().map(Contact::end).filter(|before| *before > start) {
            let message = format!("found {start}; allowed: from {before} on, when the contact before has ended");
            return Err(Wrong::at(at, message));
        }
        known.push(Contact { start, step, delays: found });
        self.end = self.end.max(known.last().map_or(0, Contact::end));
        match self.contacts.len() as u64 {
            links if 2 * links > MAX_ELEMENTS => Err(Wrong::at(one, format!("too many; allowed: {MAX_ELEMENTS}"))),
            _ => Ok(()),
        }
    }

    fn route(&mut self, fields: &[Field]) -> Result<(u32, u32), Wrong> {
        let [_, time, source, target, nodes] = fields else { return Ok((0, 0)) };
        let pair = (self.number(source)?, self.number(target)?);
        if pair.0 == pair.1 {
            return Err(Wrong::at(target, format!("found {} again; allowed: another node", pair.0)));
        }
        let way = self.nodes_of(nodes)?;
        if !way.is_empty() && (way.first(), way.last()) != (Some(&pair.0), Some(&pair.1)) {
            let message = format!("allowed: nodes from {} to {}, or none", pair.0, pair.1);
            return Err(Wrong::at(nodes, message));
        }
        let from = whole(time, 0, MOST_TIME)?;
        let known = self.routes.entry(pair).or_default();
        match known.last().map(|route| route.from) {
            None if from > 0 => return Err(Wrong::at(time, "allowed: 0 for the first route of a pair")),
            Some(before) if before >= from => {
                return Err(Wrong::at(time, format!("found {from}; allowed: more than {before}, the route before")));
            }
            _ => {}
        }
        if known.is_empty() {
            self.pairs.push(pair);
        }
        known.push(PlanRoute { from, way, others: Vec::new(), line: time.line });
        Ok(pair)
    }

    fn way(&mut self, fields: &[Field], last: Option<(u32, u32)>) -> Result<(), Wrong> {
        let [kind, nodes] = fields else { return Ok(()) };
        let way = self.nodes_of(nodes)?;
        let route = last.and_then(|pair| Some((pair.1, self.routes.get_mut(&pair)?.last_mut()?)));
        let Some((target, route)) = route else { return Err(Wrong::at(kind, "allowed: behind a route")) };
        if way.len() < 2 || way.last() != Some(&target) {
            return Err(Wrong::at(nodes, format!("allowed: two nodes or more, the last of them {target}")));
        }
        route.others.push(way);
        Ok(())
    }

    /// Nodes of which none comes twice.
    fn nodes_of(&self, field: &Field) -> Result<Vec<u32>, Wrong> {
        let number = |text| self.number(&Field { text: std::borrow::Cow::Borrowed(text), ..field.clone() });
        let nodes = field.text.split_ascii_whitespace().map(number).collect::<Result<Vec<u32>, Wrong>>()?;
        match nodes.iter().collect::<BTreeSet<_>>().len() == nodes.len() {
            true => Ok(nodes),
            false => Err(Wrong::at(field, "a node comes twice; allowed: once")),
        }
    }

    fn number(&self, field: &Field) -> Result<u32, Wrong> {
        match self.nodes.len() as u64 {
            0 => Err(Wrong::at(field, "there are no nodes; allowed: rows of nodes before all others")),
            nodes => Ok(whole(field, 0, nodes - 1)? as u32),
        }
    }
}

fn sized<'f, 't>(fields: &'f [Field<'t>], count: usize) -> Result<&'f [Field<'t>], Wrong> {
    let message = || format!("found {} fields; allowed: {count} of \"{}\"", fields.len(), fields[0].text);
    if fields.len() == count { Ok(fields) } else { Err(Wrong::at(&fields[0], message())) }
}

fn whole(field: &Field, least: u64, most: u64) -> Result<u64, Wrong> {
    let number = field.text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        Wrong::at(field, format!("found {}; allowed: a whole number from {least} to {most}", quoted(&field.text)))
    })
}

fn degrees(field: &Field, most: f64) -> Result<Option<f64>, Wrong> {
    if field.text.is_empty() {
        return Ok(None);
    }
    let number = field.text.parse().ok().filter(|number: &f64| number.abs() <= most);
    number.map(Some).ok_or_else(|| {
        let message = format!("found {}; allowed: degrees from -{most} to {most}", quoted(&field.text));
        Wrong::at(field, message)
    })
}
