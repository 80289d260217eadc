//! Several wavelengths in every fibre (paper 003, §2.2). At a core node "each wavelength goes to a separate fabric for
//! switching": all fabrics have the same frame, and each has connections of its own in every slot of it.
//!
//! An edge node's queue has all wavelengths of its fibre, and as many of them at a time as the node has transmitters.
//! Slots are numbered by time and wavelength: slot s on wavelength w of W has number s·W + w. Its bits leave in the
//! w-th part of the slot's light at W times the rate of a wavelength: as many as on a wavelength of their own, by less
//! than a slot earlier or later.

use super::SlotRange;
use super::plan::{Aapn, Dark, SlotFrame};
use crate::engine::node::counters::SumKey;
use control::scheduler::{IDLE, Schedule};

/// What edge nodes sum up, where wavelengths are dark.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sum {
    /// Granted slots of wavelengths that were dark.
    Dark,
}

impl SumKey for Sum {
    fn place(self) -> usize {
        self as usize
    }
}

impl SlotFrame {
    /// Slots of a frame in which an edge node can send data, while so many wavelengths have light.
    pub fn slots_of_a_node(&self, lit: u32) -> u32 {
        self.data_slots() * self.transmitters.min(lit)
    }
}

/// The wavelengths of a core node.
#[derive(Clone, Debug)]
pub(super) struct Wavelengths {
    frame: SlotFrame,
    dark: Box<[Dark]>,
}

impl Wavelengths {
    pub(super) fn of(aapn: &Aapn, core: usize) -> Wavelengths {
        let dark = aapn.dark.iter().copied().filter(|dark| dark.core as usize == core);
        Wavelengths { frame: aapn.frame, dark: dark.collect() }
    }

    /// Those that have light, as far as the core node has noticed.
    pub(super) fn lit(&self, now: u64) -> Vec<u32> {
        let noticed = |dark: &Dark| dark.from.saturating_add(dark.notice)..dark.until.saturating_add(dark.notice);
        let is_dark = |wavelength: u32| {
            self.dark.iter().any(|dark| dark.wavelength == wavelength && noticed(dark).contains(&now))
        };
        (0..self.frame.wavelengths).filter(|wavelength| !is_dark(*wavelength)).collect()
    }

    /// Whether a slot meets a fabric without light in any part of it.
    pub(super) fn loses(&self, frame: u64, number: u32) -> bool {
        if self.dark.is_empty() {
            return false;
        }
        let SlotFrame { slot, wavelengths, .. } = self.frame;
        let begins = frame * self.frame.length() + slot.ps() * u64::from(number / wavelengths);
        let meets = |dark: &Dark| dark.from < begins + slot.ps() && begins < dark.until;
        self.dark.iter().any(|dark| dark.wavelength == number % wavelengths && meets(dark))
    }

    /// Whether every slot is as its neighbours: no wavelength beside it, and none that is ever dark.
    pub(super) fn are_plain(&self) -> bool {
        self.frame.wavelengths == 1 && self.dark.is_empty()
    }
}

/// What each input may send in a frame, where `lit` wavelengths have light and the schedule has that many slots:
/// connection by connection through the slots, and in each of them through the wavelengths.
pub(super) fn granted(schedule: &Schedule, frame: SlotFrame, lit: &[u32]) -> Vec<Vec<SlotRange>> {
    let first = frame.signalling_slots * frame.wavelengths;
    if lit.len() == frame.wavelengths as usize && frame.transmitters == frame.wavelengths {
        return runs(schedule, first);
    }
    let used = &lit[..lit.len().min(frame.transmitters as usize)];
    let place = |connection: u32| {
        let (slot, turn) = (connection / used.len() as u32, connection % used.len() as u32);
        first + slot * frame.wavelengths + used[turn as usize]
    };
    let spread = |ranges: Vec<SlotRange>| {
        let mut spread: Vec<SlotRange> = Vec::new();
        for SlotRange { slot, slots, to } in ranges {
            for number in (slot..slot + slots).map(place) {
                match spread.last_mut() {
                    Some(last) if last.to == to && last.slot + last.slots == number => last.slots += 1,
                    _ => spread.push(SlotRange { slot: number, slots: 1, to }),
                }
            }
        }
        spread
    };
    runs(schedule, 0).into_iter().map(spread).collect()
}

/// What each input may send in a frame whose schedule begins with slot `first`. Block after block: most connections
/// hold on.
fn runs(schedule: &Schedule, first: u32) -> Vec<Vec<SlotRange>> {
    let nodes = schedule.nodes();
    let mut runs: Vec<Vec<SlotRange>> = (0..nodes).map(|_| Vec::with_capacity(2 * nodes)).collect();
    let idle = vec![IDLE; nodes];
    let (mut before, mut now) = (&idle[..], first);
    let mut change = |before: &[u16], after: &[u16], now: u32| {
        for (input, (before, after)) in
            before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after)
        {
            if *before != IDLE
                && let Some(run) = runs[input].last_mut()
            {
                run.slots = now - run.slot;
            }
            if *after != IDLE {
                runs[input].push(SlotRange { slot: now, slots: 0, to: (*after).into() });
            }
        }
    };
    for block in schedule.blocks() {
        change(before, block.outputs, now);
        (before, now) = (block.outputs, now + block.slots);
    }
    change(before, &idle, now);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::scheduler::{Algorithm, FrameScheduler, Requests};
    use std::collections::BTreeSet;
    use units::Duration;

    fn frame(wavelengths: u32, transmitters: u32) -> SlotFrame {
        let (slot, guard, header) = (Duration::from_micros(200), Duration::from_micros(20), Duration::ZERO);
        SlotFrame { slots: 18, slot, signalling_slots: 4, guard, datagrams: 1, header, wavelengths, transmitters }
    }

    /// Four nodes that all ask for more than there is. No fabric has two inputs for an output, or an input twice, in a
    /// slot; no node sends or receives on more wavelengths than it has transmitters; and every node has all its slots.
    #[test]
    fn no_two_slots_of_light_meet_on_a_wavelength() {
        for (wavelengths, transmitters, lit) in
            [(3, 3, vec![0, 1, 2]), (3, 3, vec![0, 2]), (3, 1, vec![0, 1, 2]), (3, 2, vec![2]), (4, 2, vec![1, 2, 3])]
        {
            let frame = frame(wavelengths, transmitters);
            let slots = frame.slots_of_a_node(lit.len() as u32);
            assert_eq!(slots, 14 * transmitters.min(lit.len() as u32));
            let matrix = (0..16).map(|pair| if pair % 5 == 0 { 0 } else { 100 }).collect();
            let requests = Requests::new(4, matrix).unwrap();
            let schedule = FrameScheduler::new(Algorithm::Bvn).schedule(&requests, slots).unwrap();
            let (mut taken, mut number) = (BTreeSet::new(), 0);
            let mut at_once = vec![[0; 2]; 4 * 18];
            for (from, runs) in granted(&schedule, frame, &lit).into_iter().enumerate() {
                assert!(runs.is_sorted_by_key(|run| run.slot), "windows come in the order of time");
                for SlotRange { slot, slots, to } in runs {
                    for unit in slot..slot + slots {
                        let (time, wavelength) = (unit / wavelengths, unit % wavelengths);
                        assert!((4..18).contains(&time) && lit.contains(&wavelength), "{time}, {wavelength}");
                        assert!(taken.insert((unit, "from", from)) && taken.insert((unit, "to", to as usize)));
                        at_once[time as usize * 4 + from][0] += 1;
                        at_once[time as usize * 4 + to as usize][1] += 1;
                        number += 1;
                    }
                }
            }
            assert_eq!(number, 4 * slots);
            assert!(at_once.iter().flatten().all(|several| *several <= transmitters));
        }
    }

    #[test]
    fn a_slot_is_lost_that_meets_the_dark_in_any_part_and_it_is_noticed_later() {
        // Slots of 200 us, frames of 3.6 ms: dark from the middle of slot 4 to the beginning of slot 6 of frame 1.
        let us = 1_000_000;
        let dark = Dark { core: 0, wavelength: 1, from: 4500 * us, until: 4800 * us, notice: 1000 * us };
        let wavelengths = Wavelengths { frame: frame(2, 2), dark: [dark].into() };
        let lost: Vec<(u32, u32)> =
            (0..36).filter(|number| wavelengths.loses(1, *number)).map(|number| (number / 2, number % 2)).collect();
        assert_eq!(lost, [(4, 1), (5, 1)]);
        assert!((0..36).all(|number| !wavelengths.loses(0, number)));
        for (now, lit) in [(5499, vec![0, 1]), (5500, vec![0]), (5799, vec![0]), (5800, vec![0, 1])] {
            assert_eq!(wavelengths.lit(now * us), lit);
        }
    }
}
