"""Pipelines of four stages by GPipe and 1F1B over a star, by NDP, DCTCP and linux-cubic: what transfers cost.

The formula of the bubble, (p − 1)/(m + p − 1) of the time, has free transfers, and is the same for both schedules. Here
each stage computes for 1 ms forward and 2 ms back, and hands 100 kB to 16 MB to the next one. All links have 100 Gb/s
and 1 us.

The expected values and tolerances below were committed before the first run; a trial had eight ranks on a leaf-spine
network and NDP. By arithmetic, with c = S + s + 2 d for a transfer, p stages and m micro-batches:

- GPipe's last stage gets the first micro-batch p − 1 transfers later, and its first one the last gradient as much
  later: 2 (p − 1) c, whatever m is.
- A stage of 1F1B keeps p − s micro-batches at most. So the first stage begins the next one when the gradient of an
  earlier one has come: p of them take 2 (p − 1) c longer. With beginning and end that is 2 (p − 1) m/p c + 2 (p − 2) c,
  if p divides m. `tests/python/test_training_guide.py` compares it with graphs whose transfers take a given time.
- A transfer that lasts longer than a forward pass holds up the next one of its pair under GPipe, (m − 1) (S − 1 ms)
  in all. Under 1F1B no pair has two at once.
- A connection of TCP begins slowly: three packets, six, twelve, until its window holds a round trip of 4.7 us, some
  8 us in all; linux-cubic's with a handshake of 4 us. Six connections are on the way, and later transfers find windows
  open: 48 to 72 us, once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from photocol.claims import Values, at_most, everywhere, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Source, Trial, grid
from photocol.plot import Lines
from photocol.training import Layer, Model, Parallelism, training_graph

from ._cluster import CUBIC, DCTCP, DELAY_US, LINKS, LOOKS, NDP, PACKET, RATE_GBPS, SENDERS, packets
from ._graphs import run_graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Point, RunResult

GPIPE, ONE_F_ONE_B = "gpipe", "1f1b"
SCHEDULES = (GPIPE, ONE_F_ONE_B)
STAGES, FORWARD_MS, BACKWARD_MS = 4, 1, 2
MICRO_BATCHES = (4, 8, 16)
SIZES_KB = (100, 1000, 4000, 16_000)
SMALL, LARGE, LONG = SIZES_KB[0], SIZES_KB[2], SIZES_KB[3]
LAYER = Layer(
    name="stage",
    forward_ps=FORWARD_MS * 10**9,
    backward_ps=BACKWARD_MS * 10**9,
    parameter_bytes=0,
    activation_bytes=0,
)


def setup(point: Point) -> Trial:
    """One step."""
    return Trial(function=run, arguments=dict(point))


def run(*, seed: int, transport: str, schedule: str, micro_batches: int, size_kb: int) -> dict[str, float]:
    """A step of training on a star of four ranks."""
    model = Model(name="even", layers=(replace(LAYER, activation_bytes=1000 * size_kb),) * STAGES)
    graph = training_graph(model, Parallelism(pipeline=STAGES, micro_batches=micro_batches, schedule=schedule))
    result = run_graph(graph, lambda file: scenario(transport, file), seed=seed)
    time_us = 1e6 * float(result.summary["work_time"])
    flows = result.flows
    return {
        "time_us": time_us,
        "extra_us": time_us - free_us(micro_batches),
        "again": float(flows["retransmissions"].sum()),
        "timeouts": float(flows["timeouts"].sum()),
    }


def scenario(transport: str, file: str) -> dict[str, Any]:
    """Four ranks around a switch."""
    links = {"capacity": f"{RATE_GBPS} Gbps", "delay": f"{DELAY_US} us", **LINKS[transport]}
    return {
        "run": {"duration": "60 s"},
        "topology": {"kind": "star", "leaves": STAGES},
        "link_defaults": links,
        "transport": {"carrier": {"packet_size": PACKET, **SENDERS[transport]}},
        "traffic": [{"name": "step", "transport": "carrier", "work": {"file": file}}],
    }


def measure(result: RunResult) -> Mapping[str, float]:
    """The figures of the trial."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


def free_us(micro_batches: int) -> float:
    """A step whose transfers take no time."""
    return 1000.0 * (micro_batches + STAGES - 1) * (FORWARD_MS + BACKWARD_MS)


def transfers(schedule: str, micro_batches: int) -> float:
    """How many transfers nothing hides."""
    if schedule == GPIPE:
        return 2 * (STAGES - 1)
    return 2 * (STAGES - 1) * micro_batches / STAGES + 2 * (STAGES - 2)


def transfer_us(transport: str, size_kb: int) -> float:
    """One of them, alone on its way."""
    return 1e6 * packets(transport).transfer_s(1000 * size_kb)


def arithmetic_us(transport: str, schedule: str, micro_batches: int, size_kb: int) -> float:
    """What transfers cost a step."""
    queued_us = 0.0
    if schedule == GPIPE:
        lasts_us = 1e6 * packets(transport).lasts_s(1000 * size_kb)
        queued_us = (micro_batches - 1) * max(0.0, lasts_us - 1000 * FORWARD_MS)
    return transfers(schedule, micro_batches) * transfer_us(transport, size_kb) + queued_us


def extra(transport: str, schedule: str, size_kb: int) -> Values:
    """What transfers cost, in microseconds, by the number of micro-batches."""
    where = {"transport": transport, "schedule": schedule, "size_kb": size_kb}
    return values("extra_us", "micro_batches", form=".0f", **where).told(".0f", " µs", f"{transport}, {schedule}")


def over_arithmetic(transport: str, schedule: str, size_kb: int) -> Values:
    """The same over arithmetic."""
    found = extra(transport, schedule, size_kb) / (
        lambda micro_batches: arithmetic_us(transport, schedule, int(micro_batches), size_kb)
    )
    return found.told(".3f", name=f"{schedule}, {size_kb} kB")


def beyond(transport: str, schedule: str, size_kb: int) -> Values:
    """The same less arithmetic."""
    found = extra(transport, schedule, size_kb) - (
        lambda micro_batches: arithmetic_us(transport, schedule, int(micro_batches), size_kb)
    )
    return found.told(".0f", " µs", f"{transport}, {schedule}, {size_kb} kB")


def over_gpipe(transport: str) -> Values:
    """What 1F1B loses over what GPipe loses, with 4 MB."""
    return (extra(transport, ONE_F_ONE_B, LARGE) / extra(transport, GPIPE, LARGE)).told(".2f", name=transport)


def over_free(transport: str, schedule: str) -> Values:
    """The time of a step over that with free transfers, with 100 kB."""
    where = {"transport": transport, "schedule": schedule, "size_kb": SMALL}
    found = values("time_us", "micro_batches", form=".0f", **where) / (
        lambda micro_batches: free_us(int(micro_batches))
    )
    return found.told(".4f", name=f"{transport}, {schedule}")


METRICS = (
    Metric(name="time_us", label="time of a step (µs)", form=".1f"),
    Metric(name="extra_us", label="cost of transfers (µs)", form=".1f"),
    Metric(name="again", label="packets sent again", form=".1f"),
    Metric(name="timeouts", label="timeouts", form=".1f"),
)
OF_NDP = [over_arithmetic(NDP, schedule, size) for schedule in SCHEDULES for size in SIZES_KB[1:3]]
OF_LONG = [over_arithmetic(NDP, schedule, LONG) for schedule in SCHEDULES]
OF_TCP = [beyond(one, schedule, size) for one in (DCTCP, CUBIC) for schedule in SCHEDULES for size in SIZES_KB[:3]]
OF_SMALL = [over_free(one, schedule) for one in SENDERS for schedule in SCHEDULES]
TIMEOUTS = [
    values("timeouts", "micro_batches", transport=one, schedule=schedule, size_kb=LARGE)
    for one in SENDERS
    for schedule in SCHEDULES
]
BY_MICRO_BATCHES = [over_gpipe(one) for one in SENDERS]


def schedule_ratio(micro_batches: str | float) -> float:
    """Transfers of 1F1B over those of GPipe."""
    return transfers(ONE_F_ONE_B, int(micro_batches)) / transfers(GPIPE, int(micro_batches))


experiment = Experiment(
    id="work/pipelines",
    title="pipelines of four stages by GPipe and 1F1B, by NDP, DCTCP and linux-cubic",
    source=Source(paper="ours, by the formula of Y. Huang et al., 2019", figures="none", section="§2.3"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(transport=list(SENDERS), schedule=SCHEDULES, micro_batches=MICRO_BATCHES, size_kb=SIZES_KB),
        replications=1,
        note="one replication",
    ),
    full=Form(
        points=grid(transport=list(SENDERS), schedule=SCHEDULES, micro_batches=MICRO_BATCHES, size_kb=SIZES_KB),
        replications=3,
    ),
    claims=(
        Claim(
            id="bubble",
            text="with small transfers a step takes what the formula of the bubble says, by either schedule",
            whose="ours",
            where="GPipe §2.3: (m + p − 1) times a forward and a backward pass",
            expected="1 to 1.01 of it with 100 kB, by each transport",
            tolerance="0.999 to 1.015; in shape: at most 1.03",
            check=everywhere(*(within(one, 0.999, 1.015, in_shape=(0.999, 1.03)) for one in OF_SMALL)),
        ),
        Claim(
            id="exposed",
            text="larger transfers cost GPipe six of them, and 1F1B 10, 16 and 28 with 4, 8 and 16 micro-batches",
            whose="ours",
            where="arithmetic: 2 (p − 1), and 2 (p − 1) m/p + 2 (p − 2)",
            expected="1 of arithmetic with 1 and 4 MB under NDP",
            tolerance="within 5 % by both schedules; in shape: 20 %",
            check=everywhere(*(near(one, 1, by=0.05, in_shape=0.2) for one in OF_NDP)),
        ),
        Claim(
            id="ratio",
            text="so transfers cost 1F1B more than GPipe, and the more the more micro-batches there are",
            whose="ours",
            where="arithmetic: 10/6, 16/6 and 28/6",
            expected="1.67, 2.67 and 4.67 times as much with 4 MB, by each transport",
            tolerance="within 10 % of it; in shape: 25 %",
            check=everywhere(*(near(one / schedule_ratio, 1, by=0.1, in_shape=0.25) for one in BY_MICRO_BATCHES)),
        ),
        Claim(
            id="start",
            text="TCP adds the slow starts of six connections, whatever the size, the schedule and the micro-batches",
            whose="ours",
            where="arithmetic: 8 us each, 12 with a handshake",
            expected="48 to 72 us more than arithmetic with 100 kB to 4 MB",
            tolerance="20 to 110 us for DCTCP and linux-cubic; in shape: 0 to 200",
            check=everywhere(*(within(one, 20, 110, in_shape=(0, 200)) for one in OF_TCP)),
        ),
        Claim(
            id="long",
            text="a transfer longer than a forward pass holds up the next one under GPipe, and none under 1F1B",
            whose="ours",
            where="arithmetic: (m − 1) (S − 1 ms) more, and nothing more",
            expected="1 of arithmetic with 16 MB under NDP",
            tolerance="within 10 % by both schedules; in shape: 25 %",
            check=everywhere(*(near(one, 1, by=0.1, in_shape=0.25) for one in OF_LONG)),
            reason="activations from one side and gradients from the other meet at a rank's link. With twice the "
            "capacity from the switch 1F1B takes 1.06 of arithmetic, whatever the micro-batches (trials)",
        ),
        Claim(
            id="losses",
            text="with 4 MB no two transfers fill a rank's link, so nothing is lost",
            whose="ours",
            where="arithmetic: one sender for each receiver at a time, nearly always",
            expected="no timeout by any transport",
            tolerance="none; in shape: one a step",
            check=everywhere(*(at_most(one, 0, in_shape=1) for one in TIMEOUTS)),
        ),
    ),
    plots=[
        Plot(
            name="sizes",
            draw=Lines(
                "size_kb",
                "extra_us",
                ("size of a transfer (kB)", "cost of transfers, 1F1B, 16 micro-batches (µs)"),
                by="transport",
                where={"schedule": ONE_F_ONE_B, "micro_batches": MICRO_BATCHES[-1]},
                looks=LOOKS,
                expected={
                    "1F1B, arithmetic": lambda size: arithmetic_us(NDP, ONE_F_ONE_B, MICRO_BATCHES[-1], int(size)),
                    "GPipe, arithmetic": lambda size: arithmetic_us(NDP, GPIPE, MICRO_BATCHES[-1], int(size)),
                },
                scales="xy",
            ),
        ),
    ],
    notes=(
        "Each transfer of a pair of ranks goes over one connection, which stays open.",
        "A step is a trial: its graph is made when it runs.",
    ),
)
