"""What 001/network asks of its table: one function for each of its claims."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol import model
from photocol.claims import Predicate, Values, above, at_least, at_most, beside, highest, lowest, near
from photocol.verdict import Finding, judge

from ._bursts import WINDOW_MAX
from ._compare import BAIMD, BETA, BTCP, MEDIUM_LOSS, RENO, SACK, clearly_above, fairest, listed
from ._network import AGAIN, BARE, METERED, NEAR_1, SENDERS, curve, gains
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, READINGS, is_eng, model_inputs, of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Outcome

MODES = (BARE, AGAIN)
SCARCE_LOSS = 0.9999e-3
AT_MAXIMUM = (
    "at p = 1e-5 windows are at W_m: with W_m = 5000 and accesses of 400 Mb/s TCP-ENG has 1.95 times SACK's throughput "
    "there, with W_m = 1000 and 100 Mb/s 1.04"
)


def check_baimd(outcome: Outcome) -> Finding:
    """Where the window is small BAIMD has less than SACK and Reno."""
    found = {rival: gains(outcome, rival, BARE, BAIMD) for rival in (SACK, RENO)}
    most = max(next(iter(found.values())))
    at_most = max(one[most] for one in found.values())
    return judge(
        agrees=at_most <= 0.9,
        in_shape=at_most < 1.0,
        measured="; ".join(f"over {rival} {listed(one)}" for rival, one in found.items()),
    )


def check_falling(outcome: Outcome) -> Finding:
    """Every curve falls."""
    lines = [(name, reading) for name in SENDERS for reading in (READINGS if is_eng(name) else (BEN_ONLY,))]
    levels = {
        (name, mode, reading): list(curve(outcome, name, mode, reading=reading).values())
        for name, reading in lines
        for mode in MODES
    }
    falls = [all(high > low for high, low in pairwise(one)) for one in levels.values()]
    rising = [", ".join(line) for line, fall in zip(levels, falls, strict=True) if not fall]
    return judge(
        agrees=all(falls),
        in_shape=sum(falls) * 2 > len(falls),
        measured=f"{sum(falls)} of {len(falls)} fall" + (f"; not {'; '.join(rising)}" if rising else ""),
    )


def check_again(outcome: Outcome, reading: str, again: str = AGAIN) -> Finding:
    """Burst retransmission raises every curve of figure 5, most at high loss."""
    found = {}
    for name in (ENG, SACK, RENO):
        bare, copied = (curve(outcome, name, mode, reading=reading) for mode in (BARE, again))
        found[name] = {loss: copied[loss] / bare[loss] for loss in bare if loss >= SCARCE_LOSS}
    every = [gain for one in found.values() for gain in one.values()]
    growing = [one[max(one)] > one[min(one)] for one in found.values()]
    return judge(
        agrees=min(every) >= 1.0 and all(growing),
        in_shape=all(one[max(one)] >= 1.0 for one in found.values()) and all(growing),
        measured="; ".join(f"{name} {listed(one)}" for name, one in found.items()),
    )


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


def check_model(outcome: Outcome, reading: str) -> Finding:
    """TCP-ENG over the network has the throughput of the corrected analysis."""
    found = over_model(outcome, ENG, BETA, reading, model_inputs(LARGE_WINDOW))
    low = [abs(ratio - 1) for loss, ratio in found.items() if loss <= 1.0001e-2]
    return judge(agrees=max(low) <= 0.15, in_shape=max(low) <= 0.3, measured=listed(found))


def check_silence(outcome: Outcome) -> Finding:
    """Where nearly nothing is told, TCP-ENG under `ben-only` is SACK."""
    silent = curve(outcome, METERED, BARE, "silent_share")
    gain = {loss: ratio for loss, ratio in gains(outcome, SACK, BARE, METERED).items() if silent[loss] >= 0.9}
    off = max((abs(ratio - 1) for ratio in gain.values()), default=math.nan)
    return judge(agrees=off <= 0.1, in_shape=off <= 0.25, measured=f"of SACK's throughput {listed(gain)}")


def check_used(outcome: Outcome, reading: str) -> Finding:
    """TCP-ENG fills the fibres better than every other, barebone."""
    ours = curve(outcome, ENG, BARE, "utilization", reading=reading)
    others = [curve(outcome, name, BARE, "utilization") for name in (SACK, RENO, BAIMD, *BTCP)]
    ratio = {loss: share / max(one[loss] for one in others) for loss, share in ours.items()}
    many = [value for loss, value in ratio.items() if loss >= MEDIUM_LOSS]
    return judge(
        agrees=min(ratio.values()) > 1.0,
        in_shape=min(many) > 1.0,
        measured=f"{listed(ours, '.4f')} of the fibre; over the best other {listed(ratio)}",
    )


def check_notices(outcome: Outcome) -> Finding:
    """The metered sender is sent far fewer messages than BTCP with negative acknowledgements."""
    bens, naks = (curve(outcome, name, BARE, "notices_per_s") for name in (METERED, BTCP[2]))
    told, losses = curve(outcome, ENG, BARE, "notices_per_s"), sorted(naks)
    ratio = {loss: bens[loss] / naks[loss] for loss in losses if naks[loss] > 0}
    words = ", ".join(f"{naks[loss]:.2g}, {bens[loss]:.2g}, {told[loss]:.2g} ({loss:.0e})" for loss in losses)
    return judge(
        agrees=max(ratio.values()) <= 0.5,
        in_shape=min(ratio.values()) <= 0.5,
        measured=f"a second to all senders: NAKs, BENs below 1 %, BENs of every loss: {words}",
    )


def check_meter(outcome: Outcome) -> Finding:
    """On a path with few bursts one loss is above the threshold, and TCP-ENG takes contention for congestion."""
    silent = curve(outcome, METERED, BARE, "silent_share", reading=LARGE_WINDOW)
    gain = gains(outcome, SACK, BARE, METERED, reading=LARGE_WINDOW)
    at = min(gain, key=lambda loss: abs(loss - 1e-3))
    medium = [share for loss, share in silent.items() if loss >= MEDIUM_LOSS]
    return judge(
        agrees=min(medium) >= 0.5 and gain[at] <= 0.7,
        in_shape=max(medium) >= 0.5 and gain[at] < 0.9,
        measured=f"silent about {listed(silent)}; throughput over SACK {listed(gain)}",
    )


def check_close(outcome: Outcome, reading: str, mode: str = AGAIN) -> Finding:
    """With burst retransmission all are alike in fairness."""
    index = [curve(outcome, name, mode, "jain", reading=reading) for name in (ENG, BAIMD, SACK, RENO)]
    spread = {loss: max(one[loss] for one in index) - min(one[loss] for one in index) for loss in index[0]}
    return judge(
        agrees=max(spread.values()) <= 0.05,
        in_shape=max(spread.values()) <= 0.1,
        measured=f"largest less least: {listed(spread, '.3f')}",
    )


def check_friendly(outcome: Outcome, reading: str, mode: str = AGAIN) -> Finding:
    """With burst retransmission TCP-ENG's throughput is close to SACK's and Reno's."""
    found = {rival: gains(outcome, rival, mode, reading=reading) for rival in (SACK, RENO)}
    off = max(abs(gain - 1) for one in found.values() for gain in one.values())
    return judge(
        agrees=off <= 0.2,
        in_shape=off <= 0.5,
        measured="; ".join(f"over {rival} {listed(one)}" for rival, one in found.items()),
    )
