//! Exact lists of flows: `list = [ … ]` and CSV files.

use super::Context;
use super::pairs::pair;
use crate::language::{At, Fault, Place, choices, quoted, read_text};
use crate::model::{Listed, MAX_FLOWS, NodeId, SimTime};
use crate::scenario::{ImportedFlow, ImportedFlows, spec};
use crate::work::{GRAPH_COLUMNS, GraphText};
use std::collections::BTreeSet;
use std::path::Path;
use units::{Bytes, Field, Rows, Separator};

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

/// The flows of a file: a CSV table, or a list in one of the forms of others.
pub(super) fn read(file: &At<String>, context: &mut Context) -> Result<Vec<Listed>, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES);
    let titles = text.as_deref().map_or(Vec::new(), titles);
    let is_other = text.is_ok() && !titles.is_empty() || file.ends_with(".gz");
    if let Some(files) = context.files.filter(|_| is_other && !titles.iter().any(|title| title == COLUMNS[0])) {
        match files.flows(file) {
            Ok(flows) => return imported(file, flows, context),
            Err(why) if !titles.iter().any(|title| COLUMNS.contains(&title.as_str())) => return Err(why.fault(file)),
            Err(_) => {}
        }
    }
    own(file, &text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?, context)
}

/// A graph of tasks: photocol's own CSV, or in the form of another simulator.
pub(super) fn graph(file: &At<String>, context: &mut Context) -> Result<GraphText, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES);
    let is_own = text.as_deref().is_ok_and(|text| titles(text).iter().any(|title| title == GRAPH_COLUMNS[0]));
    if let Some(files) = context.files.filter(|_| !is_own && text.is_ok() || file.ends_with(".gz")) {
        let (graph, warnings) = files.graph(file).map_err(|why| why.fault(file))?;
        context.warnings.extend(warnings.iter().map(|warning| format!("{}: {warning}", **file)));
        return Ok(graph);
    }
    let text = text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
    Ok(GraphText { text, ..GraphText::default() })
}

/// The fields of the first row; the whole text is one title if there is no row.
fn titles(text: &str) -> Vec<String> {
    let mut fields = Vec::new();
    match Rows::new(text, Separator::Comma).read(&mut fields) {
        Ok(_) => fields.into_iter().map(|field| field.text.into_owned()).collect(),
        Err(_) => vec![text.to_owned()],
    }
}

/// The flows of a list that others read.
fn imported(file: &At<String>, found: ImportedFlows, context: &mut Context) -> Result<Vec<Listed>, Fault> {
    let ImportedFlows { flows, warnings } = found;
    context.warnings.extend(warnings.iter().map(|warning| format!("{}: {warning}", **file)));
    let ends = Ends::of(flows.iter().flat_map(|flow| [flow.source.as_str(), &flow.destination]), file, context);
    let context = &*context;
    let listed = |flow: &ImportedFlow| {
        let place = || Place::Data { node: file.node(), file: file.to_string(), line: flow.line, column: 1 };
        let source = (ends.name(&flow.source, place(), context)?, place());
        let (source, destination) = pair(source, (ends.name(&flow.destination, place(), context)?, place()), context)?;
        Ok(Listed { start: flow.start, source, destination, size: flow.size })
    };
    flows.iter().map(listed).collect()
}

/// What the numbers of a file mean, which is one decision for all of them: names of nodes if each is one, else places
/// among the hosts and edge nodes from 0, among all nodes where there are not two of these.
struct Ends {
    nodes: Vec<NodeId>,
    /// The first number that is no node's name.
    nameless: Option<String>,
}

impl Ends {
    fn of<'n>(names: impl Iterator<Item = &'n str>, file: &At<String>, context: &mut Context) -> Ends {
        let (mut named, mut nameless) = (false, None);
        for name in names.filter(|name| is_number(name)) {
            match context.draft.find(name) {
                Some(_) => named = true,
                None => nameless = nameless.or_else(|| Some(name.to_owned())),
            }
            if named && nameless.is_some() {
                break;
            }
        }
        if let (true, Some(nameless)) = (named, &nameless) {
            context.warnings.push(format!(
                "{}: numbers count nodes from 0, although some are names of nodes: {} is none",
                **file,
                quoted(nameless)
            ));
        }
        Ends { nodes: context.end_points(), nameless }
    }

    /// The name of the node that a name or a number means.
    fn name<'n>(&self, text: &'n str, place: Place, context: &'n Context) -> Result<&'n str, Fault> {
        let Some(nameless) = self.nameless.as_ref().filter(|_| is_number(text)) else { return Ok(text) };
        match text.parse::<usize>().ok().and_then(|number| self.nodes.get(number)) {
            Some(node) => Ok(&context.draft.nodes[node.index()].name),
            None => {
                let (found, nameless, most) = (quoted(text), quoted(nameless), self.nodes.len().saturating_sub(1));
                let message = format!(
                    "there is no node {found}; allowed: 0 to {most}, because numbers count the hosts and edge nodes \
                     where not all are names, as {nameless} is not"
                );
                Err(Fault::new(place, message))
            }
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit())
}

/// The flows of a CSV file: a header with the columns in any order, then a flow a row.
fn own(file: &At<String>, text: &str, context: &mut Context) -> Result<Vec<Listed>, Fault> {
    let mut rows = Rows::new(text, Separator::Comma);
    let mut row = Row { file, fields: Vec::new() };
    row.read(&mut rows)?;
    let (columns, width) = (row.columns()?, row.fields.len());
    let ends = Ends::of(names(&mut rows.clone(), columns).iter().map(String::as_str), file, context);
    let mut flows = Vec::new();
    while row.read(&mut rows)? {
        flows.push(row.flow(columns, width, &ends, context)?);
        if flows.len() as u64 > MAX_FLOWS {
            return Err(row.wrong(format!("too many flows; allowed: {MAX_FLOWS}")));
        }
    }
    Ok(flows)
}

/// The numbers that stand as sources and destinations in the rows, each once.
fn names(rows: &mut Rows, columns: Columns) -> BTreeSet<String> {
    let (mut fields, mut found) = (Vec::new(), BTreeSet::new());
    while let Ok(true) = rows.read(&mut fields) {
        for field in [columns[1], columns[2]].into_iter().flatten().filter_map(|column| fields.get(column)) {
            if is_number(&field.text) && !found.contains(&*field.text) {
                found.insert(field.text.to_string());
            }
        }
    }
    found
}

/// The position of each of [`COLUMNS`] in a line.
type Columns = [Option<usize>; 4];

/// A row of the file.
struct Row<'r> {
    file: &'r At<String>,
    fields: Vec<Field<'r>>,
}

impl<'r> Row<'r> {
    /// Becomes the next row; false behind the last one.
    fn read(&mut self, rows: &mut Rows<'r>) -> Result<bool, Fault> {
        rows.read(&mut self.fields).map_err(|why| Fault::new(self.at(why.line, why.column), why.reason))
    }

    fn at(&self, line: u32, column: u32) -> Place {
        Place::Data { node: self.file.node(), file: self.file.to_string(), line, column }
    }

    fn place(&self, field: &Field) -> Place {
        self.at(field.line, field.column)
    }

    fn columns(&self) -> Result<Columns, Fault> {
        let mut columns = [None; 4];
        for (position, field) in self.fields.iter().enumerate() {
            let (name, wrong) = (&field.text, |message| Err(Fault::new(self.place(field), message)));
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

    /// The flow that the row says, which has as many fields as the header or leaves the last ones out.
    fn flow<'e>(
        &'e self,
        columns: Columns,
        expected: usize,
        ends: &Ends,
        context: &'e Context,
    ) -> Result<Listed, Fault> {
        if let Some(extra) = self.fields.get(expected) {
            let message = format!("found {} fields; allowed: {expected}, as in the header", self.fields.len());
            return Err(Fault::new(self.place(extra), message));
        }
        let (start, source, destination) = (self.field(columns, 0)?, self.field(columns, 1)?, self.field(columns, 2)?);
        let end = |field: &'e Field<'r>| -> Result<(&'e str, Place), Fault> {
            Ok((ends.name(&field.text, self.place(field), context)?, self.place(field)))
        };
        let (source, destination) = pair(end(source)?, end(destination)?, context)?;
        let start_time = units::parse_duration(&format!("{} s", start.text));
        let wrong = |why| Fault::new(self.place(start), format!("start_s: found {}: {why}", quoted(&start.text)));
        let size = match columns[3] {
            None => None,
            Some(_) => self.size(self.field(columns, 3)?)?,
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
        Fault::new(self.at(self.fields.first().map_or(1, |field| field.line), 1), message)
    }

    /// A size in bytes, in digits or as spreadsheets write numbers ("100000.0", "1e5"); an empty field leaves it to the
    /// traffic.
    fn size(&self, field: &Field<'_>) -> Result<Option<Bytes>, Fault> {
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
                Err(Fault::new(self.place(field), message))
            }
        }
    }
}
