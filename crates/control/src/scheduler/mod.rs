//! Frame schedulers: which node sends to which in every slot of a frame.
//!
//! A bufferless switch connects each input to at most one output and each output to at most one input at a time. A
//! request matrix says how many slots each input wants to each output. It fits a frame exactly if no row and no column
//! asks for more slots than the frame has (König; Birkhoff and von Neumann): `bvn` then serves all of it, the others
//! what they can.
//!
//! | file | holds |
//! |---|---|
//! | `requests` | the request matrix and its check |
//! | `share` | what is admitted when a row or column asks for more than a frame |
//! | `schedule` | the result: connections, held for some slots each |
//! | `support` | the positive entries of a matrix as bits, and a matching on them |
//! | `bvn`, `greedy`, `round_robin`, `islip`, `rotor` | the algorithms |
//! | `circuits` | schedules of switches that are dark while they change |

mod bvn;
pub mod circuits;
mod greedy;
mod islip;
mod requests;
mod rotor;
mod round_robin;
mod schedule;
mod share;
mod support;

pub use islip::Islip;
pub use requests::{LineSums, RequestError, Requests};
pub use schedule::{Block, IDLE, Schedule};
pub use share::{share, share_all, share_weighted};

use options::registry;
use std::fmt;

/// An algorithm. It may remember where it stopped in the last frame.
pub trait Scheduler: Send + Sync {
    /// A schedule of at most `frame` slots. No row or column of `requests` exceeds `frame`.
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule;
}

/// An algorithm as it can be named, with what begins a scheduler.
pub type Entry = options::Entry<Algorithm, fn() -> Box<dyn Scheduler>>;

registry! {
    /// The algorithms by name.
    pub enum Algorithm: fn() -> Box<dyn Scheduler> {
        Bvn = "bvn", "Birkhoff 1946, von Neumann 1953, König 1916",
            "Exact: every request that fits is served, in as few slots as possible.": || Box::<bvn::Bvn>::default();
        Greedy = "greedy", "heuristic BvN, after the idea of QBvN (Peng, Bochmann, Hall 2006)",
            "Fast: connections are held until one is served, then only the freed nodes are matched again, with little \
                repair.": || Box::<greedy::Greedy>::default();
        RoundRobin = "round-robin", "McKeown 1999 (iSLIP), one iteration, in turn",
            "Slot by slot: each input takes the next free output after its last one.":
            || Box::<round_robin::RoundRobin>::default();
        Islip = "islip", "McKeown 1999 (iSLIP), iterated until maximal",
            "Slot by slot: outputs offer themselves, inputs accept; under full load everyone has its turn.":
            || Box::<islip::Islip>::default();
        Rotor = "rotor", "Mellette et al. 2017 (RotorNet)",
            "Demand-oblivious: every input meets every other output in turn.": || Box::<rotor::Rotor>::default();
    }
}

/// Every algorithm there is, in a fixed order.
pub fn registry() -> &'static [Entry] {
    Algorithm::REGISTRY
}

/// A scheduler of one switch, frame after frame.
pub struct FrameScheduler {
    algorithm: Algorithm,
    machine: Box<dyn Scheduler>,
    weights: Option<Requests>,
    /// Frames that were scheduled.
    turn: u64,
}

impl FrameScheduler {
    /// The longest frame.
    pub const MAX_FRAME: u32 = 1 << 20;
    /// The most connections of a schedule: slots times nodes.
    pub const MAX_CONNECTIONS: u64 = 1 << 26;

    /// A scheduler that has seen no frame.
    pub fn new(algorithm: Algorithm) -> FrameScheduler {
        FrameScheduler { algorithm, machine: (algorithm.entry().item)(), weights: None, turn: 0 }
    }

    /// A scheduler that shares what is too much by these weights, an entry each ([`share_weighted`]).
    pub fn weighted(algorithm: Algorithm, weights: Requests) -> FrameScheduler {
        FrameScheduler { weights: Some(weights), ..FrameScheduler::new(algorithm) }
    }

    /// Which algorithm it is.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The schedule of the next frame of `frame` slots. Where a row or a column asks for more than that, what is served
    /// is shared max-min ([`share`]), by weight if there are as many weights as nodes.
    pub fn schedule(&mut self, requests: &Requests, frame: u32) -> Result<Schedule, ScheduleError> {
        let turn = self.begin(requests, frame)?;
        if requests.longest_line() <= u64::from(frame) {
            return Ok(self.machine.schedule(requests, frame));
        }
        let shared = match &self.weights {
            Some(weights) if weights.nodes() == requests.nodes() => share_weighted(requests, frame, turn, weights),
            _ => share(requests, frame, turn),
        };
        Ok(self.machine.schedule(&shared, frame))
    }

    /// The same, and what is left of the frame is shared in the same way among the pairs that `takes` names
    /// ([`share_all`]).
    pub fn schedule_all(
        &mut self,
        requests: &Requests,
        frame: u32,
        takes: impl Fn(usize, usize) -> bool,
    ) -> Result<Schedule, ScheduleError> {
        let turn = self.begin(requests, frame)?;
        let weights = self.weights.as_ref().filter(|weights| weights.nodes() == requests.nodes());
        let filled = share_all(requests, frame, turn, weights, takes);
        Ok(self.machine.schedule(&filled, frame))
    }

    /// The turn of a frame, if it has a schedule.
    fn begin(&mut self, requests: &Requests, frame: u32) -> Result<u64, ScheduleError> {
        if frame == 0 || frame > FrameScheduler::MAX_FRAME {
            return Err(ScheduleError::Frame { found: frame });
        }
        let connections = u64::from(frame) * requests.nodes() as u64;
        if connections > FrameScheduler::MAX_CONNECTIONS {
            return Err(ScheduleError::TooLarge { nodes: requests.nodes(), frame });
        }
        let turn = self.turn;
        self.turn += 1;
        Ok(turn)
    }
}

/// Why there is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// The frame has no slot, or too many.
    Frame {
        /// Its slots.
        found: u32,
    },
    /// The schedule would be too large.
    TooLarge {
        /// Rows of the request matrix.
        nodes: usize,
        /// Slots.
        frame: u32,
    },
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Frame { found } => {
                write!(f, "a frame of {found} slots; allowed: 1 to {}", FrameScheduler::MAX_FRAME)
            }
            ScheduleError::TooLarge { nodes, frame } => {
                let most = FrameScheduler::MAX_CONNECTIONS;
                write!(f, "{nodes} nodes in a frame of {frame} slots; allowed: nodes times slots up to {most}")
            }
        }
    }
}

impl std::error::Error for ScheduleError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_found_under_its_name() {
        for entry in registry() {
            assert_eq!(Algorithm::from_name(entry.name), Some(entry.choice));
            assert_eq!(entry.choice.name(), entry.name);
        }
        assert_eq!(Algorithm::from_name("qbvn"), None);
    }

    #[test]
    fn frames_and_sizes_are_bounded() {
        let requests = Requests::new(2, vec![0; 4]).unwrap();
        let mut bvn = FrameScheduler::new(Algorithm::Bvn);
        assert_eq!(bvn.schedule(&requests, 0).unwrap_err(), ScheduleError::Frame { found: 0 });
        assert_eq!(bvn.schedule(&requests, u32::MAX).unwrap_err(), ScheduleError::Frame { found: u32::MAX });
        let wide = Requests::new(1024, vec![0; 1024 * 1024]).unwrap();
        let frame = FrameScheduler::MAX_FRAME;
        assert_eq!(bvn.schedule(&wide, frame).unwrap_err(), ScheduleError::TooLarge { nodes: 1024, frame });
    }
}
