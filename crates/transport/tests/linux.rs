//! What a Linux kernel answered to ACKs made by hand, replayed: `bench/linux/record.py` has recorded it.
//!
//! A recording says what the kernel sent (`>`), what it was told (`<`) and how its window stood after each ACK (`=`).
//! Here the same ACKs come at the same times to a sender of "linux-reno". Where it answers otherwise, the test says how
//! and why.

use std::collections::BTreeMap;
use std::sync::Arc;
use transport::cc;
use transport::tcp::{
    Ack, Actions, Connection, Control, Preset, ReceiverConfig, SackBlock, SenderConfig, TcpOptions, Undo,
};
use units::{Duration, Instant};

/// How late a timer of the kernel may be: it ticks every 4 ms, and the machine was busy.
const LATE_MS: f64 = 120.0;

#[derive(Debug)]
enum Line {
    Sent { number: u64 },
    Told { ack: u64, sack: Vec<(u64, u64)>, echo: Option<(u64, usize)> },
    Stands { cwnd: u64, ssthresh: Option<u64> },
}

struct Recording {
    segments: u64,
    timestamps: bool,
    lines: Vec<(f64, Line)>,
}

fn recording(text: &str) -> Recording {
    let mut recording = Recording { segments: 0, timestamps: false, lines: Vec::new() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "segments" => recording.segments = words[1].parse().unwrap(),
            "timestamps" => recording.timestamps = words[1] == "on",
            at => recording.lines.push((at.parse().unwrap(), parsed(&words[1..]))),
        }
    }
    recording
}

fn parsed(words: &[&str]) -> Line {
    let number = |word: &str| word.parse().unwrap();
    let pair = |word: &str, by: char| {
        let (one, other) = word.split_once(by).unwrap();
        (number(one), number(other))
    };
    match words[0] {
        ">" => Line::Sent { number: number(words[1]) },
        "<" => {
            let sack = words[2..].iter().filter(|word| word.contains('-')).map(|word| pair(word, '-')).collect();
            let echo = words.iter().skip_while(|word| **word != "echo").nth(1).map(|word| pair(word, '.'));
            Line::Told { ack: number(words[1]), sack, echo: echo.map(|(one, copy)| (one, copy as usize)) }
        }
        _ => Line::Stands { cwnd: number(words[3]), ssthresh: words[5].parse().ok() },
    }
}

/// A sender that hears what the kernel heard.
struct Replay {
    connection: Connection,
    actions: Actions,
    /// When each copy of each segment left.
    copies: BTreeMap<u64, Vec<Instant>>,
    /// Segments that left since the last look, with their times in ms.
    sent: Vec<(f64, u64)>,
}

/// The first data segment leaves at 200 ms of this clock, after the handshake.
fn at(ms: f64) -> Instant {
    Instant::ZERO + Duration::from_micros(200_000 + (ms * 1000.0) as u64)
}

impl Replay {
    fn new(recording: &Recording) -> Replay {
        // Linux's slow start counts all that an ACK acknowledges; here HyStart++ with a high bound does. No round has
        // the eight samples that it would need to end.
        let reno = cc::reno::Config { hystart: true, hystart_limit: 1000, ..cc::reno::Config::default() };
        let preset = Preset::from_name("linux-reno").unwrap();
        let mut config = SenderConfig { algorithm: preset.algorithm(), mss: 1000, ..SenderConfig::default() };
        preset.apply(&mut config, &mut ReceiverConfig::default());
        let config = SenderConfig {
            laws: cc::Config { reno, ..cc::Config::default() },
            undo: Some(if recording.timestamps { Undo::Both } else { Undo::Dsack }),
            timestamps: recording.timestamps,
            ..config
        };
        let (mut actions, mut connection) = (Actions::default(), Connection::new(Arc::new(config)));
        connection.write(Instant::ZERO, 1000 * recording.segments, &mut actions);
        connection.handle_control(at(0.0), Control::SynAck.into(), &mut actions);
        let mut replay = Replay { connection, actions, copies: BTreeMap::new(), sent: Vec::new() };
        replay.note(at(0.0));
        replay
    }

    fn note(&mut self, now: Instant) {
        for segment in self.actions.segments.drain(..) {
            let number = segment.seq / 1000;
            self.copies.entry(number).or_default().push(now);
            self.sent.push((now.as_secs_f64() * 1000.0 - 200.0, number));
        }
    }

    /// Serves what is due before `until`.
    fn run_until(&mut self, until: Instant) {
        while let Some(next) = self.connection.next_timeout().filter(|next| *next < until) {
            self.connection.handle_timeout(next, &mut self.actions);
            self.note(next);
        }
    }

    fn tell(&mut self, now: Instant, ack: u64, sack: &[(u64, u64)], echo: Option<(u64, usize)>) {
        let sack: Vec<_> =
            sack.iter().map(|&(start, end)| SackBlock { start: 1000 * start, end: 1000 * end }).collect();
        let timestamp = echo.map(|(number, copy)| self.copies[&number][copy]);
        let options = TcpOptions { timestamp, ..TcpOptions::default() };
        let ack = Ack { ack: 1000 * ack, window: 1 << 30, sack: &sack, ecn_echo: false };
        self.connection.handle_ack(now, &ack, options, &mut self.actions);
        self.note(now);
    }

    fn stands(&self) -> (u64, Option<u64>) {
        let sender = self.connection.sender();
        (sender.cwnd() / 1000, Some(sender.ssthresh() / 1000).filter(|segments| *segments < 1 << 20))
    }
}

/// The segments that left before each ACK and behind the last one, the kernel's and ours, and the windows after each
/// ACK.
fn compare(text: &str) -> Vec<String> {
    let recording = recording(text);
    let mut replay = Replay::new(&recording);
    let (mut theirs, mut differences): (Vec<(f64, u64)>, Vec<String>) = (Vec::new(), Vec::new());
    let mut told = 0;
    for (ms, line) in &recording.lines {
        match line {
            Line::Sent { number } => theirs.push((*ms, *number)),
            Line::Told { ack, sack, echo } => {
                replay.run_until(at(*ms));
                differences.extend(segments(told, &mut theirs, &mut replay.sent));
                told += 1;
                replay.tell(at(*ms), *ack, sack, *echo);
            }
            Line::Stands { cwnd, ssthresh } => {
                // The last one is behind timers that ran out since the ACK.
                replay.run_until(at(*ms - LATE_MS));
                let ours = replay.stands();
                if ours != (*cwnd, *ssthresh) {
                    differences.push(format!("after ACK {told}: kernel {:?}, here {ours:?}", (cwnd, ssthresh)));
                }
            }
        }
    }
    // A timer that was near at the end of the recording may have been late.
    let end = recording.lines.last().map_or(0.0, |line| line.0) - LATE_MS;
    replay.run_until(at(end));
    theirs.retain(|one| one.0 < end);
    differences.extend(segments(told, &mut theirs, &mut replay.sent));
    differences
}

/// Where the segments that left first differ: in their order, or by more than [`LATE_MS`] in their times.
fn segments(told: usize, theirs: &mut Vec<(f64, u64)>, ours: &mut Vec<(f64, u64)>) -> Option<String> {
    let (theirs, ours) = (std::mem::take(theirs), std::mem::take(ours));
    let place = (0..theirs.len().max(ours.len())).find(|&place| match (theirs.get(place), ours.get(place)) {
        (Some(theirs), Some(ours)) => theirs.1 != ours.1 || (theirs.0 - ours.0).abs() > LATE_MS,
        _ => true,
    })?;
    let said = |list: &[(f64, u64)]| {
        list.get(place).map_or("nothing".to_owned(), |(ms, number)| format!("{number} at {ms:.0} ms"))
    };
    Some(format!("after ACK {told}: the kernel sends {}, here {}", said(&theirs), said(&ours)))
}

#[test]
fn three_sacks_above_a_hole_start_the_repair_and_prr_brings_the_window_down() {
    assert_eq!(compare(include_str!("linux/rack-third-sack.txt")), [""; 0]);
}

#[test]
fn one_sack_above_a_hole_does_after_a_quarter_of_the_round_trip() {
    assert_eq!(compare(include_str!("linux/rack-timer.txt")), [""; 0]);
}

#[test]
fn a_second_copy_of_the_first_segment_restarts_the_timer() {
    // The timeout ends a fast recovery, in which Linux reduces ssthresh no more.
    assert_eq!(compare(include_str!("linux/head-again.txt")), [""; 0]);
}

#[test]
fn a_sack_of_what_left_before_the_copy_of_the_first_segment_restarts_the_timer() {
    assert_eq!(compare(include_str!("linux/head-and-sacks.txt")), [""; 0]);
}

#[test]
fn a_tail_loss_is_found_by_a_probe_after_two_round_trips() {
    // Linux takes half of cwnd, 17 segments, for ssthresh; RFC 5681 half of what is in flight, 3 segments, and at least
    // 2.
    let ssthresh = [
        "after ACK 2: kernel (1, Some(8)), here (1, Some(2))",
        "after ACK 3: kernel (8, Some(8)), here (2, Some(2))",
        "after ACK 3: kernel (8, Some(8)), here (2, Some(2))",
    ];
    assert_eq!(compare(include_str!("linux/tail-loss-probe.txt")), ssthresh);
}

#[test]
fn a_spurious_timeout_is_found_out_by_two_new_segments_and_taken_back() {
    assert_eq!(compare(include_str!("linux/f-rto-needless.txt")), [""; 0]);
}

#[test]
fn a_real_timeout_is_found_out_by_the_same_segments() {
    // The last ACK is for two segments: Linux's slow start adds two, RFC 5681's one (HyStart++ is over at the timeout).
    let growth = [
        "after ACK 4: kernel (4, Some(5)), here (3, Some(5))",
        "after ACK 4: kernel (4, Some(5)), here (3, Some(5))",
        "after ACK 4: the kernel sends 6 at 1717 ms, here nothing",
    ];
    assert_eq!(compare(include_str!("linux/f-rto-real.txt")), growth);
}

#[test]
fn a_timeout_is_spurious_although_the_same_ack_shows_losses() {
    // Segment 10 was the tail loss probe, from before the timeout: its SACK shows that the timeout was spurious, and
    // RACK by the same SACK that 1 to 9 are lost. Half of cwnd, 10 segments, and not of the flight, 12 segments.
    assert!(compare(include_str!("linux/f-rto-probe.txt")).is_empty());
}

#[test]
fn a_d_sack_takes_a_reduction_back_before_the_recovery_is_over() {
    for take in [include_str!("linux/d-sack-undo.txt"), include_str!("linux/d-sack-undo-3.txt")] {
        assert_eq!(compare(take), [""; 0]);
    }
    // Of three takes this one has a segment less behind the undo, which leaves as the tail loss probe instead. The
    // window is the same, and the reason is not known.
    let second = compare(include_str!("linux/d-sack-undo-2.txt"));
    assert_eq!(second, ["after ACK 5: the kernel sends nothing, here 19 at 410 ms"]);
}

#[test]
fn an_echo_of_the_first_copy_takes_a_reduction_back_at_once() {
    // The window is back at 10 segments. The ACK is for ten, three of which had been SACKed: Linux's slow start adds 7,
    // here 10.
    let growth = [
        "after ACK 4: kernel (17, None), here (20, None)",
        "after ACK 4: kernel (17, None), here (20, None)",
        "after ACK 4: the kernel sends 27 at 676 ms, here 27 at 230 ms",
    ];
    assert_eq!(compare(include_str!("linux/eifel-undo.txt")), growth);
}

#[test]
fn a_duplicate_ack_without_news_shows_that_a_timeout_was_real() {
    // The third ACK is for two segments: Linux's slow start adds two, RFC 5681's one (HyStart++ is over at the
    // timeout).
    let growth = [
        "after ACK 3: kernel (4, Some(5)), here (3, Some(5))",
        "after ACK 3: kernel (4, Some(5)), here (3, Some(5))",
        "after ACK 3: the kernel sends 4 at 1717 ms, here nothing",
    ];
    assert_eq!(compare(include_str!("linux/f-rto-duplicate.txt")), growth);
}

#[test]
fn a_sack_of_a_first_copy_before_the_ack_shows_a_spurious_timeout_to_linux_only() {
    // RFC 5682 §3.1 step 2 waits for the ACK of what was sent again; Linux takes the timeout back by anything
    // acknowledged that was never sent again. Then the repair and the go-back, which it spares, set the windows apart.
    let eager = [
        "after ACK 1: kernel (10, None), here (1, Some(5))",
        "after ACK 2: kernel (12, None), here (2, Some(5))",
        "after ACK 2: the kernel sends 13 at 1322 ms, here nothing",
        "after ACK 3: kernel (20, None), here (18, None)",
        "after ACK 3: kernel (20, None), here (18, None)",
        "after ACK 3: the kernel sends 15 at 1504 ms, here 13 at 1503 ms",
    ];
    assert_eq!(compare(include_str!("linux/f-rto-late-sack.txt")), eager);
}

#[test]
fn an_echo_of_the_first_copy_takes_a_timeout_back() {
    assert_eq!(compare(include_str!("linux/eifel-timeout.txt")), [""; 0]);
}

#[test]
fn an_echo_of_the_second_copy_takes_nothing_back() {
    assert_eq!(compare(include_str!("linux/eifel-timeout-real.txt")), [""; 0]);
}

#[test]
fn a_timeout_for_want_of_acks_is_taken_back_by_its_d_sack_only() {
    // The ACK is for eleven segments: the window of ten is back and grows by them. Linux counts what a D-SACK reports
    // as delivered too: twelve.
    let growth = [
        "after ACK 1: kernel (22, None), here (21, None)",
        "after ACK 1: kernel (22, None), here (21, None)",
        "after ACK 1: the kernel sends 32 at 1306 ms, here 32 at 1733 ms",
    ];
    assert_eq!(compare(include_str!("linux/eifel-acks-lost.txt")), growth);
}
