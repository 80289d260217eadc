//! Keys of all machines of end hosts, which stand in one table: none is declared twice.

use crate::cc;
use crate::tcp::{ReceiverConfig, SenderConfig};
use options::Options;

/// A key that is declared twice, in a sentence that names both places, `others` of hosts besides TCP among them.
pub fn clash(others: &[&dyn Options]) -> Option<String> {
    let (laws, sender, receiver) = (cc::Config::default(), SenderConfig::default(), ReceiverConfig::default());
    let mut seen: Vec<&dyn Options> = Vec::new();
    for law in cc::registry().iter().map(|entry| laws.of(entry.choice)) {
        if seen.iter().all(|other| other.owner() != law.owner()) {
            seen.push(law);
        }
    }
    seen.extend(others);
    // What sender and receiver share is the same thing to both.
    options::clash(&[&sender, &sender.reordering], &seen).or_else(|| options::clash(&[&receiver], &seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_declared_twice() {
        assert_eq!(clash(&[&crate::ndp::Config::default()]), None);
    }
}
