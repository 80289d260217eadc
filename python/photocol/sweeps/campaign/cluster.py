"""Jobs on many machines, by Dask distributed.

The workers only run: rows come back and are stored here, so no file system has to be shared, and a row that is stored
is never made again. Before a worker gets a job it is asked who it is; one of another version, or whose engine gives
other bits, gets none. A worker that dies is named, and Dask gives what it had under way to another; how often a job may
lose its worker is the scheduler's `allowed-failures`, and once for a cluster that is made here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.runs import laws
from photocol.sweeps.campaign.job import JobError
from photocol.sweeps.campaign.local import named, performed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from photocol.sweeps.campaign.job import Job, Row, Runner
    from photocol.sweeps.campaign.local import Executor
    from photocol.sweeps.campaign.progress import Progress
    from photocol.sweeps.campaign.store import Store

LOCAL = "local"
"""The address of a cluster that is made for the campaign, on this machine."""
_LOOPBACK = "127.0.0.1:0"
"""Where its HTTP servers listen, which it has in any case, and which have no pages."""
_OF_LOCAL = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
_ANSWER_S = 10.0
_NOTICE_S = 1.0
_UNDER_WAY = 8
"""Jobs sent for each thread of the workers."""
_TRIAL = """
[run]
duration = "20 ms"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "1 ms"
[[traffic]]
transport = "sack"
flows = 2
"""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who would do the work."""

    version: str
    fingerprint: str
    """Of a short run."""

    def __str__(self) -> str:
        return f"version {self.version} with fingerprint {self.fingerprint}"


@functools.cache
def identity() -> Identity:
    """Who this process is."""
    import photocol

    return Identity(version=photocol.__version__, fingerprint=photocol.run(_TRIAL).fingerprint)


def on_dask(address: str, *, workers: int, run: Runner) -> Callable[[Store, Progress], Executor]:
    """Executors on the cluster at this address; `local` makes one with this number of workers. Raises InputError."""
    try:
        importlib.import_module("distributed")
    except ImportError as error:
        raise InputError("--dask needs the package distributed: pip install photocol[dask]") from error

    def executor(store: Store, progress: Progress) -> Executor:
        return lambda jobs: _carry_out(jobs, store, progress, address=address, workers=workers, run=run)

    return executor


def _carry_out(
    jobs: Iterable[Job], store: Store, progress: Progress, *, address: str, workers: int, run: Runner
) -> Generator[Row]:
    distributed: Any = importlib.import_module("distributed")
    jobs = list(jobs)
    with _connected(address, workers) as client:
        _check_workers(client, address)
        threads = sum(client.nthreads().values())
        progress.say(f"{len(client.nthreads())} Dask workers with {threads} threads at {client.scheduler.address}")
        waiting = iter(jobs)
        sent: dict[str, Job] = {}
        finished = distributed.as_completed(loop=client.loop)
        send = functools.partial(_send, client, waiting, sent, finished, run)
        for _ in range(_UNDER_WAY * threads):
            send()
        watch = _Watch(client, progress)
        try:
            while sent:
                future = next(finished)
                watch.look()
                row = _row(future, sent.pop(future.key), address)
                send()
                with named(row):
                    store.put(row)
                yield row
            watch.look_at_once()
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(finished.futures), force=True)


class _Watch:
    """Names the workers that have gone."""

    def __init__(self, client: Any, progress: Progress) -> None:
        self._client, self._progress = client, progress
        self._known = self._there()
        self._looked = time.monotonic()

    def look(self) -> None:
        """Now and then."""
        if time.monotonic() - self._looked >= _NOTICE_S:
            self.look_at_once()

    def look_at_once(self) -> None:
        """Say which workers have gone since the last look."""
        self._looked = time.monotonic()
        there = self._there()
        for address, name in self._known.items():
            if address not in there:
                self._progress.say(f"the Dask worker {name} at {address} is gone; its jobs are done once more")
        self._known = there

    def _there(self) -> dict[str, str]:
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address: str(about.get("name", "")) for address, about in workers.items()}


def _send(client: Any, waiting: Iterator[Job], sent: dict[str, Job], finished: Any, run: Runner) -> None:
    job = next(waiting, None)
    if job is None:
        return
    future = client.submit(_remote, job, identity(), run, laws.permitted_here(), pure=False)
    sent[future.key] = job
    finished.add(future)


def _remote(job: Job, expected: Identity, run: Runner, permitted: Mapping[str, str] | None) -> Row:
    """On a worker, which may have come later than the others: whether it is the right one, then the job."""
    if identity() != expected:
        raise JobError(f"{job.name}: a worker has {identity()}, this is {expected}")
    with laws.only(permitted):
        return performed(job, run=run)


def _row(future: Any, job: Job, address: str) -> Row:
    try:
        # A result that was lost with its worker is computed once more, and awaited here.
        row: Row = future.result()
    except JobError:
        raise
    except Exception as error:
        if type(error).__name__ in ("CancelledError", "FutureCancelledError"):
            raise JobError(f"the Dask scheduler at {address} is gone") from error
        if type(error).__name__ == "KilledWorker":
            last = getattr(getattr(error, "last_worker", None), "address", "unknown")
            raise JobError(
                f"{job.name}: each of its workers died, the last at {last}; was the memory exhausted?"
            ) from error
        raise JobError(f"{job.name}: {type(error).__name__}: {str(error).splitlines()[0]}") from error
    return row


@contextlib.contextmanager
def _connected(address: str, workers: int) -> Iterator[Any]:
    distributed: Any = importlib.import_module("distributed")
    with contextlib.ExitStack() as stack:
        where: Any = address
        if address == LOCAL:
            where = stack.enter_context(_local(distributed, workers))
        try:
            client = stack.enter_context(distributed.Client(where, timeout=_ANSWER_S, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(f"--dask {address}: no Dask scheduler answers there ({type(error).__name__})") from error
        yield client


def _local(distributed: Any, workers: int) -> Any:
    """A cluster in this process. One of several processes would listen on ports through which every user of the
    machine could run code as this one: Dask's schedulers take pickles from whoever connects.
    """
    dask: Any = importlib.import_module("dask")
    try:
        with dask.config.set(_OF_LOCAL):
            return distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=False,
                protocol="inproc",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": _LOOPBACK},
                worker_dashboard_address=_LOOPBACK,
                memory_limit=0,
            )
    except Exception as error:
        why = str(error).partition("\n")[0] or "no reason given"
        raise JobError(f"--dask local: the cluster did not start: {type(error).__name__}: {why}") from error


def _check_workers(client: Any, address: str) -> None:
    """Raise InputError unless there are workers and all are this version and give the same bits."""
    try:
        client.wait_for_workers(1, timeout=_ANSWER_S)
    except TimeoutError as error:
        raise InputError(f"--dask {address}: the scheduler has no workers") from error
    mine = identity()
    found: dict[str, Any] = client.run(identity, on_error="return")
    other = {worker: answer for worker, answer in found.items() if answer != mine}
    if other:
        raise InputError(f"--dask {address}: {_told(other)}; here is {mine}")


def _told(other: dict[str, Any]) -> str:
    worker, answer = next(iter(sorted(other.items())))
    said = str(answer) if isinstance(answer, Identity) else f"{type(answer).__name__}: {answer}"
    more = f" ({len(other) - 1} others too)" if len(other) > 1 else ""
    return f"the worker {worker}{more} has {said}"
