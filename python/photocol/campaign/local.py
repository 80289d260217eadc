"""Jobs on the cores of this machine.

With one worker the jobs run in this process. With more, each worker is a fresh process of its own (a forked one would
inherit threads and locks) with a pipe and one job at a time, so that it is known which job a process had when it died.
Such a job is done once more, in another process; if that dies too, the campaign ends with the job's name.

A pool of the standard library would do the same with two threads and three locks a process; where a job takes
milliseconds, that is the better part of what it costs beside its run.
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
from dataclasses import dataclass, field
from multiprocessing import connection
from types import ModuleType
from typing import TYPE_CHECKING

from photocol.campaign.job import Job, JobError, Row, Runner, engine, perform
from photocol.campaign.memory import Budget, resident_bytes
from photocol.errors import failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
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


@dataclass(eq=False)
class _Seat:
    """A process, the pipe to it, and the job that it has or had."""

    process: BaseProcess
    pipe: Connection
    job: Job
    since: float = field(default_factory=time.monotonic)

    def answer(self) -> Row | JobError:
        """What came of the job. Raises EOFError, OSError if the process has died."""
        answer: Row | JobError = self.pipe.recv()
        return answer

    def close(self) -> None:
        """The process ends when it has no more to do."""
        self.pipe.close()
        self.process.join()


class _Pool:
    """The processes of a campaign."""

    def __init__(self, work: Callable[[Job], Row], workers: int, budget: Budget, say: Callable[[str], None]) -> None:
        self._work, self._workers, self._budget, self._say = work, workers, budget, say
        self._seats: list[_Seat] = []
        self._idle: list[_Seat] = []
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
                ready = connection.wait([seat.pipe for seat in self._seats], timeout=_NOTICE_S)
                for seat in [seat for seat in self._seats if seat.pipe in ready]:
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
            seat = self._idle.pop()
            seat.job, seat.since = job, time.monotonic()
        else:
            seat = _started(self._work, job)
        # A process that has died meanwhile is noticed when its answer is awaited.
        with contextlib.suppress(BrokenPipeError):
            seat.pipe.send(job)
        return seat

    def _vacate(self, seat: _Seat) -> Row | None:
        """The row of a seat whose job has ended; None if its process died and the job is to be done again."""
        try:
            answer = seat.answer()
        except (EOFError, OSError) as error:
            self._seats.remove(seat)
            why = _end_of(seat)
            if seat.job.name in self._died:
                raise JobError(f"{seat.job.name}: its process died twice ({why}); was the memory exhausted?") from error
            self._died.add(seat.job.name)
            self._repeat.append(seat.job)
            self._say(f"the process of {seat.job.name} died ({why}); the job is done once more")
            return None
        self._seats.remove(seat)
        self._idle.append(seat)
        if isinstance(answer, JobError):
            raise answer
        return answer

    def _look(self) -> None:
        """Now and then: whether the processes outgrow the memory; then the youngest job is put back."""
        if time.monotonic() - self._looked < _NOTICE_S:
            return
        self._looked = time.monotonic()
        held = [resident_bytes(seat.process.pid or 0) for seat in self._seats]
        if not self._budget.see(held):
            return
        youngest = max(self._seats, key=lambda seat: seat.since)
        self._seats.remove(youngest)
        youngest.process.terminate()
        youngest.close()
        self._repeat.append(youngest.job)
        self._say(
            f"{len(held)} jobs hold {sum(held) / 1e9:.1f} GB of {(self._budget.allowed or 0) / 1e9:.1f} GB: "
            f"{youngest.job.name} is put back, fewer run at a time"
        )

    def _close(self, *, gently: bool) -> None:
        for seat in self._seats:
            if gently:
                # Its row is stored by then.
                with contextlib.suppress(EOFError, OSError):
                    seat.answer()
            else:
                seat.process.terminate()
        for seat in (*self._seats, *self._idle):
            seat.close()


def _started(work: Callable[[Job], Row], job: Job) -> _Seat:
    """A new process, which waits for its first job."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, work))
    with _without_main():
        process.start()
    # Only the process has the other end now, so that it is closed when the process has died.
    there.close()
    return _Seat(process=process, pipe=here, job=job)


def _serve(pipe: Connection, work: Callable[[Job], Row]) -> None:
    """What a process does: one job after the other, until there are no more."""
    _depend_on_the_parent()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(work(job))
        except Exception as error:
            pipe.send(
                error if isinstance(error, JobError) else JobError(f"{job.name}: {type(error).__name__}: {error}")
            )


def _end_of(seat: _Seat) -> str:
    """How a process ended, in words; nobody else waits for it."""
    seat.pipe.close()
    seat.process.join(1)
    code = seat.process.exitcode
    if code is None:
        return "for an unknown reason"
    if code >= 0:
        return f"exit status {code}"
    return f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"


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
