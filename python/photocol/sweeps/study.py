"""What the jobs of a sweep do: the scenario with the point's keys, after a pilot run if that finds the warm-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.sweeps.campaign.study import Setup, Study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.runs.scenario import ScenarioText
    from photocol.sweeps.campaign.study import Point, RunResult, WarmUp


@dataclass(frozen=True, kw_only=True)
class SweptScenario:
    """The origin of a sweep's jobs: the scenario itself, so that it is the same wherever a job goes."""

    scenario: ScenarioText
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    """Which keys of the scenario an axis sets."""
    warm_up: WarmUp | None
    tables: tuple[str, ...]
    first_seed: int

    def study(self) -> Study:
        """What the jobs do."""
        keys = dict(self.keys)

        def setup(point: Point) -> Setup:
            settings = {key: value for name, value in point.items() for key in keys[name]}
            return Setup(scenario=self.scenario, settings=settings, warm_up=self.warm_up)

        return Study(setup=setup, measure=figures, metrics=None, tables=self.tables, first_seed=self.first_seed)


def figures(result: RunResult) -> Mapping[str, float]:
    """Every figure of the summary."""
    return {name: figure.value for name, figure in result.summary.items()}
