//! `photocol._core`: the Rust side of the Python package, private to it.
//!
//! Bindings only: values are converted, errors become exceptions, and long calls release the interpreter's lock. What a
//! call means is said in `python/photocol`, whose stub `_core.pyi` a test compares with this module.

mod build;
mod catalogue;
mod circuits;
mod clock;
mod columns;
mod control;
mod dlcc;
#[cfg(target_os = "linux")]
mod emulation;
mod error;
mod files;
mod law;
mod model;
mod node;
mod obs;
mod options;
mod queue;
mod quic;
mod rcp;
mod reservation;
mod scenario;
mod signalling;
mod simulation;
mod tcp;
mod wire;
mod xcp;

/// The extension module.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::build::build_parts;
    #[pymodule_export]
    use super::catalogue::{catalogue, probes, schema, work};
    #[pymodule_export]
    use super::circuits::{CircuitCoverage, CircuitSchedule, circuit_schedule};
    #[pymodule_export]
    use super::control::{Demand, FrameSchedule, FrameScheduler, Islip, frame_rate, share_slots};
    #[pymodule_export]
    use super::dlcc::{DlccBook, DlccEstimate, DlccReaction, DlccReservations};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::emulation::Emulation;
    #[pymodule_export]
    use super::error::{ModelError, QuicError, RunError, ScenarioError};
    #[pymodule_export]
    use super::law::{Event, View, Window};
    #[pymodule_export]
    use super::model::{evaluate, models};
    #[pymodule_export]
    use super::node::node_main;
    #[pymodule_export]
    use super::obs::{BurstPaths, LoadMeter};
    #[pymodule_export]
    use super::options::transport_options;
    #[pymodule_export]
    use super::queue::Queue;
    #[pymodule_export]
    use super::quic::{QuicReceiver, QuicSender, quic_ack_fields, quic_ack_ranges};
    #[pymodule_export]
    use super::rcp::RcpRouter;
    #[pymodule_export]
    use super::reservation::Fibre;
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::signalling::{SignallingCore, SignallingNode};
    #[pymodule_export]
    use super::simulation::{Results, Simulation};
    #[pymodule_export]
    use super::tcp::{Receiver, Sender};
    #[pymodule_export]
    use super::wire::{ClockFilter, wire_decode, wire_encode};
    #[pymodule_export]
    use super::xcp::{XcpReceiver, XcpRouter, xcp_decode, xcp_encode};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python looks for")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
