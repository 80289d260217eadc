//! What every reservation rule must keep, whatever arrives; and which rule drops less.

use control::reservation::{
    Algorithm, Arriving, Booking, Conversion, DelayLines, Fibre, FibreConfig, Refusal, Signalling, registry,
};
use proptest::prelude::*;
use units::{Duration, Instant};

const PLAIN: FibreConfig = FibreConfig {
    channels: 1,
    algorithm: Algorithm::LaucVf,
    signalling: Signalling::Jet,
    conversion: Conversion::Full,
    lines: DelayLines { unit: Duration::ZERO, count: 0 },
    switching: Duration::ZERO,
    guard: Duration::ZERO,
};

/// A header: picoseconds since the one before, its burst's offset and length, its wavelength.
type Header = (u64, u64, u64, u16);

fn headers(count: usize) -> impl Strategy<Value = Vec<Header>> {
    prop::collection::vec((0u64..12, 0u64..60, 1u64..25, 0u16..8), 1..count)
}

fn burst(now: u64, header: &Header) -> Arriving {
    let at = Instant::from_ps(now + header.1);
    Arriving { at, length: Duration::from_ps(header.2), wavelength: header.3 }
}

/// What the fibre answers to each header.
fn answers(config: FibreConfig, headers: &[Header]) -> Vec<(u64, Arriving, Result<Booking, Refusal>)> {
    let (mut fibre, mut now) = (Fibre::new(config), 0);
    let answer = |header: &Header| {
        now += header.0;
        let burst = burst(now, header);
        (now, burst, fibre.reserve(Instant::from_ps(now), &burst))
    };
    headers.iter().map(answer).collect()
}

fn config() -> impl Strategy<Value = FibreConfig> {
    let algorithm = (0..registry().len()).prop_map(|number| registry()[number].choice);
    let signalling = prop_oneof![Just(Signalling::Jet), Just(Signalling::Jit)];
    let conversion =
        prop_oneof![Just(Conversion::Full), (0u16..3).prop_map(Conversion::Limited), Just(Conversion::None)];
    let lines = (0u64..20, 0u32..4).prop_map(|(unit, count)| DelayLines { unit: Duration::from_ps(unit), count });
    let times = (0u64..6, 0u64..6).prop_map(|(a, b)| (Duration::from_ps(a), Duration::from_ps(b)));
    (1u16..7, algorithm, signalling, conversion, lines, times).prop_map(
        |(channels, algorithm, signalling, conversion, lines, (switching, guard))| FibreConfig {
            channels,
            algorithm,
            signalling,
            conversion,
            lines,
            switching,
            guard,
        },
    )
}

/// What a booking keeps from others: the time in which the switch turns, the burst, the guard time.
fn occupied(config: &FibreConfig, now: u64, booking: &Booking) -> (u64, u64) {
    let start = match config.signalling {
        Signalling::Jet => booking.at.ps() - config.switching.ps(),
        Signalling::Jit => now,
    };
    (start, booking.at.ps() + booking.length.ps() + config.guard.ps())
}

proptest! {
    #[test]
    fn no_two_reservations_overlap_on_any_channel(config in config(), headers in headers(120)) {
        let mut booked: Vec<Vec<(u64, u64)>> = vec![Vec::new(); usize::from(config.channels)];
        for (now, burst, answer) in answers(config, &headers) {
            let late = now + config.switching.ps() > burst.at.ps();
            prop_assert_eq!(late, answer == Err(Refusal::Late));
            let Ok(booking) = answer else { continue };
            let allowed = config.conversion.channels(burst.wavelength, config.channels);
            prop_assert!(allowed.contains(&booking.channel));
            prop_assert_eq!((booking.at, booking.length), (burst.at + booking.delay, burst.length));
            prop_assert!(booking.delay <= config.lines.unit.saturating_mul(u64::from(config.lines.count)));
            let (start, end) = occupied(&config, now, &booking);
            let channel = &mut booked[usize::from(booking.channel)];
            prop_assert!(channel.iter().all(|(from, to)| end <= *from || *to <= start), "{channel:?} and \
                {start}..{end}");
            channel.push((start, end));
        }
    }

    #[test]
    fn a_cut_burst_overlaps_nothing_and_is_cut_between_its_parts(
        headers in headers(120), channels in 1u16..4, part in 1u64..6, head: bool,
    ) {
        let mut fibre = Fibre::new(FibreConfig { channels, ..PLAIN });
        let mut booked: Vec<Vec<(u64, u64)>> = vec![Vec::new(); usize::from(channels)];
        let mut now = 0;
        for header in &headers {
            now += header.0;
            let (burst, ready) = (burst(now, header), Instant::from_ps(now));
            let whole = header.2 / part * part;
            let up = |from: Duration| Some(from.ps().div_ceil(part) * part).filter(|at| *at < whole);
            let down = |until: Duration| Some(until.ps() / part * part).filter(|at| *at > 0);
            let span = |cut: Option<u64>| cut.map(Duration::from_ps);
            let answer = fibre.reserve(ready, &burst).or_else(|_| match head {
                true => fibre.reserve_head(ready, &burst, |until| span(down(until))),
                false => fibre.reserve_tail(ready, &burst, |from| span(up(from))),
            });
            let Ok(booking) = answer else { continue };
            let (start, end) = (booking.at.ps(), booking.at.ps() + booking.length.ps());
            prop_assert!(start < end && burst.at.ps() <= start && end <= burst.at.ps() + header.2);
            prop_assert!(end == burst.at.ps() + header.2 || (end - start) % part == 0);
            let channel = &mut booked[usize::from(booking.channel)];
            prop_assert!(channel.iter().all(|(from, to)| end <= *from || *to <= start));
            channel.push((start, end));
        }
    }

    #[test]
    fn lauc_vf_chooses_as_a_search_of_all_reservations_does(headers in headers(150), channels in 1u16..5) {
        let mut booked: Vec<Vec<(u64, u64)>> = vec![Vec::new(); usize::from(channels)];
        for (_, burst, answer) in answers(FibreConfig { channels, ..PLAIN }, &headers) {
            let (start, end) = (burst.at.ps(), burst.at.ps() + burst.length.ps());
            let free = |channel: &u16| {
                let mut spans = booked[usize::from(*channel)].iter();
                spans.all(|(from, to)| end <= *from || *to <= start)
            };
            // The latest end before the burst; of equals an open channel, then the lowest.
            let rank = |channel: &u16| {
                let spans = &booked[usize::from(*channel)];
                let before = spans.iter().map(|span| span.1).filter(|to| *to <= start).max().unwrap_or(0);
                let open = spans.iter().all(|span| span.1 <= start);
                (before, open, std::cmp::Reverse(*channel))
            };
            let expected = (0..channels).filter(free).max_by_key(rank);
            prop_assert_eq!(answer.as_ref().ok().map(|booking| booking.channel), expected);
            if let Some(channel) = expected {
                booked[usize::from(channel)].push((start, end));
            }
        }
    }

    #[test]
    fn a_new_burst_that_waits_until_the_opening_gets_a_wavelength_and_waits_for_some_time(
        config in config(), headers in headers(120),
    ) {
        let (mut fibre, mut now) = (Fibre::new(config), 0);
        for header in &headers {
            now += header.0;
            let (ready, burst) = (Instant::from_ps(now), burst(now, header));
            if fibre.reserve_new(ready, burst.at, burst.length) == Err(Refusal::Contention) {
                let wait = fibre.opening(ready, burst.at) - burst.at;
                prop_assert!(wait > Duration::ZERO, "it was refused at {now}, and would be asked again at once, for \
                    ever");
                now += wait.ps();
                prop_assert!(fibre.reserve_new(ready + wait, burst.at + wait, burst.length).is_ok());
            }
        }
    }

    #[test]
    fn on_one_channel_lauc_vf_carries_all_that_horizon_carries(headers in headers(300)) {
        // A filled void never moves the horizon, so by induction both have the same horizon at every header.
        let horizon = answers(FibreConfig { algorithm: Algorithm::Horizon, ..PLAIN }, &headers);
        let lauc_vf = answers(PLAIN, &headers);
        prop_assert!(horizon.iter().zip(&lauc_vf).all(|(without, with)| without.2.is_err() || with.2.is_ok()));
    }

    #[test]
    fn lauc_vf_takes_whatever_horizon_would_take_with_the_same_reservations(
        headers in headers(120),
        channels in 1u16..6,
    ) {
        let (mut fibre, mut now) = (Fibre::new(FibreConfig { channels, ..PLAIN }), 0);
        for header in &headers {
            now += header.0;
            let burst = burst(now, header);
            let open = (0..channels).any(|channel| fibre.table().horizon(channel) <= burst.at.ps());
            let taken = fibre.reserve(Instant::from_ps(now), &burst).is_ok();
            prop_assert!(taken || !open);
        }
    }
}

#[test]
fn on_two_channels_lauc_vf_can_drop_a_burst_more_than_horizon() {
    // Greedy rules have such cases. All headers come at time 0, in this order. LAUC-VF puts 6..7 into the void 4..7 of
    // the first channel, so that the second can still carry 5..11; that burst then keeps the last two out. Horizon puts
    // 6..7 on the second channel, drops 5..11, and carries both.
    let bursts = [(0, 4), (7, 13), (6, 7), (5, 11), (7, 8), (9, 15)];
    let headers: Vec<Header> = bursts.iter().map(|(from, to)| (0, *from, to - from, 0)).collect();
    let carried = |algorithm| {
        let answers = answers(FibreConfig { channels: 2, algorithm, ..PLAIN }, &headers);
        answers.iter().map(|answer| answer.2.is_ok()).collect::<Vec<bool>>()
    };
    assert_eq!(carried(Algorithm::Horizon), [true, true, true, false, true, true]);
    assert_eq!(carried(Algorithm::LaucVf), [true, true, true, true, false, false]);
}

/// A Lehmer generator (Park and Miller 1988), enough for arrivals of a test.
struct Lehmer(u64);

impl Lehmer {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0 * 16807 % 2_147_483_647;
        self.0 as f64 / 2_147_483_647.0
    }

    fn exponential(&mut self, mean: f64) -> u64 {
        (-mean * self.uniform().ln()).round() as u64
    }
}

#[test]
fn over_many_poisson_bursts_void_filling_drops_less_and_delay_lines_less_still() {
    // 8 channels at load 0.8; offsets of 0 to 4 mean lengths leave voids.
    let mut random = Lehmer(1);
    let header = |_| {
        let (gap, offset, length) =
            (random.exponential(156.25), random.exponential(2000.0).min(4000), random.exponential(1000.0));
        (gap, offset, length.max(1), 0)
    };
    let headers: Vec<Header> = (0..200_000).map(header).collect();
    let dropped = |config: FibreConfig| {
        let answers = answers(FibreConfig { channels: 8, ..config }, &headers);
        answers.iter().filter(|answer| answer.2.is_err()).count()
    };
    let lines = DelayLines { unit: Duration::from_ps(500), count: 2 };
    let horizon = dropped(FibreConfig { algorithm: Algorithm::Horizon, ..PLAIN });
    for entry in registry().iter().filter(|entry| entry.choice != Algorithm::Horizon) {
        let without = dropped(FibreConfig { algorithm: entry.choice, ..PLAIN });
        let with = dropped(FibreConfig { algorithm: entry.choice, lines, ..PLAIN });
        println!("{}: {without} of {} (horizon {horizon}), with lines {with}", entry.name, headers.len());
        assert!(without < horizon && with < without, "{}: {with} < {without} < {horizon}", entry.name);
    }
    let narrow = dropped(FibreConfig { conversion: Conversion::Limited(1), ..PLAIN });
    let none = dropped(FibreConfig { conversion: Conversion::None, ..PLAIN });
    let full = dropped(PLAIN);
    assert!(full < narrow && narrow < none, "all arrive on one wavelength: {full} < {narrow} < {none}");
}

#[test]
fn guard_and_switching_times_keep_bursts_apart() {
    let us = |us: u64| Duration::from_micros(us);
    let at = |us: u64| Instant::from_ps(us * 1_000_000);
    let config = FibreConfig { switching: us(2), guard: us(1), ..PLAIN };
    let mut fibre = Fibre::new(config);
    let burst = |start: u64| Arriving { at: at(start), length: us(10), wavelength: 0 };
    // Processed at 5 µs, the switch has turned at 7 µs.
    assert_eq!(fibre.reserve(at(5), &burst(6)).unwrap_err(), Refusal::Late);
    assert!(fibre.reserve(at(5), &burst(7)).is_ok());
    // 7 to 17 µs, a guard time of 1 µs and 2 µs to turn: the next can begin at 20 µs.
    assert_eq!(fibre.reserve(at(5), &burst(19)).unwrap_err(), Refusal::Contention);
    assert_eq!(fibre.opening(at(5), at(19)), at(20));
    assert!(fibre.reserve(at(5), &burst(20)).is_ok());
}

#[test]
fn just_in_time_books_from_the_header_on_and_just_enough_time_from_the_burst_on() {
    let at = Instant::from_ps;
    let long = Duration::from_ps(10);
    for (signalling, carried) in [(Signalling::Jet, true), (Signalling::Jit, false)] {
        let mut fibre = Fibre::new(FibreConfig { signalling, ..PLAIN });
        assert!(fibre.reserve(at(0), &Arriving { at: at(100), length: long, wavelength: 0 }).is_ok());
        // In the void before the first burst.
        let second = fibre.reserve(at(0), &Arriving { at: at(50), length: long, wavelength: 0 });
        assert_eq!(second.is_ok(), carried, "{signalling:?}");
    }
}

#[test]
fn a_burst_waits_until_the_place_is_free_where_its_booking_begins() {
    let at = Instant::from_ps;
    let long = Duration::from_ps(10);
    // With just in time 0..110 is booked: a header that is ready at 5 waits 105, and its burst, 50 behind it, begins at
    // 160. With just enough time 100..110 is: a burst that would begin at 105 waits 5.
    for (signalling, begins, opening) in [(Signalling::Jit, 55, 160), (Signalling::Jet, 105, 110)] {
        let mut fibre = Fibre::new(FibreConfig { signalling, ..PLAIN });
        assert!(fibre.reserve_new(at(0), at(100), long).is_ok());
        assert_eq!(fibre.reserve_new(at(5), at(begins), long), Err(Refusal::Contention));
        assert_eq!(fibre.opening(at(5), at(begins)), at(opening), "{signalling:?}");
        let wait = opening - begins;
        assert_eq!(fibre.reserve_new(at(5 + wait), at(opening), long).map(|booking| booking.at), Ok(at(opening)));
    }
}

#[test]
fn a_delay_line_holds_a_burst_for_a_multiple_of_its_unit() {
    let lines = DelayLines { unit: Duration::from_ps(7), count: 3 };
    let mut fibre = Fibre::new(FibreConfig { lines, ..PLAIN });
    let burst = Arriving { at: Instant::from_ps(10), length: Duration::from_ps(10), wavelength: 0 };
    let mut delay = || fibre.reserve(Instant::ZERO, &burst).map(|booking| booking.delay.ps());
    // 10..20, then 24..34 (17..27 overlaps), then nothing: 31..41 overlaps too.
    assert_eq!([delay(), delay(), delay()], [Ok(0), Ok(14), Err(Refusal::Contention)]);
}
