"""The command `photocol new`: files with blanks to fill."""

from __future__ import annotations

import click


@click.command()
@click.argument("kind", type=click.Choice(["experiment"]))
@click.argument("name", metavar="PAPER/FIGURE")
def new(*, kind: str, name: str) -> None:
    """Write the file of a new experiment, experiments/PAPER/FIGURE.py, with ___ for what is yours to say.

    docs/guide/add-an-experiment.md has the same file filled in.
    """
    from photocol.experiments.catalogue import experiments_folder
    from photocol.experiments.new import BLANK, write_experiment

    file = write_experiment(experiments_folder(), name)
    click.echo(f"{file}: replace each {BLANK}, then photocol reproduce {name} ({kind})")
