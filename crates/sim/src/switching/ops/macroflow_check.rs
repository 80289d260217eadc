//! The keys of macroflows.

use super::edge_site::EdgeSite;
use super::keys::{EdgeQueueRule, GainsRule, MacroflowRule, OpsSwitching, SmoothingRule};
use super::plan::{Count, MacroflowRules, Scheme, Smoothing};
use crate::language::{At, Fault};
use crate::model::{LinkId, Network};
use transport::xcp::{Gains, Tells};

/// What the keys of macroflows say.
pub fn macroflows(table: &OpsSwitching, build: &EdgeSite) -> Result<Option<MacroflowRules>, Fault> {
    let scheme = match table.macroflow.0 {
        MacroflowRule::None => return Ok(None),
        MacroflowRule::Same => Scheme::Same,
        MacroflowRule::Separate => Scheme::Separate,
        MacroflowRule::SeparateWavelength => Scheme::SeparateWavelength,
    };
    check_start_and_floor(table, build.network, build.fibres)?;
    let (gains, edge_gains) = gains(table);
    let tells = table.probe_tells.0;
    if table.macroflow_count.0 == Count::Active && tells == Tells::Allowed {
        let message = "found \"active\", and probes do not tell what was sent; allowed with probe_tells = \"sent\"";
        return Err(table.macroflow_count.fault(message));
    }
    Ok(Some(MacroflowRules {
        scheme,
        target: *table.target,
        edge_target: *table.edge_target,
        gains,
        edge_gains,
        edge_queue_kept: table.edge_queue.0 == EdgeQueueRule::Macroflows,
        period: table.period.0,
        start: table.start_rate.map(|at| at.0),
        floor: table.floor_rate.0,
        count: table.macroflow_count.0,
        tells,
        memory: *table.probe_memory,
        changes: table.feedback_changes.0,
        smoothing: match table.smoothing.0 {
            SmoothingRule::LeakyBucket => Smoothing::LeakyBucket,
            SmoothingRule::RoundRobin => Smoothing::RoundRobin,
            SmoothingRule::TokenBucket => Smoothing::TokenBucket { depth: *table.token_depth },
        },
    }))
}

/// At core outputs and at edge outputs.
fn gains(table: &OpsSwitching) -> (Gains, Gains) {
    let (core, edge) = match table.gains.0 {
        GainsRule::EdgeRouters => (Gains::XCP, Gains::EDGE_ROUTERS),
        GainsRule::CoreRouters => (Gains::EDGE_ROUTERS, Gains::XCP),
        GainsRule::Everywhere => (Gains::EDGE_ROUTERS, Gains::EDGE_ROUTERS),
        GainsRule::Xcp => (Gains::XCP, Gains::XCP),
    };
    let own = |usual: Gains, [alpha, beta, gamma]: [Option<At<f64>>; 3]| Gains {
        alpha: alpha.map_or(usual.alpha, At::into_inner),
        beta: beta.map_or(usual.beta, At::into_inner),
        gamma: gamma.map_or(usual.gamma, At::into_inner),
    };
    let core = own(core, [table.alpha, table.beta, table.gamma]);
    (core, own(edge, [table.edge_alpha, table.edge_beta, table.edge_gamma]))
}

fn check_start_and_floor(table: &OpsSwitching, network: &Network, fibres: &[LinkId]) -> Result<(), Fault> {
    let floor = table.floor_rate.0;
    let least = fibres.iter().map(|fibre| network.links[fibre.index()].capacity).min().unwrap_or(floor);
    if table.floor_rate.place().is_some() && floor > least {
        let message = format!("found \"{floor}\"; allowed: at most a wavelength's capacity, \"{least}\"");
        return Err(table.floor_rate.fault(message));
    }
    if let Some(at) = &table.start_rate
        && (at.0 < floor || at.0 > least)
    {
        let message = format!("found \"{}\"; allowed: from floor_rate, \"{floor}\", to \"{least}\"", at.0);
        return Err(at.fault(message));
    }
    Ok(())
}
