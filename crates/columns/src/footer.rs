//! Headers of pages and the description at the end of a file (parquet.thrift).

use crate::thrift::{Struct, structure};
use crate::{Field, File, Kind};

/// The first and the last bytes of a file.
pub const MAGIC: &[u8] = b"PAR1";

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// PLAIN.
    Plain = 0,
    /// RLE: which values there are.
    Levels = 3,
    /// DELTA_BINARY_PACKED.
    Delta = 5,
    /// RLE_DICTIONARY.
    Listed = 8,
}

/// What is said of a page.
pub struct Page {
    pub values: usize,
    pub encoding: Encoding,
    pub is_dictionary: bool,
}

/// Where a column of a row group lies in the file.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub begin: usize,
    /// The page with the values, behind that with the list.
    pub data: usize,
    pub end: usize,
    /// Missing ones included.
    pub values: usize,
    pub encoding: Encoding,
}

/// A row group.
#[derive(Clone, Debug)]
pub struct Group {
    pub rows: usize,
    pub chunks: Vec<Chunk>,
}

/// Appends a page.
pub fn page(file: &mut Vec<u8>, page: &Page, body: &[u8]) {
    let Page { values, encoding, is_dictionary } = *page;
    let size = body.len() as i32;
    let describe = |one: &mut Struct| {
        one.i32(1, values as i32).i32(2, encoding as i32);
        if !is_dictionary {
            one.i32(3, Encoding::Levels as i32).i32(4, Encoding::Levels as i32);
        }
    };
    let (kind, field) = if is_dictionary { (2, 7) } else { (0, 5) };
    structure(file, |header| {
        header.i32(1, kind).i32(2, size).i32(3, size).structure(field, describe);
    });
    file.extend_from_slice(body);
}

/// Appends the description of the whole file, and its length.
pub fn write(out: &mut Vec<u8>, file: &File, notes: &[(String, String)]) {
    let File { fields, groups, rows, .. } = file;
    let elements: Vec<Option<&Field>> = [None].into_iter().chain(fields.iter().map(Some)).collect();
    structure(out, |meta| {
        meta.i32(1, 2)
            .structures(2, &elements, |one, field| element(one, *field, fields.len()))
            .i64(3, *rows)
            .structures(4, groups, |one, group| row_group(one, group, fields))
            .structures(5, notes, |one, (name, text)| {
                one.text(1, name).text(2, text);
            })
            .text(6, "photocol");
    });
    let length = out.len() as u32;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(MAGIC);
}

const INT64: i32 = 2;
const BYTE_ARRAY: i32 = 6;

fn is_text(field: &Field) -> bool {
    matches!(field.kind, Kind::Words(_))
}

fn physical(field: &Field) -> i32 {
    if is_text(field) { BYTE_ARRAY } else { INT64 }
}

/// SchemaElement: the root, or a column.
fn element(one: &mut Struct, field: Option<&Field>, columns: usize) {
    let Some(field) = field else {
        one.text(4, "root").i32(5, columns as i32);
        return;
    };
    // ConvertedType UTF8 or UINT_64.
    let converted = if is_text(field) { 0 } else { 14 };
    one.i32(1, physical(field)).i32(3, i32::from(field.optional)).text(4, field.name).i32(6, converted);
}

fn row_group(one: &mut Struct, group: &Group, fields: &[Field]) {
    let columns: Vec<(&Chunk, &Field)> = group.chunks.iter().zip(fields).collect();
    let bytes = group.chunks.iter().map(|chunk| chunk.end - chunk.begin).sum();
    one.structures(1, &columns, |column, (chunk, field)| {
        column.i64(2, chunk.begin).structure(3, |meta| describe(meta, chunk, field));
    });
    one.i64(2, bytes).i64(3, group.rows);
}

/// ColumnMetaData.
fn describe(meta: &mut Struct, chunk: &Chunk, field: &Field) {
    let (bytes, is_listed) = (chunk.end - chunk.begin, chunk.encoding == Encoding::Listed);
    let mut encodings = vec![chunk.encoding as i32, Encoding::Levels as i32];
    encodings.extend(is_listed.then_some(Encoding::Plain as i32));
    meta.i32(1, physical(field)).i32s(2, &encodings).texts(3, &[field.name]).i32(4, 0);
    meta.i64(5, chunk.values).i64(6, bytes).i64(7, bytes).i64(9, chunk.data);
    if is_listed {
        meta.i64(11, chunk.begin);
    }
}
