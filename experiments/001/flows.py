"""Paper 001, figures 4 to 8 where the number of flows makes p itself: 1 to 14 000 flows between all nodes.

Between every two edge nodes that are four fibres or more apart, in turn; each flow has a host with an access of
100 Mb/s. No loss is drawn: bursts are lost where no wavelength is free. The paper simulates 1000 s; here a tenth of its
network, 8 × 1 Gb/s and a tenth of its flows, comes to rest in seconds, and the whole of it is run with SACK beside.

Whether a burst can change its wavelength is not said, nor how fast an access is. With full conversion and an access of
100 Mb/s TCP rests where a fibre is used by a third and p is below 1e-3; without conversion two bursts meet on a
wavelength at any load. SACK is run over an access of 10 Gb/s too, which limits nothing.

The expected values and tolerances below were committed before the first full run. When those of `makes-full-free` were
written it was known that 14 000 flows lose 9.9e-3 so; its tolerance is that of `makes`.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import (
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    beside,
    falls,
    first,
    highest,
    last,
    steps,
)
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame, looks

from . import _network
from ._compare import BAIMD, BTCP, PAPER, RENO, SACK
from ._network import METERED, Network
from ._panels import THROUGHPUT, Labels, few_labels, look, panels
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, READINGS, both, is_eng, of, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

FIBRES = (
    *((0, 1), (0, 2), (0, 7), (1, 2), (1, 3), (2, 5), (3, 4), (3, 10), (4, 5), (4, 6), (5, 9), (5, 13)),
    *((6, 7), (7, 8), (8, 9), (8, 11), (8, 12), (10, 11), (10, 12), (11, 13), (12, 13)),
)
"""Of NSFNET's core."""
NODES = 14
SPREAD = "90 ms"
"""Of the starts: a round trip."""
NONE, FULL = "none", "full"
"""Conversion of wavelengths."""
TENTH, WHOLE = "tenth", "whole"
"""Of the paper's network: 8 × 1 Gb/s, or 8 × 10 Gb/s."""
CAPACITIES = {TENTH: "1 Gbps", WHOLE: "10 Gbps"}
USUAL, FREE = "100 Mbps", "10 Gbps"
"""The access of a flow; the second limits nothing."""
STARTS = {
    (NONE, TENTH): {1: (1000, 20.0), 14: (150, 120.0), 140: (50, 40.0), 500: (20, 15.0), 1400: (15, 12.0)},
    (FULL, TENTH): {1: (1000, 20.0), 14: (1000, 12.0), 140: (1000, 8.0), 500: (500, 8.0), 1400: (220, 8.0)},
    (NONE, WHOLE): {14: (150, 120.0), 140: (60, 40.0), 1400: (25, 9.0), 5000: (15, 6.0), 14_000: (15, 6.0)},
    (FULL, WHOLE): {1400: (220, 4.0), 14_000: (40, 3.0)},
}
"""By the number of flows: where windows begin, near where they rest, and the time, of which the second half counts."""
QUICK_FLOWS, FREE_FLOWS = (14, 140, 500), (14, 140, 1400)
SENDERS = (ENG, METERED, SACK, RENO, BAIMD, BTCP[2])
OTHERS = (SACK, RENO, BAIMD, BTCP[2])
SHOWN = {"without conversion, TCP-ENG told of every loss": ENG, "told below 1 %": METERED}


def _core_hops(source: int) -> list[int]:
    """Fibres between core nodes from one to each, the fewest."""
    hops = {source: 0}
    reached = deque([source])
    while reached:
        node = reached.popleft()
        for one, other in (*FIBRES, *((b, a) for a, b in FIBRES)):
            if one == node and other not in hops:
                hops[other] = hops[node] + 1
                reached.append(other)
    return [hops[node] for node in range(NODES)]


PAIRS = tuple(
    (f"e{source}", f"e{target}")
    for source in range(NODES)
    for target, hops in enumerate(_core_hops(source))
    if hops >= 2
)
"""Edge nodes four fibres or more apart: two of them between core nodes."""


def setup(point: Point) -> Setup:
    """So many flows of one sender over the pairs in turn."""
    flows, sender = int(point["flows"]), str(point["sender"])
    conversion, scale = str(point["conversion"]), str(point["scale"])
    paths = tuple(PAIRS[(number * 37) % len(PAIRS)] for number in range(flows))
    start, duration_s = STARTS[conversion, scale][flows]
    network = Network(
        sender=sender,
        reading=str(point["reading"]),
        paths=paths,
        flows=1,
        conversion=conversion,
        access=str(point["access"]),
        capacity=CAPACITIES[scale],
        duration_s=duration_s,
    )
    found = _network.scenario(network)
    for number, (node, link, flow) in enumerate(zip(found["node"], found["link"], found["traffic"], strict=True)):
        source = f"{link['to']}-{number}"
        node["name"] = link["from"] = flow["from"] = flow["name"] = source
        flow["spread"] = SPREAD
    found["run"]["warm_up"] = f"{duration_s / 2:g} s"
    found["switching"]["ingress"] = "drop"
    found["transport"]["sender"] |= {"initial_window": start, "initial_ssthresh": f"{start} packets"}
    return Setup(scenario=found)


def points(
    senders: Sequence[str], conversion: str, scale: str, flows: Sequence[int], access: str = USUAL
) -> tuple[Point, ...]:
    """These senders with these numbers of flows."""
    return versions("sender", senders, conversion=[conversion], scale=[scale], access=[access], flows=flows)


def measure(result: RunResult) -> dict[str, float]:
    """What the flows did, and the share of bursts that they lost."""
    value = {name: figure.value for name, figure in result.summary.items()}
    found = _network.measure(result)
    lost = value["bursts_lost"] / max(1.0, value["bursts_lost"] + value["bursts_delivered"])
    fibres = result.links.filter(pl.col("class") == "burst")
    return found | {"burst_loss": lost, "busiest": float(fibres["utilization"].max())}


def curve(
    outcome: Outcome,
    sender: str,
    metric: str,
    conversion: str,
    *,
    reading: str = BEN_ONLY,
    scale: str = TENTH,
    access: str = USUAL,
) -> dict[int, float]:
    """Number of flows to a metric's mean, ascending."""
    network = {"conversion": conversion, "scale": scale, "access": access}
    rows = outcome.table.filter(of("sender", sender, reading), **network).sort("flows")
    return dict(zip(rows["flows"].to_list(), rows[metric].to_list(), strict=True))


def along(
    sender: str, metric: str, conversion: str, *, reading: str = BEN_ONLY, scale: str = TENTH, access: str = USUAL
) -> Values:
    """A metric by number of flows."""
    network: dict[str, Any] = {"reading": reading, "scale": scale, "access": access}
    return Values(lambda outcome: curve(outcome, sender, metric, conversion, **network), ".2f")


def makes(conversion: str, access: str = USUAL) -> Predicate:
    """The dropping rate grows with the number of flows through the paper's range."""
    losses, whole = (
        along(SACK, "burst_loss", conversion, scale=scale, access=access).told(".1e", name=words)
        for scale, words in ((TENTH, "SACK loses, of its bursts,"), (WHOLE, "in the whole network"))
    )
    rising = at_least(steps(losses), 0)
    through = at_most(first(losses), 1e-4) & at_least(last(losses), 1e-2)
    far = at_least(last(losses), (first(losses) * 100).each(lambda loss: max(1e-3, loss)))
    return (rising & through).in_shape(rising & far).saying(losses, whole)


def segments(outcome: Outcome) -> dict[int, float]:
    """Segments of a flow in a burst by number of flows: in the whole network, where that has been run."""
    whole = curve(outcome, SACK, "segments_per_burst", NONE, scale=WHOLE)
    return whole or curve(outcome, SACK, "segments_per_burst", NONE)


SEGMENTS = Values(segments, ".2f", name="judged are")
A_TENTH = along(SACK, "segments_per_burst", NONE)
NINE_TO_ONE = falls(SEGMENTS) & at_most(first(SEGMENTS), 13.5) & at_most(last(SEGMENTS), 1.5)


def where_lost(of: Values, conversion: str) -> Values:
    """The least where bursts are lost: without a loss all senders are one. No number where none is lost."""

    def read(outcome: Outcome) -> dict[None, float]:
        losses = curve(outcome, SACK, "burst_loss", conversion)
        found = of.read(outcome).items()
        flows = [(at[-1] if isinstance(at, tuple) else at, one) for at, one in found]
        return {None: min((one for number, one in flows if losses[number] > 1e-5), default=math.nan)}

    return Values(read)


def higher(sender: str, conversion: str, reading: str) -> Predicate:
    """TCP-ENG has a higher throughput than every other, whatever the number of flows."""
    ours = along(sender, "throughput_mbps", conversion, reading=reading)
    gain = beside({f"over {one}": ours / along(one, "throughput_mbps", conversion) for one in OTHERS})
    many = where_lost(gain, conversion)
    return (at_least(gain, 0.999) & at_least(many, 1.1)).in_shape(at_least(many, 1)).saying(gain)


def used(sender: str, conversion: str, reading: str) -> Predicate:
    """TCP-ENG fills the fibres better than every other."""
    ours = along(sender, "utilization", conversion, reading=reading).told(".3f", name="of the last fibres")
    gain = ours / highest(*(along(name, "utilization", conversion) for name in OTHERS))
    many, told = where_lost(gain, conversion), gain.told(".2f", name="over the best other")
    return (at_least(gain, 0.999) & above(many, 1)).in_shape(at_least(many, 1)).saying(ours, told)


REASONS = {
    (METERED, NONE): {
        BEN_ONLY: "p is above the threshold: told of nothing it is SACK, (1, 1/2)",
        LARGE_WINDOW: "p is above the threshold: told of nothing it has half of the window and α = 0.2, 0.45 of SACK "
        "by the square root; it makes p smaller, 7e-3 for 1.4e-2 with 140 flows, and has 0.57",
    },
    (ENG, NONE): {
        BEN_ONLY: "p is the flows' own: with 140 of them TCP-ENG loses 2.1e-2 of its bursts, SACK 1.4e-2",
        LARGE_WINDOW: "(α, β) friendly by (2), and fewer segments in a burst: 0.77, 0.82 and 0.79 of SACK with 14, 140 "
        "and 500 flows, as in 001/contention",
    },
    (METERED, FULL): {
        BEN_ONLY: "p is below the threshold, but a path of a few flows has fewer than a hundred bursts in 100 ms: told "
        "of nothing it is SACK, 1.02 of it with 1400 flows",
        LARGE_WINDOW: "told of nothing, as under ben-only: 0.88 of SACK with 1400 flows, and p = 1.3e-4 for 3.1e-4",
    },
}
"""Why TCP-ENG's throughput, and with it the utilization, is not the highest; of trials with one replication."""


def superior(sender: str, conversion: str) -> tuple[Claim, ...]:
    """TCP-ENG's throughput and utilization are the highest."""
    told = "told of every loss" if sender == ENG else "told below 1 %"
    name = f"{'-told' if sender == ENG else ''}-{conversion}"
    reasons = REASONS[sender, conversion]
    where = f"{told}, conversion {conversion}"
    return (
        *both(
            claim=f"higher{name}",
            text=f"TCP-ENG has a higher throughput than SACK, Reno, BAIMD and BTCP ({where})",
            where="§IV.A, Figs. 5, 6",
            expected="higher at every number of flows; no number",
            tolerance="nowhere less by 0.1 %, and 1.1 times where bursts are lost; in shape: nowhere less there",
            check=lambda reading: higher(sender, conversion, reading),
            reasons=reasons,
        ),
        *both(
            claim=f"utilization{name}",
            text=f"TCP-ENG is superior in link utilization ({where})",
            where="§V",
            expected="the highest; no number",
            tolerance="nowhere 0.1 % less than the best other, more where bursts are lost; in shape: not less there",
            check=lambda reading: used(sender, conversion, reading),
            reasons=reasons,
        ),
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Throughput of a flow against the loss that the flows make, without conversion: a panel for each TCP-ENG."""
    here = (pl.col("conversion") == NONE) & (pl.col("scale") == TENTH) & (pl.col("access") == USUAL)
    here &= pl.col("burst_loss") > 0

    def panel(own: Axes, title: str) -> None:
        for sender in (SHOWN[title], *OTHERS):
            for reading in READINGS if is_eng(sender) else (BEN_ONLY,):
                rows = table.filter(of("sender", sender, reading) & here).sort("flows")
                style = look(ENG if is_eng(sender) else sender, reading)
                own.plot(rows["burst_loss"], rows["throughput_mbps"], **style)
        own.set_xscale("log")
        own.set_yscale("log")

    panels(axes, tuple(SHOWN), panel, Labels("share of bursts lost (measured)", THROUGHPUT), columns=2)


def draw_makes(axes: Axes, table: pl.DataFrame) -> None:
    """The loss that SACK's flows make against their number, where the nodes convert wavelengths and where not."""
    lines = [(*network, access) for network in STARTS for access in (USUAL, FREE)]
    for place, (conversion, scale, access) in enumerate(lines):
        chosen = {"conversion": conversion, "scale": scale, "access": access}
        rows = table.filter(of("sender", SACK, BEN_ONLY), pl.col("burst_loss") > 0, **chosen).sort("flows")
        if rows.is_empty():
            continue
        one = looks(len(lines))[place]
        style: dict[str, Any] = {"color": one.colour, "linestyle": one.line, "marker": one.marker}
        axes.plot(rows["flows"], rows["burst_loss"], label=f"{conversion}, {scale} network, {access}", **style)
    axes.axhspan(1e-5, 1e-1, color="0.95", zorder=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flows of SACK (shaded: the paper's range of losses)")
    axes.set_ylabel("share of bursts lost")
    few_labels(axes)
    frame(axes)


experiment = Experiment(
    id="001/flows",
    title="throughput and utilization where 1 to 14 000 flows make the dropping rate",
    source=Source(paper=PAPER, figures="Figures 4 to 8", section="§IV"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
        Metric(name="jain", label="Jain's index of the flows from a node", form=".4f"),
        Metric(name="burst_loss", label="share of bursts lost", form=".2e"),
        Metric(name="utilization", label="utilization of the last fibres", form=".4f"),
        Metric(name="busiest", label="of the busiest fibre", form=".3f"),
        Metric(name="segments_per_burst", label="segments of a flow in a burst", form=".2f"),
        Metric(name="rtt_ms", label="round trip (ms)", form=".1f"),
        Metric(name="silent_share", label="share of losses without BEN", form=".2f"),
        Metric(name="notices_per_s", label="messages about lost bursts a second", form=".3g"),
        Metric(name="segment_loss", label="share of segments lost", form=".2e"),
        Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".2f"),
        Metric(name="false_cuts_per_flow", label="false retransmissions and timeouts of a flow", form=".2f"),
    ),
    quick=Form(
        points=(
            *points(SENDERS, NONE, TENTH, QUICK_FLOWS),
            *points((METERED, *OTHERS), FULL, TENTH, QUICK_FLOWS[-1:]),
            *points((SACK,), FULL, TENTH, QUICK_FLOWS, FREE),
        ),
        replications=1,
        settings={"run.duration": "4 s", "run.warm_up": "2 s"},
        note="14 to 500 flows of a tenth of the network, 4 s of each, one replication; with full conversion only 500",
    ),
    full=Form(
        points=(
            *points(SENDERS, NONE, TENTH, tuple(STARTS[NONE, TENTH])),
            *points((METERED, *OTHERS), FULL, TENTH, tuple(STARTS[FULL, TENTH])),
            *points((SACK,), NONE, WHOLE, tuple(STARTS[NONE, WHOLE])),
            *points((SACK,), NONE, TENTH, FREE_FLOWS, FREE),
            *points((SACK,), FULL, TENTH, FREE_FLOWS, FREE),
            *points((SACK,), FULL, WHOLE, tuple(STARTS[FULL, WHOLE])),
            *points((SACK,), FULL, WHOLE, tuple(STARTS[FULL, WHOLE]), FREE),
        ),
        replications=1,
        note="a tenth of the network with a tenth of the flows; with SACK the whole too, and an access of 10 Gb/s",
    ),
    claims=(
        Claim(
            id="makes",
            text="1 to 14 000 flows make dropping rates of 1e-5 to 1e-1 (conversion none)",
            where="§IV",
            expected="rising from 1e-5 or less to 1e-1",
            tolerance="rising at each step, at most 1e-4 with the fewest flows and at least 1e-2 with the most; in "
            "shape: rising to 1e-3 or more, and a hundredfold. Written after trials",
            check=makes(NONE),
            reason="without conversion two bursts meet on a wavelength at any load: 14 flows lose 4e-3 already",
        ),
        Claim(
            id="makes-full",
            text="1 to 14 000 flows make dropping rates of 1e-5 to 1e-1 (conversion full)",
            where="§IV",
            expected="rising from 1e-5 or less to 1e-1",
            tolerance="as above",
            check=makes(FULL),
            reason="TCP rests where p and its window meet: at p = 3e-4 a window is 216 segments, and 1400 such flows "
            "use a third of a fibre; a tenth of all bursts is lost at 0.8 of it, where TCP would send a hundredth",
        ),
        Claim(
            id="makes-full-free",
            text="1 to 14 000 flows make dropping rates of 1e-5 to 1e-1 (conversion full, access of 10 Gb/s)",
            where="§IV",
            expected="rising from 1e-5 or less to 1e-1",
            tolerance="as above",
            check=makes(FULL, FREE),
            reason="an access that spaces nothing fills bursts at once; one loss in ten is beyond what TCP keeps up",
        ),
        Claim(
            id="share",
            text="the more flows, the fewer packets of one are in a burst, from 9 to 1 on average (conversion none)",
            where="§IV",
            expected="9 to 1",
            tolerance="falling at each step, at most 1.5 times 9 with the fewest and at most 1.5 with the most; in "
            "shape: falling",
            check=NINE_TO_ONE.in_shape(falls(SEGMENTS)).saying(A_TENTH, SEGMENTS),
            reason="an access of 100 Mb/s brings 12 packets in a millisecond; where a hundred flows share a pair of "
            "nodes, what one of them sends still comes in clumps",
        ),
        *superior(METERED, NONE),
        *superior(ENG, NONE),
        *superior(METERED, FULL),
    ),
    plots=(
        Plot(name="flows", draw=draw),
        Plot(name="makes", draw=draw_makes),
    ),
    notes=(
        "NSFNET with edge nodes, 10 ms a fibre, 8 × 1 Gb/s (tenth) or 8 × 10 Gb/s (whole); flows between all pairs of "
        "edge nodes four fibres or more apart, in turn, each with an access of 100 Mb/s, windows up to 1000 segments; "
        "a burst without a free wavelength is lost, at its ingress node too.",
        "Three to 120 seconds, of which the second half counts; the paper has 1000 s. Windows begin near where they "
        "rest; 14 flows of SACK need two minutes. The whole with full conversion is not at rest after its 3 or 4 s.",
    ),
)
