"""Beyond paper 003: schedule-ahead signalling in slots, beside the equivalent rate of 003/staleness.

Every interval the edge node's output gets 12 to 18 of 18 slots of 45 Mb/s, a new random number. XCP-CL's controller is
told of a frame when it begins, before (a lead), or after (an age). In slots the plan is a table of allocations and the
signal is `signal.ahead` or `signal.age`; at the equivalent rate both are events. 100 packets of buffer.

The expected values and tolerances below were committed before the first run. They rest on 003/staleness alone, whose
full form has 0.834, 0.868, 0.954, 0.906 of the capacity for leads of 0, 0.25, 0.5, 1 s with changes every second, and
0.970, 0.984, 0.992, 0.979 every 5 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from photocol.claims import Predicate, Values, above, at_most, below, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source
from photocol.plot import frame, looks

from ._aapn import PACKET, PAPER, Trace, scenario
from ._readings import AS_FORTH, READINGS
from ._slots import gain, into_slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

    from ._aapn import Step

MBPS, FRAME = 45.0, 18
SLOTS = (12, 18)
BUFFER = 100
DURATION_S, WARM_UP_S, FIRST_S = 200.0, 20.0, 5.0
RATE, FRAMES = "rate", "slots"
INTERVALS_S = (1.0, 5.0)
LEADS_S = (-1.0, 0.0, 0.25, 0.5, 1.0)
"""Negative: an age."""
QUICK_LEADS_S = (0.0, 0.5)


def points(leads: Sequence[float]) -> tuple[Point, ...]:
    """Both forms at every lead and interval."""
    return tuple(
        {"form": f, "interval_s": i, "lead_s": lead} for f in (RATE, FRAMES) for i in INTERVALS_S for lead in leads
    )


def plan(interval_s: float) -> list[tuple[float, int]]:
    """When the output gets how many slots; the same for every form and lead."""
    times = np.arange(FIRST_S, DURATION_S, interval_s)
    slots = np.random.default_rng(round(1000 * interval_s)).integers(SLOTS[0], SLOTS[1] + 1, size=len(times))
    return [(float(t), int(n)) for t, n in zip(times, slots, strict=True)]


def setup(point: Point) -> Setup:
    """The plan in one of the forms, told at one of the leads."""
    lead, changes = float(point["lead_s"]), plan(float(point["interval_s"]))
    in_slots = point["form"] == FRAMES
    steps: list[Step] = []
    if not in_slots:
        rates = [(t, MBPS * n / FRAME) for t, n in changes]
        steps = [(t, mbps, "capacity") for t, mbps in rates]
        steps += [(t - lead, mbps, "told_capacity") for t, mbps in rates if 0 < t - lead < DURATION_S]
    network = scenario(
        mbps=MBPS,
        duration_s=DURATION_S,
        steps=steps,
        follows=in_slots,
        buffer=BUFFER,
        sample_s=0.1,
        moving=False,
        **READINGS[AS_FORTH],
    )
    if in_slots:
        signal = {"ahead": f"{lead:g} s"} if lead > 0 else {"age": f"{-lead:g} s"}
        into_slots(network, plan=[(0.0, FRAME), *changes], slots=FRAME, signal=signal)
    return Setup(scenario=network)


def measure(result: RunResult) -> Mapping[str, float]:
    """From 20 s on. What is carried is counted in packets: it means the same in both forms."""
    trace = Trace.of(result)
    late = trace.within(WARM_UP_S, DURATION_S)
    packets = gain(trace.link("offered"), late) - gain(trace.link("dropped"), late)
    return {
        "carried_mbps": packets * PACKET * 8e-6 / (DURATION_S - WARM_UP_S),
        "drop_share": trace.drop_share(late),
        "queue": float(np.mean(trace.link("mean_queue")[late])),
    }


def allowed_mbps(interval_s: float) -> float:
    """What the plan grants from 20 s on, in the mean."""
    times, slots = zip(*plan(interval_s), strict=True)
    ends = np.append(times[1:], DURATION_S)
    spans = np.clip(ends, WARM_UP_S, None) - np.clip(times, WARM_UP_S, None)
    return float(MBPS / FRAME * np.sum(spans * np.array(slots)) / (DURATION_S - WARM_UP_S))


def of(metric: str, form: str) -> Values:
    """A metric of a form by interval and lead."""
    all_ = values(metric, ("form", "interval_s", "lead_s"))
    return all_.among(lambda at: at[0] == form).renamed(lambda at: at[1:])


def carried(form: str) -> Values:
    """What is carried of the plan, at every interval and lead."""
    return (of("carried_mbps", form) / (lambda at: allowed_mbps(at[0]))).told(".3f", name=form)


def at_lead(of_: Values, lead_s: float) -> Values:
    """By interval."""
    return of_.among(lambda at: at[1] == lead_s).renamed(lambda at: at[0])


GAINS = (at_lead(carried(FRAMES), 0.5) - at_lead(carried(FRAMES), 0.0)).told("+.3f")
DROPS, NO_LEAD = (at_lead(of("drop_share", FRAMES), lead).told(".2g") for lead in (0.5, 0.0))


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """What is carried against the lead; means with 95 % intervals where there are several replications."""
    curves = [(form, interval) for form in (RATE, FRAMES) for interval in INTERVALS_S]
    for look, (form, interval) in zip(looks(len(curves)), curves, strict=True):
        rows = table.filter((table["form"] == form) & (table["interval_s"] == interval)).sort("lead_s")
        share, spread = (rows[name] / allowed_mbps(interval) for name in ("carried_mbps", "carried_mbps_half_width"))
        style = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 4}
        label = f"{form}, every {interval:g} s"
        axes.errorbar(rows["lead_s"], share, yerr=spread.fill_null(0.0), capsize=2, label=label, **style)
    axes.set_xlabel("lead of the signal (s); negative: age")
    axes.set_ylabel("carried (of the plan)")
    frame(axes)


def _claim(id_: str, text: str, expected: str, tolerance: str, check: Predicate) -> Claim:
    return Claim(id=id_, text=text, where="ours", whose="ours", expected=expected, tolerance=tolerance, check=check)


experiment = Experiment(
    id="003/slots-ahead",
    title="told ahead in slots and at the equivalent rate",
    source=Source(paper=PAPER, figures="beyond figures 5.35 to 5.39", section="§6.4"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="carried_mbps", label="carried (Mb/s)", form=".2f"),
        Metric(name="drop_share", label="share of packets dropped", form=".5f"),
        Metric(name="queue", label="mean queue (packets)", form=".1f"),
    ),
    quick=Form(
        points=points(QUICK_LEADS_S), replications=1, note="two of five leads, one replication instead of three"
    ),
    full=Form(points=points(LEADS_S), replications=3),
    claims=(
        _claim(
            "same",
            "in slots a lead or an age does what it does at the equivalent rate",
            "the same share of the plan is carried",
            "0.02 at every lead and interval; in shape: 0.05",
            near(carried(RATE) - carried(FRAMES), 0, by=0.02, in_shape=0.05).saying(carried(RATE), carried(FRAMES)),
        ),
        _claim(
            "lead",
            "half a second of lead carries more",
            "0.12 of the capacity more with changes every second, 0.02 every 5 s",
            "half of it more or less (0.06 to 0.18, 0.005 to 0.04); in shape: more",
            within(GAINS, {1.0: 0.06, 5.0: 0.005}, {1.0: 0.18, 5.0: 0.04}, in_shape=above(GAINS, 0)),
        ),
        _claim(
            "drops",
            "and drops less",
            "half as many drops or fewer",
            "half at both intervals; in shape: fewer",
            at_most(DROPS, NO_LEAD * 0.5, in_shape=below(DROPS, NO_LEAD)).telling(
                NO_LEAD.told(".2g", name="instead of")
            ),
        ),
    ),
    plots=(Plot(name="carried", draw=draw),),
    notes=(
        "Network and senders are those of 003/case-1 with the delays of its first period, back as forth; "
        f"{BUFFER} packets of buffer.",
        "Frames last 3.6 ms: a change waits for the next one, and a lead is rounded down to whole frames.",
    ),
)
