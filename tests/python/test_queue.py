"""Queues driven by hand, with the numbers of their sources."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photocol.queue import Ecn, Packet, Queue, disciplines

ECN: tuple[Ecn, ...] = ("not-ect", "ect0", "ect1")


def test_there_are_these_disciplines() -> None:
    known = ["drop-tail", "step", "red", "codel", "fq-codel", "pie", "dualpi2", "priority", "drr"]
    assert disciplines()[: len(known)] == known
    for name in disciplines():
        assert Queue(name).dequeue(1.0) is None


def filled(queue: Queue, flows: list[int], size: int = 1500) -> Queue:
    for flow in flows:
        assert queue.enqueue(0.0, flow, size) == []
    return queue


def order(queue: Queue, t: float = 0.0) -> list[int]:
    leaving = iter(lambda: queue.dequeue(t), None)
    return [packet.number for packet in leaving]


def test_drop_tail_drops_what_has_no_room() -> None:
    queue = filled(Queue(buffer="3 kB"), [1, 2])
    assert queue.enqueue(0.0, 3, 1500, ecn="ect0") == [Packet(2, 3, 1500, "ect0", 0, 0.0, "congestion")]
    assert (queue.packets, queue.bytes, order(queue)) == (2, 3000, [0, 1])


def test_a_step_marks_what_finds_its_threshold() -> None:
    queue = Queue("step", threshold="2 packets")
    for _ in range(3):
        queue.enqueue(0.0, 1, 1500, ecn="ect0")
    assert [queue.dequeue(0.0).marked for _ in range(3)] == [False, False, True]  # type: ignore[union-attr]


def test_red_averages_and_its_idle_time_begins_when_it_is_empty() -> None:
    queue = Queue("red", q_weight=0.5, mean_packet_size=500, capacity="10 Mbps")
    for expected in (0.0, 0.5, 1.25):  # halfway to 0, 1 and 2 packets
        queue.enqueue(0.0, 1, 500)
        assert queue.figures["average"] == expected
    order(queue, 0.001)
    # 500 B at 10 Mb/s last 0.4 ms: at 2.2 ms it has been idle for three packets.
    queue.enqueue(0.0022, 1, 500)
    assert queue.figures["average"] == 1.25 / 8


def test_codel_drops_closer_and_closer() -> None:
    """RFC 8289: after an interval, then after interval/√1, /√2, /√3; here in steps of a millisecond."""
    queue, dropped = Queue("codel"), []
    for ms in range(440):
        for _ in range(4):
            queue.enqueue(ms / 1000, 1, 1500)
        if ms >= 50:
            queue.dequeue(ms / 1000)
            dropped += [ms - 50] * len(queue.dropped)
    at, expected = 100.0, [100]
    for count in range(1, 5):
        at += 100 / math.sqrt(count)
        expected.append(math.ceil(at - 1e-9))
    assert dropped[:5] == expected


@pytest.mark.parametrize(("reading", "expected"), [("sends", [0, 1, 2, 4, 5, 6]), ("waits", [0, 1, 4, 5, 2, 3])])
def test_fq_codel_at_a_credit_of_exactly_zero(reading: str, expected: list[int]) -> None:
    queue = Queue("fq-codel", flows=0, quantum=1514, zero_credit=reading)  # type: ignore[arg-type]
    assert order(filled(queue, [1, 1, 1, 1, 2, 2, 2, 2], size=757))[:6] == expected


def test_pie_moves_its_probability_by_alpha_and_beta() -> None:
    """By timestamps: 40 ms after 14 ms move it by 0.125 (40 − 15) + 1.25 (40 − 14) ms, over 2048 while it is small."""
    queue = filled(Queue("pie", delay="timestamps"), [1, 1, 1])
    queue.dequeue(0.014)
    queue.dequeue(0.040)  # updates at 15 and 30 ms saw a delay of 14 ms
    before = queue.figures["probability"]
    queue.enqueue(0.046, 1, 1500)  # and the one at 45 ms one of 40 ms
    step = 0.125 * (0.040 - 0.015) + 1.25 * (0.040 - 0.014)
    scale = 2048 if before < 1e-6 else 512
    assert queue.figures["probability"] == pytest.approx(before + step / scale, rel=1e-9)


@pytest.mark.parametrize(("reading", "delay_s"), [("rate", 29 * 1500 * 0.012 / 2**14), ("timestamps", 0.012)])
def test_pie_reads_its_delay_from_departures_or_from_the_last_packet(reading: str, delay_s: float) -> None:
    """40 packets of 1500 B wait from 0 on, and one leaves every 1.2 ms.

    By the rate (RFC 8033 §5.2): 2^14 B are taken to have left in the 12 ms up to the eleventh, and 29 packets wait.
    By time stamps: the eleventh has waited for 12 ms.
    """
    queue = filled(Queue("pie", delay=reading), [1] * 40)  # type: ignore[arg-type]
    for number in range(11):
        queue.dequeue(0.0012 * number)
    assert queue.figures["delay_s"] == pytest.approx(delay_s)


def test_dualpi2_couples_its_queues() -> None:
    """RFC 9332 §2.1: p_C = p′², p_CL = 2 p′; after 90 ms of a packet that waits p′ = 0.15 Σ(d − 15 ms) + 3 · 90 ms."""
    queue = filled(Queue("dualpi2"), [1])
    queue.enqueue(0.1, 2, 1500, ecn="ect1")
    base = 0.15 * sum(0.015 * number - 0.015 for number in range(1, 7)) + 3 * 0.09
    figures = queue.figures
    assert figures["p_base"] == pytest.approx(base)
    assert (figures["p_classic"], figures["p_coupled"]) == (pytest.approx(base**2), pytest.approx(2 * base))
    packet = queue.dequeue(0.1)
    assert packet is not None
    assert (packet.flow, packet.marked) == (2, False), "the L queue is first; 0.61 of a mark is none yet"


def test_priority_and_deficit_round_robin() -> None:
    bands = Queue("priority")
    for priority in (2, 0, 1, 0):
        bands.enqueue(0.0, 1, 100, priority=priority)
    assert order(bands) == [1, 3, 2, 0]
    turns = Queue("drr", quantum=500)
    for flow, size in ((1, 200), (1, 750), (1, 20), (2, 500), (2, 500)):  # figures 3 and 4 of the paper
        turns.enqueue(0.0, flow, size)
    assert order(turns) == [0, 3, 1, 2, 4]


@given(
    name=st.sampled_from(disciplines()),
    steps=st.lists(
        st.tuples(st.booleans(), st.integers(0, 20), st.integers(0, 4), st.integers(1, 1500), st.sampled_from(ECN)),
        max_size=80,
    ),
)
def test_every_packet_leaves_once_or_is_dropped_once(name: str, steps: list[tuple[bool, int, int, int, Ecn]]) -> None:
    queue, fates, t, came = Queue(name, buffer="10 packets"), [], 0.0, 0
    for comes, gap, flow, size, ecn in steps:
        t += gap / 1000
        if comes:
            fates += [packet.number for packet in queue.enqueue(t, flow, size, ecn=ecn)]
            came += 1
        else:
            waiting, packet = queue.packets, queue.dequeue(t)
            fates += [packet.number for packet in queue.dropped]
            fates += [] if packet is None else [packet.number]
            assert packet is not None or waiting == len(queue.dropped)
        assert queue.packets <= 10
    while queue.packets:
        t += 0.001
        packet = queue.dequeue(t)
        fates += [packet.number for packet in queue.dropped] + ([] if packet is None else [packet.number])
    assert sorted(fates) == list(range(came))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Queue("blue"), "there is no queue discipline 'blue'; there are drop-tail, step, red"),
        (lambda: Queue("red", min_th="9 packets", max_th="3 packets"), "max_th must be above min_th"),
        (lambda: Queue("codel", target=0.2), "target must be below interval"),
        (lambda: Queue("dualpi2", k=0.0), "k must be from 0.5 to 16"),
        (lambda: Queue("red", min_th="9 apples"), "min_th is '9 apples': unknown unit 'apples'"),
        (lambda: Queue(buffer="many"), "buffer is 'many'"),
        (lambda: Queue().enqueue(0.0, 1, 0), "size is 0, must be from 1 to 65535 B"),
        (lambda: Queue().enqueue(0.0, 1, 40, ecn="ect2"), "ecn is 'ect2', must be one of"),  # type: ignore[arg-type]
        (lambda: Queue().dequeue(-1.0), "t is -1 s"),
    ],
)
def test_bad_input_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_an_option_of_another_discipline_is_refused() -> None:
    with pytest.raises(TypeError, match="unknown option 'target'"):
        Queue("drr", target=0.1)
