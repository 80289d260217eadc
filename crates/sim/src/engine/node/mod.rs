//! Hosts and agents at the nodes, and the ports and fibres between them.

pub(crate) mod agent;
pub(crate) mod agent_setup;
pub(crate) mod app;
pub(crate) mod counters;
pub(crate) mod datagrams;
pub(crate) mod fabric;
pub(crate) mod forced;
pub(crate) mod hosts;
pub(crate) mod machine;
pub(crate) mod node_context;
#[cfg(test)]
mod speed_tests;
pub(crate) mod spray;
pub(crate) mod timers;
pub(crate) mod timetable;
pub(crate) mod tournament_tree;
pub(crate) mod workload;
