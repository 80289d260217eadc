"""Contact plans as tables: when which node reaches which, at what rate and with what delay. Those of ION are beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.found import MOST, Contact, Found
from photocol.conversions.source import DELAY, RATE, TIME, cleaned
from photocol.conversions.table import Table

if TYPE_CHECKING:
    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source


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


def checked(source: Source, found: Found) -> Found:
    """The same, if every contact has two ends and lasts, and none of a link begins before the last one has ended."""
    last: dict[tuple[str, str], Contact] = {}
    alone = [one for one in found.contacts if one.source == one.target]
    if alone and len(alone) < len(found.contacts):
        found.contacts = [one for one in found.contacts if one.source != one.target]
        found.warnings.append(f"left out, contacts of a node with itself: {len(alone)}")
    for contact in sorted(found.contacts, key=lambda one: one.start_ps):
        if not contact.source or not contact.target or contact.source == contact.target:
            source.wrong(contact.line, "a contact needs two nodes; allowed: two names that differ")
        if contact.end_ps <= contact.start_ps:
            source.wrong(contact.line, "the contact ends before it starts; allowed: an end after the start")
        ends = (contact.source, contact.target)
        pair = (min(ends), max(ends)) if contact.two_way else ends
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
