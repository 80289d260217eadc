//! Tables and keys as they are written, with what they mean behind them: what `check --explain` prints is made with
//! this.

use crate::model::{Network, NodeId, SimTime};
use units::Duration;

/// A text in the making, and the network whose nodes and links it names.
pub(crate) struct Text<'n> {
    /// The names.
    pub network: &'n Network,
    out: String,
}

/// A TOML string.
pub(crate) fn quote(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A time of the run as a span since its start.
pub(crate) fn since_start(time: SimTime) -> Duration {
    Duration::from_ps(time.ps())
}

impl<'n> Text<'n> {
    /// Nothing yet.
    pub fn new(network: &'n Network) -> Text<'n> {
        Text { network, out: String::new() }
    }

    /// All of it.
    pub fn finish(self) -> String {
        self.out
    }

    /// A line as it is.
    pub fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// `key = value`, and what it means.
    pub fn key(&mut self, key: &str, value: impl std::fmt::Display, comment: &str) {
        let assignment = format!("{key} = {value}");
        if comment.is_empty() {
            self.line(&assignment);
        } else {
            self.line(&format!("{assignment:<40} # {comment}"));
        }
    }

    /// A quantity in quotes.
    pub fn quantity(&mut self, key: &str, value: impl std::fmt::Display, comment: &str) {
        self.key(key, format!("\"{value}\""), comment);
    }

    /// A node's name in quotes.
    pub fn node_name(&self, node: NodeId) -> String {
        quote(&self.network.nodes[node.index()].name)
    }
}

/// A number that a person can read.
pub(crate) fn rounded(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.1e}") }
}
