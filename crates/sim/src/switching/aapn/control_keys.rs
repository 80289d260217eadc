//! `[switching.control]` and `[[switching.fault]]`.

use crate::language::keys::{Within, a_probability, at_most, keys, whole};
use crate::language::{At, Key, Time, Word};
use control::signalling::SlotPart;
use options::words;
use units::Duration;

/// A frame this long is a mistake.
pub const LONGEST_FRAME: Duration = Duration::from_secs(3600);

/// The longest that a node may take to act; far above what makes sense.
const LONGEST: Duration = Duration::from_secs(1);

/// Clocks: what the filter at the start believes possible.
pub fn a_drift() -> Within<f64> {
    Within::new("-200 to 200 (ppm)", |ppm| (-200.0..=200.0).contains(ppm))
}

keys! {
    /// The signalling protocol, where it is simulated (`docs/protocol.md`).
    pub struct ControlSpec {
        /// The edge node that knows the network at the start and may be the first master. Default: the first one.
        pub master: Option<At<String>>;
        /// The part of the guard time in which the switch turns. Light that meets it is lost.
        pub switching_time: Key<Time> = Time(Duration::from_micros(10));
        /// How long an edge node may take to act on what it has heard. Default: the scheduling time, and four of the
        /// longest messages.
        pub turnaround: Option<At<Time>>, in at_most(LONGEST);
        /// The standard error of time stamps, for the clock filter.
        pub stamp_error: Key<Time> = Time(Duration::from_ps(200_000)), in at_most(LONGEST);
        /// Every slot and message takes up to this much longer in a fibre, uniformly.
        pub jitter: Key<Time> = Time(Duration::ZERO), in at_most(LONGEST);
        /// Probability that a fibre loses a slot of signalling or a message beside the light.
        pub loss: Key<f64> = 0.0, in a_probability();
        /// How many datagrams share the light of a data slot, each with a header of 64 B and lost or passed by itself.
        /// Default: one, whose header is not counted.
        pub datagrams: Option<At<u32>>, in whole(1, u32::from(SlotPart::MOST));
        /// Whether queues of a core node that serves no more send through another one, with several core nodes
        /// (overlaid stars, paper 003, §1.1.2).
        pub failover: Key<bool> = true;
        /// Whether what every node sends and takes is kept, and the log of what happened, for programs that read them.
        pub transcript: Key<bool> = false;
    }
}

keys! {
    /// Something happens to an edge node's signalling, to a core node, or to a wavelength of one, for a time.
    pub struct FaultSpec {
        /// The edge node, or a core node, which can be stopped, or have a dark wavelength. One that is stopped passes
        /// no light, and starts again without plans and master.
        pub node: At<String>;
        /// The wavelength that is dark, from 0 on.
        pub wavelength: Option<At<u32>>;
        /// A core node that computes schedules notices only so much later that a wavelength is dark, or has light
        /// again. Default "0 s": it knows when it schedules next.
        pub notice: Option<At<Time>>, in at_most(LONGEST_FRAME);
        /// The core node whose fibres to the edge node are cut. Default: those of all.
        pub via: Option<At<String>>;
        /// What happens.
        pub kind: At<Word<FaultKind>>;
        /// When it begins.
        pub at: Key<Time> = Time(Duration::ZERO);
        /// When it is over. Default: never.
        pub until: Option<At<Time>>;
    }
}

words! {
    /// What happens.
    pub enum FaultKind {
        /// It does nothing, and at the end begins anew: it joins late, or is killed and started again.
        Stopped = "stopped",
        /// What it sends to the core is lost.
        CutUp = "cut-up",
        /// What the core sends to it is lost.
        CutDown = "cut-down",
        /// Both.
        Cut = "cut",
        /// A wavelength of a core node passes no light, with protocol = "known".
        Dark = "dark",
    }
}
