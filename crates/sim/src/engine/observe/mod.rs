//! Who watches a run: none of them changes it.

pub(crate) mod accounts;
pub(crate) mod capture;
pub(crate) mod delays;
pub(crate) mod flow_delays;
pub(crate) mod loss_attribution;
pub(crate) mod observers;
pub(crate) mod reordering;
pub(crate) mod sampler;
pub(crate) mod trace;
