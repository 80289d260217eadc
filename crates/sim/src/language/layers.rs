//! From files to one tree: `extends` below, the file itself above, `--set` on top.
//!
//! Tables merge key by key; everything else, lists too, replaces what was below. A table whose `kind` or `law` differs
//! from the one below replaces it as a whole, since the keys of one kind mean nothing to another. `drop` takes keys of
//! what is below away before.

use super::error::Error;
use super::json;
use super::paths::{self, split_path, step};
use super::tree::{Entry, Files, Node, Origin, SourceText, TextKind, Tree, Value, join, quoted};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The longest chain of `extends`.
const MAX_LAYERS: usize = 16;
/// The largest scenario text.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// What some editors write in front of UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where a scenario comes from.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A file: JSON if its name ends with `.json`, else TOML.
    File(&'a Path),
    /// A TOML text; `name` stands for the file in messages, relative paths start from `folder`.
    Text {
        /// What messages call it.
        name: &'a str,
        /// The TOML.
        text: &'a str,
        /// Where relative paths start.
        folder: &'a Path,
    },
    /// The same as JSON, which is how a Python dict comes; messages name keys only.
    Json {
        /// The JSON.
        text: &'a str,
        /// Where relative paths start.
        folder: &'a Path,
    },
}

/// Reads a source with everything it extends, and applies the assignments.
pub(crate) fn read(source: Input<'_>, set: &[(String, String)]) -> Result<Tree, Error> {
    let mut files = Files::default();
    let (top, mut chain) = first(source, &mut files)?;
    let mut layers = vec![top];
    while let Some((base, origin)) = take_extends(layers.last_mut(), &files)? {
        let path = files.get(origin).folder.join(&base);
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        let wrong = |why: &str| files.error_at(origin, "extends".into(), format!("found {}: {why}", quoted(&base)));
        if chain.contains(&identity) {
            return Err(wrong("the files extend one another"));
        }
        if layers.len() >= MAX_LAYERS {
            return Err(wrong("more than 16 layers"));
        }
        let text = read_text(&path, MAX_TEXT_BYTES).map_err(|why| wrong(&why))?;
        let file = files.add(file_text(&path, text));
        layers.push(parse(file, &files)?);
        chain.push(identity);
    }
    // From the bottom up, since a layer means the kinds of what is below it.
    let mut root = Node { value: Value::Table(BTreeMap::new()), origin: Origin { file: 0, start: 0 }, id: 0 };
    while let Some(mut over) = layers.pop() {
        if let Some((dropped, origin)) = take_drop(&mut over, &files)? {
            paths::remove(&mut root, &dropped).map_err(|why| files.error_at(origin, "drop".into(), why))?;
        }
        root = merge(root, over);
    }
    name_run(&mut root, &files);
    for (path, value) in set {
        assign(&mut root, path, value, &mut files)?;
    }
    let mut tree = Tree::new(root, files);
    anchor_paths(&mut tree);
    Ok(tree)
}

/// The top layer, and the identity of its file, if it is one.
fn first(source: Input<'_>, files: &mut Files) -> Result<(Node, Vec<PathBuf>), Error> {
    match source {
        Input::File(path) => {
            let text = read_text(path, MAX_TEXT_BYTES).map_err(|why| Error::of_file(&path.to_string_lossy(), why))?;
            let file = files.add(file_text(path, text));
            Ok((parse(file, files)?, vec![path.canonicalize().unwrap_or_else(|_| path.to_owned())]))
        }
        Input::Text { name, text, folder } => {
            let (name, text, folder) = (name.to_owned(), text.to_owned(), folder.to_owned());
            let file = files.add(SourceText { name, text, folder, kind: TextKind::Toml });
            Ok((parse(file, files)?, Vec::new()))
        }
        Input::Json { text, folder } => {
            let (name, text, folder) = (String::new(), text.to_owned(), folder.to_owned());
            let file = files.add(SourceText { name, text, folder, kind: TextKind::Dict });
            Ok((parse(file, files)?, Vec::new()))
        }
    }
}

fn file_text(path: &Path, text: String) -> SourceText {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let is_json = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"));
    let kind = if is_json { TextKind::Json } else { TextKind::Toml };
    SourceText { name: path.to_string_lossy().into_owned(), text, folder, kind }
}

/// A regular file of bounded size in UTF-8, without a byte-order mark, or why not.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, String> {
    let cannot = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("the file cannot be read: {why}"),
    };
    let about = std::fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err("not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(cannot)?.take(limit + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > limit {
        return Err(format!("the file is larger than {} MB", limit >> 20));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes)
        .map_err(|why| format!("not UTF-8 text: the byte at {} is wrong", why.utf8_error().valid_up_to()))
}

/// The tree of one text.
fn parse(file: u32, files: &Files) -> Result<Node, Error> {
    let source = &files.0[file as usize];
    if source.text.len() as u64 > MAX_TEXT_BYTES {
        return Err(Error::of_file(&source.name, "the text is larger than 64 MB"));
    }
    match source.kind {
        TextKind::Toml | TextKind::Assignment => parse_toml(file, source),
        TextKind::Json | TextKind::Dict => parse_json(file, files),
    }
}

fn parse_json(file: u32, files: &Files) -> Result<Node, Error> {
    let source = &files.0[file as usize];
    let node = json::parse(&source.text, file).map_err(|wrong| {
        let error = Error::in_text(&source.name, &source.text, wrong.offset, wrong.message);
        let file = error.file.clone().filter(|_| source.kind != TextKind::Dict);
        Error { file, ..error }
    })?;
    match node.value {
        Value::Table(_) => Ok(node),
        _ => {
            let message = format!("found {}; allowed: a table", node.describe());
            Err(files.error_at(node.origin, String::new(), message))
        }
    }
}

fn parse_toml(file: u32, source: &SourceText) -> Result<Node, Error> {
    match DeTable::parse(&source.text) {
        Ok(table) => Ok(Node::from_toml(&table, file)),
        Err(why) => {
            let offset = why.span().map_or(0, |span| span.start);
            Err(Error::in_text(
                &source.name,
                &source.text,
                offset,
                format!("not TOML: {}", why.message().replace('\n', ", ")),
            ))
        }
    }
}

/// Removes `extends` from a layer.
fn take_extends(layer: Option<&mut Node>, files: &Files) -> Result<Option<(String, Origin)>, Error> {
    let Some(Value::Table(entries)) = layer.map(|layer| &mut layer.value) else { return Ok(None) };
    let Some(entry) = entries.remove("extends") else { return Ok(None) };
    match entry.node.value {
        Value::Text(base) => Ok(Some((base, entry.node.origin))),
        _ => {
            let message = format!("found {}; allowed: the path of a scenario in quotes", entry.node.describe());
            Err(files.error_at(entry.node.origin, "extends".into(), message))
        }
    }
}

/// Removes `drop` from a layer.
fn take_drop(layer: &mut Node, files: &Files) -> Result<Option<(Vec<String>, Origin)>, Error> {
    let Value::Table(entries) = &mut layer.value else { return Ok(None) };
    let Some(entry) = entries.remove("drop") else { return Ok(None) };
    let texts = match &entry.node.value {
        Value::List(items) => items.iter().map(Node::text).collect(),
        _ => None,
    };
    let found = || format!("found {}; allowed: a list of paths, as in [\"traffic.0\"]", entry.node.describe());
    let paths = texts.ok_or_else(|| files.error_at(entry.node.origin, "drop".into(), found()))?;
    Ok(Some((paths, entry.node.origin)))
}

/// `over` on top of `base`.
fn merge(base: Node, over: Node) -> Node {
    let (Value::Table(below), Value::Table(above)) = (base.value, over.value.clone()) else { return over };
    if ["kind", "law"].iter().any(|tag| differs(below.get(*tag), above.get(*tag))) {
        return over;
    }
    let mut merged = below;
    for (key, entry) in above {
        let entry = match merged.remove(&key) {
            Some(old) => Entry { key: entry.key, node: merge(old.node, entry.node) },
            None => entry,
        };
        merged.insert(key, entry);
    }
    Node { value: Value::Table(merged), origin: over.origin, id: 0 }
}

fn differs(below: Option<&Entry>, above: Option<&Entry>) -> bool {
    matches!((below, above), (Some(below), Some(above)) if below.node.value != above.node.value)
}

/// A run without a name has that of its file, without the ending.
fn name_run(root: &mut Node, files: &Files) {
    let Some(Value::Table(run)) = child(root, "run").map(|run| &mut run.value) else { return };
    let origin = Origin { file: 0, start: 0 };
    let name = Path::new(&files.get(origin).name).file_stem().map_or("scenario".into(), |stem| stem.to_string_lossy());
    let node = Node { value: Value::Text(name.into_owned()), origin, id: 0 };
    run.entry("name".to_owned()).or_insert(Entry { key: origin, node });
}

/// One `--set path=value`. The value is TOML if it reads as such, else a text, so that shells need no double quotes.
fn assign(root: &mut Node, path: &str, value: &str, files: &mut Files) -> Result<(), Error> {
    let folder = PathBuf::new();
    let name = "--set".to_owned();
    let file = files.add(SourceText { name, text: value.to_owned(), folder, kind: TextKind::Assignment });
    let origin = Origin { file, start: 0 };
    let wrong = |message: String| files.error_at(origin, path.to_owned(), message);
    let keys =
        split_path(path).ok_or_else(|| wrong("allowed: a path such as run.duration or traffic.0.size".into()))?;
    if let top @ ("drop" | "extends") = keys[0].as_str() {
        return Err(wrong(format!("the key {} stands in a file; allowed: the path of a value", quoted(top))));
    }
    let value = match DeValue::parse(value) {
        Ok(parsed) => match Node::from_toml_value(&parsed, file).value {
            Value::Date(_) | Value::Other(_) => Value::Text(value.to_owned()),
            parsed => parsed,
        },
        Err(_) => Value::Text(value.to_owned()),
    };
    let mut node = root;
    let mut walked = String::new();
    for (position, key) in keys.iter().enumerate() {
        let next_is_index = keys.get(position + 1).is_some_and(|next| next.parse::<usize>().is_ok());
        node = step(node, key, next_is_index, origin).map_err(|message| wrong(format!("{walked}{message}")))?;
        walked = format!("at {}: ", keys[..=position].iter().fold(String::new(), |path, key| join(&path, key)));
    }
    *node = Node { value, origin, id: 0 };
    Ok(())
}

/// Makes the paths of data files absolute: each is relative to the folder of the text that names it (of a `--set`: to
/// the working directory), and the layered text must mean the same from anywhere.
fn anchor_paths(tree: &mut Tree) {
    let Tree { root, files } = tree;
    let Value::Table(entries) = &mut root.value else { return };
    if let Some(path) = entries.get_mut("topology").and_then(|topology| child(&mut topology.node, "path")) {
        anchor(path, files);
    }
    if let Some(topology) = entries.get_mut("topology") {
        anchor_orbits(&mut topology.node, files);
    }
    if let Some(path) = entries.get_mut("external").and_then(|external| child(&mut external.node, "recording")) {
        anchor(path, files);
    }
    if let Some(switching) = entries.get_mut("switching").map(|switching| &mut switching.node) {
        ["file", "demand"]
            .into_iter()
            .for_each(|key| child(switching, key).into_iter().for_each(|path| anchor(path, files)));
        child(switching, "class").filter(|class| is_in_file(class)).into_iter().for_each(|class| anchor(class, files));
    }
    if let Some(Value::Table(transports)) = entries.get_mut("transport").map(|transports| &mut transports.node.value) {
        let laws = transports.values_mut().filter_map(|transport| child(&mut transport.node, "law"));
        laws.filter(|law| is_in_file(law)).for_each(|law| anchor(law, files));
    }
    if let Some(Value::List(traces)) = entries.get_mut("link_trace").map(|traces| &mut traces.node.value) {
        traces.iter_mut().filter_map(|trace| child(trace, "file")).for_each(|path| anchor(path, files));
    }
    if let Some(Value::List(items)) = entries.get_mut("traffic").map(|traffic| &mut traffic.node.value) {
        for item in items.iter_mut() {
            child(item, "file").into_iter().for_each(|path| anchor(path, files));
            let work = child(item, "work").and_then(|work| child(work, "file"));
            work.into_iter().for_each(|path| anchor(path, files));
            let law = child(item, "size_law").and_then(|law| child(law, "file"));
            law.into_iter().for_each(|path| anchor(path, files));
        }
    }
}

/// Whether a class is in a file of Python; a module has no path.
fn is_in_file(class: &Node) -> bool {
    matches!(&class.value, Value::Text(class) if class.contains(".py:"))
}

/// The files of a constellation, and the folder in which its contacts are kept: beside the text that names it.
fn anchor_orbits(topology: &mut Node, files: &Files) {
    let origin = topology.origin;
    let Value::Table(keys) = &mut topology.value else { return };
    if keys.get("kind").is_none_or(|kind| kind.node.value != Value::Text("constellation".to_owned())) {
        return;
    }
    let here = Node { value: Value::Text(".".to_owned()), origin, id: 0 };
    keys.entry("cache".to_owned()).or_insert(Entry { key: origin, node: here });
    let is_file = |node: &Node| !matches!(&node.value, Value::Text(text) if text == "+grid" || text == "none");
    let found = ["tle", "cities", "lasers", "cache"];
    let files_of = keys.iter_mut().filter(|(key, entry)| found.contains(&key.as_str()) && is_file(&entry.node));
    files_of.for_each(|(_, entry)| anchor(&mut entry.node, files));
}

fn child<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    match &mut node.value {
        Value::Table(entries) => entries.get_mut(key).map(|entry| &mut entry.node),
        _ => None,
    }
}

fn anchor(node: &mut Node, files: &Files) {
    if let Value::Text(path) = &mut node.value {
        let joined = files.get(node.origin).folder.join(&*path);
        *path = std::path::absolute(&joined).unwrap_or(joined).to_string_lossy().into_owned();
    }
}
