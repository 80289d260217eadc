//! Transfer time of RR-TCP over load-balanced OBS. Source: Charbonneau and Vokkarane, HS-RR-TCP, §4.2, eqs. (8), (9):
//! after its first false fast retransmit it has none, so the window climbs to the end.

use crate::Error;
use crate::declare::model;
use crate::load_balanced::{
    ASSEMBLY, BURST, DELAY, DIFFERENCE, FILE, OFFSET, PACKET, RATE, SlowStart, THRESHOLD, Transfer, rounds_to_send,
};
use crate::reading::{Reading, Slip};

model! {
    name: RrTcpLbObs,
    holds: "One fast flow without access network, FA ratio 100 %, no loss; windows beyond one burst are timed as if in \
        one (up to 20 % off at δ = 50 ms).",
    inputs {
        short_delay: f64 = DELAY, "One-way delay d_s of the shorter path.";
        difference: f64 = DIFFERENCE, "How much longer the other path is, δ, one way.";
        rate: f64 = RATE, "Rate R of a wavelength.";
        assembly: f64 = ASSEMBLY, "Assembly time t_a.";
        offset: f64 = OFFSET, "Offset time t_o.";
        burst: f64 = BURST, "Largest burst X.";
        threshold: f64 = THRESHOLD, "Slow-start threshold T.";
        packet: f64 = PACKET, "Packet size S.";
        file: f64 = FILE, "File size O.";
        slow_start: SlowStart = SlowStart::KIND, "When slow start ends, and from which window congestion avoidance \
            goes on: the paper has both.";
        reading: Reading = Reading::KIND, "Which form of the equations.";
        final_root: Slip = Slip::KIND, "The sign in the root of (8), which as printed has no real value for long \
            files.";
    }
    outputs {
        total_s: f64 ["s"], "Time for the whole file, connection set-up included.";
        slow_start_s: f64 ["s"], "Slow start, eq. (3).";
        final_s: f64 ["s"], "Congestion avoidance to the end, eq. (9).";
        final_rounds: f64 ["rounds"], "Rounds j of it, eq. (8).";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    Transfer::check(i.threshold, i.burst)?;
    let transfer = Transfer {
        edges: 2.0 * i.assembly + 2.0 * i.offset,
        short: i.short_delay,
        difference: i.difference,
        packet_s: 8.0 * i.packet / i.rate,
        threshold: i.threshold,
        slow_start: i.slow_start,
        packets: (i.file / i.packet).ceil(),
    };
    let (start, reached) = (transfer.start(), transfer.reached());
    let left = transfer.packets - start.packets;
    let final_rounds = match () {
        () if start.all => 0.0,
        () if i.final_root.printed(i.reading) => printed_rounds(left, i.threshold)?,
        () => rounds_to_send(left, reached),
    };
    let final_s = transfer.climb(reached, final_rounds);
    Ok(Outputs { total_s: start.seconds + final_s, slow_start_s: start.seconds, final_s, final_rounds })
}

/// Eq. (8) with the sign it is printed with.
fn printed_rounds(packets: f64, threshold: f64) -> Result<f64, Error> {
    let half = threshold + 0.5;
    let inside = half * half - 2.0 * packets;
    if inside < 0.0 {
        let why = format!("the root of (8) is of a negative number, {inside}, for this file");
        return Err(Error::Unreadable { input: "final_root", found: "as_printed".to_owned(), why });
    }
    // Where it exists it is negative: fewer than no rounds.
    Ok((inside.sqrt() - half).ceil().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round by round without any formula: windows double to T, then grow by one; each round lasts the mean of both
    /// paths.
    pub(super) fn by_rounds(i: &Inputs) -> f64 {
        let round = 2.0 * (i.assembly + i.offset) + 2.0 * i.short_delay + i.difference / 2.0;
        let packet_s = 8.0 * i.packet / i.rate;
        let (mut left, mut window, mut time) = (i.file / i.packet, 1.0, 4.0 * (i.assembly + i.offset + i.short_delay));
        while left > 0.0 {
            time += round + packet_s * window;
            left -= window;
            window = if window < i.threshold { 2.0 * window } else { window + 1.0 };
        }
        time
    }

    /// To one round with a window of T more (errata 4.3: with T = 512 slow start ends with 512, congestion avoidance
    /// begins at 513).
    #[test]
    fn it_is_the_transfer_round_by_round() {
        for difference in [0.0, 0.001, 0.01, 0.05] {
            for file in [1e6, 1e8, 1e9] {
                let inputs = Inputs { difference, file, assembly: 0.001, ..Inputs::default() };
                let (found, expected) = (evaluate(&inputs).unwrap().total_s, by_rounds(&inputs));
                let round = 0.022 + difference / 2.0;
                assert!((found - expected).abs() < 1.1 * round, "δ = {difference}, {file}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_file_of_one_packet_takes_one_round_after_the_set_up() {
        let found = evaluate(&Inputs { file: 1.0, packet: 1000.0, difference: 0.0, ..Inputs::default() }).unwrap();
        assert!((found.total_s - (0.04 + 0.02 + 8e-6)).abs() < 1e-12 && found.final_rounds == 0.0);
    }

    #[test]
    fn the_root_as_printed_is_of_a_negative_number() {
        let message = evaluate(&Inputs { reading: Reading::AsPrinted, ..Inputs::default() }).unwrap_err().to_string();
        assert!(message.contains("the root of (8) is of a negative number"), "{message}");
    }

    #[test]
    fn a_threshold_beyond_the_burst_is_refused() {
        let message = evaluate(&Inputs { threshold: 2000.0, ..Inputs::default() }).unwrap_err().to_string();
        assert_eq!(message, "threshold = 2000: slow start must end within one burst of 1000 packets");
    }
}
