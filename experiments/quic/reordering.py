"""Two paths that take turns (paper 004's network): QUIC's thresholds beside SACK, RACK-TLP and RR-TCP.

After a switch to the shorter path bursts of up to 100 packets overtake those before by δ. RFC 9002 §6.1 finds a loss
three packets or 9/8 of a round trip later; it allows both to grow with reordering, and quiche lets them grow to 20
packets and 5/4. All senders have Reno's window and 1000 B of payload without headers.

The expected values and tolerances below were committed before the run that is recorded. One run without spread starts,
with other headers and δ = 0, 10 and 50 ms, had been seen before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import Values, at_least, at_most, most, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Point, RunResult, Value

SACK, RACK, RR = "SACK", "RACK-TLP", "RR-TCP"
QUIC, ADAPTIVE, PATIENT = "QUIC", "QUIC, adaptive", "QUIC, patient"
OF_QUIC: dict[str, Value] = {"algorithm": "quic-newreno"}
SENDERS: dict[str, dict[str, Value]] = {
    SACK: {"algorithm": "sack"},
    RACK: {"algorithm": "sack", "recovery": "rack"},
    RR: {"algorithm": "rr-tcp"},
    QUIC: OF_QUIC,
    ADAPTIVE: {**OF_QUIC, "threshold_rule": "adaptive"},
    PATIENT: {**OF_QUIC, "packet_threshold": 1000, "time_threshold": 8.0},
}
SHADES = {SACK: "#D55E00", RACK: "#E69F00", RR: "#0072B2", QUIC: "#009E73", ADAPTIVE: "#CC79A7", PATIENT: "#7B4B94"}
STYLES = {SACK: "--s", RACK: ":D", RR: "-o", QUIC: "-^", ADAPTIVE: "--v", PATIENT: ":P"}
DELTAS_MS = (1, 2, 5, 10, 20, 50)
LONG_MS = 10
"""From here on δ is longer than an eighth of the round trip of 24 ms and some for assembly."""
B_TO_C, LINK_MS = 4, 2.5
"""The place of the link that is longer by δ among those of the scenario, and the delay of the others."""


def setup(point: Point) -> Setup:
    """Ten flows of 100 MB that begin within a second."""
    delta_ms = float(point["delta_ms"])
    transport: dict[str, Value] = {"packet_size": "1000 B", "header": "0 B", **SENDERS[str(point["sender"])]}
    return Setup(
        scenario="load-balanced-bursts.toml",
        settings={
            f"link.{B_TO_C}.delay": f"{LINK_MS + delta_ms} ms",
            "traffic.0.spread": "1 s",
            "traffic.0.transport": "ours",
            **{f"transport.ours.{name}": value for name, value in transport.items()},
        },
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Of all flows together, the time in the mean."""
    flows = result.flows
    sums = {name: float(flows[name].sum()) for name in ("segments_sent", "retransmissions")}
    false, cuts = (float(flows[name].sum()) for name in ("false_fast_retransmits", "fast_retransmits"))
    return {
        "completion_s": float((flows["end_s"] - flows["start_s"]).mean()),  # type: ignore[arg-type]
        "cuts": cuts / len(flows),
        "false_cuts": false / len(flows),
        "again_percent": 100 * sums["retransmissions"] / sums["segments_sent"],
        "timeouts": float(flows["timeouts"].sum()) / len(flows),
    }


METRICS = (
    Metric(name="completion_s", label="mean time of a flow (s)", form=".2f"),
    Metric(name="cuts", label="cuts of a flow's window for losses", form=".1f"),
    Metric(name="false_cuts", label="of them for nothing", form=".1f"),
    Metric(name="again_percent", label="packets sent again (%)", form=".2f"),
    Metric(name="timeouts", label="timeouts, or PTOs, of a flow", form=".1f"),
)


def along(sender: str, metric: str = "completion_s") -> Values:
    """A metric of a sender along δ."""
    return values(metric, "delta_ms", form=".2f", sender=sender)


def over(sender: str, other: str) -> Values:
    """How many times as long a sender takes as another, along δ."""
    return (along(sender) / along(other)).told(".2f", name=f"{sender} over {other}")


def is_long(delta_ms: float) -> bool:
    """Whether 9/8 of a round trip are over before a late burst comes."""
    return delta_ms >= LONG_MS


USELESS = (along(QUIC, "false_cuts") / along(QUIC, "cuts")).among(is_long).told(".2f", name="false ones of QUIC's cuts")
SAVED = (along(ADAPTIVE) / along(QUIC)).at(DELTAS_MS[-1]).told(".3f", name="adaptive over fixed")
PICTURE = Lines(
    "delta_ms",
    "completion_s",
    ("difference of delays δ (ms)", "mean time of a flow (s)"),
    by="sender",
    of=list(SENDERS),
    looks={sender: (SHADES[sender], STYLES[sender]) for sender in SENDERS},
    low=0,
)

experiment = Experiment(
    id="quic/reordering",
    title="two paths that take turns: QUIC's thresholds beside SACK, RACK-TLP and RR-TCP",
    source=Source(paper="ours, after paper 004 (HS-RR-TCP) and RFC 9002", figures="004's figure 6", section="§6.1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(points=grid(sender=list(SENDERS), delta_ms=[2, 50]), replications=2, note="two δ, two replications"),
    full=Form(points=grid(sender=list(SENDERS), delta_ms=DELTAS_MS), replications=5),
    claims=(
        Claim(
            id="as-sack",
            text="a threshold of three packets does to QUIC what three duplicate ACKs do to SACK",
            whose="ours",
            where="RFC 9002 §6.1.1",
            expected="the same time at every δ",
            tolerance="within 15 % of SACK's time at every δ; in shape: 30 %",
            check=near(over(QUIC, SACK), 1, by=0.15, in_shape=near(over(QUIC, SACK), 1, by=0.3)),
        ),
        Claim(
            id="for-nothing",
            text="without losses all of QUIC's cuts are for nothing",
            whose="ours",
            where="arithmetic: no link loses anything",
            expected="1 for δ from 10 ms on",
            tolerance="at least 0.99; in shape: 0.9",
            check=at_least(USELESS, 0.99, in_shape=0.9),
        ),
        Claim(
            id="adaptive",
            text="thresholds that grow to 20 packets and 5/4 of a round trip are too low for bursts of 100 packets",
            whose="ours",
            where="RFC 9002 §6.1.1, quiche",
            expected="nothing is saved at δ = 50 ms",
            tolerance="0.95 to 1.05 of the time with fixed thresholds; in shape: 0.85 to 1.15",
            check=within(SAVED, 0.95, 1.05, in_shape=within(SAVED, 0.85, 1.15)),
        ),
        Claim(
            id="patient",
            text="with thresholds beyond the reordering QUIC needs no RR-TCP",
            whose="ours",
            where="004 §5.2.1",
            expected="RR-TCP's time at every δ",
            tolerance="at most 1.05 times RR-TCP's; in shape: 1.15",
            check=at_most(most(over(PATIENT, RR)), 1.05, in_shape=1.15),
        ),
        Claim(
            id="rack",
            text="RACK-TLP's window of reordering covers a short δ and not a long one",
            whose="ours",
            where="RFC 8985 §6.2: a quarter of min_rtt, up to a round trip",
            expected="RR-TCP's time up to 5 ms, more at 50 ms",
            tolerance="at most 1.05 times RR-TCP's up to 5 ms, and at least 1.2 times at 50 ms",
            check=at_most(over(RACK, RR).among(lambda delta_ms: delta_ms <= 5), 1.05)
            & at_least(over(RACK, RR).at(DELTAS_MS[-1]), 1.2),
        ),
    ),
    plots=[Plot(name="time", draw=PICTURE)],
    notes=(
        "A PTO is counted as a timeout. QUIC paces its packets at 1.25 windows in a round trip, TCP does not.",
        "The patient thresholds are 1000 packets and eight round trips: losses, of which there are none here, would be "
        "found that late.",
    ),
)
