//! Two classes of bursts under JET, the first with an extra offset so long that it never meets the second. Source: M.
//! Yoo, C. Qiao and S. Dixit, IEEE JSAC 18(10), 2000 (complete isolation; the conservation law gives the second class).

use crate::declare::model;
use crate::erlang_b::erlang_b;
use crate::{Error, Kind, Range, Unit};

model! {
    name: JetClasses,
    holds: "Extra offset longer than the second class's bursts; the law is exact for equal mean lengths and void \
        filling that wastes nothing, close to it else.",
    inputs {
        high_load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 2.0, range: Range::closed(0.0, 1e5) },
            "Offered load of the class with the longer offset.";
        low_load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 4.0, range: Range::above(0.0, 1e5) },
            "Offered load of the other class.";
        wavelengths: u32 =
            Kind::Number { unit: Unit::Named("wavelengths"), default: 8.0, range: Range::whole(1.0, 1e5) },
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
    let low_blocking = lost_between(inputs.high_load, all, inputs.wavelengths);
    Ok(Outputs { high_blocking, low_blocking, mean_blocking })
}

/// Of the load between `less` and `more`, the share that is lost: (f(more) − f(less))/(more − less) with f(A) = A E(A,
/// n). By Erlang's recursion f(n) = A f(n−1)/(n + f(n−1)) for both and for the quotient, whose terms are all positive:
/// a difference of nearly equal numbers would have no digits left when the low class is small.
fn lost_between(less: f64, more: f64, servers: u32) -> f64 {
    let (mut low, mut high, mut quotient) = (less, more, 1.0);
    for n in 1..=servers {
        let n = f64::from(n);
        quotient = high / (n + high) + less * n / ((n + high) * (n + low)) * quotient;
        (low, high) = (less * low / (n + low), more * high / (n + high));
    }
    quotient
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

    /// A class of almost nothing loses the slope of A E(A, n), here by differences of 1e-4 to either side (error 1e-9).
    #[test]
    fn the_smallest_low_class_loses_the_slope_of_the_lost_load() {
        let lost = |load: f64| load * erlang_b(load, 8);
        let slope = (lost(2.0 + 1e-4) - lost(2.0 - 1e-4)) / 2e-4;
        for low_load in [1e-9, 1e-18, 1e-300] {
            let found = evaluate(&Inputs { high_load: 2.0, low_load, wavelengths: 8 }).unwrap();
            assert!((found.low_blocking / slope - 1.0).abs() < 1e-6, "{low_load}: {} {slope}", found.low_blocking);
        }
    }

    #[test]
    fn both_classes_together_lose_what_the_law_conserves() {
        for (high_load, low_load, wavelengths) in [(2.0, 4.0, 8), (1e5, 1.0, 10), (0.3, 90.0, 100), (5.0, 0.01, 64)] {
            let found = evaluate(&Inputs { high_load, low_load, wavelengths }).unwrap();
            let lost = high_load * found.high_blocking + low_load * found.low_blocking;
            let expected = (high_load + low_load) * found.mean_blocking;
            assert!((lost / expected - 1.0).abs() < 1e-12, "{found:?}");
        }
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
