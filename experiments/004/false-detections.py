"""Paper 004, §4.1: what a false detection does to SACK's window, cut by cut, against the delay model's assumptions.

The curves are the trace: a row for each cut. The table says what the model makes of the same rounds with one of its
assumptions replaced by the simulated values at a time.

Tolerances were written before the first run of this file. What had been seen then: the cuts in traces of
004/alternating, the closed form with M/2 beside its times with five assembly times, RR-TCP's with bursts of 100 MB at
four δ, and M at 1 Tb/s for four δ.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, Values, at_most, near, within
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, grid
from photocol.verdict import Finding, judge

from ._alternating import FULL_MS, RR, SACK, modelled, scenario
from ._lb import curve, source
from ._rounds import BURST, cuts, of_scenario, periods, replayed, slow_start_s, traced

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

USUAL, MERGED, BAT = "SACK 10 us", "SACK 1 ms", "SACK 10 ms"
AT_ONCE, WHOLE = "SACK 10 us 1 Tb/s", "RR-TCP one burst"
DEPTH = {"fall": "two_packets"}
VARIANTS: dict[str, tuple[str, int, str, int]] = {
    USUAL: (SACK, 10, "1 MB", 1),
    MERGED: (SACK, 1000, "1 MB", 1),
    BAT: (SACK, 10_000, "1 MB", 1),
    AT_ONCE: (SACK, 10, "1 MB", 1000),
    WHOLE: (RR, 10, "100 MB", 1),
}
"""Name → sender, assembly time in µs, longest burst, Gb/s. A longer assembly joins what leaves at two times."""
JUDGED = (USUAL, MERGED)
"""With 10 ms what does not fit into a burst waits for the next ones, which no reading of the model has."""


def make(point: Point) -> Setup:
    """A run of 004/alternating with its trace."""
    sender, timer_us, length, gbps = VARIANTS[str(point["variant"])]
    known = scenario(sender, float(point["delta_ms"]), timer_us=timer_us, length=length, gbps=gbps)
    return Setup(scenario={**known, "trace": {"flows": "all", "links": [], "limit": 20_000_000}})


def measure(result: RunResult) -> dict[str, float]:
    """What the cuts are, and the model's rounds with one more of its assumptions replaced by them at a time."""
    rounds, trace = of_scenario(str(result.manifest["scenario"])), traced(result)
    table = cuts(trace, rounds.delta_s)
    found, further = periods(table), table.filter(pl.col("before_packets") <= BURST)
    return {
        "total_s": float(result.flows["end_s"][0] - result.flows["start_s"][0]) + rounds.set_up_s,
        "slow_start_s": slow_start_s(trace) + rounds.set_up_s,
        "periods": len(found),
        "cuts": table.height,
        "most_cuts": max((one.cuts for one in found), default=0),
        "kept": mean(table["after_packets"] / table["before_packets"]),
        "first": found[0].peak if found else 0.0,
        "peak": mean(pl.Series([one.peak for one in found])),
        "bottom": mean(pl.Series([one.bottom for one in found])),
        "bursts": mean(further["bursts"]),
        "lap_ms": 1e3 * mean(further["lap_s"]),
        "held_ms": 1e3 * mean(table["held_s"]),
        "own_s": replayed([], rounds),
        "falls_s": replayed(found, rounds, peaks=False, laps=False),
        "laps_s": replayed(found, rounds, peaks=False),
        "peaks_s": replayed(found, rounds),
    }


def mean(values: pl.Series) -> float:
    """0 of nothing."""
    found = values.cast(pl.Float64).drop_nans().mean()
    return 0.0 if found is None else float(found)  # type: ignore[arg-type]


def every_cut(result: RunResult) -> pl.DataFrame:
    """The trace: a row for each cut."""
    return cuts(traced(result), of_scenario(str(result.manifest["scenario"])).delta_s)


def of(outcome: Outcome, variant: str, metric: str, *, reordered: bool = True) -> dict[float, float]:
    """A metric of a variant along δ, without δ = 0 unless asked for."""
    found = curve(outcome, "delta_ms", metric, variant=variant)
    return {delta: value for delta, value in found.items() if delta > 0 or not reordered}


KEPT = Values(lambda outcome: of(outcome, USUAL, "kept"), ".3f")


CUTS, MOST_CUTS = (Values(lambda outcome, name=name: of(outcome, USUAL, name)) for name in ("cuts", "most_cuts"))
EACH = (CUTS / Values(lambda outcome: of(outcome, USUAL, "periods"))).told(".2f", name="on average")
ONE_CUT = within(MOST_CUTS, 1, 1, in_shape=at_most(EACH, 2)).saying(EACH, MOST_CUTS.told(".0f", name="at most"))


def at_peak(variant: str, metric: str) -> Predicate:
    """M = X + β."""
    from photocol import model

    peaks = Values(lambda outcome: of(outcome, variant, metric), ".1f")

    def known(outcome: Outcome) -> dict[float, float]:
        deltas = of(outcome, variant, metric)
        return {d: float(model("sack-lb-obs", difference=f"{d} ms")["window_at_detection"]) for d in deltas}

    expected = Values(known, ".0f", name="X + β =")
    return near(peaks / expected, 1, by=0.01, in_shape=0.03).saying(peaks, expected)


def off_where(
    outcome: Outcome, is_such: Callable[[dict[str, float]], bool], readings: dict[str, str]
) -> dict[str, float]:
    """By how much the closed form is off, at the points of the judged variants that are such."""
    found = {}
    for row in outcome.table.filter(pl.col("variant").is_in(JUDGED) & (pl.col("delta_ms") > 0)).iter_rows(named=True):
        if row["periods"] > 0 and is_such(row):
            seconds = modelled(SACK, row["delta_ms"], timer_us=VARIANTS[row["variant"]][1], **readings)
            found[f"{row['variant']}, {row['delta_ms']:g} ms"] = seconds / row["total_s"] - 1
    return found


def check_closed(off: dict[str, float], tolerance: float) -> Finding:
    """A closed form where its own assumption holds, of at least two points."""
    return judge(
        agrees=len(off) >= 2 and all(abs(value) <= tolerance for value in off.values()),
        in_shape=len(off) >= 1 and all(abs(value) <= 2 * tolerance for value in off.values()),
        measured="; ".join(f"{name}: {100 * value:+.1f} %" for name, value in off.items()) or "nowhere",
    )


def check_replayed(outcome: Outcome) -> Finding:
    """The model's rounds with the simulated falls."""
    off = {
        f"{variant}, {delta:g} ms": seconds / of(outcome, variant, "total_s")[delta] - 1
        for variant in JUDGED
        for delta, seconds in of(outcome, variant, "peaks_s").items()
    }
    return check_closed(off, 0.05)


def check_whole(outcome: Outcome) -> Finding:
    """RR-TCP with every window in one burst."""
    times = of(outcome, WHOLE, "total_s", reordered=False)
    return check_closed({f"{delta:g} ms": modelled(RR, delta) / seconds - 1 for delta, seconds in times.items()}, 0.02)


def ablation(outcome: Outcome) -> list[str]:
    """From §4.1's rounds to the simulation, one assumption after the other."""
    lines = []
    for row in outcome.table.filter(pl.col("variant").is_in(JUDGED) & (pl.col("delta_ms") > 0)).iter_rows(named=True):
        steps = [row[name] for name in ("own_s", "falls_s", "laps_s", "peaks_s", "total_s")]
        depth, laps, peaks, rest = (after - before for before, after in pairwise(steps))
        lines.append(
            f"{row['variant']}, δ = {row['delta_ms']:g} ms: §4.1's rounds take {steps[0]:.1f} s, the simulation "
            f"{steps[-1]:.1f} s; of the difference how far the window falls makes {depth:+.1f} s, the time between the "
            f"cuts of a period {laps:+.1f} s, the window at the first of them {peaks:+.1f} s, all else {rest:+.1f} s."
        )
    return lines


def draw(axes: Axes, frame: pl.DataFrame) -> None:
    """The windows before the cuts at the largest δ, by their time."""
    chosen = frame.filter(pl.col("variant") == USUAL)
    for delta, colour in zip(sorted(set(chosen["delta_ms"]))[-3:], ("#009E73", "#0072B2", "#D55E00"), strict=False):
        line = chosen.filter(pl.col("delta_ms") == delta)
        axes.plot(line["t_s"], line["before_packets"], "o", color=colour, markersize=4, label=f"δ = {delta:g} ms")
    axes.set_yscale("log", base=2)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("window before a cut (packets)")
    axes.legend(frameon=False, fontsize=8)


CLAIMS = (
    Claim(
        id="one-cut",
        text="a period ends with one false detection: the halved window is in one burst again",
        where="§4.1, Fig. 2",
        expected="1",
        tolerance="exactly one cut in every period at every δ above 0; in shape: two on average",
        check=ONE_CUT,
        reason="after a recovery the window leaves at two times, δ apart. Bursts take turns on the paths, so that "
        "one part laps the other within 4d_s + δ and the window is halved again, until three duplicate "
        "ACKs cannot come. Where an assembly of 1 ms joins both parts again there is one cut (at 5 ms)",
    ),
    Claim(
        id="half",
        text="a false detection halves the window",
        where="§4.1",
        expected="0.5",
        tolerance="the share that is kept on average 0.47 to 0.53; in shape: 0.4 to 0.6",
        check=within(KEPT, 0.47, 0.53, in_shape=(0.4, 0.6)),
    ),
    Claim(
        id="peak",
        text="it comes when the window is X + β",
        where="§4.1",
        expected="X + β",
        tolerance="on average within 1 % at every δ above 0; in shape: 3 %",
        check=at_peak(USUAL, "peak"),
        reason="β has only the paths' delays: below 5 ms a burst of a few packets overtakes one of 1000, which "
        "lasts 8 ms. Where it lasts 8 µs, the first M is X + β. At 10 ms M was 1016 once, with the large burst on "
        "the short path all the time",
    ),
    Claim(
        id="peak-at-once",
        text="the first one does where transmission takes no time",
        whose="ours",
        where="ours",
        expected="X + β",
        tolerance="within 1 % at every δ above 0, at 1 Tb/s; in shape: 3 %",
        check=at_peak(AT_ONCE, "first"),
    ),
    Claim(
        id="closed-half",
        text="where every period has one cut, the closed form with M/2 is that of the simulation",
        whose="ours",
        where="ours",
        expected="the same time",
        tolerance="within 3 % at all such points, at least two; in shape: 6 %",
        check=lambda outcome: check_closed(off_where(outcome, lambda row: row["most_cuts"] == 1, {}), 0.03),
    ),
    Claim(
        id="closed-two",
        text="where the window falls to two packets in every period, that with two packets is",
        whose="ours",
        where="ours",
        expected="the same time",
        tolerance="within 5 % at all points with at most 2.5 packets on average, at least two; in shape: 10 %",
        check=lambda outcome: check_closed(off_where(outcome, lambda row: row["bottom"] <= 2.5, DEPTH), 0.05),
    ),
    Claim(
        id="replayed",
        text="the model's rounds with the cuts as simulated take as long as the simulation",
        whose="ours",
        where="ours",
        expected="the same time",
        tolerance="within 5 % at every δ above 0, with 10 µs and 1 ms; in shape: 10 %",
        check=check_replayed,
    ),
    Claim(
        id="one-burst",
        text="RR-TCP's closed form is that of the simulation where every window is in one burst",
        whose="ours",
        where="ours; §4.2",
        expected="the same time",
        tolerance="within 2 % at every δ; in shape: 4 %",
        check=check_whole,
    ),
)

METRICS = (
    Metric(name="total_s", label="time for the file (s)", form=".2f"),
    Metric(name="slow_start_s", label="slow start (s)", form=".2f"),
    Metric(name="periods", label="periods", form=".0f"),
    Metric(name="cuts", label="cuts", form=".0f"),
    Metric(name="most_cuts", label="most cuts of a period", form=".0f"),
    Metric(name="kept", label="share of the window that a cut leaves", form=".3f"),
    Metric(name="first", label="window at the first cut of all (packets)", form=".1f"),
    Metric(name="peak", label="window at a period's first cut (packets)", form=".1f"),
    Metric(name="bottom", label="window after its last (packets)", form=".1f"),
    Metric(name="bursts", label="bursts in 4d_s + δ after a further cut", form=".1f"),
    Metric(name="lap_ms", label="from cut to cut of a period (ms)", form=".0f"),
    Metric(name="held_ms", label="how long a recovery holds the window (ms)", form=".0f"),
    Metric(name="own_s", label="the model's rounds (s)", form=".2f"),
    Metric(name="falls_s", label="with falls as simulated (s)", form=".2f"),
    Metric(name="laps_s", label="and the time between cuts (s)", form=".2f"),
    Metric(name="peaks_s", label="and the windows at the first (s)", form=".2f"),
)

experiment = Experiment(
    id="004/false-detections",
    title="what a false detection does to SACK's window, against the assumptions of the delay model",
    source=source("Figures 2 and 3", "§4.1"),
    setup=make,
    measure=measure,
    curves=every_cut,
    metrics=METRICS,
    quick=Form(points=grid(variant=tuple(VARIANTS), delta_ms=(1, 2, 5, 10, 30, 50)), replications=1, note="six δ"),
    full=Form(points=grid(variant=tuple(VARIANTS), delta_ms=FULL_MS), replications=1),
    claims=CLAIMS,
    plots=(Plot(name="cuts", draw=draw, of="curves"),),
    describe=ablation,
    notes=(
        "As 004/alternating, with its assembly time of 10 µs, with 1 ms, and with 10 ms, the timer of §5.2; with "
        "1 Tb/s instead of 1 Gb/s; RR-TCP with bursts that hold every window.",
        "A cut is a fast retransmit; all are false. A period begins with a cut of a window beyond one burst. RFC 6675 "
        "has no second cut in a recovery: a further one follows its end.",
    ),
)
