"""Where a run has settled: a pilot of the same seed is sampled, and MSER-5 says how much of its beginning to leave out.

The run itself is then made with that warm-up. It costs a second run; the sampling changes nothing in either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.stats import mser5_warm_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.sweeps.campaign.job import Runner
    from photocol.sweeps.campaign.study import Setup, Value, WarmUp

SAMPLES = 1000


def warm_up_s(setup: Setup, settings: Mapping[str, Value], *, seed: int, run: Runner) -> float:
    """Seconds to leave out; half of the run where it has not settled by then. ValueError if there is no such series."""
    import polars as pl

    from photocol.runs.scenario import load

    warm_up = setup.warm_up
    if warm_up is None:
        return 0.0
    pilot = {**settings, "run.warm_up": "0 s", **_probe(warm_up)}
    interval_s = load(setup.scenario, pilot).duration_s / SAMPLES
    result = run(setup.scenario, seed=seed, settings={**pilot, "probe.interval": f"{interval_s:.12g} s"})
    series = result.series.filter((pl.col("entity") == warm_up.entity) & (pl.col("quantity") == warm_up.quantity))
    if series.is_empty():
        there = sorted(set(result.series["quantity"].to_list()))
        raise ValueError(f"no series {warm_up.quantity!r} of {warm_up.entity!r}; there are: {', '.join(there)}")
    samples = series.sort("t_s").drop_nulls("value")
    cut = mser5_warm_up(samples["value"].to_list())
    return float(samples["t_s"][cut - 1]) if cut else 0.0


def _probe(warm_up: WarmUp) -> dict[str, Value]:
    kind, _, number = warm_up.entity.partition(" ")
    if kind == "flow" and number.isdigit():
        return {"probe.flows": f"[{number}]", "probe.links": "[]", "probe.interval": "1 s"}
    return {"probe.links": f'["{warm_up.entity}"]', "probe.flows": "[]", "probe.interval": "1 s"}
