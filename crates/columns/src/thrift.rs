//! Thrift's compact protocol, as much of it as is written here.

use crate::bits::{varint, zigzag};

/// A structure that is being written: fields by number, in rising order.
pub struct Struct<'o> {
    out: &'o mut Vec<u8>,
    last: u8,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl<'o> Struct<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Struct<'o> {
        Struct { out, last: 0 }
    }

    pub fn i32(&mut self, field: u8, value: i32) -> &mut Self {
        self.number(field, I32, i64::from(value))
    }

    pub fn i64(&mut self, field: u8, value: usize) -> &mut Self {
        self.number(field, I64, value as i64)
    }

    pub fn text(&mut self, field: u8, value: &str) -> &mut Self {
        self.head(field, BINARY);
        text(self.out, value);
        self
    }

    pub fn structure(&mut self, field: u8, fill: impl FnOnce(&mut Struct)) -> &mut Self {
        self.head(field, STRUCT);
        structure(self.out, fill);
        self
    }

    pub fn i32s(&mut self, field: u8, values: &[i32]) -> &mut Self {
        self.list(field, I32, values, |out, value| varint(zigzag(i64::from(*value)), out))
    }

    pub fn texts(&mut self, field: u8, values: &[&str]) -> &mut Self {
        self.list(field, BINARY, values, |out, value| text(out, value))
    }

    pub fn structures<T>(&mut self, field: u8, items: &[T], fill: impl Fn(&mut Struct, &T)) -> &mut Self {
        self.list(field, STRUCT, items, |out, item| structure(out, |one| fill(one, item)))
    }

    fn list<T>(&mut self, field: u8, kind: u8, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) -> &mut Self {
        self.head(field, LIST);
        match items.len() {
            few @ 0..15 => self.out.push((few as u8) << 4 | kind),
            many => {
                self.out.push(0xf0 | kind);
                varint(many as u64, self.out);
            }
        }
        items.iter().for_each(|item| write(self.out, item));
        self
    }

    fn number(&mut self, field: u8, kind: u8, value: i64) -> &mut Self {
        self.head(field, kind);
        varint(zigzag(value), self.out);
        self
    }

    fn head(&mut self, field: u8, kind: u8) {
        assert!(self.last < field && field - self.last < 16, "fields come in rising order");
        self.out.push((field - self.last) << 4 | kind);
        self.last = field;
    }
}

/// A structure by itself.
pub fn structure(out: &mut Vec<u8>, fill: impl FnOnce(&mut Struct)) {
    fill(&mut Struct::new(out));
    out.push(0);
}

fn text(out: &mut Vec<u8>, value: &str) {
    varint(value.len() as u64, out);
    out.extend_from_slice(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_say_how_far_they_are_from_the_one_before() {
        let mut out = Vec::new();
        structure(&mut out, |one| {
            one.i32(1, -1).i64(3, 300).text(4, "ab").i32s(5, &[2]);
        });
        assert_eq!(out, [0x15, 1, 0x26, 0xd8, 0x04, 0x18, 2, b'a', b'b', 0x19, 0x15, 4, 0]);
    }
}
