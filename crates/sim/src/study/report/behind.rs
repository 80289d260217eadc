//! A sink on a thread of its own: what writes a trace follows the run some portions behind, so that on a machine with a
//! free processor a traced run waits for the noting of events alone.

use crate::engine::observe::trace::Sink;
use crate::engine::packet::event::Event;
use crate::results;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// The least portion: to hand one over costs some microseconds.
const PORTION: usize = 1024;
/// So many portions wait at most; then the run waits.
const WAITING: usize = 4;

/// The near end of a sink that works on another thread. Its events come there in their order.
#[derive(Debug)]
pub struct Behind {
    /// Less than a portion.
    rest: Vec<Event>,
    full: SyncSender<Vec<Event>>,
    /// Portions that have been written, to be filled again.
    empty: Receiver<Vec<Event>>,
    writer: JoinHandle<Box<dyn Sink>>,
}

/// The sink on a thread of its own, or the sink itself where there is no thread to be had.
pub fn behind(make: impl Fn() -> Box<dyn Sink>) -> Box<dyn Sink> {
    let (full, portions) = sync_channel::<Vec<Event>>(WAITING);
    let (written, empty) = channel();
    let mut sink = make();
    let work = move || {
        for mut portion in portions {
            sink.take(&mut portion);
            // At the end of the run nobody wants it back.
            let _ = written.send(portion);
        }
        sink
    };
    match Builder::new().name("trace".into()).spawn(work) {
        Ok(writer) => Box::new(Behind { rest: Vec::new(), full, empty, writer }),
        Err(_) => make(),
    }
}

impl Behind {
    /// These go to the writer, and one that it has emptied takes their place.
    fn hand_over(&mut self, events: &mut Vec<Event>) {
        let empty = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(events.capacity()));
        // A writer that has panicked says so at the end.
        let _ = self.full.send(std::mem::replace(events, empty));
    }
}

impl Sink for Behind {
    fn take(&mut self, events: &mut Vec<Event>) {
        if self.rest.is_empty() && events.len() >= PORTION {
            return self.hand_over(events);
        }
        self.rest.append(events);
        if self.rest.len() >= PORTION {
            let mut gathered = std::mem::take(&mut self.rest);
            self.hand_over(&mut gathered);
            self.rest = gathered;
        }
    }

    fn finish(mut self: Box<Self>, left_out: u64) -> results::Trace {
        let mut rest = std::mem::take(&mut self.rest);
        self.hand_over(&mut rest);
        let Behind { full, writer, .. } = *self;
        drop(full);
        let sink = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        sink.finish(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::packet::event::{Spot, What};
    use std::sync::{Arc, Mutex};

    /// Keeps the times of the events that it is given where the test can see them, and refuses one.
    #[derive(Debug)]
    struct Times {
        seen: Arc<Mutex<Vec<u64>>>,
        refused: u64,
    }

    impl Sink for Times {
        fn take(&mut self, events: &mut Vec<Event>) {
            assert!(events.iter().all(|event| event.at != self.refused), "refused");
            self.seen.lock().unwrap().extend(events.drain(..).map(|event| event.at));
        }

        fn finish(self: Box<Self>, left_out: u64) -> results::Trace {
            let last = self.seen.lock().unwrap().last().copied().unwrap_or(0);
            results::Trace { events: columns::Writer::new(Vec::new()).finish(), last, left_out }
        }
    }

    fn written(count: u64, refused: u64) -> (Vec<u64>, results::Trace) {
        let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
        let mut sink = behind(|| Box::new(Times { seen: Arc::clone(&seen), refused }));
        let events: Vec<Event> = (0..count).map(|at| Event::new(at, What::Send, Spot::node(0))).collect();
        // Portions of all sizes, small ones and such as are handed over at once.
        let (mut rest, mut size) = (&events[..], 1);
        while !rest.is_empty() {
            let (portion, others) = rest.split_at(size.min(rest.len()));
            let mut portion = portion.to_vec();
            sink.take(&mut portion);
            assert!(portion.is_empty());
            (rest, size) = (others, size * 7 % 2999);
        }
        let trace = sink.finish(3);
        let seen = seen.lock().unwrap().clone();
        (seen, trace)
    }

    #[test]
    fn all_events_come_in_their_order_however_many_portions_wait() {
        for count in [0, 1, 7, 100_000] {
            let (seen, trace) = written(count, u64::MAX);
            assert_eq!(seen, (0..count).collect::<Vec<u64>>());
            assert_eq!((trace.last, trace.left_out), (count.saturating_sub(1), 3));
        }
    }

    #[test]
    #[should_panic(expected = "refused")]
    fn a_sink_that_panics_ends_the_run() {
        written(100_000, 500);
    }

    #[test]
    fn a_run_that_is_given_up_leaves_no_thread_waiting() {
        let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
        let mut sink = behind(|| Box::new(Times { seen: Arc::clone(&seen), refused: u64::MAX }));
        sink.take(&mut vec![Event::new(1, What::Send, Spot::node(0)); PORTION]);
        drop(sink);
        // The thread holds the second handle until it ends.
        while Arc::strong_count(&seen) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(*seen.lock().unwrap(), [1; PORTION]);
    }
}
