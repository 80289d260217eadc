"""Jobs on the cores of this machine.

With one worker the jobs run in this process. With more, each worker is a fresh process of its own (a forked one would
inherit threads and locks) with a pipe. It is given one job at a time, or several that are short, and answers them one
by one in their order, so that it is known which job a process had when it died. Such a job is done once more, in
another process; if that dies too, the campaign ends with the job's name.

A pool of the standard library would do the same with two threads and three locks a process; where a job takes
milliseconds, that is the better part of what it costs beside its run.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import selectors
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from photocol import children
from photocol.errors import failure
from photocol.runs import laws
from photocol.sweeps.campaign.job import Job, JobError, Row, Runner, engine, perform
from photocol.sweeps.campaign.memory import Budget, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.process import BaseProcess

    from photocol.sweeps.campaign.store import Store

    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection as Connection
    else:
        from multiprocessing.connection import Connection

Executor = Callable[[Iterable[Job]], Generator[Row]]
"""Carries jobs out and yields their rows as they finish, in any order; closing it ends what is under way."""
# A signal may be delivered to any thread; the main thread acts on it only when it wakes.
_NOTICE_S = 0.2
_BUSY_S = 0.25
"""What the jobs that a process is given at a time may take together."""
_MOST_AT_A_TIME = 64


@dataclass(frozen=True, kw_only=True)
class Worker:
    """Carries out one job and stores its row."""

    store: Store
    run: Runner = engine
    permitted: Mapping[str, str] | None = field(default_factory=laws.permitted_here)
    """The laws in Python that may be executed, as where it was made."""

    def __call__(self, job: Job) -> Row:
        """The row of the job."""
        with laws.only(self.permitted):
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
    """A process, the pipe to it, and the jobs that it has been given and has not answered, in their order."""

    process: BaseProcess
    pipe: Connection
    jobs: deque[Job] = field(default_factory=deque)
    since: float = 0.0
    due: float = 0.0
    """Until when it is likely to have enough to do."""
    is_warm: bool = False
    """Whether it has done a job: the first one takes longer."""

    def give(self, jobs: list[Job], expected_s: float) -> None:
        """Send jobs to a process that has none. It listens then, so neither side can wait for the other for ever."""
        self.jobs.extend(jobs)
        self.since = time.monotonic()
        self.due = self.since + expected_s
        # A process that has died meanwhile is noticed when its answer is awaited.
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send(jobs)

    def answer(self) -> tuple[Row | JobError, float]:
        """What came of the first job, and how long it took. Raises EOFError, OSError if the process has died."""
        answer: Row | JobError
        answer, seconds = self.pipe.recv()
        self.jobs.popleft()
        if isinstance(answer, JobError):
            self.jobs.clear()
        return answer, seconds

    def close(self) -> None:
        """The process ends when it has no more to do."""
        self.pipe.close()
        self.process.join()


@dataclass
class _Pace:
    """How long jobs take, and so how many a process is given at a time.

    Every hand-over wakes this process in the place of one that works. Where jobs are short, that would cost more than
    all else beside them.
    """

    usual_s: float = 0.0
    longest_s: float = math.inf
    """Of the last fifty or so."""

    def see(self, seconds: float) -> None:
        """Take note of a job."""
        is_first = math.isinf(self.longest_s)
        # At once when jobs get shorter, slowly when they get longer: nobody shall wait for this process.
        self.usual_s = seconds if is_first else min(seconds, 0.9 * self.usual_s + 0.1 * seconds)
        self.longest_s = seconds if is_first else max(seconds, 0.95 * self.longest_s)

    def at_a_time(self, waiting: int, workers: int) -> int:
        """Not so many that a process would be busy for long, or that others would have none at the end."""
        return max(1, min(_MOST_AT_A_TIME, int(_BUSY_S / max(self.longest_s, 1e-6)), waiting // (2 * workers)))

    def expected_s(self, jobs: int) -> float:
        """What so many are likely to take, a little less; nothing for one, which is simply awaited."""
        return 0.9 * jobs * self.usual_s if jobs > 1 else 0.0


class _Pool:
    """The processes of a campaign."""

    def __init__(self, work: Callable[[Job], Row], workers: int, budget: Budget, say: Callable[[str], None]) -> None:
        self._work, self._workers, self._budget, self._say = work, workers, budget, say
        self._seats: list[_Seat] = []
        self._idle: list[_Seat] = []
        self._pipes = selectors.DefaultSelector()
        self._waiting: deque[Job] = deque()
        self._died: set[str] = set()
        self._looked = time.monotonic()
        self._pace = _Pace()

    def carry_out(self, jobs: Iterable[Job]) -> Generator[Row]:
        """Yield rows as they come.

        After a failed job no process gets more, and the others finish what they have; if the caller stops listening,
        all end at once.
        """
        self._waiting.extend(jobs)
        try:
            self._fill()
            while self._seats:
                self._rest()
                rows = [*self._arrived(), *self._look()]
                self._fill()
                yield from rows
        except JobError:
            self._close(gently=True)
            raise
        except BaseException:
            self._close(gently=False)
            raise
        self._close(gently=True)

    def _fill(self) -> None:
        """Give jobs to as many processes as are allowed."""
        while self._waiting and len(self._seats) < self._workers and self._budget.admits(len(self._seats)):
            seat = self._idle.pop() if self._idle else _started(self._work)
            count = self._pace.at_a_time(len(self._waiting), self._workers)
            seat.give([self._waiting.popleft() for _ in range(count)], self._pace.expected_s(count))
            self._seats.append(seat)
            self._pipes.register(seat.pipe, selectors.EVENT_READ, seat)

    def _rest(self) -> None:
        """Sleep while all are likely to have enough to do."""
        now = time.monotonic()
        for seat in self._seats:
            if seat.due <= now:
                seat.due = now + self._pace.expected_s(len(seat.jobs))
        left = min(seat.due for seat in self._seats) - now
        if left > 0:
            time.sleep(min(left, _NOTICE_S))

    def _arrived(self) -> Iterator[Row]:
        """All rows that are there; if there is none, this waits for the next one, though not long."""
        ready = self._pipes.select(_NOTICE_S)
        while ready:
            for key, _ in ready:
                row = self._answer(key.data)
                if row is not None:
                    yield row
            ready = self._pipes.select(0)

    def _answer(self, seat: _Seat) -> Row | None:
        """The row of a seat whose job has ended; None if its process died and its jobs are to be done again."""
        try:
            answer, seconds = seat.answer()
        except (EOFError, OSError) as error:
            self._bury(seat, error)
            return None
        if seat.is_warm:
            self._pace.see(seconds)
        seat.is_warm = True
        if not seat.jobs:
            self._leave(seat)
            self._idle.append(seat)
        if isinstance(answer, JobError):
            raise answer
        return answer

    def _bury(self, seat: _Seat, error: Exception) -> None:
        """Of the jobs of a process that has died the first was under way; the others have not begun."""
        first = seat.jobs[0]
        self._leave(seat)
        self._waiting.extendleft(reversed(seat.jobs))
        why = _end_of(seat)
        if first.name in self._died:
            raise JobError(f"{first.name}: its process died twice ({why}); was the memory exhausted?") from error
        self._died.add(first.name)
        self._say(f"the process of {first.name} died ({why}); the job is done once more")

    def _leave(self, seat: _Seat) -> None:
        """Nothing more is awaited from it."""
        self._pipes.unregister(seat.pipe)
        self._seats.remove(seat)

    def _look(self) -> list[Row]:
        """Now and then: whether the processes outgrow the memory; then the youngest job is put back.

        Gives the rows that its process had sent before.
        """
        if not self._seats or time.monotonic() - self._looked < _NOTICE_S:
            return []
        self._looked = time.monotonic()
        held = [resident_bytes(seat.process.pid or 0) for seat in self._seats]
        if not self._budget.see(held):
            return []
        youngest = max(self._seats, key=lambda seat: seat.since)
        youngest.process.terminate()
        rows = list(_rest_of(youngest))
        name = youngest.jobs[0].name if youngest.jobs else "nothing"
        self._leave(youngest)
        self._waiting.extendleft(reversed(youngest.jobs))
        youngest.close()
        self._say(
            f"{len(held)} jobs hold {sum(held) / 1e9:.1f} GB of {(self._budget.allowed or 0) / 1e9:.1f} GB: "
            f"{name} is put back, fewer run at a time"
        )
        return rows

    def _close(self, *, gently: bool) -> None:
        for seat in self._seats:
            if gently:
                # Their rows are stored by then.
                with contextlib.suppress(JobError):
                    list(_rest_of(seat))
            else:
                seat.process.terminate()
        for seat in (*self._seats, *self._idle):
            seat.close()
        self._pipes.close()


def _rest_of(seat: _Seat) -> Iterator[Row]:
    """What a process still answers: to all its jobs, or until it has died. Raises JobError."""
    with contextlib.suppress(EOFError, OSError):
        while seat.jobs:
            answer, _ = seat.answer()
            if isinstance(answer, JobError):
                raise answer
            yield answer


def _started(work: Callable[[Job], Row]) -> _Seat:
    """A new process, which waits for jobs."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, work))
    with _without_main(), children.safe_path():
        process.start()
    # Only the process has the other end now, so that it is closed when the process has died.
    there.close()
    return _Seat(process=process, pipe=here)


def _serve(pipe: Connection, work: Callable[[Job], Row]) -> None:
    """What a process does: one job after the other, until there are no more."""
    _depend_on_the_parent()
    while True:
        try:
            jobs = pipe.recv()
        except EOFError:
            return
        for job in jobs:
            started = time.monotonic()
            answer = _answered(job, work)
            pipe.send((answer, time.monotonic() - started))
            if isinstance(answer, JobError):
                break


def _answered(job: Job, work: Callable[[Job], Row]) -> Row | JobError:
    try:
        return work(job)
    except JobError as error:
        return error
    except Exception as error:
        return JobError(f"{job.name}: {type(error).__name__}: {error}")


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
    """Leave to the parent what reaches every process of the terminal: Ctrl-C, and SIGHUP where it is closed.

    End by SIGTERM, and when the parent dies.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is not None:
        signal.signal(hang_up, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    """Without this, the worker of a parent that was killed would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
