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
QUICK: Mapping[str, Value] = {"run.duration": "100 s", "run.warm_up": "50 s"}
FULL_RUN: Mapping[str, Value] = {"run.duration": "1000 s", "run.warm_up": "100 s"}
"""900 s measured, 90 bursts of UDP; the paper's 44 min 37 s are for its own figures."""
FROZEN = (
    "the first control alone carries less than no control by about as much (1 control): a burst lasts 0.2 s, and the "
    "lower optical rate at least until the next decision, up to 1 s later; what is saved is losses"
)
"""Why forms that do no harm carry less than no control."""
FULL = (
    "without control the link is more than half full with these hosts, so that not even a full link would have twice "
    "the goodput; the report says what it would have"
)
"""Why no form has twice the goodput."""
AXES = {"rtt_ms": "round-trip time (ms)", "udp_percent": "UDP in a burst (% of the link)"}
UDP_PERCENT, ROUND_TRIPS = 30, tuple(rtt for rtt in RTTS_MS if rtt != 500)


def setup(
    point: Point,
    keys: Mapping[str, Value],
    *,
    rtt_ms: float | None = None,
    udp_percent: float = UDP_PERCENT,
    silences: str = slots.CONSTANT,
) -> Setup:
    """The form of artificial ACKs of a point, with hosts of these keys and Linux's least timeout."""
    form = str(point["form"])
    more = {**keys, "transport.reno.min_rto": "0.2 s", **FORM_KEYS.get(form, {})}
    rtt_ms = float(point["rtt_ms"]) if rtt_ms is None else rtt_ms
    return slots.setup(form if form in (NONE, ONE) else TWO, rtt_ms, udp_percent, more, silences=silences)


def over_none(table: pl.DataFrame, form: str, metric: str, axis: str = "rtt_ms") -> list[float]:
    """A metric with a form over that without control, at every kind of host and place of an axis of the table."""
    rows = table.sort("hosts", axis)
    with_, without = (rows.filter(pl.col("form") == name)[metric].to_list() for name in (form, NONE))
    return [above / below if below else float("inf") for above, below in zip(with_, without, strict=True)]


def of(outcome: Outcome, hosts: str) -> pl.DataFrame:
    """The rows of hosts of a kind."""
    return outcome.table.filter(pl.col("hosts") == hosts)


def fullest(outcome: Outcome) -> list[str]:
    """How many times the goodput without control a link that is always full would have: no control can do better."""
    without = outcome.table.filter(pl.col("form") == NONE)["goodput_mbps"].to_list()
    most = [slots.LINK_MBPS / goodput if goodput else float("inf") for goodput in without]
    return [
        f"A link that is always full would have {min(most):.2f} to {max(most):.2f} times the goodput without control; "
        f"at {sum(ratio >= 2 for ratio in most)} of {len(most)} points that is twice or more."
    ]


def draw(
    axes: Axes,
    table: pl.DataFrame,
    metric: str,
    *,
    label: str,
    forms: Sequence[str],
    styles: Mapping[str, str],
    axis: str = "rtt_ms",
) -> None:
    """A metric along an axis, one line for a form with hosts of a kind in their style."""
    for hosts, style in styles.items():
        for form in forms:
            rows = table.filter(pl.col("hosts") == hosts, pl.col("form") == form).sort(axis)
            if not rows.is_empty():
                name = f"{FORM_NAMES[form]}, {hosts}"
                axes.plot(rows[axis], rows[metric], style, color=COLOURS[form], markersize=3, linewidth=1, label=name)
    axes.set_xlabel(AXES[axis])
    axes.set_ylabel(label)
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7)


def draw_extra(axes: Axes, table: pl.DataFrame, *, styles: Mapping[str, str], axis: str = "rtt_ms") -> None:
    """§VII's extra edge buffer: what waits more than when a notification came, with one control and with two."""
    label = "extra edge buffer (kbit)"
    forms = (ONE, TWO, SACK_FORM, ECE_FORM)
    draw(axes, table, "extra_buffer_kbit", label=label, forms=forms, styles=styles, axis=axis)
    axes.axhline(0, color="0.7", linewidth=0.8)
