//! The loop: which event of a partition comes next.

pub(crate) mod execution_mode;
pub(crate) mod layout;
pub(crate) mod partition;
mod processes;
pub(crate) mod run;
pub(crate) mod site;
mod window;
pub(crate) mod windowed;
