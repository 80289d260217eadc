"""Pictures of runs. A plot takes an `Axes` and a table and returns nothing; no style is set for anybody else.

`photocol plot DIR` draws them all; `result.plot.goodput()` draws one on a new figure, or on the `Axes` it is given.
Tables of several results can be drawn together: `together({"a": one.flows, "b": other.flows})` makes one table of them.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from photocol.errors import did_you_mean
from photocol.plot.axes import course, goodput_distribution, link_utilization, losses, samples
from photocol.plot.by_size import BySize, slowdowns
from photocol.plot.completion import completion_times, completions_by_size, request_times, requests, sized_flows
from photocol.plot.described import Lines
from photocol.plot.files import Pictures, check_names, pictures_of, save_all, save_figure
from photocol.plot.over_time import FAIRNESS, fairness, over_time, queue_distribution, queue_samples, queues
from photocol.plot.probes import PICTURES
from photocol.plot.probes.flow_delays import delay_percentiles, measured_delays
from photocol.plot.probes.tasks import rank_tasks, task_chart
from photocol.plot.slowdown import slowdown_by_size
from photocol.plot.sparkline import sparklines
from photocol.plot.style import COLUMN_INCHES, PAGE_INCHES, SIZE_INCHES, Look, frame, looks, new_figure, once
from photocol.plot.tables import Chosen, together, with_kinds
from photocol.plot.trace_delays import flow_delays
from photocol.runs.pictures import logarithmic_with_zero, save_png

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from photocol.runs.results import Result

__all__ = [
    "COLUMN_INCHES",
    "PAGE_INCHES",
    "SIZE_INCHES",
    "BySize",
    "Chosen",
    "Lines",
    "Look",
    "Pictures",
    "Plots",
    "completion_times",
    "completions_by_size",
    "course",
    "delay_percentiles",
    "flow_delays",
    "frame",
    "goodput_distribution",
    "link_utilization",
    "logarithmic_with_zero",
    "looks",
    "losses",
    "measured_delays",
    "new_figure",
    "over_time",
    "queue_distribution",
    "queues",
    "rank_tasks",
    "request_times",
    "requests",
    "samples",
    "save_all",
    "save_figure",
    "save_png",
    "sized_flows",
    "slowdown_by_size",
    "sparklines",
    "task_chart",
    "together",
]


class Plots:
    """The pictures of one result: all of them when called, one a method, on `axes` or on a new figure."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self, *only: str) -> Figure:
        """The pictures of these names, by default all, as `photocol plot` draws them, one below the other.

        Raises InputError, with the nearest name, for a picture that is not there.
        """
        from matplotlib import pyplot

        pictures = pictures_of({"": self._result})
        check_names(only, pictures)
        pictures = {name: pictures[name] for name in only or pictures}
        if not pictures:
            raise ValueError("nothing to draw: no link carried anything, no flow has a goodput, nothing was sampled")
        width, height = SIZE_INCHES
        figure = pyplot.figure(figsize=(width, height * len(pictures)), layout="constrained")
        for place, (draw, table) in enumerate(pictures.values(), start=1):
            draw(figure.add_subplot(len(pictures), 1, place), table)
        return once(figure)

    def link_utilization(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.link_utilization` of this result."""
        return _drawn(link_utilization, axes, self._result.links)

    def goodput(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.goodput_distribution` of this result."""
        return _drawn(goodput_distribution, axes, self._result.flows)

    def losses(self, axes: Axes | None = None, *, of: str | None = None) -> Axes:
        """`photocol.plot.losses` of this result; `of` is a class of the table `drops`, bursts by default."""
        table = self._result.drops
        classes = table["class"].unique(maintain_order=True).to_list()
        if not classes or (of is not None and of not in classes):
            raise ValueError(f"no drops of {of or 'anything'} (there are: {', '.join(classes) or 'none'})")
        wanted = of or ("burst" if "burst" in classes else classes[0])
        return _drawn(losses, axes, table.filter(table["class"] == wanted))

    def completion_times(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.completion_times` of this result; ValueError if no flow with a size completed."""
        return _drawn(completion_times, axes, self._completed())

    def request_times(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.request_times` of this result; ValueError if no request has completed."""
        table = requests(self._result)
        if not table["completion_s"].count():
            raise ValueError("no request has completed after the warm-up, or answers do not start at once")
        return _drawn(request_times, axes, table)

    def slowdown(
        self,
        axes: Axes | None = None,
        *,
        percentiles: Sequence[str] = ("p50", "p95"),
        bins: str | int = "decades",
    ) -> Axes:
        """`photocol.plot.slowdown_by_size` of this result; ValueError if too few flows with a size completed."""
        draw, flows = functools.partial(slowdown_by_size, percentiles=percentiles, bins=bins), self._completed()
        if slowdowns(flows, BySize(percentiles=percentiles, bins=bins)).is_empty():
            raise ValueError(f"no range of sizes has enough completed flows for {', '.join(percentiles)}")
        return _drawn(draw, axes, flows)

    def over_time(self, quantity: str = "throughput", axes: Axes | None = None) -> Axes:
        """Throughput, `class_throughput`, `link_throughput` or `fairness` over time; ValueError if it is not there."""
        return self._quantity(over_time(self._result), quantity, axes)

    def queue_distribution(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.queue_distribution` of this result after its warm-up; ValueError if no queue was sampled."""
        table = queue_samples({"": self._result})[""]
        if table.is_empty():
            raise ValueError("no queue was sampled; a scenario's [probe] links says which are")
        return _drawn(queue_distribution, axes, table)

    def series(self, quantity: str, axes: Axes | None = None) -> Axes:
        """`photocol.plot.samples` of one quantity of this result; ValueError if it was not sampled."""
        return self._quantity(self._result.series, quantity, axes)

    def __getattr__(self, name: str) -> Callable[..., Axes]:
        """The picture of a probe, which raises ValueError if there is nothing to draw.

        AttributeError, with the nearest, for a picture that there is not.
        """
        if name not in PICTURES:
            there = [one for one in dir(self) if not one.startswith("_")]
            hint = did_you_mean(name, there)
            why = f"there is no picture {name!r}; {hint}there is: {', '.join(there)}"
            raise AttributeError(why, name=name, obj=self)
        return functools.partial(self._of_probe, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *PICTURES})

    def _of_probe(self, name: str, axes: Axes | None = None) -> Axes:
        picture = PICTURES[name]
        table = picture.table(self._result)
        if not table[picture.value].count():
            raise ValueError(picture.missing)
        return _drawn(picture.draw, axes, table)

    def _completed(self) -> pl.DataFrame:
        flows = sized_flows(self._result)
        if not flows["completion_s"].count():
            raise ValueError("no flow with a size has completed after the warm-up")
        return flows

    def _quantity(self, series: pl.DataFrame, quantity: str, axes: Axes | None) -> Axes:
        table = with_kinds(series.filter(series["quantity"] == quantity), self._result.flows)
        if table.is_empty():
            there = sorted(series["quantity"].unique())
            hint = did_you_mean(quantity, there)
            raise ValueError(
                f"{quantity!r} was not sampled ({hint}there is: {', '.join(there) or 'nothing'}); "
                "a scenario's [probe] says what is"
            )
        return _drawn(fairness if quantity == FAIRNESS else samples, axes, table)

    def text(self, *, width: int = 48) -> str:
        """The samples as lines of text (`photocol.plot.sparklines`)."""
        return sparklines(self._result.series, width=width)


def _drawn(draw: Callable[[Axes, pl.DataFrame], None], axes: Axes | None, table: pl.DataFrame) -> Axes:
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.figure(figsize=SIZE_INCHES, layout="constrained").add_subplot()
    draw(axes, table)
    return axes
