"""Paper 000, figures 8 to 10: goodput, loss rate and extra edge buffer against the round trip, UDP at 30 %.

Beside the paper's two curves every point has ACK pacing, ECN marks at the core, DLCC with one control, and DLCC whose
artificial ACKs wait where something before them may be missing.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import MOSTLY, below, within
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid

from . import _along as along
from . import _slots as slots
from ._slots import HALVES, METRICS, NONE, PAPER, RTTS_MS, SCHEMES, TWO

AXIS, UDP_PERCENT = "rtt_ms", 30
FULL_LINK = (
    "at shorter round trips edge nodes' memory keeps the link full without control, so there is nothing to double; and "
    f"with it {HALVES}"
)
"""Why the goodput with two controls is not above that without."""


def setup(point: Point) -> Setup:
    """A scheme at a round trip."""
    return slots.setup(str(point["scheme"]), float(point[AXIS]), UDP_PERCENT)


def describe(outcome: Outcome) -> list[str]:
    """The closed forms of §V.F beside the simulation, and holes."""
    sentences = along.closed_forms(AXIS, outcome, lambda rtt: (rtt, UDP_PERCENT))
    holes = slots.values_of(outcome, TWO, AXIS, "holes")
    sentences.append(f"Holes that nobody repairs at the end of a run, as printed: {slots.listed(holes, '.0f')}.")
    return sentences


READING = "the readings are the defaults of [switching.dlcc]; 000/sensitivity has others"

SHARED = along.claims(
    along.Words(
        axis=AXIS,
        name="round trip",
        point="round trip",
        most="most of them",
        one="one of them",
        goodput="Fig. 8",
        buffer="Fig. 10",
        reasons={
            "better": FULL_LINK,
            "factor": FULL_LINK,
            "trend": "where edge nodes' memory keeps the link full without control, the goodput is the link's own",
            "extra-buffer": slots.FROZEN,
            "ack-pacing": along.NO_HALVING,
        },
    )
)
LABEL = "round-trip time (ms)"
MADE = slots.curve(TWO, AXIS, "artificial_acks").each(lambda made: max(made, 1))
DISCARDED = (slots.curve(TWO, AXIS, "discarded_acks") / MADE).told(".2f", name="discarded over made")

experiment = Experiment(
    id="000/round-trips",
    title="DLCC: goodput, loss and edge buffer against the round trip (simulation)",
    source=Source(paper=PAPER, figures="Figures 8, 9 and 10", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(scheme=SCHEMES, rtt_ms=(60, 180, 500)),
        replications=1,
        settings=slots.QUICK,
        note="three of seven round trips, 100 s of 2577 s, one of six replications",
    ),
    full=Form(points=grid(scheme=SCHEMES, rtt_ms=RTTS_MS), replications=6, settings=slots.FULL),
    claims=(
        SHARED["better"],
        SHARED["factor"],
        SHARED["trend"],
        Claim(
            id="flat-loss",
            text="the loss rate with DLCC changes only slightly with the round trip, without it dramatically",
            where="§VII, Fig. 9",
            expected="no number given",
            tolerance="largest over smallest at most 1.5 with, at least 3 without; in shape: less with than without",
            check=slots.flatter(*(slots.curve(scheme, AXIS, "loss_mbps", ".4f") for scheme in (TWO, NONE))),
            reason="a burst lasts 200 ms: without control all of its excess is lost at any round trip below that, and "
            "at longer ones TCP no longer fills the link",
        ),
        Claim(
            id="less-loss",
            text="the loss rate is lower with DLCC",
            where="§VII, Fig. 9",
            expected="lower at every round trip",
            tolerance="at every round trip; in shape: at most of them",
            check=below(slots.gain(TWO, NONE, AXIS, "loss_mbps"), 1, in_shape=MOSTLY),
        ),
        SHARED["extra-buffer"],
        SHARED["ack-pacing"],
        Claim(
            id="signalling",
            text="the amount of signalling with and without artificial ACKs is the same",
            where="§IV",
            expected="as many ACKs discarded as made",
            tolerance="0.8 to 1.25 at every round trip; in shape: 0.5 to 2",
            check=within(DISCARDED, 0.8, 1.25, in_shape=(0.5, 2)),
            reason="four ACKs are made for a lost segment, and the receiver sends as many duplicates as segments "
            "follow it in a round trip",
        ),
    ),
    plots=(
        Plot(name="figure-8", draw=slots.picture(AXIS, "goodput_mbps", (LABEL, "goodput (Mb/s)"))),
        Plot(name="figure-9", draw=slots.picture(AXIS, "loss_mbps", (LABEL, "loss rate (Mb/s)"))),
        Plot(name="figure-10", draw=slots.extra_buffer(AXIS, LABEL)),
    ),
    describe=describe,
    notes=(
        "TCP enters by one edge node, UDP by another; both leave by one output: else nothing meets in the core.",
        "Without control edge nodes also smooth TCP and have the same memory; 000/classical has the other reading.",
        "Edge nodes have 0.5 s of memory; without a bound slow start would fill any; minimum RTO 1 s.",
        READING,
        slots.LOTS,
    ),
)
