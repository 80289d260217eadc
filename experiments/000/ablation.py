"""Paper 000: what smoothing, the rate's control and artificial ACKs do, each alone and together, and one thing changed.

§III.C describes two operations and says that "to optimize performance, both are used in combination"; §II smooths, and
the abstract calls the whole "DLCC in conjunction with an edge-smoothing algorithm". Here are edge nodes that smooth
nothing, TCP or all, each with no control, either operation and both; beside them the classical network of
000/classical. Then one thing at a time differs: hosts, sources of UDP, the law of silences.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    at_least,
    below,
    beside,
    highest,
    near,
    values,
    within,
)
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings
from photocol.verdict import not_run

from . import _classical as classical
from . import _slots as slots
from ._classical import (
    ALL,
    ALONE,
    BOTH,
    CLASSICAL,
    HOSTS_2009,
    HOSTS_TODAY,
    MEMORY_500,
    NONE,
    ONCE,
    ONE,
    TCP,
)
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Value

UDP_PERCENT = 30
RTTS_MS = (60, 280, 560)
ELEMENTS = (
    (CLASSICAL, NONE),
    *((edge, control) for edge in (MEMORY_500, TCP, ALL) for control in (NONE, ONE, ALONE, BOTH, ONCE)),
)
"""The classical network, and 0.5 s of memory with every smoothing and control."""
ARMS = ((CLASSICAL, NONE), (TCP, NONE), (TCP, BOTH), (ALL, NONE), (ALL, BOTH), (TCP, ONCE))
BASE, TODAY = "hosts of 2009, one source, bursts every 10 s", "hosts of today"
CHANGES: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "four sources": classical.sources(4),
    "ten sources": classical.sources(10),
    "silences ± 10 %": classical.silence("uniform"),
    "exponential silences": classical.silence("exponential"),
}
RWND_BYTES: Mapping[str, int] = {"rwnd 64 KiB": 65_536, "rwnd 16 KiB": 16_384}
"""§V.B: "a normal PC's default rwnd is fixed at a value between 16 and 64 Kbytes"."""
PER_ACK = "windows grow per ACK"
VARIANTS = (BASE, TODAY, *CHANGES, *RWND_BYTES, PER_ACK)
FLOWS = 40


def elements(variant: str) -> Sequence[tuple[str, str]]:
    """The edge nodes and controls that run under a variant; ACKs with SACK blocks have no form once per round trip."""
    if variant == BASE:
        return ELEMENTS
    return ARMS[:-1] if variant == TODAY else ARMS


def points(rtts: Sequence[int]) -> tuple[Point, ...]:
    """Every element at these round trips, and the arms under each variant."""
    return tuple(
        {"variant": variant, "edge": edge, "control": control, "rtt_ms": rtt_ms}
        for variant in VARIANTS
        for edge, control in elements(variant)
        for rtt_ms in rtts
    )


def setup(point: Point) -> Setup:
    """An arm under a variant."""
    variant = str(point["variant"])
    more: dict[str, Value] = {}
    if variant in RWND_BYTES:
        more["transport.reno.max_window"] = f"{RWND_BYTES[variant]} B"
    if variant == PER_ACK:
        more["transport.reno.increase"] = "per-ack"
    return classical.setup(
        str(point["edge"]),
        str(point["control"]),
        float(point["rtt_ms"]),
        UDP_PERCENT,
        hosts=HOSTS_TODAY if variant == TODAY else HOSTS_2009,
        change=CHANGES.get(variant),
        more=more,
    )


def curve(edge: str, control: str, metric: str = "goodput_mbps", variant: str = BASE, form: str = ".2f") -> Values:
    """A metric of an arm along the round trips."""
    return values(metric, "rtt_ms", form=form, variant=variant, edge=edge, control=control)


def by_edge(control: str, metric: str, *edges: str, form: str = ".2f") -> Values:
    """A metric with a control along the round trips, for each kind of edge node."""
    return beside({edge: curve(edge, control, metric, form=form) for edge in edges})


def rwnd_mbps(at: Any) -> float:
    """Forty windows of rwnd a round trip."""
    variant, rtt_ms = at
    return FLOWS * RWND_BYTES[variant] * 8 / rtt_ms / 1e3


def held(metric: str, form: str, variants: Sequence[str] = ()) -> Values:
    """A metric of the classical network under each rwnd, or without one, where rwnd holds TCP below the link."""
    found = {name: curve(CLASSICAL, NONE, metric, variants[0] if variants else name, form) for name in RWND_BYTES}
    return beside(found).among(lambda at: rwnd_mbps(at) < 0.7 * slots.LINK_MBPS)


BOTH_OF, BETTER = (
    by_edge(BOTH, "goodput_mbps", MEMORY_500, TCP, ALL),
    highest(*(by_edge(control, "goodput_mbps", MEMORY_500, TCP, ALL) for control in (ONE, ALONE))),
)
RATE_LOSES, ACKS_LOSE = (
    by_edge(control, "lost_per_burst_packets", MEMORY_500, TCP, form=".0f") for control in (ONE, ALONE)
)
SMOOTHED = by_edge(NONE, "loss_mbps", TCP, ALL, form=".4f")
PLAIN = curve(MEMORY_500, NONE, "loss_mbps", form=".4f").told(name="unsmoothed")
UNSMOOTHED = beside(dict.fromkeys((TCP, ALL), PLAIN))
SENT, LOST, LOST_WITHOUT = (
    held("tcp_goodput_mbps", ".1f").told(".1f", " Mb/s"),
    held("loss_mbps", ".4f").told(name="loses"),
    held("loss_mbps", ".4f", (BASE,)).told(name="instead of"),
)
RWND = near(SENT / rwnd_mbps, 1, by=0.1, in_shape=0.3) & below(LOST, LOST_WITHOUT, in_shape=MOSTLY)


def gains(variant: str, edge: str, control: str = BOTH) -> Values:
    """Goodput with DLCC over that of the classical network, along the round trips."""
    return curve(edge, control, variant=variant) / curve(CLASSICAL, NONE, variant=variant)


def factor(of: Values) -> Predicate:
    """2 to 10 times in every series; in shape somewhere."""
    return within(of, 2, 10, in_shape=SOMEWHERE)


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """The factor under each variant, where all is smoothed, where TCP is, and there with ACKs once per round trip."""
    arms = {"all smoothed": (ALL, BOTH), "TCP smoothed": (TCP, BOTH), "TCP smoothed, ACKs once": (TCP, ONCE)}
    return [
        UnderReadings(
            claim=f"2 to 10 times the goodput of the classical network, {words}",
            where="abstract, §VIII",
            findings={
                variant: factor(gains(variant, *arm))(outcome)
                if arm in elements(variant)
                else not_run("ACKs with SACK blocks have no such form")
                for variant in VARIANTS
            },
        )
        for words, arm in arms.items()
    ]


def describe(outcome: Outcome) -> list[str]:
    """Shares of the gain in either order: memory and smoothing first, or the controls first."""
    sentences = []
    for rtt_ms in sorted(outcome.table["rtt_ms"].unique().to_list()):

        def goodput(edge: str, control: str, rtt_ms: int = rtt_ms) -> float:
            return curve(edge, control).read(outcome)[rtt_ms]

        plain, memory = goodput(CLASSICAL, NONE), goodput(MEMORY_500, NONE)
        for edge in (TCP, ALL):
            smoothed, both, bare = goodput(edge, NONE), goodput(edge, BOTH), goodput(MEMORY_500, BOTH)
            found = classical.parts(plain, smoothed, both)
            steps = (memory - plain, smoothed - memory, both - smoothed, bare - memory, both - bare)
            sentences.append(
                f"{rtt_ms} ms, {edge}: {found}. In steps: memory {steps[0]:+.1f}, then smoothing {steps[1]:+.1f}, then "
                f"the controls {steps[2]:+.1f} Mb/s; or memory, then the controls {steps[3]:+.1f}, then smoothing "
                f"{steps[4]:+.1f}."
            )
    return sentences


COLOURS = {NONE: "#000000", ONE: "#56B4E9", ALONE: "#E69F00", BOTH: "#D55E00", ONCE: "#009E73"}


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput at the longest round trip, a group of bars for each kind of edge node."""
    longest = table["rtt_ms"].max()
    rows = table.filter(pl.col("rtt_ms") == longest, pl.col("variant") == BASE)
    edges = (CLASSICAL, MEMORY_500, TCP, ALL)
    for step, (control, colour) in enumerate(COLOURS.items()):
        one = {edge: rows.filter(pl.col("edge") == edge, pl.col("control") == control) for edge in edges}
        there = [edge for edge in edges if not one[edge].is_empty()]
        axes.bar(
            [edges.index(edge) + (0.16 * (step - 2) if edge != CLASSICAL else 0) for edge in there],
            [one[edge]["goodput_mbps"].item() for edge in there],
            width=0.16,
            yerr=[one[edge]["goodput_mbps_half_width"].item() or 0.0 for edge in there],
            color=colour,
            capsize=2,
            label=control,
        )
    axes.set_xticks(
        range(4), ["classical:\n20 places", "0.5 s,\nunsmoothed", "0.5 s,\nTCP smoothed", "0.5 s,\nall smoothed"]
    )
    axes.set_ylabel(f"goodput at {longest} ms, UDP {UDP_PERCENT} % (Mb/s)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=5, frameon=False, fontsize=8)
    axes.set_axisbelow(True)
    axes.grid(visible=True, axis="y", color="0.9", linewidth=0.6)


def draw_variants(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput of classical networks and of DLCC under each variant, at the longest round trip."""
    longest = table["rtt_ms"].max()
    arms = {
        "classical network": ((CLASSICAL, NONE), "#000000"),
        "all smoothed, no control": ((ALL, NONE), "#0072B2"),
        "DLCC, all smoothed": ((ALL, BOTH), "#D55E00"),
        "DLCC, TCP smoothed": ((TCP, BOTH), "#E69F00"),
    }
    for step, (label, ((edge, control), colour)) in enumerate(arms.items()):
        rows = table.filter(pl.col("rtt_ms") == longest, pl.col("edge") == edge, pl.col("control") == control)
        there = [variant for variant in VARIANTS if variant in rows["variant"]]
        heights = [rows.filter(pl.col("variant") == variant)["goodput_mbps"].item() for variant in there]
        axes.barh(
            [VARIANTS.index(variant) + 0.2 * (step - 1.5) for variant in there], heights, 0.2, color=colour, label=label
        )
    axes.set_yticks(range(len(VARIANTS)), [variant.replace(", ", ",\n") for variant in VARIANTS], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(f"goodput at {longest} ms, UDP {UDP_PERCENT} % (Mb/s)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.14), ncols=2, frameon=False, fontsize=8)


experiment = Experiment(
    id="000/ablation",
    title="DLCC: smoothing, the rate's control and artificial ACKs, each alone and together (simulation)",
    source=Source(paper=PAPER, figures="Figures 8 and 9, three points", section="§II, §III.C, §VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=points((560,)),
        replications=1,
        settings=slots.QUICK,
        note="one of three round trips, 100 s of 900 s, one of four replications",
    ),
    full=Form(points=points(RTTS_MS), replications=4, settings=classical.FULL),
    claims=(
        Claim(
            id="both",
            text="to optimize performance, both operations are used in combination",
            where="§III.C",
            expected="as much goodput as with the better of either alone",
            tolerance="at least 0.98 of it with every smoothing and round trip; in shape: in most cases",
            check=at_least(BOTH_OF / BETTER, 0.98, in_shape=MOSTLY),
            reason=f"the rate's control alone carries most; with artificial ACKs {slots.HALVES}",
        ),
        Claim(
            id="faster",
            text="the rate's control reduces congestion faster than artificial ACKs",
            where="§III.C",
            expected="fewer slots lost in a burst",
            tolerance="fewer, unsmoothed and with TCP smoothed, at every round trip; in shape: in most cases",
            check=below(RATE_LOSES, ACKS_LOSE, in_shape=MOSTLY).telling(ACKS_LOSE.told(name="against")),
            reason="artificial ACKs halve windows so often that the link is emptier when the next burst comes; the "
            "rate's control leaves it fuller",
        ),
        Claim(
            id="smoothing",
            text="smoothing at the edge reduces what the core loses, without any control",
            where="§I, after [5] and [6]",
            expected="a lower loss rate",
            tolerance="with TCP and with all smoothed, at every round trip; in shape: in most cases",
            check=below(SMOOTHED, UNSMOOTHED, in_shape=MOSTLY).saying(PLAIN, SMOOTHED),
            reason="at 60 ms TCP fills the link with 0.5 s of memory, smoothed or not: 54.99 of 55 Mb/s. The core then "
            "loses as much as the bursts bring, 0.33 Mb/s, whoever smooths TCP",
        ),
        Claim(
            id="rwnd",
            text="TCP whose rwnd is below cwnd leaves capacity unused, and little is lost",
            where="§V.B",
            expected="rwnd a round trip: 40 · 64 KiB/560 ms = 37.4, 40 · 16 KiB/280 ms = 18.7, /560 ms = 9.4 Mb/s",
            tolerance="within 10 % where that is below 0.7 of the link, without DLCC, and a lower loss rate than with "
            "an infinite rwnd; in shape: 30 %, mostly lower",
            check=RWND.saying(SENT, LOST, LOST_WITHOUT),
            reason="64 KiB are 122 segments: at 560 ms the bursts halve windows before they are so large, so that cwnd "
            "rules and not rwnd. With TCP smoothed it sends 34.3 Mb/s there. 16 KiB are 31 segments: nothing is lost",
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="of the classical network's, all smoothed, under every variant and at every round trip; "
            "in shape: once",
            check=factor(beside({variant: gains(variant, ALL) for variant in VARIANTS})),
            reason="at 60 ms, with hosts of today and where rwnd holds TCP back, DLCC has nothing to give: the "
            "classical network is more than half full, or as full as TCP can make it",
        ),
    ),
    plots=(Plot(name="ablation", draw=draw), Plot(name="variants", draw=draw_variants)),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Hosts of 2009 as in 000/classical; hosts of today are CUBIC with RACK-TLP, least RTO 0.2 s, and their "
        "artificial ACKs have SACK blocks (dlcc-sack).",
        slots.LOTS,
        "Each source of UDP has bursts of 30 % of the link at its own times.",
    ),
)
