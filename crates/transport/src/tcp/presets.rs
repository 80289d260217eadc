//! Transports by a name of their own: a window law together with what a host sets besides it. Keys that a user gives
//! count more.
//!
//! Linux's, as of 6.18: RACK-TLP, PRR, undo by D-SACK and by timestamps, F-RTO (recovery "linux"); the retransmission
//! timer's rules; an initial window of ten segments; small queues at the host's own link; delayed ACKs of 40 ms behind
//! sixteen quick ones. CUBIC has HyStart and whole segments. Reno and CUBIC are not paced unless the queue `fq` does
//! it; BBR is, a hundredth below its rate.
//! Differences from the kernel that remain: `docs/guide/hosts.md`.

use super::{ReceiverConfig, SenderConfig};
use crate::cc::Algorithm;
use options::{Entry, Options, Value, registry};
use units::Duration;

/// Keys and their values.
type Settings = &'static [(&'static str, Value)];

/// A host: its law, and what it sets.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    algorithm: Algorithm,
    settings: [Settings; 2],
}

/// The settings of all senders and receivers of Linux.
const LINUX: Settings = &[
    ("recovery", Value::Word("linux")),
    ("timer_restart", Value::Word("linux")),
    ("undo", Value::Word("both")),
    ("timestamps", Value::Flag(true)),
    ("handshake", Value::Flag(true)),
    ("initial_window", Value::Whole(10)),
    ("limit_output", Value::Whole(4 << 20)),
    ("min_rto", Value::Time(Duration::from_millis(200))),
    ("max_rto", Value::Time(Duration::from_secs(120))),
    ("clock_granularity", Value::Time(Duration::from_millis(200))),
    ("delayed_ack", Value::Time(Duration::from_millis(40))),
    ("quick_acks", Value::Whole(16)),
    ("paws_slack", Value::Time(Duration::from_millis(1))),
];

/// The settings of Reno on Linux alone.
const LINUX_RENO: [(&str, Value); 1] = [("slow_start_counts", Value::Word("all"))];
/// The settings of CUBIC on Linux alone.
const LINUX_CUBIC: [(&str, Value); 2] = [("hystart", Value::Flag(true)), ("cubic_arithmetic", Value::Word("segments"))];

registry! {
    /// A transport by a name of its own.
    pub enum Preset: Host {
        LinuxCubic = "linux-cubic", "Linux 6.18; RFC 9438, RFC 9406, RFC 8985, RFC 9937; docs/guide/hosts.md",
            "What a Linux host does by default: CUBIC with HyStart, RACK-TLP, PRR, undo, F-RTO, timestamps, delayed \
            ACKs.": Host { algorithm: Algorithm::Cubic, settings: [LINUX, &LINUX_CUBIC] };
        LinuxReno = "linux-reno", "Linux 6.18; RFC 5681, RFC 8985, RFC 9937; docs/guide/hosts.md",
            "A Linux host with Reno's window: RACK-TLP, PRR, undo, F-RTO, timestamps, delayed ACKs.":
            Host { algorithm: Algorithm::Sack, settings: [LINUX, &LINUX_RENO] };
        LinuxBbr = "linux-bbr",
            "Linux 6.18; draft-cardwell-iccrg-bbr-congestion-control-00, RFC 8985; docs/guide/hosts.md",
            "A Linux host with BBR, version 1: paced, RACK-TLP, undo, F-RTO, timestamps, delayed ACKs.":
            Host { algorithm: Algorithm::Bbr, settings: [LINUX, &[("bbr_pacing_margin", Value::Number(1.0))]] };
    }
}

/// All of them, in a fixed order.
pub fn presets() -> &'static [Entry<Preset, Host>] {
    Preset::REGISTRY
}

impl Preset {
    /// Its law.
    pub fn algorithm(self) -> Algorithm {
        self.entry().item.algorithm
    }

    fn settings(self) -> impl Iterator<Item = &'static (&'static str, Value)> {
        self.entry().item.settings.into_iter().flatten()
    }

    /// Sets what it says of a sender with its law, and of a receiver.
    pub fn apply(self, sender: &mut SenderConfig, receiver: &mut ReceiverConfig) {
        assert_eq!(sender.algorithm, self.algorithm(), "a preset is of one law");
        for (key, value) in self.settings() {
            if let Some((part, place)) = sender.part_mut(key) {
                part.set(place, *value);
            }
            if let Some(place) = receiver.find(key) {
                receiver.set(place, *value);
            }
        }
    }

    /// True if it has timestamps, which take room in packets.
    pub fn has_timestamps(self) -> bool {
        self.settings().any(|setting| *setting == ("timestamps", Value::Flag(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_name_of_its_own_and_settings_of_its_machines_that_work() {
        for preset in presets().iter().map(|entry| entry.choice) {
            assert!(Algorithm::from_name(preset.name()).is_none());
            let mut sender = SenderConfig { algorithm: preset.algorithm(), ..SenderConfig::default() };
            let mut receiver = ReceiverConfig::default();
            for (key, _) in preset.settings() {
                assert!(sender.part_mut(key).is_some() || receiver.find(key).is_some(), "{}: {key}", preset.name());
            }
            preset.apply(&mut sender, &mut receiver);
            assert_eq!((sender.validate(), receiver.validate()), (Ok(()), Ok(())), "{}", preset.name());
            assert_eq!(receiver.delayed_ack, Some(Duration::from_millis(40)));
            assert_eq!(sender.timestamps && receiver.timestamps, preset.has_timestamps());
        }
    }
}
