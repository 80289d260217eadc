//! The parameters of a sender: its own parameters, and those of its algorithm's law.
//!
//! Each is declared where it is used, with [`options!`](options::options); faces go over [`all`] and set what they are
//! given through [`SenderConfig::part_mut`].

use super::{ReorderingConfig, SenderConfig};
use crate::cc::{self, Algorithm};
use options::{Key, Options, Value};

/// A parameter of senders, or of another machine.
#[derive(Clone, Debug)]
pub struct SenderKey {
    /// Its name, kind and meaning.
    pub key: Key,
    /// Its default.
    pub default: Value,
    /// The algorithms that have it; none are named if all have it.
    pub algorithms: Vec<&'static str>,
}

/// Every parameter, the sender's own first. Laws that share a name have a line each.
pub fn all() -> Vec<SenderKey> {
    let laws = cc::Config::default();
    let mut all = of(&SenderConfig::default(), &[]);
    all.extend(of(&ReorderingConfig::default(), &[]));
    let mut seen = Vec::new();
    for entry in cc::registry() {
        let law = laws.of(entry.choice);
        if !seen.contains(&law.owner()) {
            seen.push(law.owner());
            all.extend(of(law, &algorithms_of(&laws, law.owner())));
        }
    }
    all
}

/// The parameters of one machine, or of the law of these algorithms.
pub fn of(part: &dyn Options, algorithms: &[&'static str]) -> Vec<SenderKey> {
    let one = |(place, key): (usize, &Key)| SenderKey {
        key: *key,
        default: part.get(place),
        algorithms: algorithms.to_vec(),
    };
    part.keys().iter().enumerate().map(one).collect()
}

/// The algorithms whose law's parameters are declared at `owner`.
fn algorithms_of(laws: &cc::Config, owner: &str) -> Vec<&'static str> {
    let has = |entry: &&cc::Entry| laws.of(entry.choice).owner() == owner;
    cc::registry().iter().filter(has).map(|entry| entry.name).collect()
}

/// The algorithms whose law has the key: "a, b and c". `None` if no law has.
pub fn users(key: &str) -> Option<String> {
    let laws = cc::Config::default();
    let has = |entry: &&cc::Entry| laws.of(entry.choice).find(key).is_some();
    let mut names: Vec<&str> = cc::registry().iter().filter(has).map(|entry| entry.name).collect();
    let last = names.pop()?;
    Some(if names.is_empty() { last.to_owned() } else { format!("{} and {last}", names.join(", ")) })
}

impl SenderConfig {
    /// Its own parameters, those of RR-TCP, and those of its algorithm's law.
    pub fn parts(&self) -> [&dyn Options; 3] {
        [self, &self.reordering, self.laws.of(self.algorithm)]
    }

    /// The part that has a key, and the key's place there.
    pub fn part_mut(&mut self, key: &str) -> Option<(&mut dyn Options, usize)> {
        if let Some(place) = self.find(key) {
            return Some((self, place));
        }
        if let Some(place) = self.reordering.find(key) {
            return Some((&mut self.reordering, place));
        }
        let algorithm: Algorithm = self.algorithm;
        let law = self.laws.of_mut(algorithm);
        law.find(key).map(|place| (law, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_algorithm_has_what_its_law_declares() {
        let all = all();
        let of = |name: &str| -> BTreeSet<&str> {
            all.iter().filter(|one| one.algorithms.contains(&name)).map(|one| one.key.name).collect()
        };
        assert_eq!(
            of("cubic"),
            BTreeSet::from([
                "abe",
                "beta",
                "beta_ecn",
                "c",
                "cubic_arithmetic",
                "fast_convergence",
                "hystart",
                "hystart_limit",
                "hystart_rule",
                "reno_friendly",
                "slow_start_counts"
            ])
        );
        assert_eq!(of("sack"), of("newreno"));
        assert_eq!(users("congestion_beta").as_deref(), Some("tcp-eng"));
        assert_eq!(users("relation").as_deref(), Some("gaimd, baimd and tcp-eng"));
        assert_eq!(users("paced"), None, "all have it");
    }

    #[test]
    fn what_is_set_by_name_is_the_law_s_or_the_sender_s() {
        let mut config = SenderConfig { algorithm: Algorithm::Cubic, ..SenderConfig::default() };
        let (part, place) = config.part_mut("beta").unwrap();
        part.set(place, Value::Number(0.8));
        let (part, place) = config.part_mut("paced").unwrap();
        part.set(place, Value::Flag(true));
        assert!(config.part_mut("congestion_beta").is_none(), "CUBIC has none");
        assert_eq!((config.laws.cubic.beta, config.laws.gaimd.beta, config.paced), (0.8, 0.875, true));
    }
}
