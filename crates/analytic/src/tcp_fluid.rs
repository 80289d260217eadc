//! TCP with a queue as a fluid. Sources: V. Misra, W.-B. Gong and D. Towsley, SIGCOMM 2000; C. Hollot, V. Misra, D.
//! Towsley and W.-B. Gong, INFOCOM 2001 (control of RED), as the AAPN thesis (paper 003) uses them in Appendix C,
//! reconstructed:
//!
//!   W′(t) = 1/r(t) − W(t) W(t − r) p(t − r)/(2 r(t − r)),   x′ = N W/r − μ,   r = x/μ + T_p,
//!
//! with p from RED's averaged queue, or from what overflows a drop-tail buffer. The delay equations are integrated by
//! the classical Runge-Kutta method with a fixed step; the past is interpolated linearly. A step does not end where the
//! slope jumps (an empty or a full queue, a threshold of RED): the test with shorter steps says what that costs.

use crate::declare::{choice, model};
use crate::{Error, Kind, Range, Unit};

const MOST_STEPS: f64 = 400_000.0;
const STEPS_PER_DELAY: f64 = 40.0;

choice! {
    /// What drops (or marks) packets.
    Queue {
        Red = "red", "RED: from min_threshold to max_threshold of the averaged queue the probability rises to \
            max_probability; beyond it is 1.";
        DropTail = "drop_tail", "A full buffer drops what exceeds the capacity.";
    }
}

model! {
    name: TcpFluid,
    holds: "Many flows in congestion avoidance with equal round trips; no timeouts, no slow start.",
    inputs {
        flows: f64 =
            Kind::Number { unit: Unit::Named("flows"), default: 60.0, range: Range::closed(1.0, 1e7) },
            "Flows N.";
        capacity: f64 =
            Kind::Number { unit: Unit::Named("packets/s"), default: 3750.0, range: Range::closed(1.0, 1e10) },
            "Capacity μ.";
        propagation: f64 = Kind::Number { unit: Unit::Seconds, default: 0.2, range: Range::closed(1e-4, 10.0) },
            "Round-trip time T_p without a queue.";
        queue_kind: Queue = Queue::KIND, "What drops packets.";
        buffer: f64 = Kind::Number { unit: Unit::Named("packets"), default: 800.0, range: Range::closed(1.0, 1e9) },
            "Waiting room.";
        min_threshold: f64 =
            Kind::Number { unit: Unit::Named("packets"), default: 150.0, range: Range::closed(0.0, 1e9) },
            "RED: averaged queue at which drops begin.";
        max_threshold: f64 =
            Kind::Number { unit: Unit::Named("packets"), default: 700.0, range: Range::closed(1e-3, 1e9) },
            "RED: averaged queue at which the probability is max_probability.";
        max_probability: f64 = Kind::Number { unit: Unit::One, default: 0.1, range: Range::above(0.0, 1.0) },
            "RED: probability at max_threshold.";
        averaging: f64 = Kind::Number { unit: Unit::Named("1/s"), default: 0.005, range: Range::closed(1e-6, 100.0) },
            "RED: K = −ln(1 − w)/δ of the averaging filter, w its weight and δ the sampling period.";
        duration: f64 = Kind::Number { unit: Unit::Seconds, default: 400.0, range: Range::closed(1e-3, 1e5) },
            "Time that is integrated.";
        initial_window: f64 =
            Kind::Number { unit: Unit::Named("packets"), default: 1.0, range: Range::closed(0.1, 1e6) },
            "Window at the start.";
        initial_queue: f64 =
            Kind::Number { unit: Unit::Named("packets"), default: 0.0, range: Range::closed(0.0, 1e9) },
            "Queue at the start, averaged and not.";
        samples: f64 = Kind::Number { unit: Unit::One, default: 400.0, range: Range::whole(2.0, 1e5) },
            "Instants that are reported, evenly spread.";
    }
    outputs {
        equilibrium_window: f64 ["packets"], "W₀ = r₀ μ/N.";
        equilibrium_queue: f64 ["packets"], "x₀.";
        equilibrium_probability: f64 ["1"], "p₀ = 2/W₀², at most 1.";
        equilibrium_rtt_s: f64 ["s"], "r₀ = x₀/μ + T_p.";
        phase_margin: f64 ["rad"], "Phase margin of the linearized loop with RED, positive if stable; 0 for drop-tail.";
        queue_mean: f64 ["packets"], "Mean queue over the last quarter of the time.";
        queue_swing: f64 ["packets"], "Largest less smallest queue over the last quarter.";
        utilization: f64 ["1"], "Share of the capacity used over the last quarter.";
        oscillates: f64 ["1"], "1 if the swing exceeds a tenth of the equilibrium queue, else 0.";
        time_s: Vec<f64> ["s"], "Instants.";
        window: Vec<f64> ["packets"], "W at the instants.";
        queue: Vec<f64> ["packets"], "x at the instants.";
        probability: Vec<f64> ["1"], "p at the instants.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    check(i)?;
    let balance = Equilibrium::of(i);
    let trace = Trace::integrated(i, step(i));
    let tail = &trace.states[trace.states.len() * 3 / 4..];
    let queues = || tail.iter().map(|state| state.queue);
    let (least, most) = queues().fold((f64::INFINITY, 0.0f64), |(a, b), queue| (a.min(queue), b.max(queue)));
    let count = tail.len() as f64;
    let used = |state: &State| if state.queue > 0.0 { 1.0 } else { (state.arrivals(i) / i.capacity).min(1.0) };
    let end = trace.states[trace.states.len() - 1].time;
    let sampled: Vec<State> =
        (0..i.samples as usize).filter_map(|n| trace.at(end * n as f64 / (i.samples - 1.0))).collect();
    let column = |of: fn(&State) -> f64| sampled.iter().map(of).collect();
    Ok(Outputs {
        equilibrium_window: balance.window,
        equilibrium_queue: balance.queue,
        equilibrium_probability: balance.probability,
        equilibrium_rtt_s: balance.rtt,
        phase_margin: if i.queue_kind == Queue::Red { balance.phase_margin(i) } else { 0.0 },
        queue_mean: queues().sum::<f64>() / count,
        queue_swing: most - least,
        utilization: tail.iter().map(used).sum::<f64>() / count,
        oscillates: f64::from(u8::from(most - least > 0.1 * balance.queue)),
        time_s: column(|state| state.time),
        window: column(|state| state.window),
        queue: column(|state| state.queue),
        probability: column(|state| state.probability),
    })
}

fn check(i: &Inputs) -> Result<(), Error> {
    let refuse = |input, value: f64, why: String| Err(Error::Impossible { input, value, why });
    if i.max_threshold <= i.min_threshold {
        return refuse("max_threshold", i.max_threshold, format!("must exceed min_threshold, {}", i.min_threshold));
    }
    if i.duration / step(i) > MOST_STEPS {
        let why = format!("more than {MOST_STEPS} steps of {:.3e} s; integrate a shorter time", step(i));
        return refuse("duration", i.duration, why);
    }
    if i.duration < 4.0 * step(i) {
        return refuse("duration", i.duration, format!("must be at least four steps of {:.3e} s", step(i)));
    }
    Ok(())
}

/// Short compared with the delay and the averaging filter.
fn step(i: &Inputs) -> f64 {
    (i.propagation / STEPS_PER_DELAY).min(0.2 / i.averaging)
}

/// RED's probability for an averaged queue.
fn red(i: &Inputs, average: f64) -> f64 {
    if average > i.max_threshold {
        return 1.0;
    }
    ((average - i.min_threshold) / (i.max_threshold - i.min_threshold)).max(0.0) * i.max_probability
}

#[derive(Clone, Copy, Debug)]
struct State {
    time: f64,
    window: f64,
    queue: f64,
    average: f64,
    /// That packets are dropped with now.
    probability: f64,
}

impl State {
    fn rtt(&self, i: &Inputs) -> f64 {
        self.queue / i.capacity + i.propagation
    }

    fn arrivals(&self, i: &Inputs) -> f64 {
        i.flows * self.window / self.rtt(i)
    }

    /// The state moved along `slope` for `h`, held where it is bounded, with its probability.
    fn moved(&self, slope: [f64; 3], h: f64, i: &Inputs) -> State {
        let queue = (self.queue + h * slope[1]).clamp(0.0, i.buffer);
        let mut next = State {
            time: self.time + h,
            window: (self.window + h * slope[0]).max(0.0),
            queue,
            average: (self.average + h * slope[2]).max(0.0),
            probability: 0.0,
        };
        next.probability = match i.queue_kind {
            Queue::Red => red(i, next.average),
            Queue::DropTail if queue < i.buffer => 0.0,
            Queue::DropTail => (1.0 - i.capacity / next.arrivals(i)).max(0.0),
        };
        next
    }
}

struct Trace {
    step: f64,
    states: Vec<State>,
}

impl Trace {
    fn integrated(i: &Inputs, step: f64) -> Trace {
        let (queue, start) = (i.initial_queue.min(i.buffer), i.initial_window);
        let first = State { time: 0.0, window: start, queue, average: queue, probability: 0.0 };
        let mut trace = Trace { step, states: vec![first.moved([0.0; 3], 0.0, i)] };
        for _ in 0..(i.duration / step).ceil() as usize {
            let now = trace.states[trace.states.len() - 1];
            let a = trace.slope(&now, i);
            let b = trace.slope(&now.moved(a, step / 2.0, i), i);
            let c = trace.slope(&now.moved(b, step / 2.0, i), i);
            let d = trace.slope(&now.moved(c, step, i), i);
            let mean = [0, 1, 2].map(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0);
            trace.states.push(now.moved(mean, step, i));
        }
        trace
    }

    /// The derivatives of window, queue and averaged queue.
    fn slope(&self, now: &State, i: &Inputs) -> [f64; 3] {
        let rtt = now.rtt(i);
        // Before the start nothing was dropped.
        let loss = self.at(now.time - rtt).map_or(0.0, |then| then.window * then.probability / (2.0 * then.rtt(i)));
        let filling = now.arrivals(i) - i.capacity;
        let held = (now.queue <= 0.0 && filling < 0.0) || (now.queue >= i.buffer && filling > 0.0);
        [1.0 / rtt - now.window * loss, if held { 0.0 } else { filling }, -i.averaging * (now.average - now.queue)]
    }

    /// The past, interpolated; none before the start.
    fn at(&self, time: f64) -> Option<State> {
        let place = time / self.step;
        if place < 0.0 {
            return None;
        }
        let before = (place as usize).min(self.states.len() - 1);
        let (a, b) = (&self.states[before], &self.states[(before + 1).min(self.states.len() - 1)]);
        let share = place - before as f64;
        let between = |x: f64, y: f64| x + (y - x) * share.min(1.0);
        Some(State {
            time,
            window: between(a.window, b.window),
            queue: between(a.queue, b.queue),
            average: between(a.average, b.average),
            probability: between(a.probability, b.probability),
        })
    }
}

/// Where nothing moves: W₀² p₀ = 2, W₀ = r₀ μ/N.
struct Equilibrium {
    window: f64,
    queue: f64,
    probability: f64,
    rtt: f64,
}

impl Equilibrium {
    fn of(i: &Inputs) -> Equilibrium {
        let at = |queue: f64| {
            let rtt = queue / i.capacity + i.propagation;
            let window = rtt * i.capacity / i.flows;
            Equilibrium { window, queue, probability: (2.0 / (window * window)).min(1.0), rtt }
        };
        if i.queue_kind == Queue::DropTail {
            return at(i.buffer);
        }
        // RED's probability rises with the queue, what the windows need falls.
        let (mut low, mut high) = (i.min_threshold, i.max_threshold);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if red(i, middle) < at(middle).probability { low = middle } else { high = middle }
        }
        at(high.min(i.buffer))
    }

    /// Of L(s) = L_red (μ²/2N) e^(−s r₀)/((s + 2N/(r₀² μ))(s + 1/r₀)(s/K + 1)).
    fn phase_margin(&self, i: &Inputs) -> f64 {
        let slope = i.max_probability / (i.max_threshold - i.min_threshold);
        let poles = [2.0 * i.flows / (self.rtt * self.rtt * i.capacity), 1.0 / self.rtt, i.averaging];
        let gain = slope * (self.rtt * i.capacity).powi(3) / (4.0 * i.flows * i.flows);
        let at = |w: f64| gain / poles.iter().map(|pole| (w / pole).hypot(1.0)).product::<f64>();
        if gain <= 1.0 {
            return std::f64::consts::PI;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while at(high) > 1.0 {
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if at(middle) > 1.0 { low = middle } else { high = middle }
        }
        std::f64::consts::PI - poles.iter().map(|pole| (low / pole).atan()).sum::<f64>() - low * self.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(inputs: &Inputs) -> Outputs {
        evaluate(inputs).unwrap()
    }

    /// Errata, Appendix C (Hollot's case): W₀ ≈ 15, p₀ ≈ 0.008; K = 0.005 converges, K = 5 oscillates.
    #[test]
    fn hollots_case_converges_with_a_slow_filter_and_oscillates_with_a_fast_one() {
        let slow = at(&Inputs::default());
        assert!((slow.equilibrium_window / 15.0 - 1.0).abs() < 0.05, "{}", slow.equilibrium_window);
        assert!((slow.equilibrium_probability / 0.008 - 1.0).abs() < 0.1, "{}", slow.equilibrium_probability);
        assert!(slow.phase_margin > 0.0 && slow.oscillates == 0.0, "{} {}", slow.phase_margin, slow.queue_swing);
        let fast = at(&Inputs { averaging: 5.0, duration: 200.0, ..Inputs::default() });
        assert!(fast.phase_margin < 0.0 && fast.oscillates == 1.0, "{} {}", fast.phase_margin, fast.queue_swing);
    }

    #[test]
    fn it_settles_at_its_equilibrium() {
        let found = at(&Inputs { duration: 1500.0, ..Inputs::default() });
        assert!((found.queue_mean / found.equilibrium_queue - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.window.last().unwrap() / found.equilibrium_window - 1.0).abs() < 0.01);
        let (w, p) = (found.equilibrium_window, found.equilibrium_probability);
        assert!((w * w * p / 2.0 - 1.0).abs() < 1e-9);
    }

    /// Another method: Euler's with a tenth of the step and the past by the nearest step, RED only, for 60 s from the
    /// same start. The queues differ by at most 2 % of the buffer at any of 60 instants.
    #[test]
    fn eulers_method_with_short_steps_gives_the_same_trace() {
        for averaging in [0.005, 0.5] {
            let i = Inputs { averaging, duration: 60.0, samples: 61.0, ..Inputs::default() };
            let found = at(&i);
            let h = step(&i) / 10.0;
            let (mut window, mut queue, mut average) = (1.0f64, 0.0f64, 0.0f64);
            let mut past: Vec<(f64, f64)> = Vec::new();
            let mut next = 0;
            for n in 0..=(60.0 / h) as usize {
                let (time, rtt) = (n as f64 * h, queue / 3750.0 + 0.2);
                if time >= found.time_s[next] - h / 2.0 {
                    let tolerance = 0.02 * 800.0;
                    assert!((queue - found.queue[next]).abs() < tolerance, "{time}: {queue} {}", found.queue[next]);
                    next = (next + 1).min(60);
                }
                let p = ((average - 150.0) / 550.0).clamp(0.0, 1.0) * 0.1;
                past.push((window * p / (2.0 * rtt), rtt));
                let before = ((time - rtt) / h).round();
                let loss = if before < 0.0 { 0.0 } else { past[before as usize].0 };
                let filling = 60.0 * window / rtt - 3750.0;
                window += h * (1.0 / rtt - window * loss);
                average += h * averaging * (queue - average);
                queue = (queue + h * filling).clamp(0.0, 800.0);
            }
        }
    }

    /// A tenth of the step: with RED no queue moves by 1e-4 of the buffer. With drop-tail each filling ends at another
    /// part of a step, so the saw of the queue slowly changes its phase; its mean over 100 s moves by less than 0.5 %.
    #[test]
    fn steps_that_do_not_stop_at_jumps_cost_little() {
        let queues = |queue_kind, averaging, part| {
            let i = Inputs { queue_kind, averaging, duration: 100.0, ..Inputs::default() };
            let trace = Trace::integrated(&i, step(&i) / part);
            (0..=400).map(|n| trace.at(f64::from(n) / 4.0).unwrap().queue).collect::<Vec<_>>()
        };
        for (usual, short) in queues(Queue::Red, 0.5, 1.0).iter().zip(queues(Queue::Red, 0.5, 10.0)) {
            assert!((usual - short).abs() < 1e-4 * 800.0, "{usual} {short}");
        }
        let sum = |part| queues(Queue::DropTail, 0.005, part).iter().sum::<f64>();
        assert!((sum(1.0) / sum(10.0) - 1.0).abs() < 0.005, "{} {}", sum(1.0), sum(10.0));
    }

    /// Either side of the margin's zero a small displacement dies out or grows.
    #[test]
    fn the_margin_of_the_linear_loop_says_which_displacements_grow() {
        for (averaging, grows) in [(0.05, false), (20.0, true)] {
            let rest = Equilibrium::of(&Inputs { averaging, ..Inputs::default() });
            let i = Inputs {
                averaging,
                initial_window: rest.window * 1.01,
                initial_queue: rest.queue,
                duration: 120.0,
                ..Inputs::default()
            };
            let found = at(&i);
            assert_eq!(found.phase_margin < 0.0, grows);
            assert_eq!(found.oscillates == 1.0, grows, "K = {averaging}: {}", found.queue_swing);
        }
    }

    /// Drop-tail: the buffer fills, what exceeds the capacity is lost; the fluid keeps the link busy and the queue near
    /// full.
    #[test]
    fn drop_tail_fills_the_buffer_and_keeps_the_link_busy() {
        let i = Inputs { queue_kind: Queue::DropTail, buffer: 400.0, duration: 300.0, ..Inputs::default() };
        let found = at(&i);
        assert!(found.queue.iter().fold(0.0f64, |most, queue| most.max(*queue)) >= 400.0 - 1e-9);
        assert!(found.utilization > 0.95 && found.utilization <= 1.0, "{}", found.utilization);
        assert_eq!(found.equilibrium_queue, 400.0);
    }

    #[test]
    fn too_many_steps_are_refused() {
        let message = evaluate(&Inputs { propagation: 1e-3, ..Inputs::default() }).unwrap_err().to_string();
        assert_eq!(message, "duration = 400: more than 400000 steps of 2.500e-5 s; integrate a shorter time");
    }
}
