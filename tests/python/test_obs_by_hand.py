"""Load meter and source ordering of load-balanced burst switching, driven by hand; each number by arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from photocol.obs import LoadMeter, Path, Paths

MS = 1e-3


@pytest.mark.parametrize(("counting", "loads"), [("arrival", [0.7, 0.0]), ("clipped", [0.5, 0.2])])
def test_a_burst_across_the_end_counts_where_it_begins_or_in_both_parts(counting: Any, loads: list[float]) -> None:
    """τ of 100 ms: 30 ms from 10 on, and 40 ms from 80 on, of which 20 lie beyond."""
    meter = LoadMeter(0.1, counting=counting)
    meter.offer(10 * MS, 30 * MS)
    meter.offer(80 * MS, 40 * MS)
    assert [meter.end(), meter.end()] == pytest.approx(loads)


def test_a_clipped_burst_counts_in_each_interval_in_which_it_lies() -> None:
    """240 ms from 90 on are 10, 100, 100 and 30 of four τ of 100 ms; on one of four channels each is a quarter."""
    meter = LoadMeter(0.1, counting="clipped", channels=4)
    meter.offer(90 * MS, 240 * MS)
    assert [meter.end() for _ in range(5)] == pytest.approx([0.025, 0.25, 0.25, 0.075, 0])
    assert meter.ends_s == pytest.approx(0.6)
    with pytest.raises(ValueError, match=r"must be from 0\.5 s"):
        meter.offer(0.49, 0.01)


@pytest.mark.parametrize(
    ("ordering", "holds"),
    [
        # On the path of 60 ms a burst of 1 ms leaves at 100 ms and lands at 161; a new one is 10 ms on its way.
        ("drain", [41, 1, 0]),
        ("shift", [50, 50, 50]),
        ("always", [50, 50, 50]),
        ("off", [0, 0, 0]),
    ],
)
def test_bursts_on_the_shorter_path_are_held_behind_those_on_the_longer(ordering: Any, holds: list[float]) -> None:
    paths = Paths(Path(10 * MS), Path(60 * MS), ordering=ordering)
    assert paths.send(100 * MS, 1 * MS, path=1).hold_s == 0
    sent = [paths.send(t * MS, 1 * MS, path=0) for t in (110, 150, 160)]
    assert [burst.hold_s / MS for burst in sent] == pytest.approx(holds)
    assert [burst.switched for burst in sent] == [True, False, False]
    assert sent[0].arrives_s / MS == pytest.approx(110 + holds[0] + 10)
    assert paths.send(161 * MS, 1 * MS, path=1).hold_s == 0, "to the longer path nothing waits"


@pytest.mark.parametrize(("ordering", "hold"), [("off", 0), ("drain", 0), ("shift", 0), ("always", 50)])
def test_only_who_always_holds_does_so_before_a_longer_path_was_used(ordering: Any, hold: float) -> None:
    paths = Paths(Path(10 * MS), Path(60 * MS), ordering=ordering)
    assert [paths.send(t * MS, 1 * MS, path=0).hold_s / MS for t in (0, 1)] == pytest.approx([hold, hold])


def test_a_drain_counts_offsets_the_turn_and_a_late_departure() -> None:
    """It lands at 103 + 2 + 60 + 1 = 166 ms; 0.5 ms to turn; from 110 ms a burst needs 1 + 10 ms: held for 45.5 ms."""
    paths = Paths(Path(10 * MS, offset_s=1 * MS), Path(60 * MS, offset_s=2 * MS), turn=0.5 * MS, ordering="drain")
    paths.send(100 * MS, 1 * MS, path=1)
    paths.leave(103 * MS, 1 * MS, path=1)
    assert paths.send(110 * MS, 1 * MS, path=0).hold_s / MS == pytest.approx(45.5)


def test_the_path_changes_when_its_load_is_above_the_threshold_and_other_policies_go_on_from_a_scripted_path() -> None:
    paths = Paths(Path(10 * MS, [1]), Path(60 * MS, [2]))
    paths.tell(1, 0.05)
    assert not paths.review(), "5 % is not above 5 %"
    paths.tell(1, 0.051)
    assert paths.review()
    assert paths.send(0.5, 1 * MS).path == 1
    turns = Paths(Path(10 * MS), Path(60 * MS), policy="alternate")
    assert [turns.send(0, 1 * MS, path=1).path, turns.send(0, 1 * MS).path, turns.send(0, 1 * MS).path] == [1, 0, 1]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="counting is 'whole'"):
        LoadMeter(0.1, counting="whole")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="interval"):
        LoadMeter(0)
    paths = Paths(Path(0.01), Path(0.06))
    with pytest.raises(ValueError, match="path is 2, must be 0 or 1"):
        paths.send(0, 0.001, path=2)
    paths.send(1, 0.001)
    with pytest.raises(ValueError, match="the last call"):
        paths.send(0.5, 0.001)
    with pytest.raises(ValueError, match="delay is -1"):
        Paths(Path(-1), Path(0.06))
    with pytest.raises(TypeError, match="unknown option 'order'"):
        Paths(Path(0.01), Path(0.06), order="drain")  # type: ignore[call-arg]
