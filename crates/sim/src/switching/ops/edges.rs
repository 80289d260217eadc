//! Which control the edge nodes have. Another control is a folder or file of its own, its key in `keys`, and an arm
//! here.

use super::builder::EdgeControl;
use super::dlcc;
use super::dlcc::rules::DlccPlan;
use super::edge_site::EdgeSite;
use super::keys::OpsSwitching;
use super::macroflow_check::macroflows;
use super::plan::{MacroflowRules, Store};
use crate::language::Fault;
use crate::switching::kind::Later;
use units::Rate;

/// What edge nodes do.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeRules {
    /// Nothing.
    None,
    /// They gather packets in macroflows.
    Macroflows(MacroflowRules),
    /// They smooth slots and react to losses in the core.
    Dlcc(DlccPlan),
}

impl EdgeRules {
    /// What the keys say.
    pub(super) fn resolve(table: &OpsSwitching, build: &mut EdgeSite) -> Result<EdgeRules, Fault> {
        let slots = table.slot_time.as_ref().map(|time| (time.0, time.place()));
        let wavelengths = table.wavelengths.as_deref().copied();
        let dlcc = match &table.dlcc {
            Some(keys) => Some(dlcc::check::resolve(keys, slots, wavelengths, build)?),
            None => None,
        };
        match (macroflows(table, build)?, dlcc) {
            (None, None) => Ok(EdgeRules::None),
            (Some(rules), None) => Ok(EdgeRules::Macroflows(rules)),
            (None, Some(plan)) => Ok(EdgeRules::Dlcc(plan)),
            (Some(_), Some(_)) => {
                Err(table.macroflow.fault("edge nodes have dlcc already; allowed: macroflow = \"none\""))
            }
        }
    }

    /// What is left to check when it is known where packets are kept that meet.
    pub(super) fn check_store(&self, table: &OpsSwitching, store: Store) -> Result<(), Fault> {
        dlcc::check::check_store(table.dlcc.as_ref(), store)
    }

    /// What is left to check when the traffic is known.
    pub(super) fn later(&self, table: &OpsSwitching) -> Option<Later> {
        match self {
            EdgeRules::Dlcc(plan) => dlcc::check::later(&plan.rules, table.dlcc.as_ref()?),
            EdgeRules::None | EdgeRules::Macroflows(_) => None,
        }
    }

    /// The key, with its value, by which edge nodes tell senders with ECN, if they do.
    pub(super) fn echoes(&self) -> Option<&'static str> {
        match self {
            EdgeRules::Dlcc(plan) => plan.rules.echoes(),
            EdgeRules::None | EdgeRules::Macroflows(_) => None,
        }
    }

    /// The control, if there is one.
    pub fn control(&self) -> Option<&dyn EdgeControl> {
        match self {
            EdgeRules::None => None,
            EdgeRules::Macroflows(rules) => Some(rules),
            EdgeRules::Dlcc(plan) => Some(plan),
        }
    }

    /// The rules of macroflows, if these are the control.
    pub fn macroflows(&self) -> Option<&MacroflowRules> {
        match self {
            EdgeRules::Macroflows(rules) => Some(rules),
            EdgeRules::None | EdgeRules::Dlcc(_) => None,
        }
    }

    /// Bit rate of the control wavelengths, if there are any.
    pub fn control_capacity(&self, table: &OpsSwitching) -> Option<Rate> {
        self.control().map(|_| table.control_capacity.0)
    }

    /// Edge nodes cut packets that are too long for a slot.
    pub fn cuts_packets(&self) -> bool {
        self.control().is_some_and(EdgeControl::cuts_packets)
    }
}
