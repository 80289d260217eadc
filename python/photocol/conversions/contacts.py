"""Contact plans: when which node reaches which, at what rate and with what delay.

Two forms: a table (start, end, from, to, rate, delay), and the commands of ION (`a contact`, `a range`), whose
rates are bytes a second and whose ranges are light seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from photocol.conversions.found import MOST, Contact, Found
from photocol.conversions.source import DELAY, RATE, TIME, cleaned, plain, shown
from photocol.conversions.table import Table

if TYPE_CHECKING:
    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_DATE = re.compile(r"\d{4}/\d{2}/\d{2}-\d{2}:\d{2}:\d{2}")
_BITS = 8


def read_csv(source: Source, choices: Choices) -> Found:
    """A table with titles: start, end, from, to, rate, delay. A contact is one direction."""
    found = Found(file=source.name, format="contacts")
    table = Table(source)
    for line, known in table.known():
        if len(found.contacts) == MOST:
            source.wrong(line, f"too many contacts; allowed: {MOST}")
        begin, end, start, target = table.needed(line, known, "start", "end", "source", "target")
        time = choices.unit("time_unit", known.get("start unit", "s"))
        rate = choices.unit("capacity_unit", known.get("capacity unit", "bps"))
        delay = choices.unit("delay_unit", known.get("delay unit", "s"))
        found.contacts.append(
            Contact(
                source=cleaned(start),
                target=cleaned(target),
                start_ps=source.quantity(line, "start", begin, time, TIME),
                end_ps=source.quantity(line, "end", end, choices.unit("time_unit", known.get("end unit", time)), TIME),
                bps=source.quantity(line, "rate", known["capacity"], rate, RATE) if known.get("capacity") else None,
                delay_ps=source.quantity(line, "delay", known["delay"], delay, DELAY) if known.get("delay") else None,
                two_way=choices.directed is False,
                line=line,
            )
        )
    return checked(source, found)


@dataclass(frozen=True)
class _Command:
    """`a contact` or `a range` of ION."""

    line: int
    kind: str
    times: tuple[str, str]
    ends: tuple[str, str]
    value: str


def read_ion(source: Source, _choices: Choices) -> Found:
    """ION's commands; those for other things are passed over. A range counts in both directions."""
    found = Found(file=source.name, format="ion")
    commands = list(_commands(source))
    dates = [time for command in commands for time in command.times if _DATE.fullmatch(time)]
    origin = min((_date(source, 1, date) for date in dates), default=0)
    ranges: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for command in commands:
        if command.kind == "range":
            span = [_time(source, command.line, time, origin) for time in command.times]
            light = source.quantity(command.line, "range", command.value, "s", DELAY)
            ranges.setdefault(_pair(command.ends), []).append((span[0], span[1], light))
    for command in commands:
        if command.kind == "contact":
            start, end = (_time(source, command.line, time, origin) for time in command.times)
            near = ranges.get(_pair(command.ends), [])
            away = next((seen for begin, stop, seen in near if begin <= start < stop), None)
            rate = plain(command.value)
            bits = str(rate * _BITS) if rate is not None and rate < 10**18 else command.value
            found.contacts.append(
                Contact(
                    source=command.ends[0],
                    target=command.ends[1],
                    start_ps=start,
                    end_ps=end,
                    bps=source.quantity(command.line, "rate", bits, "bps", RATE),
                    delay_ps=away,
                    line=command.line,
                )
            )
    return checked(source, found)


def _commands(source: Source) -> list[_Command]:
    found: list[_Command] = []
    for line, text in source.lines():
        words = text.split()
        if words[:1] != ["a"] or words[1:2] not in (["contact"], ["range"]):
            continue
        if len(words) < 7:
            source.wrong(line, f"found {shown(text)}; allowed: a {words[1]} start end from to value")
        if len(found) == MOST:
            source.wrong(line, f"too many contacts; allowed: {MOST}")
        ends = (cleaned(words[4]), cleaned(words[5]))
        found.append(_Command(line, words[1], (words[2], words[3]), ends, words[6]))
    return found


def _pair(ends: tuple[str, str]) -> tuple[str, str]:
    return (min(ends), max(ends))


def _time(source: Source, line: int, text: str, origin: int) -> int:
    """`+seconds`, or a date, of which the earliest of the file is 0."""
    if _DATE.fullmatch(text):
        text = str(_date(source, line, text) - origin)
    return source.quantity(line, "time", text.removeprefix("+"), "s", TIME)


def _date(source: Source, line: int, text: str) -> int:
    try:
        return int(datetime.strptime(text, "%Y/%m/%d-%H:%M:%S").replace(tzinfo=UTC).timestamp())
    except ValueError as error:
        source.wrong(line, f"found {shown(text)}; allowed: yyyy/mm/dd-hh:mm:ss ({error})")


def checked(source: Source, found: Found) -> Found:
    """The same, if every contact has two ends and lasts, and none of a link begins before the last one has ended."""
    last: dict[tuple[str, str], Contact] = {}
    for contact in sorted(found.contacts, key=lambda one: one.start_ps):
        if not contact.source or not contact.target or contact.source == contact.target:
            source.wrong(contact.line, "a contact needs two nodes; allowed: two names that differ")
        if contact.end_ps <= contact.start_ps:
            source.wrong(contact.line, "the contact ends before it starts; allowed: an end after the start")
        ends = (contact.source, contact.target)
        pair = _pair(ends) if contact.two_way else ends
        before = last.get(pair)
        if before is not None and before.end_ps > contact.start_ps:
            between = f"{contact.source} to {contact.target}"
            source.wrong(
                contact.line, f"the contact of {between} overlaps the one of line {before.line}; allowed: one at a time"
            )
        last[pair] = contact
    if not found.contacts:
        source.wrong(1, "there are no contacts; allowed: at least one")
    return found
