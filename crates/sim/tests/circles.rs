//! The files of every crate form no circles: what is read first needs nothing of what is read later. `engine_rooms.rs`
//! is stricter about the engine.

use crate::support::sources::{Module, arrows, circles, paths, target};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn the_files_of_no_crate_form_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let folders: Vec<_> = folders.filter(|folder| folder.is_dir()).collect();
    assert!(folders.len() >= 9, "{folders:?}");
    for folder in folders {
        let found = circles(arrows(&folder, &[]), |_| false);
        assert!(found.is_empty(), "{}: {found:#?}", folder.display());
    }
}

#[test]
fn a_circle_is_found_at_its_folder() {
    let module = |text: &str| text.split('/').map(str::to_owned).collect::<Module>();
    let arrow = |(from, to): (&str, &str)| (module(from), module(to));
    let found = |arrows: &[(&str, &str)]| circles(arrows.iter().copied().map(arrow).collect(), |_| false);
    assert_eq!(
        found(&[("a/b/x", "a/c"), ("a/c", "a/d"), ("a/d", "a/b")]),
        [["a/b", "a/c", "a/d"].map(str::to_owned).to_vec()].into()
    );
    assert_eq!(found(&[("a/b", "c"), ("c", "a")]), [["/a", "/c"].map(str::to_owned).to_vec()].into());
    // A file and its parts are one.
    assert!(found(&[("a", "a/b"), ("a/b", "a"), ("a/b", "a/c")]).is_empty());
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
        target(&["engine"], &split(from, "/"), &split(path, "::"), &all).map(|module| module.join("/"))
    };
    assert_eq!(ends("link/port/changes", "super::Port").as_deref(), Some("link/port"));
    assert_eq!(ends("link/port", "crate::engine::node::Hosts").as_deref(), Some("node"));
    assert_eq!(ends("link/port", "changes::Change").as_deref(), Some("link/port/changes"));
    assert_eq!((ends("link/port", "crate::model::LinkId"), ends("link/port", "units::Rate")), (None, None));
}
