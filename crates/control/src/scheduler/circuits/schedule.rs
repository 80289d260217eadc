//! The schedule of a week: which port each switch connects to which, from when on and how long.

use super::super::IDLE;
use super::{CircuitError, DemandMatrix, Site};
use units::Duration;

/// Circuits of one switch that stay for some time. Between holds a switch is dark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// When light can pass, from the beginning of the week on.
    pub start: Duration,
    /// How long.
    pub length: Duration,
    /// The output of each input, or [`IDLE`].
    pub outputs: Vec<u16>,
}

impl Hold {
    /// When the light ends.
    pub fn end(&self) -> Duration {
        self.start + self.length
    }
}

/// What several reconfigurable switches do in a week, which is repeated. Every port has a fibre to every switch.
///
/// A switch is dark for at least the reconfiguration time between two holds whose matchings differ, also from the last
/// of a week to the first of the next one. A matching that goes on beyond the end of the week is two holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitSchedule {
    ports: usize,
    week: Duration,
    reconfiguration: Duration,
    switches: Vec<Vec<Hold>>,
}

impl CircuitSchedule {
    /// The most matchings times ports.
    pub const MAX_CIRCUITS: u64 = 1 << 26;

    /// Of the holds of each switch in their order. A switch without any gets one that connects nobody, for the week.
    pub fn new(
        ports: usize,
        week: Duration,
        reconfiguration: Duration,
        mut switches: Vec<Vec<Hold>>,
    ) -> Result<CircuitSchedule, CircuitError> {
        if !(2..=DemandMatrix::MAX_PORTS).contains(&ports) {
            return Err(CircuitError::Ports { found: ports });
        }
        if switches.is_empty() || switches.len() > ports {
            return Err(CircuitError::Switches { found: switches.len(), ports });
        }
        if week <= reconfiguration || week > Site::LONGEST {
            return Err(CircuitError::Time { what: "week", found: week, reconfiguration });
        }
        let holds: u64 = switches.iter().map(|holds| holds.len() as u64).sum();
        CircuitSchedule::check_size(ports, holds)?;
        for holds in switches.iter_mut().filter(|holds| holds.is_empty()) {
            holds.push(Hold { start: Duration::ZERO, length: week, outputs: vec![IDLE; ports] });
        }
        let schedule = CircuitSchedule { ports, week, reconfiguration, switches };
        for (switch, holds) in schedule.switches.iter().enumerate() {
            for at in 0..holds.len() {
                schedule.check(holds, at).map_err(|reason| CircuitError::Hold { switch, hold: at, reason })?;
            }
        }
        Ok(schedule)
    }

    pub(super) fn check_size(ports: usize, holds: u64) -> Result<(), CircuitError> {
        let circuits = u128::from(holds) * ports as u128;
        if circuits > u128::from(CircuitSchedule::MAX_CIRCUITS) {
            return Err(CircuitError::TooLarge { ports, holds });
        }
        Ok(())
    }

    /// What is wrong with a hold.
    fn check(&self, holds: &[Hold], at: usize) -> Result<(), String> {
        let hold = &holds[at];
        let is_long = hold.start > self.week || hold.length > self.week || hold.end() > self.week;
        if is_long || hold.length == Duration::ZERO {
            let (start, length) = (hold.start, hold.length);
            return Err(format!("from {start} for {length}; allowed: more than 0 ps, within {}", self.week));
        }
        self.check_outputs(&hold.outputs)?;
        let (before, gap) = match at.checked_sub(1) {
            Some(before) => {
                let before = &holds[before];
                let (start, ended) = (hold.start, before.end());
                if start < ended {
                    return Err(format!("from {start}; allowed: from {ended} on, when the last one ends"));
                }
                (before, start.saturating_sub(ended))
            }
            None => {
                let last = &holds[holds.len() - 1];
                (last, self.week.saturating_sub(last.end()) + hold.start)
            }
        };
        if gap < self.reconfiguration && before.outputs != hold.outputs {
            let least = self.reconfiguration;
            return Err(format!("dark for {gap} before it; allowed: at least {least}, the reconfiguration"));
        }
        Ok(())
    }

    fn check_outputs(&self, outputs: &[u16]) -> Result<(), String> {
        if outputs.len() != self.ports {
            return Err(format!("outputs of {} inputs; allowed: of {}, one for each port", outputs.len(), self.ports));
        }
        let mut inputs = vec![None; self.ports];
        for (input, output) in outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
            let Some(taken) = inputs.get_mut(usize::from(*output)) else {
                return Err(format!("input {input} to output {output}; allowed: 0 to {}", self.ports - 1));
            };
            if let Some(other) = taken.replace(input) {
                return Err(format!("inputs {other} and {input} to output {output}; allowed: one input an output"));
            }
        }
        Ok(())
    }

    /// Inputs, which are as many as outputs.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// After which time the schedule is repeated.
    pub fn week(&self) -> Duration {
        self.week
    }

    /// The dark time before another matching.
    pub fn reconfiguration(&self) -> Duration {
        self.reconfiguration
    }

    /// The holds of each switch in their order; at least one each.
    pub fn switches(&self) -> &[Vec<Hold>] {
        &self.switches
    }

    /// The circuits of a switch at a time within the week; none while it is dark.
    pub fn at(&self, switch: usize, time: Duration) -> Option<&[u16]> {
        let holds = self.switches.get(switch)?;
        let begun = holds.partition_point(|hold| hold.start <= time);
        let hold = holds.get(begun.checked_sub(1)?)?;
        (time < hold.end()).then_some(hold.outputs.as_slice())
    }

    /// Picoseconds of light a week from each port to each, all switches together, row after row.
    pub fn light(&self) -> Vec<u64> {
        let mut light = vec![0; self.ports * self.ports];
        for hold in self.switches.iter().flatten() {
            for (input, output) in hold.outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
                light[input * self.ports + usize::from(*output)] += hold.length.ps();
            }
        }
        light
    }

    /// The share of the ports' fibres and of the week that has a circuit.
    pub fn duty(&self) -> f64 {
        let light: u128 = self.light().iter().map(|time| u128::from(*time)).sum();
        let most = self.week.ps() as f64 * self.ports as f64 * self.switches.len() as f64;
        light as f64 / most
    }

    /// When the last circuit of the week ends.
    pub fn length(&self) -> Duration {
        let connects = |hold: &&Hold| hold.outputs.iter().any(|output| *output != IDLE);
        self.switches.iter().flatten().filter(connects).map(Hold::end).max().unwrap_or(Duration::ZERO)
    }
}
