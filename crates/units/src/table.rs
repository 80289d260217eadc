//! Tables as text: CSV by RFC 4180, heads and rows alike.
//!
//! A field may be in quotes, and a quote within it is doubled; within quotes commas and line breaks belong to the
//! field. Beyond the RFC: blanks around a field and around its quotes are not part of it, empty lines and lines that
//! begin with `#` are passed over, and in lists of numbers blanks separate too.

use std::borrow::Cow;
use std::fmt;

/// What stands between two separators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'t> {
    /// Without quotes, and without blanks around it.
    pub text: Cow<'t, str>,
    /// The line where it begins, from 1.
    pub line: u32,
    /// The column where it begins, in letters from 1.
    pub column: u32,
}

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line, from 1.
    pub line: u32,
    /// The column, in letters from 1.
    pub column: u32,
    /// What was found, and what is allowed.
    pub reason: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

impl std::error::Error for TableError {}

/// What separates fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A comma.
    Comma,
    /// A comma, or blanks.
    CommaOrBlanks,
}

/// The rows of a table, one after the other.
#[derive(Clone, Debug)]
pub struct Rows<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    column: u32,
    separator: Separator,
}

impl<'t> Rows<'t> {
    /// The rows of a text.
    pub fn new(text: &'t str, separator: Separator) -> Rows<'t> {
        Rows { text, at: 0, line: 1, column: 1, separator }
    }

    /// Replaces `fields` by those of the next row; false behind the last one.
    pub fn read(&mut self, fields: &mut Vec<Field<'t>>) -> Result<bool, TableError> {
        fields.clear();
        if !self.found() {
            return Ok(false);
        }
        loop {
            fields.push(self.field()?);
            match (self.next(), self.separator) {
                (Some(','), _) => self.pass(1),
                (None | Some('\n'), _) => return Ok(true),
                (Some(_), Separator::CommaOrBlanks) => {}
                (Some(_), Separator::Comma) => unreachable!("a field goes to a comma or to the end of the line"),
            }
        }
    }

    /// Goes to the next row; false if there is none.
    fn found(&mut self) -> bool {
        loop {
            self.blanks();
            match self.next() {
                None => return false,
                Some('#') => self.pass(self.rest().find('\n').unwrap_or(self.rest().len())),
                Some('\n') => self.pass(1),
                Some(_) => return true,
            }
        }
    }

    /// A field with the blanks around it.
    fn field(&mut self) -> Result<Field<'t>, TableError> {
        self.blanks();
        let (line, column) = (self.line, self.column);
        let text = if self.next() == Some('"') { self.quoted()? } else { Cow::Borrowed(self.plain()) };
        self.blanks();
        let ends = matches!(self.next(), None | Some('\n' | ','));
        if !ends && self.separator == Separator::Comma {
            let found: String = self.rest().chars().take_while(|letter| *letter != '\n').take(40).collect();
            return Err(self.wrong(format!("found {:?} behind closed quotes; allowed: a comma", found.trim_end())));
        }
        Ok(Field { text, line, column })
    }

    fn plain(&mut self) -> &'t str {
        let ends = |letter: char| match self.separator {
            Separator::Comma => matches!(letter, ',' | '\n'),
            Separator::CommaOrBlanks => letter == ',' || letter.is_whitespace(),
        };
        let rest = self.rest();
        let found = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.pass(found.len());
        found.trim_end()
    }

    fn quoted(&mut self) -> Result<Cow<'t, str>, TableError> {
        let inside = &self.rest()[1..];
        let (mut length, mut doubled) = (0, false);
        loop {
            let Some(quote) = inside[length..].find('"') else {
                return Err(self.wrong("the quotes that open here are not closed".to_owned()));
            };
            length += quote;
            if !inside[length + 1..].starts_with('"') {
                break;
            }
            (length, doubled) = (length + 2, true);
        }
        self.pass(length + 2);
        let text = &inside[..length];
        Ok(if doubled { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) })
    }

    /// Passes over blanks of the line; the carriage return before a line break is one.
    fn blanks(&mut self) {
        let rest = self.rest();
        self.pass(rest.find(|letter: char| letter == '\n' || !letter.is_whitespace()).unwrap_or(rest.len()));
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn pass(&mut self, bytes: usize) {
        let passed = &self.rest()[..bytes];
        let breaks = passed.bytes().filter(|byte| *byte == b'\n').count() as u32;
        let last = passed.rsplit('\n').next().unwrap_or(passed).chars().count() as u32;
        self.at += bytes;
        self.line += breaks;
        self.column = if breaks == 0 { self.column + last } else { last + 1 };
    }

    fn wrong(&self, reason: String) -> TableError {
        TableError { line: self.line, column: self.column, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, separator: Separator) -> Result<Vec<Vec<String>>, TableError> {
        let (mut rows, mut fields, mut found) = (Rows::new(text, separator), Vec::new(), Vec::new());
        while rows.read(&mut fields)? {
            found.push(fields.iter().map(|field| field.text.to_string()).collect());
        }
        Ok(found)
    }

    /// The examples of RFC 4180, section 2: rules 1 to 7.
    #[test]
    fn the_examples_of_rfc_4180() {
        for text in ["aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", "aaa,bbb,ccc\r\nzzz,yyy,xxx"] {
            assert_eq!(rows(text, Separator::Comma).unwrap(), [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]);
        }
        let quoted = "\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx";
        assert_eq!(rows(quoted, Separator::Comma).unwrap(), [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]]);
        assert_eq!(rows("\"aaa\",\"b\"\"bb\",\"ccc\"", Separator::Comma).unwrap(), [["aaa", "b\"bb", "ccc"]]);
        assert_eq!(rows("a,\"b,c\",", Separator::Comma).unwrap(), [["a", "b,c", ""]]);
    }

    #[test]
    fn blanks_empty_lines_and_comments_are_passed_over() {
        let text = "# head\n\n a , \"b \" ,c d\t\r\n  # more\n\"#e\", f";
        assert_eq!(rows(text, Separator::Comma).unwrap(), [vec!["a", "b ", "c d"], vec!["#e", "f"]]);
        let numbers = "1 2,3\n  4\t\"5\" , 6 \n";
        assert_eq!(rows(numbers, Separator::CommaOrBlanks).unwrap(), [["1", "2", "3"], ["4", "5", "6"]]);
        assert_eq!(rows(" \n#\n", Separator::Comma).unwrap(), Vec::<Vec<String>>::new());
    }

    #[test]
    fn fields_know_where_they_begin() {
        let (mut rows, mut fields) = (Rows::new("ä, b\n\"c\nd\",e,\nf", Separator::Comma), Vec::new());
        let mut places = Vec::new();
        while rows.read(&mut fields).unwrap() {
            places.extend(fields.iter().map(|field| (field.line, field.column)));
        }
        assert_eq!(places, [(1, 1), (1, 4), (2, 1), (3, 4), (3, 6), (4, 1)]);
    }

    #[test]
    fn quotes_that_do_not_close_and_letters_behind_them_are_told() {
        assert_eq!(
            rows("a,b\nc,\"d\ne", Separator::Comma).unwrap_err().to_string(),
            "2:3: the quotes that open here are not closed"
        );
        assert_eq!(
            rows("\"a\" b,c", Separator::Comma).unwrap_err().to_string(),
            "1:5: found \"b,c\" behind closed quotes; allowed: a comma"
        );
    }
}
