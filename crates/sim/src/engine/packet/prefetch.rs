//! Values brought into the cache before they are needed (decision 0003): the only place that knows how.

use prefetch_index::prefetch_index;
use std::slice;
use transport::tcp::{Receiver, Sender};

/// Brings the cache line there in which an item of a list begins.
#[inline(always)]
pub fn prefetch_item<T>(items: &[T], index: usize) {
    prefetch_index(items, index);
}

/// Brings a value of at most two cache lines there: the line in which it begins and the one behind its end.
#[inline]
pub fn prefetch<T>(value: &T) {
    let value = slice::from_ref(value);
    prefetch_index(value, 0);
    prefetch_index(value, 1);
}

/// Brings what a sender keeps of its loss recovery outside of itself there, before an ACK.
#[inline]
pub fn prefetch_recovery(sender: &Sender) {
    prefetch_index(sender.sacked_ranges(), 0);
    prefetch_index(sender.older_episodes(), 0);
    if let Some(blocks) = sender.retransmitted_blocks() {
        prefetch_index(slice::from_ref(blocks), 0);
    }
}

/// Brings what a receiver holds above a hole there, before a segment.
#[inline]
pub fn prefetch_held(receiver: &Receiver) {
    prefetch_index(receiver.held_ranges(), 0);
    if let Some(recent) = receiver.recent_ranges() {
        prefetch_index(slice::from_ref(recent), 0);
    }
}
