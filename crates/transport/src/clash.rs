//! Keys of all machines of end hosts, which stand in one table: none is declared twice.

use crate::cc;
use crate::tcp::{ReceiverConfig, SenderConfig};
use options::Options;

/// A key that is declared twice, in a sentence that names both places, `others` of hosts besides TCP among them. What
/// hosts of two kinds share is written in the same way.
pub fn clash(others: &[&dyn Options]) -> Option<String> {
    let (laws, sender, receiver) = (cc::Config::default(), SenderConfig::default(), ReceiverConfig::default());
    let laws = each_once(cc::registry().iter().map(|entry| laws.of(entry.choice)));
    // What sender and receiver share is the same thing to both.
    let within = options::clash(&[&sender, &sender.reordering], &laws).or_else(|| options::clash(&[&receiver], &laws));
    let tcp: [&dyn Options; 3] = [&sender, &sender.reordering, &receiver];
    let all = each_once(tcp.into_iter().chain(laws).chain(others.iter().copied()));
    within.or_else(|| options::clash(&[], &all))
}

/// The first ones of each owner.
fn each_once<'o>(all: impl Iterator<Item = &'o dyn Options>) -> Vec<&'o dyn Options> {
    let mut seen: Vec<&dyn Options> = Vec::new();
    for one in all {
        if seen.iter().all(|other| other.owner() != one.owner()) {
            seen.push(one);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_declared_twice() {
        assert_eq!(clash(&[&crate::ndp::Config::default()]), None);
    }
}
