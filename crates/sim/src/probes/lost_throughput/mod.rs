//! What each flow of TCP did not get of its path, and why (`docs/decisions/0010`): columns of the table of flows and
//! figures of the summary, when the run is over.
//!
//! | file | holds |
//! |---|---|
//! | `account` | bytes that a flow did not send, and the reductions of its window |
//! | `drops` | dropped segments one by one |
//! | `blame` | which drop each reduction is put down to |

mod account;
mod blame;
mod drops;

use super::ProbeKeys;
use super::about::About;
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{BySource, Owners, Rule, Summed, state};
use crate::engine::packet::{DropPlace, Packet};
use crate::language::Key;
use crate::language::keys::keys;
use account::Account;
use blame::LostRows;
use drops::Drops;
use std::collections::BTreeMap;
use transport::tcp::Sender;
use units::PS_PER_SECOND;

pub(super) const ABOUT: About = About { columns: blame::columns, figures: blame::figures, ..About::NOTHING };

keys! {
    /// Lost throughput.
    pub struct Keys {
        /// Whether the tables say why flows of TCP did not get the whole of their paths: docs/guide/results.md. A run
        /// takes longer with it, and does not change.
        pub lost_throughput: Key<bool> = false;
    }
}

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        self.lost_throughput.then(|| Box::new(LostThroughput::new()) as Box<dyn AnyProbe>)
    }
}

state! {
    /// What is known of a partition.
    #[derive(Clone, Debug)]
    pub struct LostThroughput {
        /// What flows did not get, by flow.
        accounts: BTreeMap<u32, Box<Account>>, BySource;
        drops: Drops, Summed;
    }
}

impl Rule<Drops> for Summed {
    fn merge(parts: Vec<Drops>, _: &dyn Owners) -> Drops {
        Drops::merged(parts.into_iter())
    }

    fn split(all: Drops, after: &dyn Owners) -> Vec<Drops> {
        std::iter::once(all).chain((1..after.parts()).map(|_| Drops::default())).collect()
    }
}

impl LostThroughput {
    fn new() -> LostThroughput {
        LostThroughput { accounts: BTreeMap::new(), drops: Drops::default() }
    }
}

impl Observer for LostThroughput {
    fn sender_called(&mut self, now: u64, flow: u32, sender: &Sender, sends: bool) {
        if let Some(account) = self.accounts.get_mut(&flow) {
            account.look(now, sender, sends);
        }
    }

    fn dropped(&mut self, now: u64, _: DropPlace, cause: Cause, packet: &Packet) {
        self.drops.note(now, cause, packet);
    }

    fn drop_feigned(&mut self, now: u64, ack: &Packet) {
        self.drops.note_feigned(now, ack);
    }

    fn needs_order(&self) -> bool {
        true
    }
}

impl Probe for LostThroughput {
    /// Every flow of TCP that has a path gets an account.
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        for flow in 0..site.flows().len() as u32 {
            if let Some(account) = account(flow, site) {
                self.accounts.insert(flow, Box::new(account));
                site.watch_sender(flow);
            }
        }
    }

    fn report(seen: Vec<&mut LostThroughput>, run: &RunSoFar) -> Report {
        if !run.is_over {
            return Report::default();
        }
        let (mut accounts, mut lists) = (BTreeMap::new(), Vec::new());
        for part in seen {
            accounts.append(&mut part.accounts);
            lists.push(std::mem::take(&mut part.drops));
        }
        let lost = LostRows::new(accounts, Drops::merged(lists.into_iter()), run);
        Report { columns: lost.columns(), figures: lost.figures(), tables: Vec::new() }
    }
}

/// The account of a flow of TCP that has a path.
fn account(flow: u32, site: &dyn ProbeSite) -> Option<Account> {
    let (scenario, of_flow) = (site.scenario(), &site.flows()[flow as usize]);
    let sender = scenario.transports[of_flow.transport.index()].kind.sender()?;
    let capacity = site.path(flow).map(|link| scenario.network.links[link.index()].capacity.bps()).min()?;
    let payload = f64::from(sender.mss) / f64::from(sender.mss + u32::from(site.header(flow)));
    let bytes = capacity as f64 * payload / (8.0 * PS_PER_SECOND as f64);
    Some(Account::new(of_flow.start.ps(), bytes, sender.mss))
}
