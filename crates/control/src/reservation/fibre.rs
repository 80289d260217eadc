//! An output fibre of an optical burst switch: its wavelengths and the rules by which they are reserved.
//!
//! # What is booked
//!
//! With JET (Qiao, Yoo, Journal of High Speed Networks 8(1), 1999) a wavelength is booked from when the switch must
//! begin to turn, the switching time before the burst, to the end of the burst and the guard time behind it. With JIT
//! (Wei, McFarland, JLT 18(12), 2000) it is booked from when the header has been processed; the end is the same,
//! because the length is known. A header that is processed so late that the switch cannot have turned is *late*; that
//! is no contention.
//!
//! # Delay lines
//!
//! Delays of 0, B, 2B, … are tried in this order. A burst is converted before it enters a line and leaves it for the
//! output at the same wavelength. All bursts in a line are delayed by the same time, so those that do not meet at the
//! output have not met at the line's entrance: the lines need no reservations of their own.

use super::timetable::{Timetable, Wish};
use super::{Algorithm, Rule};
use options::words;
use std::ops::Range;
use units::{Duration, Instant};

words! {
    /// When a booking begins.
    pub enum Signalling {
        /// Just enough time: when the switch must begin to turn for the burst.
        Jet = "jet",
        /// Just in time: when the header has been processed.
        Jit = "jit",
    }
}

/// Which wavelengths a burst can change to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// All.
    Full,
    /// Up to this many below and above its own; there are fewer at the ends of the band.
    Limited(u16),
    /// None.
    None,
}

/// Lengths of fibre in which a burst can be held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayLines {
    /// Their delays are whole multiples of this.
    pub unit: Duration,
    /// How many: the longest delay is `count` units.
    pub count: u32,
}

/// The rules of a fibre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FibreConfig {
    /// Wavelengths; at least one.
    pub channels: u16,
    /// Which one a burst gets.
    pub algorithm: Algorithm,
    /// When its booking begins.
    pub signalling: Signalling,
    /// Which ones it can have.
    pub conversion: Conversion,
    /// Lines before the output.
    pub lines: DelayLines,
    /// How long the switch takes to turn.
    pub switching: Duration,
    /// What stays free behind a burst.
    pub guard: Duration,
}

/// A burst that will arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// When its first bit arrives.
    pub at: Instant,
    /// How long it lasts.
    pub length: Duration,
    /// On which wavelength it arrives.
    pub wavelength: u16,
}

/// A reserved wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booking {
    /// The wavelength.
    pub channel: u16,
    /// How long the burst is held in a delay line.
    pub delay: Duration,
    /// When its first bit leaves.
    pub at: Instant,
    /// How long what leaves lasts.
    pub length: Duration,
}

/// Why a burst gets no wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The header is processed too late for the switch to turn.
    Late,
    /// No wavelength is free.
    Contention,
}

/// The wavelengths of an output fibre.
#[derive(Clone, Debug)]
pub struct Fibre {
    config: FibreConfig,
    rule: &'static dyn Rule,
    table: Timetable,
}

impl Conversion {
    /// What a burst on `wavelength` can leave on.
    #[inline]
    pub fn channels(self, wavelength: u16, channels: u16) -> Range<u16> {
        let own = wavelength.min(channels - 1);
        match self {
            Conversion::Full => 0..channels,
            Conversion::Limited(range) => {
                own.saturating_sub(range)..own.saturating_add(range).saturating_add(1).min(channels)
            }
            Conversion::None => own..own + 1,
        }
    }
}

impl Fibre {
    /// A fibre on which nothing is booked.
    pub fn new(config: FibreConfig) -> Fibre {
        assert!(config.channels > 0, "a fibre has a wavelength");
        Fibre { config, rule: config.algorithm.rule(), table: Timetable::new(config.channels) }
    }

    /// Its rules.
    pub fn config(&self) -> &FibreConfig {
        &self.config
    }

    /// What is booked.
    pub fn table(&self) -> &Timetable {
        &self.table
    }

    /// Books a wavelength for a burst whose header has been processed at `ready`, which never goes back.
    pub fn reserve(&mut self, ready: Instant, burst: &Arriving) -> Result<Booking, Refusal> {
        self.check(ready, burst)?;
        let undelayed = self.reserve_delayed(ready, burst, Duration::ZERO);
        undelayed.or_else(|| self.reserve_in_line(ready, burst)).ok_or(Refusal::Contention)
    }

    /// Books a wavelength behind the first delay line that helps.
    #[cold]
    fn reserve_in_line(&mut self, ready: Instant, burst: &Arriving) -> Option<Booking> {
        let DelayLines { unit, count } = self.config.lines;
        (1..=u64::from(count)).find_map(|number| self.reserve_delayed(ready, burst, unit.saturating_mul(number)))
    }

    /// Books a wavelength for a burst that is held for `delay`.
    #[inline]
    fn reserve_delayed(&mut self, ready: Instant, burst: &Arriving, delay: Duration) -> Option<Booking> {
        let wish = self.wish(ready, burst, delay);
        let chosen = self.rule.choose(&self.table, &wish)?;
        self.table.book(chosen, wish.start..wish.end, ready.ps());
        Some(Booking { channel: chosen.channel, delay, at: burst.at + delay, length: burst.length })
    }

    /// Books any wavelength for a new burst that begins at `at`. It comes from electronic memory: no line delays it,
    /// and its laser has no wavelength yet.
    pub fn reserve_new(&mut self, ready: Instant, at: Instant, length: Duration) -> Result<Booking, Refusal> {
        let burst = Arriving { at, length, wavelength: 0 };
        self.check(ready, &burst)?;
        let wish = Wish { channels: 0..self.config.channels, ..self.wish(ready, &burst, Duration::ZERO) };
        let chosen = self.rule.choose(&self.table, &wish).ok_or(Refusal::Contention)?;
        self.table.book(chosen, wish.start..wish.end, ready.ps());
        Ok(Booking { channel: chosen.channel, delay: Duration::ZERO, at, length })
    }

    /// Books a wavelength for the longest end of the burst that is free and can be cut off there: `cut` gives the first
    /// place at or behind a time after the burst's beginning at which it can be cut, `None` if that is its end.
    pub fn reserve_tail(
        &mut self,
        ready: Instant,
        burst: &Arriving,
        cut: impl Fn(Duration) -> Option<Duration>,
    ) -> Result<Booking, Refusal> {
        self.check(ready, burst)?;
        let wish = self.wish(ready, burst, Duration::ZERO);
        let (chosen, from) = self.table.longest_tail(&wish).ok_or(Refusal::Contention)?;
        let skipped = cut(Duration::from_ps(from - wish.start)).ok_or(Refusal::Contention)?;
        let start = wish.start + skipped.ps();
        if start >= wish.end || skipped >= burst.length {
            return Err(Refusal::Contention);
        }
        self.table.book(chosen, start..wish.end, ready.ps());
        let length = burst.length.saturating_sub(skipped);
        Ok(Booking { channel: chosen.channel, delay: Duration::ZERO, at: burst.at + skipped, length })
    }

    /// Books a wavelength for the longest beginning of the burst that is free and can be cut off there: `cut` gives the
    /// last place at or before a time after the burst's beginning at which it can be cut, `None` if that is its
    /// beginning.
    pub fn reserve_head(
        &mut self,
        ready: Instant,
        burst: &Arriving,
        cut: impl Fn(Duration) -> Option<Duration>,
    ) -> Result<Booking, Refusal> {
        self.check(ready, burst)?;
        let wish = self.wish(ready, burst, Duration::ZERO);
        let (chosen, until) = self.table.longest_head(&wish).ok_or(Refusal::Contention)?;
        let around = (wish.end - wish.start).saturating_sub(burst.length.ps());
        let room = (until - wish.start).checked_sub(around).ok_or(Refusal::Contention)?;
        let length = cut(Duration::from_ps(room)).ok_or(Refusal::Contention)?;
        self.table.book(chosen, wish.start..wish.start + around + length.ps(), ready.ps());
        Ok(Booking { channel: chosen.channel, delay: Duration::ZERO, at: burst.at, length })
    }

    /// When a new burst that can wait may begin to leave: not before `at`, and when a wavelength is free for good from
    /// where its booking begins. `ready` is when its header will have been processed, which waits as long as the burst.
    pub fn opening(&self, ready: Instant, at: Instant) -> Instant {
        let free = self.table.earliest_horizon(0..self.config.channels);
        at + Duration::from_ps(free.saturating_sub(self.start(ready, at)))
    }

    fn check(&self, ready: Instant, burst: &Arriving) -> Result<(), Refusal> {
        if ready + self.config.switching > burst.at { Err(Refusal::Late) } else { Ok(()) }
    }

    /// What has to be booked for a burst that is held for `delay`.
    #[inline]
    fn wish(&self, ready: Instant, burst: &Arriving, delay: Duration) -> Wish {
        let at = burst.at + delay;
        let end = at + burst.length + self.config.guard;
        let channels = self.config.conversion.channels(burst.wavelength, self.config.channels);
        Wish { start: self.start(ready, at), end: end.ps(), channels }
    }

    /// Where the booking of a burst begins, in picoseconds.
    #[inline]
    fn start(&self, ready: Instant, at: Instant) -> u64 {
        match self.config.signalling {
            Signalling::Jet => at.ps().saturating_sub(self.config.switching.ps()),
            Signalling::Jit => ready.ps(),
        }
    }
}
