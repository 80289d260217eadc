//! Several partitions side by side: where to cut, who waits for whom, and who moves.

pub(crate) mod migrate;
pub(crate) mod partitioner;
pub(crate) mod sync;
