//! Who names whom, read from sources: `use`, `super::…`, `self::…` and `crate::…` outside tests.
//!
//! At every level of folders a file and the folder of its name are one: `port.rs` and `port/…` are the parts of one
//! type, and say so with `super::`. A name that the head of a folder hands on is the head's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where a file or something in it is: the names of its modules below the root.
pub type Module = Vec<String>;

/// All modules below a folder with their code: no tests, no comments.
pub fn modules(root: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    add_modules(root, root, &mut found);
    found
}

fn add_modules(root: &Path, folder: &Path, found: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            add_modules(root, &path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
        let code: Vec<&str> = code.map(|line| line.split("//").next().unwrap()).collect();
        let place = path.strip_prefix(root).unwrap().with_extension("");
        let mut module: Module = place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if stem == "mod" || module == ["lib"] {
            module.pop();
        }
        found.insert(module, code.join("\n"));
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
pub fn paths(code: &str) -> Vec<Module> {
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

/// The module below the root in which a path that stands in `from` ends, if it is one of them. `root` is the root's
/// name behind `crate`.
pub fn target(root: &[&str], from: &Module, path: &Module, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut whole = match path.first()?.as_str() {
        "crate" if path[1..].iter().map(String::as_str).take(root.len()).eq(root.iter().copied()) => {
            path[1 + root.len()..].to_vec()
        }
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

/// Who names whom below a folder, which is called `root` behind `crate`. The root itself is left out.
pub fn arrows(folder: &Path, root: &[&str]) -> BTreeSet<(Module, Module)> {
    let all = modules(folder);
    let named = |(from, code): (&Module, &String)| {
        let targets = paths(code).into_iter().filter_map(|path| target(root, from, &path, &all));
        targets.filter(|to| to != from).map(|to| (from.clone(), to)).collect::<Vec<_>>()
    };
    all.iter().flat_map(named).filter(|(from, to)| !from.is_empty() && !to.is_empty()).collect()
}

/// The names of a folder that lead back to themselves, folder by folder. From a file to one of its parts, or back, is
/// within one, unless the head of the folder counts as a file like the others.
pub fn circles(arrows: BTreeSet<(Module, Module)>, head_counts: impl Fn(&[String]) -> bool) -> BTreeSet<Vec<String>> {
    // The names of a folder, and which of them name which.
    let mut levels: BTreeMap<Module, BTreeSet<(String, String)>> = BTreeMap::new();
    for (from, to) in arrows {
        let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        let name = |module: &Module| {
            module.get(shared).cloned().or_else(|| head_counts(&from[..shared]).then(|| "mod".to_owned()))
        };
        if let (Some(from_name), Some(to_name)) = (name(&from), name(&to)) {
            levels.entry(from[..shared].to_vec()).or_default().insert((from_name, to_name));
        }
    }
    levels.iter().flat_map(|(folder, arrows)| circles_of(&folder.join("/"), arrows)).collect()
}

fn circles_of(folder: &str, arrows: &BTreeSet<(String, String)>) -> BTreeSet<Vec<String>> {
    let reached = |start: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start.clone()]);
        while let Some(name) = next.pop() {
            next.extend(
                arrows.iter().filter(|(from, to)| *from == name && seen.insert(to.clone())).map(|a| a.1.clone()),
            );
        }
        seen
    };
    let circle = |(name, _): &(String, String)| {
        let others = reached(name).into_iter().filter(|other| reached(other).contains(name));
        others.map(|other| format!("{folder}/{other}")).collect::<Vec<_>>()
    };
    arrows.iter().map(circle).filter(|circle| !circle.is_empty()).collect()
}
