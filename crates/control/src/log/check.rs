//! Reads a log and nothing else, and says what must not have happened: light that met other light, files that did not
//! arrive, pairs that stood still for longer than their star announced after its core had died.

use super::{Entry, Light, What};
use crate::signalling::Part;
use crate::wire::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use units::Duration;

/// Frames after the time-out in which a pair must have light again.
const FRAMES: u64 = 3;

/// Everything that must not have happened, in words. The log may be of several files one after the other.
pub fn violations(log: &[Entry]) -> Vec<String> {
    let mut log: Vec<&Entry> = log.iter().collect();
    log.sort_by_key(|entry| entry.at);
    let mut found = light_that_met(&log);
    found.extend(slots_of_two(&log));
    found.extend(files_that_did_not_arrive(&log));
    found.extend(pairs_that_stood_still(&log));
    found
}

fn passed<'a>(log: &[&'a Entry]) -> impl Iterator<Item = (u64, u16, &'a Light)> {
    log.iter().filter_map(|entry| match &entry.what {
        What::Light(light) if light.passed => Some((entry.at, entry.star, light)),
        _ => None,
    })
}

/// An input or an output of a star.
type Side = (u16, &'static str, NodeId);

fn sides(star: u16, light: &Light) -> [Side; 2] {
    [(star, "from", light.from), (star, "to", light.to)]
}

/// Light of two slots at a time in one input or output. The datagrams of a slot come one after the other, however they
/// are stamped.
fn light_that_met(log: &[&Entry]) -> Vec<String> {
    let mut latest: BTreeMap<Side, (u64, (NodeId, u64, u32))> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, star, light) in passed(log) {
        let slot = (light.from, light.frame, light.slot);
        for side in sides(star, light) {
            let until = at + light.lasts.ps();
            let before = latest.insert(side, (until, slot));
            if let Some((_, other)) = before.filter(|(until, other)| *until > at && *other != slot) {
                let (_, way, node) = side;
                found.push(format!(
                    "light met in star {star} {way} {node} at {at} ps: of {} and {}",
                    other.0, light.from
                ));
            }
        }
    }
    found
}

/// A slot of a frame in which an input or an output was used for two.
fn slots_of_two(log: &[&Entry]) -> Vec<String> {
    let mut used: BTreeMap<(Side, u64, u32), NodeId> = BTreeMap::new();
    let mut found = Vec::new();
    for (_, star, light) in passed(log) {
        for (side, other) in sides(star, light).into_iter().zip([light.to, light.from]) {
            let first = *used.entry((side, light.frame, light.slot)).or_insert(other);
            if first != other {
                let (frame, slot, (_, way, node)) = (light.frame, light.slot, side);
                found.push(format!(
                    "slot {slot} of frame {frame} in star {star} {way} {node}: used with {first} and {other}"
                ));
            }
        }
    }
    found
}

/// Files, by sender, receiver and name.
type File<'a> = (NodeId, NodeId, &'a str);

/// When files were offered, and when they arrived.
fn files<'a>(log: &[&'a Entry]) -> BTreeMap<File<'a>, (Option<u64>, Option<u64>)> {
    let mut files: BTreeMap<File, (Option<u64>, Option<u64>)> = BTreeMap::new();
    for entry in log {
        match &entry.what {
            What::Offered { to, file } => {
                files.entry((entry.who, *to, file)).or_default().0.get_or_insert(entry.at);
            }
            What::Arrived { from, file } => {
                files.entry((*from, entry.who, file)).or_default().1.get_or_insert(entry.at);
            }
            _ => {}
        }
    }
    files
}

fn files_that_did_not_arrive(log: &[&Entry]) -> Vec<String> {
    let lost = |((from, to, file), (offered, arrived)): (&File, &(Option<u64>, Option<u64>))| match (offered, arrived) {
        (Some(_), Some(_)) => None,
        (Some(_), None) => Some(format!("the file {file} of {from} for {to} did not arrive")),
        _ => Some(format!("the file {file} arrived at {to}, and {from} has not offered it")),
    };
    files(log).iter().filter_map(lost).collect()
}

/// What a log says of times.
struct Times<'a> {
    log: &'a [&'a Entry],
    /// When each pair of nodes had light that passed, and in which star.
    light: BTreeMap<(NodeId, NodeId), Vec<(u64, u16)>>,
    /// From when until when each has something to send.
    wants: BTreeMap<(NodeId, NodeId), Vec<(u64, u64)>>,
    frame: Duration,
    timeout: Duration,
}

impl<'a> Times<'a> {
    fn of(log: &'a [&'a Entry]) -> Option<Times<'a>> {
        let announced = log.iter().filter_map(|entry| match entry.what {
            What::Announced { frame, timeout } => Some((frame, timeout)),
            _ => None,
        });
        let (frame, timeout) = announced.max_by_key(|(_, timeout)| *timeout)?;
        let mut light: BTreeMap<_, Vec<_>> = BTreeMap::new();
        passed(log).for_each(|(at, star, seen)| light.entry((seen.from, seen.to)).or_default().push((at, star)));
        let mut wants: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for entry in log {
            if let What::Wants { to } = entry.what {
                wants.entry((entry.who, to)).or_default().push((entry.at, u64::MAX));
            }
        }
        for ((from, to, _), (offered, arrived)) in files(log) {
            wants.entry((from, to)).or_default().extend(offered.map(|at| (at, arrived.unwrap_or(u64::MAX))));
        }
        Some(Times { log, light, wants, frame, timeout })
    }

    /// Whether nothing happened to a star, or to these nodes anywhere, between two instants: nobody came or went, and
    /// its master stayed.
    fn is_calm(&self, star: u16, pair: (NodeId, NodeId), from: u64, until: u64) -> bool {
        let concerns = |entry: &Entry| {
            let here = entry.star == star;
            match entry.what {
                What::Up | What::Down => entry.who == pair.0 || entry.who == pair.1 || here,
                What::Part(_) | What::Led { .. } => here,
                _ => false,
            }
        };
        let begin = self.log.partition_point(|entry| entry.at < from);
        self.log[begin..].iter().take_while(|entry| entry.at <= until).all(|entry| !concerns(entry))
    }

    /// The nodes that are members of a star at an instant, and led.
    fn members(&self, star: u16, at: u64) -> BTreeSet<NodeId> {
        let (mut members, mut led) = (BTreeSet::new(), false);
        for entry in self.log.iter().take_while(|entry| entry.at < at).filter(|entry| entry.star == star) {
            match entry.what {
                What::Part(Part::Slave | Part::Master { .. }) => drop(members.insert(entry.who)),
                What::Part(_) => drop(members.remove(&entry.who)),
                What::Down if entry.who == NodeId::CORE => led = false,
                What::Down => drop(members.remove(&entry.who)),
                What::Led { by, .. } => led = by != NodeId::ALL,
                _ => {}
            }
        }
        if led { members } else { BTreeSet::new() }
    }
}

/// Pairs that were served by a star when its core died, and that another one could serve all the time.
fn pairs_that_stood_still(log: &[&Entry]) -> Vec<String> {
    let mut found = Vec::new();
    let Some(times) = Times::of(log) else { return found };
    let Some(end) = log.last().map(|entry| entry.at) else { return found };
    let stars: BTreeSet<u16> = log.iter().map(|entry| entry.star).collect();
    let (frame, allowed) = (times.frame.ps(), times.timeout.ps() + FRAMES * times.frame.ps());
    for (died, star) in
        log.iter().filter(|entry| entry.who == NodeId::CORE && entry.what == What::Down).map(|at| (at.at, at.star))
    {
        let due = died + allowed;
        let ready = died.saturating_sub(times.timeout.ps());
        for other in stars.iter().copied().filter(|other| *other != star && due <= end) {
            let members = times.members(other, ready);
            for (pair, light) in &times.light {
                let recent = died.saturating_sub(2 * frame)..died;
                let served = light.iter().any(|(at, in_star)| *in_star == star && recent.contains(at));
                let wants =
                    times.wants.get(pair).into_iter().flatten().any(|(from, until)| *from < ready && *until > due);
                let members = members.contains(&pair.0) && members.contains(&pair.1);
                if !(served && wants && members && times.is_calm(other, *pair, ready, due)) {
                    continue;
                }
                let again = light.iter().find(|(at, in_star)| *in_star != star && *at > died).map(|(at, _)| at - died);
                if again.is_none_or(|took| took > allowed) {
                    let took = again.map_or("never again".into(), |took| format!("after {took} ps"));
                    found.push(format!(
                        "{} to {}: light {took} when the core of star {star} died at {died} ps; allowed: {allowed} ps",
                        pair.0, pair.1
                    ));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of 10, a time-out of 50; both stars are led, and nodes 1 and 2 are members of both from 5 on.
    fn calm() -> String {
        let star = |star: u16| {
            format!(
                "0 {star} core up\n2 {star} core led 1 7\n3 {star} 1 part master 7\n5 {star} 2 part slave\n4 {star} 1 \
                    announced 10 50\n"
            )
        };
        star(0) + &star(1) + "6 0 1 wants 2\n"
    }

    fn found(more: &str) -> Vec<String> {
        let text = calm() + more;
        violations(&text.lines().map(|line| line.parse().unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn light_that_overlaps_has_met_and_light_that_follows_has_not() {
        let follows = "100 0 core light 1 2 3 4 0 8 passed\n108 0 core light 3 2 3 5 0 8 passed\n";
        assert_eq!(found(follows), [""; 0]);
        let lost = "100 0 core light 1 2 3 4 0 8 passed\n104 0 core light 3 2 3 5 0 8 lost\n";
        assert_eq!(found(lost), [""; 0]);
        let elsewhere = "100 0 core light 1 2 3 4 0 8 passed\n104 1 core light 3 2 3 5 0 8 passed\n";
        assert_eq!(found(elsewhere), [""; 0]);
        let met = "100 0 core light 1 2 3 4 0 8 passed\n107 0 core light 3 2 3 5 0 8 passed\n";
        assert_eq!(found(met), ["light met in star 0 to node 2 at 107 ps: of node 1 and node 3"]);
        let twice = "100 0 core light 1 2 3 4 0 8 passed\n107 0 core light 1 3 3 5 0 8 passed\n";
        assert_eq!(found(twice), ["light met in star 0 from node 1 at 107 ps: of node 1 and node 1"]);
        let datagrams = "100 0 core light 1 2 3 4 0 8 passed\n107 0 core light 1 2 3 4 1 8 passed\n";
        assert_eq!(found(datagrams), [""; 0]);
    }

    #[test]
    fn a_slot_has_one_input_and_one_output() {
        let both = "100 0 core light 1 2 3 4 0 8 passed\n120 0 core light 3 2 3 4 0 8 passed\n";
        assert_eq!(found(both), ["slot 4 of frame 3 in star 0 to node 2: used with node 1 and node 3"]);
    }

    #[test]
    fn a_file_that_is_offered_arrives() {
        assert_eq!(found("9 0 1 offered 2 a\n300 0 2 arrived 1 a\n"), [""; 0]);
        assert_eq!(found("9 0 1 offered 2 a\n300 0 2 arrived 1 b\n").len(), 2);
        assert_eq!(found("9 0 1 offered 2 a\n"), ["the file a of node 1 for node 2 did not arrive"]);
    }

    #[test]
    fn a_pair_has_light_again_in_a_time_out_and_three_frames() {
        let light = |at: u64, star: u16| format!("{at} {star} core light 1 2 {} 4 0 8 passed\n", at / 10);
        let dies = light(190, 0) + "200 0 core down\n" + "400 1 2 wants 1\n";
        // Allowed: 50 and three frames of 10.
        assert_eq!(found(&(dies.clone() + &light(280, 1))), [""; 0]);
        let late = "node 1 to node 2: light after 81 ps when the core of star 0 died at 200 ps; allowed: 80 ps";
        assert_eq!(found(&(dies.clone() + &light(281, 1))), [late]);
        assert_eq!(found(&dies).len(), 1);
        // Nothing is asked of a pair whose other star changes its master, or of one that has nothing to send.
        assert_eq!(found(&(dies.clone() + "230 1 core led all 7\n")), [""; 0]);
        assert_eq!(found(&(dies.clone() + "230 1 2 down\n")), [""; 0]);
        assert_eq!(found(&dies.replace("190 0 core light 1 2", "190 0 core light 2 1")), [""; 0]);
        // The log ends before the pair must have light.
        assert_eq!(found(&dies.replace("400 1", "270 1")), [""; 0]);
    }
}
