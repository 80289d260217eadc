//! Published distributions of flow sizes, as the tables that simulators pass on: points read off the papers' figures.
//! One name of a paper stands for several tables, whose means differ, so each says whose table it is.

use super::{Between, Cdf};

/// A published distribution.
pub struct Published {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Where it comes from, and how the table was read.
    pub source: &'static str,
    /// (bytes, probability of at most that).
    pub points: &'static [(f64, f64)],
    /// What lies between them, as the simulator of the table has it.
    pub between: Between,
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
    between: Between::Linear,
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
    between: Between::Linear,
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
    points: &[
        (4000.0, 0.0),
        (5971.0, 0.07704918),
        (8722.0, 0.152459016),
        (18614.0, 0.195081967),
        (27563.0, 0.3),
        (44871.0, 0.427868852),
        (77113.0, 0.532786885),
        (193593.0, 0.601639344),
        (620119.0, 0.696721311),
        (1933313.0, 0.801639344),
        (3147330.0, 0.860655738),
        (4853634.0, 0.903278689),
        (6901099.0, 0.942622951),
        (9812271.0, 0.972131148),
        (15759080.0, 0.985245902),
        (28589215.0, 1.0),
    ],
    between: Between::Step,
};

/// Data mining, as Opera's flow lists are drawn.
pub const DATA_MINING_OPERA: Published = Published {
    name: "data-mining-opera",
    source: "VL2: Greenberg et al., SIGCOMM 2009, figure 2; the table of Opera's generator (NSDI 2020)",
    points: &[
        (100.0, 0.0),
        (180.0, 0.085),
        (250.0, 0.14),
        (560.0, 0.33),
        (900.0, 0.47),
        (1100.0, 0.55),
        (1870.0, 0.65),
        (3160.0, 0.7),
        (10000.0, 0.8),
        (100001.0, 0.874),
        (400000.0, 0.9),
        (1850000.0, 0.95),
        (10000000.0, 0.97),
        (30000000.0, 0.98),
        (100000000.0, 0.99),
        (250000000.0, 0.995),
        (1000000000.0, 1.0),
    ],
    between: Between::Step,
};

/// Hadoop at Facebook, all flows.
pub const HADOOP_HOMA: Published = Published {
    name: "hadoop-homa",
    source: "Roy et al., SIGCOMM 2015, figure 6; the table Facebook_HadoopDist_All.txt of Homa (SIGCOMM 2018)",
    points: &[
        (92.0, 0.0074),
        (217.0, 0.0149),
        (271.0, 0.0409),
        (300.0, 0.052),
        (326.0, 0.1375),
        (376.0, 0.2026),
        (425.0, 0.223),
        (480.0, 0.2639),
        (600.0, 0.4591),
        (679.0, 0.5167),
        (737.0, 0.552),
        (800.0, 0.5762),
        (885.0, 0.5912),
        (1042.0, 0.6097),
        (1277.0, 0.6282),
        (1413.0, 0.6394),
        (1534.0, 0.6468),
        (1664.0, 0.6673),
        (2214.0, 0.6747),
        (3396.0, 0.684),
        (5210.0, 0.6933),
        (7830.0, 0.7082),
        (31946.0, 0.7212),
        (36844.0, 0.7305),
        (39973.0, 0.7398),
        (44260.0, 0.7584),
        (47050.0, 0.7788),
        (51046.0, 0.816),
        (62583.0, 0.8234),
        (70722.0, 0.8327),
        (75180.0, 0.842),
        (81565.0, 0.8717),
        (102058.0, 0.8885),
        (115331.0, 0.8978),
        (133013.0, 0.907),
        (156563.0, 0.9164),
        (184284.0, 0.9257),
        (212546.0, 0.9349),
        (240177.0, 0.9442),
        (288520.0, 0.9535),
        (470507.0, 0.9628),
        (736642.0, 0.9684),
        (940700.0, 0.9721),
        (1769244.0, 0.9814),
        (2169118.0, 0.987),
        (10000000.0, 1.0),
    ],
    between: Between::Step,
};

/// Cache followers at Facebook, within a cluster.
pub const CACHE_HOMA: Published = Published {
    name: "cache-homa",
    source: "Roy et al., SIGCOMM 2015, figure 6; Facebook_CacheFollowerDist_IntraCluster.txt of Homa (SIGCOMM 2018)",
    points: &[
        (68.0, 0.0204),
        (144.0, 0.0409),
        (266.0, 0.0539),
        (340.0, 0.1803),
        (490.0, 0.277),
        (577.0, 0.3048),
        (639.0, 0.3178),
        (707.0, 0.3532),
        (900.0, 0.3643),
        (1042.0, 0.3773),
        (1110.0, 0.3996),
        (1303.0, 0.4052),
        (1414.0, 0.4126),
        (1440.0, 0.4238),
        (2000.0, 0.4368),
        (2450.0, 0.4461),
        (3000.0, 0.4535),
        (3466.0, 0.4572),
        (4000.0, 0.461),
        (5000.0, 0.4665),
        (6000.0, 0.4703),
        (8000.0, 0.4758),
        (10000.0, 0.4777),
        (13855.0, 0.4833),
        (16643.0, 0.487),
        (18057.0, 0.4888),
        (25531.0, 0.4944),
        (28270.0, 0.5),
        (36101.0, 0.5037),
        (44260.0, 0.5091),
        (62583.0, 0.5186),
        (72178.0, 0.5223),
        (81565.0, 0.526),
        (92173.0, 0.5297),
        (102060.0, 0.5335),
        (110726.0, 0.539),
        (127700.0, 0.5465),
        (141398.0, 0.5558),
        (156563.0, 0.5651),
        (169860.0, 0.5743),
        (184283.0, 0.5836),
        (199933.0, 0.5923),
        (212537.0, 0.6022),
        (225934.0, 0.6115),
        (245121.0, 0.6208),
        (260573.0, 0.6301),
        (276998.0, 0.6394),
        (326042.0, 0.658),
        (391670.0, 0.6766),
        (531696.0, 0.6952),
        (588724.0, 0.7138),
        (1385457.0, 0.72),
        (1503111.0, 0.723),
        (1597864.0, 0.7416),
        (1681372.0, 0.7602),
        (1787361.0, 0.7787),
        (1842836.0, 0.7974),
        (1959004.0, 0.816),
        (2125366.0, 0.8346),
        (2213771.0, 0.8532),
        (2329467.0, 0.8717),
        (2553169.0, 0.9276),
        (2827011.0, 0.974),
        (3006219.0, 0.9888),
        (3260426.0, 0.9944),
        (3837698.0, 1.0),
    ],
    between: Between::Step,
};

impl Published {
    /// The distribution.
    pub fn cdf(&self) -> Cdf {
        Cdf::new(self.points.to_vec(), self.between).expect("a published table is a distribution")
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

    /// The first lines of Homa's files are these means. Of Opera's the sum of sizes times shares; its published list of
    /// 10 383 flows, which has the sizes of the points and no others, has a mean of 7.62 MB, within the standard error
    /// of 0.74 MB.
    #[test]
    fn the_means_of_steps_are_those_that_the_files_state() {
        let stated = [(&HADOOP_HOMA, 194_330.9), (&CACHE_HOMA, 718_204.9)];
        for (published, mean) in stated {
            assert!((published.cdf().mean() - mean).abs() < 0.05, "{}", published.name);
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
