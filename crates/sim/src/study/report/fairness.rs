//! Jain's index: how equal the goodputs are of TCP flows that ran all the time.

use super::End;
use super::flows::FlowRows;

/// The index (Jain, Chiu, Hawe 1984) of the goodputs from the end of the warm-up to the end of the run, of the TCP
/// flows that had started by then and neither completed nor were stopped: (sum of x)²/(n · sum of x²), 1 if all are
/// equal and 1/n if one has all.
pub(super) fn figure(end: &End, flows: &FlowRows, add: &mut dyn FnMut(&'static str, f64, &'static str)) {
    let baseline = &end.world.baseline;
    let before = |flow: usize| baseline.flows.get(flow).map_or(0, |totals| totals.arrived);
    let shares = flows.rows.iter().enumerate().filter(|(_, row)| row.ran_all_the_time);
    let shares: Vec<f64> = shares.map(|(flow, row)| (row.totals.arrived - before(flow)) as f64).collect();
    if shares.len() > 1 {
        let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        // Without any goodput it is not a number, and left out.
        add("fairness_index", sum * sum / (shares.len() as f64 * squares), "1");
    }
}
