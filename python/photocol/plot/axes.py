"""The pictures: a function from an `Axes` and a table of results.

A table may be one of several results (`together`), and of several replications: curves are means then, with the 95 %
Student-t interval as a band or bars; none is drawn below zero where no value is. Nothing is left out of an axis, and
the unit stands on each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.plot.quantities import quantity
from photocol.plot.style import HATCHES, VERMILLION, every, frame, looks, marker_size, name_time, width
from photocol.plot.tables import OF, class_of, entities, groups, mean_and_spread, median, natural, runs_of, with_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.plot.style import Look

MAX_NAMED_LINES = 8
_LINKS_WITH_NAMES = 40
_PLACES = 20
_FEWEST_BARS = 4
"""For so many there is room at least, so that one is no wall."""
_STEPS = 400
"""Points of a distribution that is a mean over replications."""
_DENSE = 500
"""Samples beyond which a line would be a blot: it is the mean of spans of time then, with the range behind it."""
_SPANS = 160


def link_utilization(axes: Axes, links: pl.DataFrame) -> None:
    """Utilization of every directed link, the busiest first, with its mean; over several runs, means per link.

    `links` is the table of that name: columns link, utilization. Control channels are left out where there is data.
    """
    table = _data_links(with_names(links)).filter(pl.col("utilization").is_not_null())
    order = _order(table)
    named = groups(mean_and_spread(table, [OF, "link"], "utilization"), OF)
    for place, (look, ((name,), rows)) in enumerate(zip(looks(len(named)), named, strict=True)):
        # Beside each other, so that none hides another.
        aside = (place - (len(named) - 1) / 2) * 0.6 / len(named)
        rank = {link: number + aside for number, link in enumerate(order, 1)}
        _marks(axes, rows.with_columns(pl.col("link").replace_strict(rank).alias("rank")), look, name)
    axes.set_ylim(0, max(1.05, axes.dataLim.y1 * 1.05))
    axes.set_ylabel("utilization (busy time / time)")
    _name_ranks(axes, order)
    frame(axes)


def goodput_distribution(axes: Axes, flows: pl.DataFrame) -> None:
    """Share of flows whose goodput is at most x Mb/s, a curve a transport, or a traffic where there are several; the
    axis is logarithmic for wide ranges.

    `flows` is the table of that name: columns transport, traffic, goodput_bps. Flows without a measured goodput are
    left out. Over several replications, the mean of their curves with its interval.
    """
    measured = with_names(flows).filter(pl.col("goodput_bps").is_not_null())
    parts = groups(measured.with_columns(class_of(measured).alias("class of flow")), OF, "class of flow")
    for look, ((name, kind), group) in zip(looks(len(parts)), parts, strict=True):
        _distribution(axes, group, look, _joined(name, kind))
    if _is_wide(measured["goodput_bps"].to_numpy()):
        axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("goodput x (Mb/s)")
    axes.set_ylabel("share of flows with goodput ≤ x")
    frame(axes)


def samples(axes: Axes, series: pl.DataFrame) -> None:
    """One sampled quantity over time, a line an entity; of many entities, their quantiles.

    `series` is the table of that name, filtered to one quantity (ValueError otherwise): columns t_s, entity, quantity,
    value. Over several replications, means with their intervals. An infinite ssthresh is not drawn.
    """
    quantities = series["quantity"].unique().to_list()
    if len(quantities) != 1:
        raise ValueError(f"one quantity can be drawn at a time, the table has {sorted(quantities)}")
    table = with_names(series).filter(pl.col("value").is_finite())
    axis = quantity(quantities[0]).scaled(table["value"].abs().max())  # type: ignore[arg-type]
    table = table.with_columns(pl.col("value") / axis.divisor)
    parts, of = groups(table, OF, "entity"), {name: runs_of(part) for (name,), part in groups(table, OF)}
    if len(parts) <= MAX_NAMED_LINES:
        for place, (look, ((name, entity), group)) in enumerate(zip(looks(len(parts)), parts, strict=True)):
            _course(axes, group, look, (_joined(name, entity), place, of[name]))
    else:
        named = groups(table, OF)
        for look, ((name,), group) in zip(looks(len(named)), named, strict=True):
            _band(axes, group, look, name if len(named) > 1 else "")
    axes.set_ylabel(axis.label)
    _fit(axes)
    name_time(axes)
    frame(axes)


def losses(axes: Axes, drops: pl.DataFrame) -> None:
    """What was dropped where and why: a bar a place, the worst first, its parts the causes; of several results, a
    bar each.

    `drops` is the table of that name, filtered to one class (ValueError otherwise): columns where, class, cause, units.
    Over several replications, means with the interval of the sum.
    """
    classes = drops["class"].unique().to_list()
    if len(classes) != 1:
        raise ValueError(f"one class can be drawn at a time, the table has {sorted(classes)}")
    table = with_names(drops)
    by = OF if table[OF].n_unique() > 1 else "where"
    sums = _per_run(table, by)
    if by != OF:
        sums = sums.sort("units", descending=True)
    shown, hidden = sums.head(_PLACES), max(0, len(sums) - _PLACES)
    names = shown[by].to_list()
    _bars(axes, _per_run(table, by, "cause"), names, by)
    spread = shown["half_width"].fill_null(np.nan).to_numpy()
    if np.isfinite(spread).any():
        least = np.minimum(spread, shown["units"].to_numpy())
        axes.errorbar(shown["units"], range(len(names)), xerr=[least, spread], fmt="none", ecolor="0.2", capsize=2)
    axes.set_yticks(range(len(names)), [str(name) for name in names], fontsize="small")
    axes.set_ylim(max(len(names), _FEWEST_BARS) - 0.4, -0.6)
    unit = {"burst": "bursts", "slot": "slots", "ack": "ACKs", "data": "data packets"}.get(
        classes[0], f"{classes[0]} units"
    )
    where = f"; {hidden} more places are not shown" if hidden else ""
    axes.set_xlabel(f"dropped {unit} in a run{where}")
    frame(axes)


def _data_links(links: pl.DataFrame) -> pl.DataFrame:
    """Without the control channels, unless there is nothing else."""
    if "class" not in links.columns:
        return links
    data = links.filter(pl.col("class") != "control")
    return links if data.is_empty() else data


def _order(links: pl.DataFrame) -> list[str]:
    """Links from the busiest to the idlest, by their means over everything."""
    mean = links.group_by("link", maintain_order=True).agg(pl.col("utilization").mean())
    return mean.sort("utilization", descending=True, nulls_last=True)["link"].to_list()


def _marks(axes: Axes, rows: pl.DataFrame, look: Look, name: str) -> None:
    """A mark a link at its rank, with a line down to zero where there is one result only, and the mean of all."""
    table = rows.sort("rank")
    values, ranks = table["utilization"].to_numpy(), table["rank"].to_numpy()
    if not name:
        axes.vlines(ranks, 0, values, color=look.colour, alpha=0.35, linewidth=width())
    axes.plot(ranks, values, look.marker, color=look.colour, markersize=marker_size(), label=name or "link")
    spread = table["half_width"].fill_null(0.0).to_numpy()
    if spread.any():
        low = np.minimum(spread, values)
        axes.errorbar(
            ranks, values, yerr=[low, spread], fmt="none", ecolor=look.colour, capsize=2, linewidth=width(0.6)
        )
    if len(values):
        overall, colour, line = float(np.mean(values)), look.colour if name else VERMILLION, look.line if name else "--"
        label = f"{name}: mean {overall:.3f}" if name else f"mean {overall:.3f}"
        axes.axhline(overall, color=colour, linestyle=line, linewidth=width(0.8), label=label)


def draw_shares(axes: Axes, rises: tuple[np.ndarray, np.ndarray], look: Look, label: str, place: int = 0) -> None:
    """The share of values that are at most x: where it rises, and to what. `place` numbers the curves of a picture."""
    at, shares = rises
    axes.step(
        np.append(at[:1], at),
        np.append(0.0, shares),
        where="post",
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markevery=every(len(at), place),
        markersize=marker_size(),
        linewidth=width(),
        label=label,
    )


def _distribution(axes: Axes, group: pl.DataFrame, look: Look, label: str) -> None:
    runs = [np.sort(one["goodput_bps"].to_numpy()) / 1e6 for _, one in groups(group, "run")]
    everything = np.sort(np.concatenate(runs))
    at, shares, spread = everything, np.arange(1, len(everything) + 1) / len(everything), None
    if len(runs) > 1:
        at = np.unique(np.quantile(everything, np.linspace(0, 1, min(_STEPS, len(everything))), method="lower"))
        each = np.array([np.searchsorted(values, at, side="right") / len(values) for values in runs])
        shares, spread = each.mean(axis=0), _half_widths(each)
    flows = f"{round(len(everything) / len(runs)):,} flows" + (f", {len(runs)} runs" if len(runs) > 1 else "")
    named = f"{label} ({flows}), median {median(everything):.3g} Mb/s"
    draw_shares(axes, (at, shares), look, named)
    if spread is not None:
        low, high = np.clip(shares - spread, 0, 1), np.clip(shares + spread, 0, 1)
        axes.fill_between(at, low, high, step="post", color=look.colour, alpha=0.2, linewidth=0)


def _half_widths(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the 95 % Student-t interval of the mean of each column; at least two rows."""
    from photocol.stats import student_t_quantile

    n = len(values)
    widths: NDArray[np.float64] = student_t_quantile(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return widths


def _course(axes: Axes, group: pl.DataFrame, look: Look, told: tuple[str, int, int]) -> None:
    """A line over time; behind it the interval of the mean over runs, or the range of what is too dense for a line.

    It says of how many runs it is, and how many there are.
    """
    (label, place, of), runs = told, runs_of(group)
    over = mean_and_spread(group, ["t_s"], "value").sort("t_s")
    least, most = pl.col("value") - pl.col("half_width"), pl.col("value") + pl.col("half_width")
    if group["value"].min() >= 0:  # type: ignore[operator]
        least = least.clip(lower_bound=0)
    # Where a replication has no sample the others tell of themselves only.
    over = over.with_columns(pl.when(pl.col("n") == runs).then(least).alias("low"), most.alias("high"))
    if runs > 1:
        label = f"{label} (mean of {runs} runs)" if runs == of else f"{label} (mean of {runs} of {of} runs)"
    else:
        label = f"{label} (one of {of} runs)" if of > 1 else label
        if len(over) > _DENSE:
            over, label = _spans(over), f"{label} (mean and range)"
    _line(axes, over, look, (label, place))


def course(axes: Axes, t_s: pl.Series, value: pl.Series, look: Look, label: str) -> None:
    """One quantity over time: a line, or where samples are too dense the mean of spans, with their range behind it."""
    over = pl.DataFrame({"t_s": t_s, "value": value}).sort("t_s").with_columns(pl.lit(None, pl.Float64).alias("low"))
    _line(axes, _spans(over) if len(over) > _DENSE else over, look, (label, len(axes.lines)))


def _line(axes: Axes, over: pl.DataFrame, look: Look, told: tuple[str, int]) -> None:
    """Value over time, with markers here and there; where there are a low and a high, what is between them."""
    label, place = told
    axes.plot(
        over["t_s"],
        over["value"],
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markevery=every(len(over), place),
        markersize=marker_size(),
        label=label,
        linewidth=width(),
    )
    if over["low"].count():
        # Gaps where there is no interval.
        low, high = (over[side].fill_null(np.nan).to_numpy() for side in ("low", "high"))
        axes.fill_between(over["t_s"], low, high, color=look.colour, alpha=0.2, linewidth=0)


def _spans(over: pl.DataFrame) -> pl.DataFrame:
    """Means of equal spans of time, with the least and the greatest value in each."""
    first, last = float(over["t_s"][0]), float(over["t_s"][-1])
    span = ((pl.col("t_s") - first) / (last - first) * _SPANS).floor().clip(upper_bound=_SPANS - 1)
    value = pl.col("value")
    means = [pl.col("t_s").mean(), value.mean(), value.min().alias("low"), value.max().alias("high")]
    return over.select("t_s", "value", span.alias("span")).group_by("span").agg(means).sort("t_s")


def _band(axes: Axes, table: pl.DataFrame, look: Look, name: str) -> None:
    """Median, quartiles, 5th to 95th percentile and maximum over many entities at each time, in all runs together."""
    value, runs = pl.col("value"), runs_of(table)
    ranks = {"low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95, "most": 1.0}
    shares = [value.quantile(rank, "linear").alias(name) for name, rank in ranks.items()]
    over = table.group_by("t_s").agg(shares).sort("t_s")
    t_s, of = over["t_s"], f"{entities(table):,}" + (f" in {runs} runs" if runs > 1 else "")
    if not name:
        axes.plot(t_s, over["most"], color="0.6", linewidth=width(0.5), linestyle=":", label="maximum")
        axes.fill_between(t_s, over["low"], over["high"], color=look.colour, alpha=0.2, linewidth=0, label="5 to 95 %")
    quartiles = None if name else "25 to 75 %"
    axes.fill_between(t_s, over["lower"], over["upper"], color=look.colour, alpha=0.3, linewidth=0, label=quartiles)
    median = f"{name}: median of {of}" if name else f"median of {of}"
    colour = look.colour if name else VERMILLION
    axes.plot(t_s, over["median"], color=colour, linestyle=look.line, linewidth=width(1.2), label=median)


def _fit(axes: Axes) -> None:
    """Time from zero, values to zero at least, and all of both."""
    axes.set_xlim(0, axes.dataLim.x1 if np.isfinite(axes.dataLim.x1) and axes.dataLim.x1 > 0 else 1)
    low, high = (value if np.isfinite(value) else 0.0 for value in (axes.dataLim.y0, axes.dataLim.y1))
    axes.set_ylim(1.05 * min(low, 0.0), 1.05 * max(high, 0.0) or (0.0 if low < 0 else 1.05))


def _per_run(drops: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Mean units over all runs; one in which nothing was dropped counts as zero."""
    every = [*dict.fromkeys((*keys, OF))]
    each = drops.group_by(*every, "run", maintain_order=True).agg(pl.col("units").sum().cast(pl.Float64))
    whole = (
        each.select(every)
        .unique(maintain_order=True)
        .join(drops.select(OF, "run").unique(), on=OF, maintain_order="left")
    )
    filled = whole.join(each, on=[*every, "run"], how="left", maintain_order="left").with_columns(
        pl.col("units").fill_null(0.0)
    )
    return mean_and_spread(filled, keys, "units")


def _bars(axes: Axes, sums: pl.DataFrame, names: list[str], by: str) -> None:
    """The parts of the bars, a colour and a hatch a cause."""
    left = np.zeros(len(names))
    causes = sorted(sums["cause"].unique(), key=natural)
    for number, (look, cause) in enumerate(zip(looks(len(causes)), causes, strict=True)):
        units = dict(sums.filter(pl.col("cause") == cause).select(by, "units").iter_rows())
        widths = np.array([units.get(name, 0.0) for name in names])
        hatch = HATCHES[number % len(HATCHES)]
        axes.barh(range(len(names)), widths, left=left, color=look.colour, hatch=hatch, edgecolor="white", label=cause)
        left += widths


def _name_ranks(axes: Axes, names: list[str]) -> None:
    """Names under the marks where they fit, ranks otherwise."""
    if len(names) > _LINKS_WITH_NAMES:
        axes.set_xlabel(f"rank of the link (of {len(names)} directed links)")
        return
    axes.set_xticks(range(1, len(names) + 1), names, rotation=90 if len(names) > 6 else 0, fontsize="x-small")
    axes.set_xlabel("directed link")


def _joined(name: str, what: str) -> str:
    return f"{name}: {what}" if name else what


def _is_wide(values: NDArray[np.float64]) -> bool:
    """Whether the bulk spans more than a factor of 30, all of it positive."""
    if len(values) == 0 or values.min() <= 0:
        return False
    low, high = np.quantile(values, [0.02, 0.98])
    return bool(high > 30 * low)
