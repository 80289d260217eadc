//! What a network can switch, by name.

/// One line of `photocol list switches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The `kind` of `[switching]`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "aapn",
        summary: "Slots of light: edge nodes with a queue for each other one send in the slots that a bufferless core grants.",
        source: "paper 003 (an agile all-photonic network), chapters 2 to 4",
    },
    Entry {
        name: "obs",
        summary: "Bursts of light: headers on a control channel reserve wavelengths ahead of them, hop by hop.",
        source: "paper 001; Qiao and Yoo 1999",
    },
    Entry {
        name: "ops",
        summary: "Packets of light: cut-through with a little RAM, slots or delay lines; edge nodes may pace XCP macroflows.",
        source: "paper 002 (XCP macroflows with optical RAM), §2.2 and §3.1; slots: Hluchyj and Karol 1988",
    },
    Entry {
        name: "packets",
        summary: "Every node with links is a router that stores and forwards each packet by itself (default).",
        source: "store and forward; RFC 1812",
    },
];

/// Every kind of switching, sorted by name.
pub fn list() -> &'static [Entry] {
    ENTRIES
}

#[cfg(test)]
mod tests {
    use super::list;
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
        let listed: Vec<_> = list().iter().map(|entry| entry.name).collect();
        assert_eq!(listed, kinds());
    }
}
