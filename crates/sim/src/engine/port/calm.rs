//! When a packet enters without a look at what is inside: there is room for it, and no more packets wait than ever did.
//!
//! * **By time**, while all packets inside have one size: n of them leave in no more than n times the time that one lasts, and in more than
//!   n - 1 times. So how long the next one waits says whether they are too many, exactly.
//! * **By number**, where there are several sizes, or something has happened to the port: no more are inside than have come since the last
//!   [sweep](Port::sweep). Their bytes have left in time if each lasts as long as its bytes at least.

use super::inside::List;
use super::{Port, State};
use crate::model::Buffer;
use std::hint::select_unpredictable;

/// Instead of the one size of all packets: there are several, or nobody asks. No packet has no bytes.
pub(super) const SEVERAL: u16 = 0;

impl Port {
    /// Whether a packet that waits for `wait` enters without a look, by time.
    #[inline(always)]
    pub(super) fn is_calm_by_time(&self, size: u16, wait: u64) -> bool {
        size == self.only_size && wait <= self.calm_time
    }

    /// The same by number, `put_in` being the position behind the newest inside, of a packet that will have left after `stay`.
    #[inline(always)]
    pub(super) fn is_calm_by_number(&mut self, now: u64, stay: u64, put_in: u64) -> bool {
        // Whether the transmitter is free is asked without a branch: nothing foresees it, and what comes next would be known too late.
        self.first_inside = select_unpredictable(self.busy_until > now, self.first_inside, put_in);
        let is_crowded = (put_in - self.first_inside) as u32 >= self.calm;
        !(is_crowded | (stay > self.calm_time))
    }

    /// From now on the time is asked: nothing is inside, the link is up, and a packet of some `size` comes.
    pub(super) fn ask_time(&mut self, size: u16) {
        // The time of a packet is known quickly only where bytes are short.
        self.only_size = if self.byte_time.is_short() { size } else { SEVERAL };
        self.calm_down();
    }

    /// From now on the number is asked.
    pub(super) fn ask_number(&mut self) {
        self.only_size = SEVERAL;
        self.calm_down();
    }

    /// Sets the bounds below which nothing must be looked at.
    pub(super) fn calm_down(&mut self) {
        let most = self.places().min(u64::from(self.max_waiting));
        if self.only_size != SEVERAL {
            (self.calm, self.calm_time) = (0, self.byte_time.of_packet(self.only_size).ps().saturating_mul(most));
            return;
        }
        let is_calm = self.state == State::Up && self.byte_time.is_short();
        self.calm = if is_calm { (most as u32).saturating_add(1) } else { 0 };
        self.calm_time = match self.buffer {
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

    /// Whether there is room for a packet of some `size` and `duration` that would have to wait, after a [`Port::sweep`].
    #[inline]
    pub(super) fn has_room(&mut self, now: u64, size: u16, duration: u64, list: &impl List) -> bool {
        match self.buffer {
            Buffer::Bytes(room) if self.only_size == SEVERAL => {
                self.busy_until - now + duration <= self.calm_time
                    || self.waiting_bytes(list) + u64::from(size) <= room.count()
            }
            _ => list.put_in() - self.first_inside <= self.places(),
        }
    }
}
