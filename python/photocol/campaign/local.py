"""Jobs on the cores of this machine.

With one worker the jobs run in this process. With more, each worker is a fresh process of its own (a forked one would
inherit threads and locks) with one job at a time, so that it is known which job a process had when it died. Such a job
is done once more, in another process; if that dies too, the campaign ends with the job's name.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from photocol.campaign.job import Job, JobError, Row, Runner, engine, perform
from photocol.campaign.memory import Budget, resident_bytes
from photocol.errors import failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.process import BaseProcess

    from photocol.campaign.store import Store

Executor = Callable[[Iterable[Job]], Generator[Row]]
"""Carries jobs out and yields their rows as they finish, in any order; closing it ends what is under way."""
# A signal may be delivered to any thread; the main thread acts on it only when it wakes.
_NOTICE_S = 0.2


@dataclass(frozen=True, kw_only=True)
class Worker:
    """Carries out one job and stores its row."""

    store: Store
    run: Runner = engine

    def __call__(self, job: Job) -> Row:
        """The row of the job."""
        row = performed(job, run=self.run)
        with named(job):
            self.store.put(row)
        return row


def performed(job: Job, *, run: Runner = engine) -> Row:
    """`perform`, whose failure is a JobError that names the job."""
    with named(job):
        return perform(job, run=run)


@contextlib.contextmanager
def named(job: Job | Row) -> Iterator[None]:
    """Any failure in the block is a JobError that names the job, or the job that gave the row."""
    try:
        yield
    except OSError as error:
        raise JobError(f"{job.name}: {failure(error)}") from error
    except Exception as error:
        raise JobError(f"{job.name}: {type(error).__name__}: {error}") from error


def on_this_machine(
    work: Callable[[Job], Row],
    *,
    workers: int,
    budget: Budget | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Executor:
    """An executor on this many processes; `say` is told of processes that died and of memory that ran short."""
    if workers == 1:
        return lambda jobs: (work(job) for job in jobs)
    return lambda jobs: _Pool(work, workers, budget or Budget(), say).carry_out(jobs)


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class _Seat:
    """A process and the job it has."""

    pool: ProcessPoolExecutor
    job: Job
    future: Future[Row]
    process: BaseProcess | None
    since: float = field(default_factory=time.monotonic)


class _Pool:
    """The processes of a campaign."""

    def __init__(self, work: Callable[[Job], Row], workers: int, budget: Budget, say: Callable[[str], None]) -> None:
        self._work, self._workers, self._budget, self._say = work, workers, budget, say
        self._seats: list[_Seat] = []
        self._idle: list[tuple[ProcessPoolExecutor, BaseProcess | None]] = []
        self._repeat: deque[Job] = deque()
        self._died: set[str] = set()
        self._looked = time.monotonic()

    def carry_out(self, jobs: Iterable[Job]) -> Generator[Row]:
        """Yield rows as they come.

        After a failed job no new one starts and those under way finish; if the caller stops listening, all end at once.
        """
        waiting = iter(jobs)
        try:
            self._fill(waiting)
            while self._seats:
                wait([seat.future for seat in self._seats], timeout=_NOTICE_S, return_when=FIRST_COMPLETED)
                for seat in [seat for seat in self._seats if seat.future.done()]:
                    row = self._vacate(seat)
                    self._fill(waiting)
                    if row is not None:
                        yield row
                self._look()
                self._fill(waiting)
        except JobError:
            self._close(gently=True)
            raise
        except BaseException:
            self._close(gently=False)
            raise
        self._close(gently=True)

    def _fill(self, waiting: Iterator[Job]) -> None:
        """Give jobs to as many processes as are allowed."""
        while len(self._seats) < self._workers and self._budget.admits(len(self._seats)):
            job = self._repeat.popleft() if self._repeat else next(waiting, None)
            if job is None:
                return
            self._seats.append(self._seated(job))

    def _seated(self, job: Job) -> _Seat:
        if self._idle:
            pool, process = self._idle.pop()
            return _Seat(pool, job, pool.submit(self._work, job), process)
        before = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=_depend_on_the_parent)
        with _without_main():
            future = pool.submit(self._work, job)
        process = next(iter(set(multiprocessing.active_children()) - before), None)
        return _Seat(pool, job, future, process)

    def _vacate(self, seat: _Seat) -> Row | None:
        """The row of a seat whose job has ended; None if its process died and the job is to be done again."""
        self._seats.remove(seat)
        try:
            row = seat.future.result()
        except BrokenProcessPool as error:
            seat.pool.shutdown(wait=False)
            why = _end_of(seat.process)
            if seat.job.name in self._died:
                raise JobError(f"{seat.job.name}: its process died twice ({why}); was the memory exhausted?") from error
            self._died.add(seat.job.name)
            self._repeat.append(seat.job)
            self._say(f"the process of {seat.job.name} died ({why}); the job is done once more")
            return None
        except JobError:
            self._idle.append((seat.pool, seat.process))
            raise
        self._idle.append((seat.pool, seat.process))
        return row

    def _look(self) -> None:
        """Now and then: whether the processes outgrow the memory; then the youngest job is put back."""
        if time.monotonic() - self._looked < _NOTICE_S:
            return
        self._looked = time.monotonic()
        held = [resident_bytes(seat.process.pid or 0) for seat in self._seats if seat.process is not None]
        if not self._budget.see(held):
            return
        youngest = max(self._seats, key=lambda seat: seat.since)
        self._seats.remove(youngest)
        _terminate(youngest.process)
        youngest.pool.shutdown(wait=False, cancel_futures=True)
        self._repeat.append(youngest.job)
        self._say(
            f"{len(held)} jobs hold {sum(held) / 1e9:.1f} GB of {(self._budget.allowed or 0) / 1e9:.1f} GB: "
            f"{youngest.job.name} is put back, fewer run at a time"
        )

    def _close(self, *, gently: bool) -> None:
        for pool, _ in self._idle:
            pool.shutdown(wait=gently)
        for seat in self._seats:
            seat.pool.shutdown(wait=gently, cancel_futures=not gently)
            if not gently:
                _terminate(seat.process)


def _terminate(process: BaseProcess | None) -> None:
    if process is not None:
        process.terminate()
        process.join()


def _end_of(process: BaseProcess | None) -> str:
    """How a process ended, in words."""
    code = None if process is None else _exit_status(process)
    if code is None:
        return "for an unknown reason"
    if code >= 0:
        return f"exit status {code}"
    return f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"


def _exit_status(process: BaseProcess) -> int | None:
    """The exit status of a process that is ending; None if it is not known within a second.

    The executor's own thread waits for the same process. Between the end of its wait and its note of the status, the
    process is neither there nor has it a status.
    """
    until = time.monotonic() + 1
    while (code := process.exitcode) is None and time.monotonic() < until:
        time.sleep(0.01)
    return code


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """A process started in the block does not import the script that is running.

    It needs nothing of it; and a script that starts a campaign without a guard would start it again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _depend_on_the_parent() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the parent; end by SIGTERM, and when it dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    """Without this, the worker of a parent that was killed would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
