"""What a sweep says: the contents of a `sweep.toml`, which options and Python arguments are turned into, checked.

scenario = "dumbbell.toml"              # relative to this file
seeds = 10                              # replications of each point; all points share the seeds
set = { "run.duration" = "5 s" }
metrics = ["goodput", "drop_rate"]      # by default every figure of the summary

[grid]                                  # every combination
"topology.bottleneck_buffer" = ["10 kB", "100 kB"]

[[axis]]
name = "rtt_ms"                         # the column; by default the key
key = "topology.bottleneck_delay"
range = { from = 10, to = 50, step = 10, unit = "ms" }

[[scheme]]                              # a layer over the scenario; all schemes are one axis
name = "reno"
traffic.0.transport = "reno"
drop = ["transport.sack"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol import files
from photocol.errors import InputError, did_you_mean
from photocol.sweeps import schemes
from photocol.sweeps.axes import Axis, Group, Plan, axis, grouped, log_steps, steps
from photocol.sweeps.campaign.study import WarmUp
from photocol.sweeps.precision import Precision

if TYPE_CHECKING:
    from pathlib import Path

    from photocol.sweeps.campaign.study import Value

KEYS = (
    "scenario",
    "set",
    "seeds",
    "first_seed",
    "grid",
    "zip",
    "axis",
    "scheme",
    "where",
    "metrics",
    "warm_up",
    "precision",
    "tables",
    "plot",
)
_TABLES = ("flows", "links", "series", "drops")
SLOWDOWN = "slowdown"
"""The picture that is no figure of the table: the slowdown by the size of flows, which its runs have kept."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A picture: a metric along an axis, a curve for each value of another; or the slowdown by size."""

    x: str
    """Empty for the slowdown, which has sizes there."""
    y: str
    by: str | None = None
    log: str = ""
    """Which axes are logarithmic: "x", "y" or "xy"."""
    panels: str | None = None
    """The axis each value of which has a small picture."""
    is_map: bool = False
    """Colours over x and by."""
    over: tuple[str, ...] = ()
    """Models, files and directories that are laid over it."""
    labels: tuple[str, ...] = ()
    """What the first of these are called."""
    percentiles: tuple[int, ...] = ()
    """Of the slowdown."""
    bins: str | int = "decades"
    """Of its sizes."""


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A checked sweep, without its scenario."""

    settings: Mapping[str, Value]
    plan: Plan
    schemes: tuple[schemes.Scheme, ...]
    """The layers of the axis of this name; none without any."""
    seeds: int
    first_seed: int | None
    metrics: tuple[str, ...]
    warm_up: WarmUp | None
    precision: Precision | None
    tables: tuple[str, ...]
    plots: tuple[Drawing, ...]


def read_file(file: Path) -> dict[str, Any]:
    """The contents of a `sweep.toml`, its scenario's path made whole. Raises InputError."""
    try:
        said = tomllib.loads(files.text(file))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
    if isinstance(said.get("scenario"), str):
        said["scenario"] = str(file.parent / said["scenario"])
    return said


def checked(said: Mapping[str, Any], source: str = "sweep") -> Sweep:
    """The sweep that `said` describes. Raises InputError, which begins with `source` and names the key."""
    try:
        _only(said, KEYS, "")
        settings = _mapping(said.get("set", {}), "set")
        warm_up = said.get("warm_up")
        if isinstance(warm_up, str):
            settings = {**settings, "run.warm_up": warm_up}
        layers = schemes.read(_list(said.get("scheme", ()), "scheme"))
        return Sweep(
            settings=settings,
            plan=Plan(_groups(said, layers), _text(said, "where")),
            schemes=layers,
            seeds=_count(said.get("seeds", 1), "seeds"),
            first_seed=None if "first_seed" not in said else _count(said["first_seed"], "first_seed", least=0),
            metrics=_names(said.get("metrics", ()), "metrics"),
            warm_up=_warm_up(warm_up),
            precision=_precision(said.get("precision")),
            tables=_chosen_tables(said.get("tables", ())),
            plots=tuple(_drawing(one) for one in _list(said.get("plot", ()), "plot")),
        )
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def _groups(said: Mapping[str, Any], layers: Sequence[schemes.Scheme]) -> tuple[Group, ...]:
    groups: list[Group] = [(axis(schemes.AXIS, [], [one.name for one in layers]),)] if layers else []
    for key, values in _mapping(said.get("grid", {}), "grid").items():
        groups.append((axis(key, [key], _list(values, f"grid.{key}")),))
    zips = said.get("zip", ())
    for one in [zips] if isinstance(zips, Mapping) else _list(zips, "zip"):
        sides = [
            axis(key, [key], _list(values, f"zip.{key}"), may_repeat=True)
            for key, values in _mapping(one, "zip").items()
        ]
        if sides:
            groups.append(grouped(sides))
    groups += [(_long_axis(one),) for one in _list(said.get("axis", ()), "axis")]
    if not groups:
        raise InputError("no axis: nothing varies; give --grid KEY=A,B, or [grid] or [[scheme]] in the file")
    names = [one.name for group in groups for one in group]
    keys = [key for group in groups for one in group for key in one.keys]
    for what, many in (("axes", names), ("axes set the key", keys)):
        twice = next((name for n, name in enumerate(many) if name in many[:n]), None)
        if twice is not None:
            raise InputError(f"two {what} {twice!r}" if what != "axes" else f"two axes are called {twice!r}")
    if "seed" in names or "n" in names:
        raise InputError("an axis cannot be called seed or n: the tables have such columns")
    return tuple(groups)


def _long_axis(said: object) -> Axis:
    one = _mapping(said, "axis")
    _only(one, ("name", "key", "keys", "list", "range", "log-range"), "axis")
    keys = [one["key"]] if "key" in one else list(_names(one.get("keys", ()), "axis.keys"))
    if not keys or not all(isinstance(key, str) for key in keys):
        raise InputError("an [[axis]] has a key, or a list of keys")
    name = one.get("name", keys[0])
    kinds = [kind for kind in ("list", "range", "log-range") if kind in one]
    if len(kinds) != 1:
        raise InputError(f"the axis {name} has one of list, range, log-range, not {len(kinds)}")
    return axis(str(name), keys, _values(kinds[0], one[kinds[0]], str(name)))


def _values(kind: str, said: object, name: str) -> Sequence[Value]:
    if kind == "list":
        return _list(said, f"axis {name}: list")
    one = _mapping(said, f"axis {name}: {kind}")
    wanted = ("from", "to", "step", "unit") if kind == "range" else ("from", "to", "points", "unit")
    _only(one, wanted, f"axis {name}: {kind}")
    numbers = [one.get(key) for key in wanted[:3]]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise InputError(f"axis {name}: {kind} needs the numbers {', '.join(wanted[:3])}")
    first, last, third = (float(number) for number in numbers if number is not None)
    unit = str(one.get("unit", ""))
    return steps(first, last, third, unit) if kind == "range" else log_steps(first, last, int(third), unit)


def _warm_up(said: object) -> WarmUp | None:
    if said is None or isinstance(said, str):
        return None
    one = _mapping(said, "warm_up")
    _only(one, ("mser5", "quantity"), "warm_up")
    if not isinstance(one.get("mser5"), str):
        raise InputError('warm_up: a time as in "2 s", or { mser5 = "left->right", quantity = "utilization" }')
    return WarmUp(one["mser5"], str(one.get("quantity", "utilization")))


def _precision(said: object) -> Precision | None:
    if said is None:
        return None
    one = _mapping(said, "precision")
    _only(one, ("metric", "half_width", "most"), "precision")
    if not isinstance(one.get("metric"), str) or "half_width" not in one:
        raise InputError('precision needs a metric and a half_width, as in "1 %" of the mean or 0.01')
    return Precision.of(one["metric"], one["half_width"], _count(one.get("most", 100), "precision.most", least=2))


def _drawing(said: object) -> Drawing:
    one = _mapping(said, "plot")
    if one.get("y") == SLOWDOWN:
        return _slowdown(one)
    _only(one, ("x", "y", "by", "panels", "log", "map", "over", "label"), "plot")
    if not isinstance(one.get("x"), str) or not isinstance(one.get("y"), str):
        raise InputError("a [[plot]] has an x (an axis) and a y (a metric)")
    if not isinstance(one.get("map", False), bool):
        raise InputError(f"plot.map: true or false, not {one['map']!r}")
    over, labels = one.get("over", ()), one.get("label", ())
    return Drawing(
        x=one["x"],
        y=one["y"],
        by=_text(one, "by"),
        panels=_text(one, "panels"),
        log=str(one.get("log", "")),
        is_map=one.get("map", False),
        over=(over,) if isinstance(over, str) else _names(over, "plot.over"),
        labels=(labels,) if isinstance(labels, str) else _names(labels, "plot.label"),
    )


def _slowdown(one: Mapping[str, Any]) -> Drawing:
    _only(one, ("y", "by", "panels", "percentiles", "bins"), "plot of the slowdown")
    percentiles = _list(one.get("percentiles", ()), "plot.percentiles")
    return Drawing(
        x="",
        y=SLOWDOWN,
        by=_text(one, "by"),
        panels=_text(one, "panels"),
        percentiles=tuple(_count(value, "plot.percentiles") for value in percentiles),
        bins=one.get("bins", "decades"),
    )


def _chosen_tables(said: object) -> tuple[str, ...]:
    names = _names(said, "tables")
    for name in names:
        if name not in _TABLES:
            raise InputError(f"tables: no table {name!r}; there are: {', '.join(_TABLES)}")
    return names


def _only(said: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    for key in said:
        if key not in allowed:
            place, hint = where + ": " if where else "", did_you_mean(str(key), allowed)
            raise InputError(f"{place}unknown key {key!r}; {hint}allowed: {', '.join(allowed)}")


def _mapping(said: object, where: str) -> Mapping[str, Any]:
    if not isinstance(said, Mapping):
        raise InputError(f"{where}: a table of keys, not {said!r}")
    return said


def _list(said: object, where: str) -> list[Any]:
    if isinstance(said, str) or not isinstance(said, Sequence):
        raise InputError(f"{where}: a list of values, not {said!r}")
    return list(said)


def _names(said: object, where: str) -> tuple[str, ...]:
    names = _list(said, where)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: a list of names, not {said!r}")
    return tuple(names)


def _text(said: Mapping[str, Any], key: str) -> str | None:
    value = said.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{key}: a text, not {value!r}")
    return value


def _count(said: object, where: str, *, least: int = 1) -> int:
    if isinstance(said, bool) or not isinstance(said, int) or said < least:
        raise InputError(f"{where}: a whole number, at least {least}, not {said!r}")
    return said
