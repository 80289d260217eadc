"""Contacts as events: when links come and go, and what they are then. All of it is in this place.

A link passes packets in its contacts only. Between them it is down, and what waits is dropped; or it is paused at
8 bit/s, and what waits is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.conversions.found import MOST, Contact, Found
from photocol.conversions.writer import rate, time
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.network import Network

PAUSED = "8 bps"
"""The least rate: a packet takes minutes, and nothing that waits is dropped."""


def end_of(one: Found, choices: Choices) -> int:
    """When the contacts of a file end, all cycles together."""
    last = max((contact.end_ps for contact in one.contacts), default=0)
    return one.period_ps * choices.cycles if one.period_ps else last


def is_kept(one: Found, choices: Choices) -> bool:
    """Whether what waits between contacts is kept."""
    return one.keeps_queue if choices.between is None else choices.between == "pause"


def events(one: Found, network: Network, choices: Choices, end_ps: int) -> list[dict[str, Any]]:
    """The events of all contacts of a file before the end; links that change alike at once are one event."""
    lines: dict[tuple[str, str], list[Contact]] = {}
    for contact in one.contacts:
        forth, back = (contact.source, contact.target), (contact.target, contact.source)
        lines.setdefault(back if contact.two_way and back in lines else forth, []).append(contact)
    cycles = choices.cycles if one.period_ps else 1
    if 2 * cycles * len(one.contacts) > MOST:
        raise InputError(
            f"{one.file}: {cycles} cycles of {len(one.contacts)} contacts are too many; allowed: {MOST // 2} in all"
        )
    grouped: dict[tuple[int, tuple[tuple[str, str], ...]], list[str]] = {}
    for (source, target), contacts in lines.items():
        sign = "<->" if contacts[0].two_way else "->"
        steps = _repeated(sorted(contacts, key=lambda one: one.start_ps), one.period_ps or 0, cycles)
        for at, change in _changes(steps, network, choices, keeps=is_kept(one, choices)):
            if at < end_ps:
                grouped.setdefault((at, tuple(change.items())), []).append(f"{source}{sign}{target}")
    found = []
    for (at, values), names in sorted(grouped.items(), key=lambda group: group[0][0]):
        found.append({"at": time(at), "link": names[0] if len(names) == 1 else names, **dict(values)})
    return found


def _repeated(contacts: list[Contact], period: int, cycles: int) -> Iterator[tuple[int, int, Contact]]:
    """Start, end and values of each contact of a link, cycle after cycle; those that touch and are alike are one."""
    start, end, held = 0, 0, None
    for cycle in range(cycles):
        for contact in contacts:
            begin = contact.start_ps + cycle * period
            alike = held is not None and (held.bps, held.delay_ps) == (contact.bps, contact.delay_ps)
            if not alike or begin != end:
                if held is not None:
                    yield start, end, held
                start, held = begin, contact
            end = contact.end_ps + cycle * period
    if held is not None:
        yield start, end, held


def _changes(
    steps: Iterator[tuple[int, int, Contact]], network: Network, choices: Choices, *, keeps: bool
) -> Iterator[tuple[int, dict[str, str]]]:
    """The events of one link, which begins as it is in its first contact."""
    before = None
    is_away = False
    for start, end, contact in steps:
        values = {"capacity": rate(contact.bps) if contact.bps else choices.capacity}
        values["delay"] = time(contact.delay_ps) if contact.delay_ps else network.delay
        away_from = 0 if before is None else before[0]
        if away_from < start:
            yield away_from, {"capacity": PAUSED} if keeps else {"state": "down"}
            is_away = True
        old = values if before is None else before[1]
        change = {name: value for name, value in values.items() if old[name] != value}
        if is_away:
            change |= {"capacity": values["capacity"]} if keeps else {"state": "up"}
        if change:
            yield start, change
        is_away = False
        before = (end, values)
    if before is not None:
        yield before[0], {"capacity": PAUSED} if keeps else {"state": "down"}
