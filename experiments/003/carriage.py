"""Paper 003, §3.1 and §3.2: signalling in slots of the data fibre, beside it, and in every slot, in bytes and in age.

The thesis argues by figures 3.1 to 3.3. Here the machines of the protocol speak: six slaves and a master at the core
(figure 3.8), slots of 200 µs at 45 Mb/s and frames of 18 slots (chapter 5), over fibres of three lengths. In band six
slots of a frame carry signalling; out of band it has a channel of its own, once a frame; in every slot, frames are one
slot long. Counted are the octets that are said, and how old a request is when the master plans, and when the slots
that it planned pass the core.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from photocol.claims import Values, at_least, at_most, below, beside, most, near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Source, Trial, grid
from photocol.verdict import Finding, judge

from . import _by_hand as by_hand
from ._aapn import PAPER
from ._by_hand import GUARD_US, MBPS, SLOT_US, Star

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

IN_BAND, OUT_OF_BAND, EVERY_SLOT = "in-band", "out-of-band", "every-slot"
CARRIAGES = {IN_BAND: (by_hand.IN_BAND, 18, 6), OUT_OF_BAND: ("OutOfBand", 18, 0), EVERY_SLOT: ("EverySlot", 1, 0)}
"""The protocol's word, slots of a frame, and how many of them carry signalling."""
SLOT_OCTETS = MBPS * SLOT_US / 8
FRAME_US = 18 * SLOT_US
FIBRES_US = (0, 100, 1000)
LOAD = 0.3
"""Payloads of a slot each that come for every slave, a slot."""
THESIS_OCTETS, THESIS_SLOT = 60, 1200


def setup(point: Point) -> Trial:
    """One star."""
    return Trial(function=run, arguments=dict(point))


def run(*, seed: int, carriage: str, fibre_us: int, seconds: float) -> dict[str, float]:
    """All join; then traffic for so long."""
    word, frame_slots, signalling_slots = CARRIAGES[carriage]
    network = by_hand.network(frame_slots, signalling_slots, fibre_us, carriage=word)
    star = Star(network, fibre_ps=fibre_us * 10**6, seed=seed)
    star.join()
    counts = star.talk(seconds, load=LOAD)
    up, down = float(np.mean(counts.up)), float(np.mean(counts.down))
    place = SLOT_OCTETS * (1 - GUARD_US / SLOT_US) if carriage == IN_BAND else SLOT_OCTETS * frame_slots
    share = max(up, down) / place
    reserved = {IN_BAND: signalling_slots / frame_slots, OUT_OF_BAND: 0.0, EVERY_SLOT: share}
    return {
        "octets_up": up,
        "octets_down": down,
        "most_octets": float(max(*counts.up, *counts.down)),
        "filled": share,
        "data_share_lost": reserved[carriage],
        "age_us": float(np.mean(counts.ages)) / 1e6,
        "oldest_us": float(max(counts.ages)) / 1e6,
        "age_used_us": float(np.mean(counts.age_used)) / 1e6,
        "wait_us": float(np.mean(counts.waits)) / 1e6,
        "slots_lost": float(counts.lost),
    }


def measure(result: RunResult) -> Mapping[str, float]:
    """The figures of the trial."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


def column(outcome: Outcome, carriage: str, name: str) -> list[float]:
    """A figure of one carriage over all fibres, the shortest first."""
    rows = outcome.table.filter(outcome.table["carriage"] == carriage).sort("fibre_us")
    return [float(value) for value in rows[name]]


def along(carriage: str, metric: str, form: str = ".0f") -> Values:
    """A figure of one carriage by fibre."""
    return values(metric, "fibre_us", form=form, carriage=carriage)


OLD = (along(IN_BAND, "age_used_us") / FRAME_US).told(".2f", " frames")
WAITS = {carriage: along(carriage, "wait_us").told(".0f", " µs", carriage) for carriage in (IN_BAND, EVERY_SLOT)}
OCTETS = beside({way: along(EVERY_SLOT, f"octets_{way}") for way in ("up", "down")})


def check_fresh(outcome: Outcome) -> Finding:
    """In every slot: the oldest request at the master, less the way there."""
    oldest, band = column(outcome, EVERY_SLOT, "oldest_us"), column(outcome, IN_BAND, "age_us")
    slots = [(age - fibre) / SLOT_US for age, fibre in zip(oldest, FIBRES_US, strict=True)]
    mean = column(outcome, EVERY_SLOT, "age_us")
    return judge(
        agrees=max(slots) <= 2 and all(one < other for one, other in zip(mean, band, strict=True)),
        in_shape=all(one < other for one, other in zip(mean, band, strict=True)),
        measured=f"at most {max(slots):.2f} slots and the way there; in the mean "
        + ", ".join(f"{one:.0f} instead of {other:.0f} µs" for one, other in zip(mean, band, strict=True)),
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """What the data lose against the age of what the master knows: the trade of §3.2."""
    marks, colours = {0: "o", 100: "s", 1000: "^"}, {IN_BAND: "#0072B2", OUT_OF_BAND: "#009E73", EVERY_SLOT: "#D55E00"}
    for row in table.sort("carriage", "fibre_us").to_dicts():
        label = f"{row['carriage']}, {row['fibre_us']} µs"
        where = (row["age_us"] / SLOT_US, row["data_share_lost"])
        axes.plot(*where, marks[row["fibre_us"]], color=colours[row["carriage"]], label=label)
    axes.set_xlabel("age of requests at the master (slots of 200 µs)")
    axes.set_ylabel("share of the data fibre that signals")
    axes.set_ylim(bottom=-0.02)
    axes.legend(frameon=False, fontsize=7)


METRICS = (
    Metric(name="octets_up", label="octets of a request", form=".0f"),
    Metric(name="octets_down", label="octets of a master's word", form=".0f"),
    Metric(name="most_octets", label="most octets", form=".0f"),
    Metric(name="filled", label="share of its place that is used", form=".4f"),
    Metric(name="data_share_lost", label="share of the data fibre that signals", form=".3f"),
    Metric(name="age_us", label="age at the plan (µs)", form=".0f"),
    Metric(name="oldest_us", label="oldest at a plan (µs)", form=".0f"),
    Metric(name="age_used_us", label="age when its slots pass (µs)", form=".0f"),
    Metric(name="wait_us", label="a payload waits (µs)", form=".0f"),
    Metric(name="slots_lost", label="slots lost", form=".0f"),
)

experiment = Experiment(
    id="003/carriage",
    title="signalling in band, out of band and in every slot: octets, and the age of requests (machines by hand)",
    source=Source(paper=PAPER, figures="Figure 3.3", section="§3.1, §3.2, §6.2"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(carriage=tuple(CARRIAGES), fibre_us=FIBRES_US),
        replications=1,
        settings={"seconds": 0.4},
        note="0.4 s and one replication instead of 4 s and three.",
    ),
    full=Form(points=grid(carriage=tuple(CARRIAGES), fibre_us=FIBRES_US), replications=3, settings={"seconds": 4.0}),
    claims=(
        Claim(
            id="frame-old",
            text="in band there is always a frame period of delay of the traffic information",
            where="§3.2",
            expected="a frame or more from a request to the slots that it asked for",
            tolerance="1 frame or more over every fibre, in the mean; in shape: half a frame",
            check=at_least(OLD, 1, in_shape=0.5),
        ),
        Claim(
            id="fresh",
            text="with a channel beside the light the master knows in each slot what waits: the information is fresh",
            where="§3.2",
            expected="a slot old, and younger than in band",
            tolerance="with signalling in every slot never more than two slots older than the way there, and younger "
            "than in band over every fibre; in shape: younger",
            check=check_fresh,
        ),
        Claim(
            id="accurate",
            text="so the allocation of bandwidth can be more accurate",
            where="§3.2",
            expected="payloads wait less: no number in the thesis",
            tolerance="at most half as long over every fibre; in shape: less",
            check=(
                at_most(
                    WAITS[EVERY_SLOT], WAITS[IN_BAND] * 0.5, in_shape=below(WAITS[EVERY_SLOT], WAITS[IN_BAND])
                ).telling(WAITS[IN_BAND])
            ),
        ),
        Claim(
            id="octets",
            text="signalling in every slot takes 60 octets",
            where="§3.1.2",
            expected="60 octets, so slots of 1200 octets for an overhead of 0.05",
            tolerance="54 to 66 octets; in shape: up to 180",
            check=(
                near(
                    OCTETS, THESIS_OCTETS, by=0.1 * THESIS_OCTETS, in_shape=at_most(OCTETS, 3 * THESIS_OCTETS)
                ).telling(most(OCTETS) / 0.05)
            ),
            reason="64 octets of header with sessions and numbers, against replays, and a tag of 16 come before what "
            "is said: what waits for whom, or T_d, the grants, and now and then the configuration",
        ),
        Claim(
            id="no-waste",
            text="in band there is no waste in the signalling slot: signalling fully fills it",
            where="§3.1.1",
            expected="the whole slot, if the slot is as long as the signalling",
            tolerance="90 % of chapter 5's slot; in shape: 50 %",
            check=at_least(along(IN_BAND, "filled", ".0%"), 0.9, in_shape=0.5),
            reason="chapter 5's slot is 1125 octets; one as long as the longest word, 336 octets, would last 80 µs "
            "with its guard time, and slots of data are as long as those of signalling",
        ),
        Claim(
            id="small-part",
            text="out of band only a very small part of the signalling channel is used",
            where="§3.2",
            expected="a very small part",
            tolerance="at most 5 % of a channel of the data's rate; in shape: 20 %",
            check=at_most(along(OUT_OF_BAND, "filled", ".2%"), 0.05, in_shape=0.2),
        ),
    ),
    plots=(Plot(name="overhead-and-age", draw=draw),),
)
