//! Numbers of which a row group has few different ones, as places in its list of them.

use crate::bits::width;
use crate::hybrid::Hybrid;
use crate::{BLOCK, GROUP};

/// The most different numbers.
const MOST: usize = 256;
/// Room to find them in; a power of two, four times as many.
const SLOTS: usize = 4 * MOST;
const EMPTY: u16 = u16::MAX;

/// The numbers of a row group so far.
#[derive(Clone, Debug)]
pub struct Few {
    /// The different ones, in the order in which they came.
    list: Vec<u64>,
    /// A number and its place in the list, by its hash; the next slot has what found this one taken.
    slots: Box<[(u64, u16); SLOTS]>,
    places: Places,
}

impl Few {
    pub fn new() -> Few {
        let mut few = Few { list: Vec::new(), slots: Box::new([(0, EMPTY); SLOTS]), places: Places::new() };
        few.clear();
        few
    }

    /// Whether there was room; if not, none of `values` is taken.
    #[inline]
    pub fn put(&mut self, values: &[u64]) -> bool {
        let Few { slots, places, .. } = self;
        let mut is_missing = false;
        for (place, value) in places.next(values.len()).iter_mut().zip(values) {
            let (known, found) = slots[first_slot(*value)];
            *place = found;
            is_missing |= known != *value;
        }
        if is_missing && !self.search(values) {
            return false;
        }
        self.places.used += values.len();
        true
    }

    /// The same where a number is new, or not in its first slot.
    #[cold]
    fn search(&mut self, values: &[u64]) -> bool {
        let Few { list, slots, places } = self;
        for (place, value) in places.next(values.len()).iter_mut().zip(values) {
            let mut slot = first_slot(*value);
            while slots[slot].1 != EMPTY && slots[slot].0 != *value {
                slot = (slot + 1) % SLOTS;
            }
            if slots[slot].1 == EMPTY {
                if list.len() == MOST {
                    return false;
                }
                slots[slot] = (*value, list.len() as u16);
                list.push(*value);
            }
            *place = slots[slot].1;
        }
        true
    }

    /// The different numbers, as they are listed.
    pub fn list(&self) -> &[u64] {
        &self.list
    }

    /// All numbers again.
    pub fn values(&self) -> impl Iterator<Item = u64> {
        self.places.used().iter().map(|place| self.list[usize::from(*place)])
    }

    /// Appends the places: RLE_DICTIONARY. Begins anew.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        write_places(self.places.used(), self.list.len(), out);
        self.clear();
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.list.clear();
        self.places.used = 0;
        self.slots.fill((0, EMPTY));
        // No number is found in an empty slot: not zero in its own.
        self.slots[first_slot(0)].0 = 1;
    }
}

#[inline]
fn first_slot(value: u64) -> usize {
    (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.ilog2())) as usize
}

/// Words of a list that may be long, of which a row group has some.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Where a word of the whole list stands in that of the group.
    known: Vec<u16>,
    /// The words of the group, as places in the whole list.
    list: Vec<u32>,
    places: Places,
}

impl Chosen {
    pub fn new(words: usize) -> Chosen {
        Chosen { known: vec![EMPTY; words], list: Vec::new(), places: Places::new() }
    }

    #[inline]
    pub fn put(&mut self, values: &[u64]) {
        let Chosen { known, list, places } = self;
        for (place, value) in places.next(values.len()).iter_mut().zip(values) {
            let known = &mut known[*value as usize];
            if *known == EMPTY {
                *known = list.len() as u16;
                list.push(*value as u32);
            }
            *place = *known;
        }
        places.used += values.len();
    }

    /// The words of the group.
    pub fn list(&self) -> &[u32] {
        &self.list
    }

    /// Appends the places: RLE_DICTIONARY. Begins anew.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        write_places(self.places.used(), self.list.len(), out);
        self.list.drain(..).for_each(|word| self.known[word as usize] = EMPTY);
        self.places.used = 0;
    }
}

/// Places in a list, at most as many as a row group has rows.
#[derive(Clone, Debug)]
struct Places {
    all: Box<[u16]>,
    used: usize,
}

impl Places {
    fn new() -> Places {
        Places { all: vec![0; GROUP].into(), used: 0 }
    }

    /// Room for some more.
    fn next(&mut self, count: usize) -> &mut [u16] {
        &mut self.all[self.used..][..count]
    }

    fn used(&self) -> &[u16] {
        &self.all[..self.used]
    }
}

fn write_places(places: &[u16], different: usize, out: &mut Vec<u8>) {
    let width = width(different.saturating_sub(1) as u64);
    let mut hybrid = Hybrid::new(width);
    places.chunks(BLOCK).for_each(|block| hybrid.put(block));
    out.push(width as u8);
    hybrid.end(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_listed_once_in_the_order_in_which_they_came() {
        let mut few = Few::new();
        assert!(few.put(&[40, 1500, 40, 40, 9000]));
        assert_eq!(few.list(), [40, 1500, 9000]);
        assert_eq!(few.values().collect::<Vec<_>>(), [40, 1500, 40, 40, 9000]);
        let mut out = Vec::new();
        few.end(&mut out);
        // Two bits each; one group of eight: 0, 1, 0, 0, 2 from the lowest bit.
        assert_eq!(out, [2, 3, 0b0000_0100, 0b10]);
    }

    #[test]
    fn more_than_256_different_numbers_have_no_room() {
        let mut few = Few::new();
        assert!(few.put(&(0..128).collect::<Vec<_>>()) && few.put(&(128..256).collect::<Vec<_>>()));
        assert!(few.put(&[255, 0]));
        assert!(!few.put(&[0, 256]));
        assert_eq!(few.values().count(), 258);
    }

    #[test]
    fn zero_and_numbers_that_share_a_slot_are_told_apart() {
        // Three times as many numbers as would fit without a collision in all likelihood.
        let values: Vec<u64> = (0..200).map(|n| n * n * 1_000_000).collect();
        let mut few = Few::new();
        assert!(values.chunks(BLOCK).all(|block| few.put(block)) && values.chunks(BLOCK).all(|block| few.put(block)));
        assert_eq!(few.values().collect::<Vec<_>>(), [&values[..], &values].concat());
        few.clear();
        assert!(few.put(&[0, 1, 0]));
        assert_eq!(few.list(), [0, 1]);
    }

    #[test]
    fn a_group_lists_only_its_own_words() {
        let (mut chosen, mut out) = (Chosen::new(100_000), Vec::new());
        chosen.put(&[77_777, 5, 77_777]);
        assert_eq!(chosen.list(), [77_777, 5]);
        chosen.end(&mut out);
        chosen.put(&[5]);
        assert_eq!(chosen.list(), [5]);
    }
}
