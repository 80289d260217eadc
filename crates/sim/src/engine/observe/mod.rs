//! Who watches a run: none of them changes it.

pub(crate) mod accounts;
pub(crate) mod capture;
pub(crate) mod host_queues;
pub(crate) mod observers;
pub(crate) mod probe;
pub(crate) mod sampler;
pub(crate) mod trace;
