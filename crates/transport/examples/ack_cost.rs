//! ACKs at a sender whose window stays as it is, for `bench/ack_cost.py`, which counts the instructions of `handle`.
//!
//!     ack_cost RECOVERY PATTERN WINDOW ROUNDS
//!
//! RECOVERY is `sack` or `rr-tcp`; both have the same window law, which keeps nearly all of the window at a loss, so
//! that the windows are equal whatever is taken for one. PATTERN: `in-order`; `burst`, of which a quarter of each
//! window comes after the half of a window that follows it, as on two paths of different delays; `spread`, of which
//! every second segment comes a quarter of a window late; `lossy`, the same, and of every four windows a segment is
//! lost. Prints the ACKs, fast retransmits, false ones, timeouts and the threshold at the end.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use transport::cc::{Algorithm, LossRecovery};
use transport::tcp::{
    Ack, AckOut, Actions, InitialWindow, Receiver, ReceiverActions, ReceiverConfig, Segment, Sender, SenderConfig,
};
use units::{Duration, Instant};

const MSS: u64 = 1000;
const ROUND: Duration = Duration::from_millis(100);

/// How segments are put out of order.
#[derive(Clone, Copy)]
enum Pattern {
    InOrder,
    Burst,
    Spread,
    Lossy,
}

impl Pattern {
    fn from_name(name: &str) -> Option<Pattern> {
        match name {
            "in-order" => Some(Pattern::InOrder),
            "burst" => Some(Pattern::Burst),
            "spread" => Some(Pattern::Spread),
            "lossy" => Some(Pattern::Lossy),
            _ => None,
        }
    }

    /// By how many segments the one with this number comes later.
    fn late(self, number: u64, window: u64) -> u64 {
        match self {
            Pattern::InOrder => 0,
            Pattern::Burst => {
                if number % window < window.div_ceil(4) {
                    window.div_ceil(4) + window / 2
                } else {
                    0
                }
            }
            Pattern::Spread | Pattern::Lossy => {
                if number % 2 == 1 {
                    window.div_ceil(4)
                } else {
                    0
                }
            }
        }
    }

    /// True if the first copy is lost.
    fn loses(self, number: u64, window: u64) -> bool {
        matches!(self, Pattern::Lossy) && number % (4 * window) == 3 * window
    }
}

/// A sender, a receiver and the segments between them; every segment that arrives is a step of time.
struct Line {
    sender: Sender,
    receiver: Receiver,
    now: Instant,
    step: Duration,
    window: u64,
    pattern: Pattern,
    /// By place of arrival; segments with the same are in the order in which they left.
    flight: BTreeMap<(u64, u64), Segment>,
    left: u64,
    acks: u64,
}

impl Line {
    fn new(recovery: LossRecovery, pattern: Pattern, window: u64) -> Line {
        let mut config = SenderConfig {
            algorithm: Algorithm::from_name("gaimd").expect("a registered name"),
            recovery: Some(recovery),
            mss: MSS as u32,
            initial_cwnd: InitialWindow::Segments(window as u32),
            initial_ssthresh: Some(window * MSS),
            ..SenderConfig::default()
        };
        config.laws.gaimd.beta = 1.0 - 1e-9;
        let receiver = ReceiverConfig { mss: MSS as u32, ..ReceiverConfig::default() };
        Line {
            sender: Sender::new(Arc::new(config)),
            receiver: Receiver::new(Arc::new(receiver)),
            now: Instant::ZERO,
            step: ROUND / window,
            window,
            pattern,
            flight: BTreeMap::new(),
            left: 0,
            acks: 0,
        }
    }

    fn run(&mut self, rounds: u64) {
        let (mut actions, mut answers) = (Actions::default(), ReceiverActions::default());
        self.sender.write(self.now, u64::MAX, &mut actions);
        self.put(&mut actions);
        while self.acks < rounds * self.window {
            let (_, segment) = self.flight.pop_first().expect("something is in flight");
            self.now = self.now + self.step;
            self.receiver.handle_segment(self.now, segment.seq, segment.len, &mut answers);
            for ack in answers.acks.drain(..) {
                handle(&mut self.sender, self.now, &ack, &mut actions);
                self.acks += 1;
            }
            self.put(&mut actions);
        }
    }

    fn put(&mut self, actions: &mut Actions) {
        for segment in actions.segments.drain(..) {
            let number = segment.seq / MSS;
            let late = if segment.retransmission { 0 } else { self.pattern.late(number, self.window) };
            if segment.retransmission || !self.pattern.loses(number, self.window) {
                self.flight.insert((self.left + late, self.left), segment);
            }
            self.left += 1;
        }
    }
}

/// All that is counted.
#[inline(never)]
fn handle(sender: &mut Sender, now: Instant, ack: &AckOut, actions: &mut Actions) {
    sender.handle_ack(
        now,
        &Ack { ack: ack.ack, window: ack.window, sack: ack.sack.as_slice(), ecn_echo: false },
        actions,
    );
}

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("ack_cost: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<String, Box<dyn Error>> {
    let [recovery, pattern, window, rounds] = arguments else { return Err("RECOVERY PATTERN WINDOW ROUNDS".into()) };
    let recovery = match recovery.as_str() {
        "sack" => LossRecovery::Sack,
        "rr-tcp" => LossRecovery::RrTcp,
        other => return Err(format!("found {other:?}; allowed: sack, rr-tcp").into()),
    };
    let pattern = Pattern::from_name(pattern).ok_or("allowed patterns: in-order, burst, spread, lossy")?;
    let mut line = Line::new(recovery, pattern, window.parse::<u64>()?.max(4));
    line.run(rounds.parse()?);
    let stats = line.sender.stats();
    Ok(format!(
        "{} {} {} {} {} {}",
        line.acks,
        stats.fast_retransmits,
        stats.false_fast_retransmits,
        stats.timeouts,
        line.sender.dupthresh(),
        line.sender.cwnd() / MSS
    ))
}
