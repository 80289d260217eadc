//! What is wrong with a user's input, and where.

use std::fmt;

/// The one message a user gets about bad input: place, key, what was found, what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file, or `--set` for an assignment of the command line; `None` where there is no file (a Python dict).
    pub file: Option<String>,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// The path of the key, as `--set` takes it: `traffic.0.size`. Empty where the text is not even readable.
    pub key: String,
    /// What was found, what is allowed, and the nearest valid name.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}", shown(file, MOST_SHOWN))?;
            if let (Some(line), Some(column)) = (self.line, self.column) {
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", shown(&self.key, MOST_OF_A_KEY))?;
        }
        write!(f, "{}", shown(&self.message, MOST_SHOWN))
    }
}

impl std::error::Error for Error {}

/// Characters of a message; lists of what is allowed are shorter.
const MOST_SHOWN: usize = 4000;
/// Characters of a key in a message.
const MOST_OF_A_KEY: usize = 200;

/// A user's words as a terminal may have them: nothing that moves its cursor or turns its writing, and no more than
/// `most` characters.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    for letter in text.chars().take(most) {
        match letter {
            // Directions of writing, and lines that are not feeds.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(letter.escape_unicode());
            }
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

impl Error {
    /// The place alone, by its key and its line; the file only if it is not `here`.
    pub(crate) fn place(&self, here: Option<&str>) -> String {
        let line = self.line.map(|line| format!(" on line {line}")).unwrap_or_default();
        let file = self.file.as_deref().filter(|file| Some(*file) != here).map(|file| format!(" of {file}"));
        format!("{}{line}{}", self.key, file.unwrap_or_default())
    }

    /// A file that cannot be used at all.
    pub(crate) fn of_file(file: &str, message: impl Into<String>) -> Error {
        Error { file: Some(file.to_owned()), line: None, column: None, key: String::new(), message: message.into() }
    }

    /// A mistake at byte `offset` of a file's text.
    pub(crate) fn in_text(file: &str, text: &str, offset: usize, message: impl Into<String>) -> Error {
        let (line, column) = position(text, offset);
        Error { line: Some(line), column: Some(column), ..Error::of_file(file, message) }
    }
}

/// Line and column, both from 1, of a byte offset; the column counts characters.
pub(crate) fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    // Continuation bytes of UTF-8 are not characters of their own.
    let column = before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    (line as u32 + 1, column as u32 + 1)
}

/// A mistake found while a scenario is read or resolved, placed in the tree; [`super::tree::Tree::error`] makes the
/// user's message of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub place: Place,
    pub message: String,
    /// What it contradicts, if the message is to end with where that is.
    pub first: Option<Place>,
    /// Whether a key is missing: from a table that `--set` began, its place may be the mistake.
    pub is_missing: bool,
}

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Not known yet: whoever knows the innermost node fills it in.
    Unknown,
    /// The value of this node of the tree.
    Node(u32),
    /// This key of a table.
    Key(u32, String),
    /// A position in a data file that this node names.
    Data { node: u32, file: String, line: u32, column: u32 },
}

impl Place {
    /// This place, or `other` if it is not known.
    pub fn or_at(self, other: &Place) -> Place {
        if self == Place::Unknown { other.clone() } else { self }
    }
}

impl Fault {
    pub fn new(place: Place, message: impl Into<String>) -> Fault {
        Fault { place, message: message.into(), first: None, is_missing: false }
    }

    /// The fault that something says again what has been said in another place.
    pub fn twice(place: Place, first: Place, message: impl Into<String>) -> Fault {
        Fault { place, message: message.into(), first: Some(first), is_missing: false }
    }

    /// The fault that a table lacks a key.
    pub fn missing(place: Place, message: impl Into<String>) -> Fault {
        Fault { is_missing: true, ..Fault::new(place, message) }
    }

    /// The fault, at `place` if it has none of its own.
    pub fn or_at(mut self, place: Place) -> Fault {
        if self.place == Place::Unknown {
            self.place = place;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_from_one() {
        assert_eq!(position("ab\nµs = 1", 0), (1, 1));
        // Line 2: 'µ' is two bytes, so 's' stands at byte 5 and in column 2.
        assert_eq!(position("ab\nµs = 1", 5), (2, 2));
        assert_eq!(position("ab\n", 99), (2, 1));
    }
}
