"""One SACK flow over bursts that take turns on two paths, cut by cut, beside the rounds of paper 004's model (§4.1).

A *cut* is a halving of the window at a false detection. A *period* begins with the first cut of a window beyond one
burst and has every further cut until the window is beyond one burst again; the model has one cut a period.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol.quantity import factor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.experiment import RunResult

BURST, THRESHOLD, PACKETS = 1000, 512, 1_000_000
"""X, T and O in packets."""
PACKET_BYTES = 1000
"""S."""
SHORT_S = 0.01
"""d_s."""
COLUMNS = ("t_s", "before_packets", "after_packets", "lap_s", "held_s", "resent_packets", "acked_packets", "bursts")


@dataclass(frozen=True, kw_only=True)
class Period:
    """What the cuts of a period come to."""

    peak: float
    """The window before the first of them, M in the model."""
    bottom: float
    """The window after the last of them, M/2 in the model."""
    cuts: int
    lasts_s: float
    """From the first to the last."""
    packets: float
    """Acknowledged meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """How long the model's rounds take."""

    delta_s: float
    timer_s: float = 0.0
    packet_s: float = 8e-6
    """S/R."""

    @property
    def set_up_s(self) -> float:
        """The two round trips in which a connection is set up."""
        return 4 * (self.timer_s + SHORT_S)

    @property
    def mean_s(self) -> float:
        """Without transmission: the mean of both paths, eq. (2)."""
        return 2 * self.timer_s + 2 * SHORT_S + self.delta_s / 2

    @property
    def peak(self) -> int:
        """M = X + β."""
        laps = math.inf if self.delta_s == 0 else math.floor((2 * SHORT_S + self.delta_s) / self.delta_s + 1e-9)
        return BURST + int(min(laps, BURST))

    def lasts_s(self, window: float) -> float:
        """A window in one burst: eq. (4); in two: the faster of (5) and (6)."""
        if window <= BURST:
            return self.mean_s + window * self.packet_s
        edges = 2 * self.timer_s + 2 * SHORT_S
        return edges + min(BURST * self.packet_s, self.delta_s + (window - BURST) * self.packet_s)


def events(trace: pl.DataFrame) -> pl.DataFrame:
    """The trace in its order; `una` and `sent` are the highest byte acknowledged and sent so far."""
    name = pl.col("event").cast(pl.String)
    end = pl.col("unit") + pl.col("bytes")
    return trace.with_row_index("at").select(
        "at",
        name.alias("event"),
        pl.col("place").cast(pl.String),
        (pl.col("t_ps") * 1e-12).alias("t_s"),
        (pl.col("value") / PACKET_BYTES).alias("window"),
        pl.when(name == "ack").then("unit").cum_max().forward_fill().fill_null(0).alias("una"),
        pl.when(name == "send").then(end).cum_max().forward_fill().fill_null(0).alias("sent"),
    )


def cuts(trace: pl.DataFrame, delta_s: float) -> pl.DataFrame:
    """A row for each cut.

    `lap_s` is the time since the cut before, `held_s` how long the recovery holds the window. `bursts` land in the
    4 d_s + δ after it: two if every window is in one burst.
    """
    known = events(trace)
    acks = known.filter(pl.col("event") == "ack").with_columns(after=pl.col("window").shift(-1))
    # A window that only grows is never smaller at the next ACK.
    falls = acks.filter(pl.col("after") < pl.col("window") - 0.4)
    resent = known.filter(pl.col("event") == "resend")
    landed = known.filter((pl.col("event") == "land") & (pl.col("place") == "F"))
    falls = falls.with_columns(until=pl.col("at").shift(-1).fill_null(known.height))
    rows: list[dict[str, float]] = []
    for at, t_s, before, after, una, sent, until in falls.select(
        "at", "t_s", "window", "after", "una", "sent", "until"
    ).iter_rows():
        let = acks.filter((pl.col("at") > at) & (pl.col("una") >= sent))["t_s"].head(1)
        free_s = float(let[0]) if len(let) else float(known["t_s"][-1])
        lands = landed.filter(pl.col("t_s").is_between(free_s, free_s + 4 * SHORT_S + delta_s))
        rows.append(
            {
                "t_s": t_s,
                "before_packets": before,
                "after_packets": after,
                "lap_s": t_s - rows[-1]["t_s"] if rows else math.nan,
                "held_s": free_s - t_s,
                "resent_packets": float(resent.filter(pl.col("at").is_between(at, until)).height),
                "acked_packets": una / PACKET_BYTES,
                "bursts": float(lands.height),
            }
        )
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.Float64))


def periods(table: pl.DataFrame) -> list[Period]:
    """The cuts by period."""
    starts = [at for at, before in enumerate(table["before_packets"]) if before > BURST]
    return [_period(table[start:end]) for start, end in pairwise([*starts, table.height])]


def _period(part: pl.DataFrame) -> Period:
    first, last = part.row(0, named=True), part.row(-1, named=True)
    return Period(
        peak=first["before_packets"],
        bottom=last["after_packets"],
        cuts=part.height,
        lasts_s=last["t_s"] - first["t_s"],
        packets=last["acked_packets"] - first["acked_packets"],
    )


def of_scenario(text: str) -> Round:
    """The delays of a run's scenario, as its manifest has it."""
    known = tomllib.loads(text)
    longer = next(link for link in known["link"] if (link["from"], link["to"]) == ("B", "C"))
    delta_s = _value(longer["delay"], "s") - SHORT_S / 4
    return Round(
        delta_s=round(delta_s, 9),
        timer_s=_value(known["switching"]["assembly"]["timer"], "s"),
        packet_s=8 * PACKET_BYTES / _value(longer["capacity"], "bit/s"),
    )


def _value(text: str, unit: str) -> float:
    number, written = text.split()
    return float(number) * factor(written, unit)


def slow_start_s(trace: pl.DataFrame) -> float:
    """Until the window has T packets."""
    reached = events(trace).filter((pl.col("event") == "ack") & (pl.col("window") >= THRESHOLD))["t_s"]
    return float(reached[0])


def traced(result: RunResult) -> pl.DataFrame:
    """The run's trace."""
    assert result.trace is not None, "the scenario asks for a trace"
    return result.trace


def replayed(found: Sequence[Period], rounds: Round, *, peaks: bool = True, laps: bool = True) -> float:
    """Seconds of the file in the model's rounds, in which the window falls as far as it did in the simulated periods.

    `peaks` lets it fall from where it did too, not from M = X + β; `laps` counts the time between a period's cuts and
    the packets acknowledged then. Without periods these are §4.1's rounds, which its closed forms sum; they follow the
    last period too.
    """
    seconds = rounds.set_up_s
    left, window, starting, number = float(PACKETS), 1.0, True, 0
    while left > 0:
        seconds += rounds.lasts_s(window)
        left -= window
        one = found[number] if number < len(found) else None
        if window >= (one.peak if one and peaks else rounds.peak):
            starting, number = False, number + 1
            window = one.bottom if one else window / 2
            if one and laps:
                seconds, left = seconds + one.lasts_s, left - one.packets
        elif starting and window < THRESHOLD:
            window *= 2
        else:
            window += 1
    return seconds
