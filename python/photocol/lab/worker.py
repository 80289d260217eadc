"""A process that simulates for the page: requests come as lines of JSON, and answers go as such.

It ends when its input does, so that none is left behind whatever becomes of the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import tempfile
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, TextIO

from photocol import _core
from photocol.errors import InputError, failure
from photocol.lab import answers, controls, share, toml_text
from photocol.quantity import readable
from photocol.runs import laws, machine
from photocol.runs.runner import Execution
from photocol.runs.scenario import ScenarioText, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FIRST_S = 0.03
"""Wall-clock time of the first slice: what is drawn first must come at once."""
_LONGEST_S = 0.6
_GROWTH = 1.6
"""Each slice takes longer than the one before: the pictures of all of it are a part of the time."""
_TURN_S = 0.03
"""So often a run looks up whether it is still wanted."""
_SIGN_S = 1.0
_FIRST_EVENTS = 1 << 13
_MOST_AT_ONCE = 1 << 28
"""Events of one instant, far more than a scenario of the lab can have."""


class StoppedError(Exception):
    """The page has moved on."""


class LimitError(Exception):
    """A limit of the lab, as a sentence."""


class Desk:
    """What comes in and what goes out."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._asked: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._stopped = 0

    def read(self) -> None:
        """Read to the end of the input, and end the process with it."""
        for line in sys.stdin:
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if "stop" in message:
                    self._stopped = max(self._stopped, message["stop"])
                else:
                    self._asked.put(message)
        # The other thread may be deep in the engine.
        os._exit(0)

    def next(self) -> dict[str, Any]:
        """The next request."""
        return self._asked.get()

    def is_stopped(self, number: int) -> bool:
        """Whether nobody waits for this any more."""
        return self._stopped >= number

    def say(self, number: int, message: Mapping[str, Any], *, is_last: bool = False) -> None:
        """A line of JSON."""
        line = json.dumps({"number": number, "is_last": is_last, **message}, allow_nan=False, separators=(",", ":"))
        self._out.write(f"{line}\n")
        self._out.flush()


class Work:
    """One request at work."""

    def __init__(self, request: Mapping[str, Any], desk: Desk, *, memory_bytes: int, wall_s: float) -> None:
        self.request = request
        self.desk = desk
        self.memory_bytes = memory_bytes
        self.wall_s = wall_s
        self.began = self._said_at = time.monotonic()

    def answers(self) -> Iterator[dict[str, Any]]:
        """What the request is answered by."""
        kinds = {"check": self._check, "run": self._run, "share": self._share, "command": self._command}
        yield from kinds[self.request["do"]]()

    def _text(self) -> str:
        """The text with what the controls have changed in it."""
        text = str(self.request["text"])
        for path, value in self.request.get("set", ()):
            text = toml_text.with_value(text, str(path), value)
        return text

    def _source(self, text: str) -> ScenarioText:
        return ScenarioText(text, str(self.request["folder"]), str(self.request["name"]))

    def _check(self) -> Iterator[dict[str, Any]]:
        text = self._text()
        loaded = load(self._source(text))
        yield {**answers.known(loaded, text), "controls": controls.of(text, loaded.explain())}

    def _run(self) -> Iterator[dict[str, Any]]:
        text = self._text()
        loaded = load(self._source(text))
        # With them, a page that opens needs one process only.
        more = {"controls": controls.of(text, loaded.explain())} if self.request.get("controls") else {}
        yield {**answers.known(loaded, text), **more}
        if (asked := self._unseen_laws(loaded)) is not None:
            yield asked
            return
        self._check_memory(loaded)
        with laws.only(self.request.get("allowed") or {}):
            yield from self._simulate(load(self._source(text), answers.probes(text, loaded)))

    def _simulate(self, scenario: _core.Scenario) -> Iterator[dict[str, Any]]:
        simulation = _core.Simulation(scenario, scenario.seed, 0)
        picture = answers.Picture(scenario)
        for is_over in self._slices(simulation, scenario.duration_s):
            if not is_over:
                yield {"kind": "so far", **picture.of(simulation.so_far(), simulation.now_s)}
        results = simulation.finish()
        end = picture.of(results, scenario.duration_s, is_over=True)
        yield {"kind": "end", **end, "fingerprint": results.fingerprint}

    def _slices(self, simulation: _core.Simulation, duration_s: float) -> Iterator[bool]:
        """Run to the end; comes back whenever a picture is due, and says whether it is over."""
        watch = machine.MemoryWatch(self.memory_bytes)
        slice_s, effort, at_once = _FIRST_S, float(_FIRST_EVENTS), 0
        due = time.monotonic() + slice_s
        while simulation.now_s < duration_s * (1 - 1e-12):
            before, before_s = time.monotonic(), simulation.now_s
            simulation.advance(duration_s, round(effort))
            self._check_limits(simulation.now_s, watch)
            at_once = at_once + round(effort) if simulation.now_s == before_s else 0
            if at_once > _MOST_AT_ONCE:
                raise LimitError(f"it does not get past {before_s:.9g} s of simulated time")
            now = time.monotonic()
            effort = max(_FIRST_EVENTS, effort * min(max(_TURN_S / max(now - before, 1e-6), 0.25), 4.0))
            if now >= due:
                yield False
                slice_s = min(slice_s * _GROWTH, _LONGEST_S)
                due = time.monotonic() + slice_s
        yield True

    def _still_at_it(self, now_s: float, watch: machine.MemoryWatch) -> None:
        """The same of a run that is not drawn: a sign of life now and then."""
        self._check_limits(now_s, watch)
        if time.monotonic() > self._said_at + _SIGN_S:
            self._said_at = time.monotonic()
            self.desk.say(self.request["number"], {"kind": "busy", "now_s": now_s})

    def _check_limits(self, now_s: float, watch: machine.MemoryWatch) -> None:
        """Raise StoppedError or LimitError."""
        if self.desk.is_stopped(self.request["number"]):
            raise StoppedError
        if time.monotonic() > self.began + self.wall_s:
            raise LimitError(
                f"a run of the lab may take {self.wall_s:g} s, and this one is at {readable(now_s, 's')} of simulated "
                "time; the command that is copied below has no such limit"
            )
        try:
            watch.check(now_s)
        except _core.RunError:
            raise LimitError(self._of_memory(f"this one has taken that by {readable(now_s, 's')}")) from None

    def _check_memory(self, loaded: _core.Scenario) -> None:
        if loaded.least_memory_bytes > self.memory_bytes:
            needs = readable(float(loaded.least_memory_bytes), "B")
            raise LimitError(self._of_memory(f"this one is sure to need {needs}"))

    def _of_memory(self, why: str) -> str:
        return f"a run of the lab may take {readable(float(self.memory_bytes), 'B')} of memory, and {why}"

    def _unseen_laws(self, loaded: _core.Scenario) -> dict[str, Any] | None:
        """The files of laws that a person has not been shown as they are now."""
        if not loaded.laws:
            return None
        allowed = self.request.get("allowed") or {}
        files = laws.shown_before(loaded.laws)
        unseen = {file: digest for file, digest in files.items() if allowed.get(file) != digest}
        if not unseen:
            return None
        return {"kind": "laws", "files": [answers.shown_file(file, digest) for file, digest in unseen.items()]}

    def _command(self) -> Iterator[dict[str, Any]]:
        source = None if self.request.get("source") is None else str(self.request["source"])
        text, base = self._text(), str(self.request["base"])
        yield {"kind": "command", "command": share.command(source, str(self.request["folder"]), base, text)}

    def _share(self) -> Iterator[dict[str, Any]]:
        text = self._text()
        loaded = load(self._source(text))
        if (asked := self._unseen_laws(loaded)) is not None:
            yield asked
            return
        self._check_memory(loaded)
        watch = machine.MemoryWatch(self.memory_bytes)
        with laws.only(self.request.get("allowed") or {}):
            drawn = load(self._source(text), answers.probes(text, loaded))
            execution = Execution(drawn, runs=1)
            execution.carry_out(lambda status: self._still_at_it(status.now_s, watch))
            yield {"kind": "file", **share.packed(execution.result(), text, str(self.request["base"]), loaded.name)}


def answer(request: Mapping[str, Any], desk: Desk, *, memory_bytes: int, wall_s: float) -> None:
    """Answer one request, whatever becomes of it."""
    number = request["number"]
    last: dict[str, Any] = {"kind": "done"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for message in Work(request, desk, memory_bytes=memory_bytes, wall_s=wall_s).answers():
                desk.say(number, message)
    except StoppedError:
        last = {"kind": "stopped"}
    except LimitError as limit:
        last = {"kind": "failed", "sentence": f"The run was stopped: {limit}."}
    except _core.ScenarioError as error:
        keys = ("file", "line", "column", "key", "message")
        last = {"kind": "wrong", "error": {key: getattr(error, key) for key in keys}, "text": request["text"]}
    except (InputError, _core.RunError) as error:
        last = {"kind": "failed", "sentence": f"The run failed: {error}"}
    except OSError as error:
        last = {"kind": "failed", "sentence": f"The run failed: {failure(error)}"}
    except MemoryError:
        last = {"kind": "failed", "sentence": "The run failed: there is not enough memory."}
    desk.say(number, last, is_last=True)


def bound_memory(more_bytes: int) -> None:
    """From here on this process can have so much more memory; an allocation beyond that ends it."""
    if sys.platform != "linux":
        return
    import resource
    from pathlib import Path

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + more_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer requests until there are no more."""
    memory_bytes, wall_s = int(sys.argv[1]), float(sys.argv[2])
    # The server removes it, however this process ends.
    tempfile.tempdir = sys.argv[3]
    # What a law prints is for the terminal, not for the page.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    desk = Desk(out)
    threading.Thread(target=desk.read, daemon=True).start()
    answers.warm_up()
    # A little more than is allowed: the limit that can say a sentence comes first.
    bound_memory(memory_bytes + memory_bytes // 2)
    while True:
        answer(desk.next(), desk, memory_bytes=memory_bytes, wall_s=wall_s)


if __name__ == "__main__":
    main()
