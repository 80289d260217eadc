//! `[network]`: what all nodes must agree on. A master and the core are given it; slaves are told by the master.

use super::value;
use control::scheduler::{self, Algorithm};
use control::signalling::{Member, Network};
use control::wire::{Carriage, NodeId};
use serde::{Deserialize, Deserializer, de::Error};
use units::{Duration, Instant};

/// `[network]`. Defaults: a slot of 1 ms with 20 slots a frame.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NetworkConfig {
    /// `slots`, `out-of-band` or `every-slot`.
    #[serde(default = "slots", deserialize_with = "carriage")]
    pub(crate) carriage: Carriage,
    #[serde(deserialize_with = "value::duration")]
    pub(crate) slot: Duration,
    pub(crate) frame_slots: u32,
    /// One for each node by default; none where signalling does not travel in slots.
    pub(crate) signalling_slots: Option<u32>,
    #[serde(deserialize_with = "value::duration")]
    pub(crate) guard: Duration,
    #[serde(default = "ten_microseconds", deserialize_with = "value::duration")]
    pub(crate) switching: Duration,
    #[serde(deserialize_with = "value::duration")]
    pub(crate) longest: Duration,
    #[serde(default, deserialize_with = "value::duration")]
    pub(crate) shortest: Duration,
    #[serde(deserialize_with = "value::duration")]
    pub(crate) turnaround: Duration,
    /// Nodes 0 to n − 1 at ports 0 to n − 1, or a port for each node.
    pub(crate) ports: Vec<u16>,
}

fn slots() -> Carriage {
    Carriage::Slots
}

fn ten_microseconds() -> Duration {
    Duration::from_micros(10)
}

fn carriage<'de, D: Deserializer<'de>>(from: D) -> Result<Carriage, D::Error> {
    match String::deserialize(from)?.as_str() {
        "slots" => Ok(Carriage::Slots),
        "out-of-band" => Ok(Carriage::OutOfBand),
        "every-slot" => Ok(Carriage::EverySlot),
        other => {
            let allowed = "'slots', 'out-of-band', 'every-slot'";
            Err(D::Error::custom(format!("carriage is '{other}'; allowed: {allowed}")))
        }
    }
}

/// A scheduler by its name.
pub(crate) fn algorithm<'de, D: Deserializer<'de>>(from: D) -> Result<Algorithm, D::Error> {
    let name = String::deserialize(from)?;
    Algorithm::from_name(&name).ok_or_else(|| {
        let names: Vec<_> = scheduler::registry().iter().map(|entry| entry.name).collect();
        D::Error::custom(format!("scheduler is '{name}'; allowed: {}", names.join(", ")))
    })
}

impl NetworkConfig {
    /// The network, if it can work.
    pub(crate) fn network(&self) -> Result<Network, String> {
        let members: Vec<Member> = self
            .ports
            .iter()
            .enumerate()
            .map(|(node, port)| Member { node: NodeId(node as u16), port: *port })
            .collect();
        let own_slots = if self.carriage == Carriage::Slots { members.len() as u32 } else { 0 };
        let network = Network {
            carriage: self.carriage,
            switch_size: self.ports.iter().max().map_or(0, |port| port.saturating_add(1)),
            frame_slots: self.frame_slots,
            signalling_slots: self.signalling_slots.unwrap_or(own_slots),
            slot: self.slot,
            guard: self.guard,
            switching: self.switching,
            start: Instant::ZERO,
            longest: self.longest,
            shortest: self.shortest,
            turnaround: self.turnaround,
            members,
        };
        network.checked().map_err(|error| format!("[network]: {error}"))
    }
}
