"""002's buffer figure with other senders, declared once: the network, figures of a run, curves, claims, pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, at_least, beside, last, near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import frame, logarithmic_with_zero

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point, RunResult, Value

SIX_PACKETS = 9_000
METRICS = (
    Metric(name="utilization", label="utilization, 56 core outputs"),
    Metric(name="drop_rate", label="drop rate at core outputs", form=".2e"),
)
QUICK: Mapping[str, Value] = {"run.duration": "7 s", "run.warm_up": "6.125 s", "traffic.0.over": "7 s"}
"""7 of 40 seconds, as the quick form of 002/baseline."""


RENO, PACED_RENO = "reno", "paced-reno"


@dataclass(frozen=True, kw_only=True)
class Sender:
    """A sender and its line; `marks` says that half of the buffer marks."""

    keys: Mapping[str, Any]
    colour: str
    style: str
    marks: bool = False


AS_IN_002 = {
    RENO: Sender(keys={"algorithm": "reno"}, colour="#0072B2", style="o--"),
    PACED_RENO: Sender(keys={"algorithm": "reno", "paced": True}, colour="#D55E00", style="s--"),
}


def study(
    name: str,
    title: str,
    senders: Mapping[str, Sender],
    *,
    quick: Form,
    buffers: Sequence[int],
    claims: Sequence[Claim],
    notes: Sequence[str],
) -> Experiment:
    """The network of 002/baseline with one of these senders and one buffer at every core output."""

    def setup(point: Point) -> Setup:
        sender, buffer = senders[str(point["sender"])], int(point["buffer_bytes"])
        settings: dict[str, Value] = {f"transport.reno.{key}": value for key, value in sender.keys.items()}
        settings["link_defaults.core.buffer"] = f"{buffer} B"
        if sender.marks:
            settings["link_defaults.core.queue.kind"] = "step"
            settings["link_defaults.core.queue.threshold"] = f"{buffer // 2} B"
        return Setup(scenario="nsfnet-buffers.toml", settings=settings)

    return Experiment(
        id=name,
        title=title,
        source=Source(paper="ours, after paper 002", figures="002's figures 3 and 4", section="002's §3.2"),
        setup=setup,
        measure=measure,
        metrics=METRICS,
        quick=quick,
        full=Form(points=grid(sender=list(senders), buffer_bytes=buffers), replications=5),
        claims=claims,
        plots=(
            Plot(name="utilization", draw=partial(utilization, senders=senders)),
            Plot(name="drop-rate", draw=partial(drop_rate, senders=senders)),
        ),
        notes=notes,
    )


def plateau(senders: Sequence[str], percent: int, in_shape: int) -> Claim:
    """With much RAM all senders end where the traffic matrix ends them."""
    ends = beside({sender: last(along(sender, form=".3f")) for sender in senders})
    return Claim(
        id="plateau",
        text="with large buffers the utilization levels off because the traffic matrix limits it",
        whose="ours",
        where="002 §3.2, Fig. 3",
        expected="one plateau for all senders",
        tolerance=f"within {percent} % of Reno's; in shape: within {in_shape} %",
        check=near(ends / ends.at(RENO), 1, percent / 100, in_shape / 100).telling(ends),
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Figures of the run over its last eighth."""
    return {
        "utilization": result.summary["mean_core_output_utilization"].value,
        "drop_rate": result.summary["core_drop_rate"].value,
    }


def along(sender: str, metric: str = "utilization", form: str = ".2f") -> Values:
    """A metric of a sender along the buffer."""
    return values(metric, "buffer_bytes", form=form, sender=sender)


def share(sender: str) -> Values:
    """The utilization with six packets over that with the greatest buffer."""
    return (along(sender).at(SIX_PACKETS) / last(along(sender))).told(".1%")


def as_paced_reno(*paced: str) -> Predicate:
    """With six packets of RAM these paced senders are as near their plateaus as paced Reno."""
    shares = beside({sender: share(sender) for sender in paced})
    enough = at_least(shares, 0.75)
    return (enough & at_least(shares, share(PACED_RENO) - 0.03)).in_shape(enough).telling(share(PACED_RENO))


def curve(outcome: Outcome, sender: str, column: str = "utilization") -> dict[int, float]:
    """Buffer in bytes to a metric's mean, ascending."""
    rows = outcome.table.filter(pl.col("sender") == sender).sort("buffer_bytes")
    return dict(zip(rows["buffer_bytes"].to_list(), rows[column].to_list(), strict=True))


def utilization(axes: Axes, table: pl.DataFrame, senders: Mapping[str, Sender]) -> None:
    """002's figure 3 with other senders."""
    _draw(axes, table, senders, "utilization")
    axes.set_ylim(0, 1)
    axes.set_ylabel("mean utilization of core outputs")
    frame(axes)


def drop_rate(axes: Axes, table: pl.DataFrame, senders: Mapping[str, Sender]) -> None:
    """002's figure 4 with other senders."""
    _draw(axes, table, senders, "drop_rate")
    logarithmic_with_zero(axes)
    axes.set_ylabel("packet drop rate at core outputs")
    frame(axes)


def _draw(axes: Axes, table: pl.DataFrame, senders: Mapping[str, Sender], column: str) -> None:
    for name, sender in senders.items():
        rows = table.filter(pl.col("sender") == name).sort("buffer_bytes")
        places = rows["buffer_bytes"] / 1000
        axes.plot(places, rows[column], sender.style, color=sender.colour, label=name, markersize=4)
    axes.set_xscale("log")
    axes.set_xlabel("buffer per core output (kB)")
    axes.xaxis.set_major_formatter("{x:g}")
