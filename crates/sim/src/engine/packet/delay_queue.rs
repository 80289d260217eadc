//! What a node is to do later, where so little waits at once that a timing wheel would be idle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Items in the order of their times; those of one instant in the order in which they were put in.
#[derive(Debug)]
pub struct DelayQueue<T> {
    /// When, how many items were put in before it, and the place of the item.
    order: BinaryHeap<Reverse<(u64, u64, u32)>>,
    items: Vec<Option<T>>,
    free: Vec<u32>,
    put_in: u64,
}

impl<T> Default for DelayQueue<T> {
    fn default() -> DelayQueue<T> {
        DelayQueue { order: BinaryHeap::new(), items: Vec::new(), free: Vec::new(), put_in: 0 }
    }
}

impl<T> DelayQueue<T> {
    /// The earliest time, `u64::MAX` if nothing waits.
    pub fn next_timeout(&self) -> u64 {
        self.order.peek().map_or(u64::MAX, |Reverse((at, ..))| *at)
    }

    /// Puts in an item for `at`.
    pub fn push(&mut self, at: u64, item: T) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() as u32 - 1
        });
        self.items[place as usize] = Some(item);
        self.order.push(Reverse((at, self.put_in, place)));
        self.put_in += 1;
    }

    /// Takes the first item that is due, and its time.
    pub fn pop(&mut self, now: u64) -> Option<(u64, T)> {
        if self.next_timeout() > now {
            return None;
        }
        let Reverse((at, _, place)) = self.order.pop()?;
        self.free.push(place);
        self.items[place as usize].take().map(|item| (at, item))
    }

    /// Forgets all items.
    pub fn clear(&mut self) {
        *self = DelayQueue { put_in: self.put_in, ..DelayQueue::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_by_time_then_as_they_were_put_in() {
        let mut queue = DelayQueue::default();
        assert_eq!((queue.next_timeout(), queue.pop(u64::MAX)), (u64::MAX, None));
        [(7, "c"), (3, "a"), (7, "d"), (3, "b")].into_iter().for_each(|(at, item)| queue.push(at, item));
        assert_eq!((queue.next_timeout(), queue.pop(2)), (3, None));
        assert_eq!([queue.pop(3), queue.pop(9), queue.pop(6)], [Some((3, "a")), Some((3, "b")), None]);
        queue.push(7, "e");
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop(7)).collect();
        assert_eq!(rest, [(7, "c"), (7, "d"), (7, "e")]);
        queue.push(1, "gone");
        queue.clear();
        assert_eq!((queue.next_timeout(), queue.pop(u64::MAX)), (u64::MAX, None));
    }
}
