//! No loss raises a window, and no ACK adds more to it than its law makes of the bytes that it acknowledges: all laws,
//! on all loss recoveries, over a line that loses, marks, delays and repeats segments and loses ACKs.
//!
//! Laws that networks tell, and those that set cwnd by a model of the path, are left out; so is the undo of a loss that
//! was none.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use options::Words;
use std::sync::Arc;
use transport::cc::{highspeed, registry};
use transport::tcp::{
    Ack, Actions, Frto, InitialWindow, LossRecovery, PhaseName, ReceiverConfig, SackAfterTimeout, SackBlock, Sender,
    SenderConfig, SsthreshFrom, Undo,
};
use units::{Duration, Instant};

const SEGMENT: f64 = MSS as f64;
/// Lines for a law on a recovery.
const SEEDS: u64 = 10;

/// The most segments by which an ACK raises a window of `cwnd` segments, from the law's source; `None` for laws that
/// are told or model the path. `rho` is Hybla's.
fn most_growth(law: &str, cwnd: f64, rho: f64) -> Option<f64> {
    Some(match law {
        // RFC 5681 §3.1: a segment for an ACK, in slow start and in congestion avoidance.
        "reno" | "newreno" | "sack" | "rr-tcp" | "btcp" | "retcp" | "dctcp" | "prague" | "westwood+" => 1.0,
        // α is at most 1.
        "gaimd" | "baimd" | "tcp-eng" => 1.0,
        // A segment in slow start, and one at the end of a round trip.
        "vegas" => 2.0,
        // a(w).
        "highspeed" | "hs-rr-tcp" => highspeed::Config::default().increase(cwnd).ceil(),
        // RFC 9438 §4.2: the target is at most 1.5 cwnd.
        "cubic" | "tdtcp" | "satcp" => (cwnd / 2.0).max(1.0),
        // Linux: two segments of a delayed ACK, and one of credit at a higher price (`tcp_cong_avoid_ai`).
        "scalable" | "bic" | "yeah" | "veno" | "lp" | "cdg" | "nv" => 3.0,
        // One segment at a time.
        "htcp" => 2.0,
        // A window of ACKs is 0.3 to 10 segments, and a segment that α = 0.3 has nearly paid is worth 33 when α is 10
        // (Linux's `tcp_illinois_cong_avoid`).
        "illinois" => 34.0,
        // 2^ρ − 1 in slow start, ρ²/cwnd in congestion avoidance.
        "hybla" => rho.exp2().max(rho * rho / cwnd + 1.0),
        // §2: a window that doubles in a round trip; in its steps 1/(δ cwnd) for each segment.
        "copa" => cwnd.max(2.0),
        // ai = 1 in a round trip.
        "swift" => 1.0,
        // Two segments leave for one that accelerates, and one in a round trip.
        "abc" => cwnd + 1.0,
        _ => return None,
    })
}

/// True if ssthresh after a loss is measured, not a share of the window: BWE · RTTmin, whatever the window was (Linux's
/// `tcp_westwood_bw_rttmin`).
fn measures_ssthresh(law: &str) -> bool {
    law == "westwood+"
}

/// Decides by a hash of `(seed, number)`, so that a failing case is its seed.
fn chance(seed: u64, number: u64, per_mille: u64) -> bool {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % 1000 < per_mille
}

/// What a line does to one in so many thousand.
#[derive(Clone, Copy, Debug)]
struct Faults {
    seed: u64,
    lost: u64,
    marked: u64,
    late: u64,
    /// Of copies, too.
    lost_again: u64,
    acks_lost: u64,
}

/// Numbers below a bound, one after the other, from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn faults(&mut self) -> Faults {
        let [lost, marked, late, lost_again, acks_lost] = [120, 60, 100, 600, 600].map(|most| self.below(most));
        Faults { seed: self.0, lost, marked, late, lost_again, acks_lost }
    }
}

fn line(sender: SenderConfig, receiver: ReceiverConfig, faults: Faults) -> Line {
    let Faults { seed, lost, marked, late, lost_again, acks_lost } = faults;
    let mut line = Line::new(sender, receiver);
    line.segment_fate = Box::new(move |number, segment| match () {
        _ if chance(seed, number, if segment.retransmission { lost_again } else { lost }) => Fate::Drop,
        _ if chance(seed ^ 1, number, late) => Fate::Delay(Duration::from_millis(30)),
        _ if chance(seed ^ 4, number, marked) => Fate::Mark,
        _ => Fate::Deliver,
    });
    line.ack_fate =
        Box::new(move |number| if chance(seed ^ 2, number, acks_lost) { Fate::Drop } else { Fate::Deliver });
    line
}

/// A sender's window, without what duplicate ACKs have added.
#[derive(Clone, Copy, Debug)]
struct Seen {
    cwnd: u64,
    ssthresh: u64,
    losses: u64,
    is_recovering: bool,
    rho: f64,
}

impl Seen {
    fn of(line: &Line, recovery: LossRecovery) -> Seen {
        let (sender, stats) = (&line.sender, line.sender.stats());
        let is_recovering = sender.phase() == PhaseName::FastRecovery;
        let inflates = is_recovering && matches!(recovery, LossRecovery::Reno | LossRecovery::NewReno);
        let cwnd = if inflates { sender.cwnd().min(sender.ssthresh()) } else { sender.cwnd() };
        let losses = stats.fast_retransmits + stats.timeouts + stats.ecn_reductions;
        let srtt = sender.law_figures().into_iter().find(|(name, _)| *name == "hybla_srtt_s");
        let rho = srtt.map_or(1.0, |(_, srtt)| srtt / 0.025).clamp(1.0, 16.0);
        Seen { cwnd, ssthresh: sender.ssthresh(), losses, is_recovering, rho }
    }
}

/// The bound that the step from one to the other breaks, if it breaks one. `at_loss` is the window that the last loss
/// met, `undone` that to which F-RTO may return where a timeout was none.
fn fault(law: &str, recovery: LossRecovery, [at_loss, undone, before, after]: [Seen; 4]) -> Option<String> {
    let most = most_growth(law, before.cwnd as f64 / SEGMENT, after.rho)?;
    let is_recovering = before.is_recovering || after.is_recovering;
    // PRR takes cwnd down from what the loss met, and at the end to ssthresh (RFC 6937 §3); where inflation ends, cwnd
    // is ssthresh (RFC 6582 §3.2 step 3).
    let ended = if before.is_recovering { before.ssthresh } else { 0 };
    let repaired = match recovery {
        LossRecovery::Linux if is_recovering => at_loss.cwnd.max(ended),
        LossRecovery::Reno | LossRecovery::NewReno => ended,
        _ => 0,
    };
    // A hundredth of a segment for the fractions of earlier ACKs.
    let grown = before.cwnd.max(undone.cwnd).max(repaired).saturating_add((1.01 * most * SEGMENT) as u64);
    let ssthresh = grown.max(2 * u64::from(MSS));
    // The timer leaves ssthresh as it is where it expires again (RFC 5681 §3.1), and so does a loss behind a mark.
    let sets_ssthresh = after.losses > before.losses && after.ssthresh != before.ssthresh;
    if measures_ssthresh(law) {
        return (!is_recovering && after.cwnd > grown).then(|| format!("cwnd: {before:?}, {after:?}"));
    }
    if sets_ssthresh && after.ssthresh > ssthresh {
        return Some(format!("a loss sets ssthresh above cwnd: {before:?}, {after:?}"));
    }
    if after.ssthresh > ssthresh.max(before.ssthresh).max(undone.ssthresh) {
        return Some(format!("ssthresh rises: {before:?}, {after:?}"));
    }
    (after.cwnd > grown).then(|| format!("cwnd rises by more than {most} segments: {before:?}, {after:?}"))
}

/// A sender of this law on this recovery, if the law runs on it; the rest is drawn.
fn config(law: &str, recovery: LossRecovery, numbers: &mut Numbers) -> Option<SenderConfig> {
    let config = SenderConfig {
        recovery: Some(recovery),
        undo: Some(Undo::Never),
        frto: numbers.coin().then_some(Frto::Basic),
        ssthresh_from: if numbers.below(4) == 0 { SsthreshFrom::Cwnd } else { SsthreshFrom::Flight },
        sack_after_timeout: if numbers.coin() { SackAfterTimeout::Discard } else { SackAfterTimeout::Keep },
        initial_ssthresh: numbers.coin().then_some(5 * u64::from(MSS)),
        min_rto: Duration::from_millis(200),
        ..sender_config(law)
    };
    // Some laws cannot answer marks.
    let marking = SenderConfig { ecn: numbers.coin(), ..config.clone() };
    [marking, config].into_iter().find(|config| config.validate().is_ok())
}

/// A transfer over a bad line, until a bound is broken: what broke it.
fn broken(law: &str, recovery: LossRecovery, seed: u64) -> Option<String> {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let config = config(law, recovery, &mut numbers)?;
    let forwards = config.frto.is_some();
    let delayed_ack = numbers.coin().then(|| Duration::from_millis(40));
    let receiver = ReceiverConfig { delayed_ack, ecn_feedback: config.feedback(), ..receiver_config() };
    let mut line = line(config, receiver, numbers.faults());
    line.write(600);
    let mut before = Seen::of(&line, recovery);
    let mut at_loss = before;
    for _ in 0..5000 {
        if line.sender.is_complete() || !line.step() {
            return None;
        }
        let after = Seen::of(&line, recovery);
        at_loss = if after.losses > before.losses { before } else { at_loss };
        let undone = if forwards { at_loss } else { before };
        let fault = fault(law, recovery, [at_loss, undone, before, after]);
        if fault.is_some() {
            return fault.map(|fault| format!("{law}, {recovery:?}, seed {seed}: {fault}"));
        }
        before = after;
    }
    None
}

#[test]
fn no_loss_raises_a_window_and_no_ack_adds_more_than_its_law() {
    let laws = registry().iter().map(|entry| entry.name).filter(|law| most_growth(law, 10.0, 1.0).is_some());
    let pairs = laws.flat_map(|law| LossRecovery::ALL.iter().map(move |recovery| (law, *recovery)));
    let found: Vec<_> =
        pairs.filter_map(|(law, recovery)| (0..SEEDS).find_map(|seed| broken(law, recovery, seed))).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// A sender with 100 segments in flight, of which the first and the 111th are lost: SACK lets data leave for as long as
/// the first is missing. Its windows in segments after the first loss, and after the second.
fn windows_of_two_losses(law: &str) -> [u64; 2] {
    let segment = u64::from(MSS);
    let config = SenderConfig {
        initial_cwnd: InitialWindow::Segments(100),
        initial_ssthresh: Some(2000 * segment),
        ..sender_config(law)
    };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    let mut now = Instant::ZERO;
    sender.write(now, 1_000_000_000, &mut actions);
    // An ACK of all below a segment, which says that these blocks of segments have arrived.
    let mut ack = |ack: u64, blocks: &[(u64, u64)]| {
        now = now + Duration::from_millis(1);
        let sack: Vec<_> =
            blocks.iter().map(|(from, to)| SackBlock { start: from * segment, end: to * segment }).collect();
        sender.handle_ack(
            now,
            &Ack { ack: ack * segment, window: 1 << 40, sack: &sack, ecn_echo: false },
            &mut actions,
        );
        (sender.cwnd() / segment, sender.snd_nxt() / segment)
    };
    let first = (1..110).map(|at| ack(0, &[(1, at + 1)])).last().unwrap();
    let mut sent = first.1;
    let mut at = 111;
    while at < sent.min(260) {
        sent = ack(0, &[(111, at + 1), (1, 110)]).1;
        at += 1;
    }
    // The first segment's copy arrives at last, and the recovery is over.
    ack(110, &[(111, at)]);
    let second = (at..at + 3).map(|at| ack(110, &[(111, at + 1)])).last().unwrap();
    [first.0, second.0]
}

/// Scalable keeps 7/8 (88 = 100 − 12, 77 = 88 − 11), CUBIC 0.7, Reno and Hybla a half, BIC 819/1024 and Veno 4/5 of the
/// window before, in Linux in whole segments; FlightSize is above 150 segments at the second loss.
#[test]
fn a_second_loss_behind_a_long_repair_cuts_the_window_once_more() {
    for (law, windows) in [
        ("scalable", [88, 77]),
        ("cubic", [70, 49]),
        ("sack", [50, 25]),
        ("hybla", [50, 25]),
        ("bic", [79, 63]),
        ("veno", [80, 64]),
    ] {
        assert_eq!(windows_of_two_losses(law), windows, "{law}");
    }
}

/// The ready-made laws that are judged: all but those whose window the network or a model sets.
#[test]
fn the_laws_that_are_left_out_are_told_or_model_their_path() {
    let left_out = registry().iter().map(|entry| entry.name).filter(|law| most_growth(law, 10.0, 1.0).is_none());
    let told = ["xcp", "bbr", "bbr3", "hpcc", "powertcp", "theta-powertcp", "rcp", "python"];
    assert_eq!(left_out.collect::<Vec<_>>(), told);
}
