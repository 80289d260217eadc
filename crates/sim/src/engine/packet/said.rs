//! What a packet says beside its header.

use super::admission::Cause;
use transport::tcp::{SackBlock, TcpOptions};

/// What a packet says beside its header.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// SACK blocks.
    pub sack: &'a [SackBlock],
    /// Options.
    pub options: TcpOptions,
    /// Why it is dropped, if it is.
    pub dropped: Option<Cause>,
    /// Its own bytes, if it comes from outside.
    pub real: Option<&'a [u8]>,
}
