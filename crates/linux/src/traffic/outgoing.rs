//! A file on its way out: what is offered, and what of it is still to be sent.

use super::word::{Offer, Says, Word};
use super::{BLOCK, Packer};
use crate::sys::time::Nanos;
use control::wire::FileChunk;
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes of the fields of a [`FileChunk`] before its data.
const FIELDS: usize = 20;
/// A chunk is at least so long, unless it is the last one.
const SHORTEST: usize = 200;

/// A file on its way out.
pub(super) struct Outgoing {
    pub(super) to: u16,
    pub(super) file: File,
    pub(super) offer: Offer,
    /// The session of the receiver, as far as it is known.
    pub(super) receiver: u64,
    /// What is to be sent.
    pub(super) pending: VecDeque<(u64, u64)>,
    /// When the offer was made that no answer has come to.
    pub(super) offered: Option<Nanos>,
    /// Why it cannot be read.
    pub(super) failed: Option<String>,
}

impl Outgoing {
    /// The offer of the file.
    pub(super) fn offer(&self, transfer: u32, sender: u64) -> Word {
        Word { transfer, sender, receiver: self.receiver, says: Says::Offer(self.offer.clone()) }
    }

    /// Sends the next bytes of what is lacking.
    pub(super) fn send_chunk(&mut self, transfer: u32, into: &mut Packer) {
        let Some((start, end)) = self.pending.pop_front() else { return };
        // What is left of a slot takes a shorter chunk.
        let room = if into.left(self.to) < SHORTEST { into.largest() } else { into.left(self.to) };
        let size = (end - start).min((room - BLOCK - FIELDS) as u64);
        let mut bytes = vec![0; size as usize];
        if let Err(error) = self.file.read_exact_at(&mut bytes, start) {
            self.failed = Some(format!("it cannot be read any more: {error}"));
            return;
        }
        let block = FileChunk { transfer, offset: start, length: self.offer.length, bytes };
        into.add(self.to, block.into(), BLOCK + FIELDS + size as usize);
        if start + size < end {
            self.pending.push_front((start + size, end));
        }
    }
}
