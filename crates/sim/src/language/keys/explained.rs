//! A table as it is written out.

use super::Written;
use crate::language::{Text, quote};

/// A table as it is written out: its keys in their order, with what counts where a key is not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explained(Vec<Row>);

#[derive(Clone, Debug, PartialEq)]
struct Row {
    key: &'static str,
    /// `None`: it is not given and has no default.
    value: Option<Written>,
    /// What it means.
    sentence: &'static str,
}

impl Explained {
    /// Adds a key; `meaning` is its comment.
    pub fn add(&mut self, key: &'static str, meaning: &'static str, value: Option<Written>) {
        self.0.push(Row { key, value, sentence: first_sentence(meaning) });
    }

    /// Adds the keys of another table.
    pub fn append(&mut self, mut other: Explained) {
        self.0.append(&mut other.0);
    }

    /// Says what counts for a key that is not given: `"signalling_slots"`, or `"assembly.timer"` in a table.
    pub fn derive(&mut self, path: &str, value: Written) {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        let row = self.0.iter_mut().find(|row| row.key == key).expect("what is derived is a key of the table");
        match (rest, &mut row.value) {
            (Some(rest), Some(Written::Table(table))) => table.derive(rest, value),
            (_, unsaid) => *unsaid = Some(value),
        }
    }

    /// The same, with a reason instead of what the key means.
    pub fn derive_since(&mut self, key: &str, value: Written, reason: &'static str) {
        self.derive(key, value);
        self.0.iter_mut().filter(|row| row.key == key).for_each(|row| row.sentence = reason);
    }

    /// The same as a table of a kind, which this key says.
    pub fn of_kind(mut self, key: &'static str, kind: &str) -> Explained {
        self.0.insert(0, Row { key, value: Some(Written::Inline(quote(kind))), sentence: "" });
        self
    }

    /// Leaves out keys that are of no use here.
    pub fn leave_out(&mut self, keys: &[&str]) {
        self.0.retain(|row| !keys.contains(&row.key));
    }

    /// On one line.
    pub fn inline(&self) -> String {
        let said = self.0.iter().filter_map(|row| Some((row.key, row.value.as_ref()?)));
        let rows: Vec<String> = said.map(|(key, value)| format!("{key} = {}", value.inline())).collect();
        format!("{{ {} }}", rows.join(", "))
    }

    /// Writes the keys, then lists of tables as sections below `name`.
    pub fn write(&self, name: &str, text: &mut Text) {
        const SHORT: usize = 6;
        let said = || self.0.iter().filter_map(|row| Some((row, row.value.as_ref()?)));
        let is_section =
            |value: &Written| matches!(value, Written::Tables(all) if all.iter().any(|one| one.0.len() > SHORT));
        for (row, value) in said().filter(|(_, value)| !is_section(value)) {
            match value {
                Written::Tables(tables) => {
                    text.line(&format!("{} = [", row.key));
                    tables.iter().for_each(|table| text.line(&format!("    {},", table.inline())));
                    text.line("]");
                }
                value => text.key(row.key, value.inline(), row.sentence),
            }
        }
        for (row, value) in said().filter(|(_, value)| is_section(value)) {
            let Written::Tables(tables) = value else { continue };
            let section = format!("{name}.{}", row.key);
            for table in tables {
                text.line(&format!("\n[[{section}]]"));
                table.write(&section, text);
            }
        }
    }
}

/// The first sentence of a comment, without its end.
fn first_sentence(meaning: &'static str) -> &'static str {
    let meaning = meaning.trim();
    let end = meaning.find(". ").map_or(meaning, |end| &meaning[..end]);
    end.strip_suffix('.').unwrap_or(end)
}
