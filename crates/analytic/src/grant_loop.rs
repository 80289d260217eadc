//! A sender that follows its grants, over a master that grants what is asked for: XCP-CL (paper 003 §4.2) in a closed
//! loop with the request and allocation protocol (§3.5). Our own derivation.
//!
//! Let y be the rate of a pair of edge nodes and c the capacity that its controller is told. Data for which slots are
//! not there yet waits W = (1/2 + D) T_f + P + S T_s until its own grant comes: half a frame for the next request, made
//! P before a frame begins, D frames for the answer, and the signalling slots. By the letter c = y, and all data waits:
//! a queue of Q = y W stands, and the efficiency controller gives F = α (c − y) − β Q/d = −β y W/d. So y falls by β W/d
//! in every control interval, whatever it is: the only fixed point is the smallest window, a packet a round trip for
//! each flow. A remedy helps where it makes c larger than y without a wait.

use crate::aapn::bandwidth;
use crate::declare::model;
use crate::xcp::{alpha, beta};
use crate::{Error, Kind, Range, Unit};

const SLOTS: Unit = Unit::Named("slots");
const PAIRS: Unit = Unit::Named("pairs");
const TIME: Range = Range::closed(0.0, 1e3);

model! {
    name: GrantLoop,
    holds: "Greedy flows of one pair of edge nodes, limited by its slots; other pairs that ask send what `light` says.",
    inputs {
        capacity: f64 = Kind::Number { unit: Unit::BitsPerSecond, default: 45e6, range: Range::closed(1.0, 1e15) },
            "Link capacity C.";
        frame: f64 = Kind::Number { unit: SLOTS, default: 18.0, range: Range::whole(1.0, 1e6) }, "Slots in a frame.";
        signalling: f64 = Kind::Number { unit: SLOTS, default: 6.0, range: Range::whole(0.0, 1e6) },
            "Slots S at the head of a frame that carry no data.";
        slot: f64 = Kind::Number { unit: Unit::Seconds, default: 200e-6, range: Range::closed(1e-9, 100.0) },
            "Slot period T_s.";
        guard: f64 = Kind::Number { unit: Unit::Seconds, default: 20e-6, range: TIME }, "Guard time of a slot.";
        delay: f64 = Kind::Number { unit: Unit::Seconds, default: 1e-3, range: TIME },
            "Delay L of a fibre, edge to core node.";
        turnaround: f64 = Kind::Number { unit: Unit::Seconds, default: 0.69e-3, range: TIME },
            "How long a node may take to act, P.";
        flows: f64 = Kind::Number { unit: Unit::Named("flows"), default: 10.0, range: Range::whole(1.0, 1e9) },
            "Flows of the pair.";
        packet: f64 = Kind::Number { unit: Unit::Bytes, default: 1000.0, range: Range::closed(1.0, 1e6) },
            "Packet size.";
        pairs: f64 = Kind::Number { unit: PAIRS, default: 5.0, range: Range::whole(1.0, 1e6) },
            "Pairs of the edge node, one to each other node.";
        asking: f64 = Kind::Number { unit: PAIRS, default: 1.0, range: Range::whole(1.0, 1e6) },
            "Those of them that ask, this one included.";
        light: f64 = Kind::Number { unit: SLOTS, default: 0.0, range: Range::closed(0.0, 1e6) },
            "Slots of a frame in which each of the others that ask sends something.";
        floor: f64 = Kind::Number { unit: SLOTS, default: 1.0, range: Range::whole(0.0, 1e6) },
            "Slots of every frame that an asking pair has at least.";
        alpha: f64 = alpha(0.4), "α.";
        beta: f64 = beta(0.226), "β.";
    }
    outputs {
        answer_frames: f64 ["frames"], "Frames D from a request to its slots: docs/protocol.md, a + b.";
        request_wait_s: f64 ["s"], "Wait W of data whose slots must be asked for.";
        literal_rtt_s: f64 ["s"], "Round trip where data and ACKs wait for their grants.";
        literal_rate_bps: f64 ["bps"], "Rate of the pair if that is granted: a packet a round trip for each flow.";
        literal_decay: f64 ["1"], "By which part the rate falls in a control interval above that, β W/d.";
        probe_needed: f64 ["1"], "The probe above which it rises instead, β W/(α d).";
        floor_rate_bps: f64 ["bps"], "Rate with the floor.";
        all_rate_bps: f64 ["bps"], "Rate where all pairs share what nobody asked for.";
        asking_rate_bps: f64 ["bps"], "Rate where the pairs that ask share it.";
        using_rate_bps: f64 ["bps"], "Rate where pairs that leave slots unused have their use and a margin.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let refuse = |input, value: f64, why: String| Err(Error::Impossible { input, value, why });
    if i.signalling >= i.frame {
        return refuse("signalling", i.signalling, format!("a frame has {} slots, and some carry data", i.frame));
    }
    if i.guard >= i.slot {
        return refuse("guard", i.guard, format!("a slot lasts {} s", i.slot));
    }
    if i.asking > i.pairs {
        return refuse("asking", i.asking, format!("there are {} pairs", i.pairs));
    }
    let (data, frame_s) = (i.frame - i.signalling, i.frame * i.slot);
    // docs/protocol.md: a = max(1, ⌈(N T + 4 L + 3 P)/F⌉), b = ⌈(2 L + P)/F⌉.
    let lead = |span: f64| (span / frame_s - 1e-9).ceil();
    let requested = lead(i.signalling * i.slot + 4.0 * i.delay + 3.0 * i.turnaround).max(1.0);
    let answer_frames = requested + lead(2.0 * i.delay + i.turnaround);
    let request_wait_s = (0.5 + answer_frames) * frame_s + i.turnaround + i.signalling * i.slot;
    let literal_rtt_s = 4.0 * i.delay + 2.0 * request_wait_s;
    let of_slots = |slots: f64| bandwidth(slots, i.capacity, i.frame) * (1.0 - i.guard / i.slot);
    let literal_rate_bps = (i.flows * 8.0 * i.packet / literal_rtt_s).min(of_slots(data));
    let literal_decay = i.beta * request_wait_s / literal_rtt_s;
    // docs/guide/aapn.md, "By use".
    let margin = (i.light / 16.0).min(1.0 / 6.0) + data / (128.0 * i.asking);
    let at_least = |slots: f64| of_slots(slots).max(literal_rate_bps);
    Ok(Outputs {
        answer_frames,
        request_wait_s,
        literal_rtt_s,
        literal_rate_bps,
        literal_decay,
        probe_needed: literal_decay / i.alpha,
        floor_rate_bps: at_least(i.floor.min(data / i.asking)),
        all_rate_bps: at_least(data / i.pairs),
        asking_rate_bps: at_least(data / i.asking),
        using_rate_bps: at_least((data - (i.asking - 1.0) * (i.light + margin)).max(data / i.asking)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// The rate after so many frames of a fluid that starts at half of the data slots: what comes waits for its grant
    /// unless slots are there already, and the controller changes the rate once a round trip. `told` is the capacity
    /// that a rate in slots a frame is told.
    fn after(i: &Inputs, frames: usize, told: impl Fn(f64) -> f64, unasked: f64) -> f64 {
        let found = evaluate(i).unwrap();
        let frame_s = i.frame * i.slot;
        let interval = (found.literal_rtt_s / frame_s).round() as usize;
        let wait = (found.request_wait_s / frame_s).round() as usize;
        let (mut rate, mut queue, mut asked) =
            ((i.frame - i.signalling) / 2.0, 0.0_f64, VecDeque::from(vec![0.0; wait]));
        let mut least = f64::MAX;
        for frame in 1..=frames {
            let without = unasked.min(rate);
            queue += rate - without;
            asked.push_back(rate - without);
            queue -= asked.pop_front().unwrap();
            least = least.min(queue);
            if frame % interval == 0 {
                let feedback = i.alpha * (told(rate) - rate) - i.beta * least / interval as f64;
                rate = (rate + feedback).max(0.0);
                least = f64::MAX;
            }
        }
        rate
    }

    /// The controller, frame by frame: by the letter nothing is left after a minute; above the probe that is needed it
    /// rises, below it falls; a floor of four slots leaves four.
    #[test]
    fn the_controller_runs_to_it() {
        let i = Inputs::default();
        let (frames, needed) = (16_667, evaluate(&i).unwrap().probe_needed);
        assert!(after(&i, frames, |rate| rate, 0.0) < 1e-3, "the letter");
        assert!(after(&i, frames, |rate| rate * (1.0 + 1.3 * needed), 0.0) > 12.0);
        assert!(after(&i, frames, |rate| rate * (1.0 + 0.7 * needed), 0.0) < 1.0);
        let floor = after(&i, frames, |rate| rate.max(4.0), 4.0);
        assert!((floor - 4.0).abs() < 0.01, "{floor}");
    }

    /// Frame by frame: each of three light pairs sends two and a half slots of a frame, of which it is granted what
    /// waits; it is granted one more whenever a bucket of its own holds one, and that is empty. The greedy pair has the
    /// rest, 4 of 12 slots.
    #[test]
    fn beside_light_pairs_it_has_the_rest() {
        let i = Inputs { asking: 4.0, light: 2.5, ..Inputs::default() };
        let (frames, mut greedy) = (100_000_u32, 0_u32);
        let mut light = [(0.0_f64, 0.0_f64); 3];
        for _ in 0..frames {
            let mut granted = 0;
            for (waits, bucket) in &mut light {
                *waits += i.light;
                *bucket += 2.5 / 16.0 + 12.0 / 128.0 / 4.0;
                let empty = bucket.floor();
                granted += (waits.floor() + empty) as u32;
                (*waits, *bucket) = (*waits - waits.floor(), *bucket - empty);
            }
            greedy += 12 - granted;
        }
        let rate = 2.25e6 * f64::from(greedy) / f64::from(frames);
        assert!((evaluate(&i).unwrap().using_rate_bps / rate - 1.0).abs() < 1e-3, "{rate}");
        let equal = evaluate(&Inputs { light: 4.0, ..i }).unwrap();
        assert_eq!(equal.using_rate_bps, equal.asking_rate_bps, "never less than an equal share");
    }

    /// Frames of 3.6 ms, six signalling slots: a = ⌈(1.2 + 4 + 2.07)/3.6⌉ = 3, b = ⌈2.69/3.6⌉ = 1; W = 4.5 · 3.6 +
    /// 0.69 + 1.2 = 18.09 ms, a round trip 4 + 36.18 ms; ten packets of 8000 bit in it are 1.99 Mb/s. A slot of 180 us
    /// carries 8100 bit, 2.25 Mb/s once a frame.
    #[test]
    fn the_thesis_frame_by_hand() {
        let found = evaluate(&Inputs { floor: 4.0, ..Inputs::default() }).unwrap();
        let numbers = [
            (found.answer_frames, 4.0),
            (found.request_wait_s, 18.09e-3),
            (found.literal_rtt_s, 40.18e-3),
            (found.literal_rate_bps, 80e3 / 40.18e-3),
            (found.literal_decay, 0.226 * 18.09 / 40.18),
            (found.floor_rate_bps, 9e6),
            (found.all_rate_bps, 5.4e6),
            (found.asking_rate_bps, 27e6),
            (found.using_rate_bps, 27e6),
        ];
        numbers.iter().for_each(|(found, hand)| assert!((found / hand - 1.0).abs() < 1e-9, "{found} {hand}"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |i: Inputs| evaluate(&i).unwrap_err().to_string();
        assert!(refused(Inputs { signalling: 18.0, ..Inputs::default() }).contains("18 slots"));
        assert!(refused(Inputs { guard: 1.0, ..Inputs::default() }).contains("a slot lasts"));
        assert!(refused(Inputs { asking: 6.0, ..Inputs::default() }).contains("5 pairs"));
    }
}
