//! Schedules of reconfigurable switches: matchings, each held for some time, with dark time before another one.
//!
//! A frame schedule ([`super`]) has slots and loses nothing when connections change. Here a change costs the switch a
//! dark time, a matching is held for any time, several switches work side by side, and a packet network carries the
//! rest. The schedule of a week is repeated. Everything is computed in picoseconds of a circuit's light.
//!
//! | file | holds |
//! |---|---|
//! | `schedule` | the result, with its check; `file` writes it as CSV and reads it |
//! | `demand` | bytes a week from each port to each, and the time that they take |
//! | `coverage` | what a schedule carries of a demand, and what is left to the packet network |
//! | `stuffing`, `slices` | equal line sums, and the perfect matchings that take such a matrix apart |
//! | `weight` | the matching of the largest weight |
//! | `bvn`, `solstice`, `greedy` | rules for a demand; `layout` lays their matchings over the switches |
//! | `turns`, `random` | matchings in turn, whatever is wanted |

mod bvn;
mod coverage;
mod demand;
mod error;
mod file;
mod greedy;
mod layout;
mod random;
mod schedule;
mod slices;
mod solstice;
mod stuffing;
mod turns;
mod weight;

pub use coverage::Coverage;
pub use demand::DemandMatrix;
pub use error::CircuitError;
pub use schedule::{CircuitSchedule, Hold};
pub use slices::birkhoff;
pub use stuffing::quick_stuff;

use options::{registry, words};
use units::{Duration, Rate};

/// A matching and how long it is held, in picoseconds of light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The output of each input, or [`super::IDLE`].
    pub outputs: Vec<u16>,
    /// How long.
    pub time: u64,
}

/// What a rule makes a schedule from.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// A demand: matchings with their times, the most useful first.
    Demand(fn(&Work) -> Vec<Matched>),
    /// Nothing but the number of ports and a seed: matchings that follow one another.
    Turns(turns::Turns),
}

/// A rule as it can be named.
pub type Entry = options::Entry<Algorithm, Rule>;

registry! {
    /// The rules by name.
    pub enum Algorithm: Rule {
        Solstice = "solstice", "Liu et al., CoNEXT 2015",
            "Stuffs the demand, then cuts the longest slices first, until the packet network can carry the \
                rest.": Rule::Demand(solstice::solstice);
        Bvn = "bvn", "Birkhoff 1946, von Neumann 1953",
            "Takes the stuffed demand apart exactly and holds the matchings that are worth the dark time, longest \
                first.": Rule::Demand(bvn::bvn);
        Eclipse = "eclipse", "Bojja Venkatakrishnan, Alizadeh, Viswanath, SIGMETRICS 2016",
            "Greedy: again and again the matching and the time with the most demand served per time, dark time \
                included.": Rule::Demand(greedy::eclipse);
        MaxWeight = "max-weight", "Farrington et al., SIGCOMM 2010 (Helios); Wang et al., SIGCOMM 2010 (c-Through)",
            "Each slice holds the matching that serves most of what is left of the demand.":
            Rule::Demand(greedy::max_weight);
        RoundRobin = "round-robin", "the circle method of tournaments (Kirkman 1847)",
            "Matchings of pairs in turn, whatever is wanted: each pair meets once; an even number of ports.":
            Rule::Turns(turns::ROUND_ROBIN);
        Offsets = "offsets", "Mellette et al., SIGCOMM 2017 (RotorNet)",
            "Port i to port i + k, for k = 1, 2, … in turn, whatever is wanted; any number of ports.":
            Rule::Turns(turns::OFFSETS);
        Random = "random", "Dinitz and Stinson 1987",
            "A random one-factorisation by its seed: matchings of pairs in turn; an even number of ports.":
            Rule::Turns(turns::RANDOM);
        Opera = "opera", "Mellette et al., NSDI 2020",
            "Random too, with N matchings, in one of which each port is alone; the switches change one at a time.":
            Rule::Turns(turns::OPERA);
    }
}

/// Every rule there is, in a fixed order.
pub fn registry() -> &'static [Entry] {
    Algorithm::REGISTRY
}

words! {
    /// Where Solstice's threshold begins.
    pub enum Threshold {
        /// At the largest power of two of picoseconds that is smaller than the largest entry, as its paper says of
        /// whole numbers.
        PowerOfTwo = "power-of-two",
        /// At the largest entry: whatever the unit, the schedule is the same.
        Largest = "largest",
    }
}

words! {
    /// In which order quick stuffing comes to the entries, first those that are not zero, then the others.
    pub enum Stuffing {
        /// Row after row.
        Rows = "rows",
        /// The largest entry first.
        Largest = "largest",
    }
}

words! {
    /// How a schedule for a demand uses what is left of the week.
    pub enum Remainder {
        /// The switches stay dark.
        Dark = "dark",
        /// Each matching is held longer, by equal parts.
        Stretch = "stretch",
    }
}

words! {
    /// How several switches change that hold matchings in turn.
    pub enum Order {
        /// All at once, at the end of each slice.
        Together = "together",
        /// One at the end of each slice: each matching is held for as many slices as there are switches.
        OneByOne = "one-by-one",
    }
}

/// The switches and what surrounds them.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Switches side by side; each port has a fibre to each.
    pub switches: usize,
    /// Of a circuit.
    pub capacity: Rate,
    /// What each port can send to and hear from the packet network.
    pub packet_capacity: Rate,
    /// How long a switch is dark before it holds another matching.
    pub reconfiguration: Duration,
    /// How long a schedule lasts, if it is to be fitted to that.
    pub week: Option<Duration>,
    /// How long a matching lasts with its dark time, for the rules that need it.
    pub slice: Option<Duration>,
}

impl Site {
    /// The longest week, and the longest entry of a demand. So all sums of times have 64 bits.
    pub const LONGEST: Duration = Duration::from_secs(60);

    fn check(&self, ports: usize) -> Result<(), CircuitError> {
        if self.switches == 0 || self.switches > ports {
            return Err(CircuitError::Switches { found: self.switches, ports });
        }
        if self.capacity.bps() == 0 {
            return Err(CircuitError::Capacity);
        }
        for (what, time) in [("week", self.week), ("slice", self.slice)] {
            let Some(time) = time else { continue };
            if time <= self.reconfiguration || time > Site::LONGEST {
                return Err(CircuitError::Time { what, found: time, reconfiguration: self.reconfiguration });
            }
        }
        Ok(())
    }
}

/// Readings of what the sources leave open; the defaults are the first word of each.
#[derive(Clone, Copy, Debug)]
pub struct Readings {
    /// Of `bvn`: a matching is held if its light lasts at least so long; by default as long as the dark time before it,
    /// so that at least half of the time is light.
    pub shortest: Option<Duration>,
    /// Of `solstice`.
    pub threshold: Threshold,
    /// Of `solstice` and `bvn`.
    pub stuffing: Stuffing,
    /// Of the rules for a demand.
    pub remainder: Remainder,
    /// Of matchings in turn, where the rule does not say it.
    pub order: Order,
    /// Of random matchings.
    pub seed: u64,
}

impl Default for Readings {
    fn default() -> Readings {
        Readings {
            shortest: None,
            threshold: Threshold::PowerOfTwo,
            stuffing: Stuffing::Rows,
            remainder: Remainder::Dark,
            order: Order::Together,
            seed: 1,
        }
    }
}

/// A demand that is to be scheduled.
#[derive(Clone, Debug)]
pub struct Work {
    ports: usize,
    /// Picoseconds of light that each port wants to each, row after row.
    times: Vec<u64>,
    site: Site,
    readings: Readings,
    /// Light of a slice.
    slice: Option<u64>,
    /// Picoseconds of all switches in all, dark time included.
    budget: u64,
}

impl Work {
    fn dark(&self) -> u64 {
        self.site.reconfiguration.ps()
    }

    /// The matchings in their order, as many as the budget has room for; the last one is cut short.
    fn afforded(&self, matched: Vec<Matched>) -> Vec<Matched> {
        let mut left = self.budget;
        let fitted = matched.into_iter().map_while(|Matched { outputs, time }| {
            let time = time.min(left.saturating_sub(self.dark()));
            left = left.saturating_sub(time + self.dark());
            (time > 0).then_some(Matched { outputs, time })
        });
        fitted.collect()
    }
}

/// The schedule by this rule.
pub fn plan(
    algorithm: Algorithm,
    demand: &DemandMatrix,
    site: &Site,
    readings: &Readings,
) -> Result<CircuitSchedule, CircuitError> {
    let ports = demand.ports();
    site.check(ports)?;
    match algorithm.entry().item {
        Rule::Turns(turns) => turns::schedule(&turns, algorithm, ports, site, readings),
        Rule::Demand(rule) => {
            let missing = |what| CircuitError::Missing { rule: algorithm.name(), what };
            let week = site.week.ok_or_else(|| missing("week"))?;
            let slice = site.slice.map(|slice| slice.saturating_sub(site.reconfiguration).ps());
            match (algorithm, slice) {
                (Algorithm::MaxWeight, None) => return Err(missing("slice")),
                (Algorithm::MaxWeight, Some(_)) | (_, None) => {}
                (_, Some(_)) => return Err(CircuitError::Surplus { rule: algorithm.name() }),
            }
            let (dark, switches) = (site.reconfiguration.ps(), site.switches as u64);
            let budget = (switches * week.ps()).saturating_sub((switches - 1) * dark);
            let times = demand.times(site.capacity)?;
            let work = Work { ports, times, site: *site, readings: *readings, slice, budget };
            let matched = work.afforded(rule(&work));
            layout::side_by_side(&matched, ports, week, site, readings.remainder)
        }
    }
}
