//! Drives the machines with bytes: the same functions serve cargo-fuzz and the property tests.
//!
//! The bytes choose parameters, then calls, sane and hostile; after every call the invariants are asserted. Nothing
//! here is needed to use the machines.

mod ndp;
mod quic;

pub use ndp::{ndp_flow, ndp_sender};
pub use quic::{quic_flow, quic_receiver, quic_sender};

use crate::cc::{self, BurstNews, registry};
use crate::tcp::{
    Ack, Actions, BurstReport, Connection, Control, Endpoint, FastRetransmitGuard, Frto, InitialWindow, LossRecovery,
    Receiver, ReceiverActions, ReceiverConfig, Reduction, ReorderingConfig, ReorderingLength, RrVariant,
    SackAfterTimeout, SackBlock, SackList, Sender, SenderConfig, TcpOptions, TimeoutCost, TimerRestart, Undo,
    UndoResponse,
};
use crate::telemetry::Offer;
use crate::telemetry::{Hop, NextRate, Telemetry};
use options::Words;
use std::sync::Arc;
use units::{Duration, Instant, Rate};

/// Bytes as a source of choices; zero when they run out.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number in a neighbourhood of `around`: usually within a few segments, sometimes anywhere.
    fn near(&mut self, around: u64, mss: u64) -> u64 {
        let (kind, offset) = (self.byte(), u64::from(self.byte()));
        match kind % 8 {
            0..=4 => around.saturating_add(offset % 32 * mss),
            5 => around.saturating_add(offset),
            6 => around.saturating_sub(offset % 32 * mss),
            _ => u64::MAX - offset,
        }
    }

    fn is_spent(&self) -> bool {
        self.0.is_empty()
    }
}

fn sender_config(choices: &mut Choices<'_>) -> SenderConfig {
    let (flags, entries) = (choices.byte(), registry());
    let algorithm = entries[usize::from(choices.byte()) % entries.len()].choice;
    let recoveries = LossRecovery::ALL;
    let recovery = recoveries.get(usize::from(choices.byte() % 8)).copied();
    let reduction = Reduction::ALL[usize::from(choices.byte()) % Reduction::ALL.len()];
    let (undo, frto) = (choices.byte(), choices.byte());
    let hears_of_bursts = algorithm.burst_news(&cc::Config::default()) != BurstNews::Ignored;
    let config = SenderConfig {
        algorithm,
        recovery: recovery.filter(|_| !hears_of_bursts),
        paced: flags & 1 != 0,
        limited_transmit: flags & 2 != 0,
        rescue_retransmission: flags & 4 != 0,
        idle_restart: flags & 8 != 0,
        sack_after_timeout: if flags & 16 != 0 { SackAfterTimeout::Keep } else { SackAfterTimeout::Discard },
        fast_retransmit_guard: (flags & 64 != 0).then_some(FastRetransmitGuard::Recovery),
        forget_rtt_after: (flags & 32 != 0).then_some(2),
        timestamps: flags & 3 == 3,
        nagle: flags & 12 == 12,
        max_cwnd: 1000 * (1 + u64::from(choices.byte())),
        initial_cwnd: InitialWindow::Segments(1 + u32::from(choices.byte())),
        dupthresh: 1 + u32::from(choices.byte() % 8),
        undo: (flags & 128 != 0).then(|| Undo::ALL[usize::from(undo) % Undo::ALL.len()]),
        undo_response: UndoResponse::ALL[usize::from(undo / 4) % UndoResponse::ALL.len()],
        ecn: flags & 64 != 0 && !algorithm.needs_header(),
        mss: 100,
        reordering: reordering_config(choices),
        ..SenderConfig::default()
    };
    let frto = match frto % 4 {
        0 if config.reads_sack() => Some(Frto::Sack),
        1 => Some(Frto::Basic),
        _ => None,
    };
    let timer_restart = match config.is_rack() && flags & 18 == 18 {
        true => TimerRestart::Linux,
        false => TimerRestart::Rfc6298,
    };
    let config = SenderConfig { reduction: config.reads_sack().then_some(reduction), frto, timer_restart, ..config };
    // Some laws cannot run on every recovery, nor answer marks.
    if config.validate().is_ok() {
        config
    } else {
        SenderConfig { recovery: None, reduction: None, timer_restart: TimerRestart::Rfc6298, ecn: false, ..config }
    }
}

fn reordering_config(choices: &mut Choices<'_>) -> ReorderingConfig {
    let flags = choices.byte();
    ReorderingConfig {
        sample_unretransmitted: flags & 1 != 0,
        rr_variant: RrVariant::ALL[usize::from(flags >> 1) % RrVariant::ALL.len()],
        reordering_length: ReorderingLength::ALL[usize::from(flags >> 4 & 1)],
        timeout_cost: TimeoutCost::ALL[usize::from(flags >> 5 & 1)],
        histogram_history: Duration::from_millis(1 + 10 * u64::from(flags)),
        histogram_samples: (flags & 128 != 0).then_some(3),
        ..ReorderingConfig::default()
    }
}

/// Feeds a sender; panics if an invariant breaks.
pub fn sender(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let config = Arc::new(sender_config(&mut choices));
    let mut sender = Sender::new(Arc::clone(&config));
    let mut actions = Actions::default();
    let mut now = Instant::ZERO;
    let mut sent_up_to = 0;
    while !choices.is_spent() {
        sender_call(&mut choices, &mut sender, &mut now, &mut actions);
        check_sender(&sender, &config, &actions);
        for segment in actions.segments.drain(..) {
            assert_eq!(segment.retransmission, segment.seq < sent_up_to, "what has been sent before is marked so");
            sent_up_to = sent_up_to.max(segment.seq + u64::from(segment.len));
        }
    }
}

fn sender_call(choices: &mut Choices<'_>, sender: &mut Sender, now: &mut Instant, actions: &mut Actions) {
    *now = *now + Duration::from_millis(u64::from(choices.byte()));
    match choices.byte() % 8 {
        0 => match choices.near(0, 100) {
            1 => sender.stop(),
            bytes => sender.write(*now, bytes, actions),
        },
        1 => {
            let due = sender.next_timeout();
            sender.handle_timeout(*now, actions);
            assert!(actions.segments.is_empty() || is_due(due, *now), "a sender sends when it said that it would");
        }
        3 => {
            let bytes = [choices.byte(), choices.byte(), choices.byte(), choices.byte()];
            let ack = choices.near(sender.snd_una(), 100);
            sender.handle_feedback(ack, i32::from_le_bytes(bytes));
            sender.handle_telemetry(*now, ack, &hops(bytes, *now));
        }
        4 => {
            let reports = [BurstReport::Assembled, BurstReport::Lost, BurstReport::LostToContention];
            let report = reports[usize::from(choices.byte()) % reports.len()];
            let segments = blocks(choices, sender.snd_una());
            sender.handle_burst_report(*now, report, segments.as_slice(), actions);
        }
        2 => {
            *now = sender.next_timeout().unwrap_or(*now).max(*now);
            sender.handle_timeout(*now, actions);
        }
        _ => {
            let ack = choices.near(sender.snd_una(), 100);
            let window = choices.near(u64::from(choices.0.first().is_some_and(|byte| byte % 16 != 0)) << 20, 100);
            let sack = blocks(choices, sender.snd_una());
            let echo = choices.near(now.ps(), 1_000_000_000);
            let ack = Ack { ack, window, sack: sack.as_slice(), ecn_echo: echo.is_multiple_of(3) };
            sender.handle_timestamp_echo(&ack, Instant::from_ps(echo));
            sender.handle_ace(echo as u8);
            sender.handle_ack(*now, &ack, actions);
        }
    }
}

/// What up to nine ports say, of which none need be true.
fn hops(bytes: [u8; 4], now: Instant) -> Telemetry {
    let mut telemetry = Telemetry::EMPTY;
    let [ports, queue, sent, rate] = bytes.map(u64::from);
    telemetry.offer = Offer { rtt: Duration::from_ps(queue), rate: Rate::from_bps(rate << (sent % 57)) };
    for port in 0..ports % 10 {
        telemetry.push(Hop {
            port: (port + queue % 2) as u32,
            at: Instant::from_ps(now.ps().saturating_sub(port << (queue % 60))),
            queue: queue << (queue % 57),
            sent: sent << (sent % 57),
            rate: Rate::from_bps(rate << (rate % 57)),
            next: (queue % 3 == 0)
                .then(|| NextRate { at: Instant::from_ps(now.ps().saturating_add(sent)), rate: Rate::from_bps(queue) }),
        });
    }
    telemetry
}

/// True if a machine had asked to be called by `now`: a host polls when it is told to, so whatever is done at another
/// time may never be done.
fn is_due(due: Option<Instant>, now: Instant) -> bool {
    due.is_some_and(|due| due <= now)
}

/// Up to four blocks, mostly a bit above `una`.
fn blocks(choices: &mut Choices<'_>, una: u64) -> SackList {
    let mut list = SackList::EMPTY;
    for _ in 0..choices.byte() % 5 {
        let start = choices.near(una, 100);
        let end = choices.near(start, 100);
        list.push(SackBlock { start, end });
    }
    list
}

fn check_sender(sender: &Sender, config: &SenderConfig, actions: &Actions) {
    let mss = u64::from(config.mss);
    assert!(sender.cwnd() >= mss && sender.cwnd() <= config.max_cwnd, "cwnd stays within its bounds");
    assert!(sender.snd_una() <= sender.snd_nxt(), "what is acknowledged has been sent");
    assert!(
        sender.ssthresh() >= 2 * mss || config.initial_ssthresh.is_some(),
        "ssthresh {} of {:?} is at least 2 MSS",
        sender.ssthresh(),
        config.algorithm
    );
    assert!(sender.flight_size() == 0 || sender.next_timeout().is_some(), "data outstanding keep a timer running");
    assert!(actions.segments.len() as u64 <= 3 + config.max_cwnd / mss * 2, "a call sends about a window at most");
    for segment in &actions.segments {
        assert!(segment.len >= 1 && segment.len <= config.mss, "segments carry 1 to MSS bytes");
        assert!(segment.seq >= sender.snd_una(), "what is acknowledged is not sent");
    }
    if let Some(header) = sender.congestion_header() {
        assert!(header.x <= header.rtt, "a window holds at least one packet");
    }
    sender.check();
}

/// Feeds a receiver; panics if an invariant breaks.
pub fn receiver(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let flags = choices.byte();
    let config = ReceiverConfig {
        delayed_ack: (flags & 1 != 0).then(|| Duration::from_millis(100)),
        sack: flags & 2 != 0,
        dsack: flags & 4 != 0,
        mss: 100,
        window: 100 * (1 + u64::from(choices.byte())),
        quick_acks: u32::from(flags / 8),
        sack_compression: Duration::from_millis(u64::from(flags / 64)),
        sack_compression_most: u32::from(flags / 8),
        ..ReceiverConfig::default()
    };
    let mut receiver = Receiver::new(Arc::new(config));
    let mut out = ReceiverActions::default();
    let mut now = Instant::ZERO;
    while !choices.is_spent() {
        now = now + Duration::from_millis(u64::from(choices.byte()));
        let before = receiver.rcv_nxt();
        match choices.byte() % 8 {
            0 => {
                let due = receiver.next_timeout();
                receiver.handle_timeout(now, &mut out);
                assert!(out.acks.is_empty() || is_due(due, now), "an ACK is sent when it was said that it would");
            }
            _ => {
                let seq = choices.near(receiver.rcv_nxt(), 100);
                let len = 4 * u32::from(choices.byte());
                receiver.handle_segment(now, seq, len, &mut out);
                let answers = !out.acks.is_empty() || receiver.next_timeout().is_some();
                assert!(answers, "a segment is acknowledged at once or later");
            }
        }
        assert!(receiver.rcv_nxt() >= before, "the stream does not run backwards");
        check_acks(&receiver, &out);
        out.acks.clear();
    }
}

fn check_acks(receiver: &Receiver, out: &ReceiverActions) {
    for ack in &out.acks {
        assert_eq!(ack.ack, receiver.rcv_nxt(), "an ACK tells the next byte expected");
        for (at, block) in ack.sack.as_slice().iter().enumerate() {
            assert!(!block.is_empty(), "no block is empty");
            assert!(at == 0 || block.start > ack.ack, "only a D-SACK reaches below the ACK");
        }
    }
    receiver.check();
}

/// Feeds the sending end of a connection; panics if an invariant breaks.
pub fn connection(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let flags = choices.byte();
    let config = SenderConfig {
        handshake: flags & 1 != 0,
        teardown: flags & 2 != 0,
        timestamps: flags & 4 != 0,
        ..sender_config(&mut choices)
    };
    let config = Arc::new(config);
    let mut connection = Connection::new(Arc::clone(&config));
    let mut actions = Actions::default();
    let mut now = Instant::ZERO;
    while !choices.is_spent() {
        connection_call(&mut choices, &mut connection, &mut now, &mut actions);
        check_sender(connection.sender(), &config, &actions);
        assert!(actions.controls.len() <= 2, "a call opens or closes once");
        actions.segments.clear();
        actions.controls.clear();
    }
}

fn connection_call(choices: &mut Choices<'_>, connection: &mut Connection, now: &mut Instant, actions: &mut Actions) {
    *now = *now + Duration::from_millis(u64::from(choices.byte()));
    match choices.byte() % 8 {
        0 => connection.write(*now, choices.near(0, 100), actions),
        1 => connection.stop(*now, actions),
        2 => connection.end(*now, actions),
        3 => {
            let controls = [Control::Syn, Control::SynAck, Control::Fin, Control::FinAck];
            let control = Some(controls[usize::from(choices.byte() % 4)]);
            let ecn_setup = choices.byte().is_multiple_of(2);
            connection.handle_control(*now, TcpOptions { control, ecn_setup, ..TcpOptions::default() }, actions);
        }
        4 => {
            let due = connection.next_timeout();
            *now = if choices.byte().is_multiple_of(4) { *now } else { due.unwrap_or(*now).max(*now) };
            connection.handle_timeout(*now, actions);
            let nothing = actions.segments.is_empty() && actions.controls.is_empty();
            assert!(nothing || is_due(due, *now), "a connection acts when it said that it would");
        }
        _ => {
            let (ack, window) = (choices.near(connection.sender().snd_una(), 100), choices.near(1 << 20, 100));
            let sack = blocks(choices, connection.sender().snd_una());
            let stamp = Instant::from_ps(choices.near(now.ps(), 1_000_000_000));
            let options = TcpOptions {
                timestamp: (choices.byte().is_multiple_of(2)).then_some(stamp),
                window: (choices.byte().is_multiple_of(2)).then_some(window),
                ..TcpOptions::default()
            };
            let ack = Ack { ack, window: 1 << 20, sack: sack.as_slice(), ecn_echo: false };
            connection.handle_ack(*now, &ack, options, actions);
        }
    }
}

/// Feeds the receiving end of a connection; panics if an invariant breaks.
pub fn endpoint(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let flags = choices.byte();
    let config = ReceiverConfig {
        delayed_ack: (flags & 1 != 0).then(|| Duration::from_millis(100)),
        sack: flags & 2 != 0,
        timestamps: flags & 4 != 0,
        autotune_from: (flags & 8 != 0).then_some(200),
        read: (flags & 32 != 0).then_some(150),
        mss: 100,
        window: 100 * (2 + u64::from(choices.byte())),
        ..ReceiverConfig::default()
    };
    let most = config.window;
    let mut endpoint = Endpoint::new(Arc::new(config));
    let mut out = ReceiverActions::default();
    let mut now = Instant::ZERO;
    while !choices.is_spent() {
        now = now + Duration::from_millis(u64::from(choices.byte()));
        let (before, window) = (endpoint.receiver().rcv_nxt(), endpoint.options().window);
        match choices.byte() % 8 {
            0 => {
                let due = endpoint.next_timeout();
                endpoint.handle_timeout(now, &mut out);
                assert!(out.acks.is_empty() || is_due(due, now), "an ACK is sent when it was said that it would");
            }
            _ => {
                let seq = choices.near(before, 100);
                let len = 4 * u32::from(choices.byte());
                let stamp = Instant::from_ps(choices.near(now.ps(), 1_000_000_000));
                endpoint.handle_segment(now, seq, len, (flags & 16 != 0).then_some(stamp), &mut out);
            }
        }
        assert!(endpoint.receiver().rcv_nxt() >= before, "the stream does not run backwards");
        let edge = |nxt: u64, window: Option<u64>| window.map(|window| nxt + window);
        let after = edge(endpoint.receiver().rcv_nxt(), endpoint.options().window);
        assert!(after >= edge(before, window), "the right edge of the window does not move back");
        assert!(out.acks.iter().all(|ack| ack.window <= most), "no more is offered than is taken");
        assert!(flags & 4 == 0 || out.acks.iter().all(|ack| ack.sack.len() <= TcpOptions::SACK_BLOCKS));
        check_acks(endpoint.receiver(), &out);
        out.acks.clear();
    }
}
