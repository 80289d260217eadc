//! The JSON Schema of a scenario, from the types in [`super::spec`].

use super::spec::Spec;
use serde_json::{Value, json};

/// The schema as JSON with sorted keys. The committed copy is `schema/scenario.json`.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Spec).to_value();
    if let Some(root) = schema.as_object_mut() {
        // What a layer does not say is said below it.
        root.remove("required");
        root.insert("anyOf".to_owned(), json!([{ "required": ["run"] }, { "required": ["extends"] }]));
    }
    let mut text = serde_json::to_string_pretty(&sorted(with_defaults(schema))).expect("a schema is plain JSON");
    text.push('\n');
    text
}

/// The same value with the keys of each object in order, whatever map another crate's features make of it.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// The same with the key `default` wherever a description ends with a default that is a value and not a sentence.
fn with_defaults(value: Value) -> Value {
    match value {
        Value::Object(mut members) => {
            let default = members.get("description").and_then(Value::as_str).and_then(default_of);
            if let Some(default) = default {
                members.insert("default".to_owned(), default);
            }
            Value::Object(members.into_iter().map(|(key, value)| (key, with_defaults(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_defaults).collect()),
        other => other,
    }
}

/// The value behind "Default " at the end of a description.
fn default_of(description: &str) -> Option<Value> {
    let (_, written) = description.rsplit_once("Default ")?;
    serde_json::from_str(written.trim_end().strip_suffix('.')?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_a_value_and_not_a_sentence() {
        let found = [
            ("Replications. Allowed: at least 1. Default 1.", Some(json!(1))),
            (r#"Statistics begin here. Default "0 s"."#, Some(json!("0 s"))),
            ("Whether it is. Default true.", Some(json!(true))),
            ("A share. Default 0.875.", Some(json!(0.875))),
            ("A name. Default: the file's name.", None),
            ("The only one. Default packets of one segment.", None),
            ("Nothing.", None),
        ];
        for (description, expected) in found {
            assert_eq!(default_of(description), expected, "{description}");
        }
    }
}
