"""Paper 002 under each reading of its words: the claims of 002/macroflows, reading beside reading.

The schemes, metrics, claims and tolerances are those of 002/macroflows; its short runs are repeated with one key of the
switching changed. A reading's verdicts are of short runs: 002/macroflows judges the default one in the paper's form.

The expected values and tolerances of the claims below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Values, at_least, at_most, beside, most, near, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.verdict import Finding, Verdict, judge, not_run

from ._claims import CLAIMS as PAPERS_CLAIMS
from ._curves import PACED, PAPER, PLAIN, SIX_PACKETS_BYTES, bars, finish, shortened
from ._schemes import FULL_TARGET, LOW_TARGET, METRICS, NAMES, QUICK_RAM, XCP, measure
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

LITERAL, EVERYWHERE, XCPS, CORE = "edge-routers", "everywhere", "xcp", "core-routers"
ACTIVE, LSPS, ALLOWED, CHANGES, EDGE_QUEUE = "active", "lsps", "allowed", "changes-allowed", "edge-queue"
REMEMBERS = "remembers"
GAINS = (LITERAL, EVERYWHERE, XCPS, CORE)
KEYS: Mapping[str, Mapping[str, Value]] = {
    **{gains: {"switching.gains": gains} for gains in GAINS},
    ACTIVE: {"switching.macroflow_count": "active"},
    LSPS: {"switching.macroflow_count": "given"},
    ALLOWED: {"switching.probe_tells": "allowed"},
    CHANGES: {"switching.feedback_changes": "allowed"},
    EDGE_QUEUE: {"switching.edge_queue": "macroflows"},
    REMEMBERS: {"switching.probe_memory": 0.875},
}
NONE = "without macroflows"
"""The reading of TCP Reno and Paced TCP: none of the words is about them."""
MEANINGS = {
    LITERAL: "α, β, γ = 0.2, 0.056, 0.1 at outputs of edge nodes, XCP's 0.4, 0.226, 0.1 at core outputs (the default)",
    EVERYWHERE: "α, β, γ = 0.2, 0.056, 0.1 at all outputs",
    XCPS: "α, β, γ = 0.4, 0.226, 0.1 at all outputs",
    CORE: "α, β, γ = 0.2, 0.056, 0.1 at core outputs, 0.4, 0.226, 0.1 at outputs of edge nodes",
    ACTIVE: "N is counted from macroflows that sent something since the probe before",
    LSPS: "N is the number of macroflows that were set up",
    ALLOWED: "probes tell, and feedback changes, the rate that is allowed",
    CHANGES: "probes tell what was sent, feedback changes what is allowed",
    REMEMBERS: "probes tell an eighth of what was sent and seven of what the last one told",
    EDGE_QUEUE: "what waits in macroflows is part of the queue of an edge node's output",
}


def points(judged: tuple[str, ...], others: tuple[str, ...], *, alone: tuple[str, ...] = ()) -> tuple[Point, ...]:
    """TCP once, and the schemes with macroflows in each reading.

    In the others they have six packets of RAM alone; in the last ones so has one macroflow for data and ACKs, alone.
    """
    schemes = (*FULL_TARGET, *LOW_TARGET)
    return (
        *(grid(reading=(NONE,), scheme=(PLAIN, PACED), ram_bytes=QUICK_RAM) if judged else ()),
        *grid(reading=judged, scheme=schemes, ram_bytes=QUICK_RAM),
        *grid(reading=others, scheme=schemes, ram_bytes=(SIX_PACKETS_BYTES,)),
        *grid(reading=alone, scheme=(XCP,), ram_bytes=(SIX_PACKETS_BYTES,)),
    )


def setup(point: Point) -> Setup:
    """A scheme of 002/macroflows with the keys of a reading."""
    return scheme_setup(str(point["scheme"]), point["ram_bytes"], KEYS.get(str(point["reading"]), {}))


def under(outcome: Outcome, reading: str) -> Outcome:
    """What 002/macroflows would have measured in this reading."""
    rows = pl.col("reading").is_in((NONE, reading))
    return Outcome(table=outcome.table.filter(rows), replications=outcome.replications.filter(rows))


def readings_of(outcome: Outcome) -> list[str]:
    """Those that were run, in order."""
    run = set(outcome.table["reading"])
    return [reading for reading in KEYS if reading in run]


def judged_in(outcome: Outcome) -> list[str]:
    """Those that were run with as many sizes of RAM as the claims need."""
    sizes = outcome.table.group_by("reading").agg(pl.col("ram_bytes").n_unique())
    enough = set(sizes.filter(pl.col("ram_bytes") == len(QUICK_RAM))["reading"])
    return [reading for reading in readings_of(outcome) if reading in enough]


def verdicts(outcome: Outcome, reading: str) -> list[Finding]:
    """What the paper's claims are found to be in this reading, in their order."""
    seen = under(outcome, reading)
    return [claim.check(seen) for claim in PAPERS_CLAIMS]


def with_six(metric: str, scheme: str = XCP) -> Values:
    """A metric of a scheme with six packets of RAM, by reading."""
    return values(metric, "reading", scheme=scheme, ram_bytes=SIX_PACKETS_BYTES)


def _score(outcome: Outcome, reading: str) -> tuple[int, int]:
    """How many claims agree, and how many do not disagree."""
    found = [finding.verdict for finding in verdicts(outcome, reading)]
    return found.count(Verdict.AGREES), len(found) - found.count(Verdict.DISAGREES)


def check_literal(outcome: Outcome) -> Finding:
    """No other reading of where the gains belong fits more of the paper's claims."""
    scores = {gains: _score(outcome, gains) for gains in judged_in(outcome) if gains in GAINS}
    if not scores:
        return not_run("this form has six packets of RAM alone")
    own = scores[LITERAL]
    said = ", ".join(
        f"{agree} agree and {len(PAPERS_CLAIMS) - not_dis} disagree ({gains})"
        for gains, (agree, not_dis) in scores.items()
    )
    return judge(
        agrees=all(own[0] >= other[0] and own[1] >= other[1] for other in scores.values()),
        in_shape=all(own[1] >= other[1] for other in scores.values()),
        measured=f"of {len(PAPERS_CLAIMS)} claims {said}",
    )


COUNTS = (ACTIVE, LSPS)
SAME_COUNT = beside(
    {
        scheme: (with_six("utilization", scheme) / with_six("utilization", scheme).at(LITERAL)).among(
            lambda one: one in COUNTS
        )
        for scheme in (*FULL_TARGET, *LOW_TARGET)
    }
)
FURTHEST = most((SAME_COUNT - 1).each(abs).told(".1%"))
DROPS = (with_six("core_drop_rate") / with_six("core_drop_rate").at(LITERAL)).told(".0f", " times")
CARRIED = (with_six("utilization") / with_six("utilization").at(LITERAL)).at(REMEMBERS)
MORE_DROPS = DROPS.at(REMEMBERS).told(".1f", " times the drop rate")


def describe(outcome: Outcome) -> list[str]:
    """What each reading is."""
    return [f"`{reading}`: {MEANINGS[reading]}." for reading in readings_of(outcome)]


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim of the paper in all readings."""
    found = {reading: verdicts(outcome, reading) for reading in judged_in(outcome)}
    if not found:
        return []
    return [
        UnderReadings(
            id=claim.id,
            claim=claim.text,
            where=claim.where,
            findings={reading: findings[number] for reading, findings in found.items()},
        )
        for number, claim in enumerate(PAPERS_CLAIMS)
    ]


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization with six packets, a group of bars a scheme."""
    outcome = Outcome(table=table, replications=table)
    found = values("utilization", ("reading", "scheme"), ram_bytes=SIX_PACKETS_BYTES).read(outcome)
    series = {
        one: {scheme: level for (reading, scheme), level in found.items() if reading == one}
        for one in readings_of(outcome)
    }
    groups = {
        one: NAMES[one].removeprefix("XCP, ").replace(", ", "\n").replace(" another ", "\nanother ")
        for one in (*FULL_TARGET, *LOW_TARGET)
    }
    bars(axes, series, groups)
    axes.set_ylabel("mean utilization of core outputs with 9 kB")
    finish(axes, table)


CLAIMS = (
    Claim(
        id="literal",
        text='α, β, γ = 0.2, 0.056, 0.1 "for edge routers" and XCP\'s at core routers fit the paper best',
        whose="ours",
        where="§3.1, our expectation",
        expected="no reading of where they belong fits more claims",
        tolerance="none has more claims that agree, or fewer that disagree; in shape: none fewer that disagree",
        check=check_literal,
    ),
    Claim(
        id="count",
        text="it is one whether N counts all macroflows that probe, those that sent something, or all that were set up",
        whose="ours",
        where="§2.2, our expectation",
        expected="no difference: every pair has traffic at the end",
        tolerance="utilizations with 9 kB differ by at most 1 %; in shape: 3 %",
        check=at_most(FURTHEST, 0.01, in_shape=0.03),
    ),
    Claim(
        id="allowed",
        text="feedback must change the rate that was sent: a rate that is allowed and not used paces nothing",
        whose="ours",
        where="§2.2, our expectation",
        expected="many more drops",
        tolerance="at least 10 times the drop rate with 9 kB and one macroflow; in shape: 3 times",
        check=at_least(DROPS.at(ALLOWED, CHANGES), 10, in_shape=3),
    ),
    Claim(
        id="remembers",
        text="it is one whether u_i is estimated over the last interval or over some eight of them",
        whose="ours",
        where="§2.2, our expectation",
        expected="hardly any difference",
        tolerance="utilization within 3 % and at most twice the drop rate, with 9 kB and one macroflow; in shape: 10 % "
        "and ten times",
        check=(near(CARRIED, 1, by=0.03) & at_most(MORE_DROPS, 2)).in_shape(
            near(CARRIED, 1, by=0.1) & at_most(MORE_DROPS, 10)
        ),
        reason="the new rate is the estimate and the feedback: an estimate that remembers holds a macroflow back "
        "while its TCPs grow (0.83 of the utilization). That is no mean between the last interval and the allowed "
        "rate, which paces nothing",
    ),
)

NOTES = (
    "Tables and verdicts are of runs of 5 instead of 40 s and of five sizes of RAM, as in the quick form of "
    "002/macroflows: claims about a size between 9 kB and 1 MB are judged coarsely.",
)

experiment = Experiment(
    id="002/readings",
    title="the claims of figures 3, 4 and 5 under each reading of the paper's words",
    source=Source(paper=PAPER, figures="Figures 3, 4 and 5", section="§2.2, §3.1, §3.2"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points((), (LITERAL, ACTIVE), alone=(ALLOWED, CHANGES, REMEMBERS)),
        replications=1,
        settings=shortened(5),
        note="5 of 10 readings, with 9 kB alone, 3 of them with one scheme; 1 of 3 replications, 5 of 40 seconds.",
    ),
    full=Form(
        points=points((*GAINS, ACTIVE), (LSPS, ALLOWED, CHANGES, EDGE_QUEUE, REMEMBERS)),
        replications=3,
        settings=shortened(5),
        note="5 of 40 seconds; 5 of 10 readings with 9 kB alone.",
    ),
    claims=CLAIMS,
    plots=(Plot(name="readings", draw=draw),),
    describe=describe,
    readings=side_by_side,
    notes=NOTES,
)
