"""What a run leaves: a summary, four tables, a manifest; in memory and as a directory."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

from photocol.errors import InputError, did_you_mean
from photocol.files import content, record
from photocol.quantity import factor, readable
from photocol.runs import digests, meanings, notebook, storage, swept, trace
from photocol.runs.signals import deferred

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import polars as pl

    from photocol.plot import Plots

TABLES = ("flows", "links", "series", "drops")
_ZEROS_WIDE = 80
"""Columns for the names of figures that are zero."""


class Figure(float):
    """A figure of the summary: a float that knows its unit and, over several replications, its interval.

    Attributes:
        unit: "bps", "s", "packets", …; "1" for counts and ratios.
        half_width: half the width of the confidence interval; None for a single replication, NaN where there is none.
        n: replications that have this figure; None for a single one.
        method: how the interval was made.
    """

    unit: str
    half_width: float | None
    n: int | None
    method: str | None

    def __new__(
        cls,
        value: SupportsFloat,
        unit: str,
        half_width: float | None = None,
        n: int | None = None,
        method: str | None = None,
    ) -> Figure:
        """A figure of this value."""
        self = super().__new__(cls, value)
        self.unit, self.half_width, self.n, self.method = unit, half_width, n, method
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (float(self), self.unit, self.half_width, self.n, self.method)

    @property
    def value(self) -> float:
        """The value as a plain float, in `unit`."""
        return float(self)

    def _repr_html_(self) -> str:
        method = f"; {self.method}, {self.n} replications" if self.n is not None else ""
        return f'<span title="{escape(f"{float(self)!r} {self.unit}{method}")}">{notebook.text(repr(self))}</span>'

    def __repr__(self) -> str:
        """As people read it; `value` has all digits."""
        return readable(float(self), self.unit, self.half_width)

    def to(self, unit: str) -> Figure:
        """The same in another unit: `goodput.to("Mbps")`, `delay.to("ms")`, `loss.to("%")`.

        Raises InputError if it cannot be given in that.
        """
        times = factor(self.unit, unit)
        half_width = None if self.half_width is None else self.half_width * times
        return Figure(float(self) * times, unit, half_width, self.n, self.method)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in summary.json; what is not a number is null there."""
        plain: dict[str, Any] = {"value": _finite(float(self)), "unit": self.unit}
        if self.n is None:
            return plain
        return {**plain, "half_width": _finite(self.half_width), "n": self.n, "method": self.method}


class Summary(Mapping[str, Figure], notebook.Tabular):
    """Name to figure, in a fixed order."""

    def __init__(self, figures: Mapping[str, Figure], beside: Mapping[str, str] | None = None) -> None:
        self._figures = dict(figures)
        self._beside = dict(beside or {})

    def __getitem__(self, name: str) -> Figure:
        try:
            return self._figures[name]
        except KeyError:
            raise KeyError(_no_figure(name, list(self._figures))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __repr__(self) -> str:
        """As people read it: without rows of zeros, and with one rate of loss; the mapping has every figure."""
        names, zero, missing = meanings.shown(self)
        width = max(map(len, names), default=0)
        lines = [f"{name:<{width}}  {self.text(name)}" for name in names]
        for word, some in (("zero", zero), ("missing", missing)):
            rest = textwrap.wrap(", ".join(some), _ZEROS_WIDE)
            lines += [f"{'' if k else word:<{width}}  {line}" for k, line in enumerate(rest)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names, *others = meanings.shown(self)
        rows = [(notebook.hinted(name, meanings.meaning(name)), notebook.text(self.text(name))) for name in names]
        rest = zip(("zero", "missing"), others, strict=True)
        return notebook.rows(
            ("figure", "value"), [*rows, *((word, notebook.text(", ".join(some))) for word, some in rest if some)]
        )

    def text(self, name: str) -> str:
        """A figure as people read it; a rate of loss says what it counts, and words may stand beside it."""
        return f"{self[name]!r} {meanings.counted(name) or self._beside.get(name, '')}".rstrip()

    def with_words(self, beside: Mapping[str, str]) -> Summary:
        """The same with words beside figures, by name, for people."""
        return Summary(self._figures, beside)

    def explain(self) -> str:
        """Every figure, zeros too, with a sentence on it; names that are not the simulator's have none."""
        width = max(map(len, self), default=0)
        values = {name: self.text(name) for name in self}
        wide = max(map(len, values.values()), default=0)
        return "\n".join(f"{name:<{width}}  {values[name]:<{wide}}  {meanings.meaning(name)}".rstrip() for name in self)

    def frame(self) -> pl.DataFrame:
        """One row a figure: name, value, unit, half_width, n, method; the values in base units."""
        import polars as pl

        columns = {"name": pl.String, "value": pl.Float64, "unit": pl.String}
        columns |= {"half_width": pl.Float64, "n": pl.Int64, "method": pl.String}
        return pl.DataFrame([{"name": name, **figure.to_dict()} for name, figure in self.items()], columns)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The contents of summary.json: name → value, unit and, over several replications, half_width, n, method."""
        return {name: figure.to_dict() for name, figure in self.items()}

    def to_json(self) -> str:
        """summary.json."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"


def _no_figure(name: str, there: Sequence[str]) -> str:
    return f"the summary has no {name!r}; {did_you_mean(name, there)}there is: {', '.join(there)}"


class Result:
    """A finished run, or several replications of it. The tables are polars frames, made when first asked for."""

    def __init__(
        self,
        *,
        summary: Summary,
        manifest: Mapping[str, Any],
        table: Callable[[str], pl.DataFrame],
        files: Mapping[str, Path] | None = None,
        fingerprints: Callable[[], Mapping[str, str]] = dict,
        trace: Callable[[], pl.DataFrame | None] = lambda: None,
        write_trace: Callable[[Path], None] | None = None,
        probes: Callable[[], Mapping[str, pl.DataFrame]] = dict,
        capture: Path | None = None,
        missing: Sequence[str] = (),
    ) -> None:
        self._fingerprints = fingerprints
        self._trace = trace
        self._write_trace = write_trace
        self._probes = probes
        self._capture = capture
        self.summary = summary
        self.manifest = dict(manifest)
        self._table = table
        self._files = dict(files or {})
        self.missing = tuple(missing)
        """Tables that the sweep, whose run this is, has not kept."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Summary, manifest and all tables, which is what another process can have of a run."""
        manifest = {**self.manifest, "fingerprints": dict(self.fingerprints)}
        return (_of_tables, (self.summary, manifest, {name: getattr(self, name) for name in TABLES}))

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row a flow: start_s, end_s, delivered_s, bytes_acked, goodput_bps, segments_sent, retransmissions, …."""
        return self._table("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row a directed link: offered_bits, carried_bits, dropped_bits, utilization, mean_queue, max_queue, …."""
        return self._table("links")

    @cached_property
    def series(self) -> pl.DataFrame:
        """One row a sample: t_s, entity, quantity, value; what is sampled is said by `[probe]`."""
        return self._table("series")

    @cached_property
    def drops(self) -> pl.DataFrame:
        """One row a (place, class, cause): units and bits."""
        return self._table("drops")

    @cached_property
    def trace(self) -> pl.DataFrame | None:
        """One row an event, if `[trace]` asks for it; None if not. What the columns are: docs/guide/traces.md."""
        return self._trace()

    @cached_property
    def probes(self) -> Mapping[str, pl.DataFrame]:
        """The tables that probes have made, by name; what their columns are: docs/reference/probes.md."""
        return self._probes()

    @property
    def reordering(self) -> pl.DataFrame | None:
        """One row a (flow, metric, value): packets and their share, if `[probe] reordering` asks for it; None if not.

        What the metrics are: docs/guide/reordering.md.
        """
        return self.probes.get("reordering")

    @cached_property
    def packets(self) -> pl.DataFrame | None:
        """One row a TCP packet of the capture: t_s, ports, seq, ack, payload_bytes; None without a capture."""
        from photocol.runs import capture

        return None if self._capture is None else capture.packets(self._capture)

    @cached_property
    def bursts(self) -> pl.DataFrame:
        """One row a (source, path, traffic) of bursts: how many landed, were lost and why (`photocol.runs.bursts`).

        Raises InputError without a trace of bursts.
        """
        from photocol.runs import bursts

        return bursts.table(self)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits; equal for equal runs."""
        return str(self.manifest["fingerprint"])

    @cached_property
    def fingerprints(self) -> Mapping[str, str]:
        """Layers: "everything", "wires" (what was on them), "flows" (their results); equal for equal runs."""
        return self.manifest.get("fingerprints") or self._fingerprints()

    @cached_property
    def plot(self) -> Plots:
        """The pictures: `plot.link_utilization()`, `plot.goodput()`, `plot.series("cwnd")`."""
        from photocol.plot import Plots

        return Plots(self)

    def save(self, directory: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the run as a directory, whole or not at all; a former run of the same scenario there is replaced.

        Raises InputError if something else is there; with `force`, a run of another scenario is replaced too. OSError
        names the file that could not be written. A signal is acted upon when everything is written.
        """
        target = Path(directory)
        storage.check_no_campaign(target)
        if not force:
            storage.check_replaceable(target, lambda: self.manifest)
        storage.remove_leftovers(target.absolute().parent, target.name)
        with deferred():
            storage.write_directory(target, self._fill)
        return target

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Result:
        """Read what `save`, `photocol run --out` or a sweep for one of its runs wrote.

        A run of a sweep has the tables that the sweep keeps; another one raises InputError when it is asked for.
        Raises InputError if that is not a run.
        """
        folder = Path(directory)
        if not (folder / storage.MARK).is_file():
            raise InputError(f"{folder} is not a run of photocol: it has no {storage.MARK}")
        try:
            manifest = record(content(folder / storage.MARK, storage.MOST_OF_A_RECORD))
            is_swept = swept.is_one(folder)
            figures = swept.figures(folder) if is_swept else record(content(folder / "summary.json"))
            summary = Summary({name: _figure(fields) for name, fields in figures.items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{folder} is a damaged run: {error}") from error
        events = folder / trace.NAME
        return cls(
            summary=summary,
            manifest=manifest,
            table=lambda name: read_table(swept.kept(folder, name) if is_swept else folder / f"{name}.parquet"),
            missing=[name for name in TABLES if is_swept and not swept.has(folder, name)],
            trace=lambda: read_table(events) if events.is_file() else None,
            probes=lambda: {file.stem: read_table(file) for file in _files_of_probes(folder)},
        )

    def __repr__(self) -> str:
        return f"<photocol run, seed {self.manifest['seed']}, fingerprint {self.fingerprint}>\n{self.summary!r}"

    def _repr_html_(self) -> str:
        manifest = self.manifest
        if "model" in manifest:
            return notebook.paragraph(f"photocol model {manifest['model']}") + self.summary._repr_html_()
        runs = len(manifest.get("runs", ())) or 1
        of = f", {runs} replications" if runs > 1 else ""
        cost = f"{manifest['packet_hops']:,} packet-hops in {manifest['cpu_s']:.2f} CPU seconds"
        head = f"{manifest.get('name', 'run')}: seed {manifest['seed']}{of}, fingerprint {self.fingerprint}; {cost}"
        sizes = [(f".{name}", f"{len(frame):,}", ", ".join(frame.columns)) for name, frame in self._tables()]
        return "".join(
            (
                notebook.paragraph(head),
                self.summary._repr_html_(),
                notebook.details("tables", notebook.table(("table", "rows", "columns"), sizes)),
                notebook.details("scenario, with every default", notebook.source(str(manifest["scenario"]))),
            )
        )

    def _tables(self) -> list[tuple[str, pl.DataFrame]]:
        return [(name, getattr(self, name)) for name in TABLES]

    def _fill(self, folder: Path) -> None:
        for name, table in [*self._tables(), *self.probes.items()]:
            file = folder / f"{name}.parquet"
            with storage.naming(file):
                table.write_parquet(file)
        file = folder / trace.NAME
        with storage.naming(file):
            if self._write_trace is not None:
                self._write_trace(file)
            elif self.trace is not None:
                self.trace.write_parquet(file)
        texts = {
            "scenario.toml": str(self.manifest["scenario"]),
            "summary.json": self.summary.to_json(),
        }
        for name, text in texts.items():
            with storage.naming(folder / name):
                (folder / name).write_text(text, encoding="utf-8")
        files = digests.of_folder(folder) | {name: digests.of_file(file) for name, file in self._files.items()}
        manifest = digests.with_files({**self.manifest, "fingerprints": dict(self.fingerprints)}, files)
        with storage.naming(folder / storage.MARK):
            (folder / storage.MARK).write_text(manifest, encoding="utf-8")
        # Last: a rename cannot be repeated where the rest has failed.
        for name, file in self._files.items():
            file.rename(folder / name)


def _of_tables(summary: Summary, manifest: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Result:
    return Result(summary=summary, manifest=manifest, table=lambda name: tables[name])


def _figure(fields: Mapping[str, Any]) -> Figure:
    half_width = fields.get("half_width", math.nan)
    interval = (math.nan if half_width is None else half_width, fields["n"], fields["method"]) if "n" in fields else ()
    value = fields["value"]
    return Figure(math.nan if value is None else value, fields["unit"], *interval)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _files_of_probes(folder: Path) -> list[Path]:
    """The tables of probes, and of work, that a run in this folder has."""
    from photocol import _core

    tables = [*(one for _, _, tables in _core.probes() for one in tables), *_core.work()[1]]
    files = [folder / f"{name}.parquet" for name, _ in tables]
    return [file for file in files if file.is_file()]


def read_table(file: Path) -> pl.DataFrame:
    """A table on disk. Raises InputError with one line if it is damaged."""
    import polars as pl

    try:
        return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file} cannot be read: {str(error).partition(chr(10))[0]}") from error
