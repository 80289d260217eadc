//! TCP's throughput equation as TFRC uses it. Source: RFC 5348 §3.1.

use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

model! {
    name: Tfrc,
    holds: "Loss event rates as RFC 5348 measures them; t_RTO = 4 RTT unless given.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-2, range: Range::above(0.0, 1.0) },
            "Loss event rate p.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-9, 1e4) },
            "Round-trip time R.";
        segment_size: f64 = Kind::Number { unit: Unit::Bytes, default: 1460.0, range: Range::closed(1.0, 1e6) },
            "Segment size s.";
        rto_in_rtts: f64 = Kind::Number { unit: Unit::One, default: 4.0, range: Range::closed(0.01, 1e4) },
            "t_RTO as a multiple of R.";
        acked: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1.0, 100.0) },
            "Segments b that one ACK acknowledges.";
    }
    outputs {
        rate_bps: f64 ["bps"], "X_Bps of the RFC in bits per second.";
        rate_segments_per_s: f64 ["segments/s"], "The same in segments.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let (p, b) = (i.loss, i.acked);
    let duplicates = (2.0 * b * p / 3.0).sqrt();
    let timeouts = i.rto_in_rtts * 3.0 * (3.0 * b * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    let rate_segments_per_s = 1.0 / (i.rtt * (duplicates + timeouts));
    Ok(Outputs { rate_bps: rate_segments_per_s * 8.0 * i.segment_size, rate_segments_per_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against PFTK's own approximate form, which differs by min(1, …) only: equal where 3 √(3p/8) < 1, i.e. p < 8/27.
    #[test]
    fn it_is_pftk_below_8_27ths() {
        for loss in [1e-6, 1e-3, 0.1, 0.29] {
            let found = evaluate(&Inputs { loss, ..Inputs::default() }).unwrap().rate_segments_per_s;
            let form = crate::pftk::Form::Approximate;
            let pftk = crate::pftk::Inputs { loss, rtt: 0.1, rto: 0.4, form, ..Default::default() };
            assert!((found / crate::pftk::evaluate(&pftk).unwrap().rate_segments_per_s - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn at_one_per_cent_by_hand() {
        // √(2·0.01/3) = 0.0816497; 4·3·√(0.00375)·0.01·1.0032 = 0.0073719; 1/(0.1·0.0890216) = 112.332.
        let found = evaluate(&Inputs::default()).unwrap();
        assert!((found.rate_segments_per_s - 112.332).abs() < 2e-3, "{}", found.rate_segments_per_s);
    }
}
