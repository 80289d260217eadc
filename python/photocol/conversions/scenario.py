"""A scenario from what files hold: the network, its changes, and the traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.conversions.changes import end_of, events, is_kept
from photocol.conversions.network import Network, listed
from photocol.conversions.source import RATE
from photocol.conversions.writer import datagrams, length, rate, time
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from photocol.conversions.choices import Choices
    from photocol.conversions.found import Demand, Flow, Found

_SECOND = 10**12
_REROUTE = "1 us"
"""How soon routes follow where links go down."""
_LONGEST = 180
"""Letters of a name before a number."""
_LEAST_BPS = int(RATE.low)


class Conversion:
    """What the files hold together: a scenario, the flows of its list, and what must be said."""

    def __init__(self, files: Sequence[Found], choices: Choices) -> None:
        self.choices = choices
        self.network = Network(files, choices)
        self.warnings = self.network.warnings
        self.flows: list[Flow] = []
        self.ends: set[str] = set()
        self.traffic: list[dict[str, Any]] = []
        self.end_ps = 0
        self.neighbours: dict[str, set[str]] = {}
        for link in self.network.links:
            self.neighbours.setdefault(link.source, set()).add(link.target)
            self.neighbours.setdefault(link.target, set()).add(link.source)
        for one in files:
            self._add_flows(one)
            self._add_demands(one)
            self._add_sizes(one)
            self._add_work(one)
            if one.ends is not None:
                self._add({"transport": choices.sender, "from": one.ends[0], "to": one.ends[1]}, one.ends)
        if self.flows:
            self.traffic.insert(0, {"name": "flows", "transport": choices.sender, "list": []})
        if not self.traffic and not any(one.is_empty for one in files):
            self._add_random()
        self.scenario = self._scenario(files)

    def _scenario(self, files: Sequence[Found]) -> dict[str, Any]:
        end = max([self.end_ps, *(end_of(one, self.choices) for one in files)]) or self._default_end(files)
        end = self.choices.quantity("duration") or end
        changes = [event for one in files for event in events(one, self.network, self.choices, end)]
        duration = self.choices.duration or time(end)
        tables: dict[str, Any] = {"run": {"duration": duration}}
        if any(one.contacts for one in files):
            # Which of equal paths is up changes with the links.
            tables["topology"] = {"kind": "custom", "routing": "first"}
        if any(one.contacts and not is_kept(one, self.choices) for one in files):
            tables["topology"] |= {"reroute_after": _REROUTE}
        tables["link_defaults"] = {"capacity": self.choices.capacity, "delay": self.network.delay}
        if self.choices.buffer is not None:
            tables["link_defaults"]["buffer"] = str(self.choices.buffer)
        tables["node"] = [self._node(name) for name in self.network.nodes]
        tables["link"] = self._links()
        tables |= {"event": changes} if changes else {}
        return tables | {"traffic": self.traffic}

    def _default_end(self, files: Sequence[Found]) -> int:
        """A second; around a switch less for flows that are drawn, of which there may be millions in a second."""
        return _SECOND // 100 if self.network.is_made and any(one.sizes for one in files) else _SECOND

    def _node(self, name: str) -> dict[str, Any]:
        """A switch, unless traffic begins or ends there: a host then, or an edge node if it has several links."""
        node = self.network.nodes[name]
        table: dict[str, Any] = {"name": name, "role": node.role or self._role(name)}
        if node.latitude is not None:
            table |= {"latitude": node.latitude, "longitude": node.longitude}
        return table

    def _role(self, name: str) -> str:
        if name not in self.ends:
            return "core"
        return "host" if len(self.neighbours.get(name, ())) <= 1 else "edge"

    def _links(self) -> list[dict[str, Any]]:
        tables: list[dict[str, Any]] = []
        known: set[tuple[str, str]] = set()
        for link in self.network.links:
            table: dict[str, Any] = {"from": link.source, "to": link.target}
            pairs = {(link.source, link.target)} | ({(link.target, link.source)} if link.two_way else set())
            table |= {} if link.two_way else {"duplex": False}
            table |= {"parallel": True} if pairs & known else {}
            table |= {"capacity": rate(link.bps)} if link.bps else {}
            if link.delay_ps:
                table["delay"] = time(link.delay_ps)
            elif link.metres:
                table["length"] = length(link.metres)
            table |= {} if link.cost is None else {"cost": link.cost}
            known |= pairs
            tables.append(table)
        return tables

    def _add(self, table: dict[str, Any], ends: Iterable[str]) -> None:
        self.traffic.append(table)
        self.ends.update(ends)

    def _met(self, one: Found, items: Sequence[Flow] | Sequence[Demand], what: str) -> list[Any]:
        """The flows or demands between nodes of the network, without those that have no way there and back."""
        met, lost = [], []
        node = self.network.meaning(one, items)
        for item in items:
            item.source, item.target = (node(item.line, end) for end in (item.source, item.target))
            if item.source == item.target or self.network.parts[item.source] != self.network.parts[item.target]:
                lost.append(f"{item.source} to {item.target}")
            else:
                met.append(item)
        if lost:
            self.warnings.append(
                f"{one.file}: left out, {what} without a way there and back ({len(lost)}): {listed(lost)}"
            )
        return met

    def _add_flows(self, one: Found) -> None:
        met = self._met(one, one.flows, "flows")
        self.flows += met
        self.ends |= {end for flow in met for end in (flow.source, flow.target)}
        last = max((flow.start_ps for flow in met), default=None)
        if last is not None:
            self.end_ps = max(self.end_ps, (last // _SECOND + 1) * _SECOND)

    def _add_demands(self, one: Found) -> None:
        """Each as datagrams that come as a Poisson process at its rate."""
        names = {str(table.get("name")): 1 for table in self.traffic}
        small = []
        for demand in self._met(one, one.demands, "demands"):
            bps = round(demand.bps * self.choices.scale)
            if not _LEAST_BPS <= bps <= RATE.high:
                small.append(demand.name)
                continue
            name = base = demand.name or "demand"
            while name in names:
                names[base] += 1
                name = f"{base[:_LONGEST]} #{names[base]}"
            names[name] = 1
            ends = (demand.source, demand.target)
            self._add(datagrams(name, ends, bps), ends)
        if one.demands and self.choices.transport is not None:
            self.warnings.append(
                f"{one.file}: transport {self.choices.transport} is for flows; demands are streams of datagrams (udp). "
                "docs/guide/other-peoples-files.md shows TCP between their pairs"
            )
        if small:
            self.warnings.append(
                f"{one.file}: left out, demands that are not 8 bps to 1000 Tbps ({len(small)}): {listed(small)}"
            )

    def _add_sizes(self, one: Found) -> None:
        """Flows between random nodes at a load, of sizes that are drawn."""
        if one.sizes:
            points = [[f"{size} B", float(share)] for size, share in one.sizes]
            table = self._random() | {"arrivals": "poisson", "load_share": self.choices.load}
            table["size_law"] = {"law": "cdf", "points": points}
            self._add(table, self.network.order if self.network.is_made else ())

    def _add_work(self, one: Found) -> None:
        """The ranks are the first hosts, or the first of all nodes where no file names any."""
        if one.work:
            table: dict[str, Any] = {"transport": self.choices.sender, "work": {"file": one.work.file}}
            if self.network.is_made:
                self._add(table, self.network.order)
            else:
                among = self._among()[: one.work.ranks]
                self._add(table | {"among": among}, among)

    def _add_random(self) -> None:
        nodes = self._among()
        if len(nodes) < 2:
            raise InputError(
                "no file has two nodes with a way there and back, so there is no traffic; allowed: a network"
            )
        self.warnings.append(f"no file has traffic: {len(nodes)} greedy flows are between random nodes")
        self._add(self._random() | {"flows": len(nodes)}, ())

    def _random(self) -> dict[str, Any]:
        table: dict[str, Any] = {"transport": self.choices.sender, "pairs": "random"}
        if self.network.is_made:
            return table
        among = self._among()
        hosts = [name for name in self.network.order if self.network.nodes[name].role in ("host", "edge")]
        return table if among == (hosts or list(self.network.nodes)) else table | {"among": among}

    def _among(self) -> list[str]:
        """Hosts, or all nodes where the files name none, that reach one another."""
        nodes = self.network.order or list(self.network.nodes)
        hosts = [name for name in nodes if self.network.nodes[name].role in ("host", "edge")] or nodes
        return [name for name in hosts if self.network.parts[name] == self.network.largest]
