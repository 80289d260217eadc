//! What optical switches do that routers do not: one regime a folder, each with the agents of its nodes.
//!
//! | folder | holds |
//! |---|---|
//! | `aapn` | an agile all-photonic network: edge nodes that send in granted slots, core nodes that schedule frames |
//! | `obs` | optical burst switching: packets are assembled into bursts, headers reserve wavelengths ahead of them |
//! | `ops` | optical packet switching: edge nodes that pace macroflows, core nodes with optical RAM, slots or delay lines |
//! | `list` | no folder: what `photocol list switches` says |

mod aapn;
mod list;
mod obs;
mod ops;

pub use list::{Entry, list};
pub(crate) use obs::FlowClass;

use crate::engine::equipment::{Equipment, Ground};
use crate::engine::ledger::Tally;
use crate::model::{Opening, PortRule, Scenario, Switching};
use crate::results::Figure;

/// The agents that a kind of switching needs.
pub(crate) fn equip(switching: &Switching, ground: &mut Ground) -> Equipment {
    match switching {
        Switching::Packets => Equipment::default(),
        Switching::Ops(ops) => ops::equip(ops, ground),
        Switching::Aapn(aapn) => Equipment { agents: aapn::agents(aapn, ground), ..Equipment::default() },
        Switching::Obs(obs) => obs::equip(obs, ground),
    }
}

/// The rules of each link's port.
pub(crate) fn ports(scenario: &Scenario) -> Vec<PortRule> {
    let rule = |(id, link)| match &scenario.switching {
        Switching::Packets => PortRule::of(link),
        Switching::Ops(ops) => ops.port(&scenario.network, id),
        Switching::Aapn(aapn) if link.via.is_some() => {
            PortRule { opening: Opening::InWindows(aapn.packing), ..PortRule::of(link) }
        }
        Switching::Aapn(_) => PortRule::of(link),
        Switching::Obs(obs) => obs.port(&scenario.network, id),
    };
    (0..).map(crate::model::LinkId).zip(&scenario.network.links).map(rule).collect()
}

/// How tables call what agents switch, and the reasons for which they drop something.
pub(crate) struct Wording {
    /// The class of what they switch.
    pub unit: &'static str,
    /// By the number of the reason.
    pub causes: &'static [&'static str],
}

/// The words of a kind of switching.
pub(crate) fn wording(switching: &Switching) -> Wording {
    match switching {
        Switching::Obs(_) => obs::WORDING,
        _ => Wording { unit: "unit", causes: &[] },
    }
}

/// The figures of a kind of switching, of what its agents have counted between two readings.
pub(crate) fn figures(switching: &Switching, before: &Tally, after: &Tally) -> Vec<Figure> {
    match switching {
        Switching::Obs(_) => obs::figures(before, after),
        _ => Vec::new(),
    }
}
