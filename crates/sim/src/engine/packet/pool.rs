//! Numbered slots for values.

/// Values in numbered slots. Slots are reused, so nothing is allocated once the table has reached its size.
#[derive(Debug)]
pub(super) struct Pool<T> {
    pub(super) items: Vec<T>,
    pub(super) free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Pool<T> {
    pub(super) fn put(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.items[slot as usize] = value;
            return slot;
        }
        self.items.push(value);
        (self.items.len() - 1) as u32
    }
}

/// Slots that are free hold the default.
impl<T: Default> Pool<T> {
    /// A slot with the default, to be filled in its place.
    #[inline]
    pub(super) fn put_default(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.items.push(T::default());
            (self.items.len() - 1) as u32
        })
    }

    /// Takes a value that is no copy out.
    pub(super) fn take_out(&mut self, slot: u32) -> T {
        self.free.push(slot);
        std::mem::take(&mut self.items[slot as usize])
    }
}

impl<T: Copy> Pool<T> {
    #[inline]
    pub(super) fn take(&mut self, slot: u32) -> T {
        self.free.push(slot);
        self.items[slot as usize]
    }
}
