//! A graph of tasks from a CSV file: a row a task, in any order.

use crate::model::{Graph, MOST_RANKS, MOST_TASKS, Task};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use units::{Field, Rows, Separator};

/// The columns, those that must be there first.
pub const COLUMNS: [&str; 14] = [
    "task",
    "kind",
    "rank",
    "peer",
    "bytes",
    "time_s",
    "tag",
    "processor",
    "after",
    "begun",
    "needs",
    "collective",
    "round",
    "step",
];
/// An own column: the line of the file from which the row comes, for messages.
const LINE: &str = "line";
const KINDS: &str = "transfer, receive, compute, wait or join";

/// What is wrong with a file, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The line, from 1.
    pub line: u32,
    /// The column, in letters from 1.
    pub column: u32,
    /// What was found, and what is allowed.
    pub why: String,
}

/// A row.
struct Row {
    name: String,
    task: Task,
    after: Vec<String>,
    begun: Vec<String>,
    needs: Option<u32>,
    collective: String,
    round: u32,
    step: u32,
    line: u32,
}

/// The graph of a file, and how many ranks it names at least.
pub fn read(text: &str) -> Result<(Graph, u32), Wrong> {
    let mut rows = Rows::new(text, Separator::Comma);
    let mut fields = Vec::new();
    let wrong = |error: units::TableError| Wrong { line: error.line, column: error.column, why: error.reason };
    if !rows.read(&mut fields).map_err(wrong)? {
        return Err(Wrong { line: 1, column: 1, why: "the file is empty; allowed: a header and tasks".to_owned() });
    }
    let head = Head::read(&fields)?;
    let mut found = Vec::new();
    while rows.read(&mut fields).map_err(wrong)? {
        if found.len() == MOST_TASKS {
            return Err(of(&fields[0], format!("there are more than {MOST_TASKS} tasks")));
        }
        found.push(head.row(&fields)?);
    }
    ordered(found)
}

fn of(field: &Field, why: String) -> Wrong {
    Wrong { line: field.line, column: field.column, why }
}

/// Where each column stands.
struct Head {
    places: [Option<usize>; COLUMNS.len()],
    line: Option<usize>,
}

impl Head {
    fn read(fields: &[Field]) -> Result<Head, Wrong> {
        let mut head = Head { places: [None; COLUMNS.len()], line: None };
        for (place, field) in fields.iter().enumerate() {
            let slot = match COLUMNS.iter().position(|column| *column == field.text) {
                Some(column) => &mut head.places[column],
                None if field.text == LINE => &mut head.line,
                None => {
                    return Err(of(field, format!("unknown column {:?}; allowed: {}", field.text, COLUMNS.join(", "))));
                }
            };
            if slot.replace(place).is_some() {
                return Err(of(field, format!("the column {:?} is there twice", field.text)));
            }
        }
        match (0..3).find(|column| head.places[*column].is_none()) {
            Some(column) => Err(of(&fields[0], format!("the column {:?} is missing", COLUMNS[column]))),
            None => Ok(head),
        }
    }

    /// The field of a column; nothing where it is empty, or left out.
    fn get<'f>(&self, fields: &'f [Field], column: &str) -> Option<&'f Field<'f>> {
        let place = COLUMNS.iter().position(|one| *one == column).and_then(|column| self.places[column])?;
        fields.get(place).filter(|field| !field.text.is_empty())
    }

    fn row(&self, fields: &[Field]) -> Result<Row, Wrong> {
        let must = |column: &str| {
            self.get(fields, column).ok_or_else(|| of(&fields[0], format!("the column {column:?} is empty")))
        };
        let whole = |field: &Field, column: &str, most: u64| match field.text.parse::<u64>() {
            Ok(value) if value <= most => Ok(value),
            _ => Err(of(field, format!("{column}: found {:?}; allowed: a whole number from 0 to {most}", field.text))),
        };
        let small = |column: &str| {
            let number = |field| whole(field, column, u32::MAX.into()).map(|value| value as u32);
            self.get(fields, column).map(number).transpose()
        };
        let rank_in =
            |field: &Field, column: &str| whole(field, column, u64::from(MOST_RANKS - 1)).map(|rank| rank as u32);
        let rank = rank_in(must("rank")?, "rank")?;
        let time = || {
            let field = must("time_s")?;
            let span = units::parse_duration(&format!("{} s", field.text));
            span.map_err(|why| of(field, format!("time_s: found {:?}: {why}", field.text)))
        };
        let kind = must("kind")?;
        let task = match &*kind.text {
            "transfer" => {
                let bytes = whole(must("bytes")?, "bytes", 1 << 60)?;
                let to = rank_in(must("peer")?, "peer")?;
                Task::Transfer { from: rank, to, bytes: bytes.max(1), tag: small("tag")? }
            }
            "receive" => {
                let from = self.get(fields, "peer").map(|field| rank_in(field, "peer")).transpose()?;
                Task::Receive { rank, from, tag: small("tag")? }
            }
            "compute" => Task::Compute { rank, processor: small("processor")?.unwrap_or(0), time: time()? },
            "wait" => Task::Wait { rank, time: time()? },
            "join" => Task::Join { rank },
            other => return Err(of(kind, format!("kind: found {other:?}; allowed: {KINDS}"))),
        };
        let names = |column: &str| {
            let text = self.get(fields, column).map_or(Cow::Borrowed(""), |field| field.text.clone());
            text.split_whitespace().map(str::to_owned).collect::<Vec<String>>()
        };
        let line = self.line.and_then(|place| fields.get(place)).map(|field| whole(field, LINE, u32::MAX.into()));
        Ok(Row {
            name: must("task")?.text.to_string(),
            task,
            after: names("after"),
            begun: names("begun"),
            needs: small("needs")?,
            collective: self.get(fields, "collective").map_or(String::new(), |field| field.text.to_string()),
            round: small("round")?.unwrap_or(0),
            step: small("step")?.unwrap_or(0),
            line: line.transpose()?.map_or(fields[0].line, |line| line as u32),
        })
    }
}

/// The graph: each task behind all that it waits for, else in the order of the file.
fn ordered(rows: Vec<Row>) -> Result<(Graph, u32), Wrong> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        if places.insert(&row.name, place).is_some() {
            return Err(at(row, format!("there is a task {:?} already", row.name)));
        }
    }
    let find = |row: &Row, name: &String| {
        places.get(name.as_str()).copied().ok_or_else(|| at(row, format!("there is no task {name:?} to wait for")))
    };
    let mut before: Vec<(Vec<usize>, Vec<usize>)> = Vec::with_capacity(rows.len());
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    for (place, row) in rows.iter().enumerate() {
        let after = row.after.iter().map(|name| find(row, name)).collect::<Result<Vec<_>, _>>()?;
        let begun = row.begun.iter().map(|name| find(row, name)).collect::<Result<Vec<_>, _>>()?;
        after.iter().chain(&begun).for_each(|other| behind[*other].push(place));
        before.push((after, begun));
    }
    let mut left: Vec<usize> = before.iter().map(|(after, begun)| after.len() + begun.len()).collect();
    let mut free: BinaryHeap<Reverse<usize>> =
        left.iter().enumerate().filter(|(_, left)| **left == 0).map(|(place, _)| Reverse(place)).collect();
    let mut numbers = vec![None; rows.len()];
    let (mut graph, mut ranks) = (Graph::default(), 0);
    while let Some(Reverse(place)) = free.pop() {
        let row = &rows[place];
        let (after, begun) = &before[place];
        let known = |other: &usize| numbers[*other].unwrap_or(0);
        let waits: Vec<u32> = after.iter().map(known).collect();
        let begun: Vec<u32> = begun.iter().map(known).collect();
        graph.enter(&row.collective, row.round);
        let number = graph.push(row.task, row.step, &waits);
        begun.into_iter().for_each(|other| graph.push_begun(number, other));
        if let Some(count) = row.needs {
            graph.need(number, count);
        }
        graph.call(number, &row.name);
        ranks = ranks.max(highest(row.task) + 1);
        numbers[place] = Some(number);
        for next in &behind[place] {
            left[*next] -= 1;
            if left[*next] == 0 {
                free.push(Reverse(*next));
            }
        }
    }
    if graph.len() < rows.len() {
        return Err(circle(&rows, &before, &numbers));
    }
    matched(&rows)?;
    Ok((graph, ranks))
}

fn at(row: &Row, why: String) -> Wrong {
    Wrong { line: row.line, column: 1, why }
}

/// The greatest rank that a task names.
fn highest(task: Task) -> u32 {
    let other = match task {
        Task::Transfer { to, .. } => Some(to),
        Task::Receive { from, .. } => from,
        _ => None,
    };
    task.rank().max(other.unwrap_or(0))
}

/// A circle among tasks that wait for one another.
fn circle(rows: &[Row], before: &[(Vec<usize>, Vec<usize>)], numbers: &[Option<u32>]) -> Wrong {
    let stuck = |place: &usize| numbers[*place].is_none();
    let mut place = (0..rows.len()).find(stuck).unwrap_or(0);
    let mut way = Vec::new();
    while !way.contains(&place) {
        way.push(place);
        let (after, begun) = &before[place];
        place = after.iter().chain(begun).copied().find(stuck).unwrap_or(place);
    }
    let from = way.iter().position(|one| *one == place).unwrap_or(0);
    let names: Vec<&str> = way[from..].iter().chain([&place]).take(20).map(|one| rows[*one].name.as_str()).collect();
    at(&rows[place], format!("tasks wait for one another: {}", names.join(" waits for ")))
}

/// Each message with a tag has a receive at its rank.
fn matched(rows: &[Row]) -> Result<(), Wrong> {
    let mut open: BTreeMap<u32, (i64, &Row)> = BTreeMap::new();
    for row in rows {
        let (rank, by) = match row.task {
            Task::Transfer { to, tag: Some(_), .. } => (to, 1),
            Task::Receive { rank, .. } => (rank, -1),
            _ => continue,
        };
        let known = open.entry(rank).or_insert((0, row));
        *known = (known.0 + by, row);
    }
    match open.into_iter().find(|(_, (count, _))| *count != 0) {
        Some((rank, (count, row))) if count > 0 => {
            Err(at(row, format!("rank {rank} has {count} messages more than receives")))
        }
        Some((rank, (count, row))) => Err(at(row, format!("rank {rank} has {} receives more than messages", -count))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> String {
        read(text).map_or_else(|wrong| format!("{}:{}: {}", wrong.line, wrong.column, wrong.why), |_| String::new())
    }

    #[test]
    fn tasks_stand_behind_what_they_wait_for() {
        let text = "task,kind,rank,peer,bytes,time_s,after,needs\n\
                    c,join,1,,,,a b,1\n\
                    a,transfer,0,1,1000,,,\n\
                    b,compute,2,,,1e-3,a,\n";
        let (graph, ranks) = read(text).unwrap();
        assert_eq!((graph.len(), ranks), (3, 3));
        assert_eq!(graph.tasks()[0], Task::Transfer { from: 0, to: 1, bytes: 1000, tag: None });
        assert_eq!((graph.waits_for(2), graph.needed(2), graph.name(2)), (&[0, 1][..], 1, "c"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let head = "task,kind,rank,peer,bytes,time_s,tag,after,begun,line\n";
        for (rows, sentence) in [
            ("a,join,0,,,,,b,,7\nb,join,0,,,,,c,,8\nc,join,0,,,,,,b,9\n", "tasks wait for one another: "),
            ("a,join,0,,,,,z,,7\n", "7:1: there is no task \"z\" to wait for"),
            ("a,join,0,,,,,,,7\na,join,0,,,,,,,8\n", "8:1: there is a task \"a\" already"),
            ("a,send,0,1,5,,,,,\n", "2:3: kind: found \"send\"; allowed: transfer, receive, compute, wait or join"),
            ("a,transfer,0,1,-5,,,,,\n", "2:16: bytes: found \"-5\""),
            ("a,transfer,0,,5,,,,,\n", "2:1: the column \"peer\" is empty"),
            ("a,compute,0,,,-1,,,,\n", "time_s: found \"-1\""),
            ("a,transfer,0,1,5,,3,,,4\n", "4:1: rank 1 has 1 messages more than receives"),
            ("a,receive,0,,,,,,,4\n", "4:1: rank 0 has 1 receives more than messages"),
            ("a,join,x,,,,,,,4\n", "rank: found \"x\""),
            ("a,join,4294967295,,,,,,,4\n", "rank: found \"4294967295\"; allowed: a whole number from 0 to 4095"),
            ("a,transfer,0,4096,5,,,,,4\n", "peer: found \"4096\"; allowed: a whole number from 0 to 4095"),
            ("a,receive,0,4294967295,,,,,,4\n", "peer: found \"4294967295\""),
        ] {
            let told = why(&format!("{head}{rows}"));
            assert!(told.contains(sentence), "{rows}: {told}");
        }
        assert!(why("task,kind\n").contains("the column \"rank\" is missing"));
        assert!(why("task,kind,rank,colour\n").contains("unknown column \"colour\""));
        assert!(why("").contains("the file is empty"));
        let circle = why(&format!("{head}a,join,0,,,,,b,,7\nb,join,0,,,,,a,,8\n"));
        assert!(circle.contains("a waits for b waits for a"), "{circle}");
    }
}
