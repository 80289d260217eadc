//! Networks behind the nodes of a demo.

use super::plan::Plan;
use crate::config::{self, IpConfig, Refusal, input};
use crate::traffic::ip::Ip;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

impl Plan {
    /// Networks behind nodes need IP, nodes that are there, and prefixes that lie apart.
    pub(super) fn check_networks(&self) -> Result<(), Refusal> {
        let Some((first, _)) = self.options.behind.first() else { return Ok(()) };
        if !self.options.ip {
            return Err(input(format!(
                "--behind {first}:…: no IP here; allowed: as root, without --loopback and --no-ip"
            )));
        }
        if let Some((node, prefix)) = self.options.behind.iter().find(|(node, _)| *node >= self.nodes) {
            return Err(input(format!(
                "--behind {node}:{prefix}: there is no such node; allowed: 0 to {}",
                self.nodes - 1
            )));
        }
        // No node of a demo has this number, so these are the networks behind all.
        let all = config::parse::<BTreeMap<String, IpConfig>>(Path::new("the demo"), &self.ip(Ip::NO_NODE))?.content;
        let checked = all.values().try_for_each(|ip| Ip::check(ip, Ip::NO_NODE).map(|_| ()));
        checked.map_err(|(_, why)| input(format!("--behind: {why}")))
    }

    /// `[ip]`: a node is a router if there are networks behind any.
    pub(super) fn ip(&self, node: u16) -> String {
        let behind = &self.options.behind;
        let mut text = String::from("[ip]\ntun = \"photocol0\"\nprefix = [10, 99, 0]\n");
        if !behind.is_empty() {
            text.push_str("forward = true\n");
        }
        if behind.iter().any(|(_, prefix)| prefix.contains(':')) {
            text.push_str("prefix6 = \"fd99::\"\n");
        }
        for other in (0..self.nodes).filter(|other| *other != node) {
            let of = behind.iter().filter(|(node, _)| *node == other);
            let routes: Vec<String> = of.map(|(_, prefix)| format!("{prefix:?}")).collect();
            if !routes.is_empty() {
                let _ = write!(text, "[[ip.behind]]\nnode = {other}\nroutes = [{}]\n", routes.join(", "));
            }
        }
        text
    }
}
