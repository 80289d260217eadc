//! Published distributions of flow sizes, as the tables that simulators pass on: points read off the papers' figures.
//! All begin with (0 B, 0) and are joined by straight lines.

use super::{Between, Cdf};

/// A published distribution.
pub struct Published {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Where it comes from, and how the table was read.
    pub source: &'static str,
    /// (bytes, probability of at most that).
    pub points: &'static [(f64, f64)],
}

/// Web search: queries and their background in a cluster of 6000 servers.
pub const WEB_SEARCH: Published = Published {
    name: "web-search",
    source: "DCTCP: Alizadeh et al., SIGCOMM 2010, figure 4; the table of DCTCP_CDF.txt (TrafficGenerator, HPCC)",
    points: &[
        (0.0, 0.0),
        (10e3, 0.15),
        (20e3, 0.2),
        (30e3, 0.3),
        (50e3, 0.4),
        (80e3, 0.53),
        (200e3, 0.6),
        (1e6, 0.7),
        (2e6, 0.8),
        (5e6, 0.9),
        (10e6, 0.97),
        (30e6, 1.0),
    ],
};

/// Data mining: a cluster of 1500 servers.
pub const DATA_MINING: Published = Published {
    name: "data-mining",
    source: "VL2: Greenberg et al., SIGCOMM 2009, figure 2; the table of VL2_CDF.txt (TrafficGenerator)",
    points: &[
        (0.0, 0.0),
        (180.0, 0.1),
        (216.0, 0.2),
        (560.0, 0.3),
        (900.0, 0.4),
        (1100.0, 0.5),
        (1870.0, 0.6),
        (3160.0, 0.7),
        (10e3, 0.8),
        (400e3, 0.9),
        (3.16e6, 0.95),
        (100e6, 0.98),
        (1e9, 1.0),
    ],
};

/// Hadoop at Facebook.
pub const HADOOP: Published = Published {
    name: "hadoop",
    source: "Roy et al., SIGCOMM 2015, figure 6; the table of FbHdp_distribution.txt (HPCC, Li et al., SIGCOMM 2019)",
    points: &[
        (0.0, 0.0),
        (100.0, 0.01),
        (200.0, 0.02),
        (300.0, 0.05),
        (350.0, 0.15),
        (400.0, 0.2),
        (500.0, 0.3),
        (600.0, 0.4),
        (700.0, 0.5),
        (1e3, 0.6),
        (2e3, 0.67),
        (7e3, 0.7),
        (30e3, 0.72),
        (50e3, 0.82),
        (80e3, 0.87),
        (120e3, 0.9),
        (300e3, 0.95),
        (1e6, 0.975),
        (2e6, 0.99),
        (10e6, 1.0),
    ],
};

impl Published {
    /// The distribution.
    pub fn cdf(&self) -> Cdf {
        Cdf::new(self.points.to_vec(), Between::Linear).expect("a published table is a distribution")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_means_are_those_of_straight_lines() {
        // numpy.trapezoid of the size over the probability, from the files named above.
        for (published, mean) in [(&WEB_SEARCH, 1_711_250.0), (&DATA_MINING, 12_658_198.6), (&HADOOP, 120_420.75)] {
            assert!((published.cdf().mean() / mean - 1.0).abs() < 1e-12, "{}", published.name);
        }
    }
}
