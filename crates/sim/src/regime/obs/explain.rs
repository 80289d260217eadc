//! `[switching]` of an optical burst-switched network.

use super::plan::*;
use crate::language::Text;
use control::reservation::{Conversion, Signalling};

impl Text<'_> {
    pub(super) fn obs(&mut self, obs: &Obs) {
        self.line("\n[switching]");
        self.key("kind", "\"obs\"", "");
        self.wavelengths(obs);
        self.headers(obs);
        let BurstAssembly { rules, queues, acks } = obs.assembly;
        let mut assembly = Vec::new();
        assembly.extend(rules.timer.map(|timer| format!("timer = \"{timer}\"")));
        assembly.extend(rules.length.map(|length| format!("length = \"{length}\"")));
        assembly.push(format!("minimum = \"{}\"", rules.minimum));
        assembly.push(format!(
            "queues = \"{}\"",
            match queues {
                BurstQueues::Egress => "egress",
                BurstQueues::Class => "class",
                BurstQueues::Flow => "flow",
            }
        ));
        assembly.push(format!(
            "acks = \"{}\"",
            match acks {
                Acks::Assembled => "assembled",
                Acks::Alone => "alone",
                Acks::Beside => "beside",
            }
        ));
        self.line(&format!("assembly = {{ {} }}", assembly.join(", ")));
        self.losses(obs);
        obs.sources.iter().for_each(|source| self.bursts(source));
    }

    fn wavelengths(&mut self, obs: &Obs) {
        let fibre = obs.fibre;
        self.key("wavelengths", fibre.channels, "of each fibre");
        self.quantity("reservation", fibre.algorithm.name(), "which wavelength a burst gets");
        self.quantity("signalling", if fibre.signalling == Signalling::Jet { "jet" } else { "jit" }, "");
        match fibre.conversion {
            Conversion::Full => self.quantity("conversion", "full", "which wavelengths a burst can change to"),
            Conversion::None => self.quantity("conversion", "none", "which wavelengths a burst can change to"),
            Conversion::Limited(range) => {
                self.quantity("conversion", "limited", "which wavelengths a burst can change to");
                self.key("conversion_range", range, "");
            }
        }
        if fibre.lines.count > 0 {
            self.key("delay_lines", fibre.lines.count, "");
            self.quantity("delay_line", fibre.lines.unit, "the delay of the shortest");
        }
        self.quantity("switching_time", fibre.switching, "how long a switch takes to turn");
        self.quantity("guard", fibre.guard, "what stays free behind a burst");
    }

    fn headers(&mut self, obs: &Obs) {
        self.quantity("control_capacity", obs.control.rate, "");
        self.key("header_size", obs.control.header_size, "bytes");
        self.quantity("processing", obs.control.processing, "how long a node works on a header");
        match obs.offset {
            Offset::Fixed(offset) => self.quantity("offset", offset, "how far a burst is behind its header"),
            Offset::Needed { spare_hops } => self.key("spare_hops", spare_hops, "offsets are for so many more hops"),
        }
        match obs.ingress {
            IngressRule::Drop => self.quantity("ingress", "drop", "a new burst for which no wavelength is free"),
            IngressRule::Wait(longest) => {
                self.quantity("ingress", "wait", "a new burst for which no wavelength is free");
                self.quantity("longest_wait", longest, "");
            }
        }
    }

    fn losses(&mut self, obs: &Obs) {
        match obs.contention {
            Contention::Drop => self.quantity("contention", "drop", "what follows where no wavelength is free"),
            Contention::Deflection { most } => {
                self.quantity("contention", "deflection", "what follows where no wavelength is free");
                self.key("deflections", most, "of a burst at most");
            }
            Contention::Segmentation(part) => {
                self.quantity("contention", "segmentation", "what follows where no wavelength is free");
                self.quantity("dropped_part", if part == Part::Head { "head" } else { "tail" }, "");
            }
        }
        if let Some(Retransmission { attempts, extra_delay }) = obs.retransmission {
            self.line(&format!("retransmission = {{ attempts = {attempts}, extra_delay = \"{extra_delay}\" }}"));
        }
        let Notification { window, threshold } = obs.notification;
        self.line(&format!("notification = {{ window = \"{window}\", threshold = {threshold:?} }}"));
    }

    fn bursts(&mut self, source: &BurstSource) {
        self.line("\n[[switching.burst]]");
        self.key("name", crate::language::quote(&source.name), "");
        let pair = |(from, to): &(_, _)| format!("[{}, {}]", self.node_name(*from), self.node_name(*to));
        let pairs: Vec<String> = source.pairs.iter().map(pair).collect();
        self.line(&format!("pairs = [{}]", pairs.join(", ")));
        match source.arrivals {
            BurstArrivals::Poisson { mean_gap } => self.quantity("mean_gap", mean_gap, "between two bursts of a pair"),
            BurstArrivals::Finite { sources, idle, silent } => {
                self.key("sources", sources, "each with one burst at a time");
                self.quantity("idle", idle, "the mean time between two bursts of a source");
                self.quantity("blocked", if silent { "silent" } else { "keeps-sending" }, "");
            }
        }
        self.quantity("mean", source.mean, "length of a burst");
        let law = match source.length {
            LengthLaw::Fixed => "fixed",
            LengthLaw::Exponential => "exponential",
            LengthLaw::Uniform => "uniform",
            LengthLaw::HyperExponential { .. } => "hyper-exponential",
            LengthLaw::Pareto { .. } => "pareto",
        };
        self.quantity("law", law, "");
        match source.length {
            LengthLaw::HyperExponential { variation } => self.key("variation", format!("{variation:?}"), ""),
            LengthLaw::Pareto { shape } => self.key("shape", format!("{shape:?}"), ""),
            _ => {}
        }
        self.quantity("extra_offset", source.extra_offset, "");
        self.key("headers_only", source.headers_only, "");
    }
}
