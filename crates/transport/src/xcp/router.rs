//! XCP's controller of one output: Katabi, Handley, Rohrs 2002 §3.5; draft-falk-xcp-spec-03; ns-2.35 `xcp/xcpq.cc`.
//!
//! Once per control interval d (the mean RTT of the flows) the efficiency controller decides how much the aggregate is
//! to change, F = α(C − y) − βQ/d, with y the input rate, C the capacity and Q the persistent queue; the fairness
//! controller shares F among the packets of the next interval: what is positive equally among flows (a packet's share
//! is proportional to its flow's packet spacing X), what is negative in proportion to their rates (to the packet's
//! size). So that flows converge also while F is near zero, h = max(0, γy − |F|) is taken from all and given back at
//! the same time.
//!
//! Rules that other implementations got wrong, each with a test below: rates and the capacity are bytes per second
//! inside; |F| is a real absolute value; y counts every packet of the output, ACKs and other protocols too; packets
//! whose sender does not know its RTT get nothing and count in no mean; Q is the least queue in a while, not the mean
//! or the last; a share that is not claimed never makes a pool larger; feedback below 1 B/s is not lost to rounding
//! (the remainder goes to the next packet).
//!
//! Headers come from strangers. What cannot be is cut to what can and counted ([`Router::violations`]): X above the RTT
//! (a window below one packet), X of zero, X without an RTT, a wish to slow down by more than the flow's throughput. A
//! router never takes more than that away either. A sender that lies within these bounds, or that ignores its feedback,
//! is not found out.

use super::{Format, Header, Interval};
use crate::ConfigError;
use options::{Kind, Options, Range, Words, options, words};
use units::{Duration, Instant, Rate};

words! {
    /// What happens to a router's offer that the header's sender, or another router, had already cut.
    pub enum Unclaimed {
        /// The shortfall counts against what is to be taken from all: draft-03, ns-2.35.
        CountsAsNegative = "counts-as-negative",
        /// Both shares are spent as if they had been claimed: the fluid model (Low, Andrew, Wydrowski, Infocom 2005).
        Spent = "spent",
    }
}

options! {
    /// The parameters of a [`Router`]; the constants are ns-2.35's.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RouterConfig {
        fixed {
            /// What the router believes its output carries.
            pub capacity: Rate = Rate::from_mbps(1);
        }
        /// Weight of the spare capacity, α. Stable for 0 < α < π/(4√2) = 0.555 with β = α²√2.
        pub alpha: f64 = 0.4, Kind::Number(WEIGHT);
        /// Weight of the persistent queue, β.
        pub beta: f64 = 0.226, Kind::Number(WEIGHT);
        /// The part of the traffic that is shuffled, γ.
        pub gamma: f64 = 0.1, Kind::Number(WEIGHT);
        /// What becomes of an offer that a sender or another router had cut already.
        pub unclaimed: Unclaimed = Unclaimed::CountsAsNegative, Kind::Word(&Unclaimed::LIST);
        /// The control interval while no packet tells an RTT.
        pub initial_interval: Duration = Duration::from_millis(50), Kind::POSITIVE;
        /// Lower bound of the control interval.
        pub min_interval: Duration = Duration::from_millis(1), Kind::POSITIVE;
        /// Longer RTTs count as this.
        pub max_rtt: Duration = Duration::from_secs(1), Kind::SPAN;
        /// Lower bound of the time over which the queue's minimum is taken.
        pub min_queue_interval: Duration = Duration::from_millis(2), Kind::POSITIVE;
    }
}

/// Of a controller.
const WEIGHT: Range = Range::closed(0.0, 1.0);

impl RouterConfig {
    /// ns-2.35's constants at this capacity.
    pub fn new(capacity: Rate) -> RouterConfig {
        RouterConfig { capacity, ..RouterConfig::default() }
    }

    /// An error that names the wrong parameter if no router can run with these.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        if self.max_rtt < self.min_interval {
            return Err(ConfigError::new("max_rtt", "must not be below min_interval"));
        }
        Ok(())
    }
}

/// Measurements and decisions of a router at the end of a control interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// When the interval ended.
    pub end: Instant,
    /// How long it was.
    pub interval: Duration,
    /// The capacity that the decision is based on.
    pub capacity: Rate,
    /// Bytes that arrived, of all packets.
    pub input_bytes: u64,
    /// Mean RTT of the flows, each counted once; the initial interval if no packet told one.
    pub mean_rtt: Duration,
    /// Q, the persistent queue.
    pub queue_bytes: u64,
    /// F, the change of the aggregate, in bytes per second.
    pub feedback: f64,
    /// h, what is shuffled, in bytes per second.
    pub shuffled: f64,
    /// The part that the interval that ended did not give away, in bytes per second.
    pub unspent_positive: f64,
    /// The part that it did not take, in bytes per second.
    pub unspent_negative: f64,
}

/// The change shared among the packets of an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Pools {
    /// Bytes per second still to give.
    positive: f64,
    /// Bytes per second still to take.
    negative: f64,
    /// ξ_p: bytes per second for a packet, per tick of its X.
    per_tick: f64,
    /// ξ_n: bytes per second from a packet, per byte of its size.
    per_byte: f64,
}

/// Arrivals in the running interval.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    bytes: u64,
    /// ΣX in ticks of the header's times.
    spacing: u64,
    /// ΣRTT·X in ticks².
    rtt_by_spacing: u128,
}

/// The persistent queue: the least one in each queue interval.
#[derive(Clone, Copy, Debug)]
struct Queue {
    persistent: u64,
    running_min: u64,
    due: Instant,
}

/// XCP's controller of one output.
///
/// The queue it is told is what waits before the arriving packet; a queue falls between arrivals, so its least values
/// are seen just before them.
#[derive(Clone, Debug)]
pub struct Router {
    config: RouterConfig,
    /// `max_rtt` in ticks.
    max_rtt: u32,
    sums: Sums,
    pools: Pools,
    queue: Queue,
    mean_rtt: Duration,
    began: Instant,
    due: Instant,
    /// The remainder of rounding, in bytes per second.
    carry: f64,
    violations: u64,
    figures: Option<Figures>,
}

impl Router {
    /// A router whose first interval begins at `now`. The parameters must be valid ([`RouterConfig::validate`]).
    pub fn new(config: RouterConfig, now: Instant) -> Router {
        assert!(config.validate().is_ok(), "a router runs with valid parameters only");
        Router {
            max_rtt: Interval::from_duration(config.max_rtt).ticks(),
            config,
            sums: Sums::default(),
            pools: Pools::default(),
            queue: Queue { persistent: 0, running_min: 0, due: now + config.initial_interval },
            mean_rtt: config.initial_interval,
            began: now,
            due: now + config.initial_interval,
            carry: 0.0,
            violations: 0,
            figures: None,
        }
    }

    /// A packet of `size` bytes arrives and finds `queue_bytes` waiting. Every packet is to be told, also one that will
    /// be dropped, and with `None` one that carries no congestion header.
    #[inline]
    pub fn handle_arrival(&mut self, size: u32, header: Option<&Header>, queue_bytes: u64) {
        self.sums.bytes += u64::from(size);
        self.queue.running_min = self.queue.running_min.min(queue_bytes);
        let Some(header) = header.filter(|header| header.format == Format::Standard) else { return };
        self.violations += u64::from(is_violation(header, size));
        let (rtt, x) = times(header);
        self.sums.spacing += u64::from(x);
        self.sums.rtt_by_spacing += u128::from(rtt.min(self.max_rtt)) * u128::from(x);
    }

    /// A packet that was not dropped leaves, now or as soon as those before it are gone: writes its feedback.
    #[inline]
    pub fn handle_departure(&mut self, size: u32, header: &mut Header) {
        if header.format == Format::Standard {
            header.delta_throughput = self.share(size, header);
        }
    }

    /// The clock has reached `now`, and `queue_bytes` wait: serves the timers that are due.
    pub fn handle_timeout(&mut self, now: Instant, queue_bytes: u64) {
        self.queue.running_min = self.queue.running_min.min(queue_bytes);
        if self.queue.due <= now {
            self.end_queue_interval(now, queue_bytes);
        }
        if self.due <= now {
            self.end_interval(now);
        }
    }

    /// When the router next wants `handle_timeout`.
    #[inline]
    pub fn next_timeout(&self) -> Instant {
        self.due.min(self.queue.due)
    }

    /// From the next decision on the output is believed to carry `capacity`; zero is a link that is down.
    pub fn set_capacity(&mut self, capacity: Rate) {
        self.config.capacity = capacity;
    }

    /// The throughput that the output is believed to carry.
    pub fn capacity(&self) -> Rate {
        self.config.capacity
    }

    /// The last decision.
    pub fn figures(&self) -> Option<&Figures> {
        self.figures.as_ref()
    }

    /// Packets with a header that cannot be.
    pub fn violations(&self) -> u64 {
        self.violations
    }

    /// C in bytes per second.
    fn capacity_bytes(&self) -> f64 {
        self.config.capacity.bps() as f64 / 8.0
    }

    /// The packet's grant in bytes per second: draft-03 §3.5, lines 20 to 31 of ns-2's comments.
    #[inline]
    fn share(&mut self, size: u32, header: &Header) -> i32 {
        let (rtt, x) = times(header);
        if rtt == 0 {
            return 0;
        }
        let wish = header.delta_throughput.max(slowest_below(header.delta_throughput, size, rtt));
        let positive = (self.pools.per_tick * f64::from(x)).min(self.pools.positive);
        let negative = (self.pools.per_byte * f64::from(size)).min(self.pools.negative);
        let offer = (positive - negative).max(floor_below(positive - negative, size, rtt));
        let shortfall = offer - f64::from(wish);
        if shortfall <= 0.0 {
            self.spend(positive, negative);
            return self.rounded(offer).min(wish);
        }
        match self.config.unclaimed {
            Unclaimed::Spent => self.spend(positive, negative),
            Unclaimed::CountsAsNegative => {
                let negative = (negative + shortfall).min(self.pools.negative);
                // Never below zero: a wish below the offer must not fill the pool.
                self.spend((f64::from(wish) + negative).max(0.0), negative);
            }
        }
        wish
    }

    fn spend(&mut self, positive: f64, negative: f64) {
        self.pools.positive = (self.pools.positive - positive).max(0.0);
        self.pools.negative = (self.pools.negative - negative).max(0.0);
    }

    /// To whole bytes per second; what is left over goes to the next packet.
    fn rounded(&mut self, offer: f64) -> i32 {
        let exact = offer + self.carry;
        // `as` cuts towards zero and saturates: what the field cannot hold is not carried on.
        let whole = (exact + 0.5_f64.copysign(exact)) as i32;
        self.carry = (exact - f64::from(whole)).clamp(-0.5, 0.5);
        whole
    }

    /// The decision: F, h and the pools of the next interval.
    fn end_interval(&mut self, now: Instant) {
        let interval = now.saturating_since(self.began);
        self.mean_rtt = self.measured_rtt();
        let input = self.sums.bytes as f64 / interval.as_secs_f64().max(f64::MIN_POSITIVE);
        let (feedback, shuffled) = match self.sums.bytes {
            0 => (0.0, 0.0),
            _ => self.decision(input),
        };
        self.figures = Some(Figures {
            end: now,
            interval,
            capacity: self.config.capacity,
            input_bytes: self.sums.bytes,
            mean_rtt: self.mean_rtt,
            queue_bytes: self.queue.persistent,
            feedback,
            shuffled,
            unspent_positive: self.pools.positive,
            unspent_negative: self.pools.negative,
        });
        self.pools = Pools::new(feedback, shuffled, &self.sums);
        self.sums = Sums::default();
        self.began = now;
        self.due = now + self.mean_rtt.max(self.config.min_interval);
    }

    /// (F, h) for an input of `input` bytes per second.
    fn decision(&self, input: f64) -> (f64, f64) {
        let config = &self.config;
        let spare = self.capacity_bytes() - input;
        let feedback = config.alpha * spare - config.beta * self.queue.persistent as f64 / self.mean_rtt.as_secs_f64();
        (feedback, (config.gamma * input - feedback.abs()).max(0.0))
    }

    /// ΣRTT·X/ΣX: a flow sends 1/X packets per second, so each flow counts once.
    fn measured_rtt(&self) -> Duration {
        let ticks = self.sums.rtt_by_spacing as f64 / self.sums.spacing as f64;
        let known = Duration::from_secs_f64(ticks * Interval::TICK_S).filter(|rtt| *rtt > Duration::ZERO);
        known.unwrap_or(self.config.initial_interval)
    }

    /// Q becomes the least queue since the last time; the next interval is half of the RTT without this queue.
    fn end_queue_interval(&mut self, now: Instant, queue_bytes: u64) {
        let capacity = self.capacity_bytes();
        let drain = if capacity > 0.0 { queue_bytes as f64 / capacity } else { f64::INFINITY };
        let half = Duration::from_secs_f64((self.mean_rtt.as_secs_f64() - drain) / 2.0).unwrap_or(Duration::ZERO);
        self.queue = Queue {
            persistent: self.queue.running_min,
            running_min: queue_bytes,
            due: now + half.max(self.config.min_queue_interval),
        };
    }
}

impl Pools {
    /// Nobody told an RTT: there is nobody to give to.
    fn new(feedback: f64, shuffled: f64, sums: &Sums) -> Pools {
        let (positive, negative) = (feedback.max(0.0) + shuffled, (-feedback).max(0.0) + shuffled);
        let per = |pool: f64, sum: f64| if sum > 0.0 { pool / sum } else { 0.0 };
        let (per_tick, per_byte) = (per(positive, sums.spacing as f64), per(negative, sums.bytes as f64));
        Pools { positive, negative, per_tick, per_byte }
    }
}

/// (RTT, X) in ticks; X is at most the RTT, and so 0 while the RTT is not known.
#[inline]
fn times(header: &Header) -> (u32, u32) {
    (header.rtt.ticks(), header.x.min(header.rtt).ticks())
}

/// True if a header says what cannot be.
#[inline]
fn is_violation(header: &Header, size: u32) -> bool {
    let rtt = header.rtt.ticks();
    let x_is_wrong = header.x > header.rtt || (header.x.ticks() == 0 && rtt > 0);
    x_is_wrong || (rtt > 0 && is_too_slow(header.delta_throughput, size, rtt))
}

/// True if a packet of this size asks for a slowing down by more than its part of the flow's throughput, size/RTT,
/// rounded up to a whole byte per second.
#[inline]
fn is_too_slow(delta: i32, size: u32, rtt: u32) -> bool {
    (i64::from(delta) + 1) * i64::from(rtt) <= -(i64::from(size) << Interval::FRACTION_BITS)
}

/// The least wish that can be, if `delta` is below it; else no bound.
#[inline]
fn slowest_below(delta: i32, size: u32, rtt: u32) -> i32 {
    match delta < 0 && is_too_slow(delta, size, rtt) {
        true => floor(size, rtt).floor() as i32,
        false => i32::MIN,
    }
}

/// The least offer there is, if `offer` is negative.
#[inline]
fn floor_below(offer: f64, size: u32, rtt: u32) -> f64 {
    if offer < 0.0 { floor(size, rtt) } else { f64::NEG_INFINITY }
}

/// −size/RTT, in bytes per second.
fn floor(size: u32, rtt: u32) -> f64 {
    -f64::from(size) / Interval::from_ticks(rtt).as_secs_f64()
}

#[cfg(test)]
mod tests;
