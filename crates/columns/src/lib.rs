//! Tables of whole numbers and words as Parquet files, written at a few nanoseconds a value.
//!
//! For the tables that grow while a simulation runs, one row an event, where a general writer would cost more than the
//! simulation (docs/decisions/0011-own-parquet-writer.md). Rows come in blocks of [`BLOCK`], so that what is worked on
//! stays in the cache next to the processor; each column is encoded as it comes.
//!
//! | file | holds |
//! |---|---|
//! | `column` | a column of the row group that is being written |
//! | `delta` | numbers as packed differences |
//! | `few` | numbers and words of which there are few different ones, as places in a list |
//! | `hybrid` | runs, and small numbers packed |
//! | `bits` | packing |
//! | `footer` | pages' headers and the file's description |
//! | `thrift` | the notation of those |
//!
//! Source: the Parquet format 2.10 (parquet-format: README, Encodings, parquet.thrift). Left out: compression,
//! statistics, nesting, all types but unsigned 64-bit numbers and text, and reading.

mod bits;
mod column;
mod delta;
mod few;
mod footer;
mod hybrid;
mod thrift;

use column::Column;
use footer::{Group, MAGIC};
use std::borrow::Cow;
use std::sync::Arc;

/// Rows of a block; all blocks but the last are full.
pub const BLOCK: usize = 128;
/// Rows of a group. Fewer than 2^16, so that places in a group's lists have 16 bits.
const GROUP: usize = 1 << 15;
/// In an optional column: there is no value.
pub const NONE: u64 = u64::MAX;

/// What a column holds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Numbers that are close to the ones before them.
    Number,
    /// Numbers of which there are often few different ones.
    Few,
    /// Words, written as their places in this list.
    Words(Arc<[String]>),
}

/// A column's name and kind.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether values may be missing: [`NONE`].
    pub optional: bool,
}

/// A table that is being written.
#[derive(Clone, Debug)]
pub struct Writer {
    fields: Vec<Field>,
    columns: Vec<Column>,
    file: Vec<u8>,
    groups: Vec<Group>,
    rows: usize,
    rows_in_group: usize,
}

impl Writer {
    /// An empty table.
    pub fn new(fields: Vec<Field>) -> Writer {
        let columns = fields.iter().map(Column::new).collect();
        Writer { fields, columns, file: MAGIC.to_vec(), groups: Vec::new(), rows: 0, rows_in_group: 0 }
    }

    /// A column's values in the next block; all columns have equally many, and [`Writer::end_block`] says how many.
    #[inline]
    pub fn put(&mut self, column: usize, values: impl Iterator<Item = u64>) {
        let mut block = [0; BLOCK];
        let mut length = 0;
        for (place, value) in block.iter_mut().zip(values) {
            *place = value;
            length += 1;
        }
        self.columns[column].put(&block, length);
    }

    /// The block is complete, with this many rows.
    pub fn end_block(&mut self, rows: usize) {
        assert!(rows <= BLOCK && self.rows.is_multiple_of(BLOCK), "all blocks but the last are full");
        self.rows += rows;
        self.rows_in_group += rows;
        if self.rows_in_group == GROUP {
            self.end_group();
        }
    }

    /// All rows are there.
    pub fn finish(mut self) -> File {
        if self.rows_in_group > 0 {
            self.end_group();
        }
        let Writer { fields, file, groups, rows, .. } = self;
        File { fields, body: file, groups, rows }
    }

    fn end_group(&mut self) {
        let mut group = Group { rows: self.rows_in_group, chunks: Vec::new() };
        for column in &mut self.columns {
            group.chunks.push(column.end_group(&mut self.file));
        }
        self.groups.push(group);
        self.rows_in_group = 0;
    }
}

/// A whole table.
#[derive(Clone, Debug)]
pub struct File {
    fields: Vec<Field>,
    body: Vec<u8>,
    groups: Vec<Group>,
    rows: usize,
}

impl File {
    /// Its rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The bytes of the file, in two parts: rows, and their description, in which `notes` are names and texts.
    pub fn parts(&self, notes: &[(String, String)]) -> [Cow<'_, [u8]>; 2] {
        let mut end = Vec::new();
        footer::write(&mut end, self, notes);
        [Cow::Borrowed(&self.body), Cow::Owned(end)]
    }
}
