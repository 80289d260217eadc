//! The slot thread: it sends what is due at the instant at which it is due, or not at all.
//!
//! It sleeps until 60 µs before, then spins: a sleep alone is late by some microseconds, and a real-time thread that
//! always spins is stopped by the kernel for 50 ms a second. On a processor of its own it spins longer, for a third of
//! the time since its last slot and at most 600 µs: where a kernel gives way to nobody until a call ends, or a host
//! stops a processor that sleeps, who sleeps is woken some 100 µs late now and then, and who spins is not. What cannot
//! be sent in time is counted and never sent late.

use crate::histogram::{Errors, Quantiles};
use crate::latency::Latency;
use crate::line::Line;
use crate::sys::datagram::Datagrams;
use crate::sys::priority;
use crate::sys::time::{self, Nanos};
use crate::sys::waited::Waited;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// The last so many nanoseconds before a slot are spun.
const SPIN: Nanos = 60_000;
/// On a processor of its own, up to so many, and at most this part of the time.
const LONGEST_SPIN: Nanos = 600_000;
const SPUN_PART: Nanos = 3;
/// The real-time priority of slot threads: above those that only receive.
const PRIORITY: i32 = 70;
/// Stamps of departures that may be outstanding.
const OUTSTANDING: usize = 1024;
/// Two readings of the clock in a row are some 50 ns apart; if it is more than this, the processor did something else.
const HOLE: Nanos = 10_000;
/// More than this is not the kernel's usual latency.
const LONGEST_LEAD: Nanos = 40_000;

/// A slot that shall leave.
#[derive(Debug)]
pub(crate) struct Due {
    /// How many datagrams share the light of its slot.
    pub(crate) datagrams: u16,
    pub(crate) bytes: Vec<u8>,
    /// Its number, if the kernel shall stamp its departure.
    pub(crate) stamped: Option<u64>,
    /// When it was handed over.
    pub(crate) handed: Nanos,
}

#[derive(Debug, Default)]
struct Waiting {
    due: BTreeMap<(Nanos, u64), Due>,
    order: u64,
    closed: bool,
    /// When slots whose stamps are to come should have left, by number.
    outstanding: VecDeque<(u64, Nanos)>,
}

/// Why slots were not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Time passed without this machine: the thread ran and its clock jumped (the hypervisor, or an interrupt), or it
    /// was woken late though no other thread had its processor.
    pub(crate) holes: u64,
    /// It was handed over when its time had passed, or nearly: the machine was late.
    pub(crate) handed_late: u64,
    /// Another thread had the processor, or something else held this one up between two slots.
    pub(crate) woken_late: u64,
}

impl Skipped {
    pub(crate) fn all(self) -> u64 {
        self.holes + self.handed_late + self.woken_late
    }
}

/// What the slot thread did. It holds the lock around this for moments only, and so must others.
#[derive(Debug, Default)]
struct Sending {
    sent: u64,
    skipped: Skipped,
    /// How late the thread was when it called the kernel, since somebody asked last, in ns.
    starts: Vec<Nanos>,
}

/// What is known of departures. The slot thread has nothing to do with it: quantiles take their time.
#[derive(Debug)]
struct Departures {
    starts: Errors,
    departures: Errors,
    latency: Latency,
}

/// What there is to say of a slot thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) sent: u64,
    pub(crate) skipped: Skipped,
    /// How late the thread was when it called the kernel.
    pub(crate) starts: Quantiles,
    /// How late slots left in fact, where the kernel stamped them.
    pub(crate) departures: Quantiles,
}

struct Shared {
    waiting: Mutex<Waiting>,
    wake: Condvar,
    sending: Mutex<Sending>,
    /// Later than this is too late.
    tolerance: AtomicI64,
    /// Slots are sent so much earlier, which the kernel takes.
    lead: AtomicI64,
    /// The processor on which it stays.
    processor: Option<u16>,
    line: Arc<Datagrams>,
}

/// The slot thread of one fibre. It ends when this is dropped.
pub(crate) struct SlotThread {
    shared: Arc<Shared>,
    known: Departures,
    thread: Option<JoinHandle<()>>,
}

/// What a lock guards is whole after every statement, so a panic elsewhere leaves it usable.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl SlotThread {
    /// Starts it, on one processor if one is named. Light that is later than `tolerance` is not sent.
    pub(crate) fn start(line: Arc<Datagrams>, tolerance: Nanos, processor: Option<u16>) -> std::io::Result<SlotThread> {
        let shared = Arc::new(Shared {
            waiting: Mutex::new(Waiting::default()),
            wake: Condvar::new(),
            sending: Mutex::default(),
            tolerance: AtomicI64::new(tolerance),
            lead: AtomicI64::new(0),
            processor,
            line,
        });
        let its = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("slots".into()).spawn(move || its.run())?;
        let known = Departures { starts: Errors::new(), departures: Errors::new(), latency: Latency::default() };
        Ok(SlotThread { shared, known, thread: Some(thread) })
    }

    /// A slot that shall leave at a monotonic time.
    pub(crate) fn push(&self, at: Nanos, due: Due) {
        let mut waiting = held(&self.shared.waiting);
        waiting.order += 1;
        let key = (at, waiting.order);
        waiting.due.insert(key, due);
        drop(waiting);
        self.shared.wake.notify_one();
    }

    /// From now on, light that is later than this is not sent.
    pub(crate) fn tolerate(&self, tolerance: Nanos) {
        self.shared.tolerance.store(tolerance, Ordering::Relaxed);
    }

    /// The slot with this number was handed to the kernel at `called` and left at `left`. False if it is not this
    /// thread's.
    pub(crate) fn departed(&mut self, number: u64, called: Nanos, left: Nanos) -> bool {
        let mut waiting = held(&self.shared.waiting);
        let Some(place) = waiting.outstanding.iter().position(|(found, _)| *found == number) else { return false };
        let meant = waiting.outstanding.drain(..=place).next_back().map_or(left, |(_, meant)| meant);
        drop(waiting);
        self.known.departures.record((left - meant) * 1000);
        self.known.latency.observe(left - called);
        self.shared.lead.store(self.known.latency.median().min(LONGEST_LEAD), Ordering::Relaxed);
        true
    }

    /// What it has done so far.
    pub(crate) fn account(&mut self) -> Account {
        let mut sending = held(&self.shared.sending);
        let (sent, skipped, fresh) = (sending.sent, sending.skipped, std::mem::take(&mut sending.starts));
        drop(sending);
        fresh.iter().for_each(|late| self.known.starts.record(late * 1000));
        let Departures { starts, departures, .. } = &self.known;
        Account { sent, skipped, starts: starts.quantiles(), departures: departures.quantiles() }
    }
}

impl Drop for SlotThread {
    fn drop(&mut self) {
        held(&self.shared.waiting).closed = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // Its panic, if it had one, has been printed.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn run(&self) {
        // Without the right to it, slots leave when the kernel lets them; the process has said so at its start.
        let _ = priority::become_real_time(PRIORITY);
        let _ = time::make_timers_precise();
        if let Some(processor) = self.processor {
            // If it is refused, the kernel chooses.
            let _ = priority::stay_on(processor);
        }
        let mut last = time::now();
        let mut watch = Watch::of_this_thread();
        while let Some((at, due)) = self.next(last) {
            self.send(at, due, self.spin_before(at - last), &mut watch);
            last = at;
        }
    }

    /// How long the thread spins before a slot, if its last slot was `since` before.
    fn spin_before(&self, since: Nanos) -> Nanos {
        match self.processor {
            Some(_) => (since / SPUN_PART).clamp(SPIN, LONGEST_SPIN),
            None => SPIN,
        }
    }

    /// The slot that follows that of `last`, when 120 µs are left before it, or all that is to be spun: who wakes too
    /// late here has another 60 µs, and who does not sleeps once more.
    fn next(&self, last: Nanos) -> Option<(Nanos, Due)> {
        let mut waiting = held(&self.waiting);
        loop {
            if waiting.closed {
                return None;
            }
            let lead = self.lead.load(Ordering::Relaxed);
            let due = waiting.due.first_key_value().map(|((at, _), _)| *at);
            let until = due.map(|at| at - lead - self.spin_before(at - last).max(2 * SPIN) - time::now());
            waiting = match until {
                None => self.wake.wait(waiting).unwrap_or_else(std::sync::PoisonError::into_inner),
                Some(left) if left > 0 => {
                    let woken = self.wake.wait_timeout(waiting, Duration::from_nanos(left as u64));
                    woken.unwrap_or_else(std::sync::PoisonError::into_inner).0
                }
                Some(_) => {
                    let ((at, _), due) = waiting.due.pop_first()?;
                    return Some((at, due));
                }
            };
        }
    }

    fn send(&self, at: Nanos, due: Due, spin: Nanos, watch: &mut Watch) {
        if let Some(number) = due.stamped {
            self.expect_stamp(number, at);
        }
        let at = at - self.lead.load(Ordering::Relaxed);
        // If a sleep is refused, the spin does it.
        let _ = time::sleep_until(at - spin);
        let woken = time::now();
        // What it takes to send is fetched before it is needed: a call that sends nothing.
        if woken < at {
            self.line.warm_up();
        }
        let (now, hole) = spin_until(at, woken);
        if now - at > self.tolerance.load(Ordering::Relaxed) {
            let skipped = &mut held(&self.sending).skipped;
            return match () {
                () if due.handed > at - SPIN => skipped.handed_late += 1,
                () if hole > HOLE || watch.stood_still(woken - (at - spin)) => skipped.holes += 1,
                () => skipped.woken_late += 1,
            };
        }
        let head = Line::light(due.datagrams).bytes();
        // What cannot be sent has met a cut fibre; the machines notice.
        let _ = match due.stamped {
            Some(number) => self.line.send_stamped(&head, &due.bytes, number),
            None => self.line.send(&head, &due.bytes),
        };
        let mut sending = held(&self.sending);
        sending.sent += 1;
        sending.starts.push(now - at);
        drop(sending);
        watch.all_is_well();
    }

    fn expect_stamp(&self, number: u64, meant: Nanos) {
        let mut waiting = held(&self.waiting);
        if waiting.outstanding.len() == OUTSTANDING {
            waiting.outstanding.pop_front();
        }
        waiting.outstanding.push_back((number, meant));
    }
}

/// Tells whether another thread made the slot thread late, or the host, which stops processors that sleep and need not
/// say so.
struct Watch {
    waited: Waited,
    /// What it had waited for a processor when it was last in time.
    before: Option<Nanos>,
}

impl Watch {
    fn of_this_thread() -> Watch {
        let waited = Waited::by_this_thread();
        let before = waited.so_far();
        Watch { waited, before }
    }

    fn all_is_well(&mut self) {
        self.before = self.waited.so_far();
    }

    /// Whether the wait for a processor explains less than half of what the thread is late by.
    fn stood_still(&self, late: Nanos) -> bool {
        let waited = self.waited.so_far().zip(self.before).map(|(now, before)| now - before);
        late > 0 && waited.is_some_and(|waited| 2 * waited < late)
    }
}

/// Spins until an instant. The present, and the longest time between two readings of the clock.
fn spin_until(at: Nanos, since: Nanos) -> (Nanos, Nanos) {
    let (mut now, mut hole) = (since, 0);
    while now < at {
        std::hint::spin_loop();
        let next = time::now();
        hole = hole.max(next - now);
        now = next;
    }
    (now, hole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(processor: Option<u16>) -> Shared {
        let (here, there) = (([127, 0, 0, 1], 0).into(), ([127, 0, 0, 1], 9).into());
        Shared {
            waiting: Mutex::default(),
            wake: Condvar::new(),
            sending: Mutex::default(),
            tolerance: AtomicI64::new(0),
            lead: AtomicI64::new(0),
            processor,
            line: Arc::new(Datagrams::between(here, there).unwrap()),
        }
    }

    #[test]
    fn who_is_late_without_having_waited_met_a_hole() {
        let mut watch = Watch::of_this_thread();
        if watch.before.is_none() {
            return;
        }
        assert!(!watch.stood_still(0));
        assert!(watch.stood_still(1_000_000_000));
        watch.before = watch.before.map(|before| before - 600_000_000);
        assert!(!watch.stood_still(1_000_000_000));
    }

    #[test]
    fn a_thread_with_a_processor_of_its_own_spins_for_60_microseconds_or_a_third_of_the_time() {
        let alone = shared(Some(0));
        let spins = [150_000, 300_000, 900_000, 1_800_000, 10_000_000].map(|since| alone.spin_before(since));
        assert_eq!(spins, [60_000, 100_000, 300_000, 600_000, 600_000]);
        assert_eq!(shared(None).spin_before(10_000_000), 60_000);
    }
}
