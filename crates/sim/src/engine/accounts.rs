//! Where all packets went, and the totals at the end of the warm-up.

use super::hosts::{Hosts, Sink, Source};
use super::net::Drops;
use super::partition::Partition;
use super::port::Reading;
use crate::SimTime;

/// Packets that hosts sent, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Given to the network by hosts.
    pub emitted: u64,
    /// Taken by hosts.
    pub delivered: u64,
    /// Dropped anywhere.
    pub dropped: u64,
    /// On fibres and in ports.
    pub in_flight: u64,
    /// Held back at a host by order of the scenario.
    pub held: u64,
}

impl Accounts {
    /// The accounts of a partition.
    pub fn of(partition: &Partition) -> Accounts {
        Accounts {
            emitted: partition.hosts.emitted,
            delivered: partition.hosts.delivered,
            dropped: partition.net.drops.values().map(|count| count.packets).sum(),
            in_flight: partition.net.in_flight(),
            held: partition.hosts.held.len() as u64,
        }
    }

    /// Fails, with the accounts in words, unless sent = delivered + dropped + in flight + held in the whole network, and
    /// offered = dropped + given to the fibre at every link.
    pub fn check(partition: &Partition) -> Result<(), String> {
        let accounts = Accounts::of(partition);
        let Accounts { emitted, delivered, dropped, in_flight, held } = accounts;
        if emitted != delivered + dropped + in_flight + held {
            return Err(format!("{accounts:?}"));
        }
        let links = partition.net.ports.iter().zip(&partition.net.fibres);
        match links.map(|(port, fibre)| (port.given_to_fibre(), fibre.put_in())).find(|(given, put_in)| given != put_in)
        {
            Some((given, put_in)) => Err(format!("a port let {given} packets pass, its fibre has seen {put_in}")),
            None => Ok(()),
        }
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
    /// Payload bytes delivered, all flows together.
    pub delivered: u64,
}

impl Baseline {
    /// Before anything has happened.
    pub fn zero(links: usize) -> Baseline {
        Baseline { ports: vec![Reading::default(); links], ..Baseline::default() }
    }

    /// Reads all totals at `now`, and lets the greatest queue lengths begin anew.
    pub fn read(now: SimTime, partition: &mut Partition) -> Baseline {
        let delivered = (0..partition.hosts.senders.len()).map(|flow| delivered(&partition.hosts, flow)).sum();
        let ports = partition.net.ports.iter_mut();
        let ports = ports.map(|port| {
            port.restart_maximum(now.ps());
            port.reading(now.ps())
        });
        Baseline { at: now, ports: ports.collect(), drops: partition.net.drops.clone(), delivered }
    }
}

/// Bytes of a flow known to have arrived: acknowledged payload for TCP, wire bytes received for UDP.
pub fn delivered(hosts: &Hosts, flow: usize) -> u64 {
    match (&hosts.senders[flow].source, &hosts.receivers[flow].sink) {
        (Source::Tcp(sender), _) => sender.bytes_acked(),
        (_, Sink::Datagrams { bytes }) => *bytes,
        _ => 0,
    }
}
