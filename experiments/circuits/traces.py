"""A flow over a path that follows a trace, on which packets have jitter and keep their order, or overtake.

The trace is made by a model of our own (`_low_orbit`), and no measurement is in it: a real one goes in the place of
`scenarios/traces/low-orbit.csv`. The expectations are ours, and were written before the first run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import at_least, at_most, below, most, ordered, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid
from photocol.plot import frame

from ._low_orbit import mean_mbps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

TRACE = Path(__file__).parents[2] / "scenarios" / "traces" / "low-orbit.csv"
LASTS_S, QUICK_S = 120, 60
STEP_S = 1.0
KEPT, FREE = "kept", "free"
LAWS: Mapping[str, Mapping[str, Any]] = {
    "cubic": {"algorithm": "cubic", "recovery": "linux", "timestamps": True, "paws_slack": "1 ms"},
    "cubic-sack": {"algorithm": "cubic"},
    "bbr": {"algorithm": "bbr"},
    "bbr3": {"algorithm": "bbr3"},
    "xcp-cl": {"algorithm": "xcp"},
}
COLOURS = {"cubic": "#0072B2", "cubic-sack": "#56B4E9", "bbr": "#E69F00", "bbr3": "#D55E00", "xcp-cl": "#009E73"}
POINTS = 5.0
METRICS = (
    Metric(name="used_percent", label="goodput over the trace's capacity (%)", form=".1f"),
    Metric(name="goodput_mbps", label="goodput (Mb/s)", form=".1f"),
    Metric(name="mean_queue", label="mean queue (packets)", form=".1f"),
    Metric(name="retransmissions", label="segments sent again", form=".0f"),
    Metric(name="false_fast_retransmits", label="repairs of what was not lost", form=".0f"),
)


def setup(point: Point) -> Setup:
    """The ready-made path with a law, and packets that keep their order or not."""
    law = str(point["law"])
    settings: dict[str, Any] = {f"transport.host.{key}": value for key, value in LAWS[law].items()}
    settings |= {"traffic.0.transport": "host", "link_defaults.jitter_order": str(point["order"])}
    settings |= {"run.duration": f"{point['lasts_s']} s", "probe.flows": "[0]", "link_trace.0.mid_packet": "finish"}
    if law == "xcp-cl":
        settings["link_defaults.xcp"] = "{}"
    return Setup(scenario="low-orbit.toml", settings=settings)


def measure(result: RunResult) -> dict[str, float]:
    """What the flow had of the trace."""
    found = {name: figure.value for name, figure in result.summary.items()}
    queues = result.links.filter(pl.col("link").cast(pl.String) == "left->right")["mean_queue"]
    goodput = found["goodput"] / 1e6
    return {
        "used_percent": 100 * goodput / mean_mbps(TRACE.read_text(), 1000 * found["duration"]),
        "goodput_mbps": goodput,
        "mean_queue": float(queues[0]),
        "retransmissions": found["retransmissions"],
        "false_fast_retransmits": found["false_fast_retransmits"],
    }


def rates(result: RunResult) -> pl.DataFrame:
    """Goodput over time."""
    acked = result.series.filter(pl.col("quantity").cast(pl.String) == "acked").sort("t_s")
    steps = acked.filter((pl.col("t_s") / STEP_S - (pl.col("t_s") / STEP_S).round()).abs() < 1e-6)
    found = steps.with_columns((8e-6 * pl.col("value").diff() / pl.col("t_s").diff()).alias("goodput_mbps"))
    return found.drop_nulls("goodput_mbps").select("t_s", "goodput_mbps")


def used(outcome: Outcome, law: str, order: str = KEPT) -> float:
    """What a law uses, in per cent."""
    rows = outcome.table.filter((pl.col("law") == law) & (pl.col("order") == order))
    return float(rows["used_percent"][0])


def draw_rates(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput over time under the trace."""
    trace = pl.read_csv(TRACE, comment_prefix="#").drop_nulls("capacity_mbps")
    until = float(table["t_s"].max() or 0)
    trace = trace.filter(pl.col("time_ms") <= 1000 * until)
    axes.step(trace["time_ms"] / 1000, trace["capacity_mbps"], where="post", color="#BBBBBB", label="trace")
    for law, colour in COLOURS.items():
        own = table.filter((pl.col("law") == law) & (pl.col("order") == KEPT)).sort("t_s")
        axes.plot(own["t_s"], own["goodput_mbps"], color=colour, label=law, linewidth=1.2)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("Mb/s")
    axes.legend(frameon=False, fontsize=8)
    frame(axes)


def draw_used(axes: Axes, table: pl.DataFrame) -> None:
    """Bars by law, in order and not."""
    for shift, (order, alpha) in enumerate(((KEPT, 1.0), (FREE, 0.4))):
        rows = {row["law"]: row["used_percent"] for row in table.filter(pl.col("order") == order).to_dicts()}
        places = [number + 0.4 * (shift - 0.5) for number in range(len(rows))]
        axes.bar(places, list(rows.values()), 0.38, color=[COLOURS[law] for law in rows], alpha=alpha)
        axes.set_xticks(range(len(rows)), list(rows))
    axes.set_ylabel("goodput over capacity (%)")
    axes.set_title("left: packets keep their order; right: they overtake", fontsize=9)
    frame(axes)


REASONS: Mapping[str, str] = {
    "order": "BBR is level with XCP-CL, within what seeds differ by, at six times its queue and with 200 times as many "
    "segments sent again",
    "rack": "PAWS: a copy that overtakes originals makes the receiver refuse them (RFC 7323, section 5.3). Linux lets "
    "pass what is a tick older",
}

USED, OVERTAKEN = (values("used_percent", "law", form=".1f", unit=" %", order=order) for order in (KEPT, FREE))


experiment = Experiment(
    id="circuits/traces",
    title="goodput over a path that follows a trace, with jitter that keeps the order of packets or does not",
    source=Source(paper="ours; a trace from a stated model", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=rates,
    quick=Form(
        points=grid(law=tuple(LAWS), order=(KEPT, FREE), lasts_s=(QUICK_S,)),
        replications=1,
        note="the first half of the trace, one of three seeds",
    ),
    full=Form(points=grid(law=tuple(LAWS), order=(KEPT, FREE), lasts_s=(LASTS_S,)), replications=3),
    claims=(
        Claim(
            id="order",
            text="XCP-CL, whose controller knows the capacity, uses more than BBR, and BBR more than CUBIC",
            where="ours, after circuits/handover",
            expected="XCP-CL, BBR, CUBIC",
            tolerance=f"in this order; in shape: XCP-CL within {POINTS:g} points of the most",
            check=(
                ordered(
                    "cubic < bbr < xcp-cl",
                    USED,
                    at_least(USED.at("xcp-cl"), most(USED.at("cubic", "bbr", "xcp-cl")) - POINTS),
                )
            ),
            whose="ours",
            reason=REASONS.get("order", ""),
        ),
        Claim(
            id="rack",
            text="a Linux host loses little where packets overtake by 1 to 3 ms",
            where="RFC 8985, section 6.2: RACK waits for a quarter of the least round trip before it repairs",
            expected="nine tenths of its goodput in order",
            tolerance="at least 0.9 of it; in shape: 0.75",
            check=at_least(OVERTAKEN.at("cubic"), USED * 0.9, in_shape=USED * 0.75).telling(USED.at("cubic")),
            whose="ours",
            reason=REASONS.get("rack", ""),
        ),
        Claim(
            id="sack",
            text="a host that repairs when three later packets have arrived loses most of its goodput then",
            where="RFC 6675: three segments; 3 ms are 30 of them",
            expected="less than half",
            tolerance="at most half of its goodput in order; in shape: less",
            check=(
                at_most(
                    OVERTAKEN.at("cubic-sack"), USED * 0.5, in_shape=below(OVERTAKEN.at("cubic-sack"), USED)
                ).telling(USED.at("cubic-sack"))
            ),
            whose="ours",
            reason=REASONS.get("sack", ""),
        ),
    ),
    plots=(
        Plot(name="used", draw=draw_used),
        Plot(name="rates", draw=draw_rates, of="curves"),
    ),
    notes=(
        "The trace: another satellite each 15 s after 20 to 90 ms without capacity, log-normal capacities about "
        "100 Mb/s that change each 100 ms, delays of 15 to 35 ms, jitter of 1 to 3 ms.",
        "A trace of your own goes in the place of scenarios/traces/low-orbit.csv, with the same columns.",
    ),
)
