//! `size_law` of a traffic: the law that the size of each flow is drawn from.

use crate::language::keys::{Form, Table, When, Within, Written, keys};
use crate::language::{At, CdfPoint, Fault, Key, Size, Word};
use crate::model::{
    Between, CACHE_HOMA, DATA_MINING, DATA_MINING_OPERA, DATA_MINING_VL2, HADOOP, HADOOP_HOMA, HADOOP_HPCC, Published,
    WEB_SEARCH, WEB_SEARCH_DCTCP, WEB_SEARCH_OPERA,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The law of flow sizes; the key `law` chooses. Sizes are bytes of payload, rounded up to whole bytes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "law")]
pub enum FlowSizeLaw {
    /// Exponential.
    Exponential(SizeExponential),
    /// Pareto, bounded if `most` is given.
    Pareto(SizePareto),
    /// Weibull.
    Weibull(SizeWeibull),
    /// The logarithm is normal.
    Lognormal(SizeLognormal),
    /// The same as web-search-dctcp.
    WebSearch(SizePublished),
    /// Web search: DCTCP (Alizadeh et al., SIGCOMM 2010), figure 4, as the table of 12 points that generators pass on,
    /// joined by straight lines. Mean 1.71 MB.
    WebSearchDctcp(SizePublished),
    /// Web search: the same figure as the table of 16 points of Opera (NSDI 2020); only these sizes occur. Mean 1.88
    /// MB.
    WebSearchOpera(SizePublished),
    /// The same as data-mining-vl2.
    DataMining(SizePublished),
    /// Data mining: VL2 (Greenberg et al., SIGCOMM 2009), figure 2, as the table of 13 points that generators pass on,
    /// joined by straight lines. Mean 12.7 MB, most of it in the last 2 % of the flows.
    DataMiningVl2(SizePublished),
    /// Data mining: the same figure as the table of 17 points of Opera (NSDI 2020); only these sizes occur. Mean 7.86
    /// MB.
    DataMiningOpera(SizePublished),
    /// The same as hadoop-hpcc.
    Hadoop(SizePublished),
    /// Hadoop at Facebook: Roy et al., SIGCOMM 2015, figure 6, as the table of 20 points of HPCC (SIGCOMM 2019), joined
    /// by straight lines. Mean 120 kB.
    HadoopHpcc(SizePublished),
    /// Hadoop at Facebook: the same figure as the table of 461 points of Homa (SIGCOMM 2018); only these sizes occur.
    /// Mean 128 kB.
    HadoopHoma(SizePublished),
    /// Cache followers at Facebook, within a cluster: Roy et al., SIGCOMM 2015, figure 6, as the table of 331 points of
    /// Homa (SIGCOMM 2018); only these sizes occur. Mean 693 kB.
    CacheHoma(SizePublished),
    /// A distribution of your own, by points.
    Cdf(SizeCdf),
}

impl FlowSizeLaw {
    /// The published distribution, if it is one.
    pub(crate) fn published(&self) -> Option<&'static Published> {
        match self {
            FlowSizeLaw::Exponential(_)
            | FlowSizeLaw::Pareto(_)
            | FlowSizeLaw::Weibull(_)
            | FlowSizeLaw::Lognormal(_)
            | FlowSizeLaw::Cdf(_) => None,
            FlowSizeLaw::WebSearch(_) => Some(&WEB_SEARCH),
            FlowSizeLaw::WebSearchDctcp(_) => Some(&WEB_SEARCH_DCTCP),
            FlowSizeLaw::WebSearchOpera(_) => Some(&WEB_SEARCH_OPERA),
            FlowSizeLaw::DataMining(_) => Some(&DATA_MINING),
            FlowSizeLaw::DataMiningVl2(_) => Some(&DATA_MINING_VL2),
            FlowSizeLaw::DataMiningOpera(_) => Some(&DATA_MINING_OPERA),
            FlowSizeLaw::Hadoop(_) => Some(&HADOOP),
            FlowSizeLaw::HadoopHpcc(_) => Some(&HADOOP_HPCC),
            FlowSizeLaw::HadoopHoma(_) => Some(&HADOOP_HOMA),
            FlowSizeLaw::CacheHoma(_) => Some(&CACHE_HOMA),
        }
    }
}

impl Form for FlowSizeLaw {
    fn form(&self) -> Written {
        let (law, table) = match self {
            FlowSizeLaw::Exponential(table) => ("exponential", table.explained()),
            FlowSizeLaw::Pareto(table) => ("pareto", table.explained()),
            FlowSizeLaw::Weibull(table) => ("weibull", table.explained()),
            FlowSizeLaw::Lognormal(table) => ("lognormal", table.explained()),
            FlowSizeLaw::Cdf(table) => ("cdf", table.explained()),
            published => (published.published().map_or("", |known| known.name), SizePublished {}.explained()),
        };
        Written::Table(table.of_kind("law", law))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        match self {
            FlowSizeLaw::Exponential(table) => table.check(),
            FlowSizeLaw::Pareto(table) => table.check(),
            FlowSizeLaw::Weibull(table) => table.check(),
            FlowSizeLaw::Lognormal(table) => table.check(),
            FlowSizeLaw::Cdf(table) => table.check(),
            _ => SizePublished {}.check(),
        }
    }
}

impl SizeCdf {
    /// The table with these points instead of a file.
    pub(crate) fn with_points(&self, points: &[(f64, f64)]) -> Written {
        let mut table = self.explained();
        table.leave_out(&["file", "size_unit"]);
        let points: Vec<String> = points
            .iter()
            .map(|(size, probability)| CdfPoint { bytes: *size as u64, probability: *probability }.form().inline())
            .collect();
        table.derive("points", Written::Inline(format!("[{}]", points.join(", "))));
        Written::Table(table.of_kind("law", "cdf"))
    }
}

const IN_A_FILE: When<SizeCdf> = When::new(|keys| keys.file.is_some(), "goes with file");

fn a_size() -> Within<Size> {
    Within::new("at least 1 B", |size: &Size| size.0.count() > 0)
}

fn positive() -> Within<f64> {
    Within::new("above 0 and at most 100", |number: &f64| *number > 0.0 && *number <= 100.0)
}

keys! {
    /// Exponential.
    pub struct SizeExponential {
        /// Mean size.
        pub mean: At<Size>, in a_size();
    }
}

keys! {
    /// Pareto: a share (least/x)^shape of the flows is larger than x.
    pub struct SizePareto {
        /// Shape. Without `most` the mean is finite only above 1.
        pub shape: At<f64>, in positive();
        /// Mean size.
        pub mean: Option<At<Size>>, in a_size();
        /// The least size, instead of the mean.
        pub least: Option<At<Size>>, in a_size();
        /// The greatest size: bounded Pareto, the law given that no flow is larger. Default: unbounded.
        pub most: Option<At<Size>>, in a_size();
    }
}

keys! {
    /// Weibull: a share exp(−(x/scale)^shape) of the flows is larger than x.
    pub struct SizeWeibull {
        /// Shape: 1 is the exponential law, below 1 there are more very short and more very long flows.
        pub shape: At<f64>, in Within::new("0.1 to 100", |shape: &f64| (0.1..=100.0).contains(shape));
        /// Mean size, which is scale · Γ(1 + 1/shape).
        pub mean: Option<At<Size>>, in a_size();
        /// Scale, instead of the mean: a share 1/e of the flows is larger.
        pub scale: Option<At<Size>>, in a_size();
    }
}

keys! {
    /// The logarithm is normal.
    pub struct SizeLognormal {
        /// Standard deviation of the natural logarithm.
        pub sigma: At<f64>, in positive();
        /// Mean size, which is median · exp(sigma²/2).
        pub mean: Option<At<Size>>, in a_size();
        /// Median size, instead of the mean.
        pub median: Option<At<Size>>, in a_size();
    }
}

keys! {
    /// A published distribution.
    pub struct SizePublished {
    }
}

keys! {
    /// A distribution by points, each a size and the probability of at most that; sizes increase, probabilities end at
    /// 1.
    pub struct SizeCdf {
        /// The points, such as [["1 kB", 0.5], ["1 MB", 1]].
        pub points: Option<At<Vec<At<CdfPoint>>>>;
        /// A file with a point in each line instead: a size in bytes and a probability, with a comma or blanks between
        /// them. Empty lines and lines that begin with # or a letter are left out. Other people's forms are read too:
        /// per cent, three columns (pFabric), the mean in the first line (Homa).
        pub file: Option<At<String>>;
        /// What the number 1 means as a size in the file, such as "1460 B" for packets. Default: 1 B; with three
        /// columns 1460 B.
        pub size_unit: Option<At<Size>>, in a_size(), when IN_A_FILE;
        /// What lies between two points. What the first point holds is at its size.
        pub between: Key<Word<Between>> = Word(Between::Linear);
    }
}
