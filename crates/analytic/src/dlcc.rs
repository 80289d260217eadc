//! What the two models of dual-layer congestion control share. Source: Z. Lu and D. K. Hunter, "Dual-layer congestion
//! control for TCP carried by optical packet switching with UDP background traffic", 2009 (paper 000), §V; slips as
//! docs/reference/corrections.md explains.
//!
//! Rates are shares of the link, C = 1. The UDP rate jumps from a to a′, both uniform on (0, R); TCP had left X unused
//! for a while. Until the senders know, (a′ − X)⁺ is lost: for a round trip 2T without DLCC, for 2T₁ (core to edge and
//! back) with.

use crate::{Error, Kind, Range, Unit};

pub(crate) const RTT: Kind = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-6, 100.0) };
pub(crate) const CAPACITY: Kind =
    Kind::Number { unit: Unit::BitsPerSecond, default: 10e9, range: Range::closed(1e3, 1e15) };
pub(crate) const PACKET: Kind = Kind::Number { unit: Unit::Bytes, default: 2000.0, range: Range::closed(1.0, 1e6) };
/// R. Up to a half, so that a jump never exceeds what the halved window leaves.
pub(crate) const UDP_MAX: Kind = Kind::Number { unit: Unit::One, default: 0.3, range: Range::closed(0.001, 0.5) };
pub(crate) const CORE_SHARE: Kind = Kind::Number { unit: Unit::One, default: 1.0 / 6.0, range: Range::above(0.0, 1.0) };
pub(crate) const ACCESS_SHARE: Kind =
    Kind::Number { unit: Unit::One, default: 1.0 / 3.0, range: Range::above(0.0, 1.0) };

/// The path from sender to receiver: T = RTT/2, of which T₁ is from edge to core and T₀ from sender to edge.
pub(crate) struct Path {
    /// 2T in seconds.
    pub rtt: f64,
    /// T₁/T.
    pub core: f64,
    /// T₀/T.
    pub access: f64,
    /// Packets per second of the link.
    pub packets_per_s: f64,
}

impl Path {
    pub(crate) fn new(rtt: f64, core: f64, access: f64, capacity: f64, packet: f64) -> Result<Path, Error> {
        if core + access > 1.0 {
            let why = format!("with core_share = {core} the parts of the path exceed the whole");
            return Err(Error::Impossible { input: "access_share", value: access, why });
        }
        Ok(Path { rtt, core, access, packets_per_s: capacity / (8.0 * packet) })
    }

    /// Packets of the whole link in a round trip 2T.
    pub(crate) fn packets_per_rtt(&self) -> f64 {
        self.packets_per_s * self.rtt
    }

    /// 2T − 2T₁ as a share of 2T: how long the edge receives more than it may send, without artificial ACKs.
    pub(crate) fn one_control(&self) -> f64 {
        1.0 - self.core
    }

    /// 2T₀ as a share of 2T: the same with artificial ACKs.
    pub(crate) fn two_controls(&self) -> f64 {
        self.access
    }
}
