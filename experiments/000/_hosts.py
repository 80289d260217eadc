"""What the experiments on DLCC with other hosts share: forms of artificial ACKs, ratios to no control, the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from . import _slots as slots
from ._slots import NONE, ONE, RTTS_MS, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point, Setup, Value

SACK_FORM, ECE_FORM = "dlcc-sack", "dlcc-ece"
FORM_KEYS: Mapping[str, Mapping[str, Value]] = {
    SACK_FORM: {"switching.dlcc.ops_acks": "dlcc-sack"},
    ECE_FORM: {"switching.dlcc.ops_acks": "dlcc-ece"},
}
FORM_NAMES = {NONE: "no control", ONE: "1 control", TWO: "dlcc-paper", SACK_FORM: "dlcc-sack", ECE_FORM: "dlcc-ece"}
COLOURS = {NONE: "#000000", ONE: "#56B4E9", TWO: "#D55E00", SACK_FORM: "#009E73", ECE_FORM: "#CC79A7"}
LINUX_CUBIC: Mapping[str, Value] = {"transport.reno.algorithm": "cubic", "transport.reno.recovery": "linux"}
UDP_PERCENT, ROUND_TRIPS = 30, tuple(rtt for rtt in RTTS_MS if rtt != 500)


def setup(point: Point, keys: Mapping[str, Value]) -> Setup:
    """The form of artificial ACKs of a point, with hosts of these keys and Linux's least timeout."""
    form = str(point["form"])
    more = {**keys, "transport.reno.min_rto": "0.2 s", **FORM_KEYS.get(form, {})}
    return slots.setup(form if form in (NONE, ONE) else TWO, float(point["rtt_ms"]), UDP_PERCENT, more)


def over_none(table: pl.DataFrame, form: str, metric: str) -> list[float]:
    """A metric with a form over that without control, at every kind of host and round trip of the table."""
    rows = table.sort("hosts", "rtt_ms")
    with_, without = (rows.filter(pl.col("form") == name)[metric].to_list() for name in (form, NONE))
    return [above / below if below else float("inf") for above, below in zip(with_, without, strict=True)]


def of(outcome: Outcome, hosts: str) -> pl.DataFrame:
    """The rows of hosts of a kind."""
    return outcome.table.filter(pl.col("hosts") == hosts)


def draw(
    axes: Axes, table: pl.DataFrame, metric: str, *, label: str, forms: Sequence[str], styles: Mapping[str, str]
) -> None:
    """A metric along the round trip, one line for a form with hosts of a kind in their style."""
    for hosts, style in styles.items():
        for form in forms:
            rows = table.filter(pl.col("hosts") == hosts, pl.col("form") == form).sort("rtt_ms")
            if not rows.is_empty():
                name = f"{FORM_NAMES[form]}, {hosts}"
                axes.plot(
                    rows["rtt_ms"], rows[metric], style, color=COLOURS[form], markersize=3, linewidth=1, label=name
                )
    axes.set_xlabel("round-trip time (ms)")
    axes.set_ylabel(label)
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7)
