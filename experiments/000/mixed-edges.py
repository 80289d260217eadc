"""Paper 000: edge routers with and without DLCC in one network.

"Edge routers could be configured either to support or not support DLCC" (§VII), and no figure has both. Forty flows
enter by four edge nodes, ten by each, of which none to all support DLCC. Those that do smooth TCP, lower their rate
when the core loses slots, and make artificial ACKs; the others send what comes, and nobody tells them. What do the
others gain or lose?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import MOSTLY, Values, above, at_least, at_most, below, falls_with, values
from photocol.experiment import (
    Claim,
    Experiment,
    Form,
    Metric,
    Outcome,
    Plot,
    Point,
    Setup,
    Source,
    UnderReadings,
    grid,
)
from photocol.plot import looks

from . import _classical as classical
from . import _slots as slots
from ._slots import GUARDED, NONE, ONE, PAPER, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult, Value

UDP_PERCENT, EDGES = 30, 4
RTTS_MS, NUMBERS = (60, 280, 560), (0, 1, 2, 3, 4)
SCHEMES = (TWO, GUARDED, ONE)
FIRST_RATE: Mapping[str, Value] = {"switching.dlcc.first_rate": f"{slots.LINK_MBPS / EDGES} Mbps"}
"""A quarter of the output that all share."""


def edge(number: int) -> str:
    """The name of an edge node by which ten flows enter."""
    return f"ea{number}" if number else "ea"


def host(number: int) -> str:
    """The host behind it."""
    return f"a{number}" if number else "a"


def scenario(supporting: int) -> dict[str, Any]:
    """`dlcc.toml` with four edge nodes of TCP, the first of which support DLCC; that of UDP has nothing to smooth."""
    table = slots.scenario()
    outer = next(link for link in table["link"] if link["from"] == "a")
    files = {**table["traffic"][0], "flows": 10}
    table["traffic"][0] = files
    for number in range(1, EDGES):
        table["node"] += [{"name": host(number)}, {"name": edge(number), "role": "edge"}]
        table["link"] += [{**outer, "from": host(number), "to": edge(number)}, {"from": edge(number), "to": "x"}]
        table["traffic"].append({**files, "name": f"files {number}", "from": host(number)})
    if supporting:
        table["switching"]["dlcc"]["edges"] = [edge(number) for number in range(supporting)]
    return table


def setup(point: Point) -> Setup:
    """So many edge nodes with DLCC; where there is none nothing is smoothed either."""
    supporting, rtt_ms = int(point["supporting"]), float(point["rtt_ms"])
    keys = slots.settings(str(point["scheme"]) if supporting else NONE, rtt_ms, UDP_PERCENT)
    more = FIRST_RATE if supporting else {classical.SMOOTHING: "off"}
    outer = {f"link.{4 + 2 * number}.delay": keys["link.0.delay"] for number in range(1, EDGES)}
    settings = {**keys, **outer, **more, "run.name": f"mixed-edges-{supporting}"}
    return Setup(scenario=scenario(supporting), settings=settings)


def measure(result: RunResult) -> Mapping[str, float]:
    """Goodput and loss of the network, and TCP's goodput by an edge node with DLCC and by one without."""
    supporting = int(str(result.manifest["name"]).rsplit("-", 1)[1])
    seconds = result.summary["measured_time"].value
    data = result.links.filter(pl.col("class") == "all")
    out = data.filter(pl.col("from") == "x", pl.col("to") == "ec")
    carried = data.filter(pl.col("to") == "x", pl.col("from") != "ec")["carried_bits"].sum()
    dropped = out["dropped_bits"].sum()
    by_host = [
        result.flows.filter(pl.col("source") == host(number))["goodput_bps"].sum() / 1e6 for number in range(EDGES)
    ]
    with_, without = by_host[:supporting], by_host[supporting:]
    return {
        "goodput_mbps": (carried - dropped) / seconds / 1e6,
        "loss_mbps": dropped / seconds / 1e6,
        "with_mbps": sum(with_) / len(with_) if with_ else 0.0,
        "without_mbps": sum(without) / len(without) if without else 0.0,
        "timeouts": float(result.flows["timeouts"].sum()),
        "stuck": result.summary["dlcc_stuck_flows"].value,
        **slots.price(result),
    }


def curve(metric: str, scheme: str, form: str = ".2f") -> Values:
    """A metric by round trip and number of edge nodes with DLCC."""
    found = values(metric, ("rtt_ms", "supporting"), form=form, scheme=scheme)
    return found.renamed(lambda at: (f"{at[0]:g} ms", at[1]))


def mixed(of: Values, over: Values) -> Values:
    """In networks with edge nodes of both kinds, over what one carries where none has DLCC."""

    def read(outcome: Outcome) -> dict[Any, float]:
        plain = over.read(outcome)
        return {at: one / plain[at[0], 0] for at, one in of.read(outcome).items() if 0 < at[1] < EDGES}  # type: ignore[index]

    return replace(of, read=read)


def claims(scheme: str) -> tuple[Claim, ...]:
    """All of them, of a scheme."""
    with_, without = (curve(metric, scheme) for metric in ("with_mbps", "without_mbps"))
    others, own, lost = mixed(without, without), mixed(with_, without), curve("loss_mbps", scheme, ".3f")
    share = (with_ / without).among(lambda at: 0 < at[1] < EDGES)
    return (
        Claim(
            id="others",
            text="edge nodes without DLCC gain by those with it",
            whose="ours",
            where="ours, after §VII",
            expected="more goodput beside edge nodes that give way",
            tolerance="at least 1.05 times that without any, at every round trip and number; in shape: more in most "
            "cases",
            check=at_least(others, 1.05, in_shape=above(others, 1, in_shape=MOSTLY)),
        ),
        Claim(
            id="share",
            text="in a mixed network those with DLCC carry less than those without",
            whose="ours",
            where="ours, after §VII",
            expected="less: who gives way first leaves room to the others",
            tolerance="at most 0.95 of it at every round trip and number; in shape: less in most cases",
            check=at_most(share, 0.95, in_shape=below(share, 1, in_shape=MOSTLY)),
        ),
        Claim(
            id="own",
            text="an edge node that begins to support DLCC does not lose by it, whatever the others do",
            whose="ours",
            where="ours, after §VII",
            expected="at least the goodput of a network without DLCC",
            tolerance="at least 0.98 of it at every round trip and number; in shape: in most cases",
            check=at_least(own, 0.98, in_shape=MOSTLY),
            reason="as printed nearly all flows of edge nodes with DLCC stand still behind holes that nobody repairs "
            "(18 of 20 with two such nodes); guarded they carry less too, since the others keep the core overloaded",
        ),
        Claim(
            id="loss",
            text="the more edge nodes support DLCC the less the core loses",
            whose="ours",
            where="ours, after §VII",
            expected="decreasing",
            tolerance="from every number to the next, at every round trip; in shape: from none to all",
            check=falls_with(lost.told(".3f", " Mb/s")),
            reason="at 60 ms all thirty flows behind three supporting nodes are stuck by the printed rule; ten flows "
            "of the fourth have the line to themselves, 40.5 Mb/s, and lose as without control. Guarded, where none is "
            "stuck, it falls with each: 0.328, 0.317, 0.299, 0.277, 0.026 Mb/s",
        ),
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Every claim with each scheme of the table."""
    schemes = {slots.NAMES[scheme]: scheme for scheme in SCHEMES if scheme in outcome.table["scheme"]}
    return slots.under(claims, schemes, outcome)


def describe(outcome: Outcome) -> list[str]:
    """The goodput of both kinds under each form of artificial ACKs."""
    return [
        f"{slots.NAMES[scheme]}, Mb/s for an edge node by round trip and edge nodes with DLCC: with "
        f"{curve('with_mbps', scheme).words(outcome)}. Without: {curve('without_mbps', scheme).words(outcome)}."
        for scheme in SCHEMES
        if scheme in outcome.table["scheme"]
    ]


def draw(axes: Axes, table: pl.DataFrame, scheme: str) -> None:
    """TCP's goodput by an edge node with DLCC, filled, and by one without, hollow, along their number."""
    rows = table.filter(pl.col("scheme") == scheme)
    places = sorted(rows["rtt_ms"].unique().to_list())
    for look, rtt_ms in zip(looks(len(places)), places, strict=True):
        one = rows.filter(pl.col("rtt_ms") == rtt_ms).sort("supporting")
        for metric, line, words in (("with_mbps", "-", "with DLCC"), ("without_mbps", "--", "without")):
            there = one.filter(pl.col("supporting") > 0 if metric == "with_mbps" else pl.col("supporting") < EDGES)
            axes.errorbar(
                there["supporting"],
                there[metric],
                yerr=there[f"{metric}_half_width"],
                linestyle=line,
                color=look.colour,
                marker=look.marker,
                markerfacecolor=look.colour if metric == "with_mbps" else "none",
                markersize=5,
                capsize=2,
                label=f"{rtt_ms:g} ms, {words}",
            )
    axes.set_xticks(range(EDGES + 1))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("edge nodes with DLCC, of four")
    axes.set_ylabel("goodput of TCP by an edge node (Mb/s)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)


experiment = Experiment(
    id="000/mixed-edges",
    title="DLCC: edge nodes with and without it in one network (simulation)",
    source=Source(paper=PAPER, figures="none; after Figure 8", section="§VII"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="goodput_mbps", label="goodput, §VII (Mb/s)", form=".2f"),
        Metric(name="loss_mbps", label="loss rate, §VII (Mb/s)", form=".4f"),
        Metric(name="with_mbps", label="TCP, an edge node with DLCC (Mb/s; 0: there is none)", form=".2f"),
        Metric(name="without_mbps", label="TCP, one without (Mb/s; 0: there is none)", form=".2f"),
        Metric(name="timeouts", label="timeouts", form=".0f"),
        Metric(name="stuck", label="flows that stand still", form=".0f"),
        *slots.PRICE,
    ),
    quick=Form(
        points=grid(scheme=(TWO, GUARDED), rtt_ms=(60, 560), supporting=(0, 2, 4)),
        replications=1,
        settings=slots.QUICK,
        note="two of three schemes, two of three round trips, three of five numbers, 100 s of 900 s, one of six "
        "replications",
    ),
    full=Form(
        points=grid(scheme=SCHEMES, rtt_ms=RTTS_MS, supporting=NUMBERS),
        replications=6,
        settings=classical.FULL,
    ),
    claims=claims(TWO),
    plots=(
        Plot(name="mixed-edges", draw=partial(draw, scheme=TWO)),
        Plot(name="guarded", draw=partial(draw, scheme=GUARDED)),
    ),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Four edge nodes with ten flows each; a first rate of a quarter of the output; all have 0.5 s of memory.",
        "The other keys are those of 000/round-trips; UDP's edge node smooths nothing and is told nothing.",
        slots.LOTS,
    ),
)
