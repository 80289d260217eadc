"""What 001/network asks of its table: one function for each of its claims."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol import model
from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    below,
    beside,
    first,
    highest,
    last,
    lowest,
    most,
    near,
)

from ._bursts import WINDOW_MAX
from ._compare import (
    BAIMD,
    BETA,
    BTCP,
    MEDIUM_LOSS,
    RENO,
    SACK,
    all_fall,
    clearly_above,
    fairest,
    furthest,
    versions_of,
)
from ._network import AGAIN, BARE, METERED, NEAR_1, SENDERS, curve, gains
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, model_inputs, of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Outcome

MODES = (BARE, AGAIN)
SCARCE_LOSS = 0.9999e-3
AT_MAXIMUM = (
    "at p = 1e-5 windows are at W_m: with W_m = 5000 and accesses of 400 Mb/s TCP-ENG has 1.95 times SACK's throughput "
    "there, with W_m = 1000 and 100 Mb/s 1.04"
)


def small_windows() -> Predicate:
    """Where the window is small BAIMD has less than SACK and Reno."""
    found = {rival: gain(rival, BARE, BAIMD) for rival in (SACK, RENO)}
    return (
        at_most(beside({rival: last(of) for rival, of in found.items()}), 0.9)
        .in_shape(below(beside({rival: last(of) for rival, of in found.items()}), 1))
        .saying(*found.values())
    )


def falling() -> Predicate:
    """Every curve falls."""
    curves = {
        f"{name}, {mode}, {reading}": along(name, mode, reading=reading)
        for name, reading in versions_of(SENDERS)
        for mode in MODES
    }
    return all_fall(curves, MOSTLY)


def raised(reading: str, again: str = AGAIN) -> Predicate:
    """Burst retransmission raises every curve of figure 5, most at high loss."""
    found = {
        name: (along(name, again, reading=reading) / along(name, BARE, reading=reading)).among(is_scarce)
        for name in (ENG, SACK, RENO)
    }
    growing = reduce(and_, (above(last(of), first(of)) for of in found.values()))
    at_last = at_least(beside({name: last(of) for name, of in found.items()}), 1)
    return (at_least(beside(found), 1) & growing).in_shape(at_last & growing).saying(beside(found))


def is_scarce(loss: float) -> bool:
    """A loss at which bursts are sent again often enough to tell."""
    return loss >= SCARCE_LOSS


def over_model(outcome: Outcome, sender: str, beta: float, reading: str, form: Mapping[str, str]) -> dict[float, float]:
    """A sender's throughput over a closed form's with the measured segments a burst and round trip, by loss."""
    rows = outcome.table.filter(of("sender", sender, reading) & (pl.col("mode") == BARE)).sort("loss")
    found = {}
    columns = ("loss", "segments_per_burst", "rtt_ms", "throughput_mbps")
    for loss, segments, rtt_ms, throughput in rows.select(columns).iter_rows():
        inputs = {"segments_per_burst": max(1.0, segments), "loss": loss, "rtt": rtt_ms / 1e3, "beta": beta}
        rate = model("tcp-eng", window_max=WINDOW_MAX, **inputs, **form)["throughput_bps"]
        found[loss] = throughput / (float(rate) / 1e6)
    return found


def along(name: str, mode: str, metric: str = "throughput_mbps", reading: str = BEN_ONLY) -> Values:
    """A metric of a sender by loss."""
    return Values(lambda outcome: curve(outcome, name, mode, metric, reading=reading), ".2f")


def gain(rival: str, mode: str, sender: str = ENG, reading: str = BEN_ONLY) -> Values:
    """A sender's throughput over a rival's by loss."""
    return Values(lambda outcome: gains(outcome, rival, mode, sender, reading=reading), ".2f", name=f"over {rival}")


def above_each(rivals: Sequence[str], mode: str, factor: float, reading: str) -> Predicate:
    """TCP-ENG is above each rival by a factor, at every loss."""
    return clearly_above({rival: gain(rival, mode, reading=reading) for rival in rivals}, factor)


def closed_form(reading: str, form: Mapping[str, str], betas: Mapping[str, float] | None = None) -> Predicate:
    """TCP-ENG has the throughput of a closed form up to a loss of 1 %."""
    found = beside_model(form, reading, betas or {ENG: BETA})
    return near(found.among(lambda place: place[1] <= 1.0001e-2), 1, by=0.15, in_shape=0.3).telling(found)


def corrected(reading: str) -> Predicate:
    """The corrected analysis."""
    return closed_form(reading, model_inputs(LARGE_WINDOW))


def derived() -> Predicate:
    """Under `ben-only` the closed form derived for it, with β = 7/8 and 31/32."""
    return closed_form(BEN_ONLY, model_inputs(BEN_ONLY), {ENG: BETA, NEAR_1: 0.96875})


def beside_model(form: Mapping[str, str], reading: str, betas: Mapping[str, float]) -> Values:
    """The throughput of senders with their β over that of a closed form."""

    def of_sender(name: str, beta: float) -> Values:
        return Values(lambda outcome: over_model(outcome, name, beta, reading, form), ".2f")

    return beside({name: of_sender(name, beta) for name, beta in betas.items()})


def best_of_fibres(reading: str) -> Predicate:
    """TCP-ENG fills the fibres better than every other, barebone."""
    ours = along(ENG, BARE, "utilization", reading).told(".4f", name="of the fibre")
    ratio = ours / highest(*(along(name, BARE, "utilization") for name in (SACK, RENO, BAIMD, *BTCP)))
    return above(ratio, 1, in_shape=above(ratio.among(is_medium), 1)).telling(ours)


def is_medium(loss: float) -> bool:
    """A loss of 1e-3 at least."""
    return loss >= MEDIUM_LOSS


def indices(mode: str, reading: str) -> list[Values]:
    """Jain's index of TCP-ENG, BAIMD, SACK and Reno."""
    return [along(name, mode, "jain", reading) for name in (ENG, BAIMD, SACK, RENO)]


def fairest_of_all(reading: str) -> Predicate:
    """TCP-ENG has a much better index than the others."""
    ours, *others = indices(BARE, reading)
    return fairest(ours - highest(*others))


def alike(reading: str, mode: str = AGAIN) -> Predicate:
    """With burst retransmission all are alike in fairness."""
    apart = (highest(*indices(mode, reading)) - lowest(*indices(mode, reading))).told(".3f")
    return at_most(apart, 0.05, in_shape=0.1)


def friendly(reading: str, mode: str = AGAIN) -> Predicate:
    """With burst retransmission TCP-ENG's throughput is close to SACK's and Reno's."""
    return near(
        beside({f"over {rival}": gain(rival, mode, reading=reading) for rival in (SACK, RENO)}), 1, by=0.2, in_shape=0.5
    )


def near_one() -> Predicate:
    """With β = 31/32 TCP-ENG is above SACK where windows are below 32 segments, and friendly where they are above."""
    found = gain(SACK, BARE, NEAR_1, LARGE_WINDOW)
    many = at_least(found.among(lambda loss: loss > 2e-2), 1.1)
    few = near(found.among(lambda loss: 0.9999e-4 < loss < 5e-3), 1, by=0.2)
    return (many & few).in_shape(many).telling(found, along(NEAR_1, BARE, "jain", LARGE_WINDOW))


SILENT = along(METERED, BARE, "silent_share")
NOTICES = [along(name, BARE, "notices_per_s") for name in (BTCP[2], METERED, ENG)]
TOLD_NOTHING = gain(SACK, BARE, METERED)


def silence() -> Predicate:
    """Where nearly nothing is told, TCP-ENG under `ben-only` is SACK."""
    return at_most(furthest(TOLD_NOTHING, SILENT, 0.9), 0.1, in_shape=0.25).telling(
        TOLD_NOTHING, SILENT.told(".2f", name="silent")
    )


def notices(naks: Values, bens: Values, told: Values) -> Predicate:
    """The metered sender is sent far fewer messages than BTCP with negative acknowledgements, where that gets some."""

    def read(outcome: Outcome) -> dict[Any, float]:
        ours = bens.read(outcome)
        return {at: ours[at] / theirs for at, theirs in naks.read(outcome).items() if theirs > 0}

    words = {"NAKs": naks, "BENs below 1 %": bens, "BENs of every loss": told}
    told_words = (of.told(".3g", name=f"{name} a second:") for name, of in words.items())
    return at_most(Values(read, ".2f"), 0.5, in_shape=SOMEWHERE).saying(*told_words)


def meter() -> Predicate:
    """On a path with few bursts one loss is above the threshold, and TCP-ENG takes contention for congestion."""
    silent = along(METERED, BARE, "silent_share", LARGE_WINDOW).told(".2f", name="silent about")
    medium, found = silent.among(is_medium), gain(SACK, BARE, METERED, LARGE_WINDOW)

    def at_a_thousandth(outcome: Outcome) -> dict[None, float]:
        gains = found.read(outcome)
        return {None: gains[min(gains, key=lambda loss: abs(float(str(loss)) - 1e-3))]}

    there = Values(at_a_thousandth, ".2f")
    stands = at_least(medium, 0.5) & at_most(there, 0.7)
    return stands.in_shape(at_least(most(medium), 0.5) & below(there, 0.9)).saying(silent, found)
