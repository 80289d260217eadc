"""The command `photocol lab`: a page with sliders, pictures and lessons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from photocol.cli.arguments import FOLDER, offered

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("scenario", metavar="[SCENARIO]", default="dumbbell", shell_complete=offered("scenarios"))
@click.option("--no-browser", is_flag=True, help="Open none; print the file to open, which lets one browser in.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="By default any that is free.")
@click.option("--lessons", "folder", type=FOLDER, metavar="DIR", help="Lessons of your own as well.")
def lab(*, scenario: str, no_browser: bool, port: int, folder: Path | None) -> None:
    """Open the laboratory: a scenario with sliders, its run drawn as it goes, and lessons.

    A page in the browser, on this machine only; no network is needed. Ctrl-C ends it.
    """
    from photocol.lab.server import serve

    tell = partial(click.echo, err=True)
    serve(scenario, has_browser=not no_browser, say=click.echo, tell=tell, folder=folder, port=port)
