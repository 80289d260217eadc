"""Optical switches set for work: against a second program, the optimum of SWOT's example, and policies in Python."""

from __future__ import annotations

import itertools
import math
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import photocol
from photocol.plot.probes.tasks import rank_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PACKET, GBPS = 8000, 400
PACKET_S = PACKET * 8 / GBPS / 1e9


def scenario(**changes: Any) -> dict[str, Any]:
    """Hosts with two ports, and an all-reduce by halving and doubling."""
    found: dict[str, Any] = {
        "run": {"duration": "1 s"},
        "topology": {"kind": "ocs", "hosts": 8, "switches": 2, "capacity": f"{GBPS} Gbps", "delay": "20 us"},
        "switching": {"kind": "ocs", "policy": "per-step", "reconfiguration": "200 us"},
        "transport": {"udp": {"packet_size": PACKET}},
        "traffic": [
            {
                "transport": "udp",
                "rate": f"{2 * GBPS} Gbps",
                "work": {"collective": "all-reduce", "algorithm": "halving-doubling", "size": "32 MB"},
            }
        ],
    }
    for path, value in changes.items():
        table, _, key = path.partition("__")
        (found["traffic"][0] if table == "traffic" else found[table])[key] = value
    return found


def steps(collective: str, algorithm: str, ranks: int) -> list[tuple[int, float]]:
    """The distance to the partner in each step, and its part of the buffer, as the algorithms are defined."""
    halves = int(math.log2(ranks))
    if algorithm == "ring":
        once = [(1, 1 / ranks)] * (ranks - 1)
        return once * (2 if collective == "all-reduce" else 1)
    if algorithm == "pairwise":
        return [(step, 1 / ranks) for step in range(1, ranks)]
    down = [(ranks >> (one + 1), 2.0 ** -(one + 1)) for one in range(halves)]
    return down + down[::-1] if collective == "all-reduce" else down


CASES = (
    ("all-reduce", "ring"),
    ("reduce-scatter", "ring"),
    ("all-to-all", "pairwise"),
    ("all-reduce", "halving-doubling"),
)


@pytest.mark.parametrize("seed", range(24))
def test_times_by_step_are_those_of_a_second_program(seed: int) -> None:
    """Another partner is another matching.

    A step's packets leave k at a time from the end of a turn; without a turn one comes each 1/k of its time.
    """
    dice = random.Random(seed)
    collective, algorithm = CASES[seed % len(CASES)]
    ranks = dice.choice((2, 4, 8) if algorithm == "halving-doubling" else (2, 3, 5, 8))
    ports, delay_us = dice.choice((1, 2, 3, 4)), dice.choice((1, 20))
    turn_us, start = dice.choice((1, 50, 400)), dice.choice(("cold", "warm"))
    packets = dice.choice((8, 24, 96)) * ranks
    expected, held = 0.0, None
    for number, (distance, part) in enumerate(steps(collective, algorithm, ranks)):
        count = round(packets * part)
        is_free = number == 0 and start == "warm"
        if distance == held or is_free:
            expected += ((count - 1) / ports + 1) * PACKET_S + delay_us * 1e-6
        else:
            expected += turn_us * 1e-6 + math.ceil(count / ports) * PACKET_S + delay_us * 1e-6
        held = distance
    work = {"collective": collective, "algorithm": algorithm, "size": f"{packets * PACKET} B", "order": "steps"}
    made = scenario(
        topology__hosts=ranks,
        topology__switches=ports,
        topology__delay=f"{delay_us} us",
        switching__reconfiguration=f"{turn_us} us",
        switching__start=start,
        traffic__rate=f"{ports * GBPS} Gbps",
        traffic__work=work,
    )
    found = photocol.run(made).summary["work_time"].value
    # A packet comes each third of its time, in whole picoseconds.
    assert found == pytest.approx(expected, abs=1e-9 if ports == 3 else 1e-12), (collective, algorithm, ranks, ports)


SIZES_MB, PARTNERS = (16, 8, 4, 4, 8, 16), (4, 2, 1, 1, 2, 4)
RATE, TURN, DELAY = 0.05, 200.0, 20.0
"""MB a microsecond over a switch, and microseconds."""


def least(uses: tuple[int, ...]) -> float:
    """The least time in which switches do their steps, by a linear programme: which of the two a step uses, a bit each.

    A switch does one thing at a time, for a step its bytes and the delay; a step begins after the whole step before.
    """
    from scipy.optimize import linprog

    places = [(step, switch) for step, use in enumerate(uses) for switch in (0, 1) if use >> switch & 1]
    starts = {place: len(uses) + number for number, place in enumerate(places)}
    parts = {place: len(uses) + len(places) + number for number, place in enumerate(places)}
    width = len(uses) + 2 * len(places)
    rows: list[list[float]] = []
    bounds: list[float] = []

    def at_most(bound: float, *terms: tuple[int, float]) -> None:
        row = [0.0] * width
        for place, factor in terms:
            row[place] += factor
        rows.append(row)
        bounds.append(bound)

    last: dict[int, int] = {}
    for step, switch in places:
        start, part = starts[step, switch], parts[step, switch]
        if step:
            at_most(0.0, (step - 1, 1.0), (start, -1.0))
        if switch in last:
            before = last[switch]
            turn = TURN if PARTNERS[before] != PARTNERS[step] else 0.0
            ends = ((starts[before, switch], 1.0), (parts[before, switch], 1 / RATE))
            at_most(-DELAY - turn, *ends, (start, -1.0))
        at_most(-DELAY, (start, 1.0), (part, 1 / RATE), (step, -1.0))
        last[switch] = step
    sums = [[1.0 if at == parts.get((step, 0)) or at == parts.get((step, 1)) else 0.0 for at in range(width)]
            for step in range(len(uses))]  # fmt: skip
    cost = [1.0 if at == len(uses) - 1 else 0.0 for at in range(width)]
    return float(linprog(cost, A_ub=rows, b_ub=bounds, A_eq=sums, b_eq=SIZES_MB).fun)


def test_the_plan_of_the_experiment_is_the_optimum_of_swots_model() -> None:
    pytest.importorskip("scipy")
    assert min(least(uses) for uses in itertools.product((1, 2, 3), repeat=6)) == pytest.approx(1140.0, abs=1e-6)
    assert least((3, 1, 2, 2, 1, 3)) == pytest.approx(1140.0, abs=1e-6)


@photocol.policy
class Rings:
    """A ring around the hosts at once, and another one after a millisecond."""

    def __init__(self) -> None:
        self.distance = 0

    def decide(self, view: photocol.laws.View) -> dict[str, dict[str, str]]:
        self.distance = 1 if view.now < 1e-3 else 2
        hosts = view.nodes
        ring = {one: hosts[(at + self.distance) % len(hosts)] for at, one in enumerate(hosts)}
        assert set(view.circuits) == set(view.switches)
        assert all(len(one) == 5 for one in view.transfers)
        return dict.fromkeys(view.switches, ring)

    def next_s(self) -> float | None:
        return 1e-3 if self.distance == 1 else None


def test_a_class_sets_the_switches_at_its_times() -> None:
    work = {"collective": "all-to-all", "algorithm": "pairwise", "size": "3 MB", "order": "steps"}
    made = scenario(topology__hosts=3, switching__policy="python", traffic__work=work)
    result = photocol.run(made, set={"switching.class": Rings, "switching.start": "warm"})
    first = (125 - 1) * PACKET_S / 2 + PACKET_S + 20e-6
    assert first < 1e-3
    # The second step's circuits come after a turn at 1 ms; its packets wait, and leave two at a time.
    expected = 1e-3 + 200e-6 + math.ceil(125 / 2) * PACKET_S + 20e-6
    assert result.summary["work_time"].value == pytest.approx(expected, abs=1e-12)
    assert result.manifest["laws"][f"{__name__}:Rings"]["calls"] >= 3
    circuits = result.probes["circuits"]
    assert circuits.height == 12
    assert set(circuits.filter(circuits["start_s"] == 0)["to"]) == {"n0", "n1", "n2"}


def deciding(answer: Callable[[Any], Any], later: Callable[[], Any] | None = None) -> type:
    """A policy that answers so."""
    methods: dict[str, Any] = {"decide": lambda _self, view: answer(view), "__module__": __name__}
    if later is not None:
        methods["next_s"] = lambda _self: later()
    made = photocol.policy(type("Made", (), methods))
    sys.modules[__name__].Made = made
    return made


def fails(_view: Any) -> None:
    raise ZeroDivisionError("no way")


@pytest.mark.parametrize(
    ("answer", "later", "words"),
    [
        (lambda _: {"o0": {"n0": "n1", "n2": "n1"}}, None, "two circuits of o0 lead to n1, from n0 and from n2"),
        (lambda _: {"o0": {"n0": "n0"}}, None, "a circuit of o0 leads from n0 to itself"),
        (lambda _: {"o2": {"n0": "n1"}}, None, "there is no switch \\\"o2\\\"; there are o0, o1"),
        (lambda _: {"o0": {"n0": "n9"}}, None, "there is no node \\\"n9\\\""),
        (lambda _: [1], None, "decide answers with a dict of switches"),
        (fails, None, "ZeroDivisionError: no way"),
        (lambda _: None, lambda: 0.0, "next_s answers with 0; allowed: more than now, 0 s, or None"),
        (lambda _: None, lambda: math.nan, "next_s answers with NaN"),
    ],
)  # fmt: skip
def test_a_policy_that_answers_wrongly_ends_the_run_and_is_named(
    answer: Callable[[Any], Any], later: Callable[[], Any] | None, words: str
) -> None:
    made = scenario(switching__policy="python")
    with pytest.raises(photocol.RunError, match=r"the policy .*:Made, decide at 0 s") as caught:
        photocol.run(made, set={"switching.class": deciding(answer, later)})
    assert words.replace('\\"', '"') in str(caught.value)


def test_a_policy_that_raises_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import photocol\n\n\ndef less(by):\n    return 1 / by\n\n\n@photocol.policy\nclass Mine:\n"
        "    def decide(self, view):\n        return less(0)\n"
    )
    made = scenario(switching__policy="python")
    with pytest.raises(photocol.RunError, match=r"mine\.py:Mine, decide at 0 s, line 11: ZeroDivisionError"):
        photocol.run(made, set={"switching.class": f"{file}:Mine"})


def test_a_file_has_the_policy_and_nothing_of_it_runs_in_a_check(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = "import photocol\n\n\n@photocol.policy\nclass Mine:\n    def decide(self, view):\n        return None\n"
    file.write_text(text)
    other = tmp_path / "other.py"
    other.write_text("import photocol\n\n\nclass Other:\n    pass\n\n\n@photocol.policy\nclass Mute:\n    pass\n")
    keys = {"switching.class": f"{file}:Mine"}
    made = scenario(switching__policy="python")
    assert photocol.check(made, set=keys)
    assert photocol.run(made, set=keys).summary["unfinished_tasks"].value == 48
    for name, words in (
        ("Other", "Other is not under @photocol.policy"),
        ("Mute", r"the policy Mute has no method decide"),
        ("None", "there is no None in"),
    ):
        with pytest.raises(photocol.ScenarioError, match=words):
            photocol.check(made, set={"switching.class": f"{other}:{name}"})
    with pytest.raises(photocol.ScenarioError, match='the key "class" is missing'):
        photocol.check(made)
    with pytest.raises(photocol.InputError, match="has no method decide"):
        photocol.policy(type("Dumb", (), {}))


def test_light_stands_below_the_ranks() -> None:
    result = photocol.run(scenario())
    table = rank_tasks(result)
    light = table.filter(table["kind"] == "light")
    # Five matchings on each of two switches, and a turn before each.
    assert light.height == 10
    ends, starts = light["end_s"].to_list(), light["begin_s"].to_list()
    gaps = [start - end for start, end in zip(starts[1:], ends[:-1], strict=True) if start > end]
    assert gaps == pytest.approx([200e-6] * 8)


def test_ndp_pulls_at_the_rate_of_the_circuits() -> None:
    """A ring of eight over a switch: 14 steps of 4 MB at 400 Gb/s, as UDP has them, with 20 us of light there and back.

    The packet network has 25 Gb/s, at which no data come. Receivers pull at what the circuits have, and a window holds
    the 250 packets of 40 us, so that each step has a round trip at most beside its bytes.
    """
    at = {"policy": "static", "strides": [1], "start": "warm"}
    udp = scenario(topology__packet_capacity="25 Gbps", topology__switches=1, traffic__rate=f"{GBPS} Gbps")
    udp["switching"].update(at)
    udp["traffic"][0]["work"]["algorithm"] = "ring"
    ndp = {**udp, "transport": {"udp": {"algorithm": "ndp", "packet_size": PACKET, "first_window": 270}}}
    ndp["traffic"] = [{key: value for key, value in udp["traffic"][0].items() if key != "rate"}]
    fluid = float(photocol.run(udp).summary["work_time"])
    with pytest.warns(UserWarning, match="packets"):
        pulled = float(photocol.run(ndp).summary["work_time"])
    assert fluid <= pulled <= fluid + 14 * 42e-6
