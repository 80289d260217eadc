//! Where all packets went, and the totals at the end of the warm-up.

use crate::engine::execute::layout::Partitions;
use crate::engine::link::port::Reading;
use crate::engine::node::counters::Counters;
use crate::engine::node::hosts::Hosts;
use crate::engine::packet::Drops;
use crate::model::SimTime;
use transport::tcp::SenderStats;

/// Packets that hosts sent, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Given to the network by hosts, and headers that ports have sent back.
    pub emitted: u64,
    /// Made by agents that cut packets, beyond one of each; not those that are one packet again.
    pub cut: i64,
    /// Taken by hosts.
    pub delivered: u64,
    /// Dropped anywhere.
    pub dropped: u64,
    /// On fibres, in ports, and with agents.
    pub in_flight: u64,
    /// Held back at a host by order of the scenario.
    pub held: u64,
}

impl Accounts {
    /// The accounts of all partitions together.
    pub fn of(parts: &Partitions) -> Accounts {
        let of_agents = |count: fn(&Hosts) -> i64| parts.list.iter().map(|part| count(&part.hosts)).sum();
        Accounts {
            emitted: parts.sum(|part| part.hosts.emitted + part.fabric.totals.made),
            cut: of_agents(Hosts::cut),
            delivered: parts.sum(|part| part.hosts.delivered),
            dropped: parts.sum(|part| part.fabric.totals.drops.values().map(|count| count.packets).sum()),
            in_flight: parts.sum(|part| part.fabric.in_flight()).saturating_add_signed(of_agents(Hosts::kept)),
            held: parts.sum(|part| part.hosts.held.len() as u64),
        }
    }

    /// Fails, with the accounts in words, unless sent + cut = delivered + dropped + in flight + held in the whole
    /// network, and offered = dropped + given to the fibre at every link.
    pub fn check(parts: &Partitions) -> Result<(), String> {
        let accounts = Accounts::of(parts);
        let Accounts { emitted, cut, delivered, dropped, in_flight, held } = accounts;
        if emitted.checked_add_signed(cut) != Some(delivered + dropped + in_flight + held) {
            return Err(format!("{accounts:?}"));
        }
        for link in 0..parts.layout.links.len() as u32 {
            let given = parts.port(link).given_to_fibre();
            let put_in = parts.fibre(link).put_in();
            if given != put_in {
                return Err(format!("a port let {given} packets pass, its fibre has seen {put_in}"));
            }
        }
        Ok(())
    }
}

/// Totals at the end of the warm-up; statistics are differences to these.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// When.
    pub at: SimTime,
    /// Each port.
    pub ports: Vec<Reading>,
    /// What was dropped.
    pub drops: Drops,
    /// Each flow; none of which nothing had happened.
    pub flows: Vec<FlowTotals>,
    /// What agents had counted.
    pub counters: Counters,
}

impl Baseline {
    /// Before anything has happened.
    pub fn zero(links: usize) -> Baseline {
        Baseline { ports: vec![Reading::default(); links], ..Baseline::default() }
    }

    /// Reads all totals at `now`, restarts the greatest queue lengths, and tells probes.
    pub fn read(now: SimTime, parts: &mut Partitions) -> Baseline {
        parts.end_warm_up();
        let flows = (0..parts.layout.flows.len() as u32).map(|flow| FlowTotals::of(parts, flow)).collect();
        let ports = (0..parts.layout.links.len() as u32).map(|link| parts.last_reading(now.ps(), link));
        Baseline { at: now, ports: ports.collect(), drops: parts.drops(), flows, counters: parts.counters() }
    }
}

/// What has become of a flow so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowTotals {
    /// Bytes that have arrived ([`Sink::bytes_arrived`](crate::engine::node::hosts::Sink::bytes_arrived)).
    pub arrived: u64,
    /// Payload that its sender knows to have arrived in order; of datagrams all that has arrived.
    pub acked: u64,
    /// What a sender of TCP has counted. Of datagrams only how many were sent.
    pub sender: SenderStats,
}

impl FlowTotals {
    /// Those of one flow.
    pub fn of(parts: &Partitions, flow: u32) -> FlowTotals {
        let machine = &parts.sender(flow).machine;
        let arrived = parts.receiver(flow).sink.bytes_arrived();
        FlowTotals { arrived, acked: machine.bytes_acked().unwrap_or(arrived), sender: machine.stats() }
    }
}
