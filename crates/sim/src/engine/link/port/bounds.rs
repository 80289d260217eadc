//! When a packet enters without a look at what is inside: there is room for it, and no more packets wait than ever did.
//!
//! * **By time**, while all packets inside have one size: n of them leave in no more than n times the time that one lasts, and in more than
//!   n - 1 times. So how long the next one waits says whether they are too many, exactly.
//! * **By number**, where there are several sizes, or something has happened to the port: no more are inside than have come since the last
//!   [sweep](Port::sweep). Their bytes have left in time if each lasts as long as its bytes at least.

use super::backlog::Backlog;
use super::{Port, State};
use crate::model::Buffer;
use std::hint::select_unpredictable;

/// Instead of the one size of all packets: there are several, or nobody asks. No packet has no bytes.
pub(super) const SEVERAL: u16 = 0;

impl Port {
    /// Whether a packet that waits for `wait` enters without a look, by time.
    #[inline(always)]
    pub(super) fn has_room_by_time(&self, size: u16, wait: u64) -> bool {
        size == self.only_size && wait <= self.time_bound
    }

    /// The same by number, `put_in` being the position behind the newest inside, of a packet that will have left after
    /// `stay`.
    #[inline(always)]
    pub(super) fn has_room_by_count(&mut self, now: u64, stay: u64, put_in: u64) -> bool {
        // Whether the transmitter is free is asked without a branch: nothing predicts it, and what comes next would be
        // known too late.
        self.first_inside = select_unpredictable(self.busy_until > now, self.first_inside, put_in);
        let is_crowded = (put_in - self.first_inside) as u32 >= self.count_bound;
        !(is_crowded | (stay > self.time_bound))
    }

    /// From now on the time is asked: nothing is inside, the link is up, and a packet of some `size` comes.
    pub(super) fn bound_by_time(&mut self, size: u16) {
        // The time of a packet is known quickly only where bytes are short.
        self.only_size = if self.byte_time.is_short() { size } else { SEVERAL };
        self.set_bounds();
    }

    /// From now on the number is asked.
    pub(super) fn bound_by_count(&mut self) {
        self.only_size = SEVERAL;
        self.set_bounds();
    }

    /// Sets the bounds below which nothing must be looked at.
    pub(super) fn set_bounds(&mut self) {
        let most = self.places().min(u64::from(self.max_waiting));
        if self.only_size != SEVERAL {
            (self.count_bound, self.time_bound) =
                (0, self.byte_time.of_packet(self.only_size).ps().saturating_mul(most));
            return;
        }
        let is_bounded = self.state == State::Up && self.byte_time.is_short();
        self.count_bound = if is_bounded { (most as u32).saturating_add(1) } else { 0 };
        self.time_bound = match self.buffer {
            // Each byte that waits has at least this time before it.
            Buffer::Bytes(room) if !self.is_stretched => self.byte_time.least(room).ps(),
            Buffer::Bytes(_) => 0,
            Buffer::Packets(_) | Buffer::Unlimited => u64::MAX,
        };
    }

    /// How many packets may wait, as far as their number says it.
    fn places(&self) -> u64 {
        match self.buffer {
            Buffer::Packets(places) => places,
            Buffer::Bytes(room) if self.only_size != SEVERAL => room.count() / u64::from(self.only_size),
            Buffer::Bytes(_) | Buffer::Unlimited => u64::MAX,
        }
    }

    /// Whether there is room for a packet of some `size` and `duration` that would have to wait, after a
    /// [`Port::sweep`].
    #[inline]
    pub(super) fn has_room(&mut self, now: u64, size: u16, duration: u64, list: &impl Backlog) -> bool {
        match self.buffer {
            Buffer::Bytes(room) if self.only_size == SEVERAL => {
                self.busy_until - now + duration <= self.time_bound
                    || self.waiting_bytes(list) + u64::from(size) <= room.count()
            }
            _ => list.put_in() - self.first_inside <= self.places(),
        }
    }
}
