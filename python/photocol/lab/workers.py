"""Processes that simulate for the page: lent for one request, stopped when the page has moved on, ended at a limit.

A run of the lab has limits, for nobody watches it: of memory, of wall-clock time, and of silence. A process that does
not heed them is killed, and another takes its place.
"""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol import children

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_END = {"kind": "gone"}
_MOST_WAITING = 4
_STOPS_WITHIN_S = 0.4
_KILLED_AFTER_S = 1.0
"""A process that was told to stop and has not is killed."""
_WITHOUT_MEMORY = tuple(-getattr(signal, name) for name in ("SIGABRT", "SIGKILL") if hasattr(signal, name))
"""How a process ends that the system or its own allocator refuses memory."""


@dataclass(frozen=True)
class Limits:
    """What a run of the lab may take."""

    memory_bytes: int = 2 << 30
    wall_s: float = 120.0
    silence_s: float = 20.0
    """A process says something at least so often, but for the time in which it sets the network up."""
    processes: int = 3
    """At work at once: two tabs, and one that stops."""


class Worker:
    """One process."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        """A process that lays down what it needs for a while in `folder`, which others remove."""
        self._limits = limits
        self._process = subprocess.Popen(
            children.command("photocol.lab.worker", str(limits.memory_bytes), str(limits.wall_s), str(folder)),
            env=children.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C of the terminal is for the server, which ends this one.
            start_new_session=True,
        )
        # A page that does not keep up holds the run back; nothing is kept for it.
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue(maxsize=_MOST_WAITING)
        self._number = 0
        self._stopped_at: float | None = None
        self._is_asked = False
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The messages that answer a request, the last of which ends it."""
        self._number += 1
        self._stopped_at, self._is_asked = None, True
        self._say({**request, "number": self._number})
        yield from self._answers()

    def settle(self) -> None:
        """Wait until it does nothing; what it still does is given up."""
        if self._is_asked:
            self.stop()
            for _ in self._answers():
                pass

    def _answers(self) -> Iterator[dict[str, Any]]:
        heard_at = time.monotonic()
        while self._is_asked:
            message = self._next(heard_at)
            if message is _END:
                self._is_asked = False
                yield self._obituary(heard_at)
            elif message is not None and message.pop("number", None) == self._number:
                heard_at = time.monotonic()
                self._is_asked = not message.pop("is_last", False)
                yield message

    def _next(self, heard_at: float) -> dict[str, Any] | None:
        """A message; None if there was none for a moment. Kills a process that has been silent for too long."""
        now = time.monotonic()
        is_late = self._stopped_at is not None and now > self._stopped_at + _KILLED_AFTER_S
        if is_late or now > heard_at + self._limits.silence_s:
            self.kill()
        with contextlib.suppress(queue.Empty):
            return self._heard.get(timeout=0.2)
        return None if self._reader.is_alive() else _END

    def _obituary(self, heard_at: float) -> dict[str, Any]:
        """Why it is gone, as far as that is known."""
        # Its last word may come before its end.
        try:
            status = self._process.wait(_KILLED_AFTER_S)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        if self._stopped_at is not None:
            return {"kind": "stopped"}
        if time.monotonic() > heard_at + self._limits.silence_s:
            why = f"nothing came of it for {self._limits.silence_s:g} s, so it was ended"
        else:
            why = _end(status, self._limits)
        return {"kind": "failed", "sentence": f"The run failed: {why}."}

    def stop(self) -> None:
        """Give up what it does."""
        self._stopped_at = time.monotonic()
        self._say({"stop": self._number})

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, and leave nothing open."""
        self.kill()
        while self._reader.is_alive():
            with contextlib.suppress(queue.Empty):
                self._heard.get_nowait()
            self._reader.join(timeout=0.01)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                self._heard.put(json.loads(line))
        self._heard.put(_END)


def _end(status: int | None, limits: Limits) -> str:
    """How a process ended that was not told to."""
    if status is None:
        return "its process said nothing more"
    if status >= 0:
        return f"its process ended with exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    memory = f"; most likely it needed more than the {limits.memory_bytes / 1e9:.2g} GB that a run of the lab may take"
    return f"its process was ended by {name}{memory if status in _WITHOUT_MEMORY else ''}"


class Workers:
    """All processes of a server."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits = limits
        self.folder = folder
        self._idle: list[Worker] = []
        self._busy: dict[Worker, str] = {}
        self._is_closed = False
        self._changed = threading.Condition()

    def warm_up(self) -> None:
        """Start one before it is needed: the first answer is sooner."""
        worker = Worker(self.limits, self.folder)
        with self._changed:
            self._busy[worker] = ""
        self._back(worker)

    @contextlib.contextmanager
    def lent(self, who: str, patience_s: float = 10.0) -> Iterator[Worker | None]:
        """A process for this block; what the same page asked before is given up. None if all are at work."""
        self.give_up(who)
        worker = self._taken(who, patience_s)
        try:
            yield worker
        finally:
            if worker is not None:
                self._back(worker)

    def give_up(self, who: str) -> None:
        """Stop what is done for this page."""
        with self._changed:
            running = [worker for worker, whose in self._busy.items() if whose == who]
        for worker in running:
            worker.stop()

    def close(self) -> None:
        """End all of them."""
        with self._changed:
            self._is_closed = True
            every = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in every:
            worker.close()

    def _taken(self, who: str, patience_s: float) -> Worker | None:
        begun = time.monotonic()
        end = begun + patience_s
        with self._changed:
            while not self._is_closed:
                for worker in [one for one in self._idle if not one.is_alive]:
                    self._idle.remove(worker)
                    worker.close()
                # One that has just been stopped is sooner at hand than another has started.
                is_coming = who in self._busy.values() and time.monotonic() < begun + _STOPS_WITHIN_S
                if is_coming and not self._idle:
                    self._changed.wait(_STOPS_WITHIN_S)
                elif self._idle or len(self._busy) < self.limits.processes:
                    worker = self._idle.pop() if self._idle else Worker(self.limits, self.folder)
                    self._busy[worker] = who
                    return worker
                elif not self._changed.wait(end - time.monotonic()):
                    return None
        return None

    def _back(self, worker: Worker) -> None:
        worker.settle()
        with self._changed:
            self._busy.pop(worker, None)
            if worker.is_alive and not self._is_closed:
                self._idle.append(worker)
            else:
                worker.close()
            self._changed.notify_all()
