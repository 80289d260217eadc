"""Campaigns on a real Dask scheduler with real workers: the same bits, whoever is killed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command import arguments, photocol
from dask_cluster import PATIENCE_S, Cluster, cluster, wait_until
from test_sweep import TINY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("distributed")
pytestmark = pytest.mark.alone
AXES = ("--grid", "traffic.0.flows=1,2,3,4", "--set", "run.duration=60 s", "--seeds", "4")


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


def test_a_killed_worker_changes_no_bit(two_workers: Cluster, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    local = photocol("sweep", "tiny.toml", *AXES, "--jobs", "1", "--out", "local", cwd=tmp_path)
    assert local.returncode == 0, local.stderr
    command = arguments("sweep", "tiny.toml", *AXES, "--dask", two_workers.address, "--out", "dask")
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        runs = tmp_path / "dask" / "runs"
        wait_until(lambda: process.poll() is not None or (runs.is_dir() and len(list(runs.glob("*/row.json"))) >= 2))
        under_way = len(list(runs.glob("*/row.json")))
        two_workers.workers[0].kill()
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, stderr
    assert "the Dask worker " in stderr
    assert " is gone; its jobs are done once more" in stderr
    assert under_way < 16, "the campaign was over before the worker was killed"
    for name in ("table.csv", "replications.parquet"):
        assert (tmp_path / "dask" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()


def test_a_worker_of_another_version_gets_no_work(two_workers: Cluster, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    preload = tmp_path / "other.py"
    preload.write_text("import photocol\nphotocol.__version__ = '0.0.1'\n")
    other = two_workers.add_worker("--preload", str(preload), "--name", "other")
    two_workers.wait_for_workers()
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--dask", two_workers.address, "--out", "o")

    def refused() -> bool:
        done = subprocess.run(arguments(*words, "--resume"), cwd=tmp_path, capture_output=True, text=True, check=False)
        if "version 0.0.1" not in done.stderr:
            return False
        assert done.returncode == 2
        assert "has version 0.0.1 with fingerprint" in done.stderr
        assert "Traceback" not in done.stderr
        return True

    wait_until(refused)
    other.kill()
    other.wait()


def test_an_address_where_nobody_answers_is_named(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--dask", "tcp://127.0.0.1:9", "--out", "o")
    done = subprocess.run(arguments(*words), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "--dask tcp://127.0.0.1:9: no Dask scheduler answers there (OSError)\n"


LISTENING = """
import http.client, os
from photocol.sweeps.campaign.cluster import _connected
def listening():
    lines = [line.split() for name in ("tcp", "tcp6") for line in open(f"/proc/net/{name}").readlines()[1:]]
    links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    mine = {os.readlink(link) for link in links if os.path.lexists(link)}
    ends = [line[1].split(":") for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in mine]
    return [({"0100007F": "127.0.0.1"}.get(host, host), int(port, 16)) for host, port in ends]
def request(end):
    connection = http.client.HTTPConnection(*end, timeout=10)
    connection.request("GET", "/info/main/workers.html")
    return connection.getresponse().status
if __name__ == "__main__":
    with _connected("local", 2) as client:
        ports = listening()
        answers = {request(port) for port in ports}
        print(client.scheduler.address.split(":")[0], len(client.nthreads()), {port[0] for port in ports}, answers)
"""


def test_a_local_cluster_takes_code_from_nobody(tmp_path: Path) -> None:
    """A Dask scheduler runs what anybody sends to its port. Here it has none; what is left is HTTP without pages."""
    done = subprocess.run([sys.executable, "-c", LISTENING], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "inproc 2 {'127.0.0.1'} {404}\n", done.stderr


def test_a_local_cluster_gives_the_same_table(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--quiet", "--jobs", "2")
    for name, more in (("plain", ()), ("dask", ("--dask", "local"))):
        done = subprocess.run(
            arguments(*words, *more, "--out", name), cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "") or more, done.stderr
    tables = [(tmp_path / name / "table.csv").read_bytes() for name in ("plain", "dask")]
    assert tables[0] == tables[1]


def test_a_cluster_that_does_not_start_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    from photocol.sweeps.campaign import cluster as clusters
    from photocol.sweeps.campaign.job import JobError

    def fail(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.\nmore")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    with (
        pytest.raises(
            JobError, match=r"^--dask local: the cluster did not start: RuntimeError: Nanny failed to start.$"
        ),
        clusters._connected("local", 1),
    ):
        pass
