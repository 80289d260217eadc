"""Transports side by side under forced burst losses: what figures 5 to 8 of paper 001 share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from photocol.claims import Predicate, Values, above, at_least, below, beside, growth, most
from photocol.experiment import Form, Metric, Point, Setup, Source
from photocol.plot import Lines
from photocol.stats import jain_index

from ._bursts import WINDOW_MAX, scenario, usual_window
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, NEITHER, READINGS, is_eng, law, of, push, versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Outcome, RunResult

PAPER = "Shihada, Ho and Zhang, TCP-ENG (paper 001)"
FLOWS = 20
SEGMENTS = 9
"""The largest mean number of segments of a flow in a burst that the paper states."""
LOSSES = tuple(10 ** (-5 + step / 2) for step in range(9))
QUICK_LOSSES = (1e-4, 1e-3, 1e-2, 1e-1)
SACK, RENO, BAIMD = "sack", "reno", "baimd"
BETA = 0.875
BAIMD_PACKETS = "baimd-packets"
"""Whose window grows "by one packet in every 1/α RTT" (§II): what is not yet a packet when a loss comes is lost."""
SACK_NS2, RENO_NS2 = "sack-ns-2", "reno-ns-2"
"""With ns-2's rules: half of cwnd at each cut, and Reno with its `bugFix_`."""
BTCP = ("btcp-ble", "btcp-back", "btcp-bnak")
SETTINGS: dict[str, dict[str, Any]] = {
    BAIMD: {"relation": "triple-duplicate"},
    BAIMD_PACKETS: {"algorithm": "baimd", "relation": "triple-duplicate", "grows_by": "packets"},
    SACK_NS2: {"algorithm": "sack", "ssthresh_from": "cwnd"},
    RENO_NS2: {"algorithm": "reno", "ssthresh_from": "cwnd", "fast_retransmit_guard": "recovery"},
    **{name: {"algorithm": "btcp", "detector": name.removeprefix("btcp-")} for name in BTCP},
}
COLOURS = {
    ENG: "#D55E00",
    SACK: "#0072B2",
    RENO: "#56B4E9",
    BAIMD: "#009E73",
    BAIMD_PACKETS: "#8FBC8F",
    BTCP[0]: "#CC79A7",
    BTCP[1]: "#E69F00",
    BTCP[2]: "0.45",
    SACK_NS2: "#000080",
    RENO_NS2: "#8B4513",
}
MEDIUM_LOSS = 0.9999e-3
"""From here on a burst is lost every few round trips at most."""

METRICS = (
    Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
    Metric(name="jain", label="Jain's index", form=".4f"),
    Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".1f"),
)
NOTES = (
    f"Forced mode: {SEGMENTS} transmissions of a flow in a row are a burst, lost with probability p by itself; "
    f"{FLOWS} flows, 80 ms, windows up to 1000 segments of 1 kB.",
    "Flows share the path and its ends, and nothing queues: there is no assembly, no contention between flows and no "
    "burst retransmission, which the full network has.",
    "Every lost burst brings a BEN to TCP-ENG: the path counts as under-utilized at every p, which is the most that a "
    "threshold can give.",
    "TCP-ENG and BAIMD: β = 7/8, α = 0.2 by (2). A loss without a BEN would keep 1/2.",
    "Two readings of when that α holds and not 1: in the round after a BEN (ben-only), or from 1/(1 − β) = 8 "
    "segments on "
    "whatever happened (large-window). docs/deviations.md.",
)


def source(figure: int, section: str) -> Source:
    """Where a figure stands in the paper."""
    return Source(paper=PAPER, figures=f"Figure {figure}", section=section)


def forms(transports: Sequence[str]) -> tuple[Form, Form]:
    """The quick and the full form of a figure with these transports."""
    points = versions("transport", transports, loss=QUICK_LOSSES)
    return (
        Form(
            points=points,
            replications=1,
            settings={"run.duration": "150 s", "run.warm_up": "30 s"},
            note="4 of 9 losses, one replication of 150 s",
        ),
        Form(points=versions("transport", transports, loss=LOSSES), replications=1, note="one replication of 20 flows"),
    )


def setup(point: Point) -> Setup:
    """Twenty flows of one transport."""
    transport, loss = str(point["transport"]), float(point["loss"])
    settings = SETTINGS | {transport: SETTINGS.get(transport, {}) | law(point["reading"])}
    start = min(WINDOW_MAX, push(transport, point["reading"], BETA) * usual_window(SEGMENTS, loss))
    settings[transport]["initial_ssthresh"] = f"{max(2, round(start))} packets"
    return Setup(scenario=scenario(SEGMENTS, loss, {transport: FLOWS}, settings))


def measure(result: RunResult) -> Mapping[str, float]:
    """Throughput of a flow, and how equally it is shared."""
    shares = result.flows["goodput_bps"].to_numpy()
    return {
        "throughput_mbps": result.summary["goodput"].value / FLOWS / 1e6,
        "jain": float(jain_index(shares)),
        "timeouts_per_flow": result.summary["timeouts"].value / FLOWS,
    }


def curve(outcome: Outcome, transport: str, metric: str, reading: str = BEN_ONLY) -> dict[float, float]:
    """Loss to a metric's mean, ascending."""
    rows = outcome.table.filter(of("transport", transport, reading)).sort("loss")
    return dict(zip(rows["loss"].to_list(), rows[metric].to_list(), strict=True))


def gains(outcome: Outcome, rival: str, reading: str) -> dict[float, float]:
    """TCP-ENG's throughput over a rival's by loss."""
    ours, theirs = (curve(outcome, name, "throughput_mbps", reading) for name in (ENG, rival))
    return {loss: ours[loss] / theirs[loss] for loss in ours}


def along(transport: str, metric: str = "throughput_mbps", reading: str = BEN_ONLY) -> Values:
    """A metric by loss."""
    return Values(lambda outcome: curve(outcome, transport, metric, reading), ".2f")


def gain(rival: str, reading: str) -> Values:
    """TCP-ENG's throughput over a rival's by loss."""
    return (along(ENG, reading=reading) / along(rival, reading=reading)).told(".2f", name=f"over {rival}")


def clearly_above(gains: Mapping[str, Values], factor: float) -> Predicate:
    """Over each rival by a factor at every loss, or by anything if that is 1; in shape: no less from 1e-3 on."""
    every = beside({f"over {rival}": gain for rival, gain in gains.items()})
    return at_least(every, factor, in_shape=at_least(every.among(lambda place: place[1] >= MEDIUM_LOSS), 1))


def all_fall(curves: Mapping[str, Values], in_shape: Any) -> Predicate:
    """Every curve falls at each step: at none it is above what it was at the loss before."""
    largest = beside({name: most(growth(of)) for name, of in curves.items()})
    return below(largest.told(".3f", name="largest over the one before"), 1, in_shape)


def versions_of(senders: Sequence[str]) -> list[tuple[str, str]]:
    """Each sender, TCP-ENG under both readings."""
    return [(name, reading) for name in senders for reading in (READINGS if is_eng(name) else (BEN_ONLY,))]


def furthest(of: Values, where: Values, least: float) -> Values:
    """The largest distance from 1 where another one is at least so much; no number where it nowhere is."""

    def read(outcome: Outcome) -> dict[None, float]:
        chosen = where.read(outcome)
        return {
            None: max((abs(one - 1) for at, one in of.read(outcome).items() if chosen[at] >= least), default=math.nan)
        }

    return Values(read, ".2f", name="at most apart by")


def fairest(leads: Values) -> Predicate:
    """A much better index than the best other; in shape: better at some loss and hardly worse at any."""
    leads = leads.told("+.3f", name="TCP-ENG less the best other:")
    return at_least(leads, 0.02, in_shape=at_least(leads, -0.005) & above(most(leads), 0.005))


def picture(metric: str, label: str, transports: Sequence[str], scales: str = "x") -> Lines:
    """A metric against the loss, one curve a transport, TCP-ENG's of the reading `large-window` dotted."""
    lines = [(name, reading if is_eng(name) else NEITHER) for name, reading in versions_of(transports)]
    return Lines(
        "loss",
        metric,
        (f"burst loss probability p; S = {SEGMENTS}, RTT 80 ms, forced losses", label),
        by=("transport", "reading"),
        of=lines,
        looks={one: (COLOURS[one[0]], "o:" if one[1] == LARGE_WINDOW else "o-") for one in lines},
        names={(name, NEITHER): name for name in transports},
        scales=scales,
    )


def throughput(transports: Sequence[str]) -> Lines:
    """Throughput against the loss, one curve a transport."""
    return picture("throughput_mbps", "throughput of a flow (Mb/s)", transports, "xy")
