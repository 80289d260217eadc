//! Ways for messages beside links: between racks, and from racks to hosts that wait for room.

use super::keys::{QueuesAt, RotorSwitching};
use super::{HostLinks, Uplinks};
use crate::language::{Fault, Place, quoted};
use crate::model::{Buffer, Lane, Link, LinkId, Loss, Network, NodeId, Role};
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
        loss: Loss::None,
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

/// Where packets wait at hosts: what a host may have at its rack for each other rack, whose circuit carries so many
/// bytes while it stays. Racks get ways to their hosts.
pub(super) fn hosts(
    keys: &RotorSwitching,
    carried: u64,
    largest_packet: u32,
    network: &mut Network,
    racks: &mut [Uplinks],
) -> Result<Option<u64>, Fault> {
    if keys.queues.0 == QueuesAt::Racks {
        return Ok(None);
    }
    let place = keys.queues.place().unwrap_or(Place::Unknown);
    add_hosts(network, racks).map_err(|why| Fault::new(place, why))?;
    let least = 2 * u64::from(largest_packet);
    let of_uplinks = carried * racks[0].up.len() as u64;
    let room = keys.host_room.as_ref().map_or(of_uplinks / most_hosts(network, racks) as u64, |room| room.0.count());
    match &keys.host_room {
        Some(key) if room < least => {
            Err(key.fault(format!("found \"{}\"; allowed: at least \"{least} B\", two packets", key.0)))
        }
        _ => Ok(Some(room.max(least))),
    }
}

/// Where packets wait at hosts, racks have room for what their hosts may have there.
pub(super) fn check_buffer(
    keys: &RotorSwitching,
    buffer: Buffer,
    host_room: Option<u64>,
    largest_packet: u32,
    hosts: usize,
) -> Result<(), Fault> {
    let Some(room) = host_room else { return Ok(()) };
    let needed = room * hosts as u64;
    let bytes = match buffer {
        Buffer::Packets(places) => places.saturating_mul(largest_packet.into()),
        Buffer::Bytes(bytes) => bytes.count(),
        Buffer::Unlimited => u64::MAX,
    };
    if bytes >= needed {
        return Ok(());
    }
    let message = format!(
        "found \"{bytes} B\" for each other rack, of which the {hosts} hosts of a rack may fill \"{needed} B\" \
         (host_room); allowed: at least that"
    );
    Err(keys.buffer.fault(message))
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
            if link.loss != Loss::None || !matches!(link.queue, queue::Config::DropTail | queue::Config::Drr(_)) {
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
