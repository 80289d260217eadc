//! What the ports want to send to one another in a week.

use super::{CircuitError, Site};
use units::{PS_PER_SECOND, Rate};

/// A square matrix of bytes, by rows: row i, column j is what port i has for port j.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandMatrix {
    ports: usize,
    bytes: Vec<u64>,
}

impl DemandMatrix {
    /// The most ports.
    pub const MAX_PORTS: usize = 4096;

    /// A matrix of `ports` rows and columns, given row after row.
    pub fn new(ports: usize, bytes: Vec<u64>) -> Result<DemandMatrix, CircuitError> {
        if !(2..=DemandMatrix::MAX_PORTS).contains(&ports) {
            return Err(CircuitError::Ports { found: ports });
        }
        if bytes.len() != ports * ports {
            return Err(CircuitError::NotSquare { ports, found: bytes.len() });
        }
        Ok(DemandMatrix { ports, bytes })
    }

    /// Rows, which are as many as columns.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// All entries, row after row.
    pub fn bytes(&self) -> &[u64] {
        &self.bytes
    }

    /// Picoseconds that each entry takes on a circuit, rounded up.
    pub fn times(&self, capacity: Rate) -> Result<Vec<u64>, CircuitError> {
        let longest = Site::LONGEST;
        let time = |(at, bytes): (usize, &u64)| {
            let bits = u128::from(*bytes) * 8 * u128::from(PS_PER_SECOND);
            let time = bits.div_ceil(u128::from(capacity.bps().max(1)));
            u64::try_from(time).ok().filter(|time| *time <= longest.ps()).ok_or_else(|| CircuitError::Demand {
                row: at / self.ports,
                column: at % self.ports,
                found: *bytes,
                most: capacity.bytes_in(longest).0,
            })
        };
        self.bytes.iter().enumerate().map(time).collect()
    }
}
