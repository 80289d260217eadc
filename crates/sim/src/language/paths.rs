//! Paths of keys in a tree, as `--set` and `drop` name them: `topology.routing`, `traffic.0.size`, `traffic.bulk.size`.

use super::nearest::choices;
use super::tree::{Entry, Node, Origin, Value, quoted};
use std::collections::BTreeMap;

/// The most keys in one path.
const MAX_PATH_KEYS: usize = 32;

/// The keys of a path; a key with dots stands in double quotes.
pub(super) fn split_path(path: &str) -> Option<Vec<String>> {
    let mut keys = vec![String::new()];
    let mut inside_quotes = false;
    for letter in path.trim().chars() {
        match letter {
            '"' => inside_quotes = !inside_quotes,
            '.' if !inside_quotes => keys.push(String::new()),
            _ => keys.last_mut()?.push(letter),
        }
    }
    let sound = !inside_quotes && keys.len() <= MAX_PATH_KEYS && keys.iter().all(|key| !key.is_empty());
    sound.then_some(keys)
}

/// The child of `node` that `key` names: a key of a table (made if it is missing), an index of a list (one past the
/// end appends), or the `name` of a table in a list.
pub(super) fn step<'n>(
    node: &'n mut Node,
    key: &str,
    next_is_index: bool,
    origin: Origin,
) -> Result<&'n mut Node, String> {
    let described = node.describe();
    let fresh = |list: bool| Node {
        value: if list { Value::List(Vec::new()) } else { Value::Table(BTreeMap::new()) },
        origin,
        id: 0,
    };
    match &mut node.value {
        Value::Table(entries) => {
            let entry = entries.entry(key.to_owned());
            Ok(&mut entry.or_insert_with(|| Entry { key: origin, node: fresh(next_is_index) }).node)
        }
        Value::List(items) => {
            let count = items.len();
            let index = match key.parse::<usize>() {
                Ok(index) => index,
                Err(_) => named(items, key)?,
            };
            if index == count {
                items.push(fresh(next_is_index));
            }
            items.get_mut(index).ok_or_else(|| format!("found the index {index}; allowed: 0 to {count}"))
        }
        _ => Err(format!("{described} has no key {}", quoted(key))),
    }
}

fn named(items: &[Node], key: &str) -> Result<usize, String> {
    let name = |item: &Node| match &item.value {
        Value::Table(entries) => match entries.get("name").map(|entry| &entry.node.value) {
            Some(Value::Text(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    let names: Vec<Option<String>> = items.iter().map(name).collect();
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    names.iter().position(|name| name.as_deref() == Some(key)).ok_or_else(|| match known.len() {
        0 => format!("found {}; allowed: the number of an item, below {}", quoted(key), items.len()),
        _ => format!("no item is named {}{}", quoted(key), choices(key, &known)),
    })
}

/// Where a value stands: keys of tables, and places in lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    Index(usize),
}

/// Removes what the paths name. The numbers of items are those before the first removal.
pub(super) fn remove(root: &mut Node, paths: &[String]) -> Result<(), String> {
    let mut places = paths.iter().map(|path| place(root, path)).collect::<Result<Vec<_>, String>>()?;
    places.sort();
    if let Some(at) = places.windows(2).position(|pair| pair[1].starts_with(&pair[0])) {
        let written: Vec<String> = places[at + 1].iter().map(Step::to_string).collect();
        return Err(format!("{} is named twice", quoted(&written.join("."))));
    }
    // Later items of a list first, so that the others stay where they were found.
    for place in places.iter().rev() {
        take(root, place);
    }
    Ok(())
}

/// Where a path leads.
fn place(root: &Node, path: &str) -> Result<Vec<Step>, String> {
    let keys = split_path(path).ok_or_else(|| format!("found {}; allowed: a path such as traffic.0", quoted(path)))?;
    let mut node = root;
    let mut steps = Vec::new();
    for key in &keys {
        let absent = |known: &[&str]| {
            let known = if known.is_empty() { String::new() } else { choices(key, known) };
            format!("there is no {} below{known}", quoted(path))
        };
        let (step, next) = match &node.value {
            Value::Table(entries) => {
                let known: Vec<&str> = entries.keys().map(String::as_str).collect();
                (Step::Key(key.clone()), entries.get(key).map(|entry| &entry.node).ok_or_else(|| absent(&known))?)
            }
            Value::List(items) => {
                let index = if key.bytes().all(|digit| digit.is_ascii_digit()) { key.parse().ok() } else { None };
                let index = index.map_or_else(|| named(items, key), Ok)?;
                (Step::Index(index), items.get(index).ok_or_else(|| absent(&[]))?)
            }
            _ => return Err(absent(&[])),
        };
        steps.push(step);
        node = next;
    }
    Ok(steps)
}

fn take(root: &mut Node, place: &[Step]) {
    let Some((last, above)) = place.split_last() else { return };
    let parent = above.iter().try_fold(root, |node, step| match (&mut node.value, step) {
        (Value::Table(entries), Step::Key(key)) => entries.get_mut(key).map(|entry| &mut entry.node),
        (Value::List(items), Step::Index(index)) => items.get_mut(*index),
        _ => None,
    });
    match (parent.map(|node| &mut node.value), last) {
        (Some(Value::Table(entries)), Step::Key(key)) => drop(entries.remove(key)),
        (Some(Value::List(items)), Step::Index(index)) => drop(items.remove(*index)),
        _ => {}
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Key(key) => f.write_str(key),
            Step::Index(index) => write!(f, "{index}"),
        }
    }
}
