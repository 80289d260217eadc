//! Matchings laid over several switches, and over the week.
//!
//! The matchings with their dark times form one line, which is cut into as many equal parts as there are switches
//! (McNaughton 1959). A matching that is cut goes on at the next switch after a dark time, side by side with its first
//! part: two circuits carry what one would. So all switches are done at the same time.

use super::{CircuitError, CircuitSchedule, Hold, Matched, Remainder, Site};
use units::Duration;

/// The schedule of a week; the matchings with their dark times fit in it.
pub(super) fn side_by_side(
    matched: &[Matched],
    ports: usize,
    week: Duration,
    site: &Site,
    remainder: Remainder,
) -> Result<CircuitSchedule, CircuitError> {
    CircuitSchedule::check_size(ports, matched.len() as u64 + site.switches as u64)?;
    let mut switches = parts(matched, site);
    if remainder == Remainder::Stretch {
        switches.iter_mut().for_each(|holds| stretch(holds, week));
    }
    CircuitSchedule::new(ports, week, site.reconfiguration, switches)
}

/// The holds of each switch.
fn parts(matched: &[Matched], site: &Site) -> Vec<Vec<Hold>> {
    let (dark, count) = (site.reconfiguration.ps(), site.switches as u64);
    let sum: u64 = matched.iter().map(|one| one.time + dark).sum();
    // A part ends with at most a dark time unused, or a matching has been cut and has another dark time.
    let part = (sum + (count - 1) * dark).div_ceil(count);
    let mut switches = vec![Vec::new(); site.switches];
    let (mut switch, mut now) = (0, 0);
    for one in matched {
        let mut left = one.time;
        while left > 0 {
            let room = part.saturating_sub(now + dark);
            if room == 0 {
                (switch, now) = (switch + 1, 0);
                continue;
            }
            let (start, length) = (Duration::from_ps(now + dark), Duration::from_ps(left.min(room)));
            switches[switch].push(Hold { start, length, outputs: one.outputs.clone() });
            now += dark + length.ps();
            left -= length.ps();
        }
    }
    switches
}

/// Each matching is held longer, so that the last one ends with the week.
fn stretch(holds: &mut [Hold], week: Duration) {
    let (Some(last), count) = (holds.last(), holds.len() as u64) else { return };
    let spare = week.saturating_sub(last.end()).ps();
    let mut later = 0;
    for (hold, at) in holds.iter_mut().zip(0..) {
        let more = spare / count + u64::from(at < spare % count);
        hold.start += Duration::from_ps(later);
        hold.length += Duration::from_ps(more);
        later += more;
    }
}
