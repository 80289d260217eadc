//! The configurations of the processes, as TOML.

use super::{DemoOptions, Plan, Role, SWITCHING, Spread, UNEQUAL, Way};
use crate::sys::priority;
use control::signalling::Network;
use control::wire::Carriage;
use std::fmt::Write;
use units::Duration;

impl Plan {
    /// In slots, frames have slots for it and for data; beside the light, data alone; in every slot, a frame has
    /// one slot.
    fn carriage(&self) -> (&'static str, u64) {
        match self.options.carriage {
            Carriage::Slots => ("slots", self.frame_slots()),
            Carriage::OutOfBand => ("out-of-band", self.frame_slots() - u64::from(self.nodes)),
            Carriage::EverySlot => ("every-slot", 1),
        }
    }

    /// The network.
    fn network(&self) -> String {
        let slot = self.options.slot;
        let us = |duration: Duration| duration.ps() / 1_000_000;
        // A fifth of the slot is dark, of short slots up to 120 µs: what is late by more than half of that less
        // switching is not sent. Fibres and frames of seconds need more, as clocks drift while a node joins.
        let longest = self.options.fibre.unwrap_or(Duration::ZERO);
        let joining = Network::joining(longest + UNEQUAL, slot * self.frame_slots());
        let joining = us(Network::guard_for_joining(SWITCHING, joining));
        let guard = (us(slot) / 5).clamp((us(slot) / 2).min(120), 200).max(joining);
        let shortest = match self.options.spread {
            Spread::Even => 0,
            Spread::Equal => us(longest.saturating_sub(UNEQUAL)),
        };
        let ports: Vec<String> = (0..self.nodes).map(|port| port.to_string()).collect();
        let (carriage, frame_slots) = self.carriage();
        format!(
            "[network]\ncarriage = \"{carriage}\"\nslot = \"{} us\"\nframe_slots = {frame_slots}\n\
             guard = \"{guard} us\"\nswitching = \"{} us\"\n\
             longest = \"{} us\"\nshortest = \"{shortest} us\"\nturnaround = \"4 ms\"\nports = [{}]\n",
            us(slot),
            us(SWITCHING),
            us(longest + UNEQUAL),
            ports.join(", ")
        )
    }

    /// The fibre between a node and a core is the longer, the higher the number of the node.
    fn delay_us(&self, node: u16) -> u64 {
        let longest = self.options.fibre.map_or(0, |longest| longest.ps() / 1_000_000);
        match self.options.spread {
            Spread::Even => longest * u64::from(node + 1) / u64::from(self.nodes),
            Spread::Equal => longest,
        }
    }

    /// The configuration of a process.
    pub(crate) fn configuration(&self, role: Role) -> String {
        match role {
            Role::Core(core) => self.core(core),
            Role::Fibre => self.fibre(),
            Role::Node(node) => self.node(node),
        }
    }

    fn capture(&self, role: Role) -> String {
        let file = role.file().replace(".toml", ".pcapng");
        let path = self.options.capture.as_ref().map(|directory| directory.join(file));
        path.map_or(String::new(), |path| format!("capture = {:?}\n", path.display().to_string()))
    }

    fn core(&self, core: u16) -> String {
        // With several, the number tells their reports apart.
        let number = if self.cores > 1 { format!("number = {core}\n") } else { String::new() };
        let mut text = format!("{number}key_file = \"key\"\n{}{}", self.capture(Role::Core(core)), self.network());
        for node in 0..self.nodes {
            let Way { far, near: _, node: edge, core: bind } = self.way(core, node);
            let peer = if self.has_fibres { far } else { edge };
            let _ = write!(text, "[[port]]\nnumber = {node}\nbind = \"{bind}\"\npeer = \"{peer}\"\n");
        }
        text
    }

    fn fibre(&self) -> String {
        let mut text = String::from("seed = 1\n");
        for (core, node) in (0..self.cores).flat_map(|core| (0..self.nodes).map(move |node| (core, node))) {
            let Way { node: edge, near, far, core: hub } = self.way(core, node);
            let (delay, DemoOptions { loss, signalling_loss, .. }) = (self.delay_us(node), &self.options);
            let _ = write!(
                text,
                "[[line]]\nnode_bind = \"{near}\"\nnode_peer = \"{edge}\"\ncore_bind = \"{far}\"\ncore_peer = \
                    \"{hub}\"\n\
                 up = \"{delay} us\"\ndown = \"{delay} us\"\nloss = {loss:?}\nsignalling_loss = {signalling_loss:?}\n"
            );
        }
        text
    }

    fn node(&self, node: u16) -> String {
        let mut text = format!("node = {node}\nkey_file = \"key\"\n{}", self.capture(Role::Node(node)));
        let _ = writeln!(text, "request = {:?}", self.options.request);
        // One slot thread a processor, where there are enough.
        if self.cores == 1 && usize::from(self.nodes) <= priority::processors() {
            let _ = writeln!(text, "processor = {node}");
        }
        if let Some(directory) = &self.options.receive {
            let _ = writeln!(text, "receive = {:?}", directory.join(node.to_string()).display().to_string());
        }
        if node == 0 {
            text.push_str(&self.network());
        }
        for core in 0..self.cores {
            let Way { node: bind, near, core: hub, .. } = self.way(core, node);
            let peer = if self.has_fibres { near } else { hub };
            let (slot, datagram) = (self.options.slot_bytes, self.options.datagram_bytes);
            let _ = write!(
                text,
                "[[star]]\nbind = \"{bind}\"\npeer = \"{peer}\"\nslot_bytes = {slot}\ndatagram_bytes = {datagram}\n"
            );
        }
        // Clocks that are off by up to minutes and drift by up to 50 ppm.
        let ppm = [0.0, 37.5, -50.0, 20.0][usize::from(node % 4)];
        let _ = write!(text, "[clock]\noffset = \"{} s\"\ndrift_ppm = {ppm:?}\n", u32::from(node) * 7 % 60);
        if self.options.ip {
            text.push_str(&self.ip(node));
        }
        for (_, to, path) in self.options.files.iter().filter(|(from, ..)| *from == node) {
            let _ = write!(text, "[[file]]\npath = {:?}\nto = {to}\n", path.display().to_string());
        }
        text
    }
}
