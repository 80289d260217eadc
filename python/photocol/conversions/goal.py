"""GOAL as text, LogGOPSim's graphs (spcl/LogGOPSim 76451de): sends, receives and computations of ranks.

`requires` waits for the end of another task, `irequires` for its beginning; without them everything may go at once. A
computation lasts so many nanoseconds on its processor. A message takes the first posted receive that fits in source and
tag (-1: any), as there; a send is done when its message has arrived and was taken, as in ATLAHS. The overheads of LogGP
are those of the simulated network; which network card is used (`nic`) is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.conversions.graphs import Graph, Task
from photocol.conversions.source import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.source import Source

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NEWLINES = re.compile(r"[^\n]")
_LABEL = r"(?:(?P<label>\w+)\s*:\s*)?"
_REST = r"(?:\s+tag\s+(?P<tag>-?\d+))?(?:\s+cpu\s+(?P<cpu>\d+))?(?:\s+nic\s+(?P<nic>\d+))?"
_SEND = re.compile(_LABEL + r"send\s+(?P<size>\d+)b\s+to\s+(?P<peer>\d+)" + _REST)
_RECV = re.compile(_LABEL + r"recv\s+(?P<size>\d+)b\s+from\s+(?P<peer>-1|\d+)" + _REST)
_CALC = re.compile(_LABEL + r"calc\s+(?P<time>\d+)(?:\s+cpu\s+(?P<cpu>\d+))?")
_NEED = re.compile(r"(?P<task>\w+)\s+(?P<how>i?requires)\s+(?P<other>\w+)")
_RANK = re.compile(r"rank\s+(\d+)\s*\{")
_MOST = 2**31 - 1
_PS_PER_NS = 1000
_ALLOWED = "send, recv, calc, requires, irequires or }"


def read(source: Source) -> Graph:
    """The graph of a GOAL text. Raises FileError."""
    reader = _Reader(source)
    for line, text in _statements(source):
        reader.take(line, text)
    return reader.done()


def _statements(source: Source) -> Iterator[tuple[int, str]]:
    """The lines without comments, and without those that are empty then."""
    plain = _COMMENT.sub(lambda match: _NEWLINES.sub(" ", match[0]), source.text)
    for number, line in enumerate(plain.split("\n"), 1):
        # A brace may stand on the line of a task.
        for part in re.split(r"(?<=\{)|(?=\})|(?<=\})", line):
            if stripped := part.strip():
                yield number, stripped


class _Reader:
    """Takes statements, one after the other."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.ranks: int | None = None
        self.rank: int | None = None
        self.labels: dict[str, Task] = {}
        self.tasks: list[Task] = []
        self.ignored = 0
        self.next_rank = 0

    def take(self, line: int, text: str) -> None:
        """A statement."""
        if self.ranks is None:
            words = text.split()
            if len(words) != 2 or words[0] != "num_ranks":
                self.source.wrong(line, f"found {shown(text)}; allowed: num_ranks N")
            self.ranks = self.source.whole(line, "num_ranks", words[1], 1, _MOST)
        elif self.rank is None:
            match = _RANK.fullmatch(text)
            if match is None:
                self.source.wrong(line, f"found {shown(text)}; allowed: rank N {{")
            self.rank = self.source.whole(line, "rank", match[1], self.next_rank, self.ranks - 1)
            self.labels = {}
        elif text == "}":
            self.next_rank, self.rank = self.rank + 1, None
        else:
            self._statement(line, text, self.rank)

    def _statement(self, line: int, text: str, rank: int) -> None:
        if match := _SEND.fullmatch(text):
            task = self._task(line, rank, match, "transfer")
            task.peer = self._peer(line, match["peer"])
            task.size = self.source.whole(line, "size", match["size"], 0, 2**60)
            task.tag = self._tag(line, match["tag"], 0)
            self.ignored += match["nic"] is not None
        elif match := _RECV.fullmatch(text):
            task = self._task(line, rank, match, "receive")
            task.peer = None if match["peer"] == "-1" else self._peer(line, match["peer"])
            task.tag = None if match["tag"] == "-1" else self._tag(line, match["tag"], 0)
            self.ignored += match["nic"] is not None
        elif match := _CALC.fullmatch(text):
            task = self._task(line, rank, match, "compute")
            task.time_ps = self.source.whole(line, "calc", match["time"], 0, 10**15) * _PS_PER_NS
            task.processor = self.source.whole(line, "cpu", match["cpu"] or "0", 0, _MOST)
        elif match := _NEED.fullmatch(text):
            waiting, other = (self._known(line, match[name]) for name in ("task", "other"))
            (waiting.after if match["how"] == "requires" else waiting.begun).append(other.name)
        else:
            self.source.wrong(line, f"found {shown(text)}; allowed: {_ALLOWED}")

    def _task(self, line: int, rank: int, match: re.Match[str], kind: str) -> Task:
        label = match["label"] or f"line-{line}"
        if label in self.labels:
            self.source.wrong(line, f"the label {label} is there already, in line {self.labels[label].line}")
        task = Task(name=f"r{rank}.{label}", kind=kind, rank=rank, line=line)
        self.labels[label] = task
        self.tasks.append(task)
        return task

    def _peer(self, line: int, text: str) -> int:
        return self.source.whole(line, "rank", text, 0, (self.ranks or 1) - 1)

    def _tag(self, line: int, text: str | None, usual: int) -> int:
        return self.source.whole(line, "tag", text or str(usual), 0, _MOST)

    def _known(self, line: int, label: str) -> Task:
        task = self.labels.get(label)
        if task is None:
            self.source.wrong(line, f"there is no label {label} above in this rank")
        return task

    def done(self) -> Graph:
        """All of it."""
        if self.rank is not None or self.ranks is None:
            last = self.source.text.count("\n") + 1
            self.source.wrong(last, "the file ends within a rank, or before num_ranks; allowed: } behind each rank")
        warnings = [f"network cards are left out, of tasks: {self.ignored}"] if self.ignored else []
        return Graph(tasks=self.tasks, ranks=self.ranks, warnings=warnings, done="arrived")
