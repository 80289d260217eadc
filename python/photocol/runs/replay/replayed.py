"""A run as its directory has it: the events, the scenario, and the tables that they must agree with."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.files import content, record, text
from photocol.runs.replay import network

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY = ["flow", "class", "unit"]
"""What names a packet on its way."""
PACKETS = ("data", "ack", "datagram")
_NUMBERS = ("t_ps", "wait_ps", "lasts_ps", "flight_ps", "flow", "bytes", "channel", "unit", "value")
_WORDS = ("event", "place", "class", "cause")
_ALWAYS = ("t_ps", "event", "place", "class", "unit", "bytes", "wait_ps", "lasts_ps", "flight_ps")
"""What every row has."""
_TABLES = {
    "flows": {"run": pl.Int64, "flow": pl.Int64, "source": pl.String, "destination": pl.String, "transport": pl.String},
    "links": {"run": pl.Int64, "link": pl.String},
    "drops": {"run": pl.Int64, "where": pl.String, "class": pl.String, "cause": pl.String},
}
"""The tables that are read, and the columns without which nothing can be said."""


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What is replayed: the first replication."""

    trace: pl.DataFrame
    """As `timed` gives it."""
    flows: pl.DataFrame
    drops: pl.DataFrame
    links: pl.DataFrame
    scenario: Mapping[str, Any]
    end: int
    """Nothing is known from then on."""
    is_whole: bool
    """Whether the trace has every event of the run."""

    @cached_property
    def network(self) -> network.Network:
        """The links as the scenario describes them."""
        return network.described(self.scenario, self.trace["place"].unique().sort().to_list(), self.end)

    @property
    def switching(self) -> Mapping[str, Any]:
        """The table `[switching]`."""
        found: Mapping[str, Any] = self.scenario.get("switching", {})
        return found

    @property
    def kind(self) -> str:
        """The kind of switching."""
        return str(self.switching.get("kind", "packets"))

    @property
    def duration(self) -> int:
        """Of the run."""
        return network.picoseconds(self.scenario["run"]["duration"])

    @property
    def warm_up(self) -> int:
        """The tables count from then on."""
        return network.picoseconds(self.scenario["run"].get("warm_up", "0 s"))

    @cached_property
    def packets(self) -> pl.DataFrame:
        """What happens to packets at links."""
        at_hosts = ["send", "resend", "ack", "sack", "mark"]
        return self.trace.filter(pl.col("class").is_in(PACKETS) & ~pl.col("event").is_in(at_hosts))

    @cached_property
    def holding(self) -> frozenset[str]:
        """The places at which packets wait before their departure is known."""
        return frozenset(self.trace.filter(pl.col("event") == "wait")["place"].unique())

    @cached_property
    def storing(self) -> frozenset[str]:
        """The places before which nodes keep packets."""
        return frozenset(self.trace.filter(pl.col("event") == "store")["place"].unique())

    @cached_property
    def vanished(self) -> pl.DataFrame:
        """What vanished, with `pass_row`, the row of the pass that it had; null for what was never sent."""
        return _vanished(self.trace, self.holding)

    @cached_property
    def sent(self) -> pl.DataFrame:
        """What left or was to leave; `left`: until when it has its channel; `lost_at`: null if it gets across."""
        gone = self.vanished.drop_nulls("pass_row")
        gone = gone.group_by("pass_row").agg(lost_at=pl.col("t_ps").min(), why=pl.col("cause").first())
        sent = self.trace.filter(pl.col("event").is_in(["pass", "reserve"]))
        sent = sent.join(gone, left_on="row", right_on="pass_row", how="left", maintain_order="left")
        # What the fibre or the switch loses has left; what a cut takes back leaves no longer.
        is_taken = (pl.col("why") == "unreachable").fill_null(value=False)
        stopped = pl.min_horizontal("ends", pl.max_horizontal("begins", "lost_at"))
        sent = sent.with_columns(left=pl.when(is_taken).then(stopped).otherwise("ends"), is_taken=is_taken)
        return self._cut_too(sent)

    def _cut_too(self, sent: pl.DataFrame) -> pl.DataFrame:
        """A change that cuts ends the transmission of what the fibre will lose as well, without a further word."""
        cut = self.network.places(lambda link: "cut" in link.rests or link.goes_down)
        if not cut:
            return sent
        changes = self.network.timeline.filter(pl.col("place").is_in(sorted(cut))).select("place", change="since")
        sent = sent.sort("begins", maintain_order=True).join_asof(
            changes, left_on="begins", right_on="change", by="place", strategy="forward",
            allow_exact_matches=False, check_sortedness=False,
        )  # fmt: skip
        is_lost = (pl.col("why") == "random").fill_null(value=False)
        left = pl.when(is_lost).then(pl.min_horizontal("left", "change")).otherwise("left")
        return sent.with_columns(left=left).drop("change").sort("row")

    def header(self, transport: object) -> int:
        """What headers add to each segment of a flow with this transport."""
        table = self.scenario.get("transport", {}).get(transport, {})
        # RFC 7323 §3.2: the option takes 12 bytes with its padding.
        return int(table.get("header", 40)) + (12 if table.get("timestamps") else 0)


def _vanished(trace: pl.DataFrame, holding: frozenset[str]) -> pl.DataFrame:
    """Of several passes of one packet the last before it is lost, and where several are lost, one more before it."""
    key = [*KEY, "place"]
    events = trace.filter(pl.col("class").is_in(PACKETS))
    gone = events.filter(pl.col("event") == "vanish").sort("row")
    sent = events.filter(pl.col("event") == "pass").sort("row")
    sent = sent.select(*key, "row", nth=pl.int_range(pl.len()).over(key), pass_row="row", over="ends")
    found = gone.join_asof(sent.select(*key, "row", "nth"), on="row", by=key, check_sortedness=False)
    found = found.with_columns(nth=pl.col("nth") - pl.int_range(pl.len()).over(*key, "nth"))
    found = found.join(sent.drop("row"), on=[*key, "nth"], how="left", maintain_order="left")
    # What a queue drops that it has accepted was never sent, nor was what waits when the link goes down.
    waits = pl.col("place").is_in(sorted(holding))
    by_queue = waits & pl.col("cause").is_in(["early", "congestion", "returned"])
    unsent = waits & (pl.col("cause") == "unreachable") & (pl.col("over") <= pl.col("t_ps"))
    return found.with_columns(pass_row=pl.when(~(by_queue | unsent)).then("pass_row")).drop("nth", "over")


def load(folder: Path) -> Replayed:
    """The run in a directory. Raises InputError."""
    try:
        manifest = record(content(folder / "manifest.json"))
        scenario = tomllib.loads(text(folder / "scenario.toml"))
        note = manifest.get("trace") if isinstance(manifest, dict) else None
        if note is None:
            raise InputError(f"{folder} has no trace; run it with --trace")
        trace = timed(pl.read_parquet(folder / "trace.parquet"))
        flows, links, drops = (_table(folder, name) for name in ("flows", "links", "drops"))
        said, end = scenario["trace"], network.picoseconds(scenario["run"]["duration"])
        is_part = network.picoseconds(said["from"]) > 0 or network.picoseconds(said["until"]) < end
        end = round(note["whole_until_s"] * 1e12) if note["left_out"] else end
        is_whole = not note["left_out"]
    except InputError:
        raise
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        OverflowError,
        RecursionError,
        pl.exceptions.PolarsError,
    ) as error:
        raise InputError(f"{folder} cannot be replayed: {_first_line(error)}") from error
    if is_part or any(said.get(key, "all") != "all" for key in ("flows", "links")):
        raise InputError(f"{folder} has a trace of a part of the run; a whole one is needed: --trace 'from=0 s'")
    return Replayed(trace=trace, flows=flows, links=links, drops=drops, scenario=scenario, end=end, is_whole=is_whole)


def _first_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error).partition("\n")[0] or type(error).__name__


def _table(folder: Path, name: str) -> pl.DataFrame:
    table = pl.read_parquet(folder / f"{name}.parquet")
    for column, kind in _TABLES[name].items():
        if column not in table.columns:
            raise InputError(f"{folder / name}.parquet cannot be replayed: it has no column {column!r}")
        table = table.with_columns(pl.col(column).cast(kind))
    return table.filter(pl.col("run") == 0)


def timed(trace: pl.DataFrame) -> pl.DataFrame:
    """With `begins`, `ends` (the last bit leaves), `arrives` (it is there), `source`, `target` and the number `row`."""
    for column in (*_NUMBERS, *_WORDS):
        if column not in trace.columns:
            raise InputError(f"trace.parquet cannot be replayed: it has no column {column!r}")
    for column in _ALWAYS:
        if trace[column].null_count():
            row = trace[column].is_null().arg_max()
            raise InputError(f"trace.parquet cannot be replayed: row {row} has no {column}")
    # `a->b#2 (wavelength 1)` is from a to b; a node is from itself to itself.
    ends = pl.col("place").str.replace(r" \((wavelength \d+|control)\)$", "").str.replace(r"#\d+$", "").str.split("->")
    trace = trace.cast(dict.fromkeys(_WORDS, pl.String))
    trace = trace.cast(dict.fromkeys(_NUMBERS, pl.Int64)).with_columns(begins=pl.col("t_ps") + pl.col("wait_ps"))
    trace = trace.with_columns(ends=pl.col("begins") + pl.col("lasts_ps"), source=ends.list.first())
    return trace.with_columns(arrives=pl.col("ends") + pl.col("flight_ps"), target=ends.list.last()).with_row_index(
        "row"
    )
