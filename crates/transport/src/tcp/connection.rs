//! The sending end of a whole connection: a [`Sender`] with a handshake before it, a teardown behind it, and timestamps
//! on what it sends. Flows that have none of these run a bare sender.
//!
//! The application writes at one end only. A SYN asks for the connection and is repeated when no answer comes; data
//! leave with the answer. When all is acknowledged and nothing more will be written, a FIN leaves and is repeated until
//! it is answered. Readings: the ACK of the SYN-ACK travels with the first data; a SYN that is repeated asks for ECN
//! again (RFC 3168 §6.1.1.1 lets a host give up); the FIN is a packet of its own and leaves after the last byte is
//! acknowledged; data come in at once when the SYN has been answered (no TCP Fast Open).

use super::{Ack, Actions, Sender, SenderConfig, Timer};
use std::sync::Arc;
use units::{Duration, Instant};

/// A packet without payload that opens or closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Asks for a connection.
    Syn,
    /// Answers that.
    SynAck,
    /// Nothing more will be sent.
    Fin,
    /// Answers that.
    FinAck,
}

/// The options of segments and ACKs, besides [`Segment`](super::Segment) and [`Ack`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// A segment: TSval, the reading of the sender's clock when it left. An ACK: TSecr, the reading that it echoes (RFC
    /// 7323 §3).
    pub timestamp: Option<Instant>,
    /// An ACK: the window that it advertises, if that changes from ACK to ACK.
    pub window: Option<u64>,
    /// Its control bit, if it carries no data.
    pub control: Option<Control>,
    /// A SYN asks for ECN (ECE and CWR), or its answer agrees (ECE): RFC 3168 §6.1.1.
    pub ecn_setup: bool,
}

impl From<Control> for TcpOptions {
    fn from(control: Control) -> TcpOptions {
        TcpOptions { control: Some(control), ..TcpOptions::default() }
    }
}

impl TcpOptions {
    /// Bytes that timestamps add to a segment and to an ACK: RFC 7323 §3.2, appendix A.
    pub const TIMESTAMPS_LEN: u32 = 12;

    /// SACK blocks that fit beside timestamps: RFC 2018 §3.
    pub const SACK_BLOCKS: usize = 3;
}

/// The sending end of a connection.
#[derive(Clone, Debug)]
pub struct Connection {
    sender: Sender,
    config: Arc<SenderConfig>,
    state: State,
    /// Written while there is no connection yet.
    pending: u64,
    /// True if the application will write nothing more.
    is_ending: bool,
    /// When a SYN or a FIN is sent again.
    timer: Instant,
    interval: Duration,
    /// When the SYN left first; `None` once it has left again.
    asked_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    /// A SYN waits for its answer.
    Opening,
    Open,
    /// A FIN waits for its answer.
    Closing,
    Done,
}

impl Connection {
    /// A connection over which nothing has been sent. The parameters must be valid ([`SenderConfig::validate`]).
    pub fn new(config: Arc<SenderConfig>) -> Connection {
        Connection {
            sender: Sender::new(Arc::clone(&config)),
            state: if config.handshake { State::Closed } else { State::Open },
            pending: 0,
            is_ending: false,
            timer: Instant::NEVER,
            interval: config.initial_rto,
            asked_at: None,
            config,
        }
    }

    /// True if these parameters ask for more than a bare sender.
    pub fn is_for(config: &SenderConfig) -> bool {
        config.handshake || config.teardown || config.timestamps
    }

    /// The sender within.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The sender within, to be told something.
    pub fn sender_mut(&mut self) -> &mut Sender {
        &mut self.sender
    }

    /// The application writes `bytes` more; the first time the connection is asked for.
    pub fn write(&mut self, now: Instant, bytes: u64, actions: &mut Actions) {
        match self.state {
            State::Open => self.sender.write(now, bytes, actions),
            State::Closed | State::Opening => {
                self.pending = self.pending.saturating_add(bytes);
                if self.state == State::Closed {
                    self.state = State::Opening;
                    self.asked_at = Some(now);
                    self.send_control(now, Control::Syn, actions);
                }
            }
            State::Closing | State::Done => {}
        }
    }

    /// The application writes no more: all has been written.
    pub fn end(&mut self, now: Instant, actions: &mut Actions) {
        self.is_ending = true;
        self.close(now, actions);
    }

    /// The application writes no more, and what was never sent is forgotten.
    pub fn stop(&mut self, now: Instant, actions: &mut Actions) {
        self.sender.stop();
        self.pending = 0;
        self.end(now, actions);
    }

    /// An answer to a SYN or a FIN arrives. An answer that does not agree to ECN ends the use of it.
    pub fn handle_control(&mut self, now: Instant, answer: TcpOptions, actions: &mut Actions) {
        match (self.state, answer.control) {
            (State::Opening, Some(Control::SynAck)) => {
                if !answer.ecn_setup {
                    self.sender.give_up_ecn();
                }
                self.timer = Instant::NEVER;
                self.state = State::Open;
                self.sender.begin(now, self.asked_at.map(|asked_at| now.saturating_since(asked_at)));
                let pending = std::mem::take(&mut self.pending);
                self.sender.write(now, pending, actions);
                self.close(now, actions);
            }
            (State::Closing, Some(Control::FinAck)) => {
                self.timer = Instant::NEVER;
                self.state = State::Done;
            }
            _ => {}
        }
    }

    /// An ACK arrives with its options.
    pub fn handle_ack(&mut self, now: Instant, ack: &Ack<'_>, options: TcpOptions, actions: &mut Actions) {
        if let Some(echo) = options.timestamp {
            self.sender.handle_timestamp_echo(ack, echo);
        }
        let window = options.window.unwrap_or(ack.window);
        self.sender.handle_ack(now, &Ack { window, ..*ack }, actions);
        self.close(now, actions);
    }

    /// The clock has reached `now`: serves the timers that are due.
    pub fn handle_timeout(&mut self, now: Instant, actions: &mut Actions) {
        self.serve_control_timer(now, actions);
        self.sender.handle_timeout(now, actions);
    }

    /// The clock has reached `now`: serves this timer if it is due; others wait, whether they are due or not.
    pub fn handle_timer(&mut self, now: Instant, timer: Timer, actions: &mut Actions) {
        match timer {
            Timer::Control => self.serve_control_timer(now, actions),
            _ => self.sender.handle_timer(now, timer, actions),
        }
    }

    /// When this timer is due; `None` while it does not run.
    pub fn due(&self, timer: Timer) -> Option<Instant> {
        match timer {
            Timer::Control => Some(self.timer).filter(|at| *at != Instant::NEVER),
            _ => self.sender.due(timer),
        }
    }

    /// A SYN or a FIN is sent again, if its timer is due.
    fn serve_control_timer(&mut self, now: Instant, actions: &mut Actions) {
        if self.timer <= now {
            self.asked_at = None;
            self.interval = self.interval.saturating_mul(2).min(self.config.max_rto);
            let control = if self.state == State::Opening { Control::Syn } else { Control::Fin };
            self.send_control(now, control, actions);
        }
    }

    /// When the connection next wants `handle_timeout`.
    pub fn next_timeout(&self) -> Option<Instant> {
        let next = self.timer.min(self.sender.next_timeout().unwrap_or(Instant::NEVER));
        (next != Instant::NEVER).then_some(next)
    }

    /// The options of segments that leave now.
    pub fn options(&self, now: Instant) -> TcpOptions {
        let timestamp = self.config.timestamps.then(|| self.config.stamp(now));
        TcpOptions { timestamp, ..TcpOptions::default() }
    }

    /// The options of a SYN or a FIN that leaves now.
    pub fn control_options(&self, now: Instant, control: Control) -> TcpOptions {
        let ecn_setup = control == Control::Syn && self.config.has_ecn();
        TcpOptions { control: Some(control), ecn_setup, ..self.options(now) }
    }

    /// How far it is, by name.
    pub fn state_name(&self) -> &'static str {
        match self.state {
            State::Closed => "closed",
            State::Opening => "opening",
            State::Open => "open",
            State::Closing => "closing",
            State::Done => "done",
        }
    }

    /// True if all that was written is acknowledged.
    pub fn is_complete(&self) -> bool {
        self.pending == 0 && !matches!(self.state, State::Closed | State::Opening) && self.sender.is_complete()
    }

    /// Closes the connection if all is done.
    fn close(&mut self, now: Instant, actions: &mut Actions) {
        let is_over = self.is_ending && self.state == State::Open && self.sender.is_complete();
        if self.config.teardown && is_over {
            self.state = State::Closing;
            self.interval = self.sender.rto();
            self.send_control(now, Control::Fin, actions);
        }
    }

    fn send_control(&mut self, now: Instant, control: Control, actions: &mut Actions) {
        actions.controls.push(control);
        self.timer = now + self.interval;
    }
}
