//! Values brought into the cache before they are needed (decision 0003).

use prefetch_index::prefetch_index;
use std::slice;

/// Brings a value of at most two cache lines there: the line in which it begins and the one behind its end.
#[inline]
pub fn prefetch<T>(value: &T) {
    let value = slice::from_ref(value);
    prefetch_index(value, 0);
    prefetch_index(value, 1);
}
