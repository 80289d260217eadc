"""Scenarios that nobody has written: ready-made ones with some keys changed at random, the same ones each time.

What may be changed is read from the schema: words, yes or no, numbers within their bounds; quantities become larger or
smaller. Links change during the run, and segments have fates.
"""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import photocol

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema" / "scenario.json").read_text(encoding="utf-8"))
DURATIONS = {
    "aapn": "0.2 s",
    "aapn-signalled": "0.6 s",
    "capacity-change": "2 s",
    "dlcc": "1 s",
    "dumbbell": "0.5 s",
    "fat-tree": "0.02 s",
    "grid": "0.05 s",
    "header-flood": "0.01 s",
    "incast": "0.1 s",
    "load-balanced-bursts": "0.1 s",
    "lost-bursts": "0.2 s",
    "low-orbit": "0.5 s",
    "satellites": "0.5 s",
    "macroflows": "0.3 s",
    "nsfnet-buffers": "0.3 s",
    "obs": "0.05 s",
    "opera": "0.002 s",
    "parking-lot": "0.3 s",
    "racks": "0.005 s",
    "random-loss": "0.5 s",
    "ocs": "0.002 s",
    "rotornet": "0.003 s",
    "slotted-packets": "0.05 s",
    "training": "0.04 s",
    "web-search": "0.03 s",
    "xcp": "0.5 s",
    "aapn-computed": "0.1 s",
    "aapn-plan": "0.1 s",
    "obs-deflection": "0.05 s",
    "obs-segmentation": "0.02 s",
    "ops-ram": "0.02 s",
    "ops-macroflows": "0.5 s",
}
"""Of runs that would be long."""
_SMALL = """
[run]
duration = "20 ms"
[topology]
kind = "dumbbell"
pairs = 3
bottleneck_capacity = "1 Gbps"
bottleneck_delay = "100 us"
bottleneck_buffer = "30 packets"
access_capacity = "4 Gbps"
access_delay = "3 us"
[transport.one]
algorithm = "cubic"
[[traffic]]
transport = "one"
flows = 5
pairs = "random"
"""
_TREE = """
[run]
duration = "2 ms"
[topology]
kind = "leaf-spine"
leaves = 3
spines = 2
hosts = 3
host_capacity = "10 Gbps"
routing = "spray"
[link_defaults]
queue = { kind = "ndp" }
buffer = "24 kB"
[link_defaults.host]
queue = { kind = "ndp", data = "1000 packets" }
buffer = "unlimited"
[transport.one]
algorithm = "ndp"
[[traffic]]
transport = "one"
arrivals = "incast"
to = "h0"
senders = 7
size = "100 kB"
requests = 1
"""
TEXTS = {"small": _SMALL, "tree": _TREE}
LAWS = ("cubic", "reno", "newreno", "sack", "rr-tcp", "bbr", "bbr3", "dctcp", "prague", "vegas", "linux-cubic", "hpcc")
LAWS = (*LAWS, "linux-bbr", "swift", "powertcp", "copa", "rcp", "abc", "xcp", "udp", "ndp", "tdtcp", "btcp", "htcp")
QUEUES = ("step", "red", "codel", "fq-codel", "pie", "dualpi2", "priority", "drr", "ndp", "abc")


def bases() -> list[tuple[str, Any]]:
    """Names, and files or texts."""
    files = [*(ROOT / "scenarios").glob("*.toml"), *(ROOT / "fuzz" / "seeds").glob("*.toml")]
    return [*((file.stem, file) for file in sorted(files)), *TEXTS.items(), *TEXTS.items(), *TEXTS.items()]


def run_mutated(seed: int, out: Path) -> dict[str, Any]:
    """Run one that is possible, and say what was changed."""
    chance = random.Random(seed)
    for _ in range(60):
        name, base = chance.choice(bases())
        table = tomllib.loads(base.read_text(encoding="utf-8") if isinstance(base, Path) else base)
        settings: dict[str, Any] = {}
        for _ in range(chance.randint(1, 4)):
            settings |= chance.choice(CHANGES)(chance, table)
        settings |= {"run.seed": seed, "run.runs": 1, "run.warm_up": "0 s", "trace.enabled": True}
        settings |= {"run.duration": DURATIONS.get(name, table["run"]["duration"]), "trace.limit": 60_000}
        try:
            photocol.run(base if isinstance(base, Path) else table, set=settings, out=out)
        except (photocol.ScenarioError, photocol.InputError, photocol.RunError):
            continue
        return {"base": name, **settings}
    raise AssertionError(f"no possible scenario from seed {seed}")


def _defined(name: str, kind: object = None) -> dict[str, Any]:
    """The keys of a table, of this kind if it has kinds."""
    described = SCHEMA["$defs"][name]
    kinds = {one["properties"]["kind"].get("const"): one for one in described.get("oneOf", ())}
    return dict(kinds.get(kind, described)["properties"])


def _alternatives(described: dict[str, Any]) -> list[dict[str, Any]]:
    some = described.get("anyOf") or described.get("oneOf") or [described]
    found = []
    for one in some:
        name = one.get("$ref", "").rpartition("/")[2]
        found += _alternatives(SCHEMA["$defs"][name]) if name else [one]
    return found


def _drawn(chance: random.Random, described: dict[str, Any], now: object) -> object:
    """Another value of a key, or None where none is known."""
    if isinstance(now, str) and now[:1].isdigit() and " " in now:
        number, _, unit = now.partition(" ")
        value = float(number) * chance.choice([0.1, 0.5, 0.9, 1.1, 2, 10])
        return f"{max(round(value), 1) if unit.startswith('packet') else value:g} {unit}"
    words = [one["const"] for one in _alternatives(described) if isinstance(one.get("const"), str)]
    if words:
        return chance.choice(words)
    kinds = {kind for one in _alternatives(described) for kind in _listed(one.get("type", ()))}
    if "boolean" in kinds:
        return chance.random() < 0.5
    if "integer" in kinds:
        default = now if isinstance(now, int) else described.get("default")
        default = default if isinstance(default, (int, float)) else 2
        return max(int(described.get("minimum", 0)), round(float(default or 1) * chance.choice([0.5, 1, 2, 3])))
    if "number" in kinds:
        default = now if isinstance(now, (int, float)) else described.get("default", 0.5)
        return float(default or 0.5) * chance.choice([0.5, 1.5])
    return None


def _listed(kinds: Any) -> list[str]:
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _of_table(chance: random.Random, path: str, properties: dict[str, Any], table: Any) -> dict[str, Any]:
    for _ in range(20):
        key = chance.choice(sorted(properties))
        value = _drawn(chance, properties[key], table.get(key))
        if value is not None and key not in ("kind", "name", "file", "law"):
            return {f"{path}.{key}": value}
    return {}


def _transport(chance: random.Random, table: Any) -> dict[str, Any]:
    names = sorted(table.get("transport", {}))
    if not names:
        return {f"traffic.{place}.transport": chance.choice(LAWS) for place, _ in enumerate(table.get("traffic", ()))}
    name = chance.choice(names)
    if chance.random() < 0.5:
        return {f"transport.{name}.algorithm": chance.choice(LAWS)}
    return _of_table(chance, f"transport.{name}", _defined("Transport"), table["transport"][name])


def _hosts(chance: random.Random, table: Any) -> dict[str, Any]:
    names = sorted(table.get("transport", {}))
    keys = (
        "delayed_ack",
        "timestamps",
        "handshake",
        "teardown",
        "ecn",
        "sack",
        "dsack",
        "paced",
        "nagle",
        "limited_transmit",
    )
    some = {key: chance.random() < 0.7 for key in chance.sample(keys, 3)}
    return {f"transport.{name}.{key}": value for name in names for key, value in some.items()}


def _links(chance: random.Random, table: Any) -> dict[str, Any]:
    return _of_table(chance, "link_defaults", _defined("LinkDefaults"), table.get("link_defaults", {}))


def _jitter(chance: random.Random, _: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"link_defaults.jitter": chance.choice(["1 us", "10 us", "300 us", "2 ms"])}
    found["link_defaults.jitter_order"] = chance.choice(["kept", "free"])
    found["link_defaults.jitter_law"] = chance.choice(["uniform", "exponential"])
    return found


def _loss(chance: random.Random, _: Any) -> dict[str, Any]:
    return chance.choice([{"link_defaults.loss": 0.01}, {"link_defaults.loss_every": 37}, {"link_defaults.loss": 0.1}])


def _queue(chance: random.Random, _: Any) -> dict[str, Any]:
    queue: dict[str, Any] = {"kind": chance.choice(QUEUES)}
    return {"link_defaults.queue": queue, "link_defaults.buffer": chance.choice(["10 packets", "40 packets", "30 kB"])}


def _switching(chance: random.Random, table: Any) -> dict[str, Any]:
    switching = table.get("switching")
    if not switching:
        return _links(chance, table)
    return _of_table(chance, "switching", _defined("Switching", switching["kind"]), switching)


def _topology(chance: random.Random, table: Any) -> dict[str, Any]:
    if "topology" not in table:
        return _links(chance, table)
    if chance.random() < 0.3:
        return {"topology.routing": chance.choice(["ecmp", "spray", "flowlet", "first"])}
    return _of_table(chance, "topology", _defined("Topology", table["topology"]["kind"]), table["topology"])


def _traffic(chance: random.Random, table: Any) -> dict[str, Any]:
    some = table.get("traffic", [])
    if not some:
        return {}
    place = chance.randrange(len(some))
    return _of_table(chance, f"traffic.{place}", _defined("Traffic"), some[place])


def _link_of(chance: random.Random, table: Any) -> str:
    if "link" in table:
        link = chance.choice(table["link"])
        return f"{link['from']}->{link['to']}"
    return chance.choice(["left->right", "left-right", "l0->left", "l0->s0", "h0-l0", "0->1", "hub->n0", "x->y"])


def _change(chance: random.Random) -> dict[str, Any]:
    change = chance.choice(
        [
            {"capacity": chance.choice(["50 Mbps", "300 Mbps", "2 Gbps", "0 bps"])},
            {"delay": chance.choice(["10 us", "50 us", "400 us", "3 ms"])},
            {"capacity": "200 Mbps", "delay": "40 us"},
            {"loss": 0.05},
            {"jitter": "30 us"},
            {"buffer": "5 packets"},
            {"state": "down"},
        ]
    )
    return dict(change)


def _rest(chance: random.Random) -> dict[str, str]:
    return chance.choice([{}, {"mid_packet": "finish"}, {"mid_packet": "cut"}, {"mid_packet": "continue"}])


def _event(chance: random.Random, table: Any) -> dict[str, Any]:
    end = photocol_seconds(table["run"]["duration"])
    times = sorted(chance.random() * end for _ in range(chance.randint(1, 3)))
    link = _link_of(chance, table)
    events = [{"at": f"{at * 1e6:.3f} us", "link": link, **_change(chance), **_rest(chance)} for at in times]
    last = {"at": f"{(times[-1] + end / 100) * 1e6:.3f} us", "link": link}
    events += [{**last, "state": "up"}] if any("state" in one for one in events) else []
    events += [{**last, "capacity": "1 Gbps"}] if any(one.get("capacity") == "0 bps" for one in events) else []
    return {"event": events}


def _phases(chance: random.Random, table: Any) -> dict[str, Any]:
    phases = [{"duration": chance.choice(["100 us", "700 us", "1 ms"]), **_change(chance)}]
    phases += [{"duration": "300 us"}] if chance.random() < 0.5 else []
    period = {"period": "3 ms"} if chance.random() < 0.5 else {}
    return {"link_phases": [{"link": _link_of(chance, table), "phases": phases, **period, **_rest(chance)}]}


def _forced(chance: random.Random, _: Any) -> dict[str, Any]:
    one: dict[str, Any] = {
        "flow": 0,
        "segment": chance.randint(0, 30),
        "action": chance.choice(["drop", "delay", "duplicate"]),
    }
    return {"force": [{**one, "delay": "1 ms"} if one["action"] == "delay" else one]}


def photocol_seconds(text: str) -> float:
    """A time of a scenario."""
    number, _, unit = text.partition(" ")
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}[unit]


CHANGES = (
    _transport,
    _hosts,
    _links,
    _jitter,
    _loss,
    _queue,
    _switching,
    _switching,
    _topology,
    _traffic,
    _event,
    _phases,
    _forced,
)
