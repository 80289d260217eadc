"""Slots and clocks by hand: `photocol.control.encode`, `decode`, `ClockFilter`."""

from __future__ import annotations

import pytest
from wire_bytes import KEY, VECTORS

from photocol import control
from photocol.errors import InputError

MS = 10**9


@pytest.mark.parametrize("name", VECTORS)
def test_slots_are_the_specifications_bytes_both_ways(name: str) -> None:
    header, blocks = control.decode(VECTORS[name], key=KEY)
    assert control.encode(header, blocks, key=KEY) == VECTORS[name]


def test_a_request_is_read_by_names() -> None:
    header, blocks = control.decode(VECTORS["request"])
    assert (header["class"], header["source"], header["stamp"]) == ("Signalling", 5, "Follows")
    wishes = [{"destination": 1, "slots": 4}, {"destination": 2, "slots": 70_000}]
    assert blocks == [
        ("follow-up", {"sequence": 12, "sent_at": 399}),
        ("request", {"term": 9, "frame": 7, "wishes": wishes}),
    ]


def test_what_is_wrong_is_said() -> None:
    header, _ = control.decode(VECTORS["empty"])
    with pytest.raises(InputError, match="not made with the network's key"):
        control.decode(VECTORS["empty"], key=KEY[::-1])
    with pytest.raises(InputError, match="end before"):
        control.decode(VECTORS["empty"][:-1])
    with pytest.raises(InputError, match="'sent_at' is not there"):
        control.encode(header, [("follow-up", {"sequence": 1})], key=KEY)
    with pytest.raises(InputError, match="'sequence' has a value of another kind, or out of its range"):
        control.encode(header, [("follow-up", {"sequence": -1, "sent_at": 0})], key=KEY)
    with pytest.raises(InputError, match="allowed: 16 or more"):
        control.encode(header, [], key=b"short")


def test_a_clock_that_drifts_and_is_off_is_followed() -> None:
    # The other clock gains 40 ppm and is 2 s ahead; the way takes 3 ms.
    clock = control.ClockFilter()
    other = [sent + sent // 25_000 + 2_000 * MS + 3 * MS for sent in range(0, 2_000 * MS, 4 * MS)]
    for sent, received in zip(range(0, 2_000 * MS, 4 * MS), other, strict=True):
        assert clock.one_way(sent, received) == "taken"
    estimate = clock.estimate(1_996 * MS)
    assert estimate is not None
    assert estimate.difference_ps == pytest.approx(2_003 * MS + 1_996 * MS // 25_000, abs=1_000)
    assert estimate.drift == pytest.approx(40e-6, abs=1e-9)
    line = clock.regression(1_996 * MS)
    assert line is not None
    assert line[0] == pytest.approx(estimate.difference_ps, abs=1_000)
    assert clock.send_time(other[-1]) == pytest.approx(1_996 * MS, abs=1_000)
    assert clock.restarts == 0
    assert clock.one_way(0, 0) == "stale"


def test_nothing_is_known_at_first_and_bad_options_are_refused() -> None:
    clock = control.ClockFilter()
    assert clock.estimate(0) is None
    assert clock.send_time(0) is None
    assert clock.two_way(0, 500, 600, 900) == "taken"
    with pytest.raises(InputError, match="1 or more"):
        control.ClockFilter(stamp_error_ps=0)


@pytest.mark.parametrize(
    ("here", "there"),
    [(0, 0), (1_795_000_000 * 10**12, 1_795_000_000 * 10**12), (1_795_000_000 * 10**12, 77), (-(10**24), 10**24)],
)
def test_clocks_count_from_any_epoch(here: int, there: int) -> None:
    # The way takes 3 ms and the other clock gains 40 ppm from the first sample on, whatever the two show then.
    clock = control.ClockFilter()
    for sent in range(0, 2_000 * MS, 4 * MS):
        assert clock.one_way(here + sent, there + sent + sent // 25_000 + 3 * MS) == "taken"
    estimate = clock.estimate(here + 1_996 * MS)
    assert estimate is not None
    assert estimate.difference_ps - (there - here) == pytest.approx(3 * MS + 1_996 * MS // 25_000, abs=1_000)
    line = clock.regression(here + 1_996 * MS)
    assert line is not None
    assert line[0] - estimate.difference_ps == pytest.approx(0, abs=1_000)
    arrival = there + 2_000 * MS + 2_000 * MS // 25_000 + 3 * MS
    leaves = clock.send_time(arrival)
    assert leaves is not None
    assert leaves - here == pytest.approx(2_000 * MS, abs=1_000)
    with pytest.raises(InputError, match="a reading 115 days from the first sample's; allowed: up to 106 days"):
        clock.estimate(here + 10**19)


def test_an_exchange_of_two_clocks_of_different_epochs_gives_their_difference() -> None:
    clock = control.ClockFilter()
    here, there = 1_795_000_000 * 10**12, 5
    for sent in range(0, 400 * MS, 4 * MS):
        arrived = sent + 2 * MS
        assert clock.two_way(here + sent, there + arrived, there + arrived + MS, here + arrived + 3 * MS) == "taken"
    estimate = clock.estimate(here + 400 * MS)
    assert estimate is not None
    assert estimate.difference_ps == pytest.approx(there - here, abs=1)
