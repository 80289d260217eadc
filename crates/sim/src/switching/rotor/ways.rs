//! Ways for messages beside links: between racks, and from racks to hosts that wait for room.

use super::keys::{QueuesAt, RotorSwitching};
use super::{HostLinks, Uplinks};
use crate::language::{Fault, Place, quoted};
use crate::links::{LinkProperties, Property};
use crate::model::{Buffer, Lane, Link, LinkId, Network, NodeId, Role};
use crate::queue;
use units::Rate;

/// Messages hardly last.
const CAPACITY: Rate = Rate::from_gbps(1000);

/// Ways for offers and answers beside a rack's links with the rotor switches.
pub(super) fn add(network: &mut Network, rack: &mut Uplinks) {
    rack.control_up = rack.up.iter().map(|link| beside(network, *link)).collect();
    rack.control_down = rack.down.iter().map(|link| beside(network, *link)).collect();
}

/// Its name in messages.
pub(super) fn node_name(network: &Network, node: NodeId) -> String {
    quoted(&network.nodes[node.index()].name)
}

/// A way for messages beside a link.
fn beside(network: &mut Network, data: LinkId) -> LinkId {
    let data = network.links[data.index()].clone();
    network.links.push(Link {
        name: format!("{} (control)", data.name),
        capacity: CAPACITY,
        buffer: Buffer::Unlimited,
        queue: queue::Config::DropTail,
        properties: LinkProperties { loss: Default::default(), ..data.properties },
        controller: None,
        lane: Lane::Control,
        ..data
    });
    LinkId(network.links.len() as u32 - 1)
}

/// Where packets wait at hosts no link may change: what is lost on its way to the rack gives no room back.
pub(super) fn check_events(keys: &RotorSwitching, first_event: Option<Place>) -> Result<(), Fault> {
    match first_event.filter(|_| keys.queues.0 == QueuesAt::Hosts) {
        Some(event) => Err(Fault::new(event, "links change; allowed with queues = \"hosts\": none that do".to_owned())),
        None => Ok(()),
    }
}

/// What bounds what hosts may have at their rack for each other rack, in bytes.
#[derive(Clone, Copy)]
pub(super) struct AtRack {
    /// By an uplink, while packets wait for their circuit.
    pub carried: u64,
    /// The room there.
    pub buffer: u64,
    pub largest_packet: u32,
}

/// Bytes of so much room, with packets in full.
pub(super) fn bytes(buffer: Buffer, largest_packet: u32) -> u64 {
    match buffer {
        Buffer::Packets(places) => places.saturating_mul(largest_packet.into()),
        Buffer::Bytes(bytes) => bytes.count(),
        Buffer::Unlimited => u64::MAX,
    }
}

/// Where packets wait at hosts: what a host may have at its rack for each other rack. Racks get ways to their hosts.
pub(super) fn hosts(
    keys: &RotorSwitching,
    at_rack: AtRack,
    network: &mut Network,
    racks: &mut [Uplinks],
) -> Result<Option<u64>, Fault> {
    if keys.queues.0 == QueuesAt::Racks {
        return Ok(None);
    }
    let place = keys.queues.place().unwrap_or(Place::Unknown);
    add_hosts(network, racks).map_err(|why| Fault::new(place, why))?;
    let (hosts, least) = (most_hosts(network, racks) as u64, 2 * u64::from(at_rack.largest_packet));
    let of_uplinks = at_rack.carried.saturating_mul(racks[0].up.len() as u64);
    let room = match &keys.host_room {
        Some(key) if key.0.count() < least => {
            return Err(key.fault(format!("found \"{}\"; allowed: at least \"{least} B\", two packets", key.0)));
        }
        Some(key) => key.0.count(),
        None => (of_uplinks.min(at_rack.buffer) / hosts).max(least),
    };
    let filled = room.saturating_mul(hosts);
    if filled > at_rack.buffer {
        let found = at_rack.buffer;
        let message = format!(
            "found \"{found} B\" for each other rack, of which the {hosts} hosts of a rack may fill \"{filled} B\" \
             (host_room); allowed: at least that"
        );
        return Err(keys.buffer.fault(message));
    }
    Ok(Some(room))
}

/// The most hosts at one of the racks; 1 if they have none.
pub(super) fn most_hosts(network: &Network, racks: &[Uplinks]) -> usize {
    racks.iter().map(|rack| hosts_of(network, rack.node).len()).max().unwrap_or(1).max(1)
}

/// The hosts of each rack. What one has been given room for comes to its rack.
fn add_hosts(network: &mut Network, racks: &mut [Uplinks]) -> Result<(), String> {
    for rack in racks {
        for down in hosts_of(network, rack.node) {
            let node = network.links[down.index()].to;
            let ups = || (0..).zip(&network.links).filter(|(_, link)| (link.from, link.to) == (node, rack.node));
            let (count, found) = (ups().count(), ups().next());
            let Some((up, link)) = found.filter(|_| count == 1) else {
                let (host, rack) = (node_name(network, node), node_name(network, rack.node));
                return Err(format!(
                    "there are {count} links from {host} to {rack}; allowed with queues at hosts: one"
                ));
            };
            if link.properties.loss.acts() || !matches!(link.queue, queue::Config::DropTail | queue::Config::Drr(_)) {
                let name = quoted(&link.name);
                let allowed = "no loss, and queue \"drop-tail\" or \"drr\"";
                return Err(format!("{name} may drop packets; allowed with queues at hosts: {allowed}"));
            }
            rack.hosts.push(HostLinks { node, up: LinkId(up), control: beside(network, down) });
        }
    }
    Ok(())
}

/// The links from a rack to its hosts.
fn hosts_of(network: &Network, rack: NodeId) -> Vec<LinkId> {
    let is_own = |link: &Link| {
        link.from == rack && link.lane != Lane::Control && network.nodes[link.to.index()].role == Role::Host
    };
    (0..).zip(&network.links).filter(|(_, link)| is_own(link)).map(|(number, _)| LinkId(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn room_is_bytes_with_packets_in_full() {
        let room = [Buffer::Packets(3), Buffer::Bytes(units::Bytes(4499)), Buffer::Unlimited];
        assert_eq!(room.map(|buffer| bytes(buffer, 1500)), [4500, 4499, u64::MAX]);
    }
}
