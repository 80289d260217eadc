//! Frames and slots as an edge node sees them.

use super::plan::SlotFrame;
use crate::engine::link::gated::{Row, Window};
use std::ops::Range;

/// A frame as an edge node sees it.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    pub(super) frame: SlotFrame,
    /// To the core node, in picoseconds.
    pub(super) delay: u64,
    /// Its clock may be so early, in picoseconds.
    pub(super) lead: u64,
}

impl Beat {
    /// The first frame that can begin in the run.
    pub fn first(&self) -> u64 {
        (self.delay + self.lead).div_ceil(self.frame.length())
    }

    /// When the edge node begins a frame, at the earliest that its clock may say so.
    pub fn begins(&self, frame: u64) -> u64 {
        frame.saturating_mul(self.frame.length()).saturating_sub(self.delay + self.lead)
    }

    /// When the data of the slots of a frame leave an edge node.
    pub fn windows(&self, frame: u64) -> FrameWindows {
        let half = self.frame.guard.ps() / 2;
        let first = self.begins(frame) + self.lead + half;
        let SlotFrame { slot, wavelengths, .. } = self.frame;
        FrameWindows { first, slot: slot.ps(), payload: self.frame.payload(), half, wavelengths }
    }
}

/// When the data of the slots of a frame leave an edge node, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct FrameWindows {
    /// Of the first slot, if the clock is right.
    first: u64,
    slot: u64,
    payload: u64,
    /// The clock may be off by this much.
    half: u64,
    wavelengths: u32,
}

impl FrameWindows {
    /// Those of slots in a row, where the clock is off by `shift` in all of them (and begins no frame before time 0),
    /// and there is one wavelength.
    #[inline]
    pub fn of_run(&self, slots: Range<u32>, shift: i64) -> Row {
        Row { first: self.of(slots.start, shift), distance: self.slot, count: u64::from(slots.end - slots.start) }
    }

    /// That of the slot with a number, where the clock is off by `shift`.
    #[inline]
    pub fn of(&self, number: u32, shift: i64) -> Window {
        let (slot, wavelength) = match self.wavelengths {
            1 => (number, 0),
            several => (number / several, number % several),
        };
        let start = self.first + self.slot * u64::from(slot) + self.payload * u64::from(wavelength);
        let start = start.saturating_add_signed(shift);
        Window { start, end: start + self.payload, passes: shift.unsigned_abs() <= self.half }
    }
}
