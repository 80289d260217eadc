"""One network from what files hold: names that meet, links that are double, capacities and delays that are missing."""

from __future__ import annotations

import math
from collections import Counter
from itertools import count, islice
from typing import TYPE_CHECKING

from photocol.conversions.choices import quantity
from photocol.conversions.found import Contact, Demand, Flow, Found, Link, Node
from photocol.conversions.source import shown
from photocol.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from photocol.conversions.choices import Choices

_EARTH_M = 6_371_000.0
_NAMED = 8
"""How many names a warning has."""
_DELAY = "1 ms"
_STAR_DELAY = "1 us"
_LONGEST_NUMBER = 10
_LEAVES = 16
"""Hosts of the network that is made for sizes alone."""


class Network:
    """Nodes by name, links without gaps, and what had to be said about them."""

    def __init__(self, files: Sequence[Found], choices: Choices) -> None:
        self.choices = choices
        self.nodes: dict[str, Node] = {}
        self.order: list[str] = []
        self.links: list[Link] = []
        self.warnings: list[str] = []
        self.delay = choices.delay or next((one.delay for one in files if one.delay), _DELAY)
        self.is_made = not any(one.has_network for one in files)
        self._both_ways(files)
        for one in files:
            self.warnings += [f"{one.file}: {warning}" for warning in one.warnings]
            self._warn(one, one.renamed, "renamed, nodes with the label of another")
            if one.has_network or not self.is_made:
                self._add(one)
        if self.is_made:
            self._star(files)
        self.parts = components(self.nodes, self.links)
        sizes = Counter(self.parts.values())
        self.largest = max(sizes, key=lambda part: (sizes[part], -part), default=0)
        self._say_parts()

    def _both_ways(self, files: Sequence[Found]) -> None:
        """Makes contacts count both ways where no two nodes have a way there and back: nothing could answer."""
        links: list[Link | Contact] = [link for one in files for link in one.links]
        contacts = [contact for one in files for contact in one.contacts]
        links += contacts
        names = {end for link in links for end in (link.source, link.target)}
        if not contacts or self.choices.directed or len({*components(names, links).values()}) < len(names):
            return
        for contact in contacts:
            contact.two_way = True
        self.warnings.append(
            "no two nodes have a way there and back: contacts count in both directions, so that receivers can answer"
        )

    def _add(self, one: Found) -> None:
        for node in one.nodes:
            known = self.nodes.setdefault(node.name, node)
            if known.latitude is None and node.latitude is not None:
                known.latitude, known.longitude = node.latitude, node.longitude
        links: list[Link | Contact] = [*one.links, *one.contacts]
        for end in (end for link in links for end in (link.source, link.target)):
            self.nodes.setdefault(end, Node(name=end))
        self.order = list(self.nodes)
        before = len(self.links)
        self._join(one, [*one.links, *_links_of(one)])
        self._gaps(one, self.links[before:])

    def _star(self, files: Sequence[Found]) -> None:
        """Hosts around a switch: the ends of the traffic, or some where sizes alone are known."""
        ranks = max((one.work.ranks for one in files if one.work), default=0)
        if not ranks and not any(one.flows or one.demands or one.sizes for one in files):
            raise InputError("no file has links or traffic; allowed: a network, flows, demands, sizes or work")
        traffic: list[Flow | Demand] = []
        for one in files:
            traffic += one.flows
            traffic += one.demands
        names = {end: None for item in traffic for end in (item.source, item.target)}
        hosts = sorted(names, key=_by_number)
        others = (f"h{number}" for number in count() if f"h{number}" not in names)
        hosts += islice(others, max((ranks or (0 if names else _LEAVES)) - len(hosts), 0))
        hub = "switch" if "switch" not in names else "switch (hub)"
        self.nodes = {name: Node(name=name) for name in (hub, *hosts)}
        self.order = hosts
        self.delay = self.choices.delay or _STAR_DELAY
        self.links = [Link(source=hub, target=host) for host in hosts]
        self.warnings.append(
            f"no file has a network: {len(hosts)} hosts are around a switch, each with {self.choices.capacity} "
            f"and {self.delay}"
        )

    def _join(self, one: Found, links: Iterable[Link]) -> None:
        """Links in both directions are one; those to themselves, and double ones, as the user chose."""
        known = {(link.source, link.target): link for link in self.links}
        known |= {(link.target, link.source): link for link in self.links if link.two_way}
        loops: list[str] = []
        double: list[str] = []
        for link in links:
            back = known.get((link.target, link.source))
            if link.source == link.target:
                loops.append(link.source)
            elif (link.source, link.target) in known:
                self._refuse_double(one, link, known[link.source, link.target])
                double.append(link.name)
                if self.choices.duplicates == "keep":
                    self.links.append(link)
            elif not link.two_way and back is not None and _same(link, back):
                back.two_way = True
                known[link.source, link.target] = back
            else:
                self.links.append(link)
                known[link.source, link.target] = link
                if link.two_way:
                    known[link.target, link.source] = link
        self._warn(one, loops, "left out, links from a node to itself")
        what = "parallel" if self.choices.duplicates == "keep" else "left out"
        self._warn(one, double, f"{what}, links between nodes that are linked already")

    def _refuse_double(self, one: Found, link: Link, before: Link) -> None:
        if self.choices.duplicates == "error":
            raise InputError(
                f"{one.file}:{link.line}: {link.name} is there already, in line {before.line}; allowed: each pair "
                'once, or the choice duplicates = "first" or "keep"'
            )

    def _gaps(self, one: Found, links: Sequence[Link]) -> None:
        """Capacities and delays of these links that the file does not say."""
        lacking = [link.name for link in links if link.bps is None]
        self._warn(one, lacking, f"{self.choices.capacity}, for links without a capacity")
        for link in links:
            if link.delay_ps is None and link.metres is None:
                link.metres = great_circle(self.nodes[link.source], self.nodes[link.target]) or None
        lacking = [link.name for link in links if link.delay_ps is None and link.metres is None]
        self._warn(one, lacking, f"{self.delay}, for links without delay, length and coordinates that differ")
        if any(contact.delay_ps for contact in one.contacts):
            # Events change delays, so that each link says which it begins with.
            for link in links:
                link.delay_ps = link.delay_ps or (None if link.metres else quantity("delay", self.delay))

    def _warn(self, one: Found, names: Sequence[str], what: str) -> None:
        if names:
            self.warnings.append(f"{one.file}: {what} ({len(names)}): {listed(names)}")

    def _say_parts(self) -> None:
        if len(set(self.parts.values())) > 1:
            small = [name for name, part in self.parts.items() if part != self.largest]
            self.warnings.append(
                f"the network has {len(set(self.parts.values()))} parts without a way there and back between them; "
                f"outside the largest: {listed(small)}"
            )

    def meaning(self, one: Found, items: Sequence[Flow] | Sequence[Demand]) -> Callable[[int, str], str]:
        """What the names of nodes in a file mean: line and name to the node.

        Numbers are one decision for the whole file: names if each is one, else places in the order of the files.
        """
        numbers = {end for item in items for end in (item.source, item.target) if _is_number(end)}
        nameless = {number for number in numbers if number not in self.nodes}
        by_place = one.by_place or bool(nameless)
        if by_place and len(nameless) < len(numbers) and not one.by_place:
            self.warnings.append(
                f"{one.file}: numbers count nodes from 0, although some are names of nodes: {min(nameless)} is none"
            )

        def node(line: int, name: str) -> str:
            if by_place and _is_number(name):
                if len(name) <= _LONGEST_NUMBER and int(name) < len(self.order):
                    return self.order[int(name)]
            elif name in self.nodes:
                return name
            hint = did_you_mean(name, self.order[:1000])
            raise InputError(
                f"{one.file}:{line}: there is no node {shown(name)}; {hint}allowed: the {len(self.order)} nodes of the "
                f"network by name, or by number from 0 where not all numbers of a file are names"
            )

        return node


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _by_number(name: str) -> tuple[int, str]:
    return (int(name) if name.isascii() and name.isdigit() and len(name) < 20 else -1, name)


def _both(link: Link | Contact) -> list[tuple[str, str]]:
    """The directions of a link."""
    forth, back = (link.source, link.target), (link.target, link.source)
    return [forth, back] if link.two_way else [forth]


def _links_of(one: Found) -> list[Link]:
    """A link for each pair that has contacts and no link, as it is at its first one."""
    known = {(link.source, link.target) for link in one.links}
    known |= {(link.target, link.source) for link in one.links if link.two_way}
    links: dict[tuple[str, str], Link] = {}
    for contact in sorted(one.contacts, key=lambda one: one.start_ps):
        pair = (contact.source, contact.target)
        if pair not in known and not (contact.two_way and pair[::-1] in links):
            links.setdefault(
                pair,
                Link(
                    source=contact.source,
                    target=contact.target,
                    bps=contact.bps,
                    delay_ps=contact.delay_ps or None,
                    two_way=contact.two_way,
                    line=contact.line,
                ),
            )
    return list(links.values())


def _same(one: Link, other: Link) -> bool:
    parts = [(link.bps, link.delay_ps, link.metres, link.cost) for link in (one, other)]
    return parts[0] == parts[1]


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def great_circle(one: Node, other: Node) -> int | None:
    """Metres between two places on a sphere of radius 6371 km, if both are known."""
    places = (one.latitude, one.longitude, other.latitude, other.longitude)
    if any(place is None for place in places):
        return None
    south, west, north, east = (math.radians(place) for place in places if place is not None)
    chord = math.sin((north - south) / 2) ** 2 + math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return round(2 * _EARTH_M * math.asin(math.sqrt(min(chord, 1.0))))


def components(nodes: Iterable[str], links: Iterable[Link | Contact]) -> Mapping[str, int]:
    """Node to the number of its part: within one there is a way from each node to each other."""
    forth: dict[str, list[str]] = {name: [] for name in nodes}
    back: dict[str, list[str]] = {name: [] for name in forth}
    for link in links:
        for a, b in _both(link):
            forth[a].append(b)
            back[b].append(a)
    parts: dict[str, int] = {}
    count = 0
    for root in reversed(_finished(forth)):
        if root not in parts:
            number, waiting = count, [root]
            count += 1
            while waiting:
                name = waiting.pop()
                if name not in parts:
                    parts[name] = number
                    waiting += [other for other in back[name] if other not in parts]
    return {name: parts[name] for name in forth}


def _finished(links: Mapping[str, Sequence[str]]) -> list[str]:
    """Nodes in the order in which a walk into the depth leaves them."""
    order: list[str] = []
    seen: set[str] = set()
    for root in links:
        if root in seen:
            continue
        seen.add(root)
        walk = [(root, iter(links[root]))]
        while walk:
            name, rest = walk[-1]
            other = next((one for one in rest if one not in seen), None)
            if other is None:
                order.append(name)
                walk.pop()
            else:
                seen.add(other)
                walk.append((other, iter(links[other])))
    return order
