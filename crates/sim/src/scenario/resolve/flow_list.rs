//! Exact lists of flows: `list = [ … ]` and CSV files.

use super::Context;
use super::traffic::pair;
use crate::language::{At, Fault, Place, choices, quoted, read_text};
use crate::model::{Listed, MAX_FLOWS, NodeId, SimTime};
use crate::scenario::{ImportedFlow, ImportedFlows, spec};
use std::borrow::Cow;
use std::path::Path;
use units::Bytes;

/// The largest file.
const MAX_BYTES: u64 = 256 << 20;
/// The largest whole number up to which a float has them all.
const EXACT: f64 = 9_007_199_254_740_992.0;
const COLUMNS: [&str; 4] = ["start_s", "source", "destination", "size_bytes"];

/// The flows of a list in the scenario itself.
pub(super) fn inline(list: &At<Vec<At<spec::Listed>>>, context: &Context) -> Result<Vec<Listed>, Fault> {
    let flow = |flow: &At<spec::Listed>| {
        let ends = ((flow.source.as_str(), flow.source.place()), (flow.destination.as_str(), flow.destination.place()));
        let (source, destination) = pair(ends.0, ends.1, context)?;
        let size = flow.size.map(|size| size.0);
        match size {
            Some(Bytes::ZERO) => Err(flow.fault("found the size \"0 B\"; allowed: at least 1 B")),
            _ => Ok(Listed { start: SimTime::ZERO + flow.start.0, source, destination, size }),
        }
    };
    list.iter().map(flow).collect()
}

/// The flows of a file: a CSV table, or a list in one of the forms of others. A number that is no node's name counts
/// the hosts and edge nodes from 0, all nodes where there are not two.
pub(super) fn read(file: &At<String>, context: &mut Context) -> Result<Vec<Listed>, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES);
    let titles = text.as_deref().map_or(Vec::new(), titles);
    let is_other = text.is_ok() && !titles.is_empty() || file.ends_with(".gz");
    if let Some(files) = context.files.filter(|_| is_other && !titles.contains(&COLUMNS[0])) {
        match files.flows(file) {
            Ok(flows) => return imported(file, flows, context),
            Err(why) if !titles.iter().any(|title| COLUMNS.contains(title)) => return Err(why.fault(file)),
            Err(_) => {}
        }
    }
    own(file, &text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?, context)
}

/// The fields of the first line, without the quotes around them.
fn titles(text: &str) -> Vec<&str> {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.into_iter().flat_map(|line| line.split(',')).map(|title| title.trim().trim_matches('"')).collect()
}

/// The flows of a list that others read.
fn imported(file: &At<String>, found: ImportedFlows, context: &mut Context) -> Result<Vec<Listed>, Fault> {
    let ImportedFlows { flows, warnings } = found;
    context.warnings.extend(warnings.iter().map(|warning| format!("{}: {warning}", **file)));
    let (ends, context) = (context.end_points(), &*context);
    let listed = |flow: &ImportedFlow| {
        let place = || Place::Data { node: file.node(), file: file.to_string(), line: flow.line, column: 1 };
        let [source, destination] = [&flow.source, &flow.destination].map(|end| numbered(end, &ends, context));
        let (source, destination) = pair((source, place()), (destination, place()), context)?;
        Ok(Listed { start: flow.start, source, destination, size: flow.size })
    };
    flows.iter().map(listed).collect()
}

/// The name of the node that a name or a number means.
fn numbered<'n>(text: &'n str, ends: &[NodeId], context: &'n Context) -> &'n str {
    if context.draft.find(text).is_some() || !text.bytes().all(|letter| letter.is_ascii_digit()) {
        return text;
    }
    let node = text.parse::<usize>().ok().and_then(|number| ends.get(number));
    node.map_or(text, |node| &context.draft.nodes[node.index()].name)
}

/// The flows of a CSV file (RFC 4180, no line breaks within quotes): a header with the columns in any order, then a
/// flow a line.
fn own(file: &At<String>, text: &str, context: &Context) -> Result<Vec<Listed>, Fault> {
    let ends = context.end_points();
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (number, header) = lines.next().unwrap_or((1, ""));
    let header = Row::split(file, number, header)?;
    let columns = header.columns()?;
    let mut flows = Vec::new();
    for (number, line) in lines {
        let row = Row::split(file, number, line)?;
        flows.push(row.flow(columns, header.fields.len(), &ends, context)?);
        if flows.len() as u64 > MAX_FLOWS {
            return Err(row.wrong(format!("too many flows; allowed: {MAX_FLOWS}")));
        }
    }
    Ok(flows)
}

/// The position of each of [`COLUMNS`] in a line.
type Columns = [Option<usize>; 4];

/// A line of the file, which counts from 1.
struct Row<'r> {
    file: &'r At<String>,
    number: u32,
    fields: Vec<Field<'r>>,
}

/// What stands between two commas, without blanks and quotes around it.
struct Field<'r> {
    text: Cow<'r, str>,
    place: Place,
}

impl<'r> Row<'r> {
    fn split(file: &'r At<String>, number: u32, line: &'r str) -> Result<Self, Fault> {
        let place = |at: usize| {
            let column = line[..at].chars().count() as u32 + 1;
            Place::Data { node: file.node(), file: file.to_string(), line: number, column }
        };
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let rest = line[at..].trim_start();
            at = line.len() - rest.len();
            let length = match rest.strip_prefix('"') {
                None => rest.find(',').unwrap_or(rest.len()),
                Some(quoted) => {
                    2 + closing_quote(quoted)
                        .ok_or_else(|| Fault::new(place(at), "the quotes that open here are not closed on this line"))?
                }
            };
            let (field, after) = rest.split_at(length);
            fields.push(Field { text: unquoted(field.trim_end()), place: place(at) });
            let after = after.trim_start();
            match after.strip_prefix(',') {
                Some(next) => at = line.len() - next.len(),
                None if after.is_empty() => return Ok(Self { file, number, fields }),
                None => {
                    let message = format!("found {} behind closed quotes; allowed: a comma", quoted(after));
                    return Err(Fault::new(place(line.len() - after.len()), message));
                }
            }
        }
    }

    fn columns(&self) -> Result<Columns, Fault> {
        let mut columns = [None; 4];
        for (position, Field { text: name, place }) in self.fields.iter().enumerate() {
            let wrong = |message| Err(Fault::new(place.clone(), message));
            match COLUMNS.iter().position(|column| column == name) {
                Some(column) if columns[column].is_none() => columns[column] = Some(position),
                Some(_) => return wrong(format!("the column {} is there twice", quoted(name))),
                None => return wrong(format!("unknown column {}{}", quoted(name), choices(name, &COLUMNS))),
            }
        }
        match (0..3).find(|column| columns[*column].is_none()) {
            Some(column) => Err(self.wrong(format!("the column {:?} is missing", COLUMNS[column]))),
            None => Ok(columns),
        }
    }

    /// The flow that the line says, which has as many fields as the header or leaves the last ones out.
    fn flow(&self, columns: Columns, expected: usize, ends: &[NodeId], context: &Context) -> Result<Listed, Fault> {
        if let Some(extra) = self.fields.get(expected) {
            let message = format!("found {} fields; allowed: {expected}, as in the header", self.fields.len());
            return Err(Fault::new(extra.place.clone(), message));
        }
        let (start, source, destination) = (self.field(columns, 0)?, self.field(columns, 1)?, self.field(columns, 2)?);
        let [from, to] = [source, destination].map(|end| (numbered(&end.text, ends, context), end.place.clone()));
        let (source, destination) = pair(from, to, context)?;
        let start_time = units::parse_duration(&format!("{} s", start.text));
        let wrong = |why| Fault::new(start.place.clone(), format!("start_s: found {}: {why}", quoted(&start.text)));
        let size = match columns[3] {
            None => None,
            Some(_) => size(self.field(columns, 3)?)?,
        };
        Ok(Listed { start: SimTime::ZERO + start_time.map_err(wrong)?, source, destination, size })
    }

    fn field(&self, columns: Columns, column: usize) -> Result<&Field<'r>, Fault> {
        let position = columns[column].expect("columns are looked up in the header");
        self.fields.get(position).ok_or_else(|| {
            let fields = self.fields.len();
            self.wrong(format!("found {fields} fields; the column {:?} is missing", COLUMNS[column]))
        })
    }

    fn wrong(&self, message: String) -> Fault {
        let (file, line) = (self.file.to_string(), self.number);
        Fault::new(Place::Data { node: self.file.node(), file, line, column: 1 }, message)
    }
}

/// Bytes before the quote that closes a field; a doubled quote is one of the text.
fn closing_quote(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            return Some(at);
        }
        at += 2;
    }
}

fn unquoted(field: &str) -> Cow<'_, str> {
    match field.strip_prefix('"').and_then(|field| field.strip_suffix('"')) {
        None => Cow::Borrowed(field),
        Some(inside) if inside.contains('"') => Cow::Owned(inside.replace("\"\"", "\"")),
        Some(inside) => Cow::Borrowed(inside),
    }
}

/// A size in bytes, in digits or as spreadsheets write numbers ("100000.0", "1e5"); an empty field leaves it to the
/// traffic.
fn size(field: &Field<'_>) -> Result<Option<Bytes>, Fault> {
    if field.text.is_empty() {
        return Ok(None);
    }
    let whole = field.text.parse::<u64>().ok().or_else(|| {
        let number = field.text.parse::<f64>().ok()?;
        (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
    });
    match whole {
        Some(bytes @ 1..) => Ok(Some(Bytes(bytes))),
        _ => {
            let found = quoted(&field.text);
            let message = format!("size_bytes: found {found}; allowed: a whole number from 1, or nothing");
            Err(Fault::new(field.place.clone(), message))
        }
    }
}
