//! How many slots every input wants to every output.

use std::fmt;

/// A square matrix of slots, by rows: row i, column j is what input i asks for to output j.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requests {
    nodes: usize,
    slots: Vec<u32>,
}

impl Requests {
    /// The most nodes.
    pub const MAX_NODES: usize = 4096;

    /// A matrix of `nodes` rows and columns, given row after row.
    pub fn new(nodes: usize, slots: Vec<u32>) -> Result<Requests, RequestError> {
        if nodes == 0 || nodes > Requests::MAX_NODES {
            return Err(RequestError::Nodes { found: nodes });
        }
        if slots.len() != nodes * nodes {
            return Err(RequestError::NotSquare { nodes, found: slots.len() });
        }
        Ok(Requests { nodes, slots })
    }

    /// Rows, which are as many as columns.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// All entries, row after row.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// What `input` asks for to each output.
    pub fn row(&self, input: usize) -> &[u32] {
        &self.slots[input * self.nodes..][..self.nodes]
    }

    /// The sum of all requests.
    pub fn total(&self) -> u64 {
        self.slots.iter().map(|slots| u64::from(*slots)).sum()
    }

    /// The sums of the lines.
    pub fn line_sums(&self) -> LineSums {
        let mut sums = LineSums::none(self.nodes);
        for (input, row) in self.slots.chunks_exact(self.nodes).enumerate() {
            for (column, slots) in sums.columns.iter_mut().zip(row) {
                *column += u64::from(*slots);
                sums.rows[input] += u64::from(*slots);
            }
        }
        sums
    }

    /// The largest sum of a row or column: the fewest slots in which all can be served.
    pub fn longest_line(&self) -> u64 {
        self.line_sums().longest()
    }
}

/// What each line of a matrix asks for in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSums {
    /// Of each row, in slots.
    pub rows: Vec<u64>,
    /// Of each column, in slots.
    pub columns: Vec<u64>,
}

impl LineSums {
    /// Of lines in which nobody asks for anything.
    pub(super) fn none(nodes: usize) -> LineSums {
        LineSums { rows: vec![0; nodes], columns: vec![0; nodes] }
    }

    /// The largest.
    pub fn longest(&self) -> u64 {
        self.rows.iter().chain(&self.columns).max().copied().unwrap_or(0)
    }
}

/// Why numbers are not a request matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// No nodes, or too many.
    Nodes {
        /// How many.
        found: usize,
    },
    /// Another number of entries than nodes times nodes.
    NotSquare {
        /// Rows.
        nodes: usize,
        /// Entries.
        found: usize,
    },
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Nodes { found } => {
                write!(f, "a request matrix of {found} nodes; allowed: 1 to {}", Requests::MAX_NODES)
            }
            RequestError::NotSquare { nodes, found } => {
                write!(f, "a request matrix of {nodes} nodes has {} entries, found {found}", nodes * nodes)
            }
        }
    }
}

impl std::error::Error for RequestError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_knows_its_longest_line() {
        let requests = Requests::new(2, vec![1, 2, 5, 0]).unwrap();
        assert_eq!(requests.line_sums(), LineSums { rows: vec![3, 5], columns: vec![6, 2] });
        assert_eq!((requests.longest_line(), requests.total()), (6, 8));
        assert_eq!(requests.row(1), [5, 0]);
    }

    #[test]
    fn what_is_not_square_or_too_large_is_refused() {
        assert_eq!(Requests::new(0, vec![]), Err(RequestError::Nodes { found: 0 }));
        assert_eq!(Requests::new(4097, vec![]), Err(RequestError::Nodes { found: 4097 }));
        assert_eq!(Requests::new(2, vec![1; 3]), Err(RequestError::NotSquare { nodes: 2, found: 3 }));
    }
}
