"""What a campaign costs beside its runs, and what a second core brings.

    python bench/campaign.py [--runs 1000] [--jobs 2]

A sweep of short runs (about 10 ms each) is done with one process and with several, on a machine that does nothing
else. It prints wall times, the CPU time that a further run takes beside its own, and the speed-up; the tables of both
must be the same to the byte. A first sweep is not counted: it compiles the modules of Python, which an installed
package has compiled, whatever the environment says of that.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from photocol.cli.workloads import short_job


def main() -> int:
    """The exit status: 0, or 1 if the tables differ or a sweep failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "short.json").write_text(json.dumps(short_job()))
        timed(place, 2, options.jobs, "first")
        few = timed(place, options.runs // 10, 1, "few")
        alone = timed(place, options.runs, 1, "alone")
        together = timed(place, options.runs, options.jobs, "together")
        same = (place / "alone" / "table.csv").read_bytes() == (place / "together" / "table.csv").read_bytes()
    beside = {name: found["cpu_s"] - found["run_cpu_s"] for name, found in (("few", few), ("alone", alone))}
    further = (beside["alone"] - beside["few"]) / (options.runs - options.runs // 10)
    print(f"load average before and after: {few['load']:.1f}, {os.getloadavg()[0]:.1f}")
    print(f"a run takes {alone['run_cpu_s'] / options.runs * 1e3:.1f} CPU ms, and {further * 1e3:.1f} beside it")
    print(
        f"{options.runs} runs: {alone['wall_s']:.1f} s one at a time, "
        f"{together['wall_s']:.1f} s {options.jobs} at a time"
    )
    most = options.jobs * alone["cpu_s"] / together["cpu_s"]
    print(
        f"CPU time of all processes: {alone['cpu_s']:.1f} s and {together['cpu_s']:.1f} s; "
        f"{options.jobs} idle cores can be at most {most:.2f} times as fast"
    )
    print(f"speed-up {alone['wall_s'] / together['wall_s']:.2f}; tables {'the same' if same else 'NOT the same'}")
    return 0 if same else 1


def timed(place: Path, runs: int, jobs: int, name: str) -> dict[str, float]:
    """One sweep: its time, the CPU time of all its processes, and what the runs say that they took themselves."""
    photocol = Path(sys.executable).with_name("photocol")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "compiled")}
    command = [photocol, "sweep", "short.json", "--grid", "traffic.0.flows=1,2", "--seeds", str(runs // 2)]
    load, before, clock = os.getloadavg()[0], resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([*command, "--jobs", str(jobs), "--out", name, "--quiet"], cwd=place, env=environment, check=True)
    wall, after = time.monotonic() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = [json.loads(file.read_text()) for file in (place / name / "runs").glob("*/row.json")]
    return {
        "wall_s": wall,
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "run_cpu_s": sum(row["run"]["cpu_s"] for row in rows),
        "load": load,
    }


if __name__ == "__main__":
    sys.exit(main())
