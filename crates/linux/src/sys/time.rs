//! The monotonic clock, in nanoseconds: true time for all processes of one machine. The kernel stamps with the time of
//! day, which may be set; [`Monotonic`] turns its stamps into monotonic ones and notices when somebody sets it.

use super::checked;
use std::io;

/// Nanoseconds of the monotonic clock.
pub(crate) type Nanos = i64;

fn read(clock: libc::clockid_t) -> Nanos {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value that lives across the call.
    let answer = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(answer, 0, "Linux has these clocks");
    nanos(&time)
}

/// A time of the kernel in nanoseconds.
pub(super) fn nanos(time: &libc::timespec) -> Nanos {
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The present.
pub(crate) fn now() -> Nanos {
    read(libc::CLOCK_MONOTONIC)
}

/// The time of day, for names and sessions.
pub(crate) fn time_of_day() -> Nanos {
    read(libc::CLOCK_REALTIME)
}

/// Sleeps until an instant.
pub(crate) fn sleep_until(at: Nanos) -> io::Result<()> {
    let time = libc::timespec { tv_sec: at.max(0) / 1_000_000_000, tv_nsec: at.max(0) % 1_000_000_000 };
    loop {
        // SAFETY: the pointer is to a value that lives across the call; nothing is written back for an absolute time.
        let answer =
            unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &time, std::ptr::null_mut()) };
        match answer {
            0 => return Ok(()),
            libc::EINTR => {}
            other => return Err(io::Error::from_raw_os_error(other)),
        }
    }
}

/// Makes the timers of this thread precise: by default they may be 50 µs late.
pub(crate) fn make_timers_precise() -> io::Result<()> {
    // SAFETY: this option takes a number and changes nothing but the calling thread's timers.
    checked(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) }).map(|_| ())
}

/// The time of day less the monotonic time. Both are slewed alike, so it changes only when the time of day is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Monotonic {
    difference: Nanos,
}

/// A clock that was set by more than this was set.
const STEP: Nanos = 500_000;
/// Of so many readings the tightest counts.
const READINGS: u32 = 32;

impl Monotonic {
    pub(crate) fn new() -> Monotonic {
        Monotonic { difference: Monotonic::measured() }
    }

    fn measured() -> Nanos {
        let one = || {
            let (before, day, after) = (now(), time_of_day(), now());
            (after - before, day - before - (after - before) / 2)
        };
        let tightest = (0..READINGS).map(|_| one()).min_by_key(|(width, _)| *width);
        tightest.map_or(0, |(_, difference)| difference)
    }

    /// The monotonic time of a stamp.
    pub(crate) fn of(&self, stamp: Nanos) -> Nanos {
        stamp - self.difference
    }

    /// By how much the time of day has been set since, if it was.
    pub(crate) fn step(&self) -> Option<Nanos> {
        Some(Monotonic::measured() - self.difference).filter(|step| step.abs() > STEP)
    }
}
