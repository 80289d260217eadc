//! What a node asks for besides what waits: what will come until its slots do (paper 003, §3.2, §3.4.3). "In this case
//! we should use an estimation method to predict traffic."

use crate::demand::{self, Demand, Forecast, Reading};
use crate::wire::NodeId;
use std::collections::BTreeMap;

/// How a node predicts what will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// How it follows from what came in past frames.
    pub forecast: Forecast,
    /// How the master reads requests.
    pub reading: Reading,
}

/// The demand of a destination, and for how many frames nothing has come for it.
#[derive(Clone, Copy, Debug)]
struct Known {
    demand: Demand,
    quiet: u32,
}

/// What came for each destination, frame by frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    prediction: Option<Prediction>,
    /// Slots that came since the last request.
    came: BTreeMap<NodeId, u32>,
    known: BTreeMap<NodeId, Known>,
}

impl Arrivals {
    /// From now on requests are raised to what is predicted; None: they are what waits.
    pub(super) fn predict(&mut self, prediction: Option<Prediction>) {
        *self = Arrivals { prediction, ..Arrivals::default() };
    }

    /// A slot's worth of payload came.
    pub(super) fn note(&mut self, to: NodeId) {
        if self.prediction.is_some() {
            let came = self.came.entry(to).or_insert(0);
            *came = came.saturating_add(1);
        }
    }

    /// A request is made, of `slots` that wait, and at least of what comes in the `frames` until its grants have left.
    pub(super) fn raise(&mut self, slots: &mut BTreeMap<NodeId, u32>, frames: u32) {
        let Some(Prediction { forecast, reading }) = self.prediction else { return };
        for to in self.came.keys() {
            self.known.entry(*to).or_insert(Known { demand: Demand::new(forecast), quiet: 0 });
        }
        for (to, known) in &mut self.known {
            let came = self.came.remove(to).unwrap_or(0);
            known.demand.observe(came);
            known.quiet = if came > 0 { 0 } else { known.quiet.saturating_add(1) };
        }
        self.known.retain(|_, known| known.quiet <= forgotten_after(forecast));
        for (to, Known { demand, .. }) in &self.known {
            let (waiting, coming) = (slots.get(to).copied().unwrap_or(0), demand.request());
            let wanted = demand::wanted(waiting, coming, frames, reading);
            if wanted > 0 {
                slots.insert(*to, wanted);
            }
        }
    }
}

/// Frames without arrivals after which a destination is forgotten: a mean falls to e^-16 of what it was in them, and is
/// rounded up to a slot for ever.
fn forgotten_after(forecast: Forecast) -> u32 {
    match forecast {
        Forecast::LastFrame => 0,
        Forecast::Smoothed { shift } | Forecast::Predicted { shift } => 16 << shift.min(16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: NodeId = NodeId(2);

    /// What is asked for when `came` slots came in each frame, of which `waiting` wait.
    fn asked(prediction: Prediction, frames: &[(u32, u32)]) -> Vec<u32> {
        let mut arrivals = Arrivals::default();
        arrivals.predict(Some(prediction));
        let one = |(came, waiting): &(u32, u32)| {
            (0..*came).for_each(|_| arrivals.note(TO));
            let mut slots: BTreeMap<NodeId, u32> = [(TO, *waiting)].into();
            arrivals.raise(&mut slots, 4);
            slots[&TO]
        };
        frames.iter().map(one).collect()
    }

    /// Four frames pass from a request to the last of its slots: two slots a frame are eight until then. What waits is
    /// asked for if it is more.
    #[test]
    fn what_will_come_until_the_slots_do_is_asked_for() {
        let prediction = Prediction { forecast: Forecast::LastFrame, reading: Reading::Backlog };
        assert_eq!(asked(prediction, &[(2, 2), (2, 4), (0, 9), (0, 0)]), [8, 8, 9, 0]);
        let prediction = Prediction { forecast: Forecast::Smoothed { shift: 1 }, ..prediction };
        assert_eq!(asked(prediction, &[(2, 2), (2, 4)]), [4, 8], "means of 1 and 1.5 slots, rounded up, four times");
        let prediction = Prediction { reading: Reading::Rate, ..prediction };
        assert_eq!(asked(prediction, &[(2, 2), (2, 40)]), [1, 10], "a rate, and what waits in four parts");
    }

    #[test]
    fn who_gets_nothing_any_more_is_forgotten() {
        let prediction = Prediction { forecast: Forecast::Smoothed { shift: 3 }, reading: Reading::Backlog };
        let mut frames = vec![(100, 0); 50];
        frames.extend(vec![(0, 0); 128 + 2]);
        let asked = asked(prediction, &frames);
        assert_eq!(asked[49], 4 * 100);
        assert!(asked[100] > 0 && *asked.last().unwrap() == 0, "{asked:?}");
    }
}
