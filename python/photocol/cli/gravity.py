"""The command `photocol gravity`: traffic of a constellation by the inhabitants of its stations."""

from __future__ import annotations

import os
from pathlib import Path

import click

from photocol import InputError
from photocol.cli import DONE
from photocol.cli.arguments import FOLDER, offered
from photocol.cli.orbits import opened

_SIZE = "1 MB"


@click.command()
@click.argument("file", type=FOLDER, metavar="FILE.toml")
@click.option("--to", "target", type=FOLDER, required=True, metavar="FILE", help="The scenario that is written.")
@click.option("--rate", required=True, metavar="RATE", help="Of all pairs together.")
@click.option("--most", type=click.IntRange(1), metavar="N", help="Between so many pairs of stations, the heaviest.")
@click.option(
    "--transport", metavar="NAME", shell_complete=offered("transports"), help="Flows of it, instead of datagrams."
)
@click.option("--size", metavar="SIZE", help=f"Of a flow.  [{_SIZE}]")
def gravity(*, file: Path, target: Path, rate: str, most: int | None, transport: str | None, size: str | None) -> int:
    """Write traffic in proportion to the product of inhabitants, between the ground stations of a constellation.

    FILE.toml has a table [topology] with kind = "constellation". The new scenario extends it: each pair of stations has
    traffic in both directions, in the place of that of FILE.toml.
    """
    from photocol.conversions.keys import Keys
    from photocol.conversions.source import RATE, SIZE
    from photocol.conversions.writer import datagrams
    from photocol.orbits import gravity as model
    from photocol.runs import storage

    said = Keys({"--rate": rate, "--size": size or _SIZE}, "")
    total_bps, size_bytes = round(said.quantity("--rate", RATE)), max(1, round(said.quantity("--size", SIZE)))
    if size is not None and transport is None:
        raise InputError("--size: goes with --transport NAME; datagrams have no end")
    if target.resolve() == file.resolve():
        raise InputError(f"--to {target}: allowed: another file than the one that it extends")
    made, _ = opened(file)
    demands = model.demands(model.heaviest(made.stations, most), total_bps)
    tables = [
        datagrams(one.name, (one.source, one.target), one.bps)
        if transport is None
        else model.flows(one, transport, size_bytes)
        for one in demands
    ]
    base = Path(os.path.relpath(file, target.parent)).as_posix()
    storage.write_text(target, model.scenario(base, tables))
    first = demands[0]
    click.echo(f"{target}: {len(demands)} demands, the first {first.name}, {first.bps / 1e6:.4g} Mb/s")
    return DONE
