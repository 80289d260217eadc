//! Exact lists of flows: `list = [ … ]` and CSV files.

use super::Context;
use super::traffic::pair;
use crate::language::{At, Fault, Place, choices, quoted, read_text};
use crate::model::{Listed, MAX_FLOWS, SimTime};
use crate::scenario::spec;
use std::path::Path;
use units::Bytes;

/// The largest file.
const MAX_BYTES: u64 = 256 << 20;
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

/// The flows of a CSV file: a header with the columns in any order, then a flow a line.
pub(super) fn read(file: &At<String>, context: &Context) -> Result<Vec<Listed>, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES)
        .map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(&text).lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let columns = columns(header, file)?;
    let mut flows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let row = Row { file, number, line, columns };
        flows.push(row.flow(context)?);
        if flows.len() as u64 > MAX_FLOWS {
            return Err(row.wrong(line, format!("too many flows; allowed: {MAX_FLOWS}")));
        }
    }
    Ok(flows)
}

/// The position of each of [`COLUMNS`] in a line.
fn columns(header: &str, file: &At<String>) -> Result<[Option<usize>; 4], Fault> {
    let mut columns = [None; 4];
    let row = Row { file, number: 0, line: header, columns };
    for (position, name) in header.split(',').enumerate() {
        match COLUMNS.iter().position(|column| *column == name.trim()) {
            Some(column) if columns[column].is_none() => columns[column] = Some(position),
            Some(_) => return Err(row.wrong(name, format!("the column {} is there twice", quoted(name.trim())))),
            None => {
                let message = format!("unknown column {}{}", quoted(name.trim()), choices(name.trim(), &COLUMNS));
                return Err(row.wrong(name, message));
            }
        }
    }
    match (0..3).find(|column| columns[*column].is_none()) {
        Some(column) => Err(row.wrong(header, format!("the column {:?} is missing", COLUMNS[column]))),
        None => Ok(columns),
    }
}

/// A line of the file, from 0.
struct Row<'r> {
    file: &'r At<String>,
    number: usize,
    line: &'r str,
    columns: [Option<usize>; 4],
}

impl<'r> Row<'r> {
    fn flow(&self, context: &Context) -> Result<Listed, Fault> {
        let (start, source, destination) = (self.field(0)?, self.field(1)?, self.field(2)?);
        let from = (source.trim(), self.place(source));
        let (source, destination) = pair(from, (destination.trim(), self.place(destination)), context)?;
        let start_time = units::parse_duration(&format!("{} s", start.trim()));
        let wrong = |why| self.wrong(start, format!("start_s: found {}: {why}", quoted(start.trim())));
        let size = match self.columns[3] {
            None => None,
            Some(_) => self.size(self.field(3)?)?,
        };
        Ok(Listed { start: SimTime::ZERO + start_time.map_err(wrong)?, source, destination, size })
    }

    /// A size in bytes; an empty field leaves it to the traffic.
    fn size(&self, field: &'r str) -> Result<Option<Bytes>, Fault> {
        match field.trim() {
            "" => Ok(None),
            text => match text.parse() {
                Ok(bytes @ 1..) => Ok(Some(Bytes(bytes))),
                _ => {
                    let message =
                        format!("size_bytes: found {}; allowed: a whole number from 1, or nothing", quoted(text));
                    Err(self.wrong(field, message))
                }
            },
        }
    }

    fn field(&self, column: usize) -> Result<&'r str, Fault> {
        let position = self.columns[column].expect("columns are looked up in the header");
        self.line.split(',').nth(position).ok_or_else(|| {
            let fields = self.line.split(',').count();
            self.wrong(self.line, format!("found {fields} fields; the column {:?} is missing", COLUMNS[column]))
        })
    }

    /// The place of a part of the line.
    fn place(&self, part: &str) -> Place {
        let before = part.as_ptr() as usize - self.line.as_ptr() as usize;
        let blank = part.len() - part.trim_start().len();
        let column = self.line[..before + blank].chars().count() as u32 + 1;
        Place::Data { node: self.file.node(), file: self.file.to_string(), line: self.number as u32 + 1, column }
    }

    fn wrong(&self, part: &str, message: String) -> Fault {
        Fault::new(self.place(part), message)
    }
}
