//! IP at the edge: packets of a TUN interface into blocks, and back. Node n has the address of the prefix that
//! ends with n + 1, and is the router of the
//! networks behind it: "an edge node is an ordinary … router … It aggregates traffic from outside of AAPN" (paper
//! 003, §2.1).

use super::icmp::Router;
use super::routes::{Routes, Wrong};
use super::{BLOCK, Packer};
use crate::config::{IpConfig, Refusal, input};
use crate::sys::tun::Tun;
use control::wire::IpPacket;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, RawFd};
use std::process::Command;

/// Bytes of the fields of an [`IpPacket`] before its data.
const FIELDS: usize = 12;
/// A part of a packet is at least so long, unless it is its end.
const SHORTEST_PART: usize = 64;

/// The interface of a node.
pub(crate) struct Ip {
    tun: Tun,
    routes: Routes,
    router: Router,
    node: u16,
    /// Packets sent to each node.
    sent: BTreeMap<u16, u64>,
    /// By star and sender: in each star parts come in order.
    arriving: BTreeMap<(usize, u16), Arriving>,
    pub(crate) counts: Counts,
}

/// What became of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// From the interface into slots.
    pub(crate) taken: u64,
    /// From slots to the interface.
    pub(crate) delivered: u64,
    /// A part did not come.
    pub(crate) incomplete: u64,
    /// For an address that no node has, nor a network behind one.
    pub(crate) without_route: u64,
    /// Longer than the networks behind the node take; its sender was told.
    pub(crate) too_big: u64,
}

/// A packet of which some has come.
#[derive(Debug, Default)]
struct Arriving {
    packet: u64,
    length: u16,
    bytes: Vec<u8>,
}

impl Ip {
    /// The number of no node: the last one that would have an address.
    pub(crate) const NO_NODE: u16 = 253;

    /// The routes of a node, if they make sense.
    pub(crate) fn check(config: &IpConfig, node: u16) -> Result<Routes, Wrong> {
        if node + 1 > u16::from(u8::MAX - 1) {
            return Err((None, format!("node {node} has no address; allowed: 0 to 253")));
        }
        Routes::new(node, config)
    }

    /// Makes the interface, gives it the node's addresses, and lets the kernel send there what is for other nodes.
    pub(crate) fn open(config: &IpConfig, node: u16, routes: Routes) -> Result<Ip, Refusal> {
        let tun = Tun::open(&config.tun).map_err(|error| {
            input(format!("the interface '{}': {error}; a TUN interface needs root and /dev/net/tun", config.tun))
        })?;
        let ([a, b, c], last) = (config.prefix, (node + 1) as u8);
        let v4 = Ipv4Addr::new(a, b, c, last);
        let v6 = config.prefix6.map(|prefix| Ipv6Addr::from(u128::from(prefix).wrapping_add(u128::from(node) + 1)));
        let (name, mtu) = (config.tun.as_str(), config.mtu.to_string());
        run_ip(&["address", "add", &format!("{v4}/24"), "dev", name])?;
        run_ip(&["link", "set", name, "mtu", &mtu, "up"])?;
        if let Some(v6) = v6 {
            // Nobody else can have it: there is no neighbour to ask.
            run_ip(&["-6", "address", "add", &format!("{v6}/64"), "dev", name, "nodad"])?;
        }
        for prefix in routes.prefixes() {
            run_ip(&["route", "replace", &prefix.to_string(), "dev", name])?;
        }
        if config.forward {
            forward(v6.is_some())?;
        }
        let (sent, arriving, counts) = (BTreeMap::new(), BTreeMap::new(), Counts::default());
        Ok(Ip { tun, routes, router: Router { v4, v6 }, node, sent, arriving, counts })
    }

    pub(crate) fn file(&self) -> RawFd {
        self.tun.as_raw_fd()
    }

    /// The next packet that waits: for which node, and its length in `buffer`. For no node, if it goes
    /// nowhere, which is counted; nothing, if none waits.
    pub(crate) fn next(&mut self, buffer: &mut [u8], is_there: impl Fn(u16) -> bool) -> Option<(Option<u16>, usize)> {
        let length = self.tun.read(buffer).ok().flatten()?;
        Some((self.destination(&buffer[..length], is_there), length))
    }

    fn destination(&mut self, packet: &[u8], is_there: impl Fn(u16) -> bool) -> Option<u16> {
        let node = address(packet).and_then(|to| self.routes.node_of(to));
        let Some(node) = node.filter(|node| *node != self.node && is_there(*node)) else {
            self.counts.without_route += 1;
            return None;
        };
        let mtu = self.routes.mtu_to(node);
        if packet.len() > usize::from(mtu) {
            self.counts.too_big += 1;
            if let Some(error) = self.router.too_big(packet, mtu) {
                let _ = self.tun.write(&error);
            }
            return None;
        }
        self.counts.taken += 1;
        Some(node)
    }

    /// Puts a packet into the open slots for a node.
    pub(crate) fn pack(&mut self, to: u16, packet: &[u8], into: &mut Packer) {
        let number = self.sent.entry(to).or_insert(0);
        let mut offset = 0;
        while offset < packet.len() {
            let rest = packet.len() - offset;
            let room = into.left(to).saturating_sub(BLOCK + FIELDS);
            if room < rest.min(SHORTEST_PART) {
                into.close(to);
                continue;
            }
            let part = rest.min(room);
            let block = IpPacket {
                packet: *number,
                offset: offset as u16,
                length: packet.len() as u16,
                bytes: packet[offset..offset + part].to_vec(),
            };
            into.add(to, block.into(), BLOCK + FIELDS + part);
            offset += part;
        }
        *number += 1;
    }

    /// A part of a packet has come. Parts come in order, and all or the packet is gone.
    pub(crate) fn take(&mut self, from: (usize, u16), part: IpPacket) {
        let arriving = self.arriving.entry(from).or_default();
        if part.offset == 0 {
            self.counts.incomplete += u64::from(!arriving.bytes.is_empty());
            *arriving = Arriving { packet: part.packet, length: part.length, bytes: Vec::new() };
        }
        let fits = arriving.packet == part.packet
            && arriving.length == part.length
            && arriving.bytes.len() == usize::from(part.offset)
            && arriving.bytes.len() + part.bytes.len() <= usize::from(part.length);
        if !fits {
            self.counts.incomplete += 1;
            *arriving = Arriving::default();
            return;
        }
        arriving.bytes.extend_from_slice(&part.bytes);
        if arriving.bytes.len() == usize::from(arriving.length) {
            let packet = std::mem::take(arriving);
            // A packet that the kernel does not like is lost, as on any link.
            self.counts.delivered += u64::from(self.tun.write(&packet.bytes).is_ok());
        }
    }
}

/// To whom a packet is.
fn address(packet: &[u8]) -> Option<IpAddr> {
    match packet.first()? >> 4 {
        4 => Some(IpAddr::from(*packet.get(16..20)?.first_chunk::<4>()?)),
        6 => Some(IpAddr::from(*packet.get(24..40)?.first_chunk::<16>()?)),
        _ => None,
    }
}

/// From now on the kernel passes packets on, in this network namespace.
fn forward(v6: bool) -> Result<(), Refusal> {
    let files = ["/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"];
    for path in files.iter().take(if v6 { 2 } else { 1 }) {
        std::fs::write(path, "1").map_err(|error| input(format!("{path}: {error}; [ip] forward needs root")))?;
    }
    Ok(())
}

/// Runs `ip`.
pub(crate) fn run_ip(arguments: &[&str]) -> Result<(), Refusal> {
    let mut command = Command::new("ip");
    finish_ip(command.args(arguments), arguments)
}

/// Waits for a command that is `ip` with these arguments.
pub(crate) fn finish_ip(command: &mut Command, arguments: &[&str]) -> Result<(), Refusal> {
    let shown = arguments.join(" ");
    let output = command.output().map_err(|error| input(format!("ip {shown}: {error}; is iproute2 installed?")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(input(format!("ip {shown}: {}", String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
