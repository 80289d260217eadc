//! Features that only some flows have. Every other flow carries a null pointer for it, so that its sender stays small.

use super::bursts::Bursts;
use super::delay::Delay;
use super::divisions::Divisions;
use super::ecn::EcnSender;
use super::frto::Forward;
use super::pacing::Pacer;
use super::prr::Prr;
use super::rack::Rack;
use super::reordering::Reordering;
use super::segments::{Rates, Segments};
use super::small_queue::SmallQueue;
use super::timestamps::Timestamps;
use super::undo::Reductions;
use super::{EcnFeedback, Frto, LossRecovery, Sender, SenderConfig, Undo, UndoResponse};
use units::Instant;

/// The state of a flow besides the sender's own.
#[derive(Clone, Debug)]
pub(super) struct SenderFeatures {
    pub(super) pacer: Option<Pacer>,
    pub(super) bursts: Option<Bursts>,
    pub(super) segments: Option<Segments>,
    pub(super) rack: Option<Rack>,
    pub(super) prr: Option<Prr>,
    pub(super) reductions: Option<Reductions>,
    pub(super) forward: Option<Forward>,
    pub(super) timestamps: Option<Timestamps>,
    pub(super) ecn: Option<EcnSender>,
    pub(super) reordering: Option<Box<Reordering>>,
    pub(super) delay: Option<Delay>,
    pub(super) divisions: Option<Box<Divisions>>,
    pub(super) small_queue: Option<SmallQueue>,
    pub(super) fast_path: FastPath,
    /// True if the law measures the round trip of every segment.
    pub(super) times_segments: bool,
    /// True if full-sized segments of new data leave as the window permits, and nothing is noted of each but its
    /// record.
    pub(super) sends_by_window: bool,
}

/// The fast path of an ACK of new data in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastPath {
    /// There is none: every ACK is handled in full.
    Absent,
    /// It moves the window, as for flows without any features.
    WindowOnly,
    /// It also keeps records of segments, RACK's state, marks and PRR's.
    WithRecords,
}

impl SenderFeatures {
    /// `None` for a flow that needs none of it.
    pub(super) fn new(config: &SenderConfig) -> Option<Box<SenderFeatures>> {
        let (asks, wants) = (config.algorithm.asks(), config.algorithm.wants(&config.laws));
        let pacer = (config.paced || asks.pacing).then(Pacer::default);
        let bursts = Bursts::new(config.algorithm.burst_news(&config.laws));
        let rack = config.is_rack().then(Rack::default);
        let reordering = (config.loss_recovery() == LossRecovery::RrTcp).then(|| Reordering::new(&config.reordering));
        let delay = (config.loss_recovery() == LossRecovery::TdFr).then(Delay::default);
        let times_resent = reordering.is_some() && config.reordering.rr_variant.times_resent();
        let rates = if asks.rate_samples { Rates::Measured } else { Rates::Unknown };
        let needs_records = asks.rate_samples || rack.is_some() || times_resent || wants.every_rtt;
        let segments = needs_records.then(|| Segments::new(rates));
        let prr = Prr::new(config.window_reduction());
        let timestamps = config.timestamps.then(Timestamps::default);
        let forward = (config.frto_rule() != Frto::Off).then(Forward::default);
        let reductions = (config.undo_rule() != Undo::Never || forward.is_some()).then(Reductions::default);
        let ecn = EcnSender::new(config);
        let divisions = Divisions::new(config);
        // RFC 4015 §3.1 step 11 reads the samples after an undo.
        let adapts_timer = reductions.is_some() && config.undo_response == UndoResponse::Eifel;
        let small_queue = config.limit_output.map(|_| SmallQueue::default());
        let needs_all = segments.is_some() || prr.is_some() || ecn.is_some() || reordering.is_some() || adapts_timer;
        let is_plain = pacer.is_none() && !needs_all && timestamps.is_none() && small_queue.is_none();
        // Marks that are told by a counter and count as losses are looked for where losses are.
        let counts_marks =
            config.has_ecn() && config.feedback() == EcnFeedback::Accurate && !config.marks().are_counted();
        let needs_more =
            bursts.is_some() || timestamps.is_some() || adapts_timer || counts_marks || small_queue.is_some();
        let has_fast_path = (rack.is_some() || config.loss_recovery() == LossRecovery::Sack) && !needs_more;
        let fast_path = match has_fast_path {
            _ if is_plain => FastPath::WindowOnly,
            true => FastPath::WithRecords,
            false => FastPath::Absent,
        };
        let (times_segments, sends_by_window) = (wants.every_rtt, !asks.rate_samples && !asks.model && pacer.is_none());
        let has_more = bursts.is_some() || reductions.is_some() || delay.is_some() || divisions.is_some();
        (!is_plain || has_more).then(|| {
            let reordering = reordering.map(Box::new);
            Box::new(SenderFeatures {
                pacer,
                bursts,
                segments,
                rack,
                prr,
                reductions,
                forward,
                timestamps,
                ecn,
                reordering,
                delay,
                divisions,
                small_queue,
                fast_path,
                times_segments,
                sends_by_window,
            })
        })
    }

    /// When one of its timers is due. Not inlined, so that what asks for the next timer of a sender stays small.
    #[inline(never)]
    fn wake(&self) -> Instant {
        let pacer = self.pacer.as_ref().map_or(Instant::NEVER, Pacer::wake);
        let delay = self.delay.as_ref().map_or(Instant::NEVER, Delay::wake);
        let held = self.ecn.as_ref().map_or(Instant::NEVER, EcnSender::wake);
        pacer.min(self.rack.as_ref().map_or(Instant::NEVER, Rack::wake)).min(delay).min(held)
    }
}

impl Sender {
    #[inline(always)]
    pub(super) fn fast_path(&self) -> FastPath {
        self.features.as_deref().map_or(FastPath::WindowOnly, |features| features.fast_path)
    }

    pub(super) fn segments(&self) -> Option<&Segments> {
        self.features.as_ref()?.segments.as_ref()
    }

    pub(super) fn reductions_mut(&mut self) -> Option<&mut Reductions> {
        self.features.as_mut()?.reductions.as_mut()
    }

    pub(super) fn timestamps_mut(&mut self) -> Option<&mut Timestamps> {
        self.features.as_mut()?.timestamps.as_mut()
    }

    pub(super) fn forward(&self) -> Option<&Forward> {
        self.features.as_ref()?.forward.as_ref()
    }

    pub(super) fn forward_mut(&mut self) -> Option<&mut Forward> {
        self.features.as_mut()?.forward.as_mut()
    }

    pub(super) fn ecn(&self) -> Option<&EcnSender> {
        self.features.as_ref()?.ecn.as_ref()
    }

    pub(super) fn ecn_mut(&mut self) -> Option<&mut EcnSender> {
        self.features.as_mut()?.ecn.as_mut()
    }

    #[inline]
    pub(super) fn reordering(&self) -> Option<&Reordering> {
        self.features.as_ref()?.reordering.as_deref()
    }

    pub(super) fn reordering_mut(&mut self) -> Option<&mut Reordering> {
        self.features.as_mut()?.reordering.as_deref_mut()
    }

    pub(super) fn prr(&self) -> Option<&Prr> {
        self.features.as_ref()?.prr.as_ref()
    }

    pub(super) fn prr_mut(&mut self) -> Option<&mut Prr> {
        self.features.as_mut()?.prr.as_mut()
    }

    pub(super) fn rack(&self) -> Option<&Rack> {
        self.features.as_ref()?.rack.as_ref()
    }

    pub(super) fn rack_mut(&mut self) -> Option<&mut Rack> {
        self.features.as_mut()?.rack.as_mut()
    }

    #[inline]
    pub(super) fn segments_mut(&mut self) -> Option<&mut Segments> {
        self.features.as_mut()?.segments.as_mut()
    }

    #[inline]
    pub(super) fn bursts(&self) -> Option<&Bursts> {
        self.features.as_ref()?.bursts.as_ref()
    }

    #[inline]
    pub(super) fn bursts_mut(&mut self) -> Option<&mut Bursts> {
        self.features.as_mut()?.bursts.as_mut()
    }

    #[inline]
    pub(super) fn pacer(&self) -> Option<&Pacer> {
        self.features.as_ref()?.pacer.as_ref()
    }

    #[inline]
    pub(super) fn pacer_mut(&mut self) -> Option<&mut Pacer> {
        self.features.as_mut()?.pacer.as_mut()
    }

    #[inline]
    pub(super) fn pacer_wake(&self) -> Instant {
        self.pacer().map_or(Instant::NEVER, Pacer::wake)
    }

    /// When a timer wants to be served that only some flows have.
    #[inline]
    pub(super) fn extras_wake(&self) -> Instant {
        self.features.as_deref().map_or(Instant::NEVER, SenderFeatures::wake)
    }
}
