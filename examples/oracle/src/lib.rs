//! A small NewReno sender, as it might be in a stack: slow start and congestion avoidance (RFC 5681), fast retransmit
//! and fast recovery (RFC 6582). Its data never end and the peer's window never binds.
//!
//! Left out: the retransmission timer, SACK, limited transmit.

/// A segment that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its first byte.
    pub seq: u64,
    /// Its length in bytes.
    pub len: u64,
}

/// One flow's sender. Windows are in bytes.
#[derive(Clone, Debug)]
pub struct SmallSender {
    mss: u64,
    una: u64,
    nxt: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    acked: u64,
    duplicates: u32,
    /// In fast recovery: the byte after the last one sent when the loss was noticed.
    recovery: Option<u64>,
    /// The same of the last fast recovery. RFC 6582 §3.2 step 2: no other begins before an ACK of more.
    guard: u64,
}

impl SmallSender {
    /// A sender with a window of so many segments.
    pub fn new(mss: u64, segments: u64) -> SmallSender {
        SmallSender {
            mss,
            una: 0,
            nxt: 0,
            cwnd: segments * mss,
            ssthresh: u64::MAX,
            acked: 0,
            duplicates: 0,
            recovery: None,
            guard: 0,
        }
    }

    /// The congestion window.
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// What leaves at the start.
    pub fn start(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        self.fill(&mut sent);
        sent
    }

    /// An ACK arrives, which expects byte `ack` next. Returns what leaves.
    pub fn on_ack(&mut self, ack: u64) -> Vec<Sent> {
        let mut sent = Vec::new();
        if ack > self.una && ack <= self.nxt {
            self.on_new_ack(ack, &mut sent);
        } else if ack == self.una && self.una < self.nxt {
            self.on_duplicate(&mut sent);
        }
        if self.recovery.is_some() || self.duplicates == 0 {
            self.fill(&mut sent);
        }
        sent
    }

    fn on_new_ack(&mut self, ack: u64, sent: &mut Vec<Sent>) {
        let acked = ack - self.una;
        self.una = ack;
        self.duplicates = 0;
        match self.recovery {
            // RFC 6582 §3.2 step 3, a partial ACK: the next hole is repaired, the window deflated.
            Some(recover) if ack < recover => {
                self.cwnd = (self.cwnd.saturating_sub(acked) + self.mss).max(self.mss);
                self.resend_first(sent);
            }
            // The same, a full ACK.
            Some(_) => {
                self.recovery = None;
                self.cwnd = self.ssthresh.min((self.nxt - self.una).max(self.mss) + self.mss);
            }
            None if self.cwnd < self.ssthresh => self.cwnd += acked.min(self.mss),
            None => self.avoid_congestion(acked),
        }
    }

    /// RFC 5681 §3.1: a segment for each window of acknowledged bytes.
    fn avoid_congestion(&mut self, acked: u64) {
        self.acked += acked;
        if self.acked >= self.cwnd {
            self.acked -= self.cwnd;
            self.cwnd += self.mss;
        }
    }

    fn on_duplicate(&mut self, sent: &mut Vec<Sent>) {
        self.duplicates += 1;
        if self.recovery.is_some() {
            self.cwnd += self.mss;
        } else if self.duplicates == 3 && (self.guard == 0 || self.una > self.guard) {
            self.recovery = Some(self.nxt);
            self.guard = self.nxt;
            self.acked = 0;
            // RFC 5681 §3.1 eq. (4) is a bound: what is in flight may be more than the window.
            self.ssthresh = ((self.nxt - self.una).min(self.cwnd) / 2).max(2 * self.mss);
            self.cwnd = self.ssthresh + 3 * self.mss;
            self.resend_first(sent);
        }
    }

    fn resend_first(&self, sent: &mut Vec<Sent>) {
        sent.push(Sent { seq: self.una, len: self.mss });
    }

    fn fill(&mut self, sent: &mut Vec<Sent>) {
        while self.nxt - self.una + self.mss <= self.cwnd {
            sent.push(Sent { seq: self.nxt, len: self.mss });
            self.nxt += self.mss;
        }
    }
}
