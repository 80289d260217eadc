//! IP at the edge: packets of a TUN interface into blocks, and back. Node n has the address of the prefix that ends with n + 1.

use super::{BLOCK, Packer};
use crate::config::{IpConfig, Refusal, input};
use crate::sys::tun::Tun;
use control::wire::IpPacket;
use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, RawFd};
use std::process::Command;

/// Bytes of the fields of an [`IpPacket`] before its data.
const FIELDS: usize = 12;
/// A part of a packet is at least so long, unless it is its end.
const SHORTEST_PART: usize = 64;

/// The interface of a node.
pub(crate) struct Ip {
    tun: Tun,
    prefix: [u8; 3],
    /// Packets sent to each node.
    sent: BTreeMap<u16, u64>,
    /// By star and sender: in each star parts come in order.
    arriving: BTreeMap<(usize, u16), Arriving>,
    pub(crate) incomplete: u64,
}

/// A packet of which some has come.
#[derive(Debug, Default)]
struct Arriving {
    packet: u64,
    length: u16,
    bytes: Vec<u8>,
}

impl Ip {
    /// Makes the interface and gives it the node's address.
    pub(crate) fn open(config: &IpConfig, node: u16) -> Result<Ip, Refusal> {
        let last =
            u8::try_from(node + 1).map_err(|_| input(format!("node {node} has no address; allowed: 0 to 253")))?;
        let tun = Tun::open(&config.tun).map_err(|error| {
            input(format!("the interface '{}': {error}; a TUN interface needs root and /dev/net/tun", config.tun))
        })?;
        let [a, b, c] = config.prefix;
        let address = format!("{a}.{b}.{c}.{last}/24");
        let mtu = config.mtu.to_string();
        for arguments in
            [vec!["address", "add", &address, "dev", &config.tun], vec!["link", "set", &config.tun, "mtu", &mtu, "up"]]
        {
            run_ip(&arguments)?;
        }
        Ok(Ip { tun, prefix: config.prefix, sent: BTreeMap::new(), arriving: BTreeMap::new(), incomplete: 0 })
    }

    pub(crate) fn file(&self) -> RawFd {
        self.tun.as_raw_fd()
    }

    /// The next packet that waits, if it is for a node: which, and its length in `buffer`. Packets for nobody are dropped.
    pub(crate) fn next(&self, buffer: &mut [u8]) -> Option<(Option<u16>, usize)> {
        let length = self.tun.read(buffer).ok().flatten()?;
        Some((self.destination(&buffer[..length]), length))
    }

    /// The node that has the destination of an IPv4 packet.
    fn destination(&self, packet: &[u8]) -> Option<u16> {
        let address = packet.get(16..20).filter(|_| packet[0] >> 4 == 4)?;
        (address[..3] == self.prefix && address[3] > 0 && address[3] < 255).then(|| u16::from(address[3]) - 1)
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
            self.incomplete += u64::from(!arriving.bytes.is_empty());
            *arriving = Arriving { packet: part.packet, length: part.length, bytes: Vec::new() };
        }
        let fits = arriving.packet == part.packet
            && arriving.length == part.length
            && arriving.bytes.len() == usize::from(part.offset)
            && arriving.bytes.len() + part.bytes.len() <= usize::from(part.length);
        if !fits {
            self.incomplete += 1;
            *arriving = Arriving::default();
            return;
        }
        arriving.bytes.extend_from_slice(&part.bytes);
        if arriving.bytes.len() == usize::from(arriving.length) {
            let packet = std::mem::take(arriving);
            // A packet that the kernel does not like is lost, as on any link.
            let _ = self.tun.write(&packet.bytes);
        }
    }
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
