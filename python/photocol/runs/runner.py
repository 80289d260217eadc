"""Running a scenario: replications, their cost, and the record of them."""

from __future__ import annotations

import contextlib
import functools
import math
import shlex
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol import _core
from photocol.errors import InputError, whole_number
from photocol.runs import builds, machine, storage, trace
from photocol.runs.capture import Capture, CaptureFile, check_flows
from photocol.runs.fingerprints import fingerprints_of, joined
from photocol.runs.laws import announce
from photocol.runs.results import TABLES, Figure, Result, Summary
from photocol.runs.scenario import ScenarioLike, Setting, digest, digest_without, load, plain_settings
from photocol.runs.signals import deferred

if TYPE_CHECKING:
    import polars as pl

_SLICE_S = 0.1
"""Wall-clock time after which a run looks up: for progress, and for Ctrl-C."""
_FIRST_EVENTS = 1 << 14
"""Events of the first slice; a few milliseconds."""
_MOST_EVENTS = 1 << 40
_MOST_AT_ONCE = 1 << 30
"""Events of one instant, far more than the flows and links of any scenario have; minutes."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """How far a run is."""

    run: int
    """Replication, from 0."""
    runs: int
    now_s: float
    """Simulated time in this replication."""
    duration_s: float
    packet_hops: int
    """Packets sent on links, over all replications so far."""


Progress = Callable[[Status], None]


@dataclass(frozen=True, kw_only=True)
class Replication:
    """One finished replication and what it cost."""

    run: int
    results: _core.Results
    threads: int
    """At work at the end."""
    idle_threads: str | None
    """Why fewer than were allowed."""
    wall_s: float
    cpu_s: float
    laws: Sequence[tuple[str, int, float]] = ()
    """Name, calls and seconds in Python of each law in Python."""


class Execution:
    """The execution of a scenario: its replications under one seed, one after another.

    It may be interrupted; `result` then tells of the replications that are finished.
    """

    def __init__(
        self,
        scenario: _core.Scenario,
        *,
        seed: int | None = None,
        runs: int | None = None,
        threads: int = 1,
        shuffle_ties: int | None = None,
        capture: Capture | None = None,
        out: Path | None = None,
        force: bool = False,
        settings: Mapping[str, Setting] | None = None,
        unset_sha256: str | None = None,
    ) -> None:
        self.scenario = scenario
        self._unset_sha256 = unset_sha256
        self.settings = plain_settings(settings)
        self.started = datetime.now(UTC)
        self.seed = whole_number("seed", scenario.seed if seed is None else seed, 0, 2**64 - 1)
        self.runs = whole_number("runs", scenario.runs if runs is None else runs, 1, 2**32 - 1)
        self.threads = whole_number("threads", threads, 1, 2**16)
        self.shuffle_ties = None if shuffle_ties is None else whole_number("shuffle_ties", shuffle_ties, 0, 2**64 - 1)
        self.out = out
        self.finished: list[Replication] = []
        self.is_saved = False
        self._force = force
        if out is not None:
            storage.check_target(out)
            storage.check_no_campaign(out)
            if not force:
                storage.check_replaceable(out, lambda: self._digests)
            storage.remove_leftovers(out.absolute().parent, out.name)
        self._capture = None if capture is None else CaptureFile(capture, out)
        self._memory = machine.MemoryWatch(scenario.memory_bytes)

    def carry_out(self, progress: Progress | None = None) -> None:
        """Run all replications, telling `progress` several times a second. Raises ScenarioError, RunError."""
        hops = 0
        for run in range(self.runs):
            done = self._replicate(run, hops, progress)
            hops += done.results.packet_hops
            self.finished.append(done)

    def result(self) -> Result:
        """The finished replications, at least one."""
        files = {**({} if self._capture is None else self._capture.files()), **self._more_files()}
        raw = [one.results for one in self.finished]
        events = self._events
        return Result(
            summary=summarize(raw),
            manifest=self._manifest(),
            table=lambda name: _frame(raw, name),
            files=files,
            fingerprints=lambda: fingerprints_of(raw),
            trace=lambda: None if events is None else events.frame(),
            write_trace=None if events is None else events.write,
            probes=lambda: {name: _frame(raw, name) for name in raw[0].probes},
            capture=None if self._capture is None else self._capture.place,
        )

    def complete(self, progress: Progress | None = None) -> Result:
        """Carry out, write to `out` if there is one, and return the result.

        KeyboardInterrupt goes on after the finished replications are written; one that comes meanwhile waits for that.
        """
        try:
            self.carry_out(progress)
            return self._saved()
        except KeyboardInterrupt:
            if self.finished and not self.is_saved:
                self._saved()
            raise
        finally:
            if self._capture is not None:
                self._capture.discard()

    def _more_files(self) -> dict[str, Path]:
        """What belongs into the results directory besides: names, and where the files are."""
        return {}

    @functools.cached_property
    def _events(self) -> trace.Events | None:
        """What happened in the first replication."""
        return trace.events(self.finished[0].results)

    @property
    def idle_threads(self) -> str | None:
        """A sentence about threads that had nothing to do, if there were any."""
        for one in self.finished:
            if one.idle_threads is not None:
                used = f"{one.threads} of {self.threads} threads"
                return f"{used} worked: {one.idle_threads}"
        return None

    @property
    def python_laws(self) -> dict[str, dict[str, Any]]:
        """What laws in Python have cost so far: calls, seconds, digest of the class, file and digest."""
        from photocol.runs.laws import source_digest, source_file

        costs: dict[str, dict[str, Any]] = {}
        for name, calls, seconds in (law for one in self.finished for law in one.laws):
            known = {"source_sha256": source_digest(name), **(source_file(name) or {})}
            cost = costs.setdefault(name, {"calls": 0, "seconds": 0.0, **known})
            cost["calls"] += calls
            cost["seconds"] += seconds
        return costs

    def _saved(self) -> Result:
        with deferred():
            result = self.result()
            if self.out is not None:
                result.save(self.out, force=self._force)
                self.is_saved = True
        return result

    def _replicate(self, run: int, hops: int, progress: Progress | None) -> Replication:
        wall, cpu = time.perf_counter(), time.process_time()
        with self._captured(run) as pcap:
            simulation = _core.Simulation(self.scenario, self.seed, run, shuffle_ties=self.shuffle_ties, pcap=pcap)
            check_flows(pcap, simulation.flows)
            simulation.use_threads(self.threads)
            for now_s in self._advance(simulation):
                self._memory.check(now_s)
                if progress is not None:
                    total = hops + simulation.packet_hops
                    duration_s = self.scenario.duration_s
                    progress(Status(run=run, runs=self.runs, now_s=now_s, duration_s=duration_s, packet_hops=total))
            threads, idle = simulation.parallelism
            laws = simulation.laws
            results = simulation.finish()
        spent = (time.perf_counter() - wall, time.process_time() - cpu)
        return Replication(
            run=run, results=results, threads=threads, idle_threads=idle, wall_s=spent[0], cpu_s=spent[1], laws=laws
        )

    def _advance(self, simulation: _core.Simulation) -> Iterator[float]:
        """Run a replication; yields the simulated time several times a second."""
        return advance(simulation, self.scenario.duration_s)

    @contextlib.contextmanager
    def _captured(self, run: int) -> Iterator[tuple[Path, list[int], list[str]] | None]:
        if self._capture is None or run > 0:
            yield None
            return
        try:
            yield self._capture.unfinished, self._capture.flows, self._capture.links
        except _core.RunError as error:
            raise self._capture.named(error) from error
        self._capture.finish()

    @functools.cached_property
    def _digests(self) -> dict[str, str]:
        """Of the resolved scenario, and if it is known of what it is without the settings."""
        unset = {} if self._unset_sha256 is None else {storage.UNSET_DIGEST: self._unset_sha256}
        return {storage.DIGEST: digest(self.scenario.explain()), **unset}

    def _manifest(self) -> dict[str, Any]:
        runs = [_line(one) for one in self.finished]
        return {
            "photocol": "run",
            "version": _core.__version__,
            "build": builds.this_build(),
            "name": self.scenario.name,
            "command": self._command(),
            "set": self.settings,
            "started": self.started.isoformat(timespec="seconds"),
            "host": machine.described(),
            "seed": self.seed,
            "run": 0,
            "shuffle_ties": self.shuffle_ties,
            "threads": max(one.threads for one in self.finished),
            "fingerprint": joined([line["fingerprint"] for line in runs]),
            **{key: sum(line[key] for line in runs) for key in ("wall_s", "cpu_s", "events", "packet_hops")},
            "peak_memory_bytes": machine.peak_memory_bytes(),
            "runs": runs,
            "runs_requested": self.runs,
            **({"laws": self.python_laws} if any(one.laws for one in self.finished) else {}),
            **self._digests,
            "scenario": self.scenario.explain(),
            **({} if self._events is None else {"trace": self._events.note()}),
        }

    def _command(self) -> str:
        """What repeats the finished replications, in the directory of the results."""
        words = ["photocol", "run", "scenario.toml", "--seed", str(self.seed), "--runs", str(len(self.finished))]
        if self.shuffle_ties is not None:
            words += ["--shuffle-ties", str(self.shuffle_ties)]
        return shlex.join(words)


def run(
    scenario: ScenarioLike,
    *,
    seed: int | None = None,
    set: Mapping[str, Setting] | None = None,  # noqa: A002
    threads: int = 1,
    runs: int | None = None,
    out: str | PathLike[str] | None = None,
    pcap: str | PathLike[str] | Capture | None = None,
    progress: Progress | bool | None = None,
    shuffle_ties: int | None = None,
    force: bool = False,
) -> Result:
    """Run a scenario and return its results.

    Arguments:
        scenario: a path, TOML text, or the same thing as a dict.
        seed: instead of the scenario's; equal seeds give equal runs, to the last bit.
        set: dotted path → value, replaces what the scenario says: `{"link_defaults.buffer": "20 packets"}`; lists
            and dicts are values too.
        threads: at most this many work on each replication; the results are the same for any number, to the last bit.
        runs: replications 0 … runs-1 of the seed; the summary then has means with 95 % Student-t intervals.
        out: a directory to write; whole or not at all.
        pcap: a file for the packets of all flows, or a `Capture`.
        progress: True for a display on the terminal, or a function that is told the `Status` several times a second.
        shuffle_ties: permute simultaneous events with this number, to see how much their order matters.
        force: replace a finished run of another scenario in `out`; one of the same scenario is replaced anyway,
            whatever `set` says.

    Raises ScenarioError (the scenario is wrong), InputError (another argument is), RunError (the run failed). On
    Ctrl-C the replications that are finished are written to `out`, then KeyboardInterrupt goes on.
    """
    target = None if out is None else Path(out)
    capture = Capture(pcap) if isinstance(pcap, str | PathLike) else pcap
    loaded = load(scenario, set)
    for warning in loaded.warnings:
        warnings.warn(warning, stacklevel=2)
    if loaded.laws:
        announce(loaded.laws)
    execution = Execution(
        loaded,
        seed=seed,
        runs=runs,
        threads=threads,
        shuffle_ties=shuffle_ties,
        capture=capture,
        out=target,
        force=force,
        settings=set,
        unset_sha256=digest_without(scenario, set),
    )
    with _display(progress) as told:
        result = execution.complete(told)
    if execution.idle_threads is not None:
        warnings.warn(execution.idle_threads, stacklevel=2)
    return result


def advance(simulation: _core.Simulation, duration_s: float) -> Iterator[float]:
    """Run to the end in slices of about a tenth of a wall-clock second; yields the simulated time after each.

    A slice ends with a span of simulated time or with a number of events, whichever comes first, and what has ended it
    is adapted: a silent network may become a busy one at any time, and cheap events may give way to expensive ones.
    Raises RunError if simulated time stands still.
    """
    step, effort, now_s, at_once = duration_s / 1024, float(_FIRST_EVENTS), 0.0, 0
    while now_s < duration_s:
        before, before_s, until_s = time.perf_counter(), now_s, min(now_s + step, duration_s)
        simulation.advance(until_s, round(effort))
        now_s = simulation.now_s
        at_once = at_once + round(effort) if now_s == before_s else 0
        if at_once > _MOST_AT_ONCE:
            raise _core.RunError(f"it does not get past {now_s:.12g} s of simulated time; this is a bug in photocol")
        yield now_s
        ratio = min(max(_SLICE_S / max(time.perf_counter() - before, 1e-6), 0.25), 4.0)
        # The engine's time is whole picoseconds, and may be the nearest one below.
        if now_s < until_s * (1 - 1e-12) - 1e-12:
            effort = min(max(effort * ratio, _FIRST_EVENTS), _MOST_EVENTS)
        else:
            step *= ratio


def summarize(replications: Sequence[_core.Results]) -> Summary:
    """The figures of one replication as they are, of several as means with 95 % Student-t intervals."""
    values: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for results in replications:
        for name, value, unit in results.summary:
            values.setdefault(name, []).append(value)
            units[name] = unit
    if len(replications) == 1:
        return Summary({name: Figure(one[0], units[name]) for name, one in values.items()})
    return Summary({name: _mean(some, units[name]) for name, some in values.items()})


def in_memory(results: _core.Results, manifest: Mapping[str, Any]) -> Result:
    """What one replication has to say, also of one that goes on."""
    raw = [results]
    return Result(
        summary=summarize(raw),
        manifest=manifest,
        table=lambda name: _frame(raw, name),
        probes=lambda: {name: _frame(raw, name) for name in results.probes},
    )


def _mean(values: Sequence[float], unit: str) -> Figure:
    """Of those replications that have the figure."""
    from photocol.stats import mean_ci

    known = [value for value in values if math.isfinite(value)]
    if not known:
        return Figure(math.nan, unit, math.nan, 0, "no replication has it")
    interval = mean_ci(known, confidence=0.95)
    return Figure(interval.mean, unit, interval.half_width, interval.n, interval.method)


def _frame(replications: Sequence[_core.Results], name: str) -> pl.DataFrame:
    """One table of all replications; missing measurements are null."""
    import polars as pl

    if name not in (*TABLES, *replications[0].probes):
        raise InputError(f"no table {name!r}; there are: {', '.join(TABLES)}")
    frames = [
        pl.DataFrame([_series(key, column) for key, column in results.table(name).items()]) for results in replications
    ]
    return pl.concat(frames).with_columns(pl.col(pl.Float64).fill_nan(None))


def _series(name: str, column: _core._Column) -> pl.Series:
    import polars as pl

    if isinstance(column, tuple):
        names, places = column
        return pl.Series(name, names, pl.String).gather(places)
    return pl.Series(name, column, pl.String if isinstance(column, list) else None)


def _line(one: Replication) -> dict[str, Any]:
    counted = {key: getattr(one.results, key) for key in ("fingerprint", "events", "packet_hops")}
    return {"run": one.run, **counted, "wall_s": one.wall_s, "cpu_s": one.cpu_s}


@contextlib.contextmanager
def _display(progress: Progress | bool | None) -> Iterator[Progress | None]:
    if progress is True:
        from photocol.runs.progress import terminal

        with terminal() as told:
            yield told
    else:
        yield progress or None
