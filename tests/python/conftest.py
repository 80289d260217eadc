"""What holds for all tests. `PHOTOCOL_TEST_TIMES=FILE` adds a line per test: its name, its seconds by the clock, and
the processor seconds of this process and of those that it has waited for."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing in a test depends on wall-clock time: on a busy machine an example takes as long as it takes.
hypothesis.settings.register_profile("photocol", deadline=None)
hypothesis.settings.load_profile("photocol")

ORDER = {"test_site.py": -1, "test_ack_cost.py": 1, "test_trend.py": 1}
"""Files of tests that are not in the order of their names."""


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What photocol keeps of its user is not that of who tests it; the processes that tests start inherit it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _hang_up_is_heard() -> Iterator[None]:
    """SIGHUP has its default action in what tests start, also where the tests are started with it ignored (nohup)."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The site comes first, or each of two processes would build it; what calls cargo comes last: `make test` compiles
    the Rust side meanwhile, and cargo locks its folder."""
    items.sort(key=lambda item: ORDER.get(item.path.name, 0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test with its fixtures."""
    clock, used = time.perf_counter(), sum(os.times()[:4])
    done = yield
    if place := os.environ.get("PHOTOCOL_TEST_TIMES"):
        line = f"{item.nodeid}\t{time.perf_counter() - clock:.2f}\t{sum(os.times()[:4]) - used:.2f}\n"
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(line)
    return done
