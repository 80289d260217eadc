"""The command `photocol schedule`: slots of a frame, or circuits of a week."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from photocol import InputError
from photocol.cli.arguments import FOLDER
from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from photocol.transport.circuits import CircuitSchedule, Coverage

_NEITHER = "say what is to be scheduled: --frame F (slots of a frame), or --week T or --slice T (circuits)"
_NOTHING = "without DEMAND there is --from FILE, a schedule that is there already"
_OF_FRAMES = {"demand", "frame", "algorithm", "as_json"}
"""What goes with --frame."""
_OF_FILES = {"demand", "source", "capacity", "packet_capacity", "load", "output", "as_json"}
"""What goes with --from: the file says the rest."""
_OF_TABLES = _OF_FILES | {"week", "reconfiguration", "ports", "both_ways"}
"""What goes with --from for a table of start, end, from and to."""


@click.command()
@click.argument("demand", type=FOLDER, metavar="[DEMAND]", required=False)
@click.option("--frame", type=int, metavar="F", help="Slots of a frame, for a bufferless switch.")
@click.option("--week", metavar="T", help="How long a schedule of circuits lasts, as in '2 ms'.")
@click.option("--slice", "slice_", metavar="T", help="How long each matching lasts, with its dark time.")
@click.option("--reconfiguration", metavar="T", default="0 s", help="Dark time before another matching.  [0 s]")
@click.option("--switches", type=int, default=1, metavar="N", help="Switches side by side.  [1]")
@click.option("--capacity", metavar="RATE", default="100 Gbps", help="Of a circuit.  [100 Gbps]")
@click.option("--packet-capacity", metavar="RATE", default="0 bps", help="Of each port to the packet network.  [0 bps]")
@click.option(
    "--algorithm",
    metavar="NAME",
    help="One of `photocol list schedulers` for a frame [bvn], of `photocol list circuit-schedules` else [solstice].",
)
@click.option("--load", type=float, metavar="L", help="Scale DEMAND: its longest line is L of what circuits carry.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Give a reading a value, as in seed=2.")
@click.option("--from", "source", type=FOLDER, metavar="FILE", help="Take the schedule from FILE (CSV, JSON).")
@click.option("--ports", type=int, metavar="N", help="Of a table of start, end, from, to.  [as its numbers say]")
@click.option("--both-ways", is_flag=True, help="A row of such a table is a circuit back too.")
@click.option("-o", "--output", type=FOLDER, metavar="FILE", help="Write the schedule of circuits (.csv, or JSON).")
@click.option("--json", "as_json", is_flag=True, help="Print the whole schedule for programs.")
def schedule(*, demand: Path | None, frame: int | None, algorithm: str | None, as_json: bool, **options: Any) -> None:
    """Schedule the slots of a frame, or the circuits of a week, for a matrix of demands.

    With --frame, DEMAND is JSON with rows of whole numbers: slots from each input to each output. Else it has rows of
    bytes a week from each port to each, as JSON, or with commas or spaces between.

    With --from FILE the schedule is there: as -o writes it, or your own table of start, end, from, to and switch.
    DEMAND then says what it carries, and may be left out.
    """
    if demand is None:
        click.echo(_of_file(as_json=as_json, **options))
    elif frame is not None:
        _refuse_all_but(_OF_FRAMES, "is for schedules of circuits; with --frame there are slots of a frame")
        click.echo(_of_frame(demand, frame, algorithm or "bvn", as_json=as_json))
    elif options["week"] or options["slice_"] or options["source"]:
        if options["source"]:
            _refuse_all_but(_allowed(options["source"]), _IS_ONE)
        click.echo(_of_circuits(demand, algorithm or "solstice", as_json=as_json, **options))
    else:
        raise click.UsageError(_NEITHER)


_IS_ONE = "is for schedules that are made; with --from the file is one"


def _allowed(source: Path) -> set[str]:
    """The options that go with this file; what goes with none is refused before it is read."""
    from photocol.conversions.weeks import is_week

    _refuse_all_but(_OF_TABLES, _IS_ONE)
    return _OF_TABLES if is_week(source) else _OF_FILES


def _of_file(*, as_json: bool, source: Path | None, output: Path | None, **options: Any) -> str:
    """A schedule that is there already, without a demand."""
    if source is None:
        raise click.UsageError(_NOTHING)
    _refuse_all_but(_allowed(source) - {"capacity", "packet_capacity", "load"}, _IS_ONE)
    plan = _given(source, **options)
    if output is not None:
        plan.save(output)
    return json.dumps(plan.to_dict()) if as_json else plan.to_text()


def _given(
    source: Path, *, week: str | None, reconfiguration: str, ports: int | None, both_ways: bool, **_: Any
) -> CircuitSchedule:
    """The schedule of a file, or of a table of start, end, from and to."""
    from photocol.conversions.weeks import is_week, read_week
    from photocol.transport.circuits import circuits_of, read_circuits

    if not is_week(source):
        return read_circuits(source)
    found = read_week(source, week=week, reconfiguration=reconfiguration, ports=ports, both_ways=both_ways)
    return circuits_of(source, found.ports, found.week_ps, reconfiguration, found.holds)


def _refuse_all_but(names: set[str], why: str) -> None:
    """An error for an option that was given and would do nothing, even one with its default."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        if name not in names and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[-1]} {why}")


def _of_frame(file: Path, frame: int, algorithm: str, *, as_json: bool) -> str:
    from photocol.transport.control import Scheduler, read_requests

    plan = Scheduler(algorithm).schedule(read_requests(file), frame)
    return json.dumps(plan.to_dict()) if as_json else plan.to_text()


def _of_circuits(
    file: Path,
    algorithm: str,
    *,
    as_json: bool,
    load: float | None,
    source: Path | None,
    output: Path | None,
    **options: Any,
) -> str:
    from photocol.transport.circuits import demand_matrix, read_demand, scaled_demand

    raw = read_demand(file)
    # A rule that goes in turn makes its own week, which any demand shows.
    fixed = (
        _given(source, **options) if source else _planned(raw * 0, algorithm, **options) if load is not None else None
    )
    capacity = options["capacity"]
    try:
        if load is not None and fixed is not None:
            week_ps, switches = fixed.week_ps, fixed.switches
            demand = scaled_demand(raw, load, week_ps=week_ps, capacity=capacity, switches=switches)
        else:
            demand = demand_matrix(raw)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    plan = fixed if source and fixed else _planned(demand, algorithm, **options)
    coverage = plan.coverage(demand, capacity, options["packet_capacity"])
    if output is not None:
        plan.save(output)
    if as_json:
        return json.dumps({**plan.to_dict(), "demand_bytes": int(demand.sum()), **coverage.to_dict()})
    return f"{plan.to_text()}\n{_covered(coverage, int(demand.sum()))}"


def _planned(
    demand: Any,
    algorithm: str,
    *,
    settings: Sequence[str],
    slice_: str | None,
    ports: int | None,
    both_ways: bool,
    **options: Any,
) -> CircuitSchedule:
    if ports is not None or both_ways:
        raise click.UsageError(f"{'--ports' if ports is not None else '--both-ways'} is for a table with --from")
    from photocol.runs.scenario import parse_setting
    from photocol.transport.circuits import circuit_schedule

    readings: dict[str, Any] = dict(parse_setting(one) for one in settings)
    seed = readings.pop("seed", "1")
    if not seed.isdecimal():
        raise InputError(f"seed is '{seed:.40}'; allowed: a whole number, 0 or more")
    for name in options:
        if name in readings:
            raise InputError(f"--set {name}=…: allowed: --{name.replace('_', '-')}")
    return circuit_schedule(demand, algorithm, slice=slice_, seed=int(seed[:30]), **options, **readings)


def _covered(coverage: Coverage, demand: int) -> str:
    left, longest, packet = (
        readable(float(size), "B")
        for size in (int(coverage.left.sum()), coverage.longest_left_bytes, coverage.packet_bytes)
    )
    lines = [
        f"circuits carry {coverage.share:.1%} of {readable(float(demand), 'B')}",
        f"{left} are left for the packet network, at most {longest} of a port, which carries {packet}: "
        f"{'enough' if coverage.fits else 'too little'}",
    ]
    if demand:
        lines.append(f"circuits alone carry the demand times {coverage.scale:.3g} (throughput of single hops)")
    return "\n".join(lines)
