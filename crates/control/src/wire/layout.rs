//! The tables of `docs/protocol.md`, made from the declarations of the messages.

use super::block::Block;
use super::claim::ClaimKind;
use super::configuration::{Carriage, NodeStatus};
use super::fault::FaultKind;
use super::field::{Entry, Form, Row};
use super::header::{Class, Header, Stamp};
use super::key::TAG_LENGTH;
use super::verdict::VerdictKind;
use std::fmt::Write;

/// The tables as Markdown.
pub fn tables() -> String {
    let mut out = String::new();
    header(&mut out);
    for (code, name, rows) in Block::ALL {
        let _ = write!(out, "\n### Block {code}: {name}\n\n");
        table(&mut out, rows, 0);
    }
    for (name, codes) in CODES {
        let _ = write!(out, "\n### Codes of {name}\n\n| code | name | meaning |\n|---|---|---|\n");
        for (code, name, meaning) in *codes {
            let _ = writeln!(out, "| {code} | `{name}` | {} |", meaning.trim());
        }
    }
    out
}

type Codes = &'static [(u8, &'static str, &'static str)];

const CODES: &[(&str, Codes)] = &[
    ("class", Class::CODES),
    ("stamp", Stamp::CODES),
    ("carriage", Carriage::CODES),
    ("status", NodeStatus::CODES),
    ("fault", FaultKind::CODES),
    ("claim", ClaimKind::CODES),
    ("verdict", VerdictKind::CODES),
];

fn header(out: &mut String) {
    let _ = write!(out, "### Header: {} bytes\n\n", Header::LENGTH);
    out.push_str(HEAD);
    out.push_str("| 0 | 2 | `magic` | bytes | `pc` |\n");
    let _ = writeln!(out, "| 2 | 1 | `version` | u8 | {} |", Header::VERSION);
    let end = rows(out, Header::ROWS, Some(3));
    let at = end.expect("the fields of the header have fixed lengths");
    let _ = writeln!(out, "| {at} | 4 | `length` | u32 | bytes of the payload |");
    let _ = writeln!(out, "| {} | 4 | `checksum` | u32 | CRC-32C of all bytes before it and of the payload |", at + 4);
    let _ = writeln!(out, "| {} | … | `payload` | blocks | |", at + 8);
    let _ = writeln!(
        out,
        "| … | {TAG_LENGTH} | `tag` | bytes | not in class `Data`: HMAC-SHA-256 of all bytes before it, cut |"
    );
    let _ = write!(out, "\n### Blocks\n\n");
    out.push_str(HEAD);
    out.push_str("| 0 | 1 | `code` | u8 | which block |\n| 1 | 1 | `reserved` | u8 | zero |\n");
    out.push_str("| 2 | 2 | `length` | u16 | bytes of the data |\n| 4 | … | `data` | fields | |\n");
}

const HEAD: &str = "| at | bytes | field | form | meaning |\n|---|---|---|---|---|\n";

fn table(out: &mut String, fields: &[Row], at: usize) {
    out.push_str(HEAD);
    rows(out, fields, Some(at));
}

/// Writes the rows, the first of them at `at`. Where the last one ends, if that is known.
fn rows(out: &mut String, fields: &[Row], mut at: Option<usize>) -> Option<usize> {
    for row in fields {
        let place = at.map_or("…".to_string(), |at| at.to_string());
        let meaning = row.meaning.trim();
        match row.form {
            Form::Fixed(form) => {
                let _ = writeln!(out, "| {place} | {} | `{}` | {form} | {meaning} |", row.least, row.name);
                at = at.map(|at| at + row.least);
            }
            Form::Rest => {
                let _ = writeln!(out, "| {place} | … | `{}` | bytes | {meaning} |", row.name);
                at = None;
            }
            Form::List(entries) => {
                let _ = writeln!(out, "| {place} | 2 | count of `{}` | u16 | {meaning} |", row.name);
                for entry in entries {
                    let Form::Fixed(form) = entry.form else { continue };
                    let (name, meaning) = (entry.name, entry.meaning.trim());
                    let _ = writeln!(out, "| | {} | · `{name}` | {form} | {meaning} |", entry.least);
                }
                at = None;
            }
        }
    }
    at
}
