//! What is booked on the channels of an output fibre.
//!
//! A channel is free from its *horizon* on, where its last reservation ends; before that it has voids. The horizons
//! stand in one array, scanned without branches; so do the ends of the last voids, so that voids are searched only on
//! channels that can have one. After Xiong, Vandenhoute, Cankaya, JSAC 18(10), 2000.

use super::voids::{Void, Voids};
use std::hint::select_unpredictable;
use std::ops::Range;

/// The reservations of a fibre's channels, in picoseconds.
#[derive(Clone, Debug)]
pub struct Timetable {
    /// Where the last reservation of each channel ends; 0 without any.
    horizons: Vec<u64>,
    /// Where the last void of each channel ends.
    last_voids: Vec<u64>,
    voids: Vec<Voids>,
    /// The highest of `last_voids`.
    latest_void: u64,
}

/// Where a reservation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The channel.
    pub channel: u16,
    /// Whether it fills a void; otherwise it lies behind the horizon.
    pub in_void: bool,
}

/// What is to be booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// From here, in picoseconds.
    pub start: u64,
    /// To before here.
    pub end: u64,
    /// On one of these channels.
    pub channels: Range<u16>,
}

impl Timetable {
    /// Channels on which nothing is booked.
    pub fn new(channels: u16) -> Timetable {
        let count = usize::from(channels);
        Timetable {
            horizons: vec![0; count],
            last_voids: vec![0; count],
            voids: vec![Voids::default(); count],
            latest_void: 0,
        }
    }

    /// How many channels there are.
    pub fn channels(&self) -> u16 {
        self.horizons.len() as u16
    }

    /// Where the last reservation of a channel ends.
    pub fn horizon(&self, channel: u16) -> u64 {
        self.horizons[usize::from(channel)]
    }

    /// Of the channels whose horizon has passed when the wish begins, the one with the latest; of equals the first.
    #[inline]
    pub fn latest_horizon(&self, wish: &Wish) -> Option<(u16, u64)> {
        let horizons =
            &self.horizons[Range { start: usize::from(wish.channels.start), end: usize::from(wish.channels.end) }];
        // The channel that has been free for the shortest time, found without branches, of which nearly every one would
        // be mispredicted. One that is not free wraps around, and seems to have been so since before the beginning of
        // time.
        let mut shortest = (u64::MAX, 0);
        for (channel, horizon) in (wish.channels.start..).zip(horizons) {
            let free_for = wish.start.wrapping_sub(*horizon);
            let is_shorter = free_for < shortest.0;
            shortest.0 = select_unpredictable(is_shorter, free_for, shortest.0);
            shortest.1 = select_unpredictable(is_shorter, channel, shortest.1);
        }
        let (free_for, channel) = shortest;
        (free_for <= wish.start).then(|| (channel, wish.start - free_for))
    }

    /// The first channel whose horizon has passed when the wish begins.
    pub fn first_open(&self, wish: &Wish) -> Option<u16> {
        wish.channels.clone().find(|channel| self.horizon(*channel) <= wish.start)
    }

    /// Whether a void may hold the wish: nothing that ends after the last void of all fits one.
    #[inline]
    pub fn may_have_void(&self, wish: &Wish) -> bool {
        wish.end <= self.latest_void
    }

    /// The voids that hold the wish, by channel.
    #[inline]
    pub fn voids(&self, wish: &Wish) -> impl Iterator<Item = (u16, Void)> {
        let channels = if self.may_have_void(wish) { wish.channels.clone() } else { 0..0 };
        let (start, end) = (wish.start, wish.end);
        let may_fit = channels.filter(move |channel| end <= self.last_voids[usize::from(*channel)]);
        may_fit.filter_map(move |channel| {
            let void = self.voids[usize::from(channel)].at(start).filter(|void| void.holds(start, end))?;
            Some((channel, void))
        })
    }

    /// The channel on which the end of the wish is free from the earliest time on, and that time; of equals the first.
    pub fn longest_tail(&self, wish: &Wish) -> Option<(Assignment, u64)> {
        let free = |channel: u16| {
            let horizon = self.horizon(channel);
            if horizon < wish.end {
                return Some((Assignment { channel, in_void: false }, horizon.max(wish.start)));
            }
            let void = self.voids[usize::from(channel)].ending(wish.end).filter(|void| void.start < wish.end)?;
            Some((Assignment { channel, in_void: true }, void.start.max(wish.start)))
        };
        wish.channels.clone().filter_map(free).min_by_key(|(_, from)| *from)
    }

    /// The channel on which the beginning of the wish is free for longest, and until when; of equals the first.
    pub fn longest_head(&self, wish: &Wish) -> Option<(Assignment, u64)> {
        let free = |channel: u16| {
            if self.horizon(channel) <= wish.start {
                return Some((Assignment { channel, in_void: false }, wish.end));
            }
            let void = self.voids[usize::from(channel)].at(wish.start).filter(|void| wish.start < void.end)?;
            Some((Assignment { channel, in_void: true }, void.end.min(wish.end)))
        };
        let later = |best: (Assignment, u64), next: (Assignment, u64)| if next.1 > best.1 { next } else { best };
        wish.channels.clone().filter_map(free).reduce(later)
    }

    /// The earliest horizon of these channels: from then on one of them is free for as long as one likes.
    pub fn earliest_horizon(&self, channels: Range<u16>) -> u64 {
        channels.map(|channel| self.horizon(channel)).min().unwrap_or(u64::MAX)
    }

    /// Books [start, end) where it is free. Nothing will be booked before `now` any more.
    pub fn book(&mut self, chosen: Assignment, time: Range<u64>, now: u64) {
        let Range { start, end } = time;
        let channel = usize::from(chosen.channel);
        if chosen.in_void {
            self.last_voids[channel] = self.voids[channel].book(start, end, now);
            return;
        }
        let horizon = std::mem::replace(&mut self.horizons[channel], end);
        assert!(horizon <= start, "a booking behind the horizon begins there or later");
        if horizon < start {
            self.voids[channel].append(now, Void { start: horizon, end: start });
            self.last_voids[channel] = start;
            self.latest_void = self.latest_void.max(start);
        }
    }
}
