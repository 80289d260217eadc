//! What became of bursts: the sums that nodes keep, and the figures made of them.

use crate::engine::node::counters::{self, KeyedSums};
use crate::results::Figure;
use units::PS_PER_SECOND;

/// What nodes sum up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Bursts that left for the first time.
    Sent,
    /// Their bytes.
    BytesSent,
    /// Bursts that arrived, whole or in part.
    Delivered,
    /// From when they were complete, in picoseconds.
    DeliveryTime,
    /// Bursts that were lost for good, or refused before they left.
    Lost,
    /// Bursts sent again.
    Resent,
    /// Bursts that were sent another way.
    Deflected,
    /// Bursts of which a part was cut off.
    Cut,
    /// Headers whose burst never came.
    EmptyHeaders,
    /// Bursts that were made of packets.
    Assembled,
    /// Packets that were assembled.
    PacketsAssembled,
    /// How long they waited for that, in picoseconds.
    AssemblyWait,
    /// How long new bursts waited for a wavelength, in picoseconds.
    IngressWait,
    /// Senders told of a loss.
    LossesTold,
    /// Losses of which senders were not told, because the path counts as congested.
    LossesSilent,
    /// Bursts that had two paths.
    Spread,
    /// Bursts that took the second path.
    SpreadAlternate,
    /// Bursts that took another path than the one before.
    PathSwitches,
    /// Bursts that were held so that they did not overtake others.
    Held,
    /// For how long in all, in picoseconds.
    HoldTime,
    /// The most bytes that nodes held at once, each its own.
    HeldPeak,
    /// Times that loads were told.
    LoadsTold,
    /// Bursts that an egress node held until earlier ones had come.
    HeldAtEgress,
    /// For how long in all, in picoseconds.
    EgressHoldTime,
    /// The most bytes that egress nodes held at once, each its own.
    EgressPeak,
    /// Bursts that came when their egress node did not wait for them any more.
    LateAtEgress,
}

impl counters::SumKey for Key {
    fn place(self) -> usize {
        self as usize
    }
}

/// The figures of what happened between two readings.
pub fn figures(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    let sum = |key: Key| (after.of(key) - before.of(key)) as f64;
    let mean_s = |of: Key, each: Key| ratio(sum(of) / PS_PER_SECOND as f64, sum(each));
    let counted = [
        ("bursts_sent", Key::Sent),
        ("bursts_delivered", Key::Delivered),
        ("bursts_lost", Key::Lost),
        ("bursts_resent", Key::Resent),
        ("bursts_deflected", Key::Deflected),
        ("bursts_cut", Key::Cut),
        ("empty_headers", Key::EmptyHeaders),
        ("burst_losses_told", Key::LossesTold),
        ("burst_losses_silent", Key::LossesSilent),
    ];
    let counted = counted.into_iter().map(|(name, key)| Figure { name, value: sum(key), unit: "1" });
    let (lost, delivered) = (sum(Key::Lost), sum(Key::Delivered));
    let means = [
        ("burst_loss_rate", ratio(lost, lost + delivered), "1"),
        ("mean_burst_size", ratio(sum(Key::BytesSent), sum(Key::Sent)), "B"),
        ("mean_packets_per_burst", ratio(sum(Key::PacketsAssembled), sum(Key::Assembled)), "1"),
        ("mean_assembly_wait", mean_s(Key::AssemblyWait, Key::PacketsAssembled), "s"),
        ("mean_ingress_wait", mean_s(Key::IngressWait, Key::Sent), "s"),
        ("mean_burst_delay", mean_s(Key::DeliveryTime, Key::Delivered), "s"),
    ];
    let means = means.into_iter().map(|(name, value, unit)| Figure { name, value, unit });
    let means = means.filter(|figure| figure.value.is_finite());
    counted.chain(means).chain(spread(before, after)).chain(order(before, after)).collect()
}

/// What egress nodes held so that bursts kept their order, if they held any. The memory is that of the whole run.
fn order(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    if after.of(Key::HeldAtEgress) == 0 {
        return Vec::new();
    }
    let sum = |key: Key| (after.of(key) - before.of(key)) as f64;
    let held = sum(Key::HeldAtEgress);
    let figures = [
        ("bursts_held_at_egress", held, "1"),
        ("bursts_late_at_egress", sum(Key::LateAtEgress), "1"),
        ("mean_egress_hold", ratio(sum(Key::EgressHoldTime) / PS_PER_SECOND as f64, held), "s"),
        ("egress_buffer_peak", after.of(Key::EgressPeak) as f64, "B"),
    ];
    let figure = |(name, value, unit)| Figure { name, value, unit };
    figures.into_iter().map(figure).filter(|figure| figure.value.is_finite()).collect()
}

/// What became of bursts that had two paths, if any had. The memory that holds bursts is that of the whole run.
fn spread(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    if after.of(Key::Spread) == 0 {
        return Vec::new();
    }
    let sum = |key: Key| (after.of(key) - before.of(key)) as f64;
    let figures = [
        ("bursts_with_two_paths", sum(Key::Spread), "1"),
        ("bursts_on_second_path", sum(Key::SpreadAlternate), "1"),
        ("path_switches", sum(Key::PathSwitches), "1"),
        ("loads_told", sum(Key::LoadsTold), "1"),
        ("bursts_held", sum(Key::Held), "1"),
        ("mean_hold", ratio(sum(Key::HoldTime) / PS_PER_SECOND as f64, sum(Key::Held)), "s"),
        ("ordering_buffer_peak", after.of(Key::HeldPeak) as f64, "B"),
    ];
    let figure = |(name, value, unit)| Figure { name, value, unit };
    figures.into_iter().map(figure).filter(|figure| figure.value.is_finite()).collect()
}

/// `a / b`, NaN if `b` is zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
}
