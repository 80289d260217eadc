//! The control plane of an agile all-photonic network as processes: the machines of [`control::signalling`] with
//! sockets, clocks and threads.
//!
//! Nothing of the protocol is here. A process turns datagrams into calls of a machine, and what the machine wants into
//! datagrams at instants.
//!
//! | file | holds |
//! |---|---|
//! | `command` | the command `photocol-node`; `program`: how it is started again |
//! | `config` | configurations, one TOML file a process |
//! | `edge`, `switch`, `fibre` | the processes: a node (`side` is what it has for one core, `stars` which of them
//! each other node is reached by), a core, fibres; `host` is what they have in common |
//! | `slots` | the thread that sends light at its instant, or not at all |
//! | `line` | what stands before a slot in a datagram |
//! | `relay` | passing on, with corrections that follow |
//! | `latency` | how long the kernel takes to send |
//! | `clock` | modelled clocks |
//! | `arrivals` | how early or late light met the core |
//! | `traffic` | IP and files in slots |
//! | `demo` | a whole star on this machine |
//! | `emulate` | real hosts on a simulated network |
//! | `measure` | what this machine can do, beside the targets |
//! | `report`, `matrices`, `forms`, `serve`, `histogram`, `capture`, `log` | what can be seen from outside |
//! | `sys` | what is asked of the kernel; all `unsafe` |

mod arrivals;
mod capture;
mod clock;
mod command;
mod config;
mod demo;
mod edge;
pub mod emulate;
mod fibre;
mod forms;
mod histogram;
mod host;
mod latency;
mod line;
mod log;
mod matrices;
mod measure;
mod outputs;
mod program;
mod relay;
mod report;
mod serve;
mod side;
mod slots;
mod stars;
mod switch;
#[allow(unsafe_code, reason = "the one place that asks the kernel")]
mod sys;
mod traffic;

pub use command::main;
