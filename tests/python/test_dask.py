"""Campaigns on a real Dask scheduler with real workers: the same bits, whoever is killed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from command import arguments, photocol
from dask_cluster import PATIENCE_S, Cluster, cluster, wait_until
from test_sweep import TINY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("distributed")
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
