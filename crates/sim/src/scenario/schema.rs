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
    let mut text = serde_json::to_string_pretty(&sorted(schema)).expect("a schema is plain JSON");
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
