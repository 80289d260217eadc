"""The command `photocol orbits`: round trips and routes over a constellation."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from photocol import InputError
from photocol.cli import DONE, say
from photocol.cli.arguments import FOLDER, json_option, offered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from photocol.conversions.keys import Keys
    from photocol.orbits import Constellation, Route
    from photocol.orbits.tables import Figures

_MOST_PAIRS = 45
"""Without pairs all of ten stations are taken."""
_MOST_LINES = 12
"""Changes of a pair that are printed."""


@click.command()
@click.argument("file", type=FOLDER, metavar="FILE.toml")
@click.option(
    "--pair",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="A B",
    shell_complete=offered("cities"),
    help="Two stations; by default those of the file, or all.",
)
@click.option("--duration", metavar="TIME", help="By default that of [run], or 200 s.")
@click.option("--step", metavar="TIME", help="Between two searches of routes; by default that of the file, or 100 ms.")
@click.option("--table", type=FOLDER, metavar="FILE", help="Write every step of every pair (.csv or .parquet).")
@click.option("--changes", type=FOLDER, metavar="FILE", help="Write every change of a route (.csv or .parquet).")
@click.option("--contacts", type=FOLDER, metavar="FILE", help='Write a file for kind = "contacts" with these pairs.')
@click.option("--traces", type=FOLDER, metavar="DIR", help="Write each pair as a file for [[link_trace]].")
@click.option(
    "--plots", type=FOLDER, metavar="DIR", help="Draw round-trips.png, and map.png with the first pair's route."
)
@click.option("--at", type=float, default=0.0, metavar="SECONDS", help="When the map is drawn.  [0]")
@json_option
def orbits(*, file: Path, as_json: bool, **options: Any) -> int:
    """Find routes over a constellation: round trips, changes and cut-offs of pairs of ground stations.

    FILE.toml has a table [topology] with kind = "constellation". Pairs may stand in [[traffic]], the duration in [run].
    """
    from photocol.orbits.tables import changes_table, figures, steps_table
    from photocol.orbits.traces import file_names

    made, pairs, duration, step = _read(file, options)
    for note in made.notes:
        say(f"{file}: {note}")
    for name in ("table", "changes"):
        _check_ending(options[name])
    if not 0 <= options["at"] < duration:
        raise InputError(f"--at {options['at']:g}: allowed: from 0 to before {duration:g} s, the duration")
    traces = [] if options["traces"] is None else [options["traces"] / name for name in file_names(pairs)]
    routes = made.routes(pairs, duration, step).tables()
    found = [figures(route, duration) for route in routes]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False))
    else:
        for line in itertools.chain.from_iterable(map(_lines, found, routes)):
            click.echo(line)
    written: list[Path] = []
    written += _write_contacts(made, pairs, duration, options["contacts"])
    written += _write_traces(routes, traces)
    if options["table"] is not None:
        written.append(_write(steps_table(made, routes), options["table"]))
    if options["changes"] is not None:
        written.append(_write(changes_table(made, routes), options["changes"]))
    if options["plots"] is not None:
        written += _draw(made, routes, options["plots"], options["at"])
    for one in written:
        (say if as_json else click.echo)(str(one))
    return DONE


def opened(file: Path) -> tuple[Constellation, Keys]:
    """The constellation of a scenario, and all keys of that."""
    from photocol.conversions.keys import Keys, read_toml
    from photocol.orbits import Constellation

    table, places = read_toml(file)
    top = Keys(table, "", places)
    topology = table.get("topology")
    if not isinstance(topology, dict):
        top.wrong("topology", 'is missing; allowed: a table with kind = "constellation"')
    return Constellation.from_toml(topology, folder=file.parent, places=places), top


def _read(file: Path, options: dict[str, Any]) -> tuple[Constellation, list[tuple[str, str]], float, float | None]:
    """The constellation, pairs, and seconds of the run and of a step."""
    from photocol.conversions.keys import Keys, time_range

    made, top = opened(file)
    span = time_range("0.001", "10000000")
    run = top.raw("run")
    in_file = Keys(run if isinstance(run, dict) else {}, "run", top.places)
    said = Keys({f"--{name}": options[name] for name in ("duration", "step") if options[name]}, "")
    source, name = (said, "--duration") if said.has("--duration") else (in_file, "duration")
    duration = source.quantity(name, span, "200 s")
    step = said.quantity("--step", span) if said.has("--step") else None
    pairs = list(options["pairs"]) or list(_pairs(top)) or _all_pairs(made)
    return made, pairs, duration, step


def _pairs(top: Keys) -> Iterator[tuple[str, str]]:
    """Those of each [[traffic]]: `from` and `to`, or a list `pairs`."""
    traffic = top.raw("traffic")
    for place, one in enumerate(traffic if isinstance(traffic, list) else []):
        listed = one.get("pairs", [[one["from"], one["to"]]] if {"from", "to"} <= one.keys() else [])
        if not isinstance(listed, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in listed):
            top.refuse(f"traffic[{place}].pairs", listed, "a list of pairs of stations")
        yield from ((str(pair[0]), str(pair[1])) for pair in listed)


def _all_pairs(made: Constellation) -> list[tuple[str, str]]:
    pairs = list(itertools.combinations([station.name for station in made.stations], 2))
    if len(pairs) > _MOST_PAIRS:
        raise InputError(f"there are {len(pairs)} pairs of stations; say which, as in --pair London Tokyo")
    return pairs


def _lines(found: Figures, route: Route) -> Iterator[str]:
    """What is printed of a pair."""
    name = f"{found.source} – {found.target}"
    if found.least_ms is None:
        yield f"{name}: never connected, from 0 to {found.cut_off_s:g} s"
        return
    times = ", ".join(f"{begin:g}–{end:g} s" for begin, end in found.cut_offs)
    cut = f", cut off for {found.cut_off_s:.4g} s ({times})" if found.cut_offs else ""
    changes = "1 change" if found.changes == 1 else f"{found.changes} changes"
    trips = f"{found.least_ms:.3f} to {found.most_ms:.3f} ms, mean {found.mean_ms:.3f} ms"
    yield f"{name}: round trip {trips}, {changes}{cut}"
    for change in route.changes[1 : _MOST_LINES + 1]:
        trip = f"{route.round_trip_ms[change.step]:.3f} ms, {len(change.nodes) - 1} hops" if change.nodes else "cut off"
        yield f"  {change.time_s:g} s  {trip}"
    if found.changes > _MOST_LINES:
        yield f"  and {found.changes - _MOST_LINES} more; --changes FILE writes all"


def _check_ending(file: Path | None) -> None:
    if file is not None and file.suffix not in (".csv", ".parquet"):
        raise InputError(f"{file}: allowed: a name that ends with .csv or .parquet")


def _write(table: pl.DataFrame, file: Path) -> Path:
    from photocol.runs import storage

    storage.replace(file, table.write_csv if file.suffix == ".csv" else table.write_parquet)
    return file


def _write_contacts(
    made: Constellation, pairs: Sequence[tuple[str, str]], duration: float, file: Path | None
) -> list[Path]:
    if file is None:
        return []
    from photocol.orbits.contacts import contacts
    from photocol.runs import storage

    storage.write_text(file, contacts(made, pairs, duration))
    return [file]


def _write_traces(routes: Sequence[Route], files: Sequence[Path]) -> Sequence[Path]:
    """One of the files for each route, or none at all."""
    from photocol.orbits.traces import link_trace
    from photocol.runs import storage

    for file, route in zip(files, routes, strict=False):
        file.parent.mkdir(parents=True, exist_ok=True)
        storage.write_text(file, link_trace(route))
    return files


def _draw(made: Constellation, routes: Sequence[Route], folder: Path, at_s: float) -> list[Path]:
    """The two pictures; the map has the route of the first pair."""
    from photocol.plot.files import save_figure
    from photocol.plot.fitting import fit
    from photocol.plot.orbits import MOST_PAIRS, round_trips, world
    from photocol.plot.style import new_figure

    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "round-trips.png", folder / "map.png"]
    drawn = routes[:MOST_PAIRS]
    figure = new_figure()
    figure.set_figheight(figure.get_figheight() * (1 + 0.5 * (len(drawn) - 1)))
    round_trips(list(figure.subplots(len(drawn), squeeze=False, sharex=True)[:, 0]), drawn)
    fit(figure)
    save_figure(figure, files[0])
    if len(routes) > MOST_PAIRS:
        say(f"{files[0]}: the first {MOST_PAIRS} of {len(routes)} pairs")
    now = next(change for change in reversed(routes[0].changes) if change.time_s <= at_s)
    figure = new_figure()
    world(figure.subplots(), made, at_s, now.nodes)
    fit(figure)
    save_figure(figure, files[1])
    return files
