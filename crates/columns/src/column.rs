//! A column of the row group that is being written.

use crate::delta::Delta;
use crate::few::{Chosen, Few};
use crate::footer::{self, Chunk, Encoding, Page};
use crate::hybrid::Hybrid;
use crate::{BLOCK, Field, Kind, NONE};
use std::sync::Arc;

/// Its values so far.
#[derive(Clone, Debug)]
pub struct Column {
    /// Which values there are, where some may be missing.
    present: Option<Hybrid>,
    values: Values,
    rows: usize,
}

#[derive(Clone, Debug)]
enum Values {
    Number(Delta),
    /// As differences in a row group with too many different ones; `is_listed` says which way the group goes.
    Few {
        few: Few,
        delta: Delta,
        is_listed: bool,
    },
    Words {
        words: Arc<[String]>,
        chosen: Chosen,
    },
}

impl Column {
    pub fn new(field: &Field) -> Column {
        let values = match &field.kind {
            Kind::Number => Values::Number(Delta::new()),
            Kind::Few => Values::Few { few: Few::new(), delta: Delta::new(), is_listed: true },
            Kind::Words(words) => Values::Words { words: Arc::clone(words), chosen: Chosen::new(words.len()) },
        };
        Column { present: field.optional.then(|| Hybrid::new(1)), values, rows: 0 }
    }

    /// The first `length` values of a block.
    #[inline]
    pub fn put(&mut self, block: &[u64; BLOCK], length: usize) {
        self.rows += length;
        let all = &block[..length];
        let Some(present) = &mut self.present else { return self.values.put(all) };
        let known = all.iter().filter(|value| **value != NONE).count();
        if known == 0 || known == length {
            present.repeat(u64::from(known > 0), length);
            return self.values.put(&all[..known]);
        }
        let mut levels = [0; BLOCK];
        levels.iter_mut().zip(all).for_each(|(level, value)| *level = u16::from(*value != NONE));
        present.put(&levels[..length]);
        let (mut some, mut count) = ([0; BLOCK], 0);
        // Each is written where the next known one belongs: which are known is not to be foreseen, so this does not
        // branch.
        for value in all {
            some[count] = *value;
            count += usize::from(*value != NONE);
        }
        self.values.put(&some[..known]);
    }

    /// Appends the pages of the group, and begins anew.
    pub fn end_group(&mut self, file: &mut Vec<u8>) -> Chunk {
        let begin = file.len();
        let dictionary = self.values.dictionary().filter(|(entries, _)| *entries > 0);
        if let Some((entries, bytes)) = &dictionary {
            footer::page(file, &Page { values: *entries, encoding: Encoding::Plain, is_dictionary: true }, bytes);
        }
        let data = file.len();
        let mut body = Vec::new();
        if let Some(present) = &mut self.present {
            let mut levels = Vec::new();
            present.end(&mut levels);
            body.extend_from_slice(&(levels.len() as u32).to_le_bytes());
            body.append(&mut levels);
        }
        let encoding = self.values.end(&mut body);
        footer::page(file, &Page { values: self.rows, encoding, is_dictionary: false }, &body);
        Chunk { begin, data, end: file.len(), values: std::mem::take(&mut self.rows), encoding }
    }
}

impl Values {
    #[inline]
    fn put(&mut self, values: &[u64]) {
        match self {
            Values::Number(delta) => delta.put(values),
            Values::Words { chosen, .. } => chosen.put(values),
            Values::Few { few, delta, is_listed } => {
                if !*is_listed {
                    return delta.put(values);
                }
                if !few.put(values) {
                    few.values().for_each(|value| delta.put(&[value]));
                    few.clear();
                    delta.put(values);
                    *is_listed = false;
                }
            }
        }
    }

    /// How many entries the group's list has, and the list.
    fn dictionary(&self) -> Option<(usize, Vec<u8>)> {
        match self {
            Values::Number(_) | Values::Few { is_listed: false, .. } => None,
            Values::Few { few, .. } => {
                let bytes = few.list().iter().flat_map(|value| value.to_le_bytes()).collect();
                Some((few.list().len(), bytes))
            }
            Values::Words { words, chosen } => {
                let mut bytes = Vec::new();
                for word in chosen.list().iter().map(|place| &words[*place as usize]) {
                    bytes.extend_from_slice(&(word.len() as u32).to_le_bytes());
                    bytes.extend_from_slice(word.as_bytes());
                }
                Some((chosen.list().len(), bytes))
            }
        }
    }

    /// Appends the values.
    fn end(&mut self, out: &mut Vec<u8>) -> Encoding {
        match self {
            Values::Number(delta) => delta.end(out),
            // A group without any value: some readers take no empty list.
            Values::Few { few, is_listed: true, .. } if few.list().is_empty() => return Encoding::Plain,
            Values::Words { chosen, .. } if chosen.list().is_empty() => return Encoding::Plain,
            Values::Few { few, is_listed: true, .. } => {
                few.end(out);
                return Encoding::Listed;
            }
            Values::Few { delta, is_listed, .. } => {
                delta.end(out);
                *is_listed = true;
            }
            Values::Words { chosen, .. } => {
                chosen.end(out);
                return Encoding::Listed;
            }
        }
        Encoding::Delta
    }
}
