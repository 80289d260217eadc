//! Signalling in an agile all-photonic network. Source: the AAPN thesis (paper 003), eqs. (3.1), (3.2), (3.6), (4.1).

use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

const SLOTS: Unit = Unit::Named("slots");

model! {
    name: Aapn,
    holds: "One signalling slot per edge node and frame; the schedule of a frame is used in the next.",
    inputs {
        nodes: f64 = Kind::Number { unit: Unit::Named("nodes"), default: 16.0, range: Range::whole(1.0, 1e6) },
            "Edge nodes: N_s of (3.6), nodeSize of (3.1).";
        frame: f64 = Kind::Number { unit: SLOTS, default: 32.0, range: Range::whole(1.0, 1e9) },
            "Slots in a frame, N_f.";
        slot: f64 = Kind::Number { unit: Unit::Seconds, default: 250e-6, range: Range::closed(1e-12, 100.0) },
            "Slot period T_s.";
        capacity: f64 = Kind::Number { unit: Unit::BitsPerSecond, default: 45e6, range: Range::closed(1.0, 1e15) },
            "Link capacity C.";
        assigned: f64 = Kind::Number { unit: SLOTS, default: 12.0, range: Range::whole(0.0, 1e9) },
            "Slots of the frame that the scheduler assigns to the node, N_s of (4.1).";
        overhead: f64 = Kind::Number { unit: Unit::Bytes, default: 60.0, range: Range::closed(0.0, 1e9) },
            "Signalling bytes in a slot, if every slot signals.";
        slot_size: f64 = Kind::Number { unit: Unit::Bytes, default: 1200.0, range: Range::closed(1.0, 1e12) },
            "Bytes of a slot.";
    }
    outputs {
        frame_overhead: f64 ["1"], "Share of slots that signal, eq. (3.1): overhead over whole.";
        slot_overhead: f64 ["1"], "Share of a slot that signals, eq. (3.2).";
        scheduling_time_s: f64 ["s"], "Time T_c for the scheduler, eq. (3.6).";
        frame_s: f64 ["s"], "Frame period T_f.";
        bandwidth_bps: f64 ["bps"], "Bandwidth of the node, eq. (4.1).";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let refuse = |input, value: f64, why: String| Err(Error::Impossible { input, value, why });
    if i.nodes >= i.frame {
        let why = format!("a frame needs more slots than there are nodes that signal, {}", i.nodes);
        return refuse("frame", i.frame, why);
    }
    if i.assigned > i.frame {
        return refuse("assigned", i.assigned, format!("a frame has {} slots", i.frame));
    }
    if i.overhead > i.slot_size {
        return refuse("overhead", i.overhead, format!("a slot has {} bytes", i.slot_size));
    }
    Ok(Outputs {
        frame_overhead: i.nodes / i.frame,
        slot_overhead: i.overhead / i.slot_size,
        scheduling_time_s: (i.frame - i.nodes) * i.slot,
        frame_s: i.frame * i.slot,
        bandwidth_bps: bandwidth(i.assigned, i.capacity, i.frame),
    })
}

/// Eq. (4.1): N_s C T_s/T_f.
pub(crate) fn bandwidth(assigned: f64, capacity: f64, frame: f64) -> f64 {
    capacity * assigned / frame
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 3.3's column "allowed time" (ms) at 250 µs; errata 3.2: N_f = 32, N_s = 16.
    #[test]
    fn the_allowed_times_of_table_3_3() {
        let table = [
            (16.0, 32.0, 4.0),
            (16.0, 64.0, 12.0),
            (16.0, 128.0, 28.0),
            (32.0, 64.0, 8.0),
            (32.0, 128.0, 24.0),
            (32.0, 256.0, 56.0),
            (64.0, 128.0, 16.0),
            (64.0, 256.0, 48.0),
            (64.0, 512.0, 112.0),
        ];
        for (nodes, frame, allowed_ms) in table {
            let found = evaluate(&Inputs { nodes, frame, ..Inputs::default() }).unwrap();
            assert!((found.scheduling_time_s * 1e3 - allowed_ms).abs() < 1e-9);
        }
    }

    /// 60 of 1200 octets are 0.05; 12 of 18 slots of 45 Mb/s are 30 Mb/s; the frame of 18 slots of 200 µs lasts 3.6 ms.
    /// Counted slot by slot.
    #[test]
    fn the_papers_numbers_counted_slot_by_slot() {
        let i = Inputs { nodes: 6.0, frame: 18.0, slot: 200e-6, ..Inputs::default() };
        let found = evaluate(&i).unwrap();
        let bits: f64 = (0..18).map(|slot| if slot < 12 { 45e6 * 200e-6 } else { 0.0 }).sum();
        assert!((found.bandwidth_bps - bits / 3.6e-3).abs() < 1e-6 && (found.bandwidth_bps - 30e6).abs() < 1e-6);
        assert!((found.slot_overhead - 0.05).abs() < 1e-15 && (found.frame_s - 3.6e-3).abs() < 1e-15);
        assert!((found.frame_overhead - (0..18).filter(|slot| *slot < 6).count() as f64 / 18.0).abs() < 1e-15);
    }

    #[test]
    fn a_frame_without_room_for_data_is_refused() {
        // As printed in 3.8.3: a frame of 16 slots for 32 nodes.
        let message = evaluate(&Inputs { nodes: 32.0, frame: 16.0, ..Inputs::default() }).unwrap_err().to_string();
        assert_eq!(message, "frame = 16: a frame needs more slots than there are nodes that signal, 32");
    }
}
