"""What transmitters and fibres can do: one thing at a time, at their rate, in their delay, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.network import picoseconds, quantity
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import (
    CUT,
    DELIVERY,
    DOWN,
    EXPONENTIAL,
    FINISH,
    FREE,
    OTHER_KIND,
    PAUSE,
    UNKNOWN,
    VIA,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed

_CHANNEL = ["place", "channel", "event"]


@rule(
    "one at a time",
    "Nothing begins on a wavelength of a link before the one before it has left.",
    of="links",
    blind={OTHER_KIND: "how its links are shared is not known"},
)
def overlaps(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No two on a channel at a time."""
    sent = _in_order(run, events)
    before = pl.col("left").cum_max().shift(1).over(_CHANNEL)
    yield from said(
        sent.filter(_is_whole(run) & (pl.col("begins") < before)), "begins before the one before it has left"
    )


@rule(
    "order on the fibre",
    "Nothing that arrives overtakes the one before it.",
    of="links",
    blind={FREE: "packets may overtake there", OTHER_KIND: "how its links are shared is not known"},
)
def order(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing overtakes."""
    sent = _in_order(run, events.filter(pl.col("lasts_ps") >= 0)).filter(pl.col("lost_at").is_null())
    before = pl.col("arrives").shift(1).over(_CHANNEL)
    yield from said(
        sent.filter(_is_whole(run) & (pl.col("arrives") < before)), "overtakes the one before it on the fibre"
    )


def _in_order(run: Replayed, events: pl.DataFrame) -> pl.DataFrame:
    """What was sent in these events, channel by channel."""
    sent = run.sent.filter(pl.col("row").is_in(events["row"].implode()))
    return sent.sort(*_CHANNEL, "begins", "ends", "row")


def _is_whole(run: Replayed) -> pl.Expr:
    """What two bursts share is cut off of one."""
    cut = run.trace.filter(pl.col("event") == "cut")["unit"].implode()
    return (pl.col("event") == "pass") | ~pl.col("unit").is_in(cut)


@rule(
    "rate",
    "What is sent lasts as long as its bytes take at the rate of its link, and no longer where nothing pauses it.",
    of="links",
    blind={
        DELIVERY: "the rate is that of the lines of the file",
        UNKNOWN: "the rate of the link is not known",
        OTHER_KIND: "what its links do is not known",
    },
)
def rates(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Neither faster nor slower than the link."""
    sent = _in_order(run, events).filter(~pl.col("is_taken"))
    sent = _stated(run, _stated(run, sent, "begins"), "ends")
    # A packet that a slot has cut says for how long it has been leaving; its pauses only make it longer.
    longer = pl.when(pl.col("event") == "pass").then(pl.col("value").fill_null(0)).otherwise(0)
    begun = pl.col("capacity") * (pl.col("begins") - pl.col("since") - longer)
    ended = pl.col("capacity_ends") * (pl.col("ends") - pl.col("since_ends"))
    bits = pl.col("before_ends") - pl.col("before") + (ended - begun) / 1e12
    # What finishes as it began, and what takes the control channel, has another rate than the link has then.
    finishes = pl.col("place").is_in(sorted(FINISH.of(run), key=str))
    lasted = (pl.col("lasts_ps") + longer) / 1e12
    as_begun = pl.when(finishes).then("capacity") * lasted
    beside = pl.when(_is_beside(run)).then(_control_capacity(run)) * lasted
    others = (as_begun, beside)
    # A queue of AAPN may send on several wavelengths at a time.
    most = pl.max_horizontal(bits, *others) * int(run.switching.get("wavelengths", 1) if run.kind == "aapn" else 1)
    least = pl.min_horizontal(bits, *others)
    # A rate is rounded to some parts in 10⁹, a time to the next picosecond, and a burst to whole bytes.
    rounded = pl.when(pl.col("event") == "reserve").then(8.0).otherwise(0.0)
    slack = pl.col("bytes") * 8e-9 + 2 * pl.max_horizontal("capacity", "capacity_ends", 1.0) / 1e12 + rounded
    asked = pl.col("bytes") * 8
    yield from said(sent.filter(most < asked - slack), "is sent faster than its link can")
    pauses = pl.col("place").is_in(sorted(VIA.of(run), key=str))
    # A change that cuts what the fibre will lose ends it without a further word.
    cuts = pl.col("place").is_in(sorted(CUT.of(run), key=str)) & (pl.col("since") != pl.col("since_ends"))
    is_slow = ~pauses & _is_whole(run) & ~(cuts & pl.col("lost_at").is_not_null()) & (least > asked + slack)
    yield from said(sent.filter(is_slow), "is sent more slowly than its link can")


def _is_beside(run: Replayed) -> pl.Expr:
    """What may go beside the bursts of a link, on its control channel."""
    if run.kind != "obs":
        return pl.lit(value=False)
    lit = run.trace.filter(pl.col("class").is_in(["control", "burst"]), pl.col("event") != "land")["place"].unique()
    acks: pl.Expr = (pl.col("class") == "ack") & pl.lit(run.switching.get("assembly", {}).get("acks") == "beside")
    return (pl.col("event") == "pass") & (acks | pl.col("place").is_in(lit.implode()))


def _control_capacity(run: Replayed) -> float:
    return quantity(run.switching.get("control_capacity", "1 Gbps"))


def _stated(run: Replayed, sent: pl.DataFrame, time: str) -> pl.DataFrame:
    """With what its link had at that time."""
    suffix = f"_{time}" if time != "begins" else ""
    return sent.sort(time, maintain_order=True).join_asof(
        run.network.timeline,
        left_on=time,
        right_on="since",
        by="place",
        suffix=suffix,
        coalesce=False,
        check_sortedness=False,
    )


@rule(
    "delay",
    "What is sent arrives a delay of its link after it has left, or with jitter up to so much later.",
    of="links",
    blind={UNKNOWN: "the delay of the link is not known", OTHER_KIND: "what its links do is not known"},
)
def delays(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Neither sooner nor later than the fibre says."""
    sent = _in_order(run, events)
    arrived = pl.when(pl.col("lost_at").is_null()).then("arrives").forward_fill().shift(1).over(_CHANNEL)
    sent = sent.with_columns(ahead=arrived).filter(~pl.col("is_taken"))
    sent = _by_law(run, _stated(run, _stated(run, sent, "begins"), "ends"))
    # A header of bursts has arrived when the node has worked on it, and so may what goes beside bursts.
    work = picoseconds(run.switching.get("processing", 0)) if run.kind == "obs" else 0
    worked = pl.when(_is_beside(run)).then(work).otherwise(0)
    least = pl.min_horizontal("delay", "delay_ends") + pl.when(pl.col("class") == "control").then(worked).otherwise(0)
    jitter = pl.when(pl.col("lost_at").is_null()).then(pl.max_horizontal("jitter", "jitter_ends")).otherwise(0)
    most = pl.max_horizontal("delay", "delay_ends") + jitter + worked
    # What would overtake arrives behind the one before it, as far apart as it lasts.
    is_free = pl.col("place").is_in(sorted(FREE.of(run), key=str))
    behind = pl.when(~is_free & pl.col("lost_at").is_null()).then(pl.col("ahead") + pl.col("lasts_ps") - pl.col("ends"))
    most = pl.max_horizontal(most, behind)
    unbound = pl.col("place").is_in(sorted(EXPONENTIAL.of(run), key=str)) & (jitter > 0)
    yield from said(sent.filter(pl.col("flight_ps") < least), "arrives sooner than its fibre lets it")
    yield from said(sent.filter(~unbound & (pl.col("flight_ps") > most)), "arrives later than its fibre lets it")


def _by_law(run: Replayed, sent: pl.DataFrame) -> pl.DataFrame:
    """With the delay that a file of contacts has when the last bit leaves; null where there is no link."""
    parts = []
    for (place,), part in sent.partition_by("place", as_dict=True, maintain_order=True).items():
        law = run.network.links[str(place)].law if str(place) in run.network.links else None
        if law is not None:
            delay = pl.Series(law.at(part["ends"].to_numpy())).replace(0, None)
            part = part.with_columns(delay=delay, delay_ends=delay)
        parts.append(part)
    return pl.concat(parts) if parts else sent


@rule(
    "no idle transmitter",
    "A packet begins to leave as soon as it has come and the one before it has left.",
    of="links",
    blind={
        VIA: "packets wait for their slots",
        PAUSE: "packets wait while the link pauses",
        DOWN: "what a link had to send when it went down is gone",
        DELIVERY: "packets wait for the lines of the file",
        UNKNOWN: "when the link pauses is not known",
        OTHER_KIND: "what its ports wait for is not known",
    },
)
def waits(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No waiting without reason."""
    sent = _in_order(run, events.filter(pl.col("event") == "pass"))
    free = pl.col("left").cum_max().shift(1).over(_CHANNEL).fill_null(0)
    sent = sent.with_columns(free=free, is_held=pl.col("place").is_in(sorted(run.holding)))
    plain = ~pl.col("is_held") & (pl.col("begins") != pl.max_horizontal("t_ps", "free"))
    came = run.trace.filter(pl.col("event") == "wait").select("place", came="t_ps", is_there=True).unique()
    # A cut ends a transmission when the link changes.
    sent = sent.join(came, left_on=["place", "begins"], right_on=["place", "came"], how="left", maintain_order="left")
    is_woken = pl.col("is_there").fill_null(value=False) | (pl.col("begins") == pl.col("free"))
    held = pl.col("is_held") & ((pl.col("wait_ps") != 0) | ~is_woken)
    yield from said(sent.filter(plain | held), "does not leave when the port is free for it")
