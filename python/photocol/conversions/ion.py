"""The contact plan of ION, from a whole ionrc file: ionrc(5) of nasa-jpl/ION-DTN.

Rates are bytes a second, ranges light seconds. Commands in order: `a`, `c` and `d` of contacts, `a` and `d` of ranges,
`@` for the time from which relative ones count. All others are passed over. docs/deviations.md has where this differs
from ION.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from heapq import heappop, heappush
from operator import itemgetter
from typing import TYPE_CHECKING

from photocol.conversions.contacts import checked
from photocol.conversions.found import MOST, Contact, Found
from photocol.conversions.network import listed
from photocol.conversions.source import DELAY, LATEST, RATE, TIME, cleaned, plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_DATE = re.compile(r"\d{4}/\d{2}/\d{2}-\d{2}:\d{2}:\d{2}")
_BITS = 8
_SECOND = 10**12
_MOST_SECONDS = Decimal(2**31)
"""Times of ION end in 2038."""
_WORDS = {"a": 7, "c": 6, "d": 5}
_FORMS = {"a": "a {} start end from to value", "c": "c {} start from to value", "d": "d {} start from to"}


@dataclass(frozen=True)
class _Span:
    """A contact or a range: its line, its times in ps, and bit/s or ps of light."""

    line: int
    start: int
    end: int
    value: int


@dataclass
class _Plan:
    """What the commands so far leave: spans by the two nodes and their start."""

    source: Source
    origin: int
    """The time 0 of the run, as seconds since the epoch: the earliest date of the file."""
    reference: int = 0
    """From here relative times count, in ps of the run."""
    is_said: bool = False
    """Whether a date has said the reference."""
    spans: dict[str, dict[tuple[str, str], dict[int, _Span]]] = field(
        default_factory=lambda: {"contact": {}, "range": {}}
    )
    count: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """What makes no link."""
    undated: str = ""
    """A relative time that counts from the earliest date, because no date behind `@` says another."""

    def obey(self, line: int, words: list[str]) -> None:
        """A command."""
        kind = words[1]
        if words[0] == "@":
            # "0" is the time at which the program began.
            self.reference = 0 if kind == "0" else self.time(line, kind)
            self.is_said = _DATE.fullmatch(kind) is not None or (self.is_said and kind != "0")
        elif len(words) < _WORDS[words[0]]:
            self.source.wrong(line, f"found {shown(' '.join(words))}; allowed: {_FORMS[words[0]].format(kind)}")
        else:
            {"a": self.add, "c": self.change, "d": self.delete}[words[0]](line, kind, words[2:])

    def time(self, line: int, text: str) -> int:
        """Picoseconds of the run: `+seconds` after the reference time, or a date."""
        if _DATE.fullmatch(text):
            return (_date(self.source, line, text) - self.origin) * _SECOND
        after = text.startswith("+")
        seconds = self.source.number(line, "time", text.removeprefix("+"), Decimal(0), _MOST_SECONDS)
        if after and self.origin and not self.is_said:
            self.undated = self.undated or text
        return int(seconds * _SECOND) + (self.reference if after else 0)

    def add(self, line: int, kind: str, words: list[str]) -> None:
        """`a contact start end from to rate`, `a range start end from to distance`."""
        ends = (cleaned(words[2]), cleaned(words[3]))
        if passed := _passed_over(kind, words, ends):
            self.left_out[passed] += 1
            return
        self.count += 1
        if self.count > MOST:
            self.source.wrong(line, f"too many contacts; allowed: {MOST}")
        start, end = (self.time(line, word) for word in words[:2])
        if end <= start:
            self.source.wrong(line, f"the {kind} ends before it starts; allowed: an end after the start")
        if kind == "contact" and end > LATEST * _SECOND:
            self.source.wrong(line, f"time: found {shown(words[1])}; allowed: {TIME.words}")
        span = _Span(line, start, end, self.value(line, kind, words[4]))
        before = self.spans[kind].setdefault(ends, {}).setdefault(start, span)
        # Of two ranges that begin at once ION takes the first; the same command again is one.
        if kind == "contact" and (before.end, before.value) != (span.end, span.value):
            between = f"{ends[0]} to {ends[1]}"
            self.source.wrong(
                line, f"the contact of {between} overlaps the one of line {before.line}; allowed: one at a time"
            )

    def value(self, line: int, kind: str, text: str) -> int:
        """Bit/s or picoseconds."""
        if kind == "range":
            return self.source.quantity(line, "range", text, "s", DELAY)
        rate = plain(text)
        bits = str(rate * _BITS) if rate is not None and rate < 10**18 else text
        return self.source.quantity(line, "rate", bits, "bps", RATE)

    def change(self, line: int, kind: str, words: list[str]) -> None:
        """`c contact start from to rate`."""
        start, known = self.time(line, words[0]), self.spans[kind].get((cleaned(words[1]), cleaned(words[2])), {})
        if start in known:
            known[start] = replace(known[start], value=self.value(line, kind, words[3]))

    def delete(self, line: int, kind: str, words: list[str]) -> None:
        """`d contact start from to`; `*` deletes all between the nodes."""
        known = self.spans[kind].get((cleaned(words[1]), cleaned(words[2])), {})
        if words[0] == "*":
            known.clear()
        elif words[0] not in ("-1", "0"):
            known.pop(self.time(line, words[0]), None)


def _passed_over(kind: str, words: list[str], ends: tuple[str, str]) -> str:
    """Why a contact or a range makes no link: ionrc(5), "Registration" and "Hypothetical"; and a node's with itself."""
    if kind == "contact" and words[0] == "-1":
        return "registrations"
    if kind == "contact" and words[1] == "0":
        return "hypothetical contacts"
    return f"{kind}s of a node with itself" if ends[0] == ends[1] else ""


def read_ion(source: Source, choices: Choices) -> Found:
    """The contacts that the commands leave, each with the delays of the ranges that hold in its time."""
    found = Found(file=source.name, format="ion")
    commands = list(_commands(source))
    dates = [_date(source, line, word) for line, words in commands for word in words if _DATE.fullmatch(word)]
    plan = _Plan(source, min(dates, default=0))
    for line, words in commands:
        plan.obey(line, words)
    for ends, spans in plan.spans["contact"].items():
        for span in spans.values():
            contact = Contact(source=ends[0], target=ends[1], start_ps=span.start, end_ps=span.end, bps=span.value)
            contact.two_way, contact.line = choices.directed is False, span.line
            found.contacts.append(contact)
    found.warnings = [f"left out, {what}: {count}" for what, count in plan.left_out.items()]
    if plan.undated:
        found.warnings.append(
            f"times such as {plan.undated} count from the earliest date: no date behind @ says another"
        )
    _cut(checked(source, found), plan)
    return found


def _commands(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Line and words of the commands that say something of contacts, ranges and the reference time."""
    for line, text in source.lines():
        words = text.split()
        is_of_a_plan = words[0] in ("a", "d") and words[1:2] in (["contact"], ["range"])
        if is_of_a_plan or words[:2] == ["c", "contact"] or (words[0] == "@" and len(words) > 1):
            yield line, words


def _cut(found: Found, plan: _Plan) -> None:
    """Gives contacts their delays. They are cut where ranges change, and do not overlap: so pieces are not many."""
    steps: dict[tuple[str, str], list[tuple[int, int | None]]] = {}
    pieces: list[Contact] = []
    unknown: dict[str, None] = {}
    for contact in found.contacts:
        ends = (contact.source, contact.target)
        if ends not in steps:
            steps[ends] = _steps(plan.spans["range"], ends)
        known = steps[ends]
        first = bisect_right(known, contact.start_ps, key=itemgetter(0)) - 1
        last = bisect_left(known, contact.end_ps, key=itemgetter(0))
        for place in range(first, last):
            start = max(contact.start_ps, known[place][0])
            end = known[place + 1][0] if place + 1 < last else contact.end_ps
            pieces.append(replace(contact, start_ps=start, end_ps=end, delay_ps=known[place][1]))
            if known[place][1] is None:
                unknown[f"{contact.source}->{contact.target}"] = None
    if unknown:
        found.warnings.append(
            f"no range says the delay of contacts, or of a part ({len(unknown)}): {listed([*unknown])}"
        )
    found.contacts = pieces


def _steps(
    ranges: Mapping[tuple[str, str], Mapping[int, _Span]], ends: tuple[str, str]
) -> list[tuple[int, int | None]]:
    """From when on which distance holds, from the beginning; nothing where none is said.

    A range from the smaller number to the greater holds for the way back too, unless one for that is said. Of names
    that are no numbers each does.
    """
    back = ends[::-1]
    spans = [(0, span) for span in ranges.get(ends, {}).values()]
    spans += [(1, span) for span in ranges.get(back, {}).values()] if _implies(back) else []
    spans.sort(key=lambda one: one[1].start)
    steps: list[tuple[int, int | None]] = [(-1, None)]
    holding: list[tuple[int, int, int, int]] = []
    place = 0
    for time in sorted({time for _, span in spans for time in (span.start, span.end)}):
        while place < len(spans) and spans[place][1].start <= time:
            way, span = spans[place]
            heappush(holding, (way, span.line, span.end, span.value))
            place += 1
        while holding and holding[0][2] <= time:
            heappop(holding)
        steps.append((time, holding[0][3] if holding else None))
    return steps


def _implies(ends: tuple[str, str]) -> bool:
    if all(end.isascii() and end.isdigit() and len(end) < 20 for end in ends):
        return int(ends[0]) < int(ends[1])
    return True


def _date(source: Source, line: int, text: str) -> int:
    try:
        return int(datetime.strptime(text, "%Y/%m/%d-%H:%M:%S").replace(tzinfo=UTC).timestamp())
    except ValueError as error:
        source.wrong(line, f"found {shown(text)}; allowed: yyyy/mm/dd-hh:mm:ss ({error})")
