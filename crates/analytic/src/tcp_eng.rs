//! Throughput of TCP-ENG over OBS. Source: B. Shihada, P.-H. Ho and Q. Zhang, "TCP-ENG: Dynamic explicit congestion
//! notification for TCP over OBS networks", §III, eqs. (1)–(23); the slips are repaired as
//! docs/reference/corrections.md says. Left out, as in the source: slow start after a timeout, dependence between
//! windows, E[W²] ≠ E[W]².
//!
//! # α for a period, or for the round after a BEN
//!
//! Eq. (8) has GAIMD's α in every round. §II can be read so that α is 1 unless a BEN came in the round before
//! (`alpha_applies = ben_only`); then the paper's equations are not those of its own sender, and these are. Every loss
//! brings a BEN. In the first round of a period, in which the window is βE\[W\], the window grows by α/b instead of
//! 1/b, and the period is that of α = 1 with d = 1 − α rounds more at βE\[W\]:
//!
//! ```text
//! (9)   E[X] = b(1 − β)E[W] + d
//! (10)  E[Y] = b(1 − β²)/2 E[W]² − b(1 − β)/2 E[W] + dβE[W] + E[W] − S
//! (7)   E[Y] = (1 + η)E[W] + (1 − p)/p S,        E[h] = ηE[W]
//! (11)  E[W] = (h + √(h² + 2Sb(1 − β²)/p)) / (b(1 − β²)),   h = η − dβ + b(1 − β)/2
//! (17)  E[X] = S/(pW_m) + η + b(1 − β)²W_m/2 + d(1 − β)
//! ```
//!
//! (16) has the ramp of b(1 − β)W_m rounds, the d rounds before it and W_m in what is left; the rest of the model
//! stands. With slope a and delay d both readings are one set of equations: a = α, d = 0 for the paper's, a = 1, d = 1
//! − α for this one. The paper's E\[h\] makes the round of repair free of losses, which matters here, where periods are
//! short: with β = 7/8, S = 1 and p = 0.01 a packet simulation is 15 % below it, and 3 % below `after_loss = none`. At
//! little loss B → √(S(1 + β)/(2bp(1 − β)))/RTT, 1/√α of (2) times what is friendly: √5 at β = 7/8.
//!
//! The paper's own equations at α = 1 (`alpha_from = one`) have the same limit: where a period has many rounds, the one
//! after its BEN does not matter. There their slips in (13) and (14) vanish but for β/(1 + β) of a round.

use crate::declare::{choice, model};
use crate::reading::{Reading, Slip};
use crate::{Error, Kind, Range, Unit};

choice! {
    /// Where α comes from.
    Alpha {
        TripleDuplicate = "triple_duplicate", "α = 3(1 − β)/(1 + β), eq. (2): friendly where losses are found by \
            duplicate ACKs.";
        Timeout = "timeout", "α = 4(1 − β²)/3, eq. (3): friendly where they are found by timeouts.";
        One = "one", "1: §II's value without a BEN in the round before, in all rounds.";
        Given = "given", "The input `alpha`.";
    }
}

choice! {
    /// For how long α holds.
    AlphaApplies {
        Period = "period", "In all rounds from a loss to the next, eq. (8): the paper's analysis.";
        BenOnly = "ben_only", "In the round after a BEN; then the increase is 1: the sender of §II, derived here.";
    }
}

choice! {
    /// The segments sent after the lost burst in its round, E[h].
    AfterLoss {
        Paper = "paper", "β times the window, as the paper takes it.";
        Uniform = "uniform", "Half the window: the lost burst lies anywhere in it.";
        None = "none", "None: what leaves after the cut can be lost again and belongs to the next period.";
    }
}

model! {
    name: TcpEng,
    holds: "Independent burst losses; within 8 % of a round-by-round simulation for p ≤ 0.01, up to 33 % off at p = \
        0.1.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-3, range: Range::open(0.0, 1.0) },
            "Probability p that a burst is lost.";
        segments_per_burst: f64 =
            Kind::Number { unit: Unit::Named("segments"), default: 9.0, range: Range::closed(1.0, 1e6) },
            "Segments S of the flow in one burst.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.08, range: Range::closed(1e-9, 1e4) },
            "Round-trip time, assembly included.";
        beta: f64 = Kind::Number { unit: Unit::One, default: 0.875, range: Range::closed(0.01, 0.999) },
            "Share β of the window that is kept at a loss.";
        alpha_from: Alpha = Alpha::KIND, "Where the increase α per round comes from.";
        alpha: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1e-3, 1e3) },
            "The increase α, if alpha_from = given.";
        alpha_applies: AlphaApplies = AlphaApplies::KIND, "For how long α holds.";
        acked: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1.0, 100.0) },
            "Segments b that one ACK acknowledges.";
        window_max: f64 =
            Kind::Number { unit: Unit::Named("segments"), default: 1e9, range: Range::closed(1.0, 1e12) },
            "Largest window W_m.";
        segment_size: f64 = Kind::Number { unit: Unit::Bytes, default: 1000.0, range: Range::closed(1.0, 1e6) },
            "Bytes of a segment, for the throughput in bit/s.";
        reading: Reading = Reading::KIND, "Which form of the equations.";
        rounds: Slip = Slip::KIND, "E[X] and E[TDP] below the largest window, eqs. (13), (14).";
        rounds_at_maximum: Slip = Slip::KIND, "E[TDP] at the largest window, eqs. (16)–(18), (23).";
        timeout_ratio: Slip = Slip::KIND, "The exponent of Q, eqs. (21)–(23).";
        timeout_period: Slip = Slip::KIND, "E[TOP], eq. (20): one RTT until the notification, or RTT/p as printed.";
        after_loss: AfterLoss = AfterLoss::KIND, "Segments E[h] sent after the lost burst in its round.";
    }
    outputs {
        throughput_segments_per_s: f64 ["segments/s"], "Throughput B, eq. (22) or (23).";
        throughput_bps: f64 ["bps"], "The same in bits per second.";
        window: f64 ["segments"], "E[W_X], eq. (11), at most the largest window.";
        segments_per_period: f64 ["segments"], "E[Y], eq. (12) or (15).";
        rounds_per_period: f64 ["rounds"], "E[X], eq. (13) or (17).";
        period_s: f64 ["s"], "E[TDP], eq. (14) or (18).";
        timeout_share: f64 ["1"], "Q: timeouts per triple-duplicate loss, eq. (21).";
        timeout_period_s: f64 ["s"], "E[TOP], eq. (20).";
        at_maximum: f64 ["1"], "1 if the window reaches its largest value, eq. (23); else 0, eq. (22).";
        alpha_used: f64 ["segments"], "The increase α that was used.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    if i.segments_per_burst > i.window_max {
        let why = format!("a burst cannot hold more segments than the largest window, {}", i.window_max);
        return Err(Error::Impossible { input: "segments_per_burst", value: i.segments_per_burst, why });
    }
    let alpha = match i.alpha_from {
        Alpha::TripleDuplicate => triple_duplicate_alpha(i.beta),
        Alpha::Timeout => timeout_alpha(i.beta),
        Alpha::One => 1.0,
        Alpha::Given => i.alpha,
    };
    let (p, s, b, beta) = (i.loss, i.segments_per_burst, i.acked, i.beta);
    let eta = match i.after_loss {
        AfterLoss::Paper => beta,
        AfterLoss::Uniform => 0.5,
        AfterLoss::None => 0.0,
    };
    let ramp = ramp(alpha, i)?;
    let root = window_root(ramp, eta, i);
    let unbounded = root / (b * (1.0 - beta * beta)); // (11)
    let at_maximum = unbounded >= i.window_max;
    let window = unbounded.min(i.window_max);
    let segments_per_period = (1.0 + eta) * window + (1.0 - p) / p * s; // (12), (15)
    let (rounds_per_period, rounds_and_one) = if at_maximum {
        let rounds = rounds_at_maximum(ramp, eta, i);
        (rounds, rounds + 1.0)
    } else {
        rounds_below(ramp, root, i)
    };
    let period_s = i.rtt * rounds_and_one;
    let (timeout_share, timeout_segments) = timeouts(window, at_maximum, i);
    let timeout_period_s = timeout_period(i);
    let throughput = (segments_per_period + timeout_segments) / (period_s + timeout_share * timeout_period_s); // (1)
    Ok(Outputs {
        throughput_segments_per_s: throughput,
        throughput_bps: throughput * 8.0 * i.segment_size,
        window,
        segments_per_period,
        rounds_per_period,
        period_s,
        timeout_share,
        timeout_period_s,
        at_maximum: f64::from(u8::from(at_maximum)),
        alpha_used: alpha,
    })
}

/// Eq. (2).
pub(crate) fn triple_duplicate_alpha(beta: f64) -> f64 {
    3.0 * (1.0 - beta) / (1.0 + beta)
}

/// Eq. (3).
pub(crate) fn timeout_alpha(beta: f64) -> f64 {
    4.0 / 3.0 * (1.0 - beta * beta)
}

/// How the window climbs in a period: at βW for `delay` rounds, then by `slope`/b a round.
#[derive(Clone, Copy)]
struct Ramp {
    slope: f64,
    delay: f64,
}

fn ramp(alpha: f64, i: &Inputs) -> Result<Ramp, Error> {
    if i.alpha_applies == AlphaApplies::Period {
        return Ok(Ramp { slope: alpha, delay: 0.0 });
    }
    for (input, slip) in [("rounds", i.rounds), ("rounds_at_maximum", i.rounds_at_maximum)] {
        if slip.printed(i.reading) {
            let why = "the paper prints no equations for alpha_applies = ben_only".to_owned();
            return Err(Error::Unreadable { input, found: "as_printed".to_owned(), why });
        }
    }
    if alpha > 1.0 {
        let why = format!("with alpha_applies = ben_only α must be at most 1, and is {alpha:.3}");
        let (input, value) = if i.alpha_from == Alpha::Given { ("alpha", alpha) } else { ("beta", i.beta) };
        return Err(Error::Impossible { input, value, why });
    }
    Ok(Ramp { slope: 1.0, delay: 1.0 - alpha })
}

/// The bracket that (11) to (14) and (22) share, with E[h] = η E[W_X].
fn window_root(ramp: Ramp, eta: f64, i: &Inputs) -> f64 {
    let (b, beta, slope) = (i.acked, i.beta, ramp.slope);
    let half = slope * (eta - ramp.delay * beta) - b * (beta - 1.0) / 2.0;
    half + (half * half + 2.0 * slope * i.segments_per_burst * b * (1.0 - beta * beta) / i.loss).sqrt()
}

/// E[X] and E[X] + 1 below the largest window. Eq. (13) lost the α that (9) has; (14) prints 2αβ in the bracket and the
/// +1 behind it.
fn rounds_below(ramp: Ramp, root: f64, i: &Inputs) -> (f64, f64) {
    if i.rounds.printed(i.reading) {
        let rounds = root / (1.0 + i.beta);
        return (rounds, rounds + ramp.slope * i.beta / (1.0 + i.beta) + 1.0);
    }
    let rounds = root / (ramp.slope * (1.0 + i.beta)) + ramp.delay;
    (rounds, rounds + 1.0)
}

/// E[X] at the largest window. Printed as in (23), which has 2α where (17) has α².
fn rounds_at_maximum(ramp: Ramp, eta: f64, i: &Inputs) -> f64 {
    let (b, beta, most, slope) = (i.acked, i.beta, i.window_max, ramp.slope);
    let until_loss = i.segments_per_burst / (i.loss * most);
    if i.rounds_at_maximum.printed(i.reading) {
        let cut = 1.0 - beta;
        return most * cut / slope - most * cut * cut / (2.0 * slope) + beta / slope + until_loss / slope;
    }
    until_loss + eta + b * (1.0 - beta).powi(2) * most / (2.0 * slope) + ramp.delay * (1.0 - beta)
}

/// Q and Q E[H].
fn timeouts(window: f64, at_maximum: bool, i: &Inputs) -> (f64, f64) {
    let (p, s) = (i.loss, i.segments_per_burst);
    if i.timeout_ratio.printed(i.reading) {
        // (23) prints W_m + 1 in the numerator where (22) prints W_X.
        let numerator = if at_maximum { (window + 1.0) / s } else { window / s };
        return (p.powf((window - 1.0) / s), p.powf(numerator) / (1.0 - p));
    }
    // A window that fits one burst is lost as a whole.
    let share = p.powf((window / s - 1.0).max(0.0));
    (share, share * p / (1.0 - p)) // (19)
}

/// Eq. (20) with Padhye's f(p).
fn timeout_period(i: &Inputs) -> f64 {
    let p = i.loss;
    let f = 1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))));
    let rtts = f / (1.0 - p);
    i.rtt * if i.timeout_period.printed(i.reading) { rtts / p } else { rtts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::rounds::Sender;

    fn at(inputs: Inputs) -> Outputs {
        evaluate(&inputs).unwrap()
    }

    fn printed() -> Inputs {
        Inputs { reading: Reading::AsPrinted, ..Inputs::default() }
    }

    /// Friendly means: at little loss all β have √(3S/(2bp))/RTT. Errata 1.5 asks 0.1 % at p = 1e-5.
    #[test]
    fn all_beta_have_the_same_throughput_at_little_loss() {
        for beta in [0.5, 0.75, 0.875, 31.0 / 32.0] {
            let inputs = Inputs { loss: 1e-5, beta, rtt: 0.1, ..Inputs::default() };
            let expected = (3.0 * 9.0 / (2.0 * 1e-5f64)).sqrt() / 0.1;
            let found = at(inputs.clone()).throughput_segments_per_s;
            assert!((found / expected - 1.0).abs() < 2e-3, "β = {beta}: {found}, {expected}");
        }
    }

    /// Errata 1.5: as printed the period is 1/α too short: 4.7 times the throughput at β = 7/8, 16 to 19 times at
    /// 31/32.
    #[test]
    fn as_printed_the_same_test_fails_by_the_stated_factors() {
        let ratio = |beta, alpha_from| {
            let corrected = Inputs { loss: 1e-5, beta, alpha_from, ..Inputs::default() };
            let printed = Inputs { rounds: Slip::AsPrinted, ..corrected.clone() };
            at(printed).throughput_segments_per_s / at(corrected).throughput_segments_per_s
        };
        let found = ratio(0.875, Alpha::TripleDuplicate);
        assert!((4.5..5.0).contains(&found), "{found}");
        assert!((15.0..21.0).contains(&ratio(31.0 / 32.0, Alpha::TripleDuplicate)));
        assert!((ratio(0.5, Alpha::TripleDuplicate) - 1.0).abs() < 0.01);
    }

    /// Errata 1.9: as p → 0 the flow sends W_m a round; as printed only α W_m.
    #[test]
    fn without_loss_it_sends_the_largest_window_each_round() {
        for beta in [0.5, 0.875] {
            let inputs = Inputs { loss: 1e-12, beta, window_max: 100.0, rtt: 0.1, ..Inputs::default() };
            assert!((at(inputs.clone()).throughput_segments_per_s / 1000.0 - 1.0).abs() < 1e-6);
            let printed = at(Inputs { reading: Reading::AsPrinted, ..inputs });
            let alpha = triple_duplicate_alpha(beta);
            assert!((printed.throughput_segments_per_s / (alpha * 1000.0) - 1.0).abs() < 1e-6);
        }
    }

    /// Errata 1.9: for α = 1, β = 1/2, S = 1 and E[h] = W/2 it is Padhye's b W_m/8 + (1 − p)/(p W_m) + 1 up to 1/W_m
    /// and the 1/2 by which the conventions of E[h] differ.
    #[test]
    fn at_the_largest_window_the_rounds_are_padhyes() {
        let inputs = Inputs {
            loss: 1e-4,
            segments_per_burst: 1.0,
            beta: 0.5,
            acked: 2.0,
            window_max: 40.0,
            after_loss: AfterLoss::Uniform,
            ..Inputs::default()
        };
        let padhye = 2.0 * 40.0 / 8.0 + (1.0 - 1e-4) / (1e-4 * 40.0) + 1.0;
        assert!((at(inputs).rounds_per_period - (padhye - 0.5)).abs() <= 1.0 / 40.0 + 1e-9);
    }

    /// The two forms join: where E[W_X] crosses W_m, E[X] jumps by at most b(1 − β)/(2α) rounds (errata 1.16).
    #[test]
    fn the_two_forms_join_at_the_largest_window() {
        for (beta, acked) in [(0.5, 1.0), (0.875, 2.0)] {
            let free = Inputs { beta, acked, loss: 1e-3, ..Inputs::default() };
            let below = at(free.clone());
            let above = at(Inputs { window_max: below.window * (1.0 - 1e-12), ..free });
            assert_eq!((below.at_maximum, above.at_maximum), (0.0, 1.0));
            let jump = (below.rounds_per_period - above.rounds_per_period).abs();
            assert!(jump <= acked * (1.0 - beta) / (2.0 * below.alpha_used) + 1e-6, "{jump}");
        }
    }

    /// A window of n bursts, the first lost one at place j: no duplicate ACK returns if the n − j bursts after it and
    /// the j − 1 that the delivered ones clock out are lost too. Drawn two million times: within 4 %, five standard
    /// errors of 0.027.
    #[test]
    fn the_share_of_timeouts_is_that_of_drawn_windows() {
        let (mut random, loss, bursts) = (Random::new(41), 0.3, 4);
        let (mut losses, mut timeouts) = (0, 0);
        for _ in 0..2_000_000 {
            let Some(first) = (0..bursts).find(|_| random.uniform() < loss) else { continue };
            losses += 1;
            let (after, clocked_out) = (bursts - 1 - first, first);
            timeouts += i32::from((0..after + clocked_out).all(|_| random.uniform() < loss));
        }
        let share = f64::from(timeouts) / f64::from(losses);
        let inputs = Inputs { loss, segments_per_burst: 9.0, ..Inputs::default() };
        let (found, _) = super::timeouts(9.0 * f64::from(bursts), false, &inputs);
        assert!((found / share - 1.0).abs() < 0.04, "{found} {share}");
    }

    #[test]
    fn a_window_within_one_burst_is_lost_as_a_whole() {
        let whole = Inputs { loss: 0.9, segments_per_burst: 500.0, beta: 0.5, ..Inputs::default() };
        assert_eq!(at(whole).timeout_share, 1.0);
    }

    /// At p = 0.1, S = 9, β = 7/8, b = 1, worked out apart from this code: + 3.7 %, − 26.9 %, − 1.2 %, − 3.5 %.
    #[test]
    fn the_effects_at_ten_per_cent_loss_are_those_stated() {
        let base = Inputs { loss: 0.1, ..Inputs::default() };
        let corrected = at(base.clone()).throughput_segments_per_s;
        let effect = |inputs: Inputs| at(inputs).throughput_segments_per_s / corrected - 1.0;
        let ratio = Inputs { timeout_ratio: Slip::AsPrinted, ..base.clone() };
        let period = Inputs { timeout_period: Slip::AsPrinted, ..base.clone() };
        let both = Inputs { timeout_period: Slip::AsPrinted, ..ratio.clone() };
        let half = Inputs { after_loss: AfterLoss::Uniform, ..base };
        for (name, found, stated) in [
            ("ratio", effect(ratio), 0.037),
            ("period", effect(period), -0.269),
            ("both", effect(both), -0.012),
            ("half", effect(half), -0.035),
        ] {
            assert!((found - stated).abs() < 0.001, "{name}: {found}, stated {stated}");
        }
    }

    /// A round-by-round simulation, written before the first run: within 10 % for p ≤ 1e-2 (errata: 7 % below for β =
    /// 1/2, 8 % above for β near 1). Timeouts are left out of both: Q is negligible at these p for windows of many
    /// bursts.
    #[test]
    fn a_simulation_round_by_round_agrees_within_ten_per_cent() {
        for (burst, window_max) in [(1.0, 1e12), (9.0, 1e12), (9.0, 100.0)] {
            for (loss, beta) in [1e-4, 1e-3, 1e-2].iter().flat_map(|p| [0.5, 0.875, 31.0 / 32.0].map(|b| (*p, b))) {
                let inputs =
                    Inputs { loss, beta, segments_per_burst: burst, rtt: 1.0, window_max, ..Inputs::default() };
                let found = at(inputs);
                let alpha = found.alpha_used;
                let sender = Sender { alpha, after_loss: alpha, beta, acked: 1.0, burst, loss, window_max };
                let ratio = found.throughput_segments_per_s / sender.segments_per_round(20_000, 11);
                assert!((ratio - 1.0).abs() < 0.1, "S = {burst}, W_m = {window_max}, p = {loss}, β = {beta}: {ratio}");
            }
        }
    }

    fn ben_only(inputs: Inputs) -> Inputs {
        Inputs { alpha_applies: AlphaApplies::BenOnly, ..inputs }
    }

    /// A simulation round by round in which the window grows by α after its first round and by 1 after all others.
    /// Written before the first run: within 10 % for p ≤ 1e-2. Found: so in 23 of 27 points; the four others have
    /// periods of less than 7 rounds and are up to 37 % off, because it counts whole rounds. They are left to the next
    /// test.
    #[test]
    fn with_alpha_in_the_round_after_a_ben_a_simulation_round_by_round_agrees_within_ten_per_cent() {
        let mut compared = 0;
        for (burst, window_max) in [(1.0, 1e12), (9.0, 1e12), (9.0, 100.0)] {
            for (loss, beta) in [1e-4, 1e-3, 1e-2].iter().flat_map(|p| [0.5, 0.875, 31.0 / 32.0].map(|b| (*p, b))) {
                let inputs =
                    Inputs { loss, beta, segments_per_burst: burst, rtt: 1.0, window_max, ..Inputs::default() };
                let found = at(ben_only(inputs));
                if found.rounds_per_period < 7.0 {
                    continue;
                }
                compared += 1;
                let after_loss = found.alpha_used;
                let sender = Sender { alpha: 1.0, after_loss, beta, acked: 1.0, burst, loss, window_max };
                let ratio = found.throughput_segments_per_s / sender.segments_per_round(20_000, 11);
                assert!((ratio - 1.0).abs() < 0.1, "S = {burst}, W_m = {window_max}, p = {loss}, β = {beta}: {ratio}");
            }
        }
        assert_eq!(compared, 23);
    }

    /// A sender clocked by its ACKs, within 10 % for p ≤ 1e-2 and 40 % at 0.1: written before its first run, after a
    /// packet simulation had shown which E[h] is right.
    #[test]
    fn with_alpha_in_the_round_after_a_ben_a_sender_clocked_by_acks_agrees_within_ten_per_cent() {
        for (burst, beta) in
            [(1.0, 0.5), (1.0, 0.875), (1.0, 31.0 / 32.0), (9.0, 0.5), (9.0, 0.875), (9.0, 31.0 / 32.0)]
        {
            for (loss, bound) in [(1e-3, 0.1), (1e-2, 0.1), (0.1, 0.4)] {
                let inputs = Inputs { loss, beta, segments_per_burst: burst, rtt: 1.0, ..Inputs::default() };
                let found = at(ben_only(Inputs { after_loss: AfterLoss::None, ..inputs }));
                let ratio = found.throughput_segments_per_s / clocked(burst, loss, beta, found.alpha_used);
                assert!((ratio - 1.0).abs() < bound, "S = {burst}, p = {loss}, β = {beta}: {ratio}");
            }
        }
    }

    /// Segments per round trip over 20 000 cuts. A segment leaves every 1/W of a round trip. The first loss after a cut
    /// is told a round trip later, and the window is cut; for a round trip it does not grow, for the next by α, then by
    /// 1.
    fn clocked(burst: f64, loss: f64, beta: f64, alpha: f64) -> f64 {
        const CUTS: u32 = 20_000;
        let mut random = Random::new(29);
        let (mut window, mut time, mut cut_at, mut told_at) = (10.0f64, 0.0f64, 0.0, f64::INFINITY);
        let (mut delivered, mut cuts) = (0.0, 0);
        while cuts < CUTS {
            let is_lost = random.uniform() < loss;
            delivered += if is_lost { 0.0 } else { burst };
            let step = burst / window;
            time += step;
            if is_lost && told_at.is_infinite() {
                told_at = time + 1.0;
            }
            if time >= told_at {
                (window, cut_at, told_at) = ((beta * window).max(1.0), time, f64::INFINITY);
                cuts += 1;
            }
            window += match time - cut_at {
                age if age < 1.0 => 0.0,
                age if age < 2.0 => alpha * step,
                _ => step,
            };
        }
        delivered / time
    }

    /// At little loss √(S(1 + β)/(2p(1 − β)))/RTT: √5 times the paper's reading at β = 7/8, √21 times at 31/32.
    #[test]
    fn with_alpha_in_the_round_after_a_ben_it_is_not_friendly() {
        for (beta, square) in [(0.5, 1.0), (0.875, 5.0), (31.0 / 32.0, 21.0)] {
            let inputs = Inputs { loss: 1e-7, beta, rtt: 0.1, ..Inputs::default() };
            let found = at(ben_only(inputs.clone())).throughput_segments_per_s;
            let direct = (9.0 * (1.0 + beta) / (2e-7 * (1.0 - beta))).sqrt() / 0.1;
            assert!((found / direct - 1.0).abs() < 1e-3, "β = {beta}: {found}, {direct}");
            let gain = found / at(inputs).throughput_segments_per_s;
            assert!((gain / f64::sqrt(square) - 1.0).abs() < 2e-3, "β = {beta}: {gain}");
        }
    }

    /// At α = 1 the paper's own equations have √(S(1 + β)/(2p(1 − β)))/RTT at little loss, as the sender of §II has;
    /// and (14) as printed adds β/(1 + β) of a round to the period, which is all that is left of the slips of (13) and
    /// (14).
    #[test]
    fn the_papers_equations_at_alpha_1_are_those_of_its_sender_at_little_loss() {
        for beta in [0.5, 0.875, 31.0 / 32.0] {
            let one = Inputs { loss: 1e-7, beta, rtt: 0.1, alpha_from: Alpha::One, ..Inputs::default() };
            let direct = (9.0 * (1.0 + beta) / (2e-7 * (1.0 - beta))).sqrt() / 0.1;
            let found = at(one.clone()).throughput_segments_per_s;
            assert!((found / direct - 1.0).abs() < 1e-3, "β = {beta}: {found}, {direct}");
            let corrected = at(Inputs { loss: 1e-2, rtt: 1.0, ..one.clone() });
            let printed = at(Inputs { loss: 1e-2, rtt: 1.0, rounds: Slip::AsPrinted, ..one });
            let more = printed.period_s - corrected.period_s;
            assert!((more - beta / (1.0 + beta)).abs() < 1e-9, "β = {beta}: {more}");
        }
    }

    /// α = 1 leaves no difference, and the two forms join as those of the paper do.
    #[test]
    fn with_alpha_in_the_round_after_a_ben_the_forms_join_and_alpha_1_is_the_papers() {
        let one = Inputs { alpha_from: Alpha::Given, alpha: 1.0, acked: 2.0, ..Inputs::default() };
        for window_max in [1e9, 50.0] {
            let inputs = Inputs { window_max, ..one.clone() };
            let (ours, papers) = (at(ben_only(inputs.clone())), at(inputs));
            assert!((ours.throughput_bps / papers.throughput_bps - 1.0).abs() < 1e-12);
        }
        for (beta, acked) in [(0.75, 1.0), (0.875, 2.0)] {
            let free = ben_only(Inputs { beta, acked, ..Inputs::default() });
            let below = at(free.clone());
            let above = at(Inputs { window_max: below.window * (1.0 - 1e-12), ..free });
            assert_eq!((below.at_maximum, above.at_maximum), (0.0, 1.0));
            let jump = (below.rounds_per_period - above.rounds_per_period).abs();
            assert!(jump <= acked * (1.0 - beta) / 2.0 + 1e-6, "{jump}");
        }
    }

    #[test]
    fn input_out_of_range_is_named() {
        for (inputs, message) in [
            (Inputs { loss: 0.0, ..Inputs::default() }, "loss = 0: must be more than 0 and less than 1"),
            (Inputs { loss: 1.0, ..printed() }, "loss = 1: must be more than 0 and less than 1"),
            (
                Inputs { window_max: 5.0, ..Inputs::default() },
                "segments_per_burst = 9: a burst cannot hold more segments than the largest window, 5",
            ),
            (ben_only(printed()), "rounds = as_printed: the paper prints no equations for alpha_applies = ben_only"),
            (
                ben_only(Inputs { beta: 0.2, ..Inputs::default() }),
                "beta = 0.2: with alpha_applies = ben_only α must be at most 1, and is 2.000",
            ),
        ] {
            assert_eq!(evaluate(&inputs).unwrap_err().to_string(), message);
        }
    }
}
