"""Beyond paper 003: slots and the equivalent rate, the two forms in which an allocation can be simulated, side by side.

The paper simulates N of F slots as a link of rate N·C/F (4.1). Here the same flows run over that link and over an edge
node that sends in N of F slots through a core node: case 1 with delays back as forth, where 18 of 18 slots of 45 Mb/s
become 16, that is 40 Mb/s, in the middle third. Frames of 3.6 ms as in the paper, and ten times as long; no guard time;
the plan is known to everybody, so that nothing is asked for and nothing is signalled.

The expected values and tolerances below were committed before the first run. So were these three predictions:

- Two of 18 slots in a row are dark. In them 0.4 ms · 40 Mb/s = 2 packets of 1000 B come, which drain in the rest of the
  frame: one packet more waits in the mean, ten with the long frame.
- At rest a control interval of a third of a second sees about a hundred frames, so the controller sees a rate.
- With one place a full train of packets fills it and loses 2 of 18 in either form; shorter trains lose less in slots
  that are lit, more in those that are dark. No formula; within a fifth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.claims import Predicate, Values, above, at_most, below, beside, extremes, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source

from ._aapn import PACKET, PAPER, REPORTED, XCP, XCP_CL, Trace, scenario
from ._courses import Courses
from ._readings import AS_FORTH, READINGS
from ._slots import gain, into_slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import RunResult

MBPS, SLOTS, SHORT_SLOTS = 45.0, 18, 16
RATE, FRAMES, LONG_FRAMES = "rate", "slots", "long slots"
LONG = 10
"""The long frame has so many times the slots."""
FORMS = (RATE, FRAMES, LONG_FRAMES)
BUFFERS = (1, 100, 1000)
FULL_PERIOD_S, QUICK_PERIOD_S = 200, 50


def points(period_s: int) -> tuple[Point, ...]:
    """Every form with every buffer, for XCP-CL and original XCP."""
    return tuple(
        {"algorithm": algorithm, "form": form, "buffer": buffer, "period_s": period_s}
        for algorithm in (XCP_CL, XCP)
        for form in FORMS
        for buffer in BUFFERS
    )


def setup(point: Point) -> Setup:
    """Case 1 in one of the forms."""
    period_s, form = float(point["period_s"]), str(point["form"])
    follows, buffer = point["algorithm"] == XCP_CL, int(point["buffer"])
    short = MBPS * SHORT_SLOTS / SLOTS
    steps = [(period_s, short, "capacity"), (2 * period_s, MBPS, "capacity")] if form == RATE else []
    network = scenario(
        mbps=MBPS, duration_s=3 * period_s, steps=steps, follows=follows, buffer=buffer, **READINGS[AS_FORTH]
    )
    if form != RATE:
        times = LONG if form == LONG_FRAMES else 1
        shares = [(0.0, SLOTS), (period_s, SHORT_SLOTS), (2 * period_s, SLOTS)]
        into_slots(network, plan=[(at, times * slots) for at, slots in shares], slots=times * SLOTS)
    return Setup(scenario=network)


def measure(result: RunResult) -> Mapping[str, float]:
    """Over the second half of each period."""
    # `allocated` and `rated` of the trace are of the form "rate"; nothing here uses them.
    trace = Trace.of(result)
    figures: dict[str, float] = {}
    for number, slots in enumerate((SLOTS, SHORT_SLOTS, SLOTS), start=1):
        late = trace.late(number - 1)
        seconds = np.count_nonzero(late) * trace.sample_s
        packets = gain(trace.link("offered"), late) - gain(trace.link("dropped"), late)
        share = MBPS * slots / SLOTS
        figures |= {
            f"carried_{number}": packets * PACKET * 8e-6 / seconds / share,
            f"window_{number}": float(np.mean([np.mean(trace.window(flow)[late]) for flow in REPORTED])),
            f"queue_{number}": float(np.mean(trace.link("mean_queue")[late])),
            f"drop_share_{number}": trace.drop_share(late),
        }
    return figures


def of(metric: str, form: str, buffers: Sequence[int] = BUFFERS, algorithms: Sequence[str] = (XCP_CL,)) -> Values:
    """A metric of a form by algorithm and buffer."""
    all_ = values(metric, ("form", "algorithm", "buffer"))
    return all_.among(lambda at: at[0] == form and at[1] in algorithms and at[2] in buffers).renamed(lambda at: at[1:])


def over(metric: str, form: str, buffers: Sequence[int] = BUFFERS, algorithms: Sequence[str] = (XCP_CL,)) -> Values:
    """A metric of a form over that of the equivalent rate."""
    return of(metric, form, buffers, algorithms) / of(metric, RATE, buffers, algorithms)


BOTH, ROOMY, ONE, HUNDRED = (XCP_CL, XCP), BUFFERS[1:], (1,), (100,)
WHOLE = beside(
    {
        f"{form}, {metric}": over(metric, form, algorithms=BOTH)
        for form in (FRAMES, LONG_FRAMES)
        for metric in ("carried_1", "window_1")
    }
)
CARRIED = over("carried_2", FRAMES, ROOMY).told(".4f", name="carried")
WINDOWS = over("window_2", FRAMES, ROOMY).told(".4f", name="windows")
DROPS = beside({form: of("drop_share_2", form, ROOMY) for form in (RATE, FRAMES)}).told(".2g", name="drops")
MORE = {form: of("queue_2", form, ROOMY) - of("queue_2", RATE, ROOMY) for form in (FRAMES, LONG_FRAMES)}
MORE_OF_EXPECTED = beside({FRAMES: MORE[FRAMES], LONG_FRAMES: MORE[LONG_FRAMES] / LONG})
STANDING = {form: of("queue_2", form, (1000,), (XCP,)).told(".0f", " packets", form) for form in FORMS}
APART = beside({form: STANDING[form] / STANDING[RATE] for form in (FRAMES, LONG_FRAMES)})
ONE_CARRIES = over("carried_2", FRAMES, ONE, BOTH).told(".3f", name="carried, of the rate's")
ONE_DROPS = over("drop_share_2", FRAMES, ONE, BOTH).told(".3f", name="drop share, of the rate's")
SHARES = beside({form: of("carried_2", form, ONE) for form in FORMS}).told(".3f", name="of the allocation")
LONG_ROOMY = over("carried_2", LONG_FRAMES, HUNDRED).told(".4f", name="100 packets")
LONG_DROPS = of("drop_share_2", LONG_FRAMES, HUNDRED).told(".2g", name="drop share")
LONG_ONE = over("carried_2", LONG_FRAMES, ONE).told(".3f", name="one packet")
ONLY_ROOM = near(LONG_ROOMY, 1, by=0.01) & at_most(LONG_DROPS, 0) & below(LONG_ONE, 1)


def picture(name: str, algorithm: str, buffer: int, column: str, label: str) -> Plot:
    """A curve of each form."""
    curves = {form: ({"algorithm": algorithm, "form": form, "buffer": buffer}, column) for form in FORMS}
    told = f"{algorithm}, {buffer} packet{'s' * (buffer > 1)} of buffer; means and ranges of spans"
    return Courses(curves=curves, label=label, told=told).plot(name)


def curves(result: RunResult) -> pl.DataFrame:
    """Carried rate, queue and the window of flow #1 at the samples."""
    trace = Trace.of(result)
    packets = np.diff(trace.link("offered") - trace.link("dropped"), prepend=0.0)
    return pl.DataFrame(
        {
            "t_s": trace.t,
            "carried_mbps": packets * PACKET * 8e-6 / trace.sample_s,
            "mean_queue": trace.link("mean_queue"),
            "window_1": trace.window(1),
        }
    )


METRICS = tuple(
    Metric(name=f"{name}_{period}", label=f"{label}, period {period}", form=form)
    for name, label, form in (
        ("carried", "carried, of the allocation", ".4f"),
        ("window", "mean window of five flows (packets)", ".2f"),
        ("queue", "mean queue (packets)", ".2f"),
        ("drop_share", "share of packets dropped", ".5f"),
    )
    for period in (1, 2, 3)
)


def _claim(id_: str, text: str, expected: str, tolerance: str, check: Predicate, reason: str = "") -> Claim:
    return Claim(id=id_, text=text, where="(4.1)", expected=expected, tolerance=tolerance, check=check, reason=reason)


experiment = Experiment(
    id="003/slots",
    title="slots beside the equivalent rate",
    source=Source(paper=PAPER, figures="beyond figures 5.1 to 5.14", section="(4.1), §4.3"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=curves,
    quick=Form(points=points(QUICK_PERIOD_S), replications=1, note="150 s, one replication (three of 600 s)"),
    full=Form(points=points(FULL_PERIOD_S), replications=3),
    claims=(
        _claim(
            "whole",
            "with all slots granted the forms are the same",
            "what is carried, and windows",
            "1 %; in shape: 3 %",
            within((WHOLE - 1).each(abs), 0, 0.01, in_shape=(0, 0.03)).saying(extremes(WHOLE.told(".4f"))),
        ),
        _claim(
            "step",
            "with room for 100 packets or more XCP-CL does the same in both forms while 16 of 18 slots are granted",
            "carried, windows; no drops",
            "1 % and 2 %, and no drop; in shape: 5 % of what is carried",
            (near(CARRIED, 1, by=0.01) & near(WINDOWS, 1, by=0.02) & at_most(DROPS, 0)).in_shape(
                near(CARRIED, 1, by=0.05)
            ),
        ),
        _claim(
            "wait",
            "in slots packets wait for the dark slots to pass",
            "1 packet more in the mean, 10 with the long frame",
            "50 %; in shape: more",
            near(MORE_OF_EXPECTED, 1, by=0.5, in_shape=above(beside(MORE), 0)).saying(
                beside(MORE).told(".2f", " packets more")
            ),
        ),
        _claim(
            "standing",
            "original XCP's standing queue is that of the equivalent rate",
            "the same mean queue, 1000 packets of buffer",
            "5 %; in shape: 20 %",
            near(APART, 1, by=0.05, in_shape=0.2).saying(*STANDING.values()),
        ),
        _claim(
            "one",
            "with one packet of buffer both forms lose alike",
            "what is carried in the step",
            "20 % for XCP-CL and XCP; in shape: a factor of two",
            near(ONE_CARRIES, 1, by=0.2, in_shape=within(ONE_CARRIES, 0.5, 2)).saying(ONE_CARRIES, ONE_DROPS, SHARES),
        ),
        _claim(
            "long",
            "a frame of 36 ms needs the room that its dark slots fill, and nothing else",
            "with 100 packets carried as by the rate, no drop; with one packet less",
            "1 %; in shape: 5 %",
            ONLY_ROOM.in_shape(near(LONG_ROOMY, 1, by=0.05)),
            "with one packet of buffer it loses less, not more. A train that fits into 32 ms of light passes whole, "
            "and what is lost is lost together in the dark, from fewer flows in a round trip: likely, not shown",
        ),
    ),
    plots=(
        picture("carried", XCP_CL, 100, "carried_mbps", "carried (Mb/s)"),
        picture("carried-one-packet", XCP_CL, 1, "carried_mbps", "carried (Mb/s)"),
        picture("queue", XCP, 1000, "mean_queue", "mean queue (packets)"),
    ),
    notes=(
        "Senders, flows and delays are those of 003/case-1. What is carried is counted in packets.",
        "The step is physical in both forms: slots that are not granted are dark.",
    ),
)
