//! The rooms of the engine know one another in one direction, and its files form no circles, read from their sources:
//! `use`, `super::…` and `crate::engine::…` outside tests.
//!
//! At every level of folders a file and the folder of its name are one: `port.rs` and `port/…` are the parts of one
//! type, and say so with `super::`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms. Each knows those before it; `world` puts all together.
const ROOMS: [&str; 7] = ["packet", "link", "node", "execute", "observe", "parallel", "world"];

/// Where a file or something in it is: the names of its modules below `engine`.
type Module = Vec<String>;

fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine")
}

/// All modules below a folder with their code: no tests, no comments.
fn modules(folder: &Path, found: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            modules(&path, found);
        } else if stem != "tests" && !stem.ends_with("_tests") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
            let code: Vec<&str> = code.map(|line| line.split("//").next().unwrap()).collect();
            let place = path.strip_prefix(engine()).unwrap().with_extension("");
            let mut module: Module = place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if stem == "mod" {
                module.pop();
            }
            found.insert(module, code.join("\n"));
        }
    }
}

/// The paths of a `use` tree, those in braces too.
fn leaves(tree: &str, before: &[String], found: &mut Vec<Module>) {
    let (path, list) = tree.split_once('{').unwrap_or((tree, ""));
    let mut names: Vec<String> = before.to_vec();
    names.extend(path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned));
    if !tree.contains('{') {
        return found.push(names);
    }
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                if !list[start..at].trim().is_empty() {
                    leaves(&list[start..at], &names, found);
                }
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

/// All paths that a text names.
fn paths(code: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let begins = rest[..at].chars().next_back().is_none_or(|c| c.is_whitespace());
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        if begins {
            leaves(&rest[at + 4..end], &[], &mut found);
        }
        rest = &rest[if begins { end } else { at + 4 }..];
    }
    for start in ["super::", "crate::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let path = code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':');
            found.push(
                path.collect::<String>().split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            );
        }
    }
    found
}

/// The module of the engine in which a path that stands in `from` ends, if it is one of them.
fn target(from: &Module, path: &Module, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut whole = match path.first()?.as_str() {
        "crate" if path.get(1).is_some_and(|name| name == "engine") => path[2..].to_vec(),
        "self" => [&from[..], &path[1..]].concat(),
        "super" => {
            let ups = path.iter().take_while(|name| *name == "super").count();
            [&from[..from.len().checked_sub(ups)?], &path[ups..]].concat()
        }
        child => {
            let inside = [&from[..], &[child.to_owned()]].concat();
            all.contains_key(&inside).then(|| [&from[..], path].concat())?
        }
    };
    while !all.contains_key(&whole) {
        whole.pop()?;
    }
    Some(whole)
}

/// Who names whom.
fn arrows() -> BTreeSet<(Module, Module)> {
    let mut all = BTreeMap::new();
    modules(&engine(), &mut all);
    let named = |(from, code): (&Module, &String)| {
        let targets = paths(code).into_iter().filter_map(|path| target(from, &path, &all));
        targets.filter(|to| to != from).map(|to| (from.clone(), to)).collect::<Vec<_>>()
    };
    all.iter().flat_map(named).filter(|(from, to)| !from.is_empty() && !to.is_empty()).collect()
}

fn rank(module: &Module) -> usize {
    let room = ROOMS.iter().position(|room| *room == module[0]);
    room.unwrap_or_else(|| panic!("{} is in no room", module.join("/")))
}

#[test]
fn a_room_knows_only_rooms_to_its_left() {
    let wrong = arrows().into_iter().filter(|(from, to)| rank(from) < rank(to));
    let wrong: Vec<String> = wrong.map(|(from, to)| format!("{} knows {}", from.join("/"), to.join("/"))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_form_no_circles() {
    // The names of a folder, and which of them name which.
    let mut levels: BTreeMap<Module, BTreeSet<(String, String)>> = BTreeMap::new();
    for (from, to) in arrows() {
        let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        // From a file to one of its parts, or back, is within one; a room's `mod.rs` is a file like the others.
        let name = |module: &Module| {
            module.get(shared).cloned().or((shared == 1 && from[0] != "world").then(|| "mod".to_owned()))
        };
        if let (1.., Some(from_name), Some(to_name)) = (shared, name(&from), name(&to)) {
            levels.entry(from[..shared].to_vec()).or_default().insert((from_name, to_name));
        }
    }
    let mut found = BTreeSet::new();
    for (folder, arrows) in &levels {
        let reached = |start: &String| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![start.clone()]);
            while let Some(name) = next.pop() {
                next.extend(
                    arrows.iter().filter(|(from, to)| *from == name && seen.insert(to.clone())).map(|a| a.1.clone()),
                );
            }
            seen
        };
        for (name, _) in arrows {
            let circle = reached(name).into_iter().filter(|other| reached(other).contains(name));
            let circle: Vec<String> = circle.map(|other| format!("{}/{other}", folder.join("/"))).collect();
            if !circle.is_empty() {
                found.insert(circle);
            }
        }
    }
    assert_eq!(found, BTreeSet::<Vec<String>>::new());
}

#[test]
fn paths_are_read_as_the_compiler_does() {
    let read: BTreeSet<String> = paths("pub use a::{self, b::{C, d::E}, F};\nlet x = super::super::g::H;\n")
        .into_iter()
        .map(|path| path.join("::"))
        .collect();
    let expected = ["a::self", "a::b::C", "a::b::d::E", "a::F", "super::super::g::H", "super::g::H"];
    assert_eq!(read, expected.map(str::to_owned).into());
    let all: BTreeMap<Module, String> = ["link", "link/port", "link/port/changes", "node"]
        .map(|name| (name.split('/').map(str::to_owned).collect(), String::new()))
        .into();
    let ends = |from: &str, path: &str| {
        let split = |text: &str, by| text.split(by).map(str::to_owned).collect::<Module>();
        target(&split(from, "/"), &split(path, "::"), &all).map(|module| module.join("/"))
    };
    assert_eq!(ends("link/port/changes", "super::Port").as_deref(), Some("link/port"));
    assert_eq!(ends("link/port", "crate::engine::node::Hosts").as_deref(), Some("node"));
    assert_eq!(ends("link/port", "changes::Change").as_deref(), Some("link/port/changes"));
    assert_eq!((ends("link/port", "crate::model::LinkId"), ends("link/port", "units::Rate")), (None, None));
}

#[test]
fn one_module_fetches_into_the_cache() {
    let mut all = BTreeMap::new();
    modules(&engine(), &mut all);
    let fetching = all.iter().filter(|(_, code)| code.contains("prefetch_index")).map(|(module, _)| module.join("/"));
    assert_eq!(fetching.collect::<Vec<_>>(), ["packet/prefetch"]);
}
