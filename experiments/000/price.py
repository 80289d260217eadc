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

from photocol.claims import MOSTLY, Values, at_most, below
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source
from photocol.plot import Lines

from . import _baselines as baselines
from . import _classical as classical
from . import _slots as slots
from ._baselines import HALF, LITERAL, READINGS, ROUND_TRIPS, TODAY, At, Reading
from ._classical import ALL, BOTH, CLASSICAL, NONE, TCP
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def dropped(scheme: str, at: At = baselines.ALL, name: str = "") -> Values:
    """What the core and edge nodes drop of a scheme."""
    core, edge = (baselines.curve(scheme, metric, at, ".4f", name) for metric in ("loss_mbps", "edge_loss_mbps"))
    return core + edge


FILLED = "TCP fills 0.5 s of memory whatever the round trip is, and drops there tell it to halve: few, but not none"


def claims(reading: Reading) -> tuple[Claim, ...]:
    """All of them under a reading."""
    without, both = dropped(reading.without, name="without"), dropped(reading.both, name="with")
    core, edge = (
        baselines.curve(reading.both, metric, baselines.ALL, ".4f", name)
        for metric, name in (("loss_mbps", "core"), ("edge_loss_mbps", "edge nodes"))
    )
    delay, late = (
        baselines.curve(scheme, "udp_delay_s").told(unit=" s", name=f"one way {name}")
        for scheme, name in ((reading.without, "without"), (reading.both, "with"))
    )
    trips = baselines.ratio("tcp_rtt_s", reading.both, reading.without).told(".2f", name="times")
    return (
        Claim(
            id="flat-loss",
            text="the loss rate with DLCC changes only slightly with the round trip, without it dramatically "
            "(edges too)",
            where="§VII, Fig. 9: total dropped traffic",
            expected="no number given",
            tolerance="as in 000/classical: largest over smallest at most 1.5 with, at least 3 without; in shape: less "
            "with than without",
            check=slots.flatter(dropped(reading.both, ROUND_TRIPS), dropped(reading.without, ROUND_TRIPS)),
            reason=FILLED + ". Where the classical network loses little in the core its edge nodes drop more",
        ),
        Claim(
            id="less-loss",
            text="the loss rate is lower with DLCC (edges too)",
            where="§VII, Fig. 9: total dropped traffic",
            expected="lower at every point",
            tolerance="at every point; in shape: at most of them",
            check=below(both, without, in_shape=MOSTLY).saying(without, both),
            reason="from 420 ms on bursts overflow the memory at UDP's edge node, in which they wait: with 40 % UDP "
            "that is more than the classical network drops in all",
        ),
        Claim(
            id="nothing-lost",
            text="where all traffic is smoothed nothing is dropped, at edge nodes neither",
            where="ours, of 000/classical's core",
            whose="ours",
            expected="0",
            tolerance="nothing; in shape: at most a thousandth of the link at every point",
            check=at_most(core + edge, 0, in_shape=0.001 * slots.LINK_MBPS).saying(core, edge),
            reason=FILLED + ". From 420 ms on bursts overflow the memory at UDP's edge node too",
        ),
        Claim(
            id="udp",
            text="the interaction between TCP and UDP is favourable",
            where="§I, §V.A",
            expected="UDP, which carries voice and video, loses no larger share of its datagrams with DLCC than "
            "without, as many arrive, and in time",
            tolerance="as in 000/classical: no larger share lost, at least 0.8 of its goodput without; and at most "
            f"{LONGEST_DELAY_S:g} s one way on average; at every point. In shape: at most of them",
            check=baselines.spares_udp(reading, at_most(late, LONGEST_DELAY_S)).telling(delay),
            reason="TCP's backlog at its edge node asks for the whole line, and UDP's edge node gets what is left: a "
            "datagram waits for seconds. With one TCP flow, which does not fill the line, it is 1.4 s instead of 17 at "
            "280 ms; tau of 2.5 and 10 s have 26 and 17 s. Where datagrams are not smoothed the core drops more of "
            "them than without DLCC",
        ),
        Claim(
            id="round-trip",
            text="TCP's round trip stays near that of the path",
            where="ours, after §V.D: buffers grow by the excess alone",
            whose="ours",
            expected="a queue of a fraction of the round trip",
            tolerance=f"at most {LONGER_ROUND_TRIP:g} times the classical network's at every point; in shape: at most "
            "of them",
            check=at_most(trips, LONGER_ROUND_TRIP, in_shape=MOSTLY).telling(
                baselines.curve(reading.both, "tcp_rtt_s").told(unit=" s")
            ),
            reason="TCP fills the 0.5 s of memory at its edge node, whatever the round trip is: at 60 ms that is nine "
            "times the path's",
        ),
    )


def describe(outcome: Outcome) -> list[str]:
    """The gain and its price at each place."""
    names = {"classical network": READINGS[LITERAL].without, "DLCC, all smoothed": READINGS[LITERAL].both}
    metrics = ("goodput_mbps", "udp_delay_s", "tcp_rtt_s", "loss_mbps", "edge_loss_mbps")
    found = {words: [baselines.column(outcome, name, one) for one in metrics] for words, name in names.items()}

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


LOOKS = {
    scheme: (colour, "-o")
    for scheme, colour in zip(SCHEMES, ("#000000", "#999999", "#0072B2", "#E69F00", "#D55E00"), strict=True)
}
DELAYS = Lines(
    "rtt_ms",
    "udp_delay_s",
    ("round-trip time (ms), UDP 30 %", "one-way delay of UDP (s)"),
    by="scheme",
    of=list(SCHEMES),
    where={"udp_percent": 30},
    looks=LOOKS,
    expected={"0.4 s (ITU-T G.114)": LONGEST_DELAY_S},
    scales="y",
)

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
    claims=claims(READINGS[LITERAL]),
    plots=(Plot(name="udp-delay", draw=DELAYS),),
    describe=describe,
    readings=lambda outcome: slots.under(claims, JUDGED, outcome),
    notes=(
        "Hosts of 2009 as in 000/classical, and its networks; delays are those of the whole run.",
        slots.LOTS,
    ),
)
