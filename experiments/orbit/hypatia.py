"""NewReno and Vegas between pairs of cities over Kuiper-630, as in Hypatia's runs from A to B.

One link of 10 Mb/s with a queue of 100 packets stands for the path of a pair, and has its delay at each step of 100 ms.
Hypatia's numbers of these runs are not at hand, so that orders are asserted, and arithmetic.

The expected values and tolerances below were written before the first run of this file; the paths were known, and a
trial had both senders over Manila to Dalian with an elevation of 30 degrees. By arithmetic, at 833 packets a second:

- Vegas holds one to three segments in queues as it takes them: the round trip beyond the least. A path that is longer
  by x leaves it one to three segments for each x. Its least may contain the three packets that it holds in the queue
  itself, so that x may be 3.6 ms less. It has less than half of the link if three segments take less than half of x:
  from 7.2 ms on, and 10.8 ms with a least that is too high.
- NewReno fills 100 packets. A packet waits for these and the one in transmission and has its own time: 122.4 ms.
- Where the way there is shorter by d, d · r packets arrive late. Three duplicate ACKs need three: 3.6 ms one way. Hence
  NewReno repairs what is not lost at shortenings by more than that, and at no other.
  NewReno of RFC 6582 did not in the first run. The late packets come in turn with those that overtake them, so that
  between two duplicate ACKs the point that they ask for moves on. Whoever counts what SACK reports behind a hole (RFC
  6675), as ns-3's NewReno may, finds three. This was expected of `sack` before it ran.
- A pair that is cut off for seconds gives NewReno a timeout, since nothing comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.claims import MOSTLY, at_least, below, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid
from photocol.plot import frame

from ._paths import (
    DALIAN,
    LASTS_S,
    NAIROBI,
    PACKET_MS,
    PAIRS,
    PETERSBURG,
    QUEUE,
    RIO,
    STEPS_IN_S,
    after_the_rise,
    over_least_ms,
    route,
    scenario,
    shorter_ms,
    steady,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

NEWRENO, SACK, VEGAS, UDP = "newreno", "sack", "vegas", "udp"
SENDERS: Mapping[str, dict[str, Any]] = {
    NEWRENO: {"algorithm": "newreno"},
    SACK: {"algorithm": "sack"},
    VEGAS: {"algorithm": "vegas"},
    UDP: {"algorithm": "udp", "packet_size": "1500 B"},
}
UDP_MBPS = 9.6
COLOURS = {NEWRENO: "#0072B2", VEGAS: "#D55E00"}
PAYLOAD_BITS, FEWEST, MOST = 8 * 1460, 1, 3
"""Vegas's α and β, in segments."""
THREE = 3
METRICS = (
    Metric(name="goodput_mbps", label="goodput (Mb/s)", form=".2f"),
    Metric(name="after_mbps", label="goodput after the first lasting rise (Mb/s)", form=".2f"),
    Metric(name="least_mbps", label="Vegas's α over the rise (Mb/s)", form=".2f"),
    Metric(name="most_mbps", label="Vegas's β over the rise, with its queue in the least (Mb/s)", form=".2f"),
    Metric(name="max_queue", label="longest queue (packets)", form=".0f"),
    Metric(name="over_ms", label="longest round trip beyond the path's (ms)", form=".2f"),
    Metric(name="false_repairs", label="repairs of what was not lost", form=".0f"),
    Metric(name="shortenings", label="shortenings by three packets or more", form=".0f"),
    Metric(name="cut_off_s", label="time cut off (s)", form=".1f"),
    Metric(name="timeouts", label="timeouts while cut off", form=".0f"),
    Metric(name="late", label="packets that arrive late", form=".0f"),
    Metric(name="late_expected", label="packets of the time by which the way is shorter", form=".2f"),
    Metric(name="shortest_ms", label="shortest round trip of the path (ms)", form=".3f"),
    Metric(name="longest_ms", label="longest round trip of the path (ms)", form=".3f"),
)


def setup(point: Point) -> Setup:
    """A sender over the path of a pair; datagrams at 9.6 Mb/s."""
    sender = str(point["sender"])
    traffic = {"transport": "sender"} | ({"rate": f"{UDP_MBPS} Mbps"} if sender == UDP else {})
    made = scenario(str(point["pair"]), traffic)
    return Setup(scenario={**made, "transport": {"sender": SENDERS[sender]}})


def course(result: RunResult, quantity: str, entity: str = "flow 0") -> np.ndarray[Any, np.dtype[np.float64]]:
    """A quantity at each step from 0 on, not a number where it has none."""
    rows = result.series.filter(
        (pl.col("quantity").cast(pl.String) == quantity) & (pl.col("entity").cast(pl.String) == entity)
    )
    found = np.full(LASTS_S * STEPS_IN_S + 1, np.nan)
    found[(rows["t_s"] * STEPS_IN_S).round().cast(pl.Int64).to_numpy()] = rows["value"].cast(pl.Float64).to_numpy()
    return found


def pair_of(result: RunResult) -> str:
    """The name of the one link."""
    return str(result.links["link"].cast(pl.String)[0]).replace("->", "-")


def measure(result: RunResult) -> dict[str, float]:
    """What the flow had, and what the path is."""
    pair, figures = pair_of(result), {name: figure.value for name, figure in result.summary.items()}
    if pair not in PAIRS:
        pair = "-".join(reversed(pair.split("-")))
    path, after = route(pair), after_the_rise(pair)
    more = over_least_ms(pair)[after] / 1e3
    at_most_mbps = PAYLOAD_BITS / PACKET_MS / 1e3
    by_beta = MOST * PAYLOAD_BITS / np.maximum(more - MOST * PACKET_MS / 1e3, 1e-9) / 1e6
    shorter = shorter_ms(pair)
    found = {
        "goodput_mbps": figures["goodput"] / 1e6,
        "least_mbps": float(np.mean(FEWEST * PAYLOAD_BITS / more / 1e6)),
        "most_mbps": float(np.mean(np.minimum(by_beta, at_most_mbps))),
        "max_queue": figures.get("max_queue", 0.0),
        "shortenings": float((shorter / PACKET_MS >= THREE).sum()),
        "cut_off_s": sum(end - begin for begin, end in path.cut_offs),
        "late": figures["reordered_packets"],
        "late_expected": float(np.floor(shorter / PACKET_MS * UDP_MBPS / 10).sum()),
        "shortest_ms": float(np.nanmin(path.round_trip_ms)),
        "longest_ms": float(np.nanmax(path.round_trip_ms)),
    }
    return found | of_tcp(result, pair)


def of_tcp(result: RunResult, pair: str) -> dict[str, float]:
    """What only a sender with a window has; nothing of UDP."""
    names = ("after_mbps", "over_ms", "false_repairs", "timeouts")
    if not result.series["quantity"].cast(pl.String).is_in(["rtt"]).any():
        return dict.fromkeys(names, 0.0)
    after = after_the_rise(pair)
    acked, timeouts = course(result, "acked"), course(result, "timeouts")
    trips = 1e3 * course(result, "rtt")[:-1] - route(pair).round_trip_ms
    ends = [(round(begin * STEPS_IN_S), round(end * STEPS_IN_S)) for begin, end in route(pair).cut_offs]
    return {
        "after_mbps": 8e-6 * float(acked[after.stop] - acked[after.start]) * STEPS_IN_S / (after.stop - after.start),
        "over_ms": float(np.nanmax(trips[steady(pair)])),
        "false_repairs": float(result.summary["false_fast_retransmits"].value),
        "timeouts": float(sum(timeouts[end] - timeouts[begin] for begin, end in ends)),
    }


def curves(result: RunResult) -> pl.DataFrame:
    """Goodput each second."""
    acked = course(result, "acked")[::STEPS_IN_S]
    return pl.DataFrame({"t_s": np.arange(1, len(acked), dtype=float), "goodput_mbps": 8e-6 * np.diff(acked)})


def draw_path(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput of Rio de Janeiro to Saint Petersburg over time, with the path's round trip behind it."""
    for sender, colour in COLOURS.items():
        own = table.filter((pl.col("pair") == RIO) & (pl.col("sender") == sender)).sort("t_s")
        axes.plot(own["t_s"], own["goodput_mbps"], color=colour, label=sender, linewidth=1.2)
    path = route(RIO)
    beside = axes.twinx()
    beside.plot(path.times_s, path.round_trip_ms, color="#999999", linewidth=1.2)
    beside.set_ylabel("round trip of the path (ms, grey)")
    beside.spines["top"].set_visible(False)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("goodput (Mb/s)")
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    frame(axes)


def draw_after(axes: Axes, table: pl.DataFrame) -> None:
    """What both have after the rise, by pair, and the range of Vegas by arithmetic."""
    names = table["pair"].unique(maintain_order=True).to_list()
    for shift, (sender, colour) in enumerate(COLOURS.items()):
        rows = {row["pair"]: row for row in table.filter(pl.col("sender") == sender).to_dicts()}
        places = [number + 0.36 * (shift - 0.5) for number in range(len(names))]
        axes.bar(places, [rows[name]["after_mbps"] for name in names], 0.34, color=colour, label=sender)
        if sender == VEGAS:
            low, high = ([rows[name][key] for name in names] for key in ("least_mbps", "most_mbps"))
            axes.vlines(places, low, high, color="black", linewidth=2, label="by arithmetic")
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("goodput after the first lasting rise (Mb/s)")
    axes.set_ylim(0, 13)
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    frame(axes)


def of(metric: str, sender: str, form: str = ".2f", unit: str = "") -> Any:
    """A metric by pair."""
    return values(metric, "pair", form=form, unit=unit, sender=sender)


HYPATIAS = (RIO, DALIAN, NAIROBI)
AFTER = of("after_mbps", VEGAS, unit=" Mb/s")
REASONS: Mapping[str, str] = {
    "vegas-half": "the first lasting rise of Istanbul to Nairobi is 6 ms, of which three segments are more than half "
    "of the link: arithmetic has less than half from 7.2 ms on (vegas-rise)",
    "reordering": "late packets come in turn with those that overtake them, and each moves on what ACKs ask for. At "
    "both shortenings of Rio de Janeiro to Saint Petersburg seven duplicate ACKs arrive, never two in a row (trial). "
    "A sender that counts what SACK reports repairs (reordering-sack); Hypatia's hosts may have SACK",
    "reordering-sack": "the shortening of Istanbul to Nairobi lets ACKs overtake too, so that a full queue drops three "
    "packets: it repairs then, and not in vain. With queues of 90, 110, 120 or 150 packets it repairs once in vain "
    "(trials)",
}

experiment = Experiment(
    id="orbit/hypatia",
    title="NewReno and Vegas over paths of Kuiper-630 that change",
    source=Source(
        paper='S. Kassing et al., Exploring the "Internet from space" with Hypatia, IMC 2020',
        figures="none: its numbers are not at hand",
        section="the runs from A to B",
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=curves,
    quick=Form(
        points=grid(pair=(RIO, PETERSBURG), sender=tuple(SENDERS)),
        replications=1,
        note="two of four pairs",
    ),
    full=Form(points=grid(pair=tuple(PAIRS), sender=tuple(SENDERS)), replications=1),
    claims=(
        Claim(
            id="vegas-half",
            text="Vegas takes a longer path for a queue: after the first lasting rise it has less than half of NewReno",
            where="runs from A to B",
            expected="less than half, for each pair",
            tolerance="below 0.5 of NewReno's goodput for Hypatia's three pairs; in shape: for most of them",
            check=below(
                AFTER.among(HYPATIAS.__contains__),
                of("after_mbps", NEWRENO).among(HYPATIAS.__contains__) * 0.5,
                in_shape=MOSTLY,
            ),
            reason=REASONS.get("vegas-half", ""),
        ),
        Claim(
            id="vegas-rise",
            text="what Vegas has then are one to three segments for each time by which the path is longer",
            whose="ours",
            where="arithmetic: α to β segments over the rise, of which its own queue may be a part",
            expected="from α over the rise to β over the rise less 3.6 ms",
            tolerance="within 10 % of that range; in shape: for most of the pairs",
            check=within(AFTER, of("least_mbps", VEGAS) * 0.9, of("most_mbps", VEGAS) * 1.1, in_shape=MOSTLY).telling(
                of("least_mbps", VEGAS), of("most_mbps", VEGAS)
            ),
            reason=REASONS.get("vegas-rise", ""),
        ),
        Claim(
            id="fills",
            text="NewReno fills the queue",
            where="runs from A to B",
            expected=f"{QUEUE} packets",
            tolerance="all of them",
            check=at_least(of("max_queue", NEWRENO, ".0f", " packets"), QUEUE),
        ),
        Claim(
            id="path-plus-queue",
            text="NewReno's round trip is at most that of the path and of the queue",
            where="runs from A to B",
            expected=f"{(QUEUE + 2) * PACKET_MS:.1f} ms beyond the path's",
            tolerance="within 2 ms; in shape: within 5 ms",
            check=near(of("over_ms", NEWRENO, unit=" ms"), (QUEUE + 2) * PACKET_MS, by=2, in_shape=5),
            reason=REASONS.get("path-plus-queue", ""),
        ),
        Claim(
            id="reordering",
            text="NewReno takes a shorter path for a loss where three packets or more are overtaken",
            where="runs from A to B; arithmetic: 3.6 ms one way",
            expected="a repair of what is not lost for each such shortening, and no other",
            tolerance="as many; in shape: for most of the pairs",
            check=near(of("false_repairs", NEWRENO, ".0f"), of("shortenings", NEWRENO, ".0f"), by=0, in_shape=MOSTLY),
            reason=REASONS.get("reordering", ""),
        ),
        Claim(
            id="reordering-sack",
            text="a sender that counts what SACK reports does so",
            whose="ours",
            where="arithmetic: 3.6 ms one way; RFC 6675 §5",
            expected="a repair of what is not lost for each such shortening, and no other",
            tolerance="as many; in shape: for most of the pairs",
            check=near(of("false_repairs", SACK, ".0f"), of("shortenings", SACK, ".0f"), by=0, in_shape=MOSTLY),
            reason=REASONS.get("reordering-sack", ""),
        ),
        Claim(
            id="cut-off",
            text="a path that is cut off for seconds gives NewReno timeouts",
            where="runs from A to B",
            expected="one or more for Saint Petersburg's pairs",
            tolerance="at least one",
            check=at_least(of("timeouts", NEWRENO, ".0f").among((RIO, PETERSBURG).__contains__), 1),
        ),
        Claim(
            id="late",
            text="a way that is shorter by d lets d · r packets arrive late",
            whose="ours",
            where="arithmetic, with datagrams at 800 packets a second",
            expected="the whole packets of each shortening",
            tolerance="one more or less for each pair, and none for a way that changes slowly; in shape: two",
            check=near(of("late", UDP, ".0f"), of("late_expected", UDP, ".0f"), by=1, in_shape=2),
            reason=REASONS.get("late", ""),
        ),
        Claim(
            id="published-path",
            text="Manila to Saint Petersburg has the round trips of Hypatia's published series",
            where="its program's data: 69.412 to 77.629 ms",
            expected="69.412 to 77.629 ms",
            tolerance="within 0.1 ms, for stations are some km beside Hypatia's; in shape: 1 ms",
            check=near(of("shortest_ms", UDP, ".3f", " ms").at(PETERSBURG), 69.412, by=0.1, in_shape=1)
            & near(of("longest_ms", UDP, ".3f", " ms").at(PETERSBURG), 77.629, by=0.1, in_shape=1),
        ),
        Claim(
            id="published-cut",
            text="and is cut off as long",
            where="its program's data: from 155.4 to 165.2 s",
            expected="9.8 s",
            tolerance="within 1 s",
            check=near(of("cut_off_s", UDP, ".1f", " s").at(PETERSBURG), 9.8, by=1),
        ),
    ),
    plots=(
        Plot(name="after", draw=draw_after),
        Plot(name="rio-petersburg", draw=draw_path, of="curves"),
    ),
    notes=(
        "One link stands for a path: its queue is the first hop's, and a packet has the delay of the step in which its "
        "first bit leaves. Hypatia has a queue at each hop.",
        "Ground links reach 1260 km, as in Hypatia. Routes need the package sgp4: photocol[orbits].",
    ),
)
