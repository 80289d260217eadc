"""A script for Slurm: a job array whose tasks carry out a sweep's parts, for clusters without Dask.

The tasks share nothing but the directory. Whatever is missing in the end, because a task was killed or hit its limit of
time, is done by `photocol sweep resume`, which also makes the tables.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from photocol.runs import storage

if TYPE_CHECKING:
    from pathlib import Path

NAME = "sweep.sbatch"


def write(folder: Path, *, parts: int, name: str) -> Path:
    """Write the script into the sweep's directory."""
    file = folder / NAME
    storage.write_text(file, script(folder.absolute(), parts=parts, name=name))
    return file


def script(folder: Path, *, parts: int, name: str) -> str:
    """The script's text."""
    place = shlex.quote(str(folder))
    pattern = place.replace("%", "%%")  # sbatch, "filename pattern"
    return f"""#!/bin/sh
# {parts} parts of a sweep of photocol. Send it, and have the tables made when all parts have ended:
#   job=$(sbatch --parsable {NAME})
#   sbatch --dependency=afterany:$job --wrap {shlex.quote(f"photocol sweep resume {place}")}
#SBATCH --job-name={shlex.quote(name)}
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output={pattern}/slurm-%A-%a.log
export PYTHONSAFEPATH=1
exec photocol sweep resume {place} --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --part "$SLURM_ARRAY_TASK_ID/{parts}" --quiet
"""
