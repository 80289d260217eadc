//! A UDP source: constant, Poisson, or on and off by turns.
//!
//! It sends what its law says and never looks at the network: what is blocked is lost, not sent later.
//!
//! On-off: a source has a credit that grows at the rate during on-times; a packet leaves whenever the credit reaches
//! its size, and what is left over at the end of an on-time waits for the next (as in ns-3's `OnOffApplication`). So
//! the long-run rate is exactly rate · on/(on + off), also where on-times are short. The first period is an on-time
//! with probability on/(on + off), so that sources that start together do not stay together. Many sources whose
//! on-times or off-times are Pareto with shape a in (1, 2) add up to long-range dependent traffic with the Hurst
//! parameter H = (3 − a)/2 (Taqqu, Willinger, Sherman 1997).

use crate::model::{Load, SizeLaw, Sojourn};
use crate::random::{Stream, bernoulli, exponential, exponential_span, exponential_spans, pareto, uniform_index};
use std::collections::VecDeque;
use units::{ByteTime, Duration, Instant, Rate};

/// One datagram to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The datagram's number in the flow, from 0.
    pub number: u64,
    /// Its size in bytes.
    pub size: u32,
}

/// The machine of one flow.
#[derive(Clone, Debug)]
pub struct Datagrams {
    law: Law,
    packet_size: u32,
    stream: Stream,
    stop: Instant,
    next: Instant,
    sent: u64,
}

#[derive(Clone, Debug)]
enum Law {
    Constant {
        gap: Duration,
    },
    /// What is let go leaves at a rate, the last datagram of a piece as short as it is.
    Released(Box<Pieces>),
    Poisson {
        mean_gap: Duration,
        sizes: SizeLaw,
        ahead: GapsAhead,
    },
    OnOff {
        gap: Duration,
        on: Sojourn,
        off: Sojourn,
        left: Duration,
    },
}

/// What was let go and has not left.
#[derive(Clone, Debug)]
struct Pieces {
    byte: ByteTime,
    left: VecDeque<u64>,
    /// When the last datagram's time is over.
    free: Instant,
}

impl Pieces {
    /// The size of the datagram that leaves at `next`, which becomes the time of the one behind it.
    #[inline(never)]
    fn take(&mut self, next: &mut Instant, packet_size: u32) -> u32 {
        let Some(first) = self.left.front_mut() else { return packet_size };
        let size = (*first).min(packet_size.into());
        *first -= size;
        if *first == 0 {
            self.left.pop_front();
        }
        self.free = *next + self.byte.of(size as u32);
        *next = if self.left.is_empty() { Instant::NEVER } else { self.free };
        size as u32
    }
}

/// Gaps of a Poisson source that have been drawn already: several logarithms in a row do not wait for each other, and
/// nothing waits for them. Only where nothing else is drawn between two gaps.
#[derive(Clone, Debug)]
struct GapsAhead {
    gaps: [Duration; 4],
    taken: usize,
}

impl GapsAhead {
    /// None has been drawn.
    fn none() -> GapsAhead {
        let gaps = [Duration::ZERO; 4];
        GapsAhead { gaps, taken: gaps.len() }
    }

    #[inline]
    fn take(&mut self) -> Option<Duration> {
        let gap = *self.gaps.get(self.taken)?;
        self.taken += 1;
        Some(gap)
    }

    /// All have been taken: draws the next ones and takes the first.
    fn draw(&mut self, mean: Duration, stream: &mut Stream) -> Duration {
        *self = GapsAhead { gaps: exponential_spans(mean, stream), taken: 1 };
        self.gaps[0]
    }
}

/// Exponential sizes are cut here, the largest IP packet. Resolution allows means up to
/// [`MAX_EXPONENTIAL_MEAN`](crate::model::MAX_EXPONENTIAL_MEAN), so the probability beyond is at most e^-16.
const MAX_SIZE: u32 = 65_535;

impl Datagrams {
    /// A source that starts at `start` and sends nothing at or after `stop`. `None` if the load is not a UDP one, or so
    /// slow or fast that packets have no time between them.
    pub fn new(load: Load, packet_size: u32, start: Instant, stop: Instant, stream: Stream) -> Option<Datagrams> {
        let gap = |rate: Rate| ByteTime::at(rate).map(|byte| byte.of(packet_size)).filter(|gap| *gap > Duration::ZERO);
        let law = match load {
            Load::Greedy | Load::Size(_) | Load::Writes(_) | Load::Released => return None,
            Load::Constant(rate) => Law::Constant { gap: gap(rate)? },
            Load::ReleasedAt(rate) => {
                gap(rate)?;
                Law::Released(Box::new(Pieces { byte: ByteTime::at(rate)?, left: VecDeque::new(), free: start }))
            }
            Load::Poisson { rate, sizes } => Law::Poisson { mean_gap: gap(rate)?, sizes, ahead: GapsAhead::none() },
            Load::OnOff { rate, on, off } => Law::OnOff { gap: gap(rate)?, on, off, left: Duration::ZERO },
        };
        let next = if let Law::Released(_) = law { Instant::NEVER } else { start };
        let mut source = Datagrams { law, packet_size, stream, stop, next, sent: 0 };
        source.begin();
        Some(source)
    }

    /// A piece of so many bytes is let go.
    pub fn release(&mut self, now: Instant, bytes: u64) {
        if let Law::Released(pieces) = &mut self.law {
            pieces.left.push_back(bytes);
            self.next = self.next.min(now.max(pieces.free));
        }
    }

    /// When the next packet leaves; `None` when there is none any more.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        (self.next < self.stop).then_some(self.next)
    }

    /// Sends the next packet, if it is due at `now`. To be called until there is none.
    #[inline(always)]
    pub fn handle_timeout(&mut self, now: Instant) -> Option<Datagram> {
        if self.next > now || self.next >= self.stop {
            return None;
        }
        if let Law::Released(pieces) = &mut self.law {
            let size = pieces.take(&mut self.next, self.packet_size);
            self.sent += 1;
            return Some(Datagram { number: self.sent - 1, size });
        }
        let datagram = Datagram { number: self.sent, size: self.draw_size() };
        self.sent += 1;
        self.next = self.next + self.gap();
        Some(datagram)
    }

    /// Packets sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The time from the start to the first packet: none for a constant source, a gap for the others.
    fn begin(&mut self) {
        if let Law::OnOff { on, off, .. } = self.law {
            let (on_mean, off_mean) = (on.mean().as_secs_f64(), off.mean().as_secs_f64());
            let first = if bernoulli(&mut self.stream, on_mean / (on_mean + off_mean)) {
                Duration::ZERO
            } else {
                draw(off, &mut self.stream)
            };
            let on_time = draw(on, &mut self.stream);
            self.next = self.next + first;
            if let Law::OnOff { left, .. } = &mut self.law {
                *left = on_time;
            }
        }
        if !matches!(self.law, Law::Constant { .. } | Law::Released(_)) {
            let gap = self.draw_gap();
            self.next = self.next + gap;
        }
    }

    /// The time to the next packet, which may have been drawn already.
    #[inline]
    fn gap(&mut self) -> Duration {
        let drawn = match &mut self.law {
            Law::Poisson { ahead, .. } => ahead.take(),
            Law::Constant { .. } | Law::OnOff { .. } | Law::Released(_) => None,
        };
        drawn.unwrap_or_else(|| self.draw_gap())
    }

    /// The time to the next packet, of which nothing has been drawn.
    #[inline(never)]
    fn draw_gap(&mut self) -> Duration {
        match &mut self.law {
            Law::Constant { gap } => *gap,
            Law::Released(pieces) => pieces.byte.of(self.packet_size),
            Law::Poisson { mean_gap, sizes: SizeLaw::Exponential, .. } => exponential_span(*mean_gap, &mut self.stream),
            Law::Poisson { mean_gap, ahead, .. } => ahead.draw(*mean_gap, &mut self.stream),
            Law::OnOff { gap, on, off, left } => {
                let mut needed = *gap;
                let mut passed = Duration::ZERO;
                while *left < needed && passed < Duration::MAX {
                    needed = needed.saturating_sub(*left);
                    passed = passed + *left + draw(*off, &mut self.stream);
                    *left = draw(*on, &mut self.stream);
                }
                *left = left.saturating_sub(needed);
                passed + needed
            }
        }
    }

    fn draw_size(&mut self) -> u32 {
        match self.law {
            Law::Poisson { sizes: SizeLaw::Exponential, .. } => {
                let mean = f64::from(self.packet_size);
                let size = libm::round(exponential(&mut self.stream, mean)) as u32;
                size.clamp(1, MAX_SIZE)
            }
            _ => self.packet_size,
        }
    }
}

/// One period, at least a picosecond.
pub fn draw(law: Sojourn, stream: &mut Stream) -> Duration {
    let span = match law {
        Sojourn::Constant(span) => span,
        Sojourn::Exponential(mean) => exponential_span(mean, stream),
        Sojourn::Uniform { least, most } => {
            least + Duration::from_ps(uniform_index(stream, most.saturating_sub(least).ps()))
        }
        Sojourn::Pareto { mean, shape } => {
            let scale = mean.as_secs_f64() * (shape - 1.0) / shape;
            Duration::from_secs_f64(pareto(stream, scale, shape)).unwrap_or(Duration::MAX)
        }
    };
    span.max(Duration::from_ps(1))
}

impl Sojourn {
    /// The mean duration.
    pub fn mean(self) -> Duration {
        match self {
            Sojourn::Constant(mean) | Sojourn::Exponential(mean) | Sojourn::Pareto { mean, .. } => mean,
            Sojourn::Uniform { least, most } => least + Duration::from_ps(most.saturating_sub(least).ps() / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn source(load: Load, seed: u64) -> Datagrams {
        let stream = Seed { seed, run: 0 }.stream("source", "test");
        Datagrams::new(load, 1000, Instant::ZERO, Instant::from_ps(100_000_000_000_000), stream).unwrap()
    }

    /// Runs a source to its stop, 100 s: packets, bytes.
    fn total(mut source: Datagrams) -> (f64, f64) {
        let next = || source.next_timeout().and_then(|time| source.handle_timeout(time));
        let sizes: Vec<u64> = std::iter::from_fn(next).map(|datagram| u64::from(datagram.size)).collect();
        (sizes.len() as f64, sizes.iter().sum::<u64>() as f64)
    }

    const RATE: Rate = Rate::from_mbps(8); // 1000 packets of 1000 B a second

    #[test]
    fn a_constant_source_starts_at_once_and_keeps_its_gap() {
        let mut constant = source(Load::Constant(RATE), 1);
        assert_eq!(constant.next_timeout(), Some(Instant::ZERO));
        assert_eq!(constant.handle_timeout(Instant::ZERO), Some(Datagram { number: 0, size: 1000 }));
        assert_eq!(constant.next_timeout(), Some(Instant::from_ps(1_000_000_000)));
        assert_eq!(total(source(Load::Constant(RATE), 1)).0, 100_000.0);
    }

    #[test]
    fn a_poisson_source_has_its_rate_and_its_mean_size() {
        // 100 000 packets expected, standard deviation 316; the mean of 10^5 exponential sizes of 1000 B: ± 3.2 B.
        let (packets, _) = total(source(Load::Poisson { rate: RATE, sizes: SizeLaw::Fixed }, 1));
        assert!((packets - 1e5).abs() < 4.0 * 316.0, "{packets}");
        let (packets, bytes) = total(source(Load::Poisson { rate: RATE, sizes: SizeLaw::Exponential }, 2));
        assert!((bytes / packets - 1000.0).abs() < 4.0 * 3.2, "{}", bytes / packets);
    }

    #[test]
    fn gaps_drawn_ahead_are_those_that_are_drawn_one_by_one() {
        let poisson = source(Load::Poisson { rate: RATE, sizes: SizeLaw::Fixed }, 5);
        let mut stream = Seed { seed: 5, run: 0 }.stream("source", "test");
        let departures = std::iter::successors(Some(poisson), |source| {
            let mut next = source.clone();
            next.handle_timeout(source.next).map(|_| next)
        });
        let mut time = Instant::ZERO;
        for source in departures.take(50) {
            time = time + exponential_span(Duration::from_millis(1), &mut stream);
            assert_eq!(source.next, time);
        }
    }

    #[test]
    fn an_on_off_source_sends_on_over_on_plus_off_of_its_rate() {
        // Constant 3 ms on and 1 ms off, whole packets: exactly 75 000 in 100 s, but for the phase of the first period.
        let constant = |ms| Sojourn::Constant(Duration::from_millis(ms));
        let (packets, _) = total(source(Load::OnOff { rate: RATE, on: constant(3), off: constant(1) }, 3));
        assert!((packets - 75_000.0).abs() <= 3.0, "{packets}");
        // On-times far shorter than a packet's 1 ms do not distort the mean: 0.1 ms on, 0.1 ms off; exponential.
        let short = Sojourn::Exponential(Duration::from_micros(100));
        let (packets, _) = total(source(Load::OnOff { rate: RATE, on: short, off: short }, 4));
        // On-time in 100 s: 5·10^5 cycles; relative deviation about 1/sqrt(10^6) of half.
        assert!((packets / 50_000.0 - 1.0).abs() < 0.01, "{packets}");
    }

    #[test]
    fn pareto_periods_have_the_mean_they_are_given() {
        // Shape 3: variance of a period mean²/3 (a = 3: scale² a/((a−1)²(a−2)) = mean²·(2/3)²·3/4 = mean²/3).
        let mut stream = Seed { seed: 9, run: 0 }.stream("pareto", "test");
        let law = Sojourn::Pareto { mean: Duration::from_millis(10), shape: 3.0 };
        let mean = (0..100_000).map(|_| draw(law, &mut stream).as_secs_f64()).sum::<f64>() / 1e5;
        assert!((mean - 0.01).abs() < 4.0 * 0.01 / 3f64.sqrt() / 1e5f64.sqrt(), "{mean}");
    }

    #[test]
    fn uniform_periods_lie_between_their_ends_and_have_the_mean_between() {
        // 9 to 11 ms: variance (2 ms)²/12.
        let mut stream = Seed { seed: 9, run: 0 }.stream("uniform", "test");
        let (least, most) = (Duration::from_millis(9), Duration::from_millis(11));
        let law = Sojourn::Uniform { least, most };
        let drawn: Vec<Duration> = (0..100_000).map(|_| draw(law, &mut stream)).collect();
        assert!(drawn.iter().all(|span| (least..=most).contains(span)));
        let mean = drawn.iter().map(|span| span.as_secs_f64()).sum::<f64>() / 1e5;
        assert!((mean - 0.01).abs() < 4.0 * 0.002 / 12f64.sqrt() / 1e5f64.sqrt(), "{mean}");
        assert_eq!(law.mean(), Duration::from_millis(10));
        let at_once = Sojourn::Uniform { least: Duration::ZERO, most: Duration::from_ps(1) };
        assert_eq!(draw(at_once, &mut stream), Duration::from_ps(1), "at least a picosecond");
    }

    #[test]
    fn nothing_leaves_at_or_after_the_stop() {
        let stream = Seed { seed: 1, run: 0 }.stream("source", "test");
        let stop = Instant::from_ps(2_000_000_000);
        let mut source = Datagrams::new(Load::Constant(RATE), 1000, Instant::ZERO, stop, stream).unwrap();
        let late = Instant::from_ps(9_000_000_000);
        let sent = std::iter::from_fn(|| source.handle_timeout(late)).count();
        assert_eq!((sent, source.next_timeout()), (2, None), "at 0 and 1 ms");
    }
}
