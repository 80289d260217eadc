"""htsim's connection matrix (`.cm`) with triggers, as its source reads it (csg-htsim 841d9e7).

A trigger fires when flows are done: a `oneshot` at the first, a `barrier count n` at the n-th, a `multishot` lets its
flows go one by one. `send_done_trigger` is when the sender has the ACK of everything. No receiver of htsim's ever fires
a `recv_done_trigger`, so it is left out, with a word, unless `done = "arrived"`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from photocol.conversions.flows import CM_COUNTS, connection
from photocol.conversions.graphs import Graph, Task
from photocol.conversions.source import shown

if TYPE_CHECKING:
    from photocol.conversions.source import Source

_TRIGGERS = ("trigger", "send_done_trigger", "recv_done_trigger")
_MOST = 2**31 - 1


@dataclass
class _Flow:
    line: int
    ends: tuple[int, int]
    known: dict[str, int]

    @property
    def name(self) -> str:
        return str(self.known["id"]) if "id" in self.known else f"line-{self.line}"


@dataclass
class _Trigger:
    line: int
    kind: str
    count: int
    flows: list[_Flow] = field(default_factory=list)
    """Those that it lets go, in the order of the file."""
    fired_by: list[_Flow] = field(default_factory=list)


def read(source: Source) -> Graph:
    """The graph of a connection matrix. Raises FileError."""
    said: dict[str, int] = {}
    flows: list[_Flow] = []
    triggers: dict[int, _Trigger] = {}
    for line, text in source.lines():
        words = text.split()
        if words[0] in CM_COUNTS:
            said[words[0]] = source.whole(line, words[0], words[1] if len(words) == 2 else "", 0, _MOST)
        elif words[0] == "trigger":
            _trigger(source, line, words, triggers)
        elif words[0] == "failure":
            source.wrong(line, "found a failure; a link that fails is an [[event]] of the scenario")
        else:
            flows.append(_flow(source, line, words, said.get("Nodes", _MOST + 1)))
    for name, count in (("Connections", len(flows)), ("Triggers", len(triggers))):
        if said.get(name, 0) != count:
            source.wrong(1, f"{name} says {said.get(name, 0)}, the file has {count}; allowed: as many as it says")
    warnings = _joined(source, flows, triggers)
    tasks, ranks = _tasks(flows, triggers), said.get("Nodes", 0)
    return Graph(tasks=tasks, ranks=ranks, warnings=warnings, done="acknowledged", last_first=True)


def _trigger(source: Source, line: int, words: list[str], triggers: dict[int, _Trigger]) -> None:
    allowed = "trigger id N oneshot, trigger id N multishot, or trigger id N barrier count M"
    count = 1
    if len(words) == 6 and words[3:5] == ["barrier", "count"]:
        count = source.whole(line, "count", words[5], 1, _MOST)
    elif len(words) != 4 or words[3] not in ("oneshot", "multishot"):
        source.wrong(line, f"found {shown(' '.join(words))}; allowed: {allowed}")
    if words[1] != "id":
        source.wrong(line, f"found {shown(words[1])}; allowed: {allowed}")
    number = source.whole(line, "trigger", words[2], 1, _MOST)
    if number in triggers:
        source.wrong(line, f"trigger {number} is there already, in line {triggers[number].line}")
    triggers[number] = _Trigger(line, words[3], count)


def _flow(source: Source, line: int, words: list[str], nodes: int) -> _Flow:
    first, second, written = connection(source, nodes, line, words)
    if int(first) == int(second):
        source.wrong(line, f"found {shown(words[0])}; allowed: two nodes")
    known: dict[str, int] = {}
    for word, text in written.items():
        least = 0 if word in ("start", "size", "prio") else 1
        known[word] = source.whole(line, word, text, least, 2**53 if word == "start" else _MOST)
    if known.get("size", 0) == 0:
        source.wrong(line, "size: found none; allowed: a whole number from 1, since a flow without end lets nothing go")
    if ("start" in known) == ("trigger" in known):
        source.wrong(line, "found start and trigger, or neither; allowed: one of them")
    if "trigger" in known and "id" not in known:
        source.wrong(line, "a flow that waits for a trigger has no id; allowed: id and a number before the trigger")
    return _Flow(line, (int(first), int(second)), known)


def _joined(source: Source, flows: list[_Flow], triggers: dict[int, _Trigger]) -> list[str]:
    """Flows beside their triggers; what never fires is said."""
    names: dict[str, int] = {}
    ignored = 0
    for flow in flows:
        if names.setdefault(flow.name, flow.line) != flow.line:
            source.wrong(flow.line, f"id {flow.name} is there already, in line {names[flow.name]}")
        named = {word: triggers.get(flow.known[word]) for word in _TRIGGERS if word in flow.known}
        for word, trigger in named.items():
            if trigger is None:
                source.wrong(flow.line, f"{word}: there is no trigger {flow.known[word]}")
            elif word == "trigger":
                trigger.flows.append(flow)
            elif word == "send_done_trigger":
                trigger.fired_by.append(flow)
            else:
                ignored += 1
    warnings = _silent(source, triggers)
    if ignored:
        warnings.append(f"{ignored} times recv_done_trigger is left out: no receiver of htsim's fires one")
    return warnings


def _silent(source: Source, triggers: dict[int, _Trigger]) -> list[str]:
    """A word on triggers that nothing fires; those that are fired too often are refused."""
    silent = []
    for number, trigger in triggers.items():
        fired = len(trigger.fired_by)
        if trigger.kind != "multishot" and fired > trigger.count:
            told = f"trigger {number} is fired {fired} times; allowed: {trigger.count}, htsim stops there"
            source.wrong(trigger.line, told)
        if trigger.flows and fired < trigger.count:
            silent.append(str(number))
    some = ", ".join(silent[:5]) + (", …" if len(silent) > 5 else "")
    return [f"triggers that nothing fires, so that their flows never start: {some}"] if silent else []


def _tasks(flows: list[_Flow], triggers: dict[int, _Trigger]) -> list[Task]:
    """A transfer a flow, a wait before each that starts later than at once, a join a trigger."""
    tasks = []
    for flow in flows:
        after: list[str] = []
        if start := flow.known.get("start", 0):
            wait = f"start-{flow.name}"
            tasks.append(Task(name=wait, kind="wait", rank=flow.ends[0], time_ps=start, line=flow.line))
            after = [wait]
        if "trigger" in flow.known:
            number = flow.known["trigger"]
            trigger = triggers[number]
            place = trigger.flows.index(flow) if trigger.kind == "multishot" else 0
            after = [f"trigger-{number}" + (f"-{place}" if trigger.kind == "multishot" else "")]
        transfer = Task(name=flow.name, kind="transfer", rank=flow.ends[0], peer=flow.ends[1], line=flow.line)
        transfer.size, transfer.after = flow.known["size"], after
        tasks.append(transfer)
    for number, trigger in triggers.items():
        fired_by = [flow.name for flow in trigger.fired_by]
        shots = range(len(trigger.flows)) if trigger.kind == "multishot" else range(1)
        for shot in shots:
            name = f"trigger-{number}" + (f"-{shot}" if trigger.kind == "multishot" else "")
            rank = trigger.flows[0].ends[0] if trigger.flows else 0
            needs = shot + 1 if trigger.kind == "multishot" else trigger.count
            tasks.append(Task(name=name, kind="join", rank=rank, after=fired_by, needs=needs, line=trigger.line))
    return tasks
