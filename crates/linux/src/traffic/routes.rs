//! Which node a packet goes to: the nodes' own addresses, and the networks behind them, by the longest prefix.

use crate::config::{BehindConfig, IpConfig};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::str::FromStr;

/// The shortest MTU: what every host takes (RFC 791), and every link of IPv6 has (RFC 8200 §5).
const LEAST: u16 = 576;
const LEAST_V6: u16 = 1280;
/// Prefixes behind one node, and behind all.
const MOST: usize = 4096;

/// A prefix of IPv4 or IPv6: an address whose further bits are zero, and how many bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Prefix {
    is_v6: bool,
    bits: u128,
    length: u8,
}

impl Prefix {
    fn new(address: IpAddr, length: u8) -> Prefix {
        let (is_v6, bits) = wide(address);
        Prefix { is_v6, bits: bits & mask(length + if is_v6 { 0 } else { 96 }), length }
    }

    /// Its bits, as if it were of IPv6: the first 96 of an address of IPv4 are zero.
    fn counted(self) -> u8 {
        self.length + if self.is_v6 { 0 } else { 96 }
    }

    fn holds(self, is_v6: bool, bits: u128) -> bool {
        self.is_v6 == is_v6 && bits & mask(self.counted()) == self.bits
    }

    fn overlaps(self, other: Prefix) -> bool {
        self.holds(other.is_v6, other.bits) || other.holds(self.is_v6, self.bits)
    }
}

fn wide(address: IpAddr) -> (bool, u128) {
    match address {
        IpAddr::V4(address) => (false, u128::from(u32::from(address))),
        IpAddr::V6(address) => (true, u128::from(address)),
    }
}

fn mask(length: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(length.min(128))).unwrap_or(0)
}

impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Prefix, String> {
        let wrong = || format!("'{text}' is no prefix; allowed: as \"192.168.3.0/24\" or \"fd00:3::/64\"");
        let (address, length) = text.split_once('/').ok_or_else(wrong)?;
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv6() { 128 } else { 32 };
        let length: u8 = length.parse().ok().filter(|length| *length <= most).ok_or_else(wrong)?;
        let prefix = Prefix::new(address, length);
        match wide(address).1 == prefix.bits {
            true => Ok(prefix),
            false => Err(format!("'{text}' has bits behind its prefix; allowed: \"{prefix}\"")),
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_v6 {
            true => write!(f, "{}/{}", Ipv6Addr::from(self.bits), self.length),
            false => write!(f, "{}/{}", Ipv4Addr::from(self.bits as u32), self.length),
        }
    }
}

/// Where packets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Routes {
    prefix: [u8; 3],
    prefix6: Option<u128>,
    /// The longest first.
    behind: Vec<(Prefix, u16)>,
    /// What the networks behind a node take, where that is less than this node's own.
    mtus: Vec<(u16, u16)>,
    mtu: u16,
}

/// What is wrong, and where it stands.
pub(crate) type Wrong = (Option<Range<usize>>, String);

impl Routes {
    /// The routes of a node, if they make sense.
    pub(crate) fn new(node: u16, config: &IpConfig) -> Result<Routes, Wrong> {
        if config.mtu < LEAST {
            return Err((None, format!("mtu is {}; allowed: {LEAST} to 65535", config.mtu)));
        }
        let (mut behind, mut mtus) = (Vec::new(), Vec::new());
        for (at, entry) in config.behind.iter().enumerate() {
            let other = *entry.node.get_ref();
            let place = Some(entry.node.span());
            if other == node {
                let message = format!("the networks behind node {node}, which is this node; allowed: other nodes");
                return Err((place, message));
            }
            if config.behind[..at].iter().any(|earlier| *earlier.node.get_ref() == other) {
                return Err((place, format!("node {other} is there twice; allowed: one [[ip.behind]] for each node")));
            }
            add(entry, &mut behind)?;
            let least = if behind.iter().any(|(prefix, _)| prefix.is_v6) { LEAST_V6 } else { LEAST };
            match entry.mtu {
                Some(mtu) if mtu < least => {
                    return Err((place, format!("mtu is {mtu}; allowed: {least} to 65535")));
                }
                Some(mtu) => mtus.push((other, mtu)),
                None => {}
            }
        }
        behind.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.counted()));
        let (prefix, prefix6) = (config.prefix, config.prefix6.map(u128::from));
        Ok(Routes { prefix, prefix6, behind, mtus, mtu: config.mtu })
    }

    /// The node that has an address, or the network with it behind it.
    pub(crate) fn node_of(&self, address: IpAddr) -> Option<u16> {
        self.own_node(address).or_else(|| {
            let (is_v6, bits) = wide(address);
            self.behind.iter().find(|(prefix, _)| prefix.holds(is_v6, bits)).map(|(_, node)| *node)
        })
    }

    /// The node whose own address this is: the prefix and the node's number and one.
    fn own_node(&self, address: IpAddr) -> Option<u16> {
        match address {
            IpAddr::V4(address) => {
                let [a, b, c, last] = address.octets();
                ([a, b, c] == self.prefix && last > 0 && last < 255).then(|| u16::from(last) - 1)
            }
            IpAddr::V6(address) => {
                let last = u128::from(address).checked_sub(self.prefix6?)?;
                u16::try_from(last.checked_sub(1)?).ok()
            }
        }
    }

    /// The longest packet for a node.
    pub(crate) fn mtu_to(&self, node: u16) -> u16 {
        let known = self.mtus.iter().find(|(of, _)| *of == node);
        known.map_or(self.mtu, |(_, mtu)| *mtu).min(self.mtu)
    }

    pub(crate) fn prefixes(&self) -> impl Iterator<Item = Prefix> {
        self.behind.iter().map(|(prefix, _)| *prefix)
    }
}

/// The prefixes behind a node. Those of two nodes lie apart; only a default route covers others.
fn add(entry: &BehindConfig, behind: &mut Vec<(Prefix, u16)>) -> Result<(), Wrong> {
    let node = *entry.node.get_ref();
    for route in &entry.routes {
        let place = Some(route.span());
        let prefix: Prefix = route.get_ref().parse().map_err(|why| (place.clone(), why))?;
        let is_default = |prefix: &Prefix| prefix.length == 0;
        let clash = |(other, of): &&(Prefix, u16)| {
            let apart = *of == node || is_default(&prefix) != is_default(other);
            *other == prefix || !apart && prefix.overlaps(*other)
        };
        if let Some((other, of)) = behind.iter().find(clash) {
            return Err((
                place,
                format!("{prefix} behind node {node} overlaps {other} behind node {of}; allowed: prefixes apart"),
            ));
        }
        if behind.len() == MOST {
            return Err((place, format!("more than {MOST} prefixes; allowed: fewer")));
        }
        behind.push((prefix, node));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(behind: &str) -> Result<Routes, Wrong> {
        let text = format!("tun = \"t\"\nprefix = [10, 99, 0]\nprefix6 = \"fd99::\"\n{behind}");
        let config: IpConfig = toml::from_str(&text).unwrap();
        Routes::new(1, &config)
    }

    fn to(routes: &Routes, address: &str) -> Option<u16> {
        routes.node_of(address.parse().unwrap())
    }

    #[test]
    fn a_packet_goes_by_the_longest_prefix() {
        let routes = routes(
            "[[behind]]\nnode = 2\nroutes = [\"192.168.2.0/24\", \"192.168.2.128/25\", \"fd00:2::/32\"]\n\
             [[behind]]\nnode = 3\nroutes = [\"0.0.0.0/0\", \"172.16.0.0/12\", \"fd00:3::/64\"]\nmtu = 1300\n",
        )
        .unwrap();
        assert_eq!(to(&routes, "192.168.2.200"), Some(2));
        assert_eq!((to(&routes, "172.31.255.255"), to(&routes, "8.8.8.8")), (Some(3), Some(3)), "the default route");
        assert_eq!((to(&routes, "fd00:2:1::5"), to(&routes, "fd00:3:0:1::5")), (Some(2), None));
        assert_eq!((to(&routes, "10.99.0.7"), to(&routes, "fd99::7"), to(&routes, "fd99::")), (Some(6), Some(6), None));
        assert_eq!(to(&routes, "ff02::2"), None);
        // What looks alike in the other family is something else.
        assert_eq!(to(&routes, "::192.168.2.200"), None);
        assert_eq!((routes.mtu_to(2), routes.mtu_to(3)), (1500, 1300));
    }

    #[test]
    fn prefixes_that_make_no_sense_are_refused_where_they_stand() {
        let refused = |behind: &str| {
            let (place, why) = routes(behind).unwrap_err();
            let head = "tun = \"t\"\nprefix = [10, 99, 0]\nprefix6 = \"fd99::\"\n".len();
            (place.map(|place| behind[place.start - head..place.end - head].to_string()).unwrap_or_default(), why)
        };
        let one = |route: &str| refused(&format!("[[behind]]\nnode = 2\nroutes = [\"{route}\"]\n")).1;
        for text in ["", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0/8", "fd00::/-1", "x/8", "10.0.0.0/8/8"] {
            assert!(one(text).starts_with(&format!("'{text}' is no prefix; allowed: as ")), "{text}");
        }
        assert_eq!(one("10.0.0.1/8"), "'10.0.0.1/8' has bits behind its prefix; allowed: \"10.0.0.0/8\"");
        let two = |first: &str, second: &str| {
            refused(&format!(
                "[[behind]]\nnode = 2\nroutes = [\"{first}\"]\n[[behind]]\nnode = 3\nroutes = [\"{second}\"]\n"
            ))
        };
        let (place, why) = two("10.0.0.0/8", "10.1.0.0/16");
        assert_eq!(place, "\"10.1.0.0/16\"");
        assert_eq!(why, "10.1.0.0/16 behind node 3 overlaps 10.0.0.0/8 behind node 2; allowed: prefixes apart");
        assert!(two("fd00::/16", "fd00::/16").1.contains("overlaps"));
        assert!(two("0.0.0.0/0", "0.0.0.0/0").1.contains("overlaps"));
        let (place, why) = refused("[[behind]]\nnode = 1\nroutes = []\n");
        assert_eq!(
            (place.as_str(), why.as_str()),
            ("1", "the networks behind node 1, which is this node; allowed: other nodes")
        );
        let (place, why) = refused("[[behind]]\nnode = 2\nroutes = []\n[[behind]]\nnode = 2\nroutes = []\n");
        assert_eq!(
            (place.as_str(), why.as_str()),
            ("2", "node 2 is there twice; allowed: one [[ip.behind]] for each node")
        );
        assert!(
            refused("[[behind]]\nnode = 2\nroutes = [\"fd00::/16\"]\nmtu = 1279\n")
                .1
                .contains("allowed: 1280 to 65535")
        );
        assert!(refused("mtu = 575\n").1.contains("allowed: 576 to 65535"));
    }

    #[test]
    fn every_prefix_holds_its_own_addresses_and_no_others() {
        for (prefix, inside, outside) in [
            ("0.0.0.0/0", "255.255.255.255", "::"),
            ("128.0.0.0/1", "255.0.0.0", "127.255.255.255"),
            ("10.1.2.3/32", "10.1.2.3", "10.1.2.4"),
            ("::/0", "ffff::", "0.0.0.0"),
            ("fd00::/127", "fd00::1", "fd00::2"),
            ("fd00::1/128", "fd00::1", "fd00::"),
        ] {
            let found: Prefix = prefix.parse().unwrap();
            let holds = |address: &str| {
                let (is_v6, bits) = wide(address.parse().unwrap());
                found.holds(is_v6, bits)
            };
            assert!(holds(inside) && !holds(outside), "{prefix}");
            assert_eq!(found.to_string(), prefix);
        }
    }
}
