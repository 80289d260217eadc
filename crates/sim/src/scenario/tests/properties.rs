//! No text makes a reader panic, and a scenario that loads says so again when it is explained.

use super::{load_text, ready_made, root, same};
use crate::scenario::{fuzz, schema};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The ready-made scenarios as texts without layers, and the seeds for fuzzing.
fn corpus() -> &'static [String] {
    static CORPUS: OnceLock<Vec<String>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let texts = ready_made().into_iter().chain(seeds()).map(|path| std::fs::read_to_string(path).unwrap());
        texts.chain([schema()]).collect()
    })
}

/// Scenarios with what no ready-made one has.
fn seeds() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("fuzz/seeds")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Values that are at the edge of something.
const EDGES: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "nan",
    "-inf",
    "9223372036854775807",
    "\"\"",
    "\"0 s\"",
    "\"1e30 s\"",
    "\"random\"",
    "[]",
    "{}",
    "[[]]",
    "true",
    "\"18446744073709551615 B\"",
    "4294967295",
    "\"1 ps\"",
    "\"1 bps\"",
    "1979-05-27",
    "\"unlimited\"",
];

fn load_and_explain(text: &str) {
    fuzz(text.as_bytes());
    if let Ok(loaded) = load_text(text) {
        let explained = loaded.explain();
        let again = load_text(&explained).unwrap_or_else(|error| panic!("{error}\n{explained}"));
        same(&loaded.scenario, &again.scenario);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        fuzz(&bytes);
    }

    #[test]
    fn random_tokens_never_panic(tokens in proptest::collection::vec("[a-z_]{1,8}|[0-9.e-]{1,6}|[\\[\\]{}=\",.#\n<>/ \
        ]", 0..60)) {
        fuzz(tokens.concat().as_bytes());
    }

    #[test]
    fn a_changed_byte_never_panics(
        which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut bytes = corpus()[which.index(corpus().len())].clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        fuzz(&bytes);
    }

    #[test]
    fn a_cut_text_never_panics(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()) {
        let text = &corpus()[which.index(corpus().len())];
        fuzz(&text.as_bytes()[..at.index(text.len())]);
    }

    #[test]
    fn a_missing_line_is_refused_or_explained(
        which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()
    ) {
        let mut lines: Vec<&str> = corpus()[which.index(corpus().len())].lines().collect();
        lines.remove(at.index(lines.len()));
        load_and_explain(&lines.join("\n"));
    }
}

/// Keys of `[switching]` that name a file, and those that go with one: a seed is a text alone.
const WITH_FILES: [&str; 6] = ["file", "demand", "week", "rule", "slice", "class"];

#[test]
fn the_seeds_are_right_and_have_every_key_of_every_kind_of_switching() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in &corpus()[..ready_made().len() + seeds().len()] {
        let table: Value = toml::from_str(text).unwrap();
        if let Some(kind) = table["switching"]["kind"].as_str() {
            keys(&table["switching"], "", found.entry(kind.to_owned()).or_default());
        }
    }
    for path in seeds() {
        let text = std::fs::read_to_string(path).unwrap();
        load_and_explain(&text);
        load_text(&text).unwrap();
    }
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    for variant in schema["$defs"]["Switching"]["oneOf"].as_array().unwrap() {
        let kind = variant["properties"]["kind"]["const"].as_str().unwrap();
        let mut known = BTreeSet::new();
        keys_of_schema(variant, &schema, "", &mut known);
        let missing: Vec<&String> =
            known.difference(&found[kind]).filter(|key| !WITH_FILES.contains(&key.as_str())).collect();
        assert!(missing.is_empty(), "no seed of {kind} has {missing:?}");
    }
}

/// The keys of a table with those of the tables in it: "signal", "signal.age".
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, value)| {
            found.insert(format!("{path}{key}"));
            keys(value, &format!("{path}{key}."), found);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, path, found)),
        _ => {}
    }
}

/// The same of a schema.
fn keys_of_schema(value: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    if let Some(name) = value["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        keys_of_schema(&schema["$defs"][name], schema, path, found);
    }
    for option in value["anyOf"].as_array().into_iter().flatten().chain(value.get("items")) {
        keys_of_schema(option, schema, path, found);
    }
    for (key, value) in value["properties"].as_object().into_iter().flatten() {
        found.insert(format!("{path}{key}"));
        keys_of_schema(value, schema, &format!("{path}{key}."), found);
    }
}

/// Each value of each ready-made scenario and of each seed, replaced by each of [`EDGES`].
#[test]
fn a_changed_value_is_refused_or_explained() {
    for text in &corpus()[..ready_made().len() + seeds().len()] {
        for start in text.match_indices(" = ").map(|(at, _)| at + 3) {
            let length = text[start..].find(['\n', '#', ',', '}']).unwrap_or(0);
            for edge in EDGES {
                load_and_explain(&format!("{}{edge}{}", &text[..start], &text[start + length..]));
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a=", "}"), ("a.", ""), ("<a>", "</a>"), ("g [", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        fuzz(format!("a = {deep}").as_bytes());
        fuzz(deep.as_bytes());
        fuzz(format!("{deep} = 1").as_bytes());
    }
}

/// Whatever the transport is and however news of its path comes, what is explained means the same.
#[test]
fn every_transport_is_explained_as_it_is_whatever_news_it_hears() {
    let laws = transport::cc::registry().iter().map(|entry| entry.name);
    let presets = transport::tcp::presets().iter().map(|entry| entry.name);
    let hosts = crate::hosts::list().iter().map(|entry| entry.name);
    let mut explained = 0;
    for name in laws.chain(presets).chain(hosts) {
        for way in ["mark", "message", "schedule"] {
            let text = format!(
                "[run]\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\nbottleneck_capacity = \"100 Mbps\"\n\
                 bottleneck_delay = \"10 ms\"\n[[traffic]]\ntransport = \"{name}\"\nfrom = \"l0\"\nto = \"r0\"\n\
                 [[event]]\nat = \"0.5 s\"\nlink = \"left->right\"\ncapacity = \"50 Mbps\"\n\
                 [[news]]\nlink = \"left->right\"\nway = \"{way}\"\n"
            );
            load_and_explain(&text);
            explained += usize::from(load_text(&text).is_ok());
        }
    }
    assert!(explained > 100, "{explained}");
}
