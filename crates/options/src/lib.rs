//! Parameters that are declared once, where they are used.
//!
//! [`options!`](crate::options!) makes a struct of parameters from one declaration each: name, type, default, range,
//! and a comment that is the sentence every face shows. [`words!`](crate::words!) does the same for a choice of words,
//! [`registry!`](crate::registry!) for laws, queues and all else that a scenario can name.
//! The scenario language, `check --explain`, the schema, the pages made from it and Python's options go over
//! [`Options::keys`]; none of them has a list of its own. What no parameter alone can say (that one must not be above
//! another) stays with the machine that has them.

mod declare;
mod key;
mod range;
mod registry;
mod words;

pub use key::{Argument, ConfigError, Key, Kind, Options, Value, Zero, clash};
pub use range::Range;
pub use registry::{Entry, assert_distinct};
pub use words::{Word, WordList, Words};
