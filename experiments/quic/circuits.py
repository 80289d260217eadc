"""A circuit that comes for 180 µs once in 4.8 ms (reTCP's week): QUIC-CUBIC and QUIC-BBRv3 beside linux-cubic.

Sixteen flows of packets of 9000 B share a packet switch of 10 Gb/s and, in its day, a circuit of 80 Gb/s, over a queue
of K packets, or of 16 that grow to 50 from 1200 µs before the day until its end. The testbed runs all this 20 times
slower under hosts that do not know of it. So do we (`slowed`); beside it stands the network as it is (`real`), where
QUIC's clocks are long: its granularity of 1 ms is a fifth of a week, its max_ack_delay of 25 ms five weeks.

The expected values and tolerances below were committed before the first run of QUIC over racks. By arithmetic:

- A day lasts for 200 packets, or some five round trips by circuit. The windows of all flows together are what the queue
  and the way hold, K and two. That is so for every law that fills its queue, so QUIC-CUBIC that does not pace has what
  is published of CUBIC, if it repairs as well.
- A pacer lets out a burst, and then 1.25 windows in a smoothed round trip. RFC 9002's initial window is two packets of
  9000 B, so that is the burst. Before the day all flows together have the packet switch's rate, of which a day takes 25
  packets. 1.25 times that are 31, and up to half as many more as the smoothed round trip falls. So a day takes K
  packets that wait, 32 of the bursts and some 38: (K + 70)/200, 51 % with 32 packets and 67 % with 64.
- Least windows are two packets, 32 in all. With K of 4 and 8 some are lost at all times. A PTO comes after a round trip
  and 26 ms, a timeout after 200 ms; two weeks are 192 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, above, at_least, below, near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, UnderReadings, grid
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Outcome, Point, RunResult, Value

LINUX, QUIC, UNPACED = "linux-cubic", "QUIC-CUBIC", "QUIC-CUBIC, not paced"
QUIC_BBR, BBR = "QUIC-BBRv3", "BBRv3 over TCP"
KERNEL: dict[str, Value] = {
    "recovery": "linux",
    "undo": "both",
    "timestamps": True,
    "handshake": True,
    "initial_window": 10,
    "delayed_ack": "40 ms",
    "quick_acks": 16,
    "timer_restart": "linux",
}
"""What BBRv3 over TCP has of Linux's hosts: `linux-cubic` without its law."""
SENDERS: dict[str, dict[str, Value]] = {
    LINUX: {"algorithm": "linux-cubic"},
    QUIC: {"algorithm": "quic-cubic"},
    UNPACED: {"algorithm": "quic-cubic", "paced": False},
    QUIC_BBR: {"algorithm": "quic-bbr3"},
    BBR: {"algorithm": "bbr3", **KERNEL},
}
LOOKS = {
    LINUX: ("#0072B2", "-o"),
    QUIC: ("#009E73", "--^"),
    UNPACED: ("#009E73", "-^"),
    QUIC_BBR: ("#D55E00", "-s"),
    BBR: ("#E69F00", ":D"),
}
SLOWED, REAL = "slowed", "real"
SLOWER = {SLOWED: 20, REAL: 1}
PLACES, RESIZED, LEAD_US = (4, 8, 16, 32, 64, 128), 50, 1200
STATIC, AHEAD = "static", "resized"
USUAL = 16
PUBLISHED = dict(zip(PLACES, (21.25, 31.09, 48.67, 76.74, 99.89, 99.91), strict=True))
"""Utilization in per cent by CUBIC: Mukerjee et al. (NSDI 2020), as in circuits/static."""
WEEK_MS, FULL_WEEKS, QUICK_WEEKS = 4.8, (100, 600), (20, 60)
"""Weeks before the measurement, and those that are measured."""
CAPACITY_BPS = 10e9
"""Of the packet switch, which is how slow a network is."""
DAY, BURSTS, PACED = 200, 32, 38
"""Packets: of a day, of the bursts of all pacers, and of their rate in a day."""


def scenario(time: str, transport: Mapping[str, Value], switching: Mapping[str, Any]) -> dict[str, Any]:
    """Sixteen flows from rack to rack, so many times slower than they are."""
    slower = SLOWER[time]
    return {
        "topology": {
            "kind": "racks",
            "racks": 25,
            "hosts": 16,
            "host_capacity": f"{40 / slower:g} Gbps",
            "host_delay": f"{slower} us",
            "packet_capacity": f"{10 / slower:g} Gbps",
            "packet_delay": f"{5 * slower} us",
            "circuit_capacity": f"{80 / slower:g} Gbps",
            "circuit_delay": f"{30 * slower} us",
        },
        "switching": {
            "kind": "circuits",
            "day": f"{180 * slower} us",
            "night": f"{20 * slower} us",
            "cut_through": True,
            **switching,
        },
        "transport": {"ours": {"packet_size": 9000, **transport}},
        "traffic": [{"transport": "ours", "flows": 16, "spread": f"{WEEK_MS * slower:g} ms"}],
    }


def setup(point: Point) -> Setup:
    """A sender with a static queue, or one that grows before the day."""
    time, places = str(point["time"]), int(point["places"])
    slower, (before, measured) = SLOWER[time], FULL_WEEKS if point["weeks"] == FULL_WEEKS[1] else QUICK_WEEKS
    switching: dict[str, Any] = {"buffer": f"{places} packets"}
    if point["queue"] == AHEAD:
        switching |= {"resized_buffer": f"{RESIZED} packets", "lead": f"{LEAD_US * slower} us"}
    week_ms = WEEK_MS * slower
    run = {"warm_up": f"{before * week_ms:g} ms", "duration": f"{(before + measured) * week_ms:g} ms"}
    return Setup(scenario={"run": run, **scenario(time, SENDERS[str(point["sender"])], switching)})


def points(times: tuple[str, ...], places: tuple[int, ...], weeks: int) -> tuple[Point, ...]:
    """Every sender with static queues and with the one that grows."""
    axes: dict[str, Any] = {"sender": list(SENDERS), "time": times, "weeks": [weeks]}
    return (*grid(queue=[STATIC], places=places, **axes), *grid(queue=[AHEAD], places=[USUAL], **axes))


def measure(result: RunResult) -> dict[str, float]:
    """Utilization of the circuit; its prices are latency, in the network's time, and packets sent again."""
    found = {name: figure.value for name, figure in result.summary.items()}
    [way] = result.links.filter(pl.col("link") == "t0->packet").iter_rows(named=True)
    capacity_bps = way["carried_bits"] / (way["utilization"] * found["measured_time"])
    return {
        "utilization_percent": 100 * found["circuit_utilization"],
        "p99_us": 1e6 * found["latency_p99"] * capacity_bps / CAPACITY_BPS,
        "again_percent": 100 * found["retransmissions"] / found["segments_sent"],
    }


METRICS = (
    Metric(name="utilization_percent", label="utilization of the circuit (%)", form=".2f"),
    Metric(name="p99_us", label="99 % latency (µs of the network's time)", form=".1f"),
    Metric(name="again_percent", label="packets sent again (%)", form=".2f"),
)


def along(sender: str, time: str, metric: str = "utilization_percent") -> Values:
    """A metric of a sender along K."""
    return values(metric, "places", form=".1f", sender=sender, time=time, queue=STATIC).told(".1f", "", sender)


def grown(sender: str, time: str) -> Values:
    """Utilization with the queue that grows."""
    return values("utilization_percent", form=".1f", sender=sender, time=time, queue=AHEAD).told(".1f", " %", sender)


def is_small(places: int) -> bool:
    """Whether the least windows of all flows do not fit."""
    return places <= 8


def by_pacing(places: int) -> float:
    """Per cent of a day by arithmetic."""
    return min(100.0, 100 * (places + BURSTS + PACED) / DAY)


def is_paced(places: int) -> bool:
    """Whether a window holds more than the pacer lets out in a day, and the day is not full."""
    return places in (32, 64)


def as_published(time: str) -> Predicate:
    """QUIC-CUBIC without pacing has CUBIC's published shares from K = 16 on."""
    found = along(UNPACED, time).among(lambda places: not is_small(places))
    return near(found, PUBLISHED.__getitem__, by=10, in_shape=20)


def paced(time: str) -> Predicate:
    """The pacer's arithmetic; in shape: ten points less than without."""
    found = along(QUIC, time).among(is_paced)
    less = below(found - along(UNPACED, time), -10)
    return near(found, by_pacing, by=10, in_shape=less)


def ahead(time: str) -> Predicate:
    """A queue that grows before the day, beside Linux."""
    found = grown(UNPACED, time)
    return at_least(found - grown(LINUX, time), -10, in_shape=-20).saying(found, grown(LINUX, time))


def paced_ahead(time: str) -> Predicate:
    """The same arithmetic with the room of the grown queue."""
    found = grown(QUIC, time)
    less = below(found - grown(UNPACED, time), -10)
    return near(found, by_pacing(RESIZED), by=10, in_shape=less).telling(grown(UNPACED, time))


def small(time: str) -> Predicate:
    """With small queues the quicker timer uses more."""
    found, other = (along(sender, time).among(is_small) for sender in (UNPACED, LINUX))
    return above(found, other).telling(other)


def bbr(time: str) -> Predicate:
    """BBR uses less of the circuit than CUBIC, with 16 packets and with the queue that grows."""
    still = along(QUIC_BBR, time).at(USUAL) - along(UNPACED, time)
    growing = grown(QUIC_BBR, time) - grown(UNPACED, time)
    both = below(still, 0) & below(growing, 0)
    return both.in_shape(below(still, 0)).saying(along(QUIC_BBR, time), grown(QUIC_BBR, time))


def same_law(time: str) -> Predicate:
    """BBRv3 under QUIC beside TCP."""
    apart = (along(QUIC_BBR, time) - along(BBR, time)).told("+.1f", " points", "QUIC-BBRv3 less TCP's")
    return near(apart, 0, by=10, in_shape=20)


def latency(time: str) -> Predicate:
    """The price of K is the same to all who fill it."""
    found = along(UNPACED, time, "p99_us") / along(LINUX, time, "p99_us")
    return near(found.told(".2f", name="over linux-cubic's"), 1, by=0.05, in_shape=0.15)


def again(time: str) -> Predicate:
    """The price of the quicker timer."""
    found, other = (along(sender, time, "again_percent").among(is_small) for sender in (UNPACED, LINUX))
    return above(found, other).telling(other)


CHECKS = {
    "published": as_published,
    "pacing": paced,
    "ahead": ahead,
    "pacing-ahead": paced_ahead,
    "small": small,
    "again": again,
    "bbr": bbr,
    "bbr-host": same_law,
    "latency": latency,
}


REASONS = {
    "pacing-ahead": "the smoothed round trip lags behind a queue that has just grown, so the rate is higher. With 50 "
    "packets for good it is 57.5 %, with a lead of 2400 µs 58.9 (trials)",
    "small": "a PTO always waits for an ACK that may be 25 ms late, RACK-TLP's probe only for that of a lone segment. "
    "Told 1 ms, QUIC uses 43.7 and 48.7 %, and sends 47.0 and 39.4 % of its packets again (trials)",
}


def claim(name: str, text: str, where: str, expected: str, tolerance: str) -> Claim:
    """One that is judged in slowed time, and under the other reading beside it."""
    return Claim(
        id=name,
        text=text,
        whose="ours",
        where=where,
        expected=expected,
        tolerance=tolerance,
        reason=REASONS.get(name, ""),
        check=CHECKS[name](SLOWED),
    )


CLAIMS = (
    claim(
        "published",
        "QUIC-CUBIC that does not pace uses as much of the circuit as is published of CUBIC, from 16 packets on",
        "Mukerjee et al., §5",
        "48.67, 76.74, 99.89 and 99.91 % with 16, 32, 64 and 128 packets",
        "within 10 points at each; in shape: 20",
    ),
    claim(
        "pacing",
        "a pacer that knows the round trip of the night holds the day back",
        "RFC 9002 §7.7, §7.2; (K + 70)/200",
        "51 % with 32 packets and 67 % with 64",
        "within 10 points; in shape: 10 points less than without pacing",
    ),
    claim(
        "ahead",
        "a queue that grows before the day serves QUIC-CUBIC that does not pace as it serves linux-cubic",
        "Mukerjee et al., §5; circuits/laws",
        "linux-cubic's share, 90.7 % in circuits/laws",
        "at most 10 points less; in shape: 20",
    ),
    claim(
        "pacing-ahead",
        "and serves a paced one less",
        "(50 + 70)/200",
        "60 %",
        "within 10 points; in shape: 10 points less than without pacing",
    ),
    claim(
        "small",
        "with queues of 4 and 8 packets QUIC-CUBIC that does not pace uses more than linux-cubic",
        "RFC 9002 §6.2.1",
        "more; no number",
        "more with each",
    ),
    claim(
        "again",
        "and sends more again for it",
        "RFC 9002 §6.2.4, §7.2",
        "a larger share of its packets; no number",
        "more with each",
    ),
    claim(
        "bbr",
        "QUIC-BBRv3 uses less of the circuit than QUIC-CUBIC, as BBR is published below CUBIC",
        "result log 1581462196-nsdi2020: 26.43 and 48.67 %, resized 42.81 and 78.56",
        "less with 16 packets, and with the queue that grows",
        "less; in shape: with 16 packets",
    ),
    claim(
        "bbr-host",
        "BBRv3 uses the circuit alike under QUIC and TCP: it is the law's",
        "draft-ietf-ccwg-bbr",
        "the same at each K",
        "within 10 points; in shape: 20",
    ),
    claim(
        "latency",
        "who fills the queue pays for it alike",
        "K · 7.2 µs",
        "linux-cubic's 99 % latency at each K",
        "within 5 %; in shape: 15 %",
    ),
)


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim in slowed time and in the network's own."""
    ran = [time for time in SLOWER if time in set(outcome.table["time"].to_list())]
    return [
        UnderReadings(claim=one.text, where=one.where, findings={time: CHECKS[one.id](time)(outcome) for time in ran})
        for one in CLAIMS
    ]


experiment = Experiment(
    id="quic/circuits",
    title="reTCP's week of circuits: QUIC-CUBIC and QUIC-BBRv3 beside linux-cubic",
    source=Source(
        paper="ours, after Mukerjee et al. (NSDI 2020) and RFC 9002", figures="circuits/static", section="§5"
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points((SLOWED,), (4, 8, 16, 32, 64), QUICK_WEEKS[1]),
        replications=2,
        note="60 of 600 weeks, slowed time alone, two of five seeds",
    ),
    full=Form(points=points((SLOWED, REAL), PLACES, FULL_WEEKS[1]), replications=5),
    claims=CLAIMS,
    readings=side_by_side,
    plots=[
        Plot(
            name="utilization",
            draw=Lines(
                "places",
                "utilization_percent",
                ("K, packets that may wait", "utilization of the circuit (%)"),
                by="sender",
                of=list(LOOKS),
                where={"queue": STATIC, "time": SLOWED},
                looks=LOOKS,
                expected={"CUBIC, published": PUBLISHED},
                scales="2",
            ),
        ),
    ],
    notes=(
        "slowed: rates are a twentieth and times twenty times those of the network, hosts keep their clocks, as the "
        "testbed ran. real: nothing is slowed. Latencies are told in the network's time.",
        "QUIC's packets have 9000 B as TCP's. An initial window, and the burst of a pacer, are two of them (RFC 9002 "
        "§7.2).",
    ),
)
