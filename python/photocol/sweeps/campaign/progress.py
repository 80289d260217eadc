"""How far a campaign is: a bar on a terminal, elsewhere a line a minute on standard error."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from photocol.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_EVERY_S = 60.0


@dataclass
class Progress:
    """Counts jobs, and speaks of them."""

    is_quiet: bool = False
    total: int = 0
    done: int = 0
    _started: float = field(default_factory=time.monotonic)

    def expect(self, jobs: int) -> None:
        """Add jobs to those that are to be done."""
        self.total += jobs

    def advance(self) -> None:
        """One more is done."""
        self.done += 1

    def say(self, sentence: str) -> None:
        """Something that has to be known at once."""
        sys.stderr.write(f"photocol: {shown(sentence)}\n")
        sys.stderr.flush()

    def line(self) -> str:
        """How many are done, and how long the rest will take if it goes on as it went."""
        spent = time.monotonic() - self._started
        left = f", about {duration(spent * (self.total - self.done) / self.done)} left" if self.done else ""
        return f"{self.done} of {self.total} runs in {duration(spent)}{left}"

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """In the block, progress is visible unless this is quiet."""
        if self.is_quiet:
            yield
        elif sys.stderr.isatty():
            with self._bar():
                yield
        else:
            with self._lines():
                yield

    @contextlib.contextmanager
    def _lines(self) -> Iterator[None]:
        stopped = threading.Event()

        def speak() -> None:
            while not stopped.wait(LINE_EVERY_S):
                self.say(self.line())

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    @contextlib.contextmanager
    def _bar(self) -> Iterator[None]:
        """The same as a line that is written over several times a second, and of which nothing remains."""
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(
            get_renderable=lambda: Text(self.line()),
            console=Console(stderr=True),
            refresh_per_second=4,
            transient=True,
        ):
            yield


def duration(seconds: float) -> str:
    """A span of time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"
