"""Campaigns killed with -9 at random moments, and gone on with: nothing finished is lost or done twice.

Every run leaves a mark of its own. After each kill the finished rows are noted with their marks; in the end these marks
must be what they were, and the tables equal those of an undisturbed campaign to the byte. `test_kill.py` does a few
kills; as a script this does as many as it is told:

    python tests/python/kill_campaign.py single=40 pool=40 worker=15 scheduler=5
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dask_cluster import PATIENCE_S, Cluster, cluster

from photocol.sweeps.campaign.job import engine
from photocol.sweeps.campaign.progress import Progress
from photocol.sweeps.campaign.run_campaign import resources
from photocol.sweeps.run import carry_out, describe

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
SCENARIO = """
[run]
name = "tiny"
duration = "50 ms"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "5 ms"
access_delay = "1 ms"
[[traffic]]
transport = "sack"
flows = 2
spread = "20 ms"
"""
PAUSE_S = 0.02


def marking(scenario, *, seed, settings):
    """The engine, slowed down, with a mark for each time that a run begins."""
    flows = settings["traffic.0.flows"]
    (Path(os.environ["MARKS"]) / f"{flows}-{seed}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(PAUSE_S)
    return engine(scenario, seed=seed, settings=settings)


def campaign(folder: str, runs: int, kind: str, address: str) -> None:
    """Carry the campaign out, keeping what there is; this is the process that is killed."""
    said = {"grid": {"traffic.0.flows": [1, 2, 3, 4]}, "seeds": runs // 4}
    by = resources(workers=2 if kind == "pool" else 1, resume=True, dask=address or None, run=marking)
    carry_out(describe(said, SCENARIO), Path(folder), by, Progress(is_quiet=True))


def disturbed(folder: Path, *, kind: str, kills: int, runs: int, draw: random.Random) -> str:
    """Kill the campaign so often, then let it end. Raises AssertionError; returns a sentence."""
    marks = folder / "marks"
    marks.mkdir(parents=True)
    noted: dict[str, int] = {}
    done = 0
    with _cluster(kind, folder) as dask:
        while True:
            process = _started(folder, runs, kind, dask)
            while done < kills and process.poll() is None:
                done += _kill(process, folder, kind, dask, draw)
                _check(noted, folder)
                if kind == "scheduler":
                    break
            if process.wait(PATIENCE_S) == 0:
                break
            if dask is not None and dask.scheduler.poll() is not None:
                return _again(folder, kind, kills - done, runs, draw, noted)
    _check(noted, folder)
    most = max(_marks(folder).values())
    return f"{kind}: {done} kills, {runs} runs, none lost, nothing finished done twice; at most {most} attempts at one"


def _again(folder: Path, kind: str, kills: int, runs: int, draw: random.Random, noted: dict[str, int]) -> str:
    """With a new scheduler, as the first is dead."""
    with _cluster(kind, folder) as dask:
        process = _started(folder, runs, kind, dask)
        if kills > 0:
            _kill(process, folder, kind, dask, draw)
        status = process.wait(PATIENCE_S)
    _check(noted, folder)
    if kills > 0:
        return _again(folder, kind, kills - 1, runs, draw, noted)
    assert status == 0, (folder / "campaign.log").read_text()
    return f"{kind}: killed as often as asked, {runs} runs, none lost, nothing finished done twice"


def _kill(process: subprocess.Popen[bytes], folder: Path, kind: str, dask: Cluster | None, draw: random.Random) -> int:
    """Kill something at a random moment after the first rows are there; 1 if it was alive."""
    before = _named(folder)
    limit = time.monotonic() + PATIENCE_S
    while process.poll() is None and _named(folder) <= before:
        assert time.monotonic() < limit, "nothing is done"
        time.sleep(0.005)
    time.sleep(draw.uniform(0, 20 * PAUSE_S))
    victim = process
    if dask is not None:
        victim = dask.scheduler if kind == "scheduler" else dask.workers[-1]
        if kind == "worker":
            dask.add_worker()
    if process.poll() is not None:
        return 0
    victim.send_signal(signal.SIGKILL)
    victim.wait(PATIENCE_S)
    return 1


def _check(noted: dict[str, int], folder: Path) -> None:
    """What was finished at an earlier look is finished still, and has not been run since."""
    there = _finished(folder)
    marks = _marks(folder)
    assert set(noted) <= there, f"lost: {set(noted) - there}"
    again = [name for name, count in noted.items() if marks[name] != count]
    assert not again, f"done twice: {again}"
    noted.update({name: marks[name] for name in there})


def _finished(folder: Path) -> set[str]:
    """The rows that are there; hidden names are of rows that are being written."""
    return {path.parent.name for path in (folder / "o" / "runs").glob("[!.]*/row.json")}


def _named(folder: Path) -> int:
    """How many rows have a name that is not hidden; they are not looked into, which would take longer than they do."""
    runs = folder / "o" / "runs"
    return sum(not place.name.startswith(".") for place in os.scandir(runs)) if runs.is_dir() else 0


def _marks(folder: Path) -> Counter[str]:
    parts = (path.name.split("-") for path in (folder / "marks").iterdir())
    return Counter(f"traffic.0.flows={flows},seed={seed}" for flows, seed, *_ in parts)


def _started(folder: Path, runs: int, kind: str, dask: Cluster | None) -> subprocess.Popen[bytes]:
    call = (str(folder / "o"), runs, kind, dask.address if dask else "")
    program = f"from kill_campaign import campaign; campaign(*{call!r})"
    environment = {**os.environ, "PYTHONPATH": str(HERE), "MARKS": str(folder / "marks")}
    with (folder / "campaign.log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=log, stderr=log)


@contextlib.contextmanager
def _cluster(kind: str, folder: Path) -> Iterator[Cluster | None]:
    if kind not in ("worker", "scheduler"):
        yield None
        return
    os.environ["MARKS"] = str(folder / "marks")
    (folder / "scheduler.json").unlink(missing_ok=True)
    with cluster(folder, workers=2) as made:
        yield made


def main(words: list[str]) -> None:
    """`KIND=KILLS…`: so many kills of each kind, and the comparison with an undisturbed campaign."""
    seed = time.time_ns() % 10**6
    print(f"moments are drawn with seed {seed}")
    for word in words:
        kind, _, kills = word.partition("=")
        runs = 40 + 4 * 10 * int(kills)
        folder = Path(tempfile.mkdtemp(prefix="photocol-kill-"))
        whole = folder / "undisturbed"
        (whole / "marks").mkdir(parents=True)
        started = time.monotonic()
        said = disturbed(folder / "killed", kind=kind, kills=int(kills), runs=runs, draw=random.Random(seed))
        assert _started(whole, runs, "pool", None).wait(3600) == 0
        same_tables(folder / "killed" / "o", whole / "o")
        print(
            f"{said}; the tables are those of an undisturbed campaign ({time.monotonic() - started:.0f} s)", flush=True
        )
        shutil.rmtree(folder)


def same_tables(one: Path, other: Path) -> None:
    """Raise AssertionError unless they are equal to the byte."""
    for name in ("table.csv", "table.parquet", "replications.parquet"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


if __name__ == "__main__":
    main(sys.argv[1:])
