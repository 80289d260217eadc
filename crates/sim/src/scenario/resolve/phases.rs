//! `[[link_phases]]`: a period of phases becomes two timelines of a link, its phase at the start and what changes in a
//! period.

use super::properties::{Ports, Properties, Rest, Said, changing_keys, named};
use crate::language::{At, Fault};
use crate::model::{LinkId, Step, Timeline};
use crate::scenario::spec::{LinkPhases, Phase};
use units::Duration;

/// A part of a period.
struct Part<'t> {
    /// From the beginning of the period.
    start: Duration,
    /// `None`: all is as the link itself has it.
    phase: Option<&'t Phase>,
}

/// A period without gaps: its parts in the order of time, the first from its beginning on.
pub(super) struct Period<'t> {
    parts: Vec<Part<'t>>,
    lasts: Duration,
    offset: Duration,
    rest: Rest,
}

impl<'t> Period<'t> {
    /// The phases of a table, one behind the other.
    pub fn new(table: &'t At<LinkPhases>) -> Result<Period<'t>, Fault> {
        let given = table.period.as_ref();
        let (mut parts, mut end) = (Vec::new(), Duration::ZERO);
        for phase in table.phases.iter() {
            let start = phase.at.map_or(end, |at| at.0);
            if start < end {
                let message = format!("found \"{start}\"; allowed: from \"{end}\" on, when the phase before it ends");
                return Err(phase.at.map_or_else(|| phase.fault(&message), |at| at.fault(&message)));
            }
            if start > end {
                parts.push(Part { start: end, phase: None });
            }
            parts.push(Part { start, phase: Some(&**phase) });
            end = Duration::from_ps(start.ps().saturating_add(phase.duration.0.ps()));
            if let Some(period) = given.filter(|period| end > period.0) {
                let message = format!("the phase ends at \"{end}\"; allowed: at most the period, \"{}\"", period.0);
                return Err(phase.duration.fault(message));
            }
        }
        let lasts = given.map_or(end, |period| period.0);
        if parts.iter().all(|part| part.phase.is_none_or(|phase| Said::from(phase).is_empty())) {
            let keys = format!("capacity, delay, buffer, {}, state", named(changing_keys()));
            return Err(table.phases.fault(format!("no phase says anything; allowed: at least one with {keys}")));
        }
        if end < lasts {
            parts.push(Part { start: end, phase: None });
        }
        let offset = *table.offset;
        if offset.0 >= lasts {
            let message = format!("found \"{}\"; allowed: less than the period, \"{lasts}\"", offset.0);
            return Err(table.offset.fault(message));
        }
        Ok(Period { parts, lasts, offset: offset.0, rest: Rest::new(table.mid_packet) })
    }

    /// What becomes of packets in transmission.
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// The keys of its phases.
    pub fn said(&self) -> impl Iterator<Item = Said> {
        self.parts.iter().filter_map(|part| part.phase).map(Said::from)
    }

    /// How a link changes that has these properties by itself.
    pub fn timelines(&self, link: LinkId, own: &Properties, ports: Ports) -> Result<[Timeline; 2], Fault> {
        let properties = |part: &Part| part.phase.map_or(Ok(*own), |phase| Said::from(phase).over(own, ports));
        let all: Vec<Properties> = self.parts.iter().map(properties).collect::<Result<_, _>>()?;
        let at_start = Duration::from_ps((self.lasts.ps() - self.offset.ps()) % self.lasts.ps());
        let first = self.parts.partition_point(|part| part.start <= at_start) - 1;
        let step = |after: Duration| move |change| Step { after, change };
        let start: Vec<Step> = all[first].since(own, self.rest).map(step(Duration::ZERO)).collect();
        let mut steps = Vec::new();
        for (number, (part, now)) in self.parts.iter().zip(&all).enumerate() {
            let before = all[number.checked_sub(1).unwrap_or(all.len() - 1)];
            steps.extend(now.since(&before, self.rest).map(step(self.in_run(part.start))));
        }
        steps.sort_by_key(|step| step.after);
        let again = Timeline { link, steps: steps.into(), period: Some(self.lasts) };
        Ok([Timeline { link, steps: start.into(), period: None }, again])
    }

    /// When a time of the period comes first after the start of the run.
    fn in_run(&self, start: Duration) -> Duration {
        let after = (u128::from(start.ps()) + u128::from(self.offset.ps())) % u128::from(self.lasts.ps());
        if after == 0 { self.lasts } else { Duration::from_ps(after as u64) }
    }
}
