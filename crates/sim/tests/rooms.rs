//! What the rooms of the simulator know of one another, read from their sources: `crate::…` outside tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every room and those that it may name. A room names only rooms that stand above it here, so there is no circle.
const ROOMS: &[(&str, &[&str])] = &[
    ("random", &[]),
    ("results", &[]),
    ("queue", &["random"]),
    ("links", &["random"]),
    ("model", &["random", "queue", "links"]),
    ("engine", &["random", "results", "queue", "links", "model"]),
    ("language", &["model"]),
    ("hosts", &["queue", "model", "engine", "language"]),
    ("applications", &["random", "model", "engine", "language"]),
    ("work", &["results", "model", "engine", "language"]),
    ("probes", &["results", "model", "engine", "language"]),
    ("topology", &["random", "queue", "links", "model", "language"]),
    ("traffic", &["random", "model"]),
    ("switching", &["random", "results", "queue", "links", "model", "engine", "language", "topology"]),
    (
        "scenario",
        &[
            "queue",
            "links",
            "model",
            "engine",
            "language",
            "hosts",
            "applications",
            "work",
            "probes",
            "topology",
            "switching",
        ],
    ),
    ("study", &["random", "results", "model", "engine", "hosts", "work", "traffic", "switching", "scenario"]),
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The Rust files of a folder, tests left out, each with its path and its text before `#[cfg(test)] mod tests`.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The first names behind every `crate::` of a text, those in braces too.
fn named(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split('}').next().unwrap_or("").split(',').map(|one| word(one.trim()))),
            None => drop(names.insert(word(rest))),
        }
    }
    names
}

fn room_of(path: &Path) -> String {
    let first = path.strip_prefix(src()).unwrap().components().next().unwrap();
    Path::new(first.as_os_str()).file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_room_names_only_rooms_that_it_may_know() {
    let known: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
    for (place, (room, may)) in ROOMS.iter().enumerate() {
        assert!(may.iter().all(|other| known[..place].contains(other)), "{room} knows a room below it");
    }
    let mut seen = BTreeSet::new();
    for (path, text) in files(&src()) {
        let room = room_of(&path);
        if room == "lib" {
            continue;
        }
        let rule = ROOMS.iter().find(|(name, _)| *name == room);
        let (_, may) = rule.unwrap_or_else(|| panic!("{} is in no room", path.display()));
        for other in named(&text).iter().filter(|other| known.contains(&other.as_str()) && **other != room) {
            assert!(may.contains(&other.as_str()), "{} names {other}, which {room} does not know", path.display());
            seen.insert((room.clone(), other.clone()));
        }
    }
    // The table is no wish: every arrow of it is drawn by some file.
    for (room, may) in ROOMS {
        let unused: Vec<_> =
            may.iter().filter(|other| !seen.contains(&(room.to_string(), other.to_string()))).collect();
        assert!(unused.is_empty(), "{room} may know {unused:?} and does not: take the arrow out of the table");
    }
}

#[test]
fn the_engine_names_no_kind_of_switching() {
    // Kinds of switching by their folders (packets are what the engine carries), and the words of theirs.
    let folders = std::fs::read_dir(src().join("switching")).unwrap().map(|entry| entry.unwrap().path());
    let kinds =
        folders.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let kinds: Vec<String> = kinds.filter(|kind| kind != "packets" && kind != "turns").collect();
    assert!(kinds.len() >= 3, "{kinds:?}");
    let words = ["macroflow", "wavelength", "burst", "photonic"];
    for (path, text) in files(&src().join("engine")) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let line = line.replace("std::ops", "").to_lowercase();
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                let names = kinds.iter().any(|kind| word == kind) || words.iter().any(|start| word.starts_with(start));
                assert!(!names, "{}: {line}", path.display());
            }
        }
    }
}

/// The rooms between a scenario and a run have no key of a property, and no module that declares one. `switching` has
/// keys of the same names, and loses bursts as fibres lose packets.
#[test]
fn properties_of_links_are_named_nowhere_else() {
    let general = ["mod", "property", "at_port"];
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let own = files(&src().join("links")).into_iter().map(|(path, _)| stem(&path));
    let own: Vec<String> =
        own.filter(|one| !general.contains(&&**one)).map(|one| format!("properties.{one}")).collect();
    assert!(own.len() >= 3, "{own:?}");
    let keys = sim::links::keys().iter().map(|key| format!("{:?}", key.key.name));
    let words: Vec<String> = keys.chain(own).collect();
    for room in ["model", "engine", "topology", "scenario", "study", "hosts", "traffic"] {
        for (path, text) in files(&src().join(room)) {
            let named = words.iter().find(|word| text.contains(&**word));
            assert_eq!(named, None, "{}", path.display());
        }
    }
}

#[test]
fn no_other_room_names_a_kind_of_host() {
    let folders = std::fs::read_dir(src().join("hosts")).unwrap().map(|entry| entry.unwrap().path());
    let kinds = folders.filter(|path| path.is_dir());
    let kinds = kinds.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    // Hosts outside are no transport's: they are a table of the scenario, as links are.
    let kinds: Vec<String> = kinds.filter(|kind| kind != "external").collect();
    assert!(kinds.len() >= 2, "{kinds:?}");
    for room in ["model", "engine", "language", "topology", "traffic", "switching", "scenario", "study"] {
        for (path, text) in files(&src().join(room)) {
            // The comments of keys are what users read.
            let is_read = |line: &str| match line.trim_start() {
                comment if comment.starts_with("///") => room == "scenario",
                line => !line.starts_with("//"),
            };
            for line in text.lines().filter(|line| is_read(line)) {
                for kind in &kinds {
                    // UDP is a protocol, too, whose headers captures write.
                    let is_said = |word: &str| word.eq_ignore_ascii_case(kind) && kind != "udp";
                    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let names = [format!("{kind:?}"), format!("hosts::{kind}")].iter().any(|name| line.contains(name));
                    assert!(!names && !words.any(is_said), "{}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn no_kind_of_switching_names_another() {
    let folder = src().join("switching");
    let kinds = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let kinds: Vec<String> = kinds.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    for kind in &kinds {
        for (path, text) in files(&folder.join(kind)) {
            for other in kinds.iter().filter(|other| *other != kind) {
                assert!(!text.contains(&format!("switching::{other}")), "{} names {other}", path.display());
            }
        }
    }
    let (path, text) = (folder.join("kind.rs"), std::fs::read_to_string(folder.join("kind.rs")).unwrap());
    assert!(!text.contains("crate::switching"), "{} names a kind", path.display());
}
