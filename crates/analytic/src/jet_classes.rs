//! Two classes of bursts under JET, the first with so much extra offset that it never meets the second. Source: M. Yoo,
//! C. Qiao and S. Dixit, IEEE JSAC 18(10), 2000 (complete isolation; the conservation law gives the second
//! class).

use crate::declare::model;
use crate::erlang_b::erlang_b;
use crate::{Error, Kind, Range, Unit};

model! {
    name: "jet-classes",
    summary: "Blocking of two burst classes that an extra offset isolates completely.",
    source: "Yoo, Qiao and Dixit, IEEE JSAC 18(10), 2000: Erlang's formula and the conservation law",
    holds: "Extra offset longer than the second class's bursts; the law is exact for equal mean lengths and void filling that wastes nothing, close to it else.",
    inputs {
        high_load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 2.0, range: Range::closed(0.0, 1e5) },
            "Offered load of the class with the longer offset.";
        low_load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 4.0, range: Range::above(0.0, 1e5) },
            "Offered load of the other class.";
        wavelengths: u32 = Kind::Number { unit: Unit::Named("wavelengths"), default: 8.0, range: Range::whole(1.0, 1e5) },
            "Wavelengths of the output, with full conversion.";
    }
    outputs {
        high_blocking: f64 ["1"], "Blocking of the class with the longer offset.";
        low_blocking: f64 ["1"], "Blocking of the other class.";
        mean_blocking: f64 ["1"], "Blocking of both together, as if there were one class.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let all = inputs.high_load + inputs.low_load;
    let high_blocking = erlang_b(inputs.high_load, inputs.wavelengths);
    let mean_blocking = erlang_b(all, inputs.wavelengths);
    let low_blocking = (all * mean_blocking - inputs.high_load * high_blocking) / inputs.low_load;
    Ok(Outputs { high_blocking, low_blocking: low_blocking.clamp(0.0, 1.0), mean_blocking })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn without_a_high_class_the_low_one_is_erlang_b() {
        let found = evaluate(&Inputs { high_load: 0.0, low_load: 5.0, wavelengths: 8 }).unwrap();
        assert!((found.low_blocking - erlang_b(5.0, 8)).abs() < 1e-15 && found.high_blocking == 0.0);
    }

    /// What the law describes, by a simulation of its own kind: a high burst takes the server from a low one, which is
    /// lost as a whole with the share that is still to come (exponential lengths have no memory, so what remains counts
    /// as a burst). 500 000 arrivals, both classes within 4 %.
    #[test]
    fn a_simulation_with_pre_emption_blocks_the_same_shares() {
        let inputs = Inputs { high_load: 1.5, low_load: 2.5, wavelengths: 4 };
        let (mut random, mut now) = (Random::new(2), 0.0);
        // Ends of busy servers and whether they serve the high class.
        let mut busy: Vec<(f64, bool)> = Vec::new();
        let (mut offered, mut lost) = ([0, 0], [0, 0]);
        for _ in 0..500_000 {
            now += random.exponential(1.0 / 4.0);
            busy.retain(|(end, _)| *end > now);
            let high = random.uniform() < 1.5 / 4.0;
            offered[usize::from(high)] += 1;
            if busy.len() == 4 {
                match busy.iter().position(|(_, other)| high && !other) {
                    Some(victim) => {
                        busy.remove(victim);
                        lost[0] += 1;
                    }
                    None => {
                        lost[usize::from(high)] += 1;
                        continue;
                    }
                }
            }
            busy.push((now + random.exponential(1.0), high));
        }
        let share = |class: usize| f64::from(lost[class]) / f64::from(offered[class]);
        let expected = evaluate(&inputs).unwrap();
        assert!((share(1) / expected.high_blocking - 1.0).abs() < 0.04, "{} {expected:?}", share(1));
        assert!((share(0) / expected.low_blocking - 1.0).abs() < 0.04, "{} {expected:?}", share(0));
    }
}
