"""Where the experiments are, and how one is loaded.

The folder is found, in this order: the environment variable PHOTOCOL_EXPERIMENTS; a folder `experiments` beside a
folder `scenarios`, in the working directory or above it; what came with photocol (`runs.bundled`): the checkout from
which it was installed in place, or the copy in the installed package.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from photocol.errors import InputError
from photocol.experiments.experiment import Experiment
from photocol.experiments.figures import LIST, listed, named
from photocol.runs import bundled
from photocol.sweeps.campaign.job import Job, check_plan
from photocol.sweeps.campaign.study import Setup, Study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.sweeps.campaign.study import Evaluation, Point, Trial

VARIABLE = "PHOTOCOL_EXPERIMENTS"


class ExperimentError(InputError):
    """An experiment cannot be found or loaded; the message says what to do."""


def experiments_folder(*, start: Path | None = None) -> Path:
    """The folder `experiments`, found as the module says, looking upwards from `start` (the working directory)."""
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_dir():
            raise ExperimentError(f"{VARIABLE} is {named!r}, which is not a folder")
        return Path(named).resolve()
    start = (start or Path.cwd()).resolve()
    for place in (start, *start.parents, *filter(None, [bundled.place()])):
        if (place / "experiments").is_dir() and (place / "scenarios").is_dir():
            return place / "experiments"
    raise ExperimentError(
        "no experiments found: neither in this folder nor in those above it, and none came with photocol. "
        f"Run this inside a checkout, or set {VARIABLE} to its folder `experiments`."
    )


def came_with_photocol() -> bool:
    """Whether the folder `experiments` is that of photocol itself, or one that the environment names."""
    home = bundled.place()
    return bool(os.environ.get(VARIABLE)) or (home is not None and experiments_folder().parent == home.resolve())


def summary_of(file: Path) -> str:
    """The first sentence of an experiment's file, which is read and not executed. Raises ExperimentError."""
    try:
        said = ast.get_docstring(ast.parse(file.read_bytes(), str(file)))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExperimentError(f"{file}: {type(error).__name__}: {error}") from error
    return " ".join((said or file.stem).split("\n\n")[0].split())


def find_experiments(folder: Path) -> dict[str, Path]:
    """Id (`<paper>/<figure>`) to file, sorted. Names that begin with an underscore are helpers, not experiments."""
    found = sorted(folder.glob("[!_]*/[!_]*.py"))
    return {f"{file.parent.name}/{file.stem}": file for file in found}


def select(targets: Sequence[str], available: Mapping[str, Path]) -> list[str]:
    """The ids that the targets mean: `PAPER/FIGURE` is one, `PAPER` all of a paper, no target all there are."""
    chosen: dict[str, None] = {}
    for target in targets or sorted({id_.split("/")[0] for id_ in available}):
        wanted = target.rstrip("/")
        matches = [id_ for id_ in available if wanted in (id_, id_.split("/")[0])]
        if not matches:
            raise ExperimentError(_unknown(wanted, available))
        chosen.update(dict.fromkeys(matches))
    return list(chosen)


@functools.cache
def load_experiment(file: Path) -> Experiment:
    """The one `Experiment` that `file` defines. It may import helpers beside it: `from ._name import …`."""
    name = f"{_package(file.parent)}.{file.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None:
        raise ExperimentError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # The source, not what a folder `__pycache__` says was compiled of it.
        exec(compile(file.read_bytes(), str(file), "exec"), module.__dict__)
    except Exception as error:
        raise ExperimentError(f"{file}: {type(error).__name__}: {error}") from error
    return _only_experiment(module, file)


@dataclasses.dataclass(frozen=True)
class ExperimentFile:
    """The origin of an experiment's jobs: a process finds the study in the file."""

    path: str

    def study(self) -> Study:
        """What the experiment's jobs do; scenarios are found in the repository."""
        file = Path(self.path)
        experiment = load_experiment(file)

        def setup(point: Point) -> Setup | Evaluation | Trial:
            found = experiment.setup(point)
            if isinstance(found, Setup) and isinstance(found.scenario, str | Path):
                return dataclasses.replace(found, scenario=scenario_path(found.scenario, file))
            return found

        return Study(
            setup=setup,
            measure=experiment.measure,
            metrics=frozenset(metric.name for metric in experiment.metrics),
            curves=experiment.curves,
            first_seed=experiment.first_seed,
        )


def faults(experiment: Experiment, file: Path) -> list[str]:
    """What is wrong with the points of both forms, each with its experiment, form, point and key; nothing is run."""
    found = []
    origin = ExperimentFile(str(file))
    for name in ("quick", "full"):
        form = experiment.form(name)
        for point in form.points:
            try:
                check_plan(Job(origin=origin, point=point, settings=form.settings, seed=experiment.first_seed))
            except Exception as error:
                where = ", ".join(f"{axis}={value}" for axis, value in point.items())
                found.append(f"{experiment.id}, {name} form, point {where}: {type(error).__name__}: {error}")
    return found


def scenario_path(name: str | Path, experiment_file: Path) -> Path:
    """A scenario by its name: a path as it stands if it exists, else relative to the repository's `scenarios/`."""
    in_repository = experiment_file.parents[2] / "scenarios" / name
    for place in (in_repository, Path(name)):
        if place.is_file():
            return place
    raise ExperimentError(f"{experiment_file}: no scenario {str(name)!r} (looked at {in_repository})")


def _package(folder: Path) -> str:
    """The name under which the folder's files are modules, and import each other, whatever characters it has."""
    name = f"photocol_experiments.{folder.name}"
    package = sys.modules.get(name)
    if package is None or list(package.__path__) != [str(folder)]:
        for stale in [module for module in sys.modules if module.startswith(f"{name}.")]:
            del sys.modules[stale]
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules.setdefault("photocol_experiments", ModuleType("photocol_experiments"))
        sys.modules[name] = package
    return name


def _only_experiment(module: ModuleType, file: Path) -> Experiment:
    found = [value for value in vars(module).values() if isinstance(value, Experiment)]
    if len(found) != 1:
        raise ExperimentError(f"{file}: defines {len(found)} experiments, must define exactly one")
    expected = f"{file.parent.name}/{file.stem}"
    if found[0].id != expected:
        raise ExperimentError(f"{file}: its experiment has the id {found[0].id!r}, must be {expected!r}")
    return found[0]


def _unknown(wanted: str, available: Mapping[str, Path]) -> str:
    """What is said of a name that is none: where the figure is, or the nearest name, and those of the paper."""
    paper = wanted.partition("/")[0]
    of_paper = [id_ for id_ in available if id_.startswith(f"{paper}/")]
    names = of_paper or [*available, *sorted({id_.split("/")[0] for id_ in available})]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.3)
    hint = f"; nearest: {near[0]}" if near else ""
    if there := _with_figure(wanted, available):
        hint = f"; that figure or table is in {', '.join(there)}"
    return f"no experiment {wanted!r}{hint}. There are: {', '.join(of_paper or available) or 'none'}"


def _with_figure(wanted: str, available: Mapping[str, Path]) -> list[str]:
    """The experiments that have a figure or table of a paper, as in `004/figure-6`; none if the list has no such."""
    paper, _, figure = wanted.partition("/")
    file = next(iter(available.values()), None)
    folder = file.parent.parent if file is not None else Path()
    if not (folder / LIST).is_file():
        return []
    asked = named(figure.replace("-", " "))
    found = [judged for text, judged in listed(folder).get(paper, {}).items() if set(asked) & set(named(text))]
    return [id_ for judged in found if not isinstance(judged, str) for id_ in judged if id_ in available]
