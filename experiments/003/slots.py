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

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.verdict import Finding, judge

from ._aapn import PACKET, PAPER, REPORTED, XCP, XCP_CL, Trace, find, listed, scenario
from ._courses import Courses
from ._readings import AS_FORTH, READINGS
from ._slots import gain, into_slots

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def row(outcome: Outcome, form: str, algorithm: str, buffer: int) -> dict[str, Any]:
    """The row of a point."""
    found: dict[str, Any] = find(outcome.table, algorithm=algorithm, form=form, buffer=buffer)
    return found


def ratios(outcome: Outcome, form: str, algorithm: str, buffer: int, names: tuple[str, ...]) -> list[float]:
    """Metrics of a form over those of the equivalent rate."""
    ours, theirs = row(outcome, form, algorithm, buffer), row(outcome, RATE, algorithm, buffer)
    return [ours[name] / theirs[name] for name in names]


def check_whole(outcome: Outcome) -> Finding:
    """All slots granted: nothing is dark."""
    found = {
        form: [
            ratio
            for algorithm in (XCP_CL, XCP)
            for buffer in BUFFERS
            for ratio in ratios(outcome, form, algorithm, buffer, ("carried_1", "window_1"))
        ]
        for form in (FRAMES, LONG_FRAMES)
    }
    worst = {form: max(abs(one - 1) for one in values) for form, values in found.items()}
    return judge(
        agrees=max(worst.values()) <= 0.01,
        in_shape=max(worst.values()) <= 0.03,
        measured=", ".join(f"{form}: at most {one:.2%} apart" for form, one in worst.items()),
    )


def check_step(outcome: Outcome) -> Finding:
    """XCP-CL in the step with room for 100 and 1000 packets."""
    rooms = BUFFERS[1:]
    carried = [ratios(outcome, FRAMES, XCP_CL, buffer, ("carried_2",))[0] for buffer in rooms]
    windows = [ratios(outcome, FRAMES, XCP_CL, buffer, ("window_2",))[0] for buffer in rooms]
    drops = [row(outcome, form, XCP_CL, buffer)["drop_share_2"] for form in (RATE, FRAMES) for buffer in rooms]
    return judge(
        agrees=max(abs(one - 1) for one in carried) <= 0.01
        and max(abs(one - 1) for one in windows) <= 0.02
        and max(drops) == 0,
        in_shape=max(abs(one - 1) for one in carried) <= 0.05,
        measured=f"carried {listed(carried, '.4f')} of the rate's, windows {listed(windows, '.4f')}; drops "
        f"{listed(drops, '.2g')}",
    )


def check_wait(outcome: Outcome) -> Finding:
    """How much more waits for slots: one packet, ten with the long frame."""
    found = {}
    for form, expected in ((FRAMES, 1.0), (LONG_FRAMES, float(LONG))):
        more = [
            row(outcome, form, XCP_CL, b)["queue_2"] - row(outcome, RATE, XCP_CL, b)["queue_2"] for b in BUFFERS[1:]
        ]
        found[form] = (more, expected)
    return judge(
        agrees=all(abs(one / expected - 1) <= 0.5 for more, expected in found.values() for one in more),
        in_shape=all(one > 0 for more, _ in found.values() for one in more),
        measured="; ".join(f"{form}: {listed(more, '.2f')} packets more" for form, (more, _) in found.items()),
    )


def check_standing(outcome: Outcome) -> Finding:
    """Original XCP's standing queue with room for 1000 packets."""
    queues = {form: row(outcome, form, XCP, 1000)["queue_2"] for form in FORMS}
    apart = [abs(queues[form] / queues[RATE] - 1) for form in (FRAMES, LONG_FRAMES)]
    return judge(
        agrees=max(apart) <= 0.05,
        in_shape=max(apart) <= 0.2,
        measured="; ".join(f"{form}: {queue:.0f} packets" for form, queue in queues.items()),
    )


def check_one(outcome: Outcome) -> Finding:
    """One packet of buffer, both algorithms: what is carried, and what is lost."""
    carried = {a: ratios(outcome, FRAMES, a, 1, ("carried_2", "drop_share_2")) for a in (XCP_CL, XCP)}
    values = [row(outcome, form, XCP_CL, 1)["carried_2"] for form in (RATE, FRAMES, LONG_FRAMES)]
    return judge(
        agrees=all(abs(one[0] - 1) <= 0.2 for one in carried.values()),
        in_shape=all(0.5 <= one[0] <= 2 for one in carried.values()),
        measured="; ".join(f"{a}: carried {c:.3f}, drop share {d:.3f} of the rate's" for a, (c, d) in carried.items())
        + f"; XCP-CL carries {listed(values, '.3f')} at the rate, in slots and in long slots",
    )


def check_long(outcome: Outcome) -> Finding:
    """The long frame: 4 ms in the dark bring 20 packets, for which 100 have room and one has not."""
    roomy = ratios(outcome, LONG_FRAMES, XCP_CL, 100, ("carried_2",))[0]
    drops = row(outcome, LONG_FRAMES, XCP_CL, 100)["drop_share_2"]
    small = ratios(outcome, LONG_FRAMES, XCP_CL, 1, ("carried_2",))[0]
    return judge(
        agrees=abs(roomy - 1) <= 0.01 and drops == 0 and small < 1,
        in_shape=abs(roomy - 1) <= 0.05,
        measured=f"100 packets: {roomy:.4f} of the rate's, drop share {drops:.2g}; one packet: {small:.3f}",
    )


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


def _claim(id_: str, text: str, expected: str, tolerance: str, check: Any, reason: str = "") -> Claim:
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
            check_whole,
        ),
        _claim(
            "step",
            "with room for 100 packets or more XCP-CL does the same in both forms while 16 of 18 slots are granted",
            "carried, windows; no drops",
            "1 % and 2 %, and no drop; in shape: 5 % of what is carried",
            check_step,
        ),
        _claim(
            "wait",
            "in slots packets wait for the dark slots to pass",
            "1 packet more in the mean, 10 with the long frame",
            "50 %; in shape: more",
            check_wait,
        ),
        _claim(
            "standing",
            "original XCP's standing queue is that of the equivalent rate",
            "the same mean queue, 1000 packets of buffer",
            "5 %; in shape: 20 %",
            check_standing,
        ),
        _claim(
            "one",
            "with one packet of buffer both forms lose alike",
            "what is carried in the step",
            "20 % for XCP-CL and XCP; in shape: a factor of two",
            check_one,
        ),
        _claim(
            "long",
            "a frame of 36 ms needs the room that its dark slots fill, and nothing else",
            "with 100 packets carried as by the rate, no drop; with one packet less",
            "1 %; in shape: 5 %",
            check_long,
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
