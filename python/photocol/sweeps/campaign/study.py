"""What the jobs of a campaign do, as plain values and pure functions.

A study says what to run at a point of the campaign, or which closed-form model to ask, and what to read off the result.
It does not say how jobs are carried out, stored or shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from photocol.runs.scenario import ScenarioText

Value = str | int | float
Point = Mapping[str, Value]
"""One point of a sweep: axis name (with its unit, as in `buffer_bytes`) to value."""


class SummaryFigure(Protocol):
    """A figure of `summary.json`."""

    @property
    def value(self) -> float:
        """The value, in the figure's unit."""
        ...

    @property
    def unit(self) -> str:
        """The unit: "bps", "s", "packets", …; "1" for counts and ratios."""
        ...


class RunResult(Protocol):
    """What a study may read of a finished run; `photocol.Result` is one."""

    @property
    def summary(self) -> Mapping[str, SummaryFigure]:
        """Name to figure."""
        ...

    @property
    def links(self) -> pl.DataFrame:
        """One row a directed link."""
        ...

    @property
    def flows(self) -> pl.DataFrame:
        """One row a flow."""
        ...

    @property
    def series(self) -> pl.DataFrame:
        """One row a sample: t_s, entity, quantity, value."""
        ...

    @property
    def drops(self) -> pl.DataFrame:
        """One row a (place, class, cause): units and bits."""
        ...

    @property
    def packets(self) -> pl.DataFrame | None:
        """One row a captured packet, where the set-up asks for some."""
        ...

    @property
    def trace(self) -> pl.DataFrame | None:
        """One row an event, where the scenario has `[trace]`."""
        ...

    @property
    def manifest(self) -> Mapping[str, object]:
        """Seed, version, fingerprint, cost."""
        ...


@dataclass(frozen=True)
class WarmUp:
    """The series that tells, by MSER-5, where a run has settled."""

    entity: str
    """A link, as in "left->right", or "flow 0"."""
    quantity: str


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What one point runs: a scenario and the keys that differ from it."""

    scenario: str | Path | Mapping[str, object] | ScenarioText
    """A file name in the repository's `scenarios/`, a path, or the scenario as a dict or text."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Dotted path of a key to its value, as in `--set path=value`."""
    warm_up: WarmUp | None = None
    """Where the warm-up is to be found by a pilot run, not given."""
    captured: Sequence[int] = ()
    """Flows whose packets are captured; they are the result's `packets`."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What one point asks of a closed-form model, instead of a run."""

    model: str
    """A name of `photocol list models`."""
    inputs: Mapping[str, Value] = field(default_factory=dict)
    """Inputs of the model that differ from its defaults; text may have a unit."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one point does by itself, where there is neither a run nor a model: a function of the file."""

    function: Callable[..., Mapping[str, float] | tuple[Mapping[str, float], pl.DataFrame]]
    """Called with the replication's `seed` and the arguments, by name; figures by name, with their units. It may give a
    table `series` beside them."""
    arguments: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Study:
    """What every job of a campaign does."""

    setup: Callable[[Point], Setup | Evaluation | Trial]
    """What a point runs, or which model it asks, or its trial."""
    measure: Callable[[RunResult], Mapping[str, float]]
    """Metric name to number; pure."""
    metrics: frozenset[str] | None
    """What `measure` has to give, in finite numbers; None: whatever a run has."""
    curves: Callable[[RunResult], pl.DataFrame] | None = None
    """Time series of the first replication of each point; the same columns at all points."""
    first_seed: int = 1
    """The seed of the first replication."""
    tables: Sequence[str] = ()
    """Tables of the run that are kept with its row."""


class Origin(Protocol):
    """Where a process finds the study of its jobs. Plain values, which can be sent to another process or machine."""

    def study(self) -> Study:
        """The study."""
        ...
