"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

FOLDER = click.Path(path_type=Path)
scenario_argument = click.argument("scenario", metavar="SCENARIO")
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Replace a value, as in link_defaults.buffer='20 packets'.",
)
force_option = click.option("--force", is_flag=True, help="Replace a finished run of another scenario in DIR.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print numbers for programs.")
jobs_option = click.option("--jobs", type=int, metavar="N", help="Processes; by default one a core.")
dask_option = click.option(
    "--dask", metavar="ADDRESS", help="On the Dask cluster at ADDRESS; `local` makes one with --jobs workers."
)
quiet_option = click.option("--quiet/--no-quiet", help="No progress, no tables.")
