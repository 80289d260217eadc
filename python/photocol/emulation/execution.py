"""A run in real time: hosts with kernels of their own send over the simulated network."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol import _core
from photocol.emulation.commands import Command, starts
from photocol.errors import InputError
from photocol.runs.runner import Execution
from photocol.runs.scenario import load
from photocol.runs.signals import noticed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike

    from photocol.runs.results import Result
    from photocol.runs.scenario import ScenarioLike, Setting

_TURN_S = 0.1
"""Wall-clock time after which an emulation looks up."""
RECORDING, REPLAY, REPORT = "recording.csv", "replay.toml", "emulation.json"
WORST_SHARE = 0.01
"""With a greater share of packets that were more than a millisecond late, results are not to be trusted."""
_WHY = "real hosts send when their kernels like, and nothing was recorded"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How hosts are emulated.

    Attributes:
        law: the window law of connections, unless a program asks for another; the kernel's own by default.
        slower: so many seconds of the clock are one of the network.
        spins: never sleep, which wakes up sooner and costs a core.
        most_lag_s: end when the network is this many seconds of the clock behind.
        most_bytes: of packets that may be in the network at once.
        is_strict: refuse a scenario that has flows from or to a real host, which are left out otherwise.
        records: keep a recording of what enters.
    """

    law: str | None = None
    slower: float = 1.0
    spins: bool = False
    most_lag_s: float = 1.0
    most_bytes: int = 1 << 30
    is_strict: bool = False
    records: bool = False


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A command and how it has ended."""

    command: Command
    status: int | str
    """Its exit status, 128 and the number of a signal; or "running" or "not begun"."""
    output: str
    """The end of what it has written."""


@dataclass(frozen=True, kw_only=True)
class Emulated:
    """What an emulation has found besides the results of its run."""

    hosts: Sequence[Mapping[str, Any]]
    """Of each: name, address, packets and bytes sent and received, what was marked, dropped or for nobody, lateness."""
    lateness: Mapping[str, Any]
    """How late packets were given to hosts, in microseconds; `late` counts those of more than a millisecond. The
    histogram has pairs: microseconds at most, and packets."""
    ended_s: float
    """Simulated time at its end."""
    why: str
    """Why it ended."""
    is_real_time: bool
    """Whether the thread had real-time priority."""
    left_out: int
    """Flows of the scenario that begin or end at a real host."""
    commands: Sequence[Ended]

    @property
    def gave_up(self) -> bool:
        """Whether the network was too far behind to go on."""
        return self.why not in ("finished", "at end", "interrupted")

    @property
    def late_share(self) -> float:
        """The share of packets that were more than a millisecond late."""
        return float(self.lateness["late"] / max(self.lateness["count"], 1))

    @property
    def is_trustworthy(self) -> bool:
        """Whether it kept up: at most 1 % of the packets were late."""
        return self.late_share <= WORST_SHARE

    def verdict(self) -> str:
        """One sentence on how far the network kept up."""
        late = self.lateness
        if not late["count"]:
            return "no packet has reached a host"
        times = f"median {late['p50_us']:.0f} us, 99 % {late['p99_us']:.0f} us, worst {late['worst_us']:.0f} us"
        if self.is_trustworthy:
            return f"kept up: {self.late_share:.2%} of packets left more than 1 ms late; {times}"
        share = f"{self.late_share:.1%} of packets left more than 1 ms late"
        return f"fell behind: {share}; results are not to be trusted; {times}"

    def to_dict(self) -> dict[str, Any]:
        """The contents of emulation.json."""
        commands = [
            {"host": one.command.host, "command": one.command.words, "status": one.status} for one in self.commands
        ]
        return {
            "hosts": [dict(host) for host in self.hosts],
            "lateness": dict(self.lateness),
            "ended_s": self.ended_s,
            "why": self.why,
            "is_real_time": self.is_real_time,
            "left_out": self.left_out,
            "verdict": self.verdict(),
            "commands": commands,
        }


class EmulatedExecution(Execution):
    """The execution of a scenario with `[external]` hosts, once, in real time.

    Ctrl-C ends it, and what it has is its result.
    """

    def __init__(
        self,
        scenario: _core.Scenario,
        commands: Sequence[Command] = (),
        *,
        how: Settings | None = None,
        announce: Callable[[_core.Emulation], None] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(scenario, runs=1, **options)
        if scenario.external is None:
            raise InputError("the scenario has no real hosts; name them with --real, or in [external]")
        self._hosts, self._mtu = scenario.external
        self._how = how or Settings()
        self._commands = list(commands)
        self._announce = announce
        self.emulated: Emulated | None = None
        self._folder = self._make_folder()

    def close(self) -> None:
        """Remove what is not in the results."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make_folder(self) -> Path:
        """Where files are until the results are written, on the same file system."""
        if self.out is None:
            return Path(tempfile.mkdtemp(prefix="photocol-"))
        beside = self.out.absolute()
        beside.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{beside.name}.{os.getpid()}.", suffix=".unfinished", dir=beside.parent))

    def _advance(self, simulation: _core.Simulation) -> Iterator[float]:
        if self._how.is_strict and simulation.left_out:
            flows = f"{simulation.left_out} flows of the scenario begin or end at a real host"
            raise InputError(f"{flows}; allowed with --strict: none")
        how = asdict(self._how)
        recording = self._folder / RECORDING if how["records"] else None
        emulation = _core.Emulation(self._hosts, {**how, "mtu": self._mtu, "recording": recording})
        addresses = {name: (v4, v6) for name, v4, v6, _ in emulation.hosts}
        outputs = [self._folder / f"command-{k}-{one.host}.txt" for k, one in enumerate(self._commands)]
        for one, at_s, output in zip(self._commands, starts(self._commands), outputs, strict=True):
            emulation.add_command(self._hosts.index(one.host), at_s, one.addressed(addresses), output)
            output.touch()
        if self._announce is not None:
            self._announce(emulation)
        why, behind_s = "over", 0.0
        with noticed() as came:
            while why == "over" and not came:
                why, behind_s = emulation.turn(simulation, _TURN_S)
                yield simulation.now_s
        if why == "behind":
            why = f"the network is {behind_s:.2f} s behind the clock, more than --max-lag"
        elif why == "over":
            why = "interrupted"
        self.emulated = self._found(emulation, simulation, why, outputs)
        self._write(self.emulated)

    def _found(
        self, emulation: _core.Emulation, simulation: _core.Simulation, why: str, outputs: Sequence[Path]
    ) -> Emulated:
        ended = [
            Ended(command=command, status=status, output=_tail(output))
            for command, status, output in zip(self._commands, emulation.ended, outputs, strict=True)
        ]
        known = zip(emulation.hosts, emulation.counts, emulation.lateness_of_hosts, strict=True)
        hosts = [
            {"host": name, "address": v4, "address6": v6, **counts, "lateness": lateness}
            for (name, v4, v6, _), counts, lateness in known
        ]
        return Emulated(
            hosts=hosts,
            lateness=emulation.lateness,
            ended_s=simulation.now_s,
            why=why,
            is_real_time=emulation.is_real_time,
            left_out=simulation.left_out,
            commands=ended,
        )

    def _write(self, found: Emulated) -> None:
        text = json.dumps(found.to_dict(), indent=1, ensure_ascii=False) + "\n"
        (self._folder / REPORT).write_text(text, encoding="utf-8")
        if self._how.records:
            lines = ['extends = "scenario.toml"', f"run.seed = {self.seed}"]
            lines += [f'{key} = "{value}"' for key, value in _replay(found).items()]
            (self._folder / REPLAY).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _more_files(self) -> dict[str, Path]:
        return {file.name: file for file in sorted(self._folder.iterdir())}

    def _manifest(self) -> dict[str, Any]:
        assert self.emulated is not None, "a run that is complete has been emulated"
        more: dict[str, Any] = {"emulation": self.emulated.to_dict(), "repeatable": self._how.records}
        if self._how.records:
            return {
                **super()._manifest(),
                **more,
                "command": f"photocol run {REPLAY}",
                "replay": _replay(self.emulated),
            }
        return {**super()._manifest(), **more, "why_not_repeatable": _WHY}


def _replay(found: Emulated) -> dict[str, str]:
    """What repeats the run, as settings of its scenario."""
    end_ps = round(found.ended_s * 1e12)
    return {"run.duration": f"{end_ps} ps", "run.warm_up": "0 s", "external.recording": RECORDING}


def emulate(
    scenario: ScenarioLike,
    commands: Sequence[str] = (),
    *,
    real: Sequence[str] = (),
    set: Mapping[str, Setting] | None = None,  # noqa: A002
    how: Settings | None = None,
    seed: int | None = None,
    out: str | PathLike[str] | None = None,
) -> tuple[Result, Emulated]:
    """Run a scenario in real time with real hosts: the results of the run, and what was found of the hosts.

    Arguments:
        scenario: as `photocol.run` takes it.
        commands: as `--run` has them, such as `"l0: iperf3 -c {r0}"`; it ends with the last of them.
        real: the nodes that are real; by default those of `[external]`.
        set: dotted path → value, as in `photocol.run`.
        how: slower, records and others.
        seed: of the simulated traffic.
        out: a directory to write.

    Raises ScenarioError, InputError, and OSError where there can be no network namespaces.
    """
    settings = {**(set or {}), **({"external.hosts": list(real)} if real else {})}
    loaded = load(scenario, settings)
    target = None if out is None else Path(out)
    parsed = commands_of(loaded, commands)
    return carry_out(EmulatedExecution(loaded, parsed, how=how, seed=seed, out=target, settings=settings))


def commands_of(scenario: _core.Scenario, texts: Sequence[str]) -> list[Command]:
    """The commands of texts, at the real hosts of a scenario. Raises InputError if there is no such host."""
    hosts = [] if scenario.external is None else scenario.external[0]
    return [Command.parse(text, hosts) for text in texts]


def carry_out(execution: EmulatedExecution) -> tuple[Result, Emulated]:
    """The results of the run, and what was found of the hosts."""
    try:
        result = execution.complete()
    finally:
        execution.close()
    found = execution.emulated
    assert found is not None, "a run that is complete has been emulated"
    return result, found


_TAIL = 4096
"""Bytes of a command's output that are kept in memory."""


def _tail(file: Path) -> str:
    """The end of a text."""
    with file.open("rb") as content:
        content.seek(0, 2)
        content.seek(max(content.tell() - _TAIL, 0))
        return content.read().decode("utf-8", errors="replace")
