//! `[[link_trace]]`: a file says how links change. Each line becomes the steps of a timeline.
//!
//! * `csv`: a head with units, then a time and the values from then on a line;
//! * `delivery`: mahimahi's (Netravali et al., USENIX ATC 2015), a millisecond a line at which a packet may be
//!   delivered;
//! * `delay`: LeoCC's beside it (SIGCOMM 2025), a one-way delay in milliseconds a line, one each interval.

use super::properties::{Ports, Rest, Said, changing_keys};
use super::trace_columns::{Column, known_columns, known_properties};
use crate::language::{At, Fault, Place, Speed, Time, Word, choices, quoted, rate_in_range, read_text};
use crate::links::LinkKey;
use crate::model::{Buffer, Change, DelayForm, DelayLaw, Knot, Step};
use crate::scenario::spec::{LONGEST_DELAY, LinkTrace, State, TraceFormat};
use options::{Value, Words};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use units::{BufferSize, Bytes, Duration, Field, Rate, Rows, Separator};

/// The largest file.
const MAX_BYTES: u64 = 256 << 20;

const MS: u64 = 1_000_000_000;

/// What a file says.
pub(super) struct Changes {
    /// For every link of the table the same.
    pub steps: Arc<[Step]>,
    /// The delay, if it is a law.
    pub law: Option<DelayLaw>,
    /// After this they come again.
    pub period: Option<Duration>,
    /// The properties, as keys of the table whose values they are.
    pub said: Said,
}

/// Reads the file of a table.
pub(super) fn read(table: &At<LinkTrace>, ports: Ports) -> Result<Changes, Fault> {
    let file = &table.file;
    let text = read_text(Path::new(file.as_str()), MAX_BYTES);
    let text = text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
    let rest = Rest::new(table.mid_packet);
    let is_linear = table.delay_law.is_some_and(|form| form.0 == DelayForm::Linear);
    let reader = Reader { file, rest, is_linear, steps: Vec::new() };
    let (steps, period) = match table.format.0 {
        TraceFormat::Csv => reader.csv(&text, table, ports)?,
        TraceFormat::Delivery => reader.deliveries(&text, table)?,
        TraceFormat::Delay => reader.delays(&text, table)?,
    };
    let said = said(file, &steps);
    let law = table.delay_law.map(|form| law(file, form, &steps, period)).transpose()?;
    let is_left = |step: &Step| law.is_none() || !matches!(step.change, Change::Delay(..));
    Ok(Changes { said, steps: steps.into_iter().filter(is_left).collect(), law, period })
}

/// The delays of a file as a law.
fn law(
    file: &At<String>,
    form: At<Word<DelayForm>>,
    all: &[Step],
    period: Option<Duration>,
) -> Result<DelayLaw, Fault> {
    let knot = |step: &Step| match step.change {
        Change::Delay(delay, _) => Some(Knot { at: step.after.ps(), delay: delay.ps() }),
        _ => None,
    };
    let knots: Vec<Knot> = all.iter().filter_map(knot).collect();
    DelayLaw::new(&knots, form.0, period).ok_or_else(|| match knots.first() {
        None => form.fault(format!("{} has no delays; allowed: a column delay_ms", quoted(file))),
        Some(first) => {
            let at = Duration::from_ps(first.at);
            file.fault(format!("the first delay is that of \"{at}\"; allowed: one at 0, where a law begins"))
        }
    })
}

/// The keys that steps are about; of capacities and delays the least.
fn said(file: &At<String>, steps: &[Step]) -> Said {
    let (mut said, here) = (Said::default(), file.mark());
    for step in steps {
        match step.change {
            Change::Capacity(rate, _) => {
                let least = said.capacity.map_or(rate, |at| at.0.min(rate));
                said.capacity = Some(here.map(|()| Speed(least)));
            }
            Change::Delay(delay, _) => said.delay = Some(here.map(|()| Time(delay))),
            Change::Buffer(_) => said.buffer = Some(here.map(|()| crate::language::Room(BufferSize::Unlimited))),
            Change::Property(name, value) => {
                let known = changing_keys().find(|key| key.key.name == name);
                let is_new = |key: &&LinkKey| said.others.iter().all(|(other, ..)| other.key.name != key.key.name);
                said.others.extend(known.filter(is_new).map(|key| (key, value, here.place())));
            }
            Change::Down(_) | Change::Up => said.state = Some(here.map(|()| crate::language::Word(State::Down))),
            Change::Told(_) | Change::Deliver(_) => {}
        }
    }
    said.others.sort_by_key(|(key, ..)| changing_keys().position(|one| one.key.name == key.key.name));
    said
}

struct Reader<'t> {
    file: &'t At<String>,
    rest: Rest,
    /// Whether a delay that stays from one time to the next bends the line between others.
    is_linear: bool,
    steps: Vec<Step>,
}

type Read = Result<(Vec<Step>, Option<Duration>), Fault>;

impl Reader<'_> {
    fn fault(&self, line: u32, column: u32, message: impl Into<String>) -> Fault {
        let (node, file) = (self.file.node(), self.file.to_string());
        Fault::new(Place::Data { node, file, line, column }, message)
    }

    fn step(&mut self, after: Duration, change: Change) {
        self.steps.push(Step { after, change });
    }

    /// Whole milliseconds that do not fall; from 1 to the last, each is an instant at which a packet may be delivered.
    /// The capacity, for those who measure or foresee it, is that in the millisecond that ends then.
    fn deliveries(mut self, text: &str, table: &LinkTrace) -> Read {
        let bits = table.opportunity.0.count().saturating_mul(8_000);
        let mut groups: Vec<(u64, u64)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let found = line.trim();
            let ms: u64 = found.parse().map_err(|_| {
                self.fault(number, 1, format!("found {}; allowed: a whole number of milliseconds", quoted(found)))
            })?;
            match groups.last_mut() {
                Some((last, count)) if *last == ms => *count += 1,
                Some((last, _)) if *last > ms => {
                    let message = format!("found {ms}; allowed: from {last} on, the time of the line before");
                    return Err(self.fault(number, 1, message));
                }
                _ => groups.push((ms, 1)),
            }
        }
        let end = groups.last().map_or(0, |(ms, _)| *ms);
        if end == 0 || end > u64::MAX / MS {
            let message = format!("the trace ends at {end} ms; allowed: 1 ms to {} ms", u64::MAX / MS);
            return Err(self.file.fault(message));
        }
        // What may be delivered at the start of a period may be delivered at the end of the one before.
        let at_start = if groups[0].0 == 0 { groups.remove(0).1 } else { 0 };
        if let Some((_, count)) = groups.last_mut().filter(|_| *table.repeat) {
            *count += at_start;
        }
        let (mut now, mut before) = (0, None);
        for (ms, count) in groups {
            if ms - 1 > now {
                self.capacity(now, 0, &mut before)?;
            }
            self.capacity(ms - 1, bits.saturating_mul(count), &mut before)?;
            let bytes = table.opportunity.0.count().saturating_mul(count);
            self.step(Duration::from_millis(ms), Change::Deliver(bytes));
            now = ms;
        }
        if !*table.repeat {
            self.capacity(end, 0, &mut before)?;
        }
        Ok((self.steps, table.repeat.then(|| Duration::from_millis(end))))
    }

    /// From a millisecond on the capacity is so many bits per second, unless it was so `before`.
    fn capacity(&mut self, ms: u64, bps: u64, before: &mut Option<u64>) -> Result<(), Fault> {
        if *before == Some(bps) {
            return Ok(());
        }
        *before = Some(bps);
        let rate = Rate::from_bps(bps);
        if bps > 0 {
            rate_in_range(rate, || self.file.place())?;
        }
        self.step(Duration::from_millis(ms), Change::Capacity(rate, self.rest.moved()));
        Ok(())
    }

    /// A delay in milliseconds a line.
    fn delays(mut self, text: &str, table: &LinkTrace) -> Read {
        let interval = table.interval.0;
        let (mut lines, mut before, mut scratch) = (0, None, String::new());
        for (number, line) in (1..).zip(text.lines()) {
            let delay = self.delay(line.trim(), "ms", (number, 1), &mut scratch)?;
            if before != Some(delay) || self.is_linear {
                let after = Duration::from_ps(interval.ps().saturating_mul(lines));
                self.step(after, Change::Delay(delay, self.rest.moved()));
            }
            (before, lines) = (Some(delay), lines + 1);
        }
        if lines == 0 {
            return Err(self.file.fault("found no line; allowed: a delay in milliseconds a line"));
        }
        Ok((self.steps, table.repeat.then(|| Duration::from_ps(interval.ps().saturating_mul(lines)))))
    }

    /// A positive delay.
    fn delay(&self, text: &str, unit: &str, at: (u32, u32), scratch: &mut String) -> Result<Duration, Fault> {
        let delay = self.time(text, unit, at, scratch)?;
        if delay == Duration::ZERO || delay > LONGEST_DELAY {
            let message = format!("found \"{delay}\"; allowed: more than zero and at most {LONGEST_DELAY}");
            return Err(self.fault(at.0, at.1, message));
        }
        Ok(delay)
    }

    fn time(&self, text: &str, unit: &str, at: (u32, u32), scratch: &mut String) -> Result<Duration, Fault> {
        units::parse_duration(with(text, unit, scratch)).map_err(|why| self.unread(text, at, &why))
    }

    fn unread(&self, text: &str, at: (u32, u32), why: &dyn std::fmt::Display) -> Fault {
        self.fault(at.0, at.1, format!("found {}: {why}", quoted(text)))
    }
}

/// A number with its unit.
fn with<'s>(text: &str, unit: &str, scratch: &'s mut String) -> &'s str {
    scratch.clear();
    write!(scratch, "{text} {unit}").expect("a text takes what is written");
    scratch
}

impl Reader<'_> {
    /// A head, then a row a time, which rises. An empty field leaves a property as it is.
    fn csv(mut self, text: &str, table: &LinkTrace, ports: Ports) -> Read {
        let (mut rows, mut fields) = (Rows::new(text, Separator::Comma), Vec::new());
        self.row(&mut rows, &mut fields)?;
        let columns = self.columns(&fields)?;
        let (mut last, mut scratch, mut before) = (None, String::new(), vec![None; columns.len()]);
        while self.row(&mut rows, &mut fields)? {
            let after = self.time_of(&fields, &columns, &mut scratch)?;
            if let Some(last) = last.filter(|last| after <= *last) {
                let message = format!("found the time \"{after}\"; allowed: later than \"{last}\", the line before");
                return Err(self.fault(fields[0].line, 1, message));
            }
            last = Some(after);
            for (column, (before, field)) in columns.iter().zip(before.iter_mut().zip(&fields)) {
                let at = (field.line, field.column);
                let Some(change) = self.change(*column, &field.text, at, ports, &mut scratch)? else { continue };
                if *before != Some(change) || self.is_linear && matches!(change, Change::Delay(..)) {
                    *before = Some(change);
                    self.step(after, change);
                }
            }
        }
        let Some(last) = last else {
            return Err(self.file.fault("found no line behind the head; allowed: one or more"));
        };
        match &table.period {
            Some(period) if period.0 <= last => {
                let message =
                    format!("found \"{}\"; allowed: more than the time of the last line, \"{last}\"", period.0);
                Err(period.fault(message))
            }
            period => Ok((self.steps, period.map(|period| period.0))),
        }
    }

    fn row<'r>(&self, rows: &mut Rows<'r>, fields: &mut Vec<Field<'r>>) -> Result<bool, Fault> {
        rows.read(fields).map_err(|why| self.fault(why.line, why.column, why.reason))
    }

    /// What each column is.
    fn columns(&self, head: &[Field]) -> Result<Vec<Column>, Fault> {
        let (mut columns, number) = (Vec::new(), head.first().map_or(1, |field| field.line));
        for field in head {
            let (name, number, column) = (&*field.text, field.line, field.column);
            let names: Vec<&str> = known_columns().iter().map(|(name, _)| name.as_str()).collect();
            let known = known_columns().iter().find(|(known, _)| known == name);
            let (_, known) = known.ok_or_else(|| {
                self.fault(number, column, format!("unknown column {}{}", quoted(name), choices(name, &names)))
            })?;
            if columns.iter().any(|other: &Column| other.property() == known.property()) {
                let message = format!("there is a column of the {} already; allowed: one", known.property());
                return Err(self.fault(number, column, message));
            }
            columns.push(*known);
        }
        let times = columns.iter().filter(|column| matches!(column, Column::Time(_))).count();
        match (times, columns.len()) {
            (1, 2..) => Ok(columns),
            (0, _) => {
                Err(self.fault(number, 1, "there is no column of times; allowed: time_s, time_ms, time_us, time_ns"))
            }
            _ => {
                let message = format!("there is no column beside the time; allowed: {}", known_properties());
                Err(self.fault(number, 1, message))
            }
        }
    }

    /// The time of a row, which has as many fields as the head.
    fn time_of(&self, fields: &[Field], columns: &[Column], scratch: &mut String) -> Result<Duration, Fault> {
        let (number, found) = (fields[0].line, fields.len());
        if found != columns.len() {
            let message = format!("found {found} fields; allowed: {}, as in the head", columns.len());
            return Err(self.fault(number, 1, message));
        }
        let time = columns.iter().zip(fields).find_map(|(column, field)| match column {
            Column::Time(unit) => Some((*unit, &*field.text)),
            _ => None,
        });
        let (unit, field) = time.expect("the head has a column of times");
        self.time(field, unit, (number, 1), scratch)
    }

    /// What a field changes; nothing if it is empty or the time.
    fn change(
        &self,
        column: Column,
        field: &str,
        at: (u32, u32),
        ports: Ports,
        scratch: &mut String,
    ) -> Result<Option<Change>, Fault> {
        if field.is_empty() {
            return Ok(None);
        }
        Ok(Some(match column {
            Column::Time(_) => return Ok(None),
            Column::Capacity(unit) => {
                let rate = units::parse_rate(with(field, unit, scratch)).map_err(|why| self.unread(field, at, &why))?;
                if rate.bps() > 0 {
                    rate_in_range(rate, || Place::Unknown).map_err(|fault| self.fault(at.0, at.1, fault.message))?;
                }
                Change::Capacity(rate, self.rest.moved())
            }
            Column::Delay(unit) => Change::Delay(self.delay(field, unit, at, scratch)?, self.rest.moved()),
            Column::TimeOf(key, unit) => {
                let span = self.time(field, unit, at, scratch)?;
                let found = || format!("\"{span}\"");
                Change::Property(key.key.name, self.allowed(key, Some(Value::Time(span)), at, found)?)
            }
            Column::Buffer(unit) => Change::Buffer(self.buffer(field, unit, at, ports, scratch)?),
            Column::NumberOf(key) => {
                let number = field.parse().ok().map(Value::Number);
                Change::Property(key.key.name, self.allowed(key, number, at, || quoted(field))?)
            }
            Column::State => match State::from_word(field) {
                Some(State::Up) => Change::Up,
                Some(State::Down) => Change::Down(self.rest.down()),
                None => return Err(self.fault(at.0, at.1, format!("found {}; allowed: up, down", quoted(field)))),
            },
        }))
    }

    /// The value of a property, if it is where it may lie; `found` is for the message.
    fn allowed(
        &self,
        key: &LinkKey,
        value: Option<Value>,
        at: (u32, u32),
        found: impl Fn() -> String,
    ) -> Result<Value, Fault> {
        let allowed = || key.allowed().unwrap_or_else(|| "a number".to_owned());
        let fault = || self.fault(at.0, at.1, format!("found {}; allowed: {}", found(), allowed()));
        value.filter(|value| key.admits(*value)).ok_or_else(fault)
    }

    fn buffer(
        &self,
        field: &str,
        unit: &str,
        at: (u32, u32),
        ports: Ports,
        scratch: &mut String,
    ) -> Result<Buffer, Fault> {
        if field == "unlimited" {
            return Ok(Buffer::Unlimited);
        }
        let size = units::parse_packets_or_bytes(with(field, unit, scratch));
        match size.map_err(|why| self.unread(field, at, &why))? {
            BufferSize::Packets(packets) => Ok(Buffer::Packets(packets)),
            BufferSize::Bytes(bytes) if bytes >= Bytes(u64::from(ports.largest_packet)) => Ok(Buffer::Bytes(bytes)),
            _ => {
                let message = format!("found {}; allowed: at least {} B", quoted(field), ports.largest_packet);
                Err(self.fault(at.0, at.1, message))
            }
        }
    }
}
