//! The keys of samples, which the engine takes at a fixed interval.

use crate::language::keys::{When, keys, more_than_zero};
use crate::language::{At, Choice, Time};

keys! {
    /// Sampling of states at a fixed interval; it never changes a run.
    pub struct Keys {
        /// The interval. Without it nothing is sampled.
        pub interval: Option<At<Time>>, in more_than_zero();
        /// "all" or a list of flow numbers. Default: all if `links` is not given either, else none.
        pub flows: Option<At<Choice<u32>>>, when SAMPLED;
        /// "all" or a list of links ("a->b", "a-b"; with optical packets also "a->b (wavelength 1)" and "a->b
        /// (control)"). Where bursts are switched, "a->b" gives its wavelengths, and "a->b (control)" beside it.
        /// Default: all if `flows` is not given either, else none.
        pub links: Option<At<Choice<String>>>, when SAMPLED;
    }
}

const SAMPLED: When<Keys> =
    When::new(|probe| probe.interval.is_some(), "goes with the key \"interval\", which is missing");
