//! The registry of laws by name, and what it says of each.

use super::{Algorithm, Asks, BurstNews, Config, Entry, LossRecovery, Wants};
use crate::ConfigError;
use options::Options;

/// Every algorithm there is, in a fixed order.
pub fn registry() -> &'static [Entry] {
    Algorithm::REGISTRY
}

impl Algorithm {
    /// How it repairs losses, unless its user asks for another way.
    pub const fn recovery(self) -> LossRecovery {
        self.entry().item.recovery
    }

    /// Its needs that others do not pay for.
    #[inline]
    pub const fn asks(self) -> Asks {
        self.entry().item.asks
    }

    /// Its needs that follow from its parameters.
    pub fn wants(self, config: &Config) -> Wants {
        (self.entry().item.wants)(config)
    }

    /// Its sender's answer to news about bursts.
    pub fn burst_news(self, config: &Config) -> BurstNews {
        (self.entry().item.burst_news)(config)
    }

    /// True if its segments and ACKs must carry a congestion header that routers on the path write.
    #[inline]
    pub const fn needs_header(self) -> bool {
        self.asks().congestion_header
    }

    /// True if the network writes into its data packets, and ACKs bring that back.
    #[inline]
    pub const fn is_told(self) -> bool {
        self.needs_header() || self.reads_telemetry()
    }

    /// True if its data packets carry what the hops of their path measure.
    #[inline]
    pub const fn reads_telemetry(self) -> bool {
        self.asks().telemetry
    }

    /// True if it goes by the measurements themselves; RCP goes by a rate that ports write beside them.
    pub fn reads_hops(self) -> bool {
        self.reads_telemetry() && self != Algorithm::Rcp
    }
}

impl Config {
    /// An error if the law of an algorithm cannot run with its parameters.
    pub fn validate(&self, algorithm: Algorithm) -> Result<(), ConfigError> {
        self.of(algorithm).check_ranges()?;
        (algorithm.entry().item.validate)(self)
    }

    /// The parameters of an algorithm's law.
    pub fn of(&self, algorithm: Algorithm) -> &dyn Options {
        (algorithm.entry().item.options)(self)
    }

    /// The same, to be set.
    pub fn of_mut(&mut self, algorithm: Algorithm) -> &mut dyn Options {
        (algorithm.entry().item.options_mut)(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_found_under_its_name() {
        for entry in registry() {
            assert_eq!(Algorithm::from_name(entry.name), Some(entry.choice));
            assert_eq!(entry.choice.name(), entry.name);
        }
        assert_eq!(Algorithm::from_name("tahoe"), None);
    }
}
