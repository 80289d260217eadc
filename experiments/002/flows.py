"""Paper 002, §1: high utilization with small buffers whatever the number of TCP or UDP flows.

400, 1586 and 6000 flows, of which 0, 10 or 30 % are UDP. A UDP flow is on and off by turns and has as much to send as a
flow has on average with the paper's 1586: the UDP flows together 0, 10 or 30 % of that traffic, whatever their number.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, at_least, at_most, below, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid

from ._curves import ON_PLATEAU, PACED, PAPER, SIX_PACKETS_BYTES, finish, shortened
from ._flows import CARRIED_GBPS, OFF, ON, SCENARIO, datagrams
from ._schemes import METRICS, NAMES, XCP, measure, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOWS = (400, 1586, 6000)
UDP_PERCENT = (0, 10, 30)
MUCH_RAM = 1_000_000
SCHEMES = (XCP, PACED)
COLOURS = {0: "#0072B2", 10: "#009E73", 30: "#D55E00"}


def setup(point: Point) -> Setup:
    """`macroflows.toml` with so many flows, some of them UDP."""
    flows, udp = int(point["flows"]), round(int(point["flows"]) * int(point["udp_percent"]) / 100)
    scenario: dict[str, Any] = tomllib.loads(SCENARIO.read_text(encoding="utf-8"))
    scenario["traffic"][0]["count"] = flows - udp
    if udp > 0:
        scenario["transport"]["udp"] = {"packet_size": 1500}
        scenario["traffic"].append(datagrams(udp, mean_mbps=1000 * CARRIED_GBPS / flows))
    chosen = {**settings(str(point["scheme"])), "link_defaults.core.buffer": f"{point['ram_bytes']} B"}
    return Setup(scenario=scenario, settings=chosen)


def mixes(metric: str, scheme: str, ram_bytes: int = SIX_PACKETS_BYTES) -> Values:
    """A metric for every mix: flows and the share of UDP in per cent."""
    return values(metric, ("flows", "udp_percent"), form=".3f", scheme=scheme, ram_bytes=ram_bytes)


SHARES = (mixes("utilization", XCP) / mixes("utilization", XCP, MUCH_RAM)).told(".3f")


CARRIED = mixes("utilization", XCP)


def apart(of: Values, axis: int) -> Values:
    """The highest over the lowest value along an axis, at each place on the other one."""

    def read(outcome: Outcome) -> dict[Any, float]:
        groups: dict[Any, list[float]] = {}
        for mix, value in of.read(outcome).items():
            groups.setdefault(mix[1 - axis], []).append(value)
        return {other: max(group) / min(group) for other, group in groups.items()}

    return Values(read, ".2f", " times")


def same(of: Values) -> Predicate:
    """Hardly any difference."""
    return at_most(of, 1.1, in_shape=1.25)


def dropped(outcome: Outcome) -> dict[Any, float]:
    """The drop rate over Paced TCP's, for every mix of which some is dropped."""
    drops, paced = (mixes("core_drop_rate", scheme).read(outcome) for scheme in (XCP, PACED))
    return {mix: drops[mix] / paced[mix] for mix in drops if paced[mix] > 0}


DROPPED = Values(dropped, ".2f", name="XCP / Paced TCP")


def describe(outcome: Outcome) -> list[str]:
    """Levels and drop rates of both schemes."""
    sentences = []
    for scheme in SCHEMES:
        for ram, words in ((SIX_PACKETS_BYTES, "9 kB"), (MUCH_RAM, "1 MB")):
            if found := mixes("utilization", scheme, ram).words(outcome):
                sentences.append(f"{NAMES[scheme]} with {words}, by flows and per cent of UDP: {found}.")
        drops = mixes("core_drop_rate", scheme).told(".1e").words(outcome)
        sentences.append(f"{NAMES[scheme]}, drop rate with 9 kB: {drops}.")
    return sentences


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization against the number of flows; a line a share of UDP and a scheme."""
    for scheme, style in zip(SCHEMES, ("-", "--"), strict=True):
        for udp in UDP_PERCENT:
            rows = table.filter(
                (pl.col("scheme") == scheme)
                & (pl.col("ram_bytes") == SIX_PACKETS_BYTES)
                & (pl.col("udp_percent") == udp)
            ).sort("flows")
            axes.errorbar(
                rows["flows"].to_list(),
                rows["utilization"].to_list(),
                yerr=rows["utilization_half_width"].fill_nan(0.0).to_list(),
                color=COLOURS[udp],
                linestyle=style,
                marker="o",
                capsize=2,
                label=f"{NAMES[scheme]}, {udp} % UDP",
            )
    axes.set_xscale("log")
    axes.set_xticks(list(FLOWS), [str(flows) for flows in FLOWS])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, 1)
    axes.set_xlabel("flows")
    axes.set_ylabel("mean utilization of core outputs with 9 kB")
    axes.legend(frameon=False, fontsize=7, ncols=2)
    finish(axes, table, traffic="TCP and UDP flows")


WINDOWS_REASON = (
    "a window of 20 packets bounds each TCP: 400 flows may send 4.9 Gb/s over their round trips of 26 ms, 1586 flows "
    "12.8 over 36 ms, 6000 flows 19.0 over 82 ms (5 s, no UDP)"
)

CLAIMS = (
    Claim(
        id="small-ram",
        text="small buffers are enough whatever the number of TCP or UDP flows",
        where="§1",
        expected="high utilization with six packets of RAM",
        tolerance="at least 95 % of the utilization with 1 MB for all nine mixes; in shape: 85 %",
        check=at_least(SHARES, ON_PLATEAU, in_shape=0.85),
    ),
    Claim(
        id="number",
        text="ours: utilization is the same whatever the number of flows",
        whose="ours",
        where="our expectation, stricter than §1",
        expected="the same for 400, 1586 and 6000",
        tolerance="highest over lowest at most 1.1 at each share of UDP; in shape: 1.25",
        check=same(apart(CARRIED, 0)).telling(CARRIED),
        reason=WINDOWS_REASON,
    ),
    Claim(
        id="many",
        text="ours: nor does it change with more flows than the paper's 1586",
        whose="ours",
        where="our expectation, stricter than §1",
        expected="the same for 1586 and 6000",
        tolerance="highest over lowest at most 1.1 at each share of UDP; in shape: 1.25",
        check=same(apart(CARRIED.among(lambda mix: mix[0] >= 1586), 0)),
        reason=WINDOWS_REASON,
    ),
    Claim(
        id="udp",
        text="ours: nor with how many of them are UDP",
        whose="ours",
        where="our expectation, stricter than §1",
        expected="the same for 0, 10 and 30 %",
        tolerance="highest over lowest at most 1.1 at each number of flows; in shape: 1.25",
        check=same(apart(CARRIED, 1)),
        reason="UDP's bursts wait in the macroflow that TCP shares: round trips of 26 and 36 ms become 52 and 51 ms "
        "with 30 % UDP (400 and 1586 flows, 5 s), and windows of 20 packets carry less over longer ones. Paced TCP has "
        "24 ms in all mixes",
    ),
    Claim(
        id="drops",
        text="a low packet drop ratio whatever the number of TCP or UDP flows",
        where="§1, §2.2",
        expected="no number given",
        tolerance="at most half of Paced TCP's with six packets for all nine mixes; in shape: lower",
        check=at_most(DROPPED, 0.5, in_shape=below(DROPPED, 1)),
    ),
)

NOTES = (
    "One macroflow for data and ACKs, TU 100 %.",
    "Windows of 20 packets bound what TCP can send: 400 flows cannot ask for what 1586 can.",
    f"A UDP flow is on for {ON} and off for {OFF} in the mean (exponential), at four times its mean rate; all begin in "
    "the first second. The paper says nothing of its UDP flows and shows none.",
)

experiment = Experiment(
    id="002/flows",
    title="the number of TCP and UDP flows",
    source=Source(paper=PAPER, figures="none: stated in §1", section="§1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=(
            *grid(scheme=(XCP,), ram_bytes=(SIX_PACKETS_BYTES, MUCH_RAM), flows=FLOWS, udp_percent=(0, 30)),
            *grid(scheme=(PACED,), ram_bytes=(SIX_PACKETS_BYTES,), flows=FLOWS, udp_percent=(0, 30)),
        ),
        replications=1,
        settings=shortened(5),
        note="2 of 3 shares of UDP, 1 of 3 replications, 5 of 40 seconds; Paced TCP with 9 kB alone.",
    ),
    full=Form(
        points=grid(scheme=SCHEMES, ram_bytes=(SIX_PACKETS_BYTES, MUCH_RAM), flows=FLOWS, udp_percent=UDP_PERCENT),
        replications=3,
    ),
    claims=CLAIMS,
    plots=(Plot(name="flows", draw=draw),),
    describe=describe,
    notes=NOTES,
)
