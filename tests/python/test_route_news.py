"""Senders that are told of routes over satellites: what they hear, when, and with which errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import photocol

ROOT = Path(__file__).resolve().parents[2]
S = 10**12
"""Picoseconds in a second."""
CONTACTS = """photocol-contacts,1
node,A,station,10,20
node,B,station,,
node,s1,satellite,,
node,s2,satellite,,
contact,0,2,0,500000000000,5000000000 5000000000
contact,0,3,1000000000000,1000000000000,5000000000 5000000000 5000000000 5000000000
contact,2,3,0,5000000000000,5000000000
contact,3,1,0,5000000000000,5000000000
route,0,0,1,0 2 3 1
route,1000000000000,0,1,0 3 1
route,2000000000000,0,1,
route,3000000000000,0,1,0 3 1
route,0,1,0,1 3 2 0
route,1000000000000,1,0,1 3 0
route,2000000000000,1,0,
route,3000000000000,1,0,1 3 0
"""


def heard(file: Path, contacts: str, news: dict[str, Any], **more: Any) -> list[tuple[Any, ...]]:
    """What a flow from A to B hears: (now, turn, division, capacity, round trip, time of the change)."""
    file.write_text(contacts)
    told: list[tuple[Any, ...]] = []

    @photocol.law
    class Listens:
        def on_ack(self, window: Any, event: Any) -> None:
            window.cwnd += 0

        def on_news(self, window: Any, news: Any) -> None:
            told.append((news.now, news.turn, news.division, news.capacity, news.base_rtt, news.at))

    capacity = {"laser_capacity": "1 Gbps", "ground_capacity": "1 Gbps"}
    photocol.run(
        {
            "run": {"duration": "4 s"},
            "topology": {"kind": "contacts", "path": str(file), **capacity},
            "transport": {"it": {"law": Listens, "mss": 1460, "ack_size": 40}},
            "traffic": [{"transport": "it", "from": "A", "to": "B"}],
            "news": [news],
            **more,
        }
    )
    return told


HOPS = 2 * (5e-3 + 1500 * 8 / 1e9) + 2 * (5e-3 + 40 * 8 / 1e9)
"""Two hops there for 1500 B, and two back for 40 B."""


@pytest.mark.parametrize("pair", ["all", "A->B", "A-B", ["A->B", "B->A"]])
def test_a_sender_hears_when_its_pair_has_another_route(tmp_path: Path, pair: str | list[str]) -> None:
    changes = [(1.0, "same", 1, 1e9, HOPS), (2.0, "down", None, 0.0, None), (3.0, "up", 1, 1e9, HOPS)]
    by_message = [
        (pytest.approx(at + 0.01), turn, number, capacity, rtt and pytest.approx(rtt, abs=1e-12), at)
        for at, turn, number, capacity, rtt in changes
    ]
    file = tmp_path / "contacts.csv"
    assert heard(file, CONTACTS, {"pair": pair, "way": "message", "delay": "10 ms"}) == by_message
    ahead = [(pytest.approx(at - 0.25), *rest) for (at, *_), (_, *rest) in zip(changes, by_message, strict=True)]
    assert heard(file, CONTACTS, {"pair": pair, "way": "schedule", "lead": "250 ms"}) == ahead


def test_capacity_is_the_least_of_the_way(tmp_path: Path) -> None:
    """The link s2->B has 0.4 Gb/s from 0.5 to 2.5 s, so the pair has that until it is cut off; then 1 Gb/s."""
    events = [
        {"at": "0.5 s", "link": "s2->B", "capacity": "400 Mbps"},
        {"at": "2.5 s", "link": "s2->B", "capacity": "1 Gbps"},
    ]
    told = heard(tmp_path / "contacts.csv", CONTACTS, {"pair": "all", "way": "message"}, event=events)
    of_interest = [(at, turn, number, capacity) for at, turn, number, capacity, *_ in told]
    assert of_interest == [
        (0.5, "down", 1, 4e8),
        (1.0, "same", 2, 4e8),
        (2.0, "down", None, 0.0),
        (3.0, "up", 3, 1e9),
    ]


def often(changes: int) -> str:
    """A pair whose route changes as often in 4 s, between s1 and s2, which both see A and B all the time."""
    ends = [(one, other) for one in (0, 1) for other in (2, 3)]
    lines = ["photocol-contacts,1", "node,A,station,10,20", "node,B,station,,"]
    lines += ["node,s1,satellite,,", "node,s2,satellite,,"]
    lines += [f"contact,{one},{other},0,{5 * S},5000000000" for one, other in ends]
    step = 4 * S // changes
    for source, sink in ((0, 1), (1, 0)):
        lines += [f"route,{n * step},{source},{sink},{source} {2 + n % 2} {sink}" for n in range(changes)]
    return "\n".join(lines) + "\n"


def test_errors_are_normal_with_the_deviations_that_are_asked_for(tmp_path: Path) -> None:
    """1999 changes: a mean is within 4 σ/√n of 0, a standard deviation within 4 σ/√(2n) of σ."""
    file, number = tmp_path / "contacts.csv", 2000
    news = {"pair": "all", "way": "schedule", "lead": "1 s", "time_error": "0.1 ms", "capacity_error": 0.1}
    told = heard(file, often(number), news)
    assert len(told) == number - 1
    true = np.arange(1, number) * 4 / number
    at = np.sort([row[-1] for row in told])
    late, wide = (at - true) / 1e-4, (np.array([row[3] for row in told]) / 1e9 - 1) / 0.1
    for errors in (late, wide):
        assert abs(errors.mean()) < 4 / np.sqrt(number)
        assert abs(errors.std() - 1) < 4 / np.sqrt(2 * number)
    assert all(row[0] == pytest.approx(max(row[-1] - 1, 0.0), abs=1e-9) for row in told[600:]), "told a second ahead"
    assert abs(np.corrcoef(late, wide)[0, 1]) < 0.1
    right = heard(file, often(number), {**news, "time_error": "0 s", "capacity_error": 0})
    assert [row[3] for row in right] == [1e9] * (number - 1)


def test_the_ready_made_contacts_are_those_of_the_constellation() -> None:
    """scenarios/traces/satellites.csv, as `photocol orbits --contacts` writes it."""
    from photocol.orbits import Constellation
    from photocol.orbits.contacts import contacts

    keys = {"serving": "every 15 s", "min_elevation": 25, "acquisition": "1 s", "step": "1 s", "orbit": "circular"}
    pair = ("London", "New York")
    made = Constellation.from_toml(
        {"kind": "constellation", "shell": {"name": "kuiper-630"}, "stations": list(pair), **keys}
    )
    assert (ROOT / "scenarios" / "traces" / "satellites.csv").read_text() == contacts(made, [pair], 60.0)
