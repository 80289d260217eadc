//! `[switching]` with `kind = "ops"`, with every default.

use super::plan::{Conversion, Count, MacroflowRules, Ops, Scheme, Smoothing, Store};
use crate::language::Text;
use crate::model::Lane;
use transport::xcp::{Changes, Tells};
use units::Rate;

impl Text<'_> {
    pub(super) fn ops(&mut self, ops: &Ops) {
        self.line("\n[switching]");
        self.key("kind", "\"ops\"", "");
        self.key("cut_through", ops.cut_through, "core nodes send what they have the first bit of");
        self.key("wavelengths", ops.wavelengths(), "data wavelengths of each fibre");
        let conversion = match ops.conversion {
            Conversion::None => "none",
            Conversion::Limited(_) => "limited",
            Conversion::Full => "full",
        };
        self.quantity("conversion", conversion, "to which wavelengths core nodes can convert");
        if let Conversion::Limited(range) = ops.conversion {
            self.key("conversion_range", range, "");
        }
        self.store(ops.store);
        match &ops.macroflows {
            Some(rules) => self.macroflows(rules),
            None => self.quantity("macroflow", "none", ""),
        }
    }

    fn store(&mut self, store: Store) {
        match store {
            Store::Ram { shared } => {
                let per = if shared { "output" } else { "wavelength" };
                self.quantity("ram_per", per, "whose RAM the buffers of the links above are");
            }
            Store::Slots(slots) => {
                self.quantity("slot_time", slots.slot, "");
                let (places, shared) = (slots.places, slots.shared);
                let counts = if slots.all_count { "all" } else { "waiting" };
                self.line(&format!("slot_buffer = {{ places = {places}, shared = {shared}, counts = \"{counts}\" }}"));
            }
            Store::Lines { step, lines } => {
                self.line(&format!("delay_lines = {{ step = \"{step}\", lines = {lines} }}"));
            }
        }
    }

    fn macroflows(&mut self, rules: &MacroflowRules) {
        let scheme = match rules.scheme {
            Scheme::Same => "same",
            Scheme::Separate => "separate",
            Scheme::SeparateWavelength => "separate-wavelength",
        };
        self.quantity("macroflow", scheme, "which packets of an edge node for another share one");
        self.key("target", format!("{:?}", rules.target), "target utilization of core outputs");
        self.key("edge_target", format!("{:?}", rules.edge_target), "and of edge outputs");
        let (core, edge) = (&rules.gains, &rules.edge_gains);
        self.key("alpha", format!("{:?}", core.alpha), "weight of spare capacity at core outputs");
        self.key("beta", format!("{:?}", core.beta), "weight of the persistent queue");
        self.key("gamma", format!("{:?}", core.gamma), "the part of the traffic that is shuffled");
        self.key("edge_alpha", format!("{:?}", edge.alpha), "the same at edge outputs");
        self.key("edge_beta", format!("{:?}", edge.beta), "");
        self.key("edge_gamma", format!("{:?}", edge.gamma), "");
        let queue = if rules.edge_queue_kept { "macroflows" } else { "line" };
        self.quantity("edge_queue", queue, "the queue that controllers of edge outputs see");
        self.quantity("period", rules.period, "of controllers and probes");
        if let Some(start) = rules.start {
            self.quantity("start_rate", start, "");
        }
        self.quantity("floor_rate", rules.floor, "no feedback takes a rate below this");
        let count = match rules.count {
            Count::Probes => "probes",
            Count::Active => "active",
            Count::Given => "given",
        };
        self.quantity("macroflow_count", count, "how controllers know the number of macroflows");
        let tells = match rules.tells {
            Tells::Sent => "sent",
            Tells::Allowed => "allowed",
        };
        self.quantity("probe_tells", tells, "the rate that a probe tells");
        let changes = match rules.changes {
            Changes::Told => "told",
            Changes::Allowed => "allowed",
        };
        self.quantity("feedback_changes", changes, "the rate that feedback changes");
        let control = self.network.links.iter().find(|link| link.lane == Lane::Control);
        self.quantity("control_capacity", control.map_or(Rate::from_mbps(100), |link| link.capacity), "");
        match rules.smoothing {
            Smoothing::LeakyBucket => self.quantity("smoothing", "leaky-bucket", ""),
            Smoothing::RoundRobin => self.quantity("smoothing", "round-robin", ""),
            Smoothing::TokenBucket { depth } => {
                self.quantity("smoothing", "token-bucket", "");
                self.key("token_depth", depth, "bytes that may leave ahead of their time");
            }
        }
    }
}
