//! Published distributions of flow sizes, as the tables that simulators pass on: points read off the papers' figures.
//! One name of a paper stands for several tables, whose means differ, so each says whose table it is.

use super::{Between, Cdf};

/// A published distribution.
pub struct Published {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Where it comes from, and how the table was read.
    pub source: &'static str,
    /// The whole table: bytes and the probability of at most that, a point a line.
    pub table: &'static str,
    /// What lies between them, as the simulator of the table has it.
    pub between: Between,
}

/// Web search: queries and their background in a cluster of 6000 servers.
pub const WEB_SEARCH: Published = Published {
    name: "web-search",
    source: "DCTCP: Alizadeh et al., SIGCOMM 2010, figure 4; the table of DCTCP_CDF.txt (TrafficGenerator, HPCC)",
    table: include_str!("published/web-search-dctcp.txt"),
    between: Between::Linear,
};

/// Data mining: a cluster of 1500 servers.
pub const DATA_MINING: Published = Published {
    name: "data-mining",
    source: "VL2: Greenberg et al., SIGCOMM 2009, figure 2; the table of VL2_CDF.txt (TrafficGenerator)",
    table: include_str!("published/data-mining-vl2.txt"),
    between: Between::Linear,
};

/// Hadoop at Facebook.
pub const HADOOP: Published = Published {
    name: "hadoop",
    source: "Roy et al., SIGCOMM 2015, figure 6; the table of FbHdp_distribution.txt (HPCC, Li et al., SIGCOMM 2019)",
    table: include_str!("published/hadoop-hpcc.txt"),
    between: Between::Linear,
};

/// [`WEB_SEARCH`] under the name of its source.
pub const WEB_SEARCH_DCTCP: Published = Published { name: "web-search-dctcp", ..WEB_SEARCH };
/// [`DATA_MINING`] under the name of its source.
pub const DATA_MINING_VL2: Published = Published { name: "data-mining-vl2", ..DATA_MINING };
/// [`HADOOP`] under the name of its source.
pub const HADOOP_HPCC: Published = Published { name: "hadoop-hpcc", ..HADOOP };

/// Web search, as Opera's flow lists are drawn.
pub const WEB_SEARCH_OPERA: Published = Published {
    name: "web-search-opera",
    source: "DCTCP: Alizadeh et al., SIGCOMM 2010, figure 4; the table of Opera's generator (NSDI 2020)",
    table: include_str!("published/web-search-opera.txt"),
    between: Between::Step,
};

/// Data mining, as Opera's flow lists are drawn.
pub const DATA_MINING_OPERA: Published = Published {
    name: "data-mining-opera",
    source: "VL2: Greenberg et al., SIGCOMM 2009, figure 2; the table of Opera's generator (NSDI 2020)",
    table: include_str!("published/data-mining-opera.txt"),
    between: Between::Step,
};

/// Hadoop at Facebook, all flows.
pub const HADOOP_HOMA: Published = Published {
    name: "hadoop-homa",
    source: "Roy et al., SIGCOMM 2015, figure 6; the table Facebook_HadoopDist_All.txt of Homa (SIGCOMM 2018)",
    table: include_str!("published/hadoop-homa.txt"),
    between: Between::Step,
};

/// Cache followers at Facebook, within a cluster.
pub const CACHE_HOMA: Published = Published {
    name: "cache-homa",
    source: "Roy et al., SIGCOMM 2015, figure 6; Facebook_CacheFollowerDist_IntraCluster.txt of Homa (SIGCOMM 2018)",
    table: include_str!("published/cache-homa.txt"),
    between: Between::Step,
};

impl Published {
    /// The distribution.
    pub fn cdf(&self) -> Cdf {
        let point = |line: &str| {
            let (size, share) = line.split_once(' ')?;
            Some((size.parse().ok()?, share.parse().ok()?))
        };
        let points: Option<Vec<(f64, f64)>> = self.table.lines().map(point).collect();
        let points = points.expect("each line of a published table is a size and a probability");
        Cdf::new(points, self.between).expect("a published table is a distribution")
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

    /// Of Homa's files (PlatformLab/HomaSimulation, homatransport/sizeDistributions) the first lines, which the
    /// simulator takes as the means of its loads, to one decimal. Of Opera's the sum of sizes times shares; its
    /// published list of 10 383 flows, which has the sizes of the points and no others, has a mean of 7.62 MB, within
    /// the standard error of 0.74 MB.
    #[test]
    fn the_means_of_steps_are_those_that_the_files_state() {
        for (published, mean, points) in [(&HADOOP_HOMA, 127_796.6, 461), (&CACHE_HOMA, 692_975.6, 331)] {
            assert!((published.cdf().mean() - mean).abs() < 0.051, "{}: {}", published.name, published.cdf().mean());
            assert_eq!(published.cdf().points().len(), points, "{}", published.name);
        }
        for (published, mean) in [(&WEB_SEARCH_OPERA, 1_875_927.939), (&DATA_MINING_OPERA, 7_861_994.524)] {
            assert!((published.cdf().mean() - mean).abs() < 0.001, "{}", published.name);
        }
        assert!((DATA_MINING_OPERA.cdf().mean() - 7.62e6).abs() < 0.74e6);
    }

    #[test]
    fn a_name_without_a_source_is_the_one_that_it_was() {
        for (short, long) in
            [(&WEB_SEARCH, &WEB_SEARCH_DCTCP), (&DATA_MINING, &DATA_MINING_VL2), (&HADOOP, &HADOOP_HPCC)]
        {
            assert!(long.name.starts_with(short.name) && short.cdf() == long.cdf(), "{}", long.name);
        }
    }
}
