//! Queue disciplines: what a port does with a packet that has to wait, before its buffer is full.
//!
//! A discipline is one file with its source, its parameters and its tests, and the line in `disciplines!` below. There
//! are two kinds:
//!
//! * A [`Discipline`] decides when a packet *arrives*. It hears of every packet that comes to its port, with the queue
//!   as it is then, and says whether the packet is accepted, marked or dropped; what it accepts leaves first in, first
//!   out. The port computes departures when packets arrive, as without a discipline.
//! * A [`Scheduler`] decides when a packet *leaves*, or which: it holds what waits, and is asked for the next packet
//!   whenever the transmitter is free. Only a port with one has events for its departures.
//!
//! Drop-tail, the usual one, is the port itself, and costs no port anything. [`ByHand`] drives any of them without a
//! simulator.

pub mod abc;
mod by_hand;
pub mod codel;
pub mod drr;
pub mod dualpi2;
mod flows;
pub mod fq_codel;
pub mod ndp;
pub mod pie;
pub mod priority;
pub mod red;
mod scheduler;
pub mod step;
mod updates;

pub use by_hand::ByHand;
pub use scheduler::{Dropped, Ecn, Fifo, Figures, Form, Held, Item, Reason, Room, Scheduler};

use crate::random::Stream;
use options::{ConfigError, Options, Value, one_of, registry};
use units::{BufferSize, ByteTime, Rate};

/// A packet that comes to a port, and the queue that it finds.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When, in picoseconds.
    pub now: u64,
    /// Its size on the wire.
    pub size: u16,
    /// Whether it may be marked instead of dropped (ECT of RFC 3168).
    pub is_capable: bool,
    /// Packets that wait, the one in transmission not counted.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Since when the port has had nothing to send; `None` if it is sending.
    pub idle_since: Option<u64>,
}

impl Arrival {
    /// The queue in the unit of a threshold.
    pub fn queue_in(&self, unit: BufferSize) -> u64 {
        match unit {
            BufferSize::Bytes(_) => self.bytes,
            BufferSize::Packets(_) | BufferSize::Time(_) | BufferSize::Unlimited => self.packets,
        }
    }
}

/// What becomes of a packet, if there is room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits.
    Accept,
    /// It waits, and says that the queue is congested (CE of RFC 3168).
    Mark,
    /// It is dropped.
    Drop,
}

/// What a discipline is made on.
#[derive(Debug)]
pub struct Site {
    /// How long the port sends a byte.
    pub byte_time: ByteTime,
    /// For its random choices.
    pub stream: Stream,
}

/// The parameters of a discipline.
pub trait Parameters: Options {
    /// An error if there is no discipline with these, each of which is in its range.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// True if it marks packets that are ECN-capable.
    fn marks(&self) -> bool;

    /// True if flows take turns, so that none waits behind all packets of another.
    fn serves_by_flow(&self) -> bool {
        false
    }

    /// True if it trims packets that may be trimmed.
    fn trims(&self) -> bool {
        false
    }
}

/// A queue discipline that decides when packets arrive.
pub trait Discipline: Sized {
    /// Its parameters. Thresholds are packets or bytes; where a time was written, it is the bytes of that time.
    type Config: Parameters + Copy;

    /// An empty queue.
    fn new(config: &Self::Config, site: Site) -> Self;

    /// A packet comes.
    fn handle_arrival(&mut self, arrival: &Arrival) -> Verdict;

    /// What it knows of congestion, for those who look.
    fn figures(&self) -> Figures {
        Vec::new()
    }
}

/// A discipline as it can be named in a scenario, with its usual parameters.
pub type Entry = options::Entry<Kind, fn() -> Config>;

// Over 40 lines: a discipline is named once, and its configuration, its machine and its line in the list follow.
macro_rules! disciplines {
    (
        arrivals { $($early:ident = $name:literal, $source:literal, $summary:literal: $queue:ty;)+ }
        departures { $($late:ident = $its_name:literal, $its_source:literal, $its_summary:literal: $scheduler:ty;)+ }
    ) => {
        registry! {
            /// The disciplines by name.
            pub enum Kind: fn() -> Config {
                DropTail = "drop-tail", "RFC 2309 §2", "What the buffer has no room for is dropped.":
                    || Config::DropTail;
                $($early = $name, $source, $summary: || Config::$early(Default::default());)+
                $($late = $its_name, $its_source, $its_summary: || Config::$late(Default::default());)+
            }
        }

        /// A discipline with its parameters.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub enum Config {
            /// None: what the buffer has no room for is dropped.
            #[default]
            DropTail,
            $(#[doc = $summary] $early(<$queue as Discipline>::Config),)+
            $(#[doc = $its_summary] $late(<$scheduler as Scheduler>::Config)),+
        }

        impl Config {
            /// Its name without its parameters.
            pub fn kind(&self) -> Kind {
                match self {
                    Config::DropTail => Kind::DropTail,
                    $(Config::$early(_) => Kind::$early,)+
                    $(Config::$late(_) => Kind::$late),+
                }
            }
        }

        macro_rules! with_parameters {
            ($config:expr, $parameters:ident => $then:expr) => {
                match $config {
                    Config::DropTail => None,
                    $(Config::$early($parameters) => Some($then),)+
                    $(Config::$late($parameters) => Some($then)),+
                }
            };
        }

        machines! {
            /// The discipline of one port that decides when packets arrive.
            pub enum Queue: Discipline, with_queue { $($early($queue)),+ }
        }

        machines! {
            /// The discipline of one port that decides when packets leave.
            pub enum Schedule: Scheduler, with_schedule { $($late($scheduler)),+ }
        }
    };
}

/// Declares the enum of the machines of some disciplines.
macro_rules! machines {
    (#[doc = $about:literal] pub enum $name:ident: $family:ident, $with:ident { $($variant:ident($machine:ty)),+ }) => {
        one_of! {
            #[doc = $about]
            #[derive(Debug)]
            #[allow(clippy::large_enum_variant, reason = "it lies in the box of what few ports have")]
            #[allow(missing_docs, reason = "a variant is described by its type")]
            pub enum $name, $with { $($variant($machine)),+ }
        }

        impl $name {
            /// That of a port; `None` for a discipline that is not among these.
            pub fn new(config: &Config, site: impl FnOnce() -> Site) -> Option<$name> {
                match config {
                    $(Config::$variant(config) => Some($name::$variant(<$machine as $family>::new(config, site()))),)+
                    _ => None,
                }
            }

            /// True for a discipline that is among these.
            pub fn has(config: &Config) -> bool {
                matches!(config, $(Config::$variant(_))|+)
            }
        }
    };
}

disciplines! {
    arrivals {
        Step = "step", "DCTCP's rule, RFC 8257 §3.1; Ramakrishnan and Jain 1990 for the idea",
            "A packet that finds more than a threshold waiting is marked.": step::Step;
        Red = "red", "Floyd and Jacobson 1993; gentle: Floyd 2000",
            "Random early detection: marks or drops with a probability that rises with the averaged queue.": red::Red;
    }
    departures {
        CoDel = "codel", "Nichols, Jacobson, McGregor, Iyengar 2018, RFC 8289",
            "Controlled delay: drops or marks packets as they leave while they have waited too long for too long.":
            codel::CoDel;
        FqCoDel = "fq-codel", "Høiland-Jørgensen et al. 2018, RFC 8290",
            "A queue for each flow, in turn, new ones first; CoDel in each.": fq_codel::FqCoDel;
        Pie = "pie", "Pan, Natarajan, Baker, White 2017, RFC 8033",
            "A controller aims at a delay, and drops or marks packets that come with its probability.": pie::Pie;
        DualPi2 = "dualpi2", "De Schepper, Briscoe, White 2023, RFC 9332",
            "Two queues under one controller: shallow for scalable senders (ECT(1)), the other for all the rest.":
            dualpi2::DualPi2;
        Priority = "priority", "RFC 1812 §5.3.3.1",
            "Bands: one sends only while all before it are empty.": priority::Priority;
        Drr = "drr", "Shreedhar and Varghese 1995",
            "Deficit round robin: a queue for each flow, in turn, with equal shares in bytes.": drr::Drr;
        Ndp = "ndp", "Handley et al., SIGCOMM 2017",
            "A short queue for data, whose overflow loses its payload, and one for headers, which goes first.":
            ndp::Ndp;
        Abc = "abc", "Goyal et al., NSDI 2020",
            "Accelerate or brake: marks the share of packets that leads the senders of ABC to a target rate.": abc::Abc;
    }
}

impl Queue {
    /// A packet comes.
    pub fn handle_arrival(&mut self, arrival: &Arrival) -> Verdict {
        with_queue!(self, queue => queue.handle_arrival(arrival))
    }

    /// [`Discipline::figures`].
    pub fn figures(&self) -> Figures {
        with_queue!(self, queue => queue.figures())
    }
}

impl Schedule {
    /// [`Scheduler::enqueue`].
    pub fn enqueue(&mut self, now: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        with_schedule!(self, scheduler => scheduler.enqueue(now, item, room, dropped))
    }

    /// [`Scheduler::dequeue`].
    pub fn dequeue(&mut self, now: u64, dropped: &mut Vec<Dropped>) -> Option<Item> {
        with_schedule!(self, scheduler => scheduler.dequeue(now, dropped))
    }

    /// [`Scheduler::may_pass`].
    pub fn may_pass(&self) -> bool {
        with_schedule!(self, scheduler => scheduler.may_pass())
    }

    /// [`Scheduler::pass`].
    #[inline]
    pub fn pass(&mut self, size: u16, form: Form, flow: u64, room: Room) {
        with_schedule!(self, scheduler => scheduler.pass(size, form, flow, room))
    }

    /// [`Scheduler::set_byte_time`].
    pub fn set_byte_time(&mut self, byte_time: ByteTime) {
        with_schedule!(self, scheduler => scheduler.set_byte_time(byte_time))
    }

    /// [`Scheduler::clear`].
    pub fn clear(&mut self) {
        with_schedule!(self, scheduler => scheduler.clear())
    }

    /// [`Scheduler::figures`].
    pub fn figures(&self) -> Figures {
        with_schedule!(self, scheduler => scheduler.figures())
    }
}

impl Config {
    /// The discipline of that name with its usual parameters.
    pub fn named(name: &str) -> Option<Config> {
        Some((Kind::from_name(name)?.entry().item)())
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Its parameters, if it has any.
    pub fn options(&self) -> Option<&dyn Options> {
        self.parameters().map(|parameters| parameters as &dyn Options)
    }

    /// Its parameters, to be set, if it has any.
    pub fn options_mut(&mut self) -> Option<&mut dyn Options> {
        with_parameters!(self, parameters => parameters as &mut dyn Options)
    }

    fn parameters(&self) -> Option<&dyn Parameters> {
        with_parameters!(self, parameters => parameters as &dyn Parameters)
    }

    /// An error that names the wrong parameter if no port can have it.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let Some(parameters) = self.parameters() else { return Ok(()) };
        parameters.check_ranges()?;
        parameters.validate()
    }

    /// True if it decides when packets leave.
    pub fn is_scheduler(&self) -> bool {
        Schedule::has(self)
    }

    /// True if flows take turns, so that none waits behind all packets of another.
    pub fn serves_by_flow(&self) -> bool {
        self.parameters().is_some_and(Parameters::serves_by_flow)
    }

    /// True if it trims packets that may be trimmed.
    pub fn trims(&self) -> bool {
        self.parameters().is_some_and(Parameters::trims)
    }

    /// True if it marks packets that are ECN-capable.
    pub fn marks(&self) -> bool {
        self.parameters().is_some_and(Parameters::marks)
    }

    /// The same at a link of this capacity: thresholds that were a time are the bytes of that time.
    pub fn at(mut self, capacity: Rate) -> Config {
        if let Some(options) = self.options_mut() {
            for place in 0..options.keys().len() {
                if let Value::Room(BufferSize::Time(span)) = options.get(place) {
                    options.set(place, Value::Room(BufferSize::Bytes(capacity.bytes_in(span))));
                }
            }
        }
        self
    }
}

/// Every discipline there is, in a fixed order.
pub fn list() -> &'static [Entry] {
    Kind::REGISTRY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_discipline_is_found_under_its_name_and_its_usual_parameters_are_right() {
        for entry in list() {
            let config = Config::named(entry.name).unwrap();
            assert_eq!(config.name(), entry.name);
            assert_eq!(config.validate(), Ok(()), "{}", entry.name);
        }
        assert_eq!(Config::named("blue"), None);
    }

    fn names(holds: impl Fn(&Config) -> bool) -> Vec<&'static str> {
        list().iter().filter(|entry| holds(&(entry.item)())).map(|entry| entry.name).collect()
    }

    /// Priority and round robin only order; NDP trims; the others tell senders of congestion.
    #[test]
    fn what_a_discipline_does_is_known_before_there_is_a_port() {
        let marking = ["step", "red", "codel", "fq-codel", "pie", "dualpi2", "abc"];
        assert_eq!(names(Config::marks), marking);
        let departures = ["codel", "fq-codel", "pie", "dualpi2", "priority", "drr", "ndp", "abc"];
        assert_eq!(names(Config::is_scheduler), departures);
        assert_eq!(names(Config::trims), ["ndp"]);
        assert_eq!(names(|config| config.options().is_none()), ["drop-tail"]);
    }

    /// Empty queues at rest: nothing averaged, no probability, no drops to come; ABC has room for all to accelerate.
    #[test]
    fn figures_of_an_empty_queue_are_those_of_no_congestion() {
        let of = |name: &str| {
            let config = Config::named(name).unwrap();
            ByHand::new(&config, Room::Unlimited, by_hand::tests::site()).figures()
        };
        assert_eq!(of("red"), [("average", 0.0), ("probability", 0.0)]);
        assert_eq!(of("codel"), [("dropping", 0.0), ("count", 0.0), ("drop_next_s", f64::INFINITY)]);
        assert_eq!(of("pie"), [("probability", 0.0), ("delay_s", 0.0)]);
        assert_eq!(of("dualpi2"), [("p_base", 0.0), ("p_classic", 0.0), ("p_coupled", 0.0)]);
        assert_eq!(of("abc"), [("accelerated_share", 1.0), ("tokens", 0.0)]);
        for name in ["drop-tail", "step", "fq-codel", "priority", "drr", "ndp"] {
            assert_eq!(of(name), [], "{name}");
        }
    }

    /// What waited is gone, and its room is free again.
    #[test]
    fn a_queue_that_is_cleared_is_empty() {
        for name in names(Config::is_scheduler) {
            let mut schedule = Schedule::new(&Config::named(name).unwrap(), by_hand::tests::site).unwrap();
            let (room, mut dropped) = (Room::Packets(12), Vec::new());
            let item = |id| Item { id, size: 1000, flow: id.into(), form: Form::Trimmable, ..Item::default() };
            let mut fill = |schedule: &mut Schedule, from| {
                (from..from + 4).for_each(|id| schedule.enqueue(0, item(id), room, &mut dropped));
            };
            for from in [0, 4, 8, 12] {
                fill(&mut schedule, from);
                if from < 12 {
                    schedule.clear();
                    assert_eq!(schedule.dequeue(0, &mut Vec::new()), None, "{name}");
                }
            }
            let left: Vec<u32> =
                std::iter::from_fn(|| schedule.dequeue(0, &mut Vec::new())).map(|one| one.id).collect();
            assert_eq!((left, dropped.len()), (vec![12, 13, 14, 15], 0), "{name}");
        }
    }

    /// 15 ms at 10 Mb/s are 18 750 B; what is no time stays.
    #[test]
    fn thresholds_of_a_time_are_bytes_at_a_link() {
        let (low, high) = (BufferSize::Time(units::Duration::from_millis(5)), units::Duration::from_millis(15));
        let red = red::Config { min_th: low, max_th: BufferSize::Time(high), ..red::Config::default() };
        let bytes = |bytes| BufferSize::Bytes(units::Bytes(bytes));
        let at = red::Config { min_th: bytes(6250), max_th: bytes(18_750), ..red };
        assert_eq!(Config::Red(red).at(Rate::from_mbps(10)), Config::Red(at));
        let arrival = Arrival { now: 0, size: 0, is_capable: true, packets: 3, bytes: 4500, idle_since: None };
        assert_eq!([bytes(1), BufferSize::Packets(1)].map(|unit| arrival.queue_in(unit)), [4500, 3]);
    }
}
