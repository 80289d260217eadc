//! The protocol's keys against the network.

use super::super::control_keys::{FaultKind, FaultSpec};
use super::super::keys::AapnSwitching;
use super::super::plan::{Channel, Computed, SlotFrame, Uplink};
use super::super::protocol::{DriftingClock, FibreRule, Outage, Signalled, Who};
use crate::language::{At, Fault, Key, Time, quoted};
use crate::model::{LinkId, NodeId};
use crate::topology::Draft;
use control::signalling::{Member, Network, NetworkError, Sharing, Spare};
use control::sync::FilterConfig;
use control::wire::{self, Carriage, Header};
use units::{ByteTime, Duration, Instant};

/// What the protocol is checked against.
pub struct Site<'a> {
    /// `[switching]`.
    pub at: At<()>,
    /// Its keys.
    pub table: &'a AapnSwitching,
    /// The network.
    pub network: &'a crate::model::Network,
    /// The same with names.
    pub draft: &'a Draft,
    /// The edge nodes, in order.
    pub edges: &'a [NodeId],
    /// The core nodes, in order.
    pub cores: &'a [NodeId],
    /// Slots and frames.
    pub frame: SlotFrame,
    /// Edge by edge, and core by core within an edge.
    pub uplinks: &'a [Uplink],
}

/// Slots of several datagrams, each with a header.
pub fn with_datagrams(
    frame: SlotFrame,
    number: &At<u32>,
    network: &crate::model::Network,
    uplinks: &[Uplink],
) -> Result<SlotFrame, Fault> {
    let lasts = |link: &LinkId| {
        let byte = ByteTime::at(network.links[link.index()].capacity);
        byte.map_or(Duration::ZERO, |byte| byte.of(Header::LENGTH as u32))
    };
    let queues = uplinks.iter().flat_map(|uplink| &uplink.queues);
    let header = queues.map(|(_, link)| lasts(link)).max().unwrap_or(Duration::ZERO);
    let frame = SlotFrame { datagrams: **number as u16, header, ..frame };
    match frame.datagram() {
        0 => {
            let message =
                format!("found {}: their headers, \"{header}\" each, leave no room for data; allowed: fewer", **number);
            Err(number.fault(message))
        }
        _ => Ok(frame),
    }
}

/// What a table has in a place.
type Keys<'a> = &'a super::super::control_keys::ControlSpec;

impl Site<'_> {
    /// The protocol, if it can work.
    pub fn resolve(&self, computed: Computed) -> Result<Signalled, Fault> {
        let keys: Keys = &self.table.control;
        let turnaround = self.turnaround(computed)?;
        let networks = (0..self.cores.len()).map(|core| self.network_of(core, computed.channel, turnaround));
        let master = match &keys.master {
            None => 0,
            Some(name) => self.edge(name)? as u32,
        };
        Ok(Signalled {
            request: computed.request,
            algorithm: computed.algorithm,
            sharing: self.sharing(computed),
            scheduling_time: computed.scheduling_time,
            networks: networks.collect::<Result<_, _>>()?,
            master,
            filter: FilterConfig { stamp_error: keys.stamp_error.0, ..FilterConfig::default() },
            fibre: FibreRule { jitter: keys.jitter.0, loss: *keys.loss },
            clocks: self.clocks()?,
            outages: self.table.fault.iter().map(|fault| self.outage(fault)).collect::<Result<_, _>>()?,
            failover: *keys.failover,
            transcript: *keys.transcript,
        })
    }

    /// What the master grants besides the letter of the requests.
    fn sharing(&self, computed: Computed) -> Sharing {
        Sharing {
            spare: computed.spare,
            floor: *self.table.floor,
            probe: (*self.table.probe * 1000.0).round() as u32,
            reading: self.table.request_means.0,
            idle_timeout: self.table.idle_timeout.0,
        }
    }

    fn edge(&self, name: &At<String>) -> Result<usize, Fault> {
        let node = self.draft.require(name, name.place())?;
        let not_one = || name.fault(format!("{} is not an edge node of the slotted network", quoted(name)));
        self.edges.binary_search(&node).map_err(|_| not_one())
    }

    /// By how long the longest message takes on the slowest link.
    fn turnaround(&self, computed: Computed) -> Result<Duration, Fault> {
        if let Some(given) = self.table.control.turnaround {
            return Ok(given.0);
        }
        let longest = self.check_messages(computed.spare)?;
        Ok(computed.scheduling_time + longest * 4)
    }

    /// Every message is a packet, and a slot of signalling fits a slot. How long the longest lasts.
    fn check_messages(&self, spare: Spare) -> Result<Duration, Fault> {
        let in_band = self.table.signalling.0 == Channel::InBand;
        let (nodes, slots) = (self.edges.len() as u64, u64::from(self.frame.data_slots()));
        // docs/protocol.md: header and tag; configuration, measurement, follow-up, faults and an allocation; a plan.
        let word = 80 + (81 + 5 * nodes) + 48 + 20 + 60 + (22 + 10 * slots);
        // Of a slave: a follow-up, two faults, a request, and what was not used.
        let asked = if spare == Spare::Using { 80 + 20 + 30 + 2 * (22 + 6 * nodes) } else { 0 };
        let word = word.max(asked);
        let plan = 80 + 30 + 12 * slots * nodes;
        if word.max(plan) > u64::from(u16::MAX) {
            let message =
                format!("a plan for {slots} data slots of {nodes} edge nodes has up to {plan} B; allowed: 65535");
            return Err(self.table.slots.fault(message));
        }
        let mut longest = Duration::ZERO;
        for link in self.uplinks.iter().flat_map(|uplink| [uplink.request, uplink.grant]) {
            let link = &self.network.links[link.index()];
            let lasts = |size: u64| ByteTime::at(link.capacity).map_or(Duration::MAX, |byte| byte.of(size as u32));
            let (slot, room) = (lasts(word), Duration::from_ps(self.frame.payload()));
            if in_band && slot > room {
                let message = format!(
                    "a slot of signalling has up to {word} B, \"{slot}\" on {}; allowed: at most \"{room}\"",
                    quoted(&link.name)
                );
                return Err(self.table.slot_time.fault(message));
            }
            longest = longest.max(slot).max(lasts(plan));
        }
        Ok(longest)
    }

    fn network_of(&self, core: usize, channel: Channel, turnaround: Duration) -> Result<Network, Fault> {
        let uplinks = || self.uplinks.iter().skip(core).step_by(self.cores.len());
        let delays = uplinks().flat_map(|uplink| [uplink.request, uplink.grant]);
        let delays: Vec<Duration> = delays.map(|link| self.network.links[link.index()].delay).collect();
        let nodes = self.edges.len() as u16;
        let network = Network {
            carriage: if channel == Channel::InBand { Carriage::Slots } else { Carriage::OutOfBand },
            switch_size: nodes,
            frame_slots: self.frame.slots,
            signalling_slots: self.frame.signalling_slots,
            slot: self.frame.slot,
            guard: self.frame.guard,
            switching: self.table.control.switching_time.0,
            start: Instant::ZERO,
            longest: delays.iter().copied().max().unwrap_or_default() + self.table.control.jitter.0,
            shortest: delays.iter().copied().min().unwrap_or_default(),
            turnaround,
            members: (0..nodes).map(|edge| Member { node: wire::NodeId(edge), port: edge }).collect(),
        };
        network.checked().map_err(|why| match why {
            NetworkError::Guard => {
                let (guard, switching) = (self.frame.guard, self.table.control.switching_time.0);
                let message = format!(
                    "the guard time \"{guard}\" is not longer than control.switching_time, \"{switching}\"; allowed: \
                        longer"
                );
                Fault::new(self.table.guard.place().unwrap_or(self.at.place()), message)
            }
            NetworkError::Holdover { .. } => {
                Fault::new(self.table.guard.place().unwrap_or(self.at.place()), why.to_string())
            }
            NetworkError::Signalling | NetworkError::Window { .. } | NetworkError::Frame => {
                self.table.slots.fault(why.to_string())
            }
            NetworkError::Fibres | NetworkError::Members => self.at.fault(why.to_string()),
        })
    }

    fn clocks(&self) -> Result<Vec<DriftingClock>, Fault> {
        let mut clocks = vec![DriftingClock::default(); self.edges.len()];
        for clock in &self.table.clock {
            let offset = clock.offset.map_or(0, |offset| offset.0.ps());
            let ppb = clock.drift_ppm.map_or(0, |drift| (*drift * 1000.0).round() as i64);
            clocks[self.edge(&clock.node)?] = DriftingClock { offset, ppb };
        }
        Ok(clocks)
    }

    fn outage(&self, spec: &At<FaultSpec>) -> Result<Outage, Fault> {
        let at = |time: &Key<Time>| time.0.ps();
        let (from, until) = (at(&spec.at), spec.until.map_or(u64::MAX, |until| until.0.ps()));
        if let Some(end) = spec.until.filter(|_| until <= from) {
            return Err(end.fault(format!("found \"{}\"; allowed: later than \"{}\"", end.0, spec.at.0)));
        }
        let node = self.draft.require(&spec.node, spec.node.place())?;
        let via = spec.via.as_ref().map(|name| self.core(name)).transpose()?;
        let who = match self.cores.binary_search(&node) {
            Ok(core) => Who::Core(core as u32),
            Err(_) => Who::Edge(self.edge(&spec.node)? as u32),
        };
        match (who, spec.kind.0) {
            (Who::Core(_), kind) if kind != FaultKind::Stopped => Err(spec
                .kind
                .fault("a core node can be stopped only; allowed: \"stopped\", or a fault of an edge node")),
            (Who::Core(_), _) | (_, FaultKind::Stopped) if spec.via.is_some() => {
                let place = spec.via.as_ref().expect("there is one");
                Err(place.fault("goes with cuts of an edge node; allowed: \"cut\", \"cut-up\", \"cut-down\""))
            }
            _ => Ok(Outage { who, via, kind: spec.kind.0, from, until }),
        }
    }

    fn core(&self, name: &At<String>) -> Result<u32, Fault> {
        let node = self.draft.require(name, name.place())?;
        let not_one = |_| name.fault(format!("{} is not a core node of the slotted network", quoted(name)));
        self.cores.binary_search(&node).map(|core| core as u32).map_err(not_one)
    }
}
