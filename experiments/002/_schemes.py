"""What paper 002's experiments with macroflows share: the eight schemes, what is read off a run, how curves look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Metric, Setup

from ._curves import NO_PACKET_BYTES, PACED, PLAIN, finish, room

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult, Value

SAME, SEPARATE, WAVELENGTH = "same", "separate", "separate-wavelength"
SHARES = (SAME, SEPARATE, WAVELENGTH)
FULL_TARGET = tuple(f"{share}-100" for share in SHARES)
LOW_TARGET = tuple(f"{share}-30" for share in SHARES)
SCHEMES = (PLAIN, PACED, *FULL_TARGET, *LOW_TARGET)
XCP = FULL_TARGET[0]
"""The scheme of the paper's dark blue line."""
QUICK_RAM = (NO_PACKET_BYTES, 1_500, 3_000, 9_000, 1_000_000)

NAMES = {
    PLAIN: "TCP Reno",
    PACED: "Paced TCP (Reno)",
    **{
        f"{share}-{percent}": f"XCP, TU {percent} %, {words}"
        for percent in (100, 30)
        for share, words in zip(SHARES, ("one macroflow", "ACKs apart", "ACKs on another wavelength"), strict=True)
    },
}
COLOURS = dict(
    zip(SCHEMES, ("#56B4E9", "#CC79A7", "#0072B2", "#009E73", "#D55E00", "#0072B2", "#009E73", "#D55E00"), strict=True)
)
MARKERS = dict(zip(SCHEMES, "os^vD^vD", strict=True))

METRICS = (
    Metric(name="utilization", label="utilization, 56 core outputs"),
    Metric(name="core_utilization", label="utilization, 42 core links"),
    Metric(name="highest_utilization", label="highest utilization of a core output"),
    Metric(name="near_30", label="core outputs within 0.03 of 0.30"),
    Metric(name="core_drop_rate", label="drop rate at core outputs", form=".2e"),
    Metric(name="data_drop_rate", label="drop rate at core outputs, data wavelength", form=".2e"),
    Metric(name="goodput_gbps", label="goodput (Gb/s)", form=".2f"),
    Metric(name="edge_mean_queue", label="packets waiting at an edge node", form=".1f"),
    Metric(name="edge_max_queue", label="most packets waiting at an edge node", form=".0f"),
    Metric(name="edge_drop_rate", label="drop rate at edge nodes", form=".2e"),
)


def settings(scheme: str) -> dict[str, Value]:
    """What makes a scheme of `macroflows.toml`."""
    if scheme in (PLAIN, PACED):
        return {"switching.macroflow": "none", "transport.reno.paced": scheme == PACED}
    share, percent = scheme.rsplit("-", 1)
    return {"switching.macroflow": share, "switching.target": int(percent) / 100}


def setup(scheme: str, ram_bytes: Value, more: Mapping[str, Value] | None = None) -> Setup:
    """A scheme with so much RAM at every core output."""
    chosen = {**settings(scheme), "link_defaults.core.buffer": room(ram_bytes), **(more or {})}
    return Setup(scenario="macroflows.toml", settings=chosen)


def _data(result: RunResult) -> pl.DataFrame:
    """The links of the first data wavelength: where there is a second one, it carries ACKs alone."""
    return result.links.filter((pl.col("wavelength") == 0) & (pl.col("class") == "all"))


def _from_edge() -> pl.Expr:
    return pl.col("from").str.starts_with("e")


def core_outputs(result: RunResult) -> pl.DataFrame:
    """The data wavelengths of the 56 outputs of core nodes."""
    return _data(result).filter(~_from_edge())


def measure(result: RunResult) -> Mapping[str, float]:
    """Figures of the run over its last seconds; drops on all data wavelengths, and on the first alone."""
    outputs = core_outputs(result)
    to_core = outputs.filter(~pl.col("to").str.starts_with("e"))
    edges = result.links.filter(_from_edge() & (pl.col("class") == "all"))
    return {
        "utilization": _mean(outputs, "utilization"),
        "core_utilization": _mean(to_core, "utilization"),
        "highest_utilization": float(outputs["utilization"].max()),  # type: ignore[arg-type]
        "near_30": float(((outputs["utilization"] - 0.30).abs() <= 0.03).sum()),
        "core_drop_rate": result.summary["core_drop_rate"].value,
        "data_drop_rate": _drop_rate(outputs),
        "goodput_gbps": result.summary["goodput"].value / 1e9,
        "edge_mean_queue": float(edges["mean_queue"].sum()) / 14,
        "edge_max_queue": float(edges.group_by("from").agg(pl.col("max_queue").sum())["max_queue"].max()),  # type: ignore[arg-type]
        "edge_drop_rate": _drop_rate(edges),
    }


def _drop_rate(links: pl.DataFrame) -> float:
    return float(links["dropped_units"].sum()) / max(float(links["offered_units"].sum()), 1.0)


def _mean(links: pl.DataFrame, column: str) -> float:
    return float(links[column].mean())  # type: ignore[arg-type]


def curve(table: pl.DataFrame, scheme: str, column: str) -> dict[int, float]:
    """RAM in bytes to a metric's mean, in ascending order of the RAM."""
    rows = table.filter(pl.col("scheme") == scheme).sort("ram_bytes")
    return dict(zip(rows["ram_bytes"].to_list(), rows[column].to_list(), strict=True))


def draw_curves(axes: Axes, table: pl.DataFrame, column: str, schemes: Sequence[str]) -> None:
    """One line with error bars a scheme, against the RAM."""
    for scheme in schemes:
        rows = table.filter(pl.col("scheme") == scheme).sort("ram_bytes")
        low = scheme in LOW_TARGET
        axes.errorbar(
            (rows["ram_bytes"] / 1000).to_list(),
            rows[column].to_list(),
            yerr=rows[f"{column}_half_width"].fill_nan(0.0).to_list(),
            label=NAMES[scheme],
            capsize=2,
            markersize=4,
            linewidth=1.2,
            linestyle="--" if low else "-",
            markerfacecolor="white" if low else COLOURS[scheme],
            color=COLOURS[scheme],
            marker=MARKERS[scheme],
        )
    ticks = sorted({ram / 1000 for ram in table["ram_bytes"].to_list()})
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("optical RAM per core output (kB)")
    finish(axes, table)
