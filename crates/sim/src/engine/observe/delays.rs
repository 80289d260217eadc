//! One-way delays of packets between hosts, where `[probe]` asks for them. Data packets and datagrams then carry the
//! time at which they left their host; nothing else of a run changes.

use crate::model::{LinkId, Network};
use hdrhistogram::Histogram;
use std::sync::Arc;

/// How long packets were on their way, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Delays {
    total: Histogram<u64>,
    queueing: Histogram<u64>,
    /// What the path of each flow takes when it is empty; nothing where that is not known.
    empty: Arc<[Empty]>,
}

/// What an empty path takes: the delays of its links in picoseconds, and the picoseconds that it takes to send a byte
/// over all of them.
#[derive(Clone, Copy, Debug)]
pub struct Empty {
    propagation: f64,
    per_byte: f64,
}

/// Three digits of a value are kept; what is longer than an hour counts as an hour.
const DIGITS: u8 = 3;
const LONGEST: u64 = 3_600_000_000_000;

impl Empty {
    /// The path over these links.
    pub fn of(links: impl Iterator<Item = LinkId>, network: &Network) -> Empty {
        let mut empty = Empty { propagation: 0.0, per_byte: 0.0 };
        for link in links.map(|link| &network.links[link.index()]) {
            empty.propagation += link.delay.ps() as f64;
            empty.per_byte += 8e12 / link.capacity.bps() as f64;
        }
        empty
    }
}

impl Empty {
    /// No packet takes less, in picoseconds.
    pub fn least(&self) -> u64 {
        // `as` saturates.
        (self.propagation + self.per_byte) as u64
    }
}

impl Delays {
    /// No delays yet; `empty` has what the path of each flow takes when it is empty, or nothing.
    pub fn new(empty: Arc<[Empty]>) -> Delays {
        let histogram = || Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("the bounds are in order");
        Delays { total: histogram(), queueing: histogram(), empty }
    }

    /// Without what has been counted.
    pub fn anew(&self) -> Delays {
        Delays::new(Arc::clone(&self.empty))
    }

    /// A packet of `size` bytes has arrived that left at `sent`.
    pub fn record(&mut self, flow: u32, size: u16, sent: u64, now: u64) {
        let took = now.saturating_sub(sent);
        self.total.saturating_record(nanoseconds(took as f64));
        if let Some(empty) = self.empty.get(flow as usize) {
            let waited = took as f64 - empty.propagation - empty.per_byte * f64::from(size);
            self.queueing.saturating_record(nanoseconds(waited));
        }
    }

    /// What another has counted too.
    pub fn add(&mut self, other: &Delays) {
        let Delays { total, queueing, empty: _ } = other;
        // Both have the same bounds.
        let _ = self.total.add(total).and_then(|()| self.queueing.add(queueing));
    }

    /// Forgets what has been counted.
    pub fn restart(&mut self) {
        self.total.reset();
        self.queueing.reset();
    }

    /// Number, mean in seconds, and a reading of quantiles in seconds, of whole delays and of waiting.
    pub fn readings(&self) -> [Reading<'_>; 2] {
        [Reading(&self.total), Reading(&self.queueing)]
    }
}

/// Delays to be read.
pub struct Reading<'d>(&'d Histogram<u64>);

impl Reading<'_> {
    /// How many.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The mean in seconds.
    pub fn mean(&self) -> f64 {
        self.0.mean() * 1e-9
    }

    /// The least value in seconds that this share does not exceed, to three digits.
    pub fn quantile(&self, share: f64) -> f64 {
        self.0.value_at_quantile(share) as f64 * 1e-9
    }
}

/// Whole nanoseconds, the nearest, at least 0.
fn nanoseconds(ps: f64) -> u64 {
    // `as` saturates.
    (ps * 1e-3 + 0.5) as u64
}
