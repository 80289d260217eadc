"""A campaign from its first job to the last: what is there is kept, what is missing is done."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from photocol.sweeps.campaign.job import Job, Row, Runner, engine
from photocol.sweeps.campaign.local import Executor, Worker, available_cores, on_this_machine
from photocol.sweeps.campaign.memory import Budget, available_bytes, expected_bytes

if TYPE_CHECKING:
    from photocol.sweeps.campaign.progress import Progress
    from photocol.sweeps.campaign.store import Store

JobPlanner = Callable[[Sequence[Row]], Sequence[Job]]
"""Which jobs the campaign wants, given the rows that there are; it is asked again until none of them is missing."""


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Workers and executor of a campaign."""

    workers: int = field(default_factory=available_cores)
    run: Runner = engine
    resume: bool = False
    """Whether rows that are in the store already are kept."""
    alone: bool = True
    """Whether nobody else writes into the store, so that what was left half-written is nobody's and goes."""
    elsewhere: Callable[[Store, Progress], Executor] | None = None
    """An executor on other machines, instead of this one's processes."""


def resources(*, workers: int | None, resume: bool, dask: str | None = None, run: Runner = engine) -> Resources:
    """The processes of this machine, one a core unless said otherwise, or the Dask cluster at an address."""
    workers = workers or available_cores()
    if dask is None:
        return Resources(workers=workers, run=run, resume=resume)
    from photocol.sweeps.campaign.cluster import on_dask

    return Resources(workers=workers, run=run, resume=resume, elsewhere=on_dask(dask, workers=workers, run=run))


@dataclass
class Campaign:
    """What there is at the end."""

    rows: dict[str, Row] = field(default_factory=dict)
    """By the names of their jobs."""
    kept: int = 0
    """How many were there already."""
    stop: KeyboardInterrupt | None = None
    """The interruption, if one has ended the campaign."""


def run_campaign(
    planner: JobPlanner,
    store: Store,
    resources: Resources,
    progress: Progress,
    *,
    look: Callable[[Row], None] | None = None,
) -> Campaign:
    """Have jobs done until nothing wanted is missing. Raises JobError if one fails; finished rows are stored.

    `look` is shown the first row that there is.
    """
    campaign = Campaign()
    with progress.shown():
        while campaign.stop is None and (missing := _missing(planner, store, resources, campaign, progress)):
            progress.expect(len(missing))
            _carry_out(missing, store, resources, campaign, progress, look)
    return campaign


def _missing(
    planner: JobPlanner, store: Store, resources: Resources, campaign: Campaign, progress: Progress
) -> list[Job]:
    """What is wanted and neither done nor kept; kept rows may lead to other wishes, which are asked for at once."""
    while True:
        jobs = [job for job in planner(list(campaign.rows.values())) if job.name not in campaign.rows]
        kept = ((job.name, store.find(job, progress.say)) for job in jobs) if resources.resume else ()
        found = {name: row for name, row in kept if row is not None}
        campaign.rows.update(found)
        campaign.kept += len(found)
        missing = [job for job in jobs if job.name not in campaign.rows]
        if missing or not found:
            return missing


def _carry_out(
    jobs: Sequence[Job],
    store: Store,
    resources: Resources,
    campaign: Campaign,
    progress: Progress,
    look: Callable[[Row], None] | None,
) -> None:
    if resources.alone:
        store.remove_unfinished()
    execute = _executor(jobs, store, resources, progress)
    try:
        with contextlib.closing(execute(jobs)) as finished:
            for row in finished:
                if look is not None and len(campaign.rows) == campaign.kept:
                    look(row)
                campaign.rows[row.name] = row
                progress.advance()
    except KeyboardInterrupt as interruption:
        campaign.stop = interruption
    finally:
        if resources.alone:
            store.remove_unfinished()


def _executor(jobs: Sequence[Job], store: Store, resources: Resources, progress: Progress) -> Executor:
    if resources.elsewhere is not None:
        return resources.elsewhere(store, progress)
    workers = min(resources.workers, len(jobs))
    run = resources.run
    if run is engine and workers < resources.workers:
        # Fewer jobs than cores: what is left over works inside the runs, whose results are the same.
        run = functools.partial(engine, threads=resources.workers // workers)
    is_known = resources.run is engine and workers > 1
    budget = Budget(available_bytes(), expected_bytes(jobs) if is_known else 0)
    if budget.allowed is not None and workers * budget.estimate > budget.allowed:
        progress.say(
            f"a job is expected to take {budget.estimate / 1e9:.1f} GB, and there are {budget.allowed / 1e9:.1f} GB: "
            f"{max(1, budget.allowed // budget.estimate)} of {workers} at a time"
        )
    return on_this_machine(Worker(store=store, run=run), workers=workers, budget=budget, say=progress.say)
