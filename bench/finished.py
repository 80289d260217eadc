"""What it costs to ask for the state of a large campaign, to resume it and to export it.

    python bench/finished.py [--runs 100000] [--points 100]

One run of each point is made; its row stands for all seeds, so that what follows is a campaign of that many finished
runs as a sweep would have left it. Then each command is carried out twice (the second finds what the first may have
noted) and its CPU time and wall time are printed. It needs a directory for about a gigabyte of small files.
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

PHOTOCOL = Path(sys.executable).with_name("photocol")


def main() -> int:
    """The exit status: 0, or 1 if a command ran something again or lost something."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="a directory for the campaign; by default a temporary one")
    options = parser.parse_args()
    seeds = options.runs // options.points
    with tempfile.TemporaryDirectory() as temporary:
        place = options.keep or Path(temporary)
        place.mkdir(exist_ok=True)
        if not (place / "o").is_dir():
            prepare(place, options.points, seeds)
        commands = {
            "status": ["status", "o"],
            "resume": [*swept(options.points, seeds), "--resume"],
            "export": ["export", "o", "--out", "all.parquet"],
        }
        good = [measured(place, name, words) for name in commands for words in [commands[name]] * 2]
    return 0 if all(good) else 1


def swept(points: int, seeds: int) -> list[str]:
    """The words of the sweep."""
    capacities = ",".join(f"{100 + point} Mbps" for point in range(points))
    points_and_length = ["--grid", f"topology.bottleneck_capacity={capacities}", "--set", "run.duration=50 ms"]
    return ["short.json", *points_and_length, "--seeds", str(seeds), "--jobs", "1", "--out", "o", "--quiet"]


def prepare(place: Path, points: int, seeds: int) -> None:
    """A sweep of one seed, and copies of its rows under the other seeds."""
    (place / "short.json").write_text(json.dumps(short_job()))
    subprocess.run([PHOTOCOL, "sweep", *swept(points, 1)], cwd=place, check=True, stdout=subprocess.DEVNULL)
    manifest = json.loads((place / "o" / "manifest.json").read_text())
    manifest["sweep"]["seeds"] = seeds
    (place / "o" / "manifest.json").write_text(json.dumps(manifest, indent=1))
    for folder in sorted((place / "o" / "runs").iterdir()):
        row, manifest = json.loads((folder / "row.json").read_text()), (folder / "manifest.json").read_bytes()
        for seed in range(2, seeds + 1):
            copy = folder.with_name(folder.name.removesuffix("seed=1") + f"seed={seed}")
            copy.mkdir()
            (copy / "row.json").write_text(json.dumps({**row, "seed": seed}, indent=1) + "\n")
            (copy / "manifest.json").write_bytes(manifest)


def measured(place: Path, name: str, words: list[str]) -> bool:
    """Carry out a command and say what it took; whether it succeeded."""
    load, before, clock = os.getloadavg()[0], resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([PHOTOCOL, "sweep", *words], cwd=place, capture_output=True, text=True, check=False)
    wall, after = time.monotonic() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    told = (done.stdout + done.stderr).strip().splitlines()[-1:]
    print(f"{name}: {user:.1f} s user, {system:.1f} s system, {wall:.1f} s wall at load {load:.0f}: {' '.join(told)}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
