//! The signalling protocol of a network, where it is simulated: what `signalled` is told.

use super::control_keys::FaultKind;
use super::request::Request;
use control::scheduler::Algorithm;
use control::signalling::{Network, Sharing};
use control::sync::FilterConfig;
use units::Duration;

/// The protocol of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Signalled {
    /// What edge nodes ask for.
    pub request: Request,
    /// How a master schedules.
    pub algorithm: Algorithm,
    /// What it grants besides the letter of the requests.
    pub sharing: Sharing,
    /// How long it computes.
    pub scheduling_time: Duration,
    /// What all must agree on, at each core node.
    pub networks: Vec<Network>,
    /// The place of the edge node that knows the network and may be the first master.
    pub master: u32,
    /// What edge nodes know of clocks and stamps.
    pub filter: FilterConfig,
    /// What fibres do to messages.
    pub fibre: FibreRule,
    /// The clocks, edge by edge.
    pub clocks: Vec<DriftingClock>,
    /// What happens to edge nodes, their fibres, and core nodes.
    pub outages: Vec<Outage>,
    /// Whether queues may change their star.
    pub failover: bool,
    /// Whether what every node sends and takes is kept.
    pub transcript: bool,
}

/// What fibres do to messages and slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FibreRule {
    /// They take up to this much longer, uniformly.
    pub jitter: Duration,
    /// Probability that a slot of signalling, or a message beside the light, is lost.
    pub loss: f64,
}

/// A clock: true time, drifting, with an offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriftingClock {
    /// What it shows at the beginning, in picoseconds.
    pub offset: u64,
    /// How much faster than true time it runs, in 1e-9.
    pub ppb: i64,
}

impl DriftingClock {
    /// What it shows.
    pub fn shows(&self, at: u64) -> units::Instant {
        let drift = i128::from(at) * i128::from(self.ppb) / 1_000_000_000;
        units::Instant::from_ps((i128::from(at) + drift) as u64 + self.offset)
    }

    /// When it shows a reading, up to rounding.
    pub fn truth(&self, reading: units::Instant) -> u64 {
        let since = i128::from(reading.ps().saturating_sub(self.offset));
        (since * 1_000_000_000 / (1_000_000_000 + i128::from(self.ppb))) as u64
    }
}

/// Something happens to a node for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// To whom.
    pub who: Who,
    /// The place of the core node whose fibres are meant; None: all.
    pub via: Option<u32>,
    /// What happens.
    pub kind: FaultKind,
    /// From here on, in picoseconds.
    pub from: u64,
    /// Until here.
    pub until: u64,
}

impl Outage {
    pub(super) fn lasts(&self, at: u64) -> bool {
        (self.from..self.until).contains(&at)
    }
}

/// A node by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Among the edge nodes.
    Edge(u32),
    /// Among the core nodes.
    Core(u32),
}
