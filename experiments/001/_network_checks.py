"""What 001/network asks of its table: one function for each of its claims."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol import model
from photocol.verdict import Finding, judge

from ._bursts import WINDOW_MAX
from ._compare import BAIMD, BETA, BTCP, MEDIUM_LOSS, RENO, SACK, listed
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


def check_above(outcome: Outcome, rivals: Sequence[str], mode: str, factor: float, reading: str) -> Finding:
    """TCP-ENG is above each rival by a factor, at every loss."""
    found = {rival: gains(outcome, rival, mode, reading=reading) for rival in rivals}
    every = [gain for one in found.values() for gain in one.values()]
    many = [gain for one in found.values() for loss, gain in one.items() if loss >= MEDIUM_LOSS]
    return judge(
        agrees=min(every) >= factor,
        in_shape=min(many) >= 1.0,
        measured="; ".join(f"over {rival} {listed(one)}" for rival, one in found.items()),
    )


def check_sack(outcome: Outcome, reno: str = RENO) -> Finding:
    """SACK is at least as good as Reno."""
    ratio = gains(outcome, reno, BARE, SACK)
    holds = min(ratio.values()) >= 0.98
    return judge(agrees=holds, in_shape=holds, measured=listed(ratio))


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


def check_model(outcome: Outcome, reading: str) -> Finding:
    """TCP-ENG over the network has the throughput of the corrected analysis."""
    found = over_model(outcome, ENG, BETA, reading, model_inputs(LARGE_WINDOW))
    low = [abs(ratio - 1) for loss, ratio in found.items() if loss <= 1.0001e-2]
    return judge(agrees=max(low) <= 0.15, in_shape=max(low) <= 0.3, measured=listed(found))


def check_model_at_1(outcome: Outcome) -> Finding:
    """Under `ben-only` TCP-ENG has the throughput of the corrected analysis with §II's α = 1."""
    found = over_model(outcome, ENG, BETA, BEN_ONLY, {"alpha_from": "one"})
    low = [abs(ratio - 1) for loss, ratio in found.items() if loss <= 1.0001e-2]
    return judge(agrees=max(low) <= 0.15, in_shape=max(low) <= 0.3, measured=listed(found))


def check_closed_form(outcome: Outcome) -> Finding:
    """Under `ben-only` TCP-ENG has the throughput of the closed form derived for it, with β = 7/8 and 31/32."""
    pairs = ((ENG, BETA), (NEAR_1, 0.96875))
    found = {name: over_model(outcome, name, beta, BEN_ONLY, model_inputs(BEN_ONLY)) for name, beta in pairs}
    low = [abs(ratio - 1) for one in found.values() for loss, ratio in one.items() if loss <= 1.0001e-2]
    words = "; ".join(f"{name} {listed(one)}" for name, one in found.items())
    return judge(agrees=max(low) <= 0.15, in_shape=max(low) <= 0.3, measured=words)


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


def check_near_1(outcome: Outcome) -> Finding:
    """With β = 31/32 TCP-ENG is above SACK where windows are below 32 segments, and friendly where they are above."""
    gain = gains(outcome, SACK, BARE, NEAR_1, reading=LARGE_WINDOW)
    many = [value for loss, value in gain.items() if loss > 2e-2]
    few = [value for loss, value in gain.items() if 0.9999e-4 < loss < 5e-3]
    return judge(
        agrees=min(many) >= 1.1 and all(abs(value - 1) <= 0.2 for value in few),
        in_shape=min(many) >= 1.1,
        measured=f"of SACK's throughput {listed(gain)}; Jain's index "
        f"{listed(curve(outcome, NEAR_1, BARE, 'jain', reading=LARGE_WINDOW))}",
    )


def check_fairest(outcome: Outcome, reading: str) -> Finding:
    """TCP-ENG has a much better index than the others."""
    index = {name: curve(outcome, name, BARE, "jain", reading=reading) for name in (ENG, BAIMD, SACK, RENO)}
    leads = {loss: index[ENG][loss] - max(index[name][loss] for name in (BAIMD, SACK, RENO)) for loss in index[ENG]}
    return judge(
        agrees=min(leads.values()) >= 0.02,
        in_shape=min(leads.values()) >= -0.005 and max(leads.values()) > 0.005,
        measured=f"TCP-ENG less the best other: {listed(leads, '+.3f')}",
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
