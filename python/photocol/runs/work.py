"""Work that depends on work: the critical path, busy ranks and undone tasks of a run; bandwidths and times by formula.

Tables are made of `result.probes["tasks"]`, whose columns are in docs/reference/probes.md. Of all that a task waits for
it has one: by which it became ready, or for which it waits still.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from photocol.runs.results import Result

TASKS = "tasks"
_KEYS = ("run", "traffic")
_WHERE = ("collective", "round", "step")
_WHAT = ("task", "name", "kind", *_WHERE, "rank", "to", "bytes")
_SHOWN = (*_WHAT, "flow", "after", "ready_s", "start_s", "begin_s", "end_s")
_OF_TRANSFERS = (*_WHERE, "task", "name", "flow", "rank", "to", "source", "destination", "bytes")
STATES = ("under way", "ready", "waits")
"""Of a task that is not done: it has begun; it has its rank or its connection to wait for; or it waits for another."""
_WORKING = ("transfer", "compute")
"""Kinds of tasks that occupy a rank or its connections."""
_PATH = ("path_tasks", "path_transfers", "path_computes", "path_waits")
_OF_DONE = ("work_time_s", "exposed_s", "busiest_rank", "busy_share", *_PATH)
_BUS_FACTORS = {"all-reduce": 2.0, "all-gather": 1.0, "reduce-scatter": 1.0, "all-to-all": 1.0}
"""Times (n − 1)/n; of a broadcast and a reduce it is 1 (NCCL-tests)."""
_IN_STEPS = ("ring", "halving-doubling", "recursive-doubling", "direct")


def tasks(result: Result) -> pl.DataFrame:
    """The table of tasks with null for times that there are not, and with `begin_s`; empty where a run has no work.

    `begin_s` is when a computation starts. Transfers of a pair of ranks that share a connection follow one another, so
    each begins when it is given to the connection and the one before it is done. In truth its first packets leave
    earlier, by the time of the way. Where receives take messages, a transfer begins when it is given to its connection.
    """
    import polars as pl

    columns = dict.fromkeys(("run", "task", "round", "step", "rank", "to", "bytes", "after"), pl.UInt64)
    times = dict.fromkeys(("flow", "ready_s", "start_s", "end_s"), pl.Float64)
    schema = {**dict.fromkeys(("traffic", "name", "kind", "collective"), pl.String), **columns, **times}
    table = result.probes.get(TASKS, pl.DataFrame(schema=schema))
    table = table.with_columns(pl.col(list(times)).fill_nan(None)).cast({"flow": pl.UInt64})
    if table.is_empty():
        return table.with_columns(pl.col("start_s").alias("begin_s")).select(*_KEYS, *_SHOWN)
    flows = result.flows.group_by("run", "traffic").len("flows").with_columns(pl.col("run").cast(table.schema["run"]))
    shared = table.join(flows, on=_KEYS, how="left", maintain_order="left")
    is_transfer = (pl.col("kind") == "transfer") & (pl.col("rank") != pl.col("to"))
    is_taken = (pl.col("kind") == "receive").any().over(_KEYS)
    is_kept = is_transfer & ~is_taken & (pl.col("flows") < is_transfer.sum().over(_KEYS))
    pair = [*_KEYS, "kind", "rank", "to"]
    ordered = shared.sort("start_s", "task", nulls_last=True)
    before = pl.col("end_s").fill_null(math.inf).shift(1).over(pair)
    begin = pl.when(is_kept).then(pl.max_horizontal("start_s", before)).otherwise("start_s")
    begin = pl.when(pl.col("start_s").is_not_null() & begin.is_finite()).then(begin)
    return ordered.with_columns(begin.alias("begin_s")).sort(*_KEYS, "task").select(*_KEYS, *_SHOWN)


def transfers(result: Result) -> pl.DataFrame:
    """The flows of collectives: a row a transfer, with the collective, round and step to which it belongs.

    Columns: run, traffic, collective, round, step; `task` and its `name` in a file; the `flow` that carries it, null of
    a message to oneself; `rank` and `to`, sender and receiver, and their nodes `source` and `destination`; `bytes`;
    `ready_s`, `begin_s`, `end_s`, as `tasks` has them, null where that has not happened.
    """
    import polars as pl

    found = tasks(result).filter(pl.col("kind") == "transfer")
    nodes = result.flows.select("run", "flow", "source", "destination")
    joined = found.join(
        nodes.cast({"run": pl.UInt64, "flow": pl.UInt64}), on=["run", "flow"], how="left", maintain_order="left"
    )
    return joined.select(*_KEYS, *_OF_TRANSFERS, "ready_s", "begin_s", "end_s")


def collectives(result: Result) -> pl.DataFrame:
    """A row a collective and round: who took part, how much was sent, and how long it took.

    Columns: run, traffic, collective, round; `ranks` that send or get something, `transfers`, the `steps` that have
    some, and their `bytes`; `undone` transfers; `begin_s` when the first was ready, `end_s` when the last was done, and
    `time_s` between them, null where one is undone. Transfers of no collective are left out.
    """
    import polars as pl

    found = tasks(result).filter((pl.col("kind") == "transfer") & (pl.col("collective") != ""))
    is_done = pl.col("end_s").is_not_null().all()
    grouped = found.group_by(*_KEYS, "collective", "round", maintain_order=True).agg(
        pl.col("rank").append(pl.col("to")).n_unique().alias("ranks"),
        pl.len().alias("transfers"),
        pl.col("step").n_unique().alias("steps"),
        pl.col("bytes").sum(),
        pl.col("end_s").null_count().alias("undone"),
        pl.col("ready_s").min().alias("begin_s"),
        pl.when(is_done).then(pl.col("end_s").max()).alias("end_s"),
    )
    return grouped.with_columns((pl.col("end_s") - pl.col("begin_s")).alias("time_s"))


def critical_path(table: pl.DataFrame) -> pl.DataFrame:
    """The tasks that decided when the work of one traffic in one run was done, in the order of time, without joins.

    `table` has rows of what `tasks` gives, joins too. Each task became ready by the one before it on the path, whose
    number is its `after`. Of a message and its receive the later one is on it. The path ends with the last task that
    was done, whether or not others are undone.
    """
    import polars as pl

    is_late = (pl.col("kind") != "receive") | (pl.col("end_s") == pl.col("ready_s"))
    done = table.filter((pl.col("kind") != "join") & is_late & pl.col("end_s").is_not_null())
    if done.is_empty():
        return done.select(_SHOWN)
    before = _Before(table)
    path = [int(done.select(pl.col("task").sort_by("end_s", "task").last()).item())]
    while (task := before.of(path[-1])) is not None:
        path.append(task)
    places = pl.DataFrame({"task": path[::-1]}, schema={"task": pl.UInt64})
    return places.join(table, on="task", how="left", maintain_order="left").select(_SHOWN)


class _Before:
    """For a task by its number, the last before it by `after` that is no join."""

    def __init__(self, table: pl.DataFrame) -> None:
        import polars as pl

        ordered = table.sort("task")
        self.task, self.after = (ordered[name].to_numpy() for name in ("task", "after"))
        self.is_join = ordered.select(pl.col("kind") == "join").to_series().to_numpy()

    def of(self, task: int) -> int | None:
        """Nothing where there is none, or the table has it not."""
        while (place := self._place(task)) is not None:
            if self.after[place] == task:
                return None
            task = int(self.after[place])
            if (place := self._place(task)) is not None and not self.is_join[place]:
                return task
        return None

    def _place(self, task: int) -> int | None:
        place = int(self.task.searchsorted(task))
        return place if place < len(self.task) and self.task[place] == task else None


def work_by_traffic(result: Result) -> pl.DataFrame:
    """A row a run and traffic that is work: how long it took, who was busy, and what the critical path consists of.

    Columns: run, traffic, `ranks`; `tasks` without joins, and how many of them are `undone`; `work_time_s` from the
    first that was ready to the last that was done, null if one is undone. `exposed_s` is the time in which a rank does
    not compute, of the rank that computes least: communication that no computation hides, and waiting. `busiest_rank`
    sends or computes for the longest time, `busy_share` of the time. `path_tasks` are those of the critical path, and
    its time is shared between transfers, computations and waiting: for a rank, a message or a transfer before.
    """
    import polars as pl

    parts = tasks(result).partition_by(_KEYS, as_dict=True, maintain_order=True).items()
    rows = [{**dict(zip(_KEYS, key, strict=True)), **_figures(part)} for key, part in parts]
    return pl.DataFrame(rows, infer_schema_length=None)


def _figures(whole: pl.DataFrame) -> dict[str, float | None]:
    import polars as pl

    table = whole.filter(pl.col("kind") != "join")
    undone = table["end_s"].null_count()
    ranks = pl.concat([table["rank"], table["to"]]).n_unique()
    figures: dict[str, float | None] = {"ranks": ranks, "tasks": table.height, "undone": undone}
    path = critical_path(whole)
    if path.is_empty():
        return figures | dict.fromkeys(_OF_DONE)
    begin, end = table.select(begin=pl.col("ready_s").min(), end=pl.col("end_s").max()).row(0)
    time = end - begin
    lasts, waits = pl.col("end_s") - pl.col("begin_s"), pl.col("begin_s") - pl.col("ready_s")
    waits += pl.when(pl.col("kind").is_in(_WORKING)).then(0.0).otherwise(lasts)
    transfers, computes, waited = path.select(
        lasts.filter(pl.col("kind") == "transfer").sum(),
        lasts.filter(pl.col("kind") == "compute").sum().alias("computes"),
        waits.sum().alias("waits"),
    ).row(0)
    computing = busy_time(table.filter(pl.col("kind") == "compute"))
    idle = ranks - computing.height
    exposed = time - (0.0 if idle or computing.is_empty() else float(computing["busy_s"].to_list()[-1]))
    busy = busy_time(table)
    busiest, longest = (None, 0.0) if busy.is_empty() else busy.row(0)
    shares = [part / time if time else None for part in (longest, transfers, computes, waited)]
    found = (None if undone else time, None if undone else exposed, busiest, shares[0], path.height, *shares[1:])
    return figures | dict(zip(_OF_DONE, found, strict=True))


def busy_time(table: pl.DataFrame) -> pl.DataFrame:
    """A row a rank: `rank`, `busy_s`, the time in which a transfer of its own is under way or it computes.

    `table` has rows of what `tasks` gives, of one run and traffic. What is not done is left out. The longest time is
    first.
    """
    import polars as pl

    done = table.filter(pl.col("kind").is_in(_WORKING) & pl.col("end_s").is_not_null()).sort("rank", "begin_s")
    before = pl.col("end_s").cum_max().shift(1).over("rank").fill_null(-math.inf)
    added = (pl.col("end_s") - pl.max_horizontal("begin_s", before)).clip(lower_bound=0.0)
    sums = done.with_columns(added.alias("busy_s")).group_by("rank").agg(pl.col("busy_s").sum())
    return sums.sort("busy_s", "rank", descending=[True, False])


def undone_tasks(result: Result, most: int = 10) -> pl.DataFrame:
    """The first tasks that were not done at the end of each run, and for what they wait; those under way come first.

    Columns: run, traffic, task, name, kind, collective, round, step, rank, to, bytes; `state`, one of `STATES`;
    `waits_for`. For a task that is not ready that is the first of those for which it waits still. At most `most` rows a
    run and traffic.
    """
    import polars as pl

    parts = [_undone(part, most) for part in tasks(result).partition_by(_KEYS, maintain_order=True)]
    return pl.concat(parts) if parts else pl.DataFrame()


def _undone(table: pl.DataFrame, most: int) -> pl.DataFrame:
    import polars as pl

    begun, ready = pl.col("begin_s").is_not_null(), pl.col("ready_s").is_not_null()
    place = pl.when(begun).then(0).when(ready).then(1).otherwise(2).alias("place")
    undone = table.filter((pl.col("kind") != "join") & pl.col("end_s").is_null()).with_columns(place)
    first = undone.sort("place", "task").head(most)
    before = _Before(table)
    others = [before.of(task) for task in first["task"]]
    known = pl.DataFrame({"other": others}, schema={"other": pl.UInt64})
    numbered = pl.format("{} {} of step {} from rank {}", "kind", "task", "step", "rank")
    named = pl.when(pl.col("name") != "").then(pl.format("{} {}", "kind", "name")).otherwise(numbered)
    names = table.filter(pl.col("task").is_in(known["other"].implode())).select(other="task", said=named)
    waits = known.join(names, on="other", how="left", maintain_order="left").select("said")
    first = pl.concat([first, waits.fill_null("a signal, or more than there are")], how="horizontal")
    kind = pl.col("kind")
    has_receives = (table["kind"] == "receive").any()
    taken = "its last byte, or a receive that takes it" if has_receives else "its last byte"
    ends = {"transfer": taken, "receive": "a message", "compute": "its end", "wait": "its end"}
    its_end = kind.replace_strict(ends, default="its end", return_dtype=pl.String)
    on_connection, at_rank = pl.lit("its turn on the connection"), pl.lit("its turn at the rank")
    its_turn = pl.when(kind == "transfer").then(on_connection).otherwise(at_rank)
    waits_for = pl.when(pl.col("place") == 0).then(its_end).when(pl.col("place") == 1).then(its_turn).otherwise("said")
    state = pl.col("place").replace_strict(dict(enumerate(STATES)), return_dtype=pl.String)
    return first.select(*_KEYS, *_WHAT, state.alias("state"), waits_for.alias("waits_for"))


def standing_still(result: Result) -> list[str]:
    """A sentence for each traffic of each run whose work was not done: how much of it, and for what the first wait."""
    import polars as pl

    if not result.summary.get("unfinished_tasks"):
        return []
    first = undone_tasks(result, most=3)
    is_task = pl.col("kind") != "join"
    counts = tasks(result).filter(is_task).group_by(*_KEYS).agg(pl.len(), pl.col("end_s").null_count().alias("undone"))
    sentences = []
    for (run, traffic), rows in first.partition_by(_KEYS, as_dict=True, maintain_order=True).items():
        count, undone = counts.filter(run=run, traffic=traffic).select("len", "undone").row(0)
        said = [f"{_called(row)} waits for {row['waits_for']}" for row in rows.iter_rows(named=True)]
        sentences.append(f"run {run}, {traffic}: {undone} of {count} tasks were not done; {'; '.join(said)}")
    return sentences


def _called(row: dict[str, Any]) -> str:
    name = row["name"] or f"{row['task']} of step {row['step']}"
    ends = f"from rank {row['rank']} to {row['to']}" if row["kind"] == "transfer" else f"of rank {row['rank']}"
    return f"{row['kind']} {name} {ends}"


def algorithm_bandwidth(size_bytes: float, time_s: float) -> float:
    """Bytes of a rank's buffer over the time of the collective, in bit/s (algbw of NCCL-tests)."""
    if not (size_bytes >= 0 and time_s > 0):
        raise InputError(f"{size_bytes} B in {time_s} s: a size of at least 0 and a time above 0")
    return 8 * size_bytes / time_s


def bus_bandwidth(collective: str, ranks: int, size_bytes: float, time_s: float) -> float:
    """What a link of each rank carries if no byte is sent in vain, in bit/s (busbw of NCCL-tests).

    It is the algorithm bandwidth times 2 (n − 1)/n for an all-reduce, (n − 1)/n for an all-gather, a reduce-scatter and
    an all-to-all, and 1 for a broadcast and a reduce. So it may be compared with the rate of a link, whatever n is.
    Trees and reductions in switches fit it badly. Raises InputError for other collectives.
    """
    if ranks < 2:
        raise InputError(f"{ranks} ranks: a collective has two at least")
    known = [*_BUS_FACTORS, "broadcast", "reduce"]
    if collective not in known:
        raise InputError(f"{collective!r} has no bus bandwidth; these have: {', '.join(known)}")
    factor = _BUS_FACTORS[collective] * (ranks - 1) / ranks if collective in _BUS_FACTORS else 1.0
    return algorithm_bandwidth(size_bytes, time_s) * factor


@dataclass(frozen=True, kw_only=True)
class Packets:
    """A path of equal links in a row that a transfer has for itself, and how it is cut into packets.

    `header_bytes` are those of a packet on the link. A last packet that is not full counts what it has.
    """

    rate_bps: float
    delay_s: float
    payload_bytes: int
    header_bytes: int
    links: int = 2

    def lasts_s(self, size_bytes: int) -> float:
        """How long all packets of so many bytes last on one link."""
        packets = math.ceil(size_bytes / self.payload_bytes)
        return 8 * (size_bytes + packets * self.header_bytes) / self.rate_bps

    def tail_s(self, size_bytes: int) -> float:
        """From the last bit at the first link to the last bit at the receiver: other links, and all delays."""
        return (self.links - 1) * self.lasts_s(min(size_bytes, self.payload_bytes)) + self.links * self.delay_s

    def transfer_s(self, size_bytes: int) -> float:
        """The time of a transfer: S + (h − 1) s + h d."""
        return self.lasts_s(size_bytes) + self.tail_s(size_bytes)

    def all_reduce_s(self, algorithm: str, ranks: int, size_bytes: int) -> float:
        """The time of an all-reduce whose ranks share no link, as on a star (h = 2), by the algorithm's steps.

        `size_bytes` M is a rank's buffer, of which all parts are taken as equal, and n is the number of ranks. `ring`
        takes 2 (n − 1) transfers of M/n in a row; `halving-doubling` two of M/2, M/4, … each; `recursive-doubling`
        log2 n of M; `direct` twice n − 1 of M/n on one link. Raises InputError for other algorithms.
        """
        part = math.ceil(size_bytes / ranks)
        doublings = (ranks - 1).bit_length()
        if algorithm not in _IN_STEPS:
            raise InputError(f"{algorithm!r} has no closed form here; these have: {', '.join(_IN_STEPS)}")
        if algorithm == "ring":
            return 2 * (ranks - 1) * self.transfer_s(part)
        if algorithm == "direct":
            return 2 * ((ranks - 1) * self.lasts_s(part) + self.tail_s(part))
        if ranks != 1 << doublings:
            raise InputError(f"{algorithm} takes a power of two of ranks, and there are {ranks}")
        if algorithm == "recursive-doubling":
            return doublings * self.transfer_s(size_bytes)
        return 2 * sum(self.transfer_s(math.ceil(size_bytes / 2**step)) for step in range(1, doublings + 1))
