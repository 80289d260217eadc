//! What a schedule carries of a demand.

use super::{CircuitError, CircuitSchedule, DemandMatrix};
use units::Rate;

/// Bytes of a week by their way: over circuits from port to port, else through the packet network.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// What the circuits carry of each entry, row after row.
    pub carried: Vec<u64>,
    /// What is left of each entry.
    pub left: Vec<u64>,
    /// What the packet network carries from or to a port in a week.
    pub packet: u64,
    /// Of all demand, the share on circuits; 1 if there is none.
    pub share: f64,
    /// By what the whole demand can be multiplied so that circuits alone carry it, each entry on its own circuits;
    /// infinite if there is none. Studies of topologies call it throughput.
    pub scale: f64,
}

impl Coverage {
    /// Of this demand.
    pub fn of(
        schedule: &CircuitSchedule,
        demand: &DemandMatrix,
        capacity: Rate,
        packet_capacity: Rate,
    ) -> Result<Coverage, CircuitError> {
        let (ports, found) = (schedule.ports(), demand.bytes().len());
        if demand.ports() != ports {
            return Err(CircuitError::NotSquare { ports, found });
        }
        let could = |time: &u64| {
            let bits = u128::from(*time) * u128::from(capacity.bps());
            u64::try_from(bits / (8 * u128::from(units::PS_PER_SECOND))).unwrap_or(u64::MAX)
        };
        let could: Vec<u64> = schedule.light().iter().map(could).collect();
        let entries = || demand.bytes().iter().zip(&could);
        let carried: Vec<u64> = entries().map(|(bytes, could)| *bytes.min(could)).collect();
        let left = entries().map(|(bytes, could)| bytes.saturating_sub(*could)).collect();
        let sum = |bytes: &[u64]| bytes.iter().map(|bytes| u128::from(*bytes)).sum::<u128>() as f64;
        let (all, on_circuits) = (sum(demand.bytes()), sum(&carried));
        let wanted = entries().filter(|(bytes, _)| **bytes > 0);
        Ok(Coverage {
            share: if all > 0.0 { on_circuits / all } else { 1.0 },
            scale: wanted.map(|(bytes, could)| *could as f64 / *bytes as f64).fold(f64::INFINITY, f64::min),
            packet: packet_capacity.bytes_in(schedule.week()).0,
            carried,
            left,
        })
    }

    /// The most bytes that are left in a row or column.
    pub fn longest_left(&self) -> u128 {
        let ports = self.left.len().isqrt();
        let row = |at: usize| self.left[at * ports..][..ports].iter().map(|bytes| u128::from(*bytes)).sum::<u128>();
        let column = |at: usize| self.left.iter().skip(at).step_by(ports).map(|bytes| u128::from(*bytes)).sum();
        (0..ports).flat_map(|at| [row(at), column(at)]).max().unwrap_or(0)
    }

    /// Whether the packet network carries all that is left.
    pub fn fits(&self) -> bool {
        self.longest_left() <= u128::from(self.packet)
    }
}
