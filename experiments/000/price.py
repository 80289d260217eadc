"""Paper 000: what stands beside DLCC's gain over a classical network: UDP's delay, TCP's round trip, drops at the edge.

§VIII: the scheme "shifts much of the buffering requirement from the optical core switches to the edge routers". So what
is not lost in the core waits at an edge node, or is dropped there. §VII's loss rate is "the total dropped traffic"; in
000/classical and the other experiments it is that of the core, here edge nodes count too. §I promises "favorable
interaction" between TCP and UDP, which §V.A says carries voice and video: here it has to arrive, and in time.

The expected values and tolerances below were committed before the first run of the experiment. When they were written
it was known from a trial that UDP waits 10 to 20 s, and that edge nodes of the classical network drop more than its
core at 60 ms; each tolerance is that of a claim of 000/classical, or a number of its own source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings
from photocol.verdict import Finding, judge

from . import _baselines as baselines
from . import _classical as classical
from . import _slots as slots
from ._baselines import HALF, LITERAL, READINGS, TODAY, Reading
from ._classical import ALL, BOTH, CLASSICAL, NONE, TCP
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

SCHEMES = {
    classical.name(edge, control): (edge, control)
    for edge, control in ((CLASSICAL, NONE), (TCP, NONE), (ALL, NONE), (TCP, BOTH), (ALL, BOTH))
}
SMOOTHED = "all smoothed in both"
JUDGED = {name: READINGS[name] for name in (LITERAL, SMOOTHED, HALF, TODAY)}
"""Readings of "without DLCC" and with, the paper's words first."""
LONGEST_DELAY_S = 0.4
"""Of voice and video one way: ITU-T G.114's limit for the planning of networks. The way itself takes 0.28 s at most."""
LONGER_ROUND_TRIP = 1.5
PLACES = (*((rtt, 30) for rtt in slots.RTTS_MS), *((500, share) for share in (10, 20, 40)))
"""The paper's ten points: round trip in ms, UDP in per cent."""


def points(places: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Every scheme at these places."""
    return tuple(
        {"scheme": scheme, "rtt_ms": rtt_ms, "udp_percent": share} for scheme in SCHEMES for rtt_ms, share in places
    )


def setup(point: Point) -> Setup:
    """A scheme at a place."""
    return classical.setup(*SCHEMES[str(point["scheme"])], float(point["rtt_ms"]), float(point["udp_percent"]))


def dropped(outcome: Outcome, scheme: str) -> list[float]:
    """What the core and edge nodes drop of a scheme at all places."""
    each = (baselines.values(outcome, scheme, metric) for metric in ("loss_mbps", "edge_loss_mbps"))
    return [core + edge for core, edge in zip(*each, strict=True)]


def flat(outcome: Outcome, reading: Reading) -> Finding:
    """The loss rate with DLCC hardly changes with the round trip, without it it changes much."""
    along = baselines.along_round_trips(outcome)
    without, both = (dropped(along, scheme) for scheme in (reading.without, reading.both))
    spreads = [max(series) / max(min(series), 1e-9) if max(series) else 1.0 for series in (without, both)]
    return judge(
        agrees=spreads[1] <= 1.5 and spreads[0] >= 3,
        in_shape=spreads[1] < spreads[0],
        measured=f"largest over smallest {spreads[0]:.2f} without, {spreads[1]:.2f} with; {both_ways(without, both)}",
    )


def both_ways(without: Sequence[float], both: Sequence[float]) -> str:
    """Drops at all places, without DLCC and with."""
    return f"without {slots.listed(without, '.4f')}; with {slots.listed(both, '.4f')} Mb/s"


def less(outcome: Outcome, reading: Reading) -> Finding:
    """A lower loss rate with DLCC."""
    without, both = (dropped(outcome, scheme) for scheme in (reading.without, reading.both))
    each = [lower < higher for lower, higher in zip(both, without, strict=True)]
    return judge(agrees=all(each), in_shape=sum(each) > len(each) / 2, measured=both_ways(without, both))


def nothing(outcome: Outcome, reading: Reading) -> Finding:
    """Neither the core nor an edge node drops anything with DLCC."""
    core, edge = (baselines.values(outcome, reading.both, metric) for metric in ("loss_mbps", "edge_loss_mbps"))
    total = [one + other for one, other in zip(core, edge, strict=True)]
    return judge(
        agrees=not any(total),
        in_shape=all(rate <= 0.001 * slots.LINK_MBPS for rate in total),
        measured=f"core {slots.listed(core, '.4f')}; edge nodes {slots.listed(edge, '.4f')} Mb/s",
    )


def favourable(outcome: Outcome, reading: Reading) -> Finding:
    """UDP loses no larger share with DLCC than without, as much of it arrives, and in time."""
    lost, lost_with = (baselines.values(outcome, one, "udp_loss_percent") for one in (reading.without, reading.both))
    arrived = baselines.ratios(outcome, "udp_goodput_mbps", reading.both, reading.without)
    delay, late = (baselines.values(outcome, one, "udp_delay_s") for one in (reading.without, reading.both))
    each = [
        lower <= higher and ratio >= 0.8 and seconds <= LONGEST_DELAY_S
        for lower, higher, ratio, seconds in zip(lost_with, lost, arrived, late, strict=True)
    ]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"lost without {slots.listed(lost, '.1f')}, with {slots.listed(lost_with, '.1f')} %; its goodput over "
        f"that without {slots.listed(arrived)}; one way without {slots.listed(delay)}, with {slots.listed(late)} s",
    )


def quick(outcome: Outcome, reading: Reading) -> Finding:
    """TCP's round trip with DLCC is not much longer than without."""
    found = baselines.ratios(outcome, "tcp_rtt_s", reading.both, reading.without)
    with_ = baselines.values(outcome, reading.both, "tcp_rtt_s")
    return judge(
        agrees=all(ratio <= LONGER_ROUND_TRIP for ratio in found),
        in_shape=sum(ratio <= LONGER_ROUND_TRIP for ratio in found) > len(found) / 2,
        measured=f"times {slots.listed(found)}: {slots.listed(with_)} s",
    )


def claim(name: str, check: Callable[[Outcome, Reading], Finding], text: str, where: str, **words: str) -> Claim:
    """A claim against the classical network, where DLCC smooths all: the paper's words."""
    CHECKS[name] = check
    return Claim(id=name, text=text, where=where, check=lambda outcome: check(outcome, READINGS[LITERAL]), **words)  # type: ignore[arg-type]


CHECKS: dict[str, Callable[[Outcome, Reading], Finding]] = {}
"""How each claim is judged under a reading."""
FILLED = "TCP fills 0.5 s of memory whatever the round trip is, and drops there tell it to halve: few, but not none"


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Every claim under each reading."""
    return slots.claims_under(experiment.claims, JUDGED, lambda claim, reading: CHECKS[claim](outcome, reading))


def describe(outcome: Outcome) -> list[str]:
    """The gain and its price at each place."""
    names = {"classical network": READINGS[LITERAL].without, "DLCC, all smoothed": READINGS[LITERAL].both}
    metrics = ("goodput_mbps", "udp_delay_s", "tcp_rtt_s", "loss_mbps", "edge_loss_mbps")
    found = {words: [baselines.values(outcome, name, one) for one in metrics] for words, name in names.items()}

    def told(words: str, at: int) -> str:
        carried, waits, trip, core, edge = (series[at] for series in found[words])
        return (
            f"{words} {carried:.1f} Mb/s, UDP {waits:.2f} s one way, TCP's round trip {trip:.2f} s, dropped in the "
            f"core {core:.4f} and at edge nodes {edge:.4f} Mb/s"
        )

    return [
        f"{rtt_ms:g} ms, {share:g} % UDP: {'; '.join(told(words, at) for words in names)}."
        for at, (rtt_ms, share) in enumerate(baselines.places(outcome))
    ]


COLOURS = dict(zip(SCHEMES, ("#000000", "#999999", "#0072B2", "#E69F00", "#D55E00"), strict=True))


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """UDP's delay along the round trips, a line for each scheme."""
    for scheme, colour in COLOURS.items():
        rows = table.filter(pl.col("scheme") == scheme, pl.col("udp_percent") == 30).sort("rtt_ms")
        axes.plot(rows["rtt_ms"], rows["udp_delay_s"], "-o", color=colour, markersize=4, label=scheme)
    axes.axhline(LONGEST_DELAY_S, color="0.5", linestyle=":", label="0.4 s (ITU-T G.114)")
    axes.set_yscale("log")
    axes.set_xlabel("round-trip time (ms), UDP 30 %")
    axes.set_ylabel("one-way delay of UDP (s)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)


experiment = Experiment(
    id="000/price",
    title="What DLCC's gain costs: delays, and drops at edge nodes (simulation)",
    source=Source(paper=PAPER, figures="Figures 8, 9 and 11", section="§I, §V.A, §VII, §VIII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=points(((60, 30), (280, 30), (560, 30))),
        replications=1,
        settings=slots.QUICK,
        note="three of ten places, 100 s of 500 s, one of two replications",
    ),
    full=Form(points=points(PLACES), replications=2, settings={"run.duration": "600 s", "run.warm_up": "100 s"}),
    claims=(
        claim(
            "flat-loss",
            flat,
            "the loss rate with DLCC changes only slightly with the round trip, without it dramatically (edges too)",
            "§VII, Fig. 9: total dropped traffic",
            expected="no number given",
            tolerance="as in 000/classical: largest over smallest at most 1.5 with, at least 3 without; in shape: less "
            "with than without",
            reason=FILLED + ". Where the classical network loses little in the core its edge nodes drop more",
        ),
        claim(
            "less-loss",
            less,
            "the loss rate is lower with DLCC (edges too)",
            "§VII, Fig. 9: total dropped traffic",
            expected="lower at every point",
            tolerance="at every point; in shape: at most of them",
            reason="from 420 ms on bursts overflow the memory at UDP's edge node, in which they wait: with 40 % UDP "
            "that is more than the classical network drops in all",
        ),
        claim(
            "nothing-lost",
            nothing,
            "where all traffic is smoothed nothing is dropped, at edge nodes neither",
            "ours, of 000/classical's core",
            whose="ours",
            expected="0",
            tolerance="nothing; in shape: at most a thousandth of the link at every point",
            reason=FILLED + ". From 420 ms on bursts overflow the memory at UDP's edge node too",
        ),
        claim(
            "udp",
            favourable,
            "the interaction between TCP and UDP is favourable",
            "§I, §V.A",
            expected="UDP, which carries voice and video, loses no larger share of its datagrams with DLCC than "
            "without, as many arrive, and in time",
            tolerance="as in 000/classical: no larger share lost, at least 0.8 of its goodput without; and at most "
            f"{LONGEST_DELAY_S:g} s one way on average; at every point. In shape: at most of them",
            reason="TCP's backlog at its edge node asks for the whole line, and UDP's edge node gets what is left: a "
            "datagram waits for seconds. With one TCP flow, which does not fill the line, it is 1.4 s instead of 17 at "
            "280 ms; tau of 2.5 and 10 s have 26 and 17 s. Where datagrams are not smoothed the core drops more of "
            "them than without DLCC",
        ),
        claim(
            "round-trip",
            quick,
            "TCP's round trip stays near that of the path",
            "ours, after §V.D: buffers grow by the excess alone",
            whose="ours",
            expected="a queue of a fraction of the round trip",
            tolerance=f"at most {LONGER_ROUND_TRIP:g} times the classical network's at every point; in shape: at most "
            "of them",
            reason="TCP fills the 0.5 s of memory at its edge node, whatever the round trip is: at 60 ms that is nine "
            "times the path's",
        ),
    ),
    plots=(Plot(name="udp-delay", draw=draw),),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Hosts of 2009 as in 000/classical, and its networks; delays are those of the whole run.",
        slots.LOTS,
    ),
)
