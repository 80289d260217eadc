//! The kinds of switching, as the list and the schema have them.

use serde_json::Value;

/// The kinds that a scenario may name, as its schema has them.
fn kinds() -> Vec<String> {
    let schema: Value = serde_json::from_str(&crate::scenario::schema()).unwrap();
    let variants = schema["$defs"]["Switching"]["oneOf"].as_array().unwrap();
    let mut kinds: Vec<_> =
        variants.iter().map(|one| one["properties"]["kind"]["const"].as_str().unwrap().to_owned()).collect();
    kinds.sort();
    kinds
}

#[test]
fn every_kind_of_switching_is_listed_once_and_in_order() {
    let listed: Vec<_> = crate::switching::list().iter().map(|entry| entry.name).collect();
    assert_eq!(listed, kinds());
}
