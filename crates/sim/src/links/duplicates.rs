//! The example of `docs/guide/add-a-link-property.md`: a link that duplicates packets. Only tests know it.

use super::{KeyRule, PortFeature, Property};
use crate::random::{Stream, bernoulli};
use options::{Kind, Range, Value, options};

options! {
    /// Which packets come twice.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Probability that a packet that comes to the link comes twice, each for itself.
        pub duplicates: f64 = 0.0, Kind::Number(Range::closed(0.0, 1.0));
    }
}

const RULES: &[KeyRule] =
    &[KeyRule { key: "duplicates", allowed: None, in_time: Some("The new probability that a packet comes twice.") }];

impl Property for Config {
    fn acts(&self) -> bool {
        self.duplicates > 0.0
    }

    fn at_port(&self, stream: Stream) -> Box<dyn PortFeature> {
        Box::new(Process { p: self.duplicates, stream })
    }

    fn rules(&self) -> &'static [KeyRule] {
        RULES
    }

    /// A copy waits behind its packet, as any other packet does.
    fn is_decided_late(&self) -> bool {
        true
    }
}

/// Which packets of a port come twice.
#[derive(Debug)]
struct Process {
    p: f64,
    stream: Stream,
}

impl PortFeature for Process {
    fn copies(&mut self) -> u32 {
        bernoulli(&mut self.stream, self.p).into()
    }

    fn change(&mut self, key: &str, value: Value) {
        if let ("duplicates", Value::Number(p)) = (key, value) {
            self.p = p;
        }
    }
}
