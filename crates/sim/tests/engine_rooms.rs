//! The rooms of the engine know one another in one direction, and its files form no circles, not even with the heads of
//! their rooms.

use crate::support::sources::{Module, arrows, circles, modules};
use std::path::{Path, PathBuf};

/// The rooms. Each knows those before it; `world` puts all together.
const ROOMS: [&str; 7] = ["packet", "link", "node", "execute", "observe", "parallel", "world"];

fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine")
}

fn rank(module: &Module) -> usize {
    let room = ROOMS.iter().position(|room| *room == module[0]);
    room.unwrap_or_else(|| panic!("{} is in no room", module.join("/")))
}

#[test]
fn a_room_knows_only_rooms_to_its_left() {
    let wrong = arrows(&engine(), &["engine"]).into_iter().filter(|(from, to)| rank(from) < rank(to));
    let wrong: Vec<String> = wrong.map(|(from, to)| format!("{} knows {}", from.join("/"), to.join("/"))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_form_no_circles() {
    let found = circles(arrows(&engine(), &["engine"]), |folder| folder.len() == 1 && folder[0] != "world");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn one_module_fetches_into_the_cache() {
    let all = modules(&engine());
    let fetching = all.iter().filter(|(_, code)| code.contains("prefetch_index")).map(|(module, _)| module.join("/"));
    assert_eq!(fetching.collect::<Vec<_>>(), ["packet/prefetch"]);
}
