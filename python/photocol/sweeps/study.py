"""What the jobs of a sweep do: the scenario with the point's keys, after a pilot run if that finds the warm-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.sweeps.campaign.study import Setup, Study
from photocol.sweeps.schemes import AXIS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.runs.scenario import ScenarioText
    from photocol.sweeps.campaign.study import Point, RunResult, Value, WarmUp
    from photocol.sweeps.schemes import Layered


@dataclass(frozen=True, kw_only=True)
class SweptScenario:
    """The origin of a sweep's jobs: the scenario itself, so that it is the same wherever a job goes."""

    scenario: ScenarioText
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    """Which keys of the scenario an axis sets."""
    warm_up: WarmUp | None
    tables: tuple[str, ...]
    first_seed: int
    schemes: tuple[Layered, ...] = ()
    """What each value of the axis `scheme` lays over the scenario."""

    def study(self) -> Study:
        """What the jobs do."""
        keys = dict(self.keys)
        schemes = {one.name: one for one in self.schemes}

        def setup(point: Point) -> Setup:
            scheme = schemes.get(str(point[AXIS])) if schemes else None
            settings: dict[str, Value] = {} if scheme is None else dict(scheme.settings)
            settings |= {key: value for name, value in point.items() for key in keys[name]}
            scenario = self.scenario if scheme is None else scheme.scenario
            return Setup(scenario=scenario, settings=settings, warm_up=self.warm_up)

        return Study(setup=setup, measure=figures, metrics=None, tables=self.tables, first_seed=self.first_seed)


def figures(result: RunResult) -> Mapping[str, float]:
    """Every figure of the summary; of several traffics also the goodput of each, as in `goodput[bbr]`.

    That is what arrived of its flows over the duration of the run: the tables know no bytes of the warm-up alone.
    """
    found = {name: figure.value for name, figure in result.summary.items()}
    # Tables are made where they say more than the summary.
    if str(result.manifest.get("scenario", "")).count("\n[[traffic]]") < 2 or "duration" not in found:
        return found
    arrived = result.flows.select("traffic", "bytes_arrived").group_by("traffic", maintain_order=True).sum()
    return found | {f"goodput[{name}]": 8 * count / found["duration"] for name, count in arrived.iter_rows()}
