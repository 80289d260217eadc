"""What the simulated figures of paper 000 share: the network of figure 1, the schemes, and §VII's metrics.

TCP enters by one edge node and UDP by another, and both leave the core switch by one output; otherwise nothing would
meet in the core. `scenarios/dlcc.toml` is that network at 500 ms.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from photocol.claims import Predicate, Values, at_least, at_most, below, falls_with, least, most, values
from photocol.experiment import Metric, Outcome, Setup, UnderReadings
from photocol.plot import Lines
from photocol.verdict import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from photocol.experiment import Claim, RunResult, Value

Reading = TypeVar("Reading")
PAPER = "Lu and Hunter, Dual-layer congestion control (paper 000), 2009"
SCENARIO = Path(__file__).parents[2] / "scenarios" / "dlcc.toml"
QUICK: Mapping[str, Value] = {"run.duration": "150 s", "run.warm_up": "50 s"}
FULL: Mapping[str, Value] = {"run.duration": "2677 s", "run.warm_up": "100 s"}
"""Lengths of runs: 100 s, and the paper's 44 min 37 s without their first 100 s."""
RTTS_MS = (60, 100, 180, 280, 420, 500, 560)
SHARES_PERCENT = (10, 20, 30, 40)
LINK_MBPS, DATAGRAM_BITS = 55, 576 * 8
BURST_S = 0.2
CONSTANT, UNIFORM, EXPONENTIAL = "constant", "uniform", "exponential"
SILENCES: Mapping[str, Mapping[str, str]] = {
    CONSTANT: {"law": "constant", "mean": "9.8 s"},
    UNIFORM: {"law": "uniform", "least": "8.82 s", "most": "10.78 s"},
    EXPONENTIAL: {"law": "exponential", "mean": "9.8 s"},
}
"""Silences of UDP between its bursts. The constant ones are the paper's: bursts every 10 s, which are 20 round trips of
500 ms, so that all bursts of a run meet the flows at the same phase. The others are within a tenth, and at random."""

NONE, PACING, ECN, ONE, TWO, GUARDED = "none", "ack-pacing", "ecn", "one-control", "two-controls", "two-guarded"
SCHEMES = (NONE, PACING, ECN, ONE, TWO, GUARDED)
NAMES = {
    NONE: "no control",
    PACING: "ACK pacing",
    ECN: "ECN marks at the core",
    ONE: "DLCC, 1 control",
    TWO: "DLCC, 2 controls",
    GUARDED: "DLCC, 2 controls, guarded",
}
COLOURS = dict(zip(SCHEMES, ("#000000", "#CC79A7", "#E69F00", "#56B4E9", "#D55E00", "#009E73"), strict=True))
OFF: Mapping[str, Value] = {"switching.dlcc.rate_control": False, "switching.dlcc.ops_acks": "off"}
MARKS: Mapping[str, Value] = {
    "link_defaults.core.queue.kind": "step",
    "link_defaults.core.queue.threshold": "10 packets",
    "link_defaults.core.queue.others": "accept",
}
KEYS: Mapping[str, Mapping[str, Value]] = {
    NONE: OFF,
    PACING: {**OFF, "switching.dlcc.ack_pacing": True},
    ECN: {**OFF, **MARKS, "transport.reno.ecn": True},
    ONE: {"switching.dlcc.ops_acks": "off"},
    TWO: {},
    GUARDED: {"switching.dlcc.guard": True},
}

ARBITRATION, FIRST_COME, RANDOM = "switching.slot_buffer.arbitration", "first-come", "random"
BY_LOT: Mapping[str, Value] = {ARBITRATION: RANDOM}
"""The core draws in each slot who gets its last places. The paper does not say who does.

Edge nodes' slots come to the core at any time of its slots. In the order of arrival the same edge node would get the
last place in every slot, by a part of a slot in the delays; 000/bursts has that beside it.
"""

HALVES = "a Reno sender halves its window once for every lost segment that is named, several times for one burst"
"""Why the goodput with two controls is not above that without."""

FROZEN_SHARES = (
    "in about a third of the runs from 280 ms on one episode lasts minutes: the rate stays as it is until the "
    "buffer holds less (§III), TCP grows to fill it, and it holds less only when the memory overflows. Such an "
    "episode rules the mean of a run"
)
FROZEN = f"{FROZEN_SHARES}; in the median run the extra buffer grows up to 280 ms or beyond"
"""Why the extra edge buffer is not monotone. Seen in the series of the edge's queue of 000/classical at 280 ms, seed 2:
from 165 to 285 s the line carries 0.70 of its capacity, and 27 Mbit, all of the memory, fill at a constant slope."""

LOTS = (
    "Who gets the core's last place is drawn in each slot (slot_buffer.arbitration); 000/bursts has order of arrival."
)
WEAKER = (Verdict.AGREES, Verdict.IN_SHAPE, Verdict.DISAGREES, Verdict.NOT_RUN)
"""Verdicts, each weaker than the one before."""

PRICE = (
    Metric(name="edge_loss_mbps", label="dropped at edge nodes (Mb/s)", form=".4f"),
    Metric(name="udp_delay_s", label="one-way delay of UDP (s)", form=".3f"),
    Metric(name="tcp_rtt_s", label="round trip that TCP measures (s)", form=".3f"),
)
"""What stands beside a gain: smoothing moves drops and waiting from the core to edge nodes."""
DELAYS: Mapping[str, Value] = {"probe.flow_delays": True}
"""Has the delays of datagrams measured; no run changes by it."""

METRICS = (
    Metric(name="goodput_mbps", label="goodput, §VII (Mb/s)", form=".2f"),
    Metric(name="loss_mbps", label="loss rate, §VII (Mb/s)", form=".4f"),
    Metric(name="edge_buffer_kbit", label="mean edge buffer (kbit)", form=".1f"),
    Metric(name="extra_buffer_kbit", label="extra edge buffer, §VII (kbit)", form=".1f"),
    Metric(name="episode_buffer_kbit", label="most of it in an episode (kbit)", form=".0f"),
    Metric(name="tcp_goodput_mbps", label="acknowledged by TCP (Mb/s)", form=".2f"),
    Metric(name="udp_goodput_mbps", label="datagrams that arrive (Mb/s)", form=".3f"),
    Metric(name="udp_loss_percent", label="datagrams lost (%)", form=".2f"),
    Metric(name="lost_per_burst_packets", label="slots lost per burst of UDP", form=".1f"),
    Metric(name="artificial_acks", label="artificial ACKs", form=".0f"),
    Metric(name="discarded_acks", label="discarded ACKs", form=".0f"),
    Metric(name="holes", label="holes that nobody repairs", form=".0f"),
    Metric(name="timeouts", label="timeouts", form=".0f"),
    *PRICE,
)


def delays(rtt_ms: float, phase_us: int = 0) -> dict[str, Value]:
    """T0 = T3 = T/3 and T1 = T2 = T/6, T being half of the round trip; T1 and T2 longer by a part of a slot."""
    one_way = rtt_ms / 2
    outer = f"{1000 * one_way / 3:.0f} us"
    inner = f"{1000 * one_way / 6 + phase_us:.0f} us"
    return {"link_defaults.delay": inner, **{f"link.{number}.delay": outer for number in range(3)}}


def settings(scheme: str, rtt_ms: float, udp_percent: float) -> dict[str, Value]:
    """What makes a scheme at a point of the paper's figures."""
    record = (
        {}
        if KEYS[scheme].get("switching.dlcc.ops_acks") == "off"
        else {"switching.dlcc.record": f"{rtt_ms + 600:.0f} ms"}
    )
    return {
        **BY_LOT,
        **DELAYS,
        **delays(rtt_ms),
        "traffic.1.rate": f"{LINK_MBPS * udp_percent / 100:.3f} Mbps",
        **record,
        **KEYS[scheme],
    }


def setup(
    scheme: str,
    rtt_ms: float,
    udp_percent: float,
    more: Mapping[str, Value] | None = None,
    *,
    silences: str = CONSTANT,
) -> Setup:
    """`dlcc.toml` at a point of the paper's figures, with other keys on top, and silences of UDP by a law."""
    network = "dlcc.toml" if silences == CONSTANT else scenario(silences)
    return Setup(scenario=network, settings={**settings(scheme, rtt_ms, udp_percent), **(more or {})})


def scenario(silences: str = CONSTANT) -> dict[str, Any]:
    """`dlcc.toml` with silences of UDP by a law, to be changed."""
    table = tomllib.loads(SCENARIO.read_text(encoding="utf-8"))
    table["traffic"][1]["off"] = dict(SILENCES[silences])
    return table


def where(outcome: Outcome, condition: pl.Expr) -> Outcome:
    """The rows of an outcome that satisfy a condition."""
    return Outcome(table=outcome.table.filter(condition), replications=outcome.replications.filter(condition))


def under_each(outcome: Outcome, check: Callable[[Outcome], Finding]) -> Finding:
    """What a check finds under every law of silences of the table, of which the weakest counts."""
    found = {law: check(table) for law, table in laws(outcome).items()}
    weakest = max(found.values(), key=lambda finding: WEAKER.index(finding.verdict))
    measured = "; ".join(f"{law}: {finding.measured}" for law, finding in found.items())
    return Finding(verdict=weakest.verdict, measured=measured)


def laws(outcome: Outcome) -> dict[str, Outcome]:
    """An outcome for each law of silences."""
    names = outcome.table["silences"].unique(maintain_order=True).to_list()
    return {f"silences {law}": where(outcome, pl.col("silences") == law) for law in names}


def under_both(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Claims that hold if they do under every law of silences."""
    return tuple(replace(claim, check=partial(under_each, check=claim.check)) for claim in claims)


def by_law(claims: Iterable[Claim], outcome: Outcome) -> list[UnderReadings]:
    """Claims under each law of silences by itself, side by side."""
    tables = laws(outcome)
    return [
        UnderReadings(claim=claim.text, where=claim.where, findings={law: claim.check(tables[law]) for law in tables})
        for claim in claims
    ]


def under(
    claims: Callable[[Reading], Iterable[Claim]], readings: Mapping[str, Reading], outcome: Outcome
) -> list[UnderReadings]:
    """The claims that each reading makes, side by side."""
    found = zip(*(claims(reading) for reading in readings.values()), strict=True)
    return [
        UnderReadings(
            claim=same[0].text,
            where=same[0].where,
            findings={name: claim.check(outcome) for name, claim in zip(readings, same, strict=True)},
        )
        for same in found
    ]


def measure(result: RunResult) -> Mapping[str, float]:
    """Goodput is what entered the core, TCP and UDP, less what was dropped there; loss is what was dropped.

    What edge ports drop has not entered the core. Datagrams are lost at either, or arrive later than the measurement.
    """
    seconds = result.summary["measured_time"].value
    data = result.links.filter(pl.col("class") == "all")
    into = data.filter(pl.col("to") == "x", pl.col("from") != "ec")
    out = data.filter(pl.col("from") == "x", pl.col("to") == "ec")
    carried, dropped = into["carried_bits"].sum(), out["dropped_bits"].sum()
    tcp, udp = (result.flows.filter(pl.col("transport") == name) for name in ("reno", "udp"))
    sent = data.filter(pl.col("from") == "u")["carried_bits"].sum()
    lost = result.drops.filter(pl.col("class") == "datagram")["bits"].sum()

    def figure(name: str) -> float:
        return result.summary[name].value

    return {
        "goodput_mbps": (carried - dropped) / seconds / 1e6,
        "loss_mbps": dropped / seconds / 1e6,
        "edge_buffer_kbit": into["mean_queue"].sum() * DATAGRAM_BITS / 1e3,
        "extra_buffer_kbit": figure("extra_buffer") / 1e3,
        "episode_buffer_kbit": figure("mean_extra_buffer") / 1e3 if figure("extra_buffer_episodes") else 0.0,
        "tcp_goodput_mbps": tcp["goodput_bps"].sum() / 1e6,
        "udp_goodput_mbps": udp["goodput_bps"].sum() / 1e6,
        "udp_loss_percent": 100 * lost / sent if sent else 0.0,
        "lost_per_burst_packets": out["dropped_units"].sum() / (seconds / 10),
        "artificial_acks": figure("dlcc_artificial_acks"),
        "discarded_acks": figure("dlcc_discarded_acks"),
        "holes": figure("dlcc_holes"),
        "timeouts": float(tcp["timeouts"].sum()),
        **price(result),
    }


def price(result: RunResult) -> dict[str, float]:
    """Drops of edge nodes' ports to the core; delays over the whole lives of flows, none where nothing arrives.

    TCP's round trip is the mean of what its senders measure: artificial ACKs come early and count.
    """
    data = result.links.filter(pl.col("class") == "all", pl.col("to") == "x")
    udp, tcp = (result.flows.filter(pl.col("transport") == name) for name in ("udp", "reno"))
    arrived = udp["delays"].sum()
    waited = (udp["delay_mean_s"].fill_null(0.0) * udp["delays"]).sum()
    measured = tcp["mean_rtt_s"].mean()
    return {
        "edge_loss_mbps": data["dropped_bits"].sum() / result.summary["measured_time"].value / 1e6,
        "udp_delay_s": waited / arrived if arrived else 0.0,
        "tcp_rtt_s": float(measured) if isinstance(measured, float) else 0.0,
    }


def curve(scheme: str, along: str | Sequence[str], metric: str = "goodput_mbps", form: str = ".2f") -> Values:
    """A metric of a scheme along an axis, or several."""
    return values(metric, along, form=form, scheme=scheme)


def gain(over: str, under: str, along: str | Sequence[str], metric: str = "goodput_mbps") -> Values:
    """A metric of one scheme over that of another."""
    return curve(over, along, metric) / curve(under, along, metric)


def medians(scheme: str, along: str, metric: str, **where: float) -> Values:
    """A metric of a scheme along an axis: that of the median run."""

    def read(outcome: Outcome) -> dict[Any, float]:
        rows = outcome.replications.filter(pl.col("scheme") == scheme, **where)
        return dict(rows.group_by(along).agg(pl.col(metric).median()).sort(along).iter_rows())

    return Values(read, form=".1f", name="in the median run")


def both_fall(along: str) -> Predicate:
    """Goodput falls along an axis, with DLCC and without."""
    return falls_with(curve(NONE, along).told(name="without")) & falls_with(curve(TWO, along).told(name="with"))


def times(of: Values, name: str) -> Values:
    """The largest over the smallest; one where nothing is lost."""
    return (most(of) / least(of)).told(".2f", name=f"largest over smallest {name}")


def flatter(both: Values, without: Values) -> Predicate:
    """With DLCC a loss rate hardly changes, without it it changes much."""
    flat, steep = times(both, "with"), times(without, "without")
    return (at_most(flat, 1.5) & at_least(steep, 3)).in_shape(below(flat, steep))


def values_of(outcome: Outcome, scheme: str, axis: str, metric: str) -> list[float]:
    """A metric of a scheme along an axis."""
    return list(curve(scheme, axis, metric).read(outcome).values())


def most_times(outcome: Outcome, axis: str, scheme: str = NONE) -> dict[Any, float]:
    """How many times the goodput of a scheme a link that is always full would have, along an axis.

    No control can do better than that.
    """
    return (curve(scheme, axis).each(lambda goodput: LINK_MBPS / goodput if goodput else math.inf)).read(outcome)


def listed(series: Iterable[float], form: str = ".2f") -> str:
    """Numbers with commas."""
    return ", ".join(format(value, form) for value in series)


def picture(axis: str, metric: str, labels: tuple[str, str], schemes: Sequence[str] = SCHEMES, **more: Any) -> Lines:
    """A metric along an axis, a line for each scheme."""
    looks = {scheme: (colour, "-o") for scheme, colour in COLOURS.items()}
    return Lines(axis, metric, labels, by="scheme", of=schemes, looks=looks, names=NAMES, **more)


def extra_buffer(axis: str, label: str, **more: Any) -> Lines:
    """§VII's extra edge buffer along an axis: what builds up after a notification, with one control and with two."""
    return picture(axis, "extra_buffer_kbit", (label, "extra edge buffer (kbit)"), (ONE, TWO), **more)
