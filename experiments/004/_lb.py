"""TCP over load-balanced optical bursts: what the simulations of paper 004 (§5.2) share.

Figure 5's network is the ready-made scenario `load-balanced-bursts`: ten flows with an access of 100 Mb/s each, 8
wavelengths of 1 Gb/s, bursts of 100 kB or 10 ms, paths A-B-D-E-F (10 ms) and A-B-C-E-F (δ more), τ = 500 ms and
ρ_max = 5 % unless said otherwise. The paper states neither the links' delays nor the access network; figures 2 and 5
are not in its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Values, ratio
from photocol.experiment import Metric, Outcome, Plot, Setup, Source
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Point, RunResult, Value

SCENARIO = "load-balanced-bursts.toml"
RR, SACK, ORDERING, SHIFT = "HS-RR-TCP", "HS-TCP-SACK", "source ordering", "source ordering (shift)"
ALWAYS, ALWAYS_DATA = "source ordering (always)", "source ordering (always, ACKs not held)"
SENDERS: dict[str, dict[str, Value]] = {
    RR: {"transport.tcp.algorithm": "hs-rr-tcp"},
    SACK: {"transport.tcp.algorithm": "highspeed"},
    ORDERING: {"transport.tcp.algorithm": "highspeed", "switching.balancing.ordering": "drain"},
    SHIFT: {"transport.tcp.algorithm": "highspeed", "switching.balancing.ordering": "shift"},
    ALWAYS: {"transport.tcp.algorithm": "highspeed", "switching.balancing.ordering": "always"},
    ALWAYS_DATA: {
        "transport.tcp.algorithm": "highspeed",
        "switching.balancing.ordering": "always",
        "switching.balancing.traffic": "data",
    },
}
"""Who sends, and whether the ingress node orders.

Source ordering holds bursts until those before have landed; or by δ once the longer path was used; or by δ always. The
last with ACKs on two paths, which are held too, or with ACKs on the shorter path (§4.1).
"""
SHADES = {
    RR: "#0072B2",
    SACK: "#D55E00",
    ORDERING: "#009E73",
    SHIFT: "#8FBC8F",
    ALWAYS: "#CC79A7",
    ALWAYS_DATA: "#7B4B94",
}
STYLES = {RR: "-o", SACK: "--s", ORDERING: ":^", SHIFT: ":v", ALWAYS: ":D", ALWAYS_DATA: ":P"}
LOOKS = {sender: (SHADES[sender], STYLES[sender]) for sender in SHADES}
LOWER = "core, ρ_max = 1.5 %"
LOWER_KEYS: dict[str, Value] = {"switching.balancing.threshold": 0.015}
"""At a loss of 0.001 ten flows load a channel by 1 % and hardly ever reach 5 %."""
FLOWS = 10
B_TO_C = 4
"""The place of the link that is longer by δ among those of the scenario."""
CORE_LINKS = 6
LINK_MS = 2.5
LONG_ENOUGH_S = 40_000
SMALL: dict[str, Value] = {"traffic.0.size": "500 MB"}
SMALL_NOTE = "500 MB a flow instead of 1 GB"
SMALLER: dict[str, Value] = {"traffic.0.size": "200 MB"}
SMALLER_NOTE = "200 MB a flow instead of 1 GB"

METRICS = (
    Metric(name="completion_s", label="mean time of a flow (s)", form=".2f"),
    Metric(name="fast_retransmits", label="fast retransmits", form=".0f"),
    Metric(name="false_fast_retransmits", label="false fast retransmits", form=".0f"),
    Metric(name="timeouts", label="timeouts", form=".0f"),
    Metric(name="false_timeouts", label="false timeouts", form=".0f"),
    Metric(name="dupthresh", label="mean dupthresh", form=".1f"),
    Metric(name="switches", label="changes of path", form=".0f"),
    Metric(name="buffer_mb", label="memory for ordering (MB)", form=".2f"),
    Metric(name="gigabytes", label="data of a flow (GB)", form=".2f"),
    Metric(name="cpu_s", label="CPU time of a run (s)", form=".1f"),
)


def source(figures: str, section: str) -> Source:
    """Where a figure is printed."""
    return Source(paper="Charbonneau and Vokkarane, HS-RR-TCP (paper 004)", figures=figures, section=section)


def settings(
    sender: str, *, delta_ms: float = 50, loss: float = 0.0, where: str = "core", probe_s: float = 1.0
) -> dict[str, Value]:
    """The keys of a point. `loss` is that of a burst on its whole way, or of a packet on its access link."""
    known = dict(SENDERS[sender])
    if loss and where == "core":
        known["link_defaults.core.loss"] = 1 - (1 - loss) ** (1 / 4)
    if loss and where == "access":
        known |= {f"link.{number}.loss": loss for number in range(6, 6 + FLOWS)}
    return {
        **known,
        f"link.{B_TO_C}.delay": f"{LINK_MS + delta_ms} ms",
        "traffic.0.size": "1 GB",
        "run.duration": f"{LONG_ENOUGH_S} s",
        "probe.interval": f"{probe_s} s",
        "probe.flows": "all",
    }


def links_of(link_ms: float, delta_ms: float = 50) -> dict[str, Value]:
    """The delay of every link of the core, and of B-C with δ."""
    longer = {B_TO_C: delta_ms}
    return {f"link.{place}.delay": f"{link_ms + longer.get(place, 0)} ms" for place in range(CORE_LINKS)}


@dataclass(frozen=True)
class OverNetworks:
    """Senders of many kinds over networks of two paths."""

    networks: Mapping[str, tuple[float, float, Mapping[str, Value]]]
    """Name → δ in ms, loss of a burst, keys. The round trip over the short path is 24 ms and some for assembly."""
    senders: Mapping[str, Mapping[str, Value]]

    def setup(self, point: Point) -> Setup:
        """A sender and a network."""
        delta_ms, loss, more = self.networks[str(point["network"])]
        known = settings(RR, delta_ms=delta_ms, loss=loss)
        return Setup(scenario=SCENARIO, settings={**known, **more, **self.senders[sender_of(point)]})

    def draw(self, axes: Axes, table: pl.DataFrame) -> None:
        """Times by network, a dot for each sender."""
        for sender in self.senders:
            rows = dict(table.filter(pl.col("sender") == sender).select("network", "completion_s").iter_rows())
            axes.plot([rows[name] for name in self.networks], range(len(rows)), "o", markersize=5, label=sender)
        axes.set_yticks(range(len(self.networks)), list(self.networks), fontsize=7)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel("mean time of a flow (s)")
        axes.legend(frameon=False, fontsize=6)


def over(other: str, sender: str, *networks: str) -> Values:
    """How many times as long a sender takes as another, by network."""
    times = ratio("completion_s", of={"sender": sender}, to={"sender": other}, along="network")
    return times.at(*networks).told(".2f", name=f"{sender} over {other}")


def times(outcome: Outcome, network: str) -> dict[str, float]:
    """Seconds for the file over a network, by sender."""
    return dict(outcome.table.filter(pl.col("network") == network).select("sender", "completion_s").iter_rows())


def setup(sender: str, more: Mapping[str, Value] | None = None, **what: float | str) -> Setup:
    """A run of the scenario."""
    return Setup(scenario=SCENARIO, settings={**settings(sender, **what), **(more or {})})  # type: ignore[arg-type]


def measure(result: RunResult) -> dict[str, float]:
    """Sums over the flows, and what the network did."""
    flows, value = result.flows, {name: figure.value for name, figure in result.summary.items()}
    return {
        "completion_s": float((flows["end_s"] - flows["start_s"]).mean()),  # type: ignore[arg-type]
        **{
            name: float(flows[name].sum())
            for name in ("fast_retransmits", "false_fast_retransmits", "timeouts", "false_timeouts")
        },
        "dupthresh": mean_dupthresh(result),
        "switches": value.get("path_switches", 0.0),
        "buffer_mb": value.get("ordering_buffer_peak", 0.0) / 1e6,
        "gigabytes": float(flows["bytes_acked"].mean()) / 1e9,  # type: ignore[arg-type]
        "cpu_s": float(str(result.manifest["cpu_s"])),
    }


def mean_dupthresh(result: RunResult) -> float:
    """Over time and flows, as long as each lasts."""
    ends = {f"flow {number}": end for number, end in enumerate(result.flows["end_s"])}
    series = result.series.filter(pl.col("quantity") == "dupthresh")
    ends_of = pl.col("entity").replace_strict(ends, default=0.0, return_dtype=pl.Float64)
    alive = series.filter(pl.col("t_s") <= ends_of)
    return float(alive["value"].mean() or 3.0)  # type: ignore[arg-type]


def curve(outcome: Outcome | pl.DataFrame, axis: str, metric: str, **where: str | float) -> dict[float, float]:
    """A metric along an axis."""
    table = outcome if isinstance(outcome, pl.DataFrame) else outcome.table
    for name, wanted in where.items():
        table = table.filter(pl.col(name) == wanted)
    table = table.sort(axis)
    return dict(zip(table[axis].to_list(), table[metric].to_list(), strict=True))


UP_TO_300 = "2.5 to 4.5 times; in shape: at least 1.5"
"""What counts as "up to 300 %" wherever the paper says it: 3 times, or 4 times, or the 3.4 of §5.2.4."""


THREEFOLD = (2.5, 4.5)


def draw(
    axes: Axes, table: pl.DataFrame, senders: Sequence[str], axis: str, metric: str, labels: tuple[str, str]
) -> None:
    """A line for each sender."""
    Lines(axis, metric, labels, by="sender", of=senders, looks=LOOKS, low=0)(axes, table)


def picture(
    name: str, senders: Sequence[str], axis: str, metric: str, labels: tuple[str, str], rows: pl.Expr | None = None
) -> Plot:
    """A metric along an axis, a line for each sender, in some rows or all."""
    return Plot(name=name, draw=lambda axes, table: draw(axes, table, senders, axis, metric, labels), where=rows)


NOTES = (
    "Not stated, and taken: the links are 2.5 ms each but B-C with 2.5 ms + δ; hosts have 1 ms to an edge node and as "
    "much memory as they need, so that nothing is lost there; packets are 1000 B, of which all is payload (with "
    "headers 1 GB at 100 Mb/s takes more than the 79.5 s of §5.2.4; 80 s is the least without); the window has no "
    "bound; least RTO 0.2 s, as in ns-2.",
    "Routing: the path changes when its own load exceeds ρ_max (§2, §5.2), loads are per channel (only so 0.13 is the "
    "full load of §5.2.4), the links that both paths share do not count. 004/readings has the others.",
    "Flows are alike and start together: the ten do the same in a run without loss.",
)


def sender_of(point: Point) -> str:
    """Who sends."""
    return str(point["sender"])
