"""Lost ACKs: retransmissions of data that had arrived, by QUIC-CUBIC, linux-cubic and CUBIC with SACK alone.

The path loses up to half of all ACKs, each for itself, and no data but where a queue is full. Two loads. *small*: flows
of ten packets that all leave at once over 50 ms. *overshoot*: one flow after another of 3 MB over 20 Mb/s and 50 ms, a
way of 125 packets, with room for 125 more; slow start fills it and goes on for a round trip. All packets have 1000 B.

The expected values and tolerances below were committed before the first run. By arithmetic, q the share of ACKs lost:

- *small*: only the last ACK says that all has arrived. Each timer sends one segment, and its ACK is lost with q again:
  q/(1 − q) segments for nothing. A PTO sends two packets, and one ACK answers both: twice as many. With one packet it
  is as many as TCP's.
- The timeout is 200 ms from an ACK that came after 50 ms, and doubles: 50 + 50 q + 200 q/(1 − 2 q), 215 ms with q =
  0.3. A PTO counts from the packet. Of five ACKs the last is lost and 2.8 others arrive, so it is 50 + 60 + 25 ms: 50 +
  135 q/(1 − 2 q), 151 ms.
- *overshoot*: slow start sends two packets for each that arrives, so every second is dropped, 250 of 500, and each of
  the other 250 is a block of its own. An ACK with three blocks or ranges names it, and so do the next two: never heard
  of are q³ of them, 31 of 250 with q = 0.5, and they are sent again. With 32 ranges it is q³².
- TCP's slow start grows by one segment for each ACK. With half of the ACKs lost it sends three packets for two, so
  blocks have two, and five or six ACKs name each packet: 250 (q⁵ + q⁶)/2 = 6. RACK hears of no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.claims import Values, at_most, below, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from photocol.experiment import Point, RunResult, Value

SACK, LINUX, QUIC = "CUBIC, SACK", "linux-cubic", "QUIC-CUBIC"
THREE, ONE = "QUIC-CUBIC, three ranges", "QUIC-CUBIC, one probe"
OF_QUIC: dict[str, Value] = {"algorithm": "quic-cubic"}
SENDERS: dict[str, dict[str, Value]] = {
    SACK: {"algorithm": "cubic", "timestamps": True},
    LINUX: {"algorithm": "linux-cubic", "hystart": False, "handshake": False},
    QUIC: OF_QUIC,
    THREE: {**OF_QUIC, "ack_ranges": 3},
    ONE: {**OF_QUIC, "pto_packets": 1},
}
"""With timestamps SACK has room for three blocks, and packets carry 988 B. HyStart would leave nothing of the
overshoot. A handshake whose answer is lost waits for a second: nobody has one here."""
LOOKS = {
    SACK: ("#0072B2", "--s"),
    LINUX: ("#56B4E9", ":D"),
    QUIC: ("#009E73", "-^"),
    THREE: ("#D55E00", "-o"),
}
SMALL, OVERSHOOT = "small", "overshoot"
LOADS: dict[str, tuple[str, str, list[dict[str, Any]]]] = {
    SMALL: ("100 Mbps", "unlimited", [{"arrivals": "poisson", "count": 6000, "over": "200 s", "size": "9800 B"}]),
    OVERSHOOT: (
        "20 Mbps",
        "125 packets",
        [{"flows": 1, "start": f"{10 * number} s", "size": "3 MB"} for number in range(20)],
    ),
}
"""Capacity and room of the bottleneck, and what is sent."""
LOSSES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
USUAL, MOST = 0.3, 0.5
BETWEEN_HOLES = 250
"""Packets of a flow that arrive between dropped ones."""


def setup(point: Point) -> Setup:
    """A dumbbell whose way back loses ACKs."""
    capacity, room, traffic = LOADS[str(point["load"])]
    transport: dict[str, Value] = {"packet_size": "1000 B", "header": "0 B", **SENDERS[str(point["sender"])]}
    return Setup(
        scenario={
            "run": {"duration": "300 s"},
            "topology": {
                "kind": "dumbbell",
                "bottleneck_capacity": capacity,
                "bottleneck_delay": "23 ms",
                "bottleneck_buffer": room,
                "access_delay": "1 ms",
            },
            "link": [{"from": "right", "to": "left", "duplex": False, "loss": float(point["loss"])}],
            "transport": {"ours": transport},
            "traffic": [{"transport": "ours", **one} for one in traffic],
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """What a flow sends again beyond what was dropped, how long flows take, and how often a timer expires."""
    flows, drops = result.flows, result.drops
    times_ms = 1000 * (flows["end_s"] - flows["start_s"])
    dropped = float(drops.filter(drops["class"] == "data")["units"].sum())
    return {
        "needless": (float(flows["retransmissions"].sum()) - dropped) / len(flows),
        "mean_ms": float(times_ms.mean()),  # type: ignore[arg-type]
        "timeouts": float(flows["timeouts"].sum()) / len(flows),
        "dropped": dropped / len(flows),
    }


METRICS = (
    Metric(name="needless", label="packets of a flow sent again that had arrived", form=".3f"),
    Metric(name="mean_ms", label="mean time of a flow (ms)", form=".1f"),
    Metric(name="timeouts", label="timeouts, or PTOs, of a flow", form=".2f"),
    Metric(name="dropped", label="packets of a flow dropped", form=".1f"),
)


def along(sender: str, load: str, metric: str = "needless") -> Values:
    """A metric of a sender along the loss of ACKs."""
    return values(metric, "loss", form=".2f", sender=sender, load=load).told(".2f", name=sender)


def over(sender: str, other: str, load: str, metric: str = "needless") -> Values:
    """A sender's beside another's where ACKs are lost."""
    ratio = along(sender, load, metric) / along(other, load, metric)
    return ratio.among(is_lossy).told(".2f", name=f"{sender} over {other}")


def is_lossy(loss: float) -> bool:
    """Whether ACKs are lost at all."""
    return loss > 0


def is_much(loss: float) -> bool:
    """Where three ranges are not enough."""
    return loss > 0.25


def by_timer(packets: int) -> Callable[[float], float]:
    """Packets for nothing of a small flow whose timer sends so many at once."""
    return lambda loss: packets * loss / (1 - loss)


def by_ranges(loss: float) -> float:
    """Packets for nothing where three ranges name each packet three times, and of the flow's end."""
    return BETWEEN_HOLES * loss**3 + by_timer(2)(loss)


def by_blocks(loss: float) -> float:
    """The same of TCP where half of the ACKs are lost."""
    return BETWEEN_HOLES * (loss**5 + loss**6) / 2 + by_timer(1)(loss)


def tail(name: str, sender: str, packets: int, where: str) -> Claim:
    """What the end of a small flow costs."""
    found = (along(sender, SMALL).among(is_lossy) / by_timer(packets)).told(".2f", name=f"{sender} over arithmetic")
    return Claim(
        id=name,
        text=f"{sender}: where the last ACK is lost a timer sends {packets} of what has arrived",
        whose="ours",
        where=where,
        expected=f"{packets} q/(1 − q) a flow",
        tolerance="within 10 % at each q; in shape: 25 %",
        check=near(found, 1, by=0.1, in_shape=0.25).saying(along(sender, SMALL), found),
    )


FASTER = over(QUIC, SACK, SMALL, "mean_ms").at(USUAL)
OF_THREE = (along(THREE, OVERSHOOT).among(is_much) / by_ranges).told(".2f", name="over arithmetic")
OF_SACK = (along(SACK, OVERSHOOT).at(MOST) / by_blocks).told(".2f", name="over arithmetic")
WORTH = over(QUIC, THREE, OVERSHOOT).among(is_much)
RACKS = over(LINUX, SACK, OVERSHOOT).at(MOST)
TIME = over(QUIC, THREE, OVERSHOOT, "mean_ms").among(is_much)

experiment = Experiment(
    id="quic/lost_acks",
    title="lost ACKs: data sent again that had arrived, by QUIC-CUBIC, linux-cubic and CUBIC with SACK alone",
    source=Source(paper="ours, after RFC 9000, RFC 9002, RFC 2018 and RFC 8985", figures="none", section="§13.2.3"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(sender=list(SENDERS), load=list(LOADS), loss=(0.0, USUAL, MOST)),
        replications=2,
        note="three of six losses, two replications",
    ),
    full=Form(points=grid(sender=list(SENDERS), load=list(LOADS), loss=LOSSES), replications=10),
    claims=(
        tail("timeout", SACK, 1, "RFC 6298 §5"),
        tail("probe", LINUX, 1, "RFC 8985 §7"),
        tail("pto", QUIC, 2, "RFC 9002 §6.2.4"),
        tail("pto-one", ONE, 1, "RFC 9002 §6.2.4"),
        Claim(
            id="faster",
            text="for that price a small flow is over sooner under QUIC than with a timeout",
            whose="ours",
            where="RFC 9002 §6.2.1; RFC 6298 §2.4",
            expected="151 of 215 ms, 0.70, with q = 0.3",
            tolerance="within 15 %; in shape: less",
            check=near(FASTER, 0.7, by=0.105, in_shape=below(FASTER, 1)).telling(
                along(QUIC, SMALL, "mean_ms").at(USUAL).told(".0f", " ms", QUIC),
                along(ONE, SMALL, "mean_ms").at(USUAL).told(".0f", " ms", ONE),
                along(SACK, SMALL, "mean_ms").at(USUAL).told(".0f", " ms", SACK),
            ),
        ),
        Claim(
            id="three",
            text="three ranges name a packet between two holes three times",
            whose="ours",
            where="RFC 9000 §13.2.3",
            expected="250 q³ + 2 q/(1 − q) a flow for q from 0.3 on: 7.6, 17.3 and 33.3",
            tolerance="half to twice of it at each; in shape: a third to three times",
            check=within(OF_THREE, 1 / 2, 2, in_shape=(1 / 3, 3)).saying(along(THREE, OVERSHOOT), OF_THREE),
        ),
        Claim(
            id="ranges",
            text="32 ranges leave nothing of that but the end of the flow",
            whose="ours",
            where="RFC 9000 §13.2.3",
            expected="0.11, 0.08 and 0.06 of what three ranges send for nothing",
            tolerance="at most 0.2 for q from 0.3 on; in shape: 0.5",
            check=at_most(WORTH, 0.2, in_shape=0.5).telling(along(QUIC, OVERSHOOT)),
        ),
        Claim(
            id="blocks",
            text="three SACK blocks send less for nothing than three ranges: lost ACKs slow TCP's slow start down",
            whose="ours",
            where="RFC 2018 §4; RFC 5681 §3.1",
            expected="250 (q⁵ + q⁶)/2 + q/(1 − q), 6.9 a flow, with q = 0.5",
            tolerance="half to twice of it; in shape: less than three ranges",
            check=within(
                OF_SACK, 1 / 2, 2, in_shape=below(along(SACK, OVERSHOOT).at(MOST), along(THREE, OVERSHOOT).at(MOST))
            ).saying(along(SACK, OVERSHOOT), OF_SACK),
            reason="CUBIC keeps 0.7 of a window of twice the way, so copies are lost too: 456 drops. RFC 6675 finds "
            "that by the timer alone, and forgets then what was SACKed. Where it is kept, 19.4 of 45.0 with q = 0.3; "
            "with Reno's window 3.7, and 10.3 with q = 0.5 (trials)",
        ),
        Claim(
            id="rack",
            text="RACK hears of no more than SACK does, and sends as much for nothing",
            whose="ours",
            where="RFC 8985 §6.2",
            expected="1 of SACK's with q = 0.5",
            tolerance="half to twice; in shape: a third to three times",
            check=within(RACKS, 1 / 2, 2, in_shape=(1 / 3, 3)).telling(along(LINUX, OVERSHOOT)),
            reason="RACK finds lost copies without a timer: 10.2 with an ACK for each segment and q = 0.5, where SACK "
            "has 23.2. With delayed ACKs slow start overshoots by a third as much: 2.2 (trials)",
        ),
        Claim(
            id="worth",
            text="what is sent for nothing costs a large flow next to no time",
            whose="ours",
            where="arithmetic: 31 of 3000 packets",
            expected="1 of the time with three ranges for q from 0.3 on",
            tolerance="within 3 %; in shape: 10 %",
            check=near(TIME, 1, by=0.03, in_shape=0.1),
            reason="where half of the ACKs are lost a timer that doubles has no mean: 2.0 ± 0.6 s with 32 ranges, and "
            "1.7 ± 0.1 with three",
        ),
    ),
    plots=[
        Plot(
            name="needless",
            draw=Lines(
                "loss",
                "needless",
                ("share of ACKs that are lost", "packets of a flow sent again that had arrived"),
                by="sender",
                of=list(LOOKS),
                where={"load": OVERSHOOT},
                looks=LOOKS,
                expected={"three ranges, arithmetic": by_ranges},
                low=0,
            ),
        ),
    ],
    notes=(
        "What had arrived: packets with data that was sent before, less packets that were dropped.",
        "A PTO is counted as a timeout. Flows that are not over after 300 s have no time; with half of the ACKs lost a "
        "timer that doubles lasts that long.",
        "linux-cubic has no HyStart here, so that it meets the same holes. It has no handshake, as the others.",
    ),
)
