"""photocol: a deterministic, fast packet simulator for transport over optical networks.

    import photocol

    result = photocol.run("scenarios/dumbbell.toml", seed=1)
    result.summary["goodput"]          # a float that knows its unit
    result.flows                       # a polars frame, one row a flow
    photocol.model("erlang-b", load=5, servers=[4, 8, 16])["blocking"]    # closed forms, over arrays

`photocol.transport`, `photocol.queue`, `photocol.obs`, `photocol.rcp` and `photocol.xcp` hold the machines to be driven
by hand. Everything is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from photocol._core import RunError, ScenarioError, __version__
from photocol.errors import InputError

if TYPE_CHECKING:
    from photocol import (
        claims,
        control,
        experiment,
        laws,
        models,
        obs,
        plot,
        queue,
        rcp,
        stats,
        transport,
        verdict,
        work,
        xcp,
    )
    from photocol.conversions.convert import convert
    from photocol.experiments.verdict import Claims
    from photocol.runs.capture import Capture
    from photocol.runs.laws import law, policy
    from photocol.runs.models import model
    from photocol.runs.results import Figure, Result, Summary
    from photocol.runs.runner import run
    from photocol.runs.scenario import Checked, check
    from photocol.sweeps.run import sweep
    from photocol.sweeps.swept import SweepTable
    from photocol.transport.control import schedule

__all__ = [
    "Capture",
    "Checked",
    "Claims",
    "Figure",
    "InputError",
    "Result",
    "RunError",
    "ScenarioError",
    "Summary",
    "SweepTable",
    "__version__",
    "check",
    "claims",
    "control",
    "convert",
    "experiment",
    "law",
    "laws",
    "model",
    "models",
    "obs",
    "plot",
    "policy",
    "queue",
    "rcp",
    "run",
    "schedule",
    "stats",
    "sweep",
    "transport",
    "verdict",
    "work",
    "xcp",
]

_HOMES = {
    "Capture": "runs.capture",
    "Checked": "runs.scenario",
    "Claims": "experiments.verdict",
    "Figure": "runs.results",
    "Result": "runs.results",
    "Summary": "runs.results",
    "SweepTable": "sweeps.swept",
    "check": "runs.scenario",
    "convert": "conversions.convert",
    "law": "runs.laws",
    "policy": "runs.laws",
    "model": "runs.models",
    "run": "runs.runner",
    "schedule": "transport.control",
    "sweep": "sweeps.run",
}
_MODULES = (
    *(
        "claims",
        "control",
        "experiment",
        "laws",
        "models",
        "obs",
        "plot",
        "queue",
        "rcp",
        "stats",
        "transport",
        "verdict",
        "work",
        "xcp",
    ),
)


def __getattr__(name: str) -> object:
    """Import on first use, so that `import photocol` costs nothing."""
    if name in _MODULES:
        return importlib.import_module(f"photocol.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'photocol' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"photocol.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
