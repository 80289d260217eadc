//! The load meter of an output and the two paths of an ingress node, driven by hand.
//!
//! What is not here is the node's: bursts that wait for a wavelength, and those that are blocked behind them.

use super::balance::{Chosen, Loads, Member, PathSet};
use super::keys::BalancingRule;
pub use super::load::LoadMeter;
use super::plan::{Balancing, Choice, Comparison, Ordering, PathLoad, Policy};
use crate::random::Stream;
use options::{Kind, Range, Words, options};
use units::Duration;

options! {
    /// The rules, with the keys of `[switching.balancing]`.
    #[derive(Clone, Copy, Debug)]
    pub struct Config {
        /// What a burst's path depends on.
        pub policy: BalancingRule = BalancingRule::Adaptive, Kind::Word(&BalancingRule::LIST);
        /// τ.
        pub interval: Duration = Duration::from_millis(500), Kind::POSITIVE;
        /// ρ_max.
        pub threshold: f64 = 0.05, Kind::Number(Range::closed(0.0, 1e6));
        /// When the path changes.
        pub choice: Choice = Choice::SwitchAbove, Kind::Word(&Choice::LIST);
        /// When a load exceeds the threshold.
        pub comparison: Comparison = Comparison::Above, Kind::Word(&Comparison::LIST);
        /// What the load of a path is.
        pub path_load: PathLoad = PathLoad::Worst, Kind::Word(&PathLoad::LIST);
        /// The path changes only if its load is higher than the other's by more than this.
        pub hysteresis: Option<f64> = None, Kind::Number(Range::closed(0.0, 1e6));
        /// The gap after which "flowlet" draws a path.
        pub gap: Duration = Duration::from_millis(1), Kind::SPAN;
        /// Whether bursts are held so that they do not overtake those before them.
        pub ordering: Ordering = Ordering::Off, Kind::Word(&Ordering::LIST);
    }
}

impl Config {
    fn rules(&self) -> Balancing {
        let policy = match self.policy {
            BalancingRule::Adaptive => Policy::Adaptive(self.choice),
            BalancingRule::Alternate => Policy::Alternate,
            BalancingRule::Random => Policy::Random,
            BalancingRule::Flowlet => Policy::Flowlet(self.gap.ps()),
            BalancingRule::LeastLoaded => Policy::LeastLoaded,
        };
        let Config { interval, threshold, comparison, path_load, hysteresis, ordering, .. } = *self;
        Balancing { policy, interval, threshold, comparison, path_load, hysteresis, ordering, ..Balancing::usual() }
    }
}

/// A path: its delay from end to end, how far a burst is behind its header, both in picoseconds, and the links that
/// count.
pub type Path = (u64, u64, Vec<u32>);

/// A set of two paths with what is known of their links.
#[derive(Debug)]
pub struct Paths {
    rules: Balancing,
    set: PathSet,
    loads: Loads,
}

/// What becomes of a burst; times are picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Which path it takes.
    pub path: usize,
    /// Whether the burst before took the other one.
    pub switched: bool,
    /// How long it is held.
    pub hold: u64,
    /// When its first bit arrives, processing of headers aside.
    pub arrives: u64,
}

impl Paths {
    /// Two paths, of which the first is taken at first. The wavelengths of the last link need `turn` between two
    /// bursts.
    pub fn new(config: &Config, paths: [Path; 2], turn: u64, stream: Stream) -> Paths {
        let member = |(route, (delay, offset, links)): (u32, Path)| Member::new(route, delay, offset, links);
        let members = (0..).zip(paths).map(member).collect();
        Paths { rules: config.rules(), set: PathSet::new(members, turn, stream), loads: Loads::new() }
    }

    /// The load of a link is told.
    pub fn tell(&mut self, link: u32, load: f64) {
        self.loads.insert(link, load);
    }

    /// The end of a τ, when the path may change. Whether it does.
    pub fn review(&mut self) -> bool {
        self.set.review(&self.rules, &self.loads)
    }

    /// A burst is complete; `path` says which one it takes, or the policy does.
    pub fn send(&mut self, now: u64, length: u64, path: Option<usize>) -> Sent {
        let Chosen { member, switched, .. } = match path {
            Some(path) => self.set.take(now, length, path),
            None => self.set.choose(now, length, &self.rules, &self.loads),
        };
        let hold = self.set.hold(now, length, member, self.rules.ordering);
        let path = &self.set.members()[member];
        Sent { path: member, switched, hold, arrives: now + hold + path.offset + path.delay }
    }

    /// A burst that waited for a wavelength leaves now.
    pub fn leave(&mut self, now: u64, length: u64, path: usize) {
        self.set.note_departure(now, length, path);
    }
}
