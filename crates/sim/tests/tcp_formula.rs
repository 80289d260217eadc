//! Goodput of TCP under random loss against the formula of Padhye, Firoiu, Towsley and Kurose (SIGCOMM 1998), as the
//! crate `analytic` has it.

use crate::support::{figure, run};
use analytic::pftk;

/// The approximate form without a window limit, in packets per second, an ACK per packet (b = 1).
fn formula(loss: f64, rtt: f64, rto: f64) -> f64 {
    let inputs = pftk::Inputs { loss, rtt, rto, form: pftk::Form::Approximate, ..pftk::Inputs::default() };
    pftk::evaluate(&inputs).unwrap().rate_segments_per_s
}

/// Goodput in packets per second of one long flow over an empty path of 100 ms with Bernoulli loss `p`.
fn simulated(algorithm: &str, p: f64, duration_s: u64) -> f64 {
    let text = format!(
        r#"
[run]
duration = "{duration_s} s"
warm_up = "20 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Gbps"
bottleneck_delay = "48 ms"
[link_defaults]
capacity = "10 Gbps"
delay = "1 ms"
buffer = "unlimited"
[[link]]
from = "left"
to = "right"
duplex = false
loss = {p}
[transport.t]
algorithm = "{algorithm}"
min_rto = "0.2 s"
[[traffic]]
transport = "t"
flows = 20
from = "l0"
to = "r0"
"#
    );
    figure(&run(&text, 1), "goodput") / 20.0 / (8.0 * 1460.0)
}

/// Written before the first run: for p ≤ 1e-2 SACK, which repairs several losses in one episode as the formula assumes,
/// is within 20 % of it. The formula's own authors report errors of this size against traces, and independent losses
/// instead of its correlated ones raise the rate by the factor 1.31/1.22 (+7 %) at small p.
#[test]
fn sack_is_within_20_percent_of_pftk_for_loss_up_to_one_percent() {
    for (p, duration_s) in [(1e-3, 400), (3e-3, 300), (1e-2, 200)] {
        // The timer is bounded below by 0.2 s; SRTT + 4 RTTVAR is less on a path without queues.
        let expected = formula(p, 0.1, 0.2);
        let found = simulated("sack", p, duration_s);
        assert!((found / expected - 1.0).abs() < 0.2, "p = {p}: {found} packets/s, PFTK {expected}");
    }
}

/// The slope alone, over two decades: the formula's ratio (10 for 1/sqrt(p), a little more with its timeouts) within 15
/// %.
#[test]
fn a_hundredth_of_the_loss_is_ten_times_the_goodput() {
    let ratio = simulated("sack", 1e-4, 2000) / simulated("sack", 1e-2, 200);
    let expected = formula(1e-4, 0.1, 0.2) / formula(1e-2, 0.1, 0.2);
    assert!((ratio / expected - 1.0).abs() < 0.15, "{ratio}, PFTK {expected}");
}
