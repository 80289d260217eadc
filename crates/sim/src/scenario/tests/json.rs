//! JSON files: the same as TOML, with places.

use super::*;
use std::path::PathBuf;

/// A file in a folder of its own, removed when dropped.
struct File(PathBuf);

impl File {
    fn new(test: &str, name: &str, text: &str) -> File {
        let folder = std::env::temp_dir().join(format!("photocol-json-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        File(path)
    }

    /// The message about it, without the folder's name.
    fn message(&self) -> String {
        let folder = format!("{}/", self.0.parent().unwrap().display());
        load(Input::File(&self.0), &[]).unwrap_err().to_string().replace(&folder, "")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

#[test]
fn every_ready_made_scenario_reads_as_json_too() {
    for path in ready_made() {
        let loaded = load(Input::File(&path), &[]).unwrap();
        let value: toml::Value = toml::from_str(&loaded.text).unwrap();
        let file = File::new("ready-made", "same.JSON", &serde_json::to_string_pretty(&value).unwrap());
        let again = load(Input::File(&file.0), &[]).unwrap();
        same(&loaded.scenario, &again.scenario);
    }
}

#[test]
fn a_mistake_in_json_has_its_line_and_column() {
    // The value stands in line 3, column 40; the key before it in column 28.
    let text = "{\n \"run\": {\"duration\": \"1 s\"},\n \"topology\": {\"kind\": \"star\", \"hots\": 3}}";
    let file = File::new("mistake", "wrong.json", text);
    assert!(file.message().starts_with("wrong.json:3:31: topology.hots: unknown key \"hots\""), "{}", file.message());
    let file = File::new("mistake", "wrong.json", &text.replace("1 s", "1 parsec"));
    assert!(file.message().starts_with("wrong.json:2:22: run.duration: found \"1 parsec\""), "{}", file.message());
}

#[test]
fn what_is_no_json_says_where() {
    let message = |text: &str| File::new("no-json", "wrong.json", text).message();
    assert_eq!(message("{\n \"run\": {\"duration\" \"1 s\"}}"), "wrong.json:2:21: not JSON: expected `:`");
    assert_eq!(message("[1]"), "wrong.json:1:1: found a list; allowed: a table");
    assert_eq!(message("run.duration = 1"), "wrong.json:1:1: not JSON: expected value");
    assert_eq!(message(""), "wrong.json:1:1: not JSON: EOF while parsing a value");
    assert_eq!(
        message("{\"run\": {\"seed\": 1,\n\"seed\": 2}}"),
        "wrong.json:2:1: not JSON: the key \"seed\" is given twice"
    );
    assert_eq!(message("{\"run\":\n {\"seed\": 1e999}}"), "wrong.json:2:15: not JSON: number out of range");
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(70), "]".repeat(70));
    assert_eq!(message(&deep), "wrong.json:1:71: not JSON: nested more than 64 deep");
}

#[test]
fn json_extends_toml_and_the_other_way_round() {
    let base = File::new("layers", "base.json", r#"{"run": {"duration": "3 s", "seed": 5}}"#);
    let network = "[topology]\nkind = \"star\"\nleaves = 2\n[link_defaults]\ncapacity = \"1 Mbps\"\ndelay = \"1 ms\"\n";
    let middle = base.0.with_file_name("middle.toml");
    std::fs::write(&middle, format!("extends = \"base.json\"\n{network}")).unwrap();
    let top = base.0.with_file_name("top.json");
    std::fs::write(&top, r#"{"extends": "middle.toml", "run": {"seed": 6}}"#).unwrap();
    let scenario = load(Input::File(&top), &[]).unwrap().scenario;
    assert_eq!((scenario.run.seed, scenario.run.duration), (6, Duration::from_secs(3)));
    assert_eq!(scenario.run.name, "top");
}
