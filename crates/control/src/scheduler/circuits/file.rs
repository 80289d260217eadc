//! The schedule as CSV: a row for each hold, switch after switch.
//!
//! | column | is |
//! |---|---|
//! | `week_ps` | the length of the schedule, the same in every line |
//! | `reconfiguration_ps` | the dark time, the same in every line |
//! | `switch` | from 0 |
//! | `start_ps` | when the light begins, from the beginning of the week on |
//! | `length_ps` | how long it lasts |
//! | `outputs` | the output of input 0, 1, … with a space between; `-` for none |

use super::super::IDLE;
use super::{CircuitError, CircuitSchedule, Hold};
use std::fmt::Write;
use units::{Duration, Field, Rows, Separator, TableError};

/// The first line of a file.
const HEAD: &str = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs";

impl CircuitSchedule {
    /// The schedule as text of a file.
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEAD}\n");
        let holds = self.switches().iter().enumerate().flat_map(|(at, holds)| holds.iter().map(move |hold| (at, hold)));
        for (switch, hold) in holds {
            let output = |output: &u16| if *output == IDLE { "-".to_owned() } else { output.to_string() };
            let outputs: Vec<String> = hold.outputs.iter().map(output).collect();
            let (week, dark) = (self.week().ps(), self.reconfiguration().ps());
            let (start, length) = (hold.start.ps(), hold.length.ps());
            let _ = writeln!(text, "{week},{dark},{switch},{start},{length},{}", outputs.join(" "));
        }
        text
    }

    /// The schedule of such a text; the error names the line.
    pub fn from_csv(text: &str) -> Result<CircuitSchedule, CircuitError> {
        let wrong = |line: usize, reason: String| CircuitError::Line { line, reason };
        // JSON is read as no row of CSV at all.
        if text.trim_start().starts_with('{') {
            return Err(wrong(1, format!("found '{{'; allowed: {HEAD}")));
        }
        let (mut rows, mut fields) = (Rows::new(text, Separator::Comma), Vec::new());
        let unread = |why: TableError| wrong(why.line as usize, why.reason);
        rows.read(&mut fields).map_err(unread)?;
        let head = fields.iter().map(|field| &*field.text).collect::<Vec<_>>().join(",");
        if head != HEAD {
            let line = fields.first().map_or(1, |field| field.line as usize);
            return Err(wrong(line, format!("found '{head:.80}'; allowed: {HEAD}")));
        }
        // With the line that says it first.
        let mut of_all: Option<((u64, u64, usize), usize)> = None;
        let mut switches: Vec<Vec<Hold>> = Vec::new();
        // By switch and hold.
        let mut places: Vec<Vec<usize>> = Vec::new();
        while rows.read(&mut fields).map_err(unread)? {
            let at = fields[0].line as usize;
            let row = Row::read(&fields).map_err(|reason| wrong(at, reason))?;
            let common = (row.week, row.reconfiguration, row.hold.outputs.len());
            let (known, first) = *of_all.get_or_insert((common, at));
            if common != known {
                let (week, dark, ports) = known;
                let reason = format!(
                    "another week, reconfiguration or number of ports than line {first}; allowed: {week}, {dark}, \
                     {ports}"
                );
                return Err(wrong(at, reason));
            }
            if row.switch > switches.len() || row.switch + 1 < switches.len() {
                let reason = format!("switch {}; allowed: switches in order, from 0", row.switch);
                return Err(wrong(at, reason));
            }
            if row.switch == switches.len() {
                switches.push(Vec::new());
                places.push(Vec::new());
            }
            switches[row.switch].push(row.hold);
            places[row.switch].push(at);
        }
        let ((week, dark, ports), _) =
            of_all.ok_or_else(|| wrong(2, "no matching; allowed: at least one".to_owned()))?;
        let schedule = CircuitSchedule::new(ports, Duration::from_ps(week), Duration::from_ps(dark), switches);
        schedule.map_err(|why| match why {
            CircuitError::Hold { switch, hold, reason } => wrong(places[switch][hold], reason),
            // All lines say it.
            other => wrong(places[0][0], other.to_string()),
        })
    }
}

/// A line.
struct Row {
    week: u64,
    reconfiguration: u64,
    switch: usize,
    hold: Hold,
}

impl Row {
    fn read(fields: &[Field]) -> Result<Row, String> {
        let cells: Vec<&str> = fields.iter().map(|field| &*field.text).collect();
        let [week, reconfiguration, switch, start, length, outputs] = cells[..] else {
            return Err(format!("{} columns; allowed: 6", cells.len()));
        };
        let output = |text: &str| match text {
            "-" => Ok(IDLE),
            _ => text.parse().map_err(|_| format!("output '{text:.20}'; allowed: a port or -")),
        };
        Ok(Row {
            week: number("week_ps", week)?,
            reconfiguration: number("reconfiguration_ps", reconfiguration)?,
            switch: number("switch", switch)?.min(usize::MAX as u64 - 1) as usize,
            hold: Hold {
                start: Duration::from_ps(number("start_ps", start)?),
                length: Duration::from_ps(number("length_ps", length)?),
                outputs: outputs.split_whitespace().map(output).collect::<Result<_, _>>()?,
            },
        })
    }
}

fn number(column: &str, text: &str) -> Result<u64, String> {
    let wrong = |_| format!("{column} is '{text:.30}'; allowed: a whole number, 0 to {}", u64::MAX);
    text.trim().parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_in_the_head_and_in_the_rows() {
        let plain = format!("{HEAD}\n100,10,0,10,90,1 0\n");
        let quoted = format!("# a comment\n\"{}\"\n\"100\",10,0, \"10\" ,90,\"1 0\"\n", HEAD.replace(',', "\",\""));
        let schedule = CircuitSchedule::from_csv(&plain).unwrap();
        assert_eq!(CircuitSchedule::from_csv(&quoted).unwrap().to_csv(), schedule.to_csv());
        assert!(
            CircuitSchedule::from_csv(&format!("{HEAD}\n\n\"100,10\n")).unwrap_err().to_string().contains("line 3")
        );
    }
}
