"""Laws and flows that are written in Python."""

from __future__ import annotations

import hashlib
import inspect
import math
import re
import warnings
from pathlib import Path
from typing import Any, cast

import pytest

import photocol
from photocol import InputError, RunError, ScenarioError
from photocol.laws import Event, Window, find, name_of
from photocol.runs import law_source

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "law-in-python.md"

DUMBBELL: dict[str, Any] = {
    "run": {"duration": "2 s"},
    "topology": {
        "kind": "dumbbell",
        "pairs": 2,
        "bottleneck_capacity": "10 Mbps",
        "bottleneck_delay": "10 ms",
        "bottleneck_buffer": "20 packets",
    },
    "traffic": [{"transport": "mine", "flows": 3, "spread": "100 ms"}],
}


@photocol.law
class Aimd:
    """Reno's window law."""

    def __init__(self) -> None:
        self.acked = 0

    def on_ack(self, window: Window, event: Event) -> None:
        if event.is_app_limited:
            return
        if window.in_slow_start:
            window.slow_start(event.acked)
            return
        self.acked += min(event.acked, int(window.cwnd))
        if self.acked >= window.cwnd:
            self.acked -= int(window.cwnd)
            window.cwnd += window.mss

    def ssthresh_after(self, window: Window, loss: Event) -> int:
        self.acked = 0
        assert loss.cause in ("fast-retransmit", "timeout")
        return loss.in_flight // 2


@photocol.law
class Loud:
    """Sets the window to no number at its 50th ACK."""

    def __init__(self) -> None:
        self.heard = 0

    def on_ack(self, window: Window, event: Event) -> None:
        self.heard += 1
        if self.heard == 50:
            window.cwnd = math.nan


@photocol.law
class Broken:
    """Divides by zero at a loss."""

    def on_ack(self, window: Window, event: Event) -> None:
        window.cwnd += event.acked

    def on_loss(self, window: Window, loss: Event) -> None:
        window.cwnd = 1 // 0


@photocol.law
class Impatient:
    """Is interrupted."""

    def on_ack(self, window: Window, event: Event) -> None:
        raise KeyboardInterrupt


def with_law(law: object, **table: object) -> dict[str, Any]:
    return {**DUMBBELL, "transport": {"mine": {"law": law, **table}}}


def test_the_built_in_law_and_the_one_in_python_give_the_same_bits() -> None:
    mine = photocol.run(with_law(Aimd))
    built_in = photocol.run({**with_law(Aimd), "transport": {"mine": {"algorithm": "sack"}}})
    assert mine.manifest["fingerprint"] == built_in.manifest["fingerprint"]
    assert built_in.summary["fast_retransmits"].value > 0
    cost = mine.manifest["laws"][name_of(Aimd)]
    assert cost["calls"] > 1000 and cost["seconds"] > 0 and len(cost["source_sha256"]) == 64


def test_pacing_and_recovery_of_the_transport_go_with_a_law_in_python() -> None:
    extras = {"paced": True, "recovery": "newreno", "delayed_ack": True}
    mine = photocol.run(with_law(Aimd, **extras))
    built_in = photocol.run({**DUMBBELL, "transport": {"mine": {"algorithm": "sack", **extras}}})
    assert mine.manifest["fingerprint"] == built_in.manifest["fingerprint"]


HEARD: list[tuple[str | None, str | None, int | None, float | None, float | None, float]] = []


@photocol.law
class Listener(Aimd):
    """Keeps the news."""

    def on_news(self, window: Window, news: Event) -> None:
        HEARD.append((news.way, news.turn, news.division, news.capacity, news.at, news.now))


CIRCUIT: dict[str, Any] = {
    "run": {"duration": "0.4 s"},
    "link": [{"from": "a", "to": "b", "capacity": "10 Mbps", "delay": "10 ms"}],
    "transport": {"mine": {"law": Listener}},
    "traffic": [{"transport": "mine", "from": "a", "to": "b"}],
    "event": [
        {"at": "0.2 s", "link": "a->b", "capacity": "80 Mbps"},
        {"at": "0.3 s", "link": "a->b", "capacity": "10 Mbps"},
    ],
}


def heard(**news: str) -> list[tuple[str | None, str | None, int | None, float | None, float | None, float]]:
    HEARD.clear()
    photocol.run({**CIRCUIT, "news": [{"link": "a->b", **news}]})
    return list(HEARD)


def test_a_law_hears_of_a_circuit_by_each_way() -> None:
    told = [("up", 1, 80e6, 0.2), ("down", 0, 10e6, 0.3)]
    by_message = [("message", *change, change[-1] + 0.003) for change in told]
    assert heard(way="message", delay="3 ms") == [(*said[:-1], pytest.approx(said[-1])) for said in by_message]
    by_schedule = [("schedule", *change, pytest.approx(change[-1] - 0.05)) for change in told]
    assert heard(way="schedule", lead="50 ms") == by_schedule
    up, down = heard(way="mark")
    assert up[:4] == ("mark", "up", 1, None) and down[:4] == ("mark", "down", 0, None)
    # The ACK of data that left at the change is 20 ms later, and a packet of 10 Mb/s lasts 1.2 ms.
    assert 0.220 <= up[-1] < 0.2225 and 0.320 <= down[-1] < 0.3225


def test_a_law_without_the_method_hears_nothing_and_sends_the_same_bits() -> None:
    def fingerprint(**more: Any) -> str:
        run = photocol.run({**CIRCUIT, "transport": {"mine": {"law": Aimd}}, **more})
        return str(run.manifest["fingerprint"])

    with pytest.warns(UserWarning, match="no transport's law listens"):
        told = fingerprint(news=[{"link": "a->b", "way": "mark"}])
    assert told == fingerprint()


def test_news_by_hand() -> None:
    sender = photocol.transport.Sender("retcp", mss=1000, initial_window=4)
    sender.write(100)
    assert len(sender.on_news(0.1, "up", division=1)) == 4
    assert sender.cwnd == 8000
    sender.on_news(0.2, "down", way="schedule", at=0.3)
    assert sender.cwnd == 4000
    with pytest.raises(ValueError, match="turn is 'left', must be one of up, down, same"):
        sender.on_news(0.3, cast("Any", "left"))
    with pytest.raises(ValueError, match="capacity is -1 bit/s"):
        sender.on_news(0.3, "up", capacity=-1)
    with pytest.raises(ValueError, match="base_rtt is 0 s, must be above 0 s"):
        sender.on_news(0.3, "same", base_rtt=0)


def test_the_round_trip_of_another_path_is_that_of_a_law_that_is_told() -> None:
    """HPCC paces at its window in the round trip of the empty path: from 0.2 s on 40 ms where it has measured 20 ms."""
    sender = photocol.transport.Sender("hpcc", mss=1000, initial_window=4)
    sender.write(100)
    sender.on_ack(0.02, 1000)
    assert sender.pacing_rate == pytest.approx(8 * sender.cwnd / 0.02)
    sender.on_news(0.1, "same", way="schedule", at=0.2, base_rtt=0.04)
    sender.on_ack(0.15, 2000)
    assert sender.pacing_rate == pytest.approx(8 * sender.cwnd / 0.02)
    sender.on_ack(0.21, 3000)
    assert sender.pacing_rate == pytest.approx(8 * sender.cwnd / 0.04)


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    assert "calls" in capsys.readouterr().out
    toy = names["toy"].summary
    assert toy["goodput"].value > 0.8 * 20e6, "the toy BBR fills the bottleneck"
    for law in ("Aimd", "ToyBbr"):
        lines = re.search(rf"class {law}:\n(.*?)\n\n(?=\w)", GUIDE.read_text(), flags=re.DOTALL)
        assert lines is not None
        code = [line for line in lines[1].splitlines() if line.strip() and '"""' not in line]
        assert len(code) <= 20, (law, len(code))


def test_a_law_that_goes_wrong_ends_the_run_with_flow_and_time(tmp_path: Path) -> None:
    place = (
        r"the law .*:Loud, on_ack of flow \d at [\d.]+ s.*: ValueError: cwnd is nan, must be a finite number of bytes"
    )
    with pytest.raises(RunError, match=place):
        photocol.run(with_law(Loud), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    lines, first = inspect.getsourcelines(Broken)
    line = first + next(number for number, text in enumerate(lines) if "// 0" in text)
    with pytest.raises(RunError, match=rf"on_loss of flow \d at [\d.]+ s, line {line}: ZeroDivisionError") as caught:
        photocol.run(with_law(Broken))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_ctrl_c_in_a_law_is_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        photocol.run(with_law(Impatient))


def test_a_run_with_a_law_in_python_takes_one_thread_and_says_so() -> None:
    with pytest.warns(UserWarning, match="1 of 2 threads worked: Python is called by one thread"):
        two = photocol.run(with_law(Aimd), threads=2)
    assert two.manifest["fingerprint"] == photocol.run(with_law(Aimd)).manifest["fingerprint"]


FILE = """import photocol

@photocol.law
class Steady:
    def on_ack(self, window, event):
        window.cwnd = 20 * window.mss

class Plain:
    pass
"""


def scenario_file(folder: Path, law: str) -> Path:
    (folder / "my_laws.py").write_text(FILE)
    text = 'law = "{law}"\n[[traffic]]\ntransport = "mine"\n'.replace("{law}", law)
    head = '[run]\nduration = "1 s"\n[topology]\nkind = "dumbbell"\nbottleneck_capacity = "10 Mbps"\n'
    (folder / "mine.toml").write_text(f'{head}bottleneck_delay = "10 ms"\n[transport.mine]\n{text}')
    return folder / "mine.toml"


def test_a_file_names_a_law_and_sweeps_run_it_in_other_processes(tmp_path: Path) -> None:
    file = scenario_file(tmp_path, "my_laws.py:Steady")
    alone = photocol.run(file)
    assert f'law = "{tmp_path}/my_laws.py:Steady"' in alone.manifest["scenario"]
    swept = photocol.sweep(file, grid={"run.duration": ["1 s", "0.5 s"]}, out=tmp_path / "sweep", jobs=2)
    assert len(swept) == 2


def test_a_manifest_names_the_file_of_a_law_with_its_digest(tmp_path: Path) -> None:
    file = tmp_path / "my_laws.py"
    laws = photocol.run(scenario_file(tmp_path, "my_laws.py:Steady")).manifest["laws"]
    assert list(laws) == [f"{file}:Steady"]
    assert laws[f"{file}:Steady"]["file"] == str(file)
    assert laws[f"{file}:Steady"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_what_is_no_law_is_refused_at_its_place(tmp_path: Path) -> None:
    def message(law: str) -> str:
        with pytest.raises(ScenarioError) as caught:
            photocol.run(scenario_file(tmp_path, law))
        return str(caught.value).replace(str(tmp_path), "")

    assert message("nowhere:Law").startswith(
        '/mine.toml:8:7: transport.mine.law: found "nowhere:Law": there is no module nowhere'
    )
    assert message("my_laws.py:Plain").endswith("Plain is not under @photocol.law")
    assert message("my_laws.py:Other").endswith("there is no Other in /my_laws.py")
    with pytest.raises(ScenarioError, match='the key "law" goes with algorithm = "python"'):
        photocol.run(with_law(Aimd, algorithm="cubic"))
    with pytest.raises(ScenarioError, match='the key "law" is missing'):
        photocol.run({**DUMBBELL, "transport": {"mine": {"algorithm": "python"}}})
    with pytest.raises(InputError, match="has no method on_ack"):
        photocol.law(type("Empty", (), {}))
    with pytest.raises(InputError, match="no event is called 'on_akc'"):
        photocol.law(type("Typo", (), {"on_ack": print, "on_akc": print}))
    with pytest.raises(InputError, match="notebook"):
        find("__main__:Nothing")


def test_a_sender_by_hand_runs_a_law_in_python() -> None:
    mine, built_in = (photocol.transport.Sender(law, mss=1000, initial_window=2) for law in (Aimd, "sack"))
    for sender in (mine, built_in):
        sender.write(100)
    for step in range(1, 30):
        assert mine.on_ack(0.1 * step, 1000 * step) == built_in.on_ack(0.1 * step, 1000 * step)
        assert (mine.cwnd, mine.ssthresh) == (built_in.cwnd, built_in.ssthresh)
    loud = photocol.transport.Sender(Loud, mss=1000)
    loud.write(1000)
    with pytest.raises(RunError, match="on_ack of flow 0"):
        for step in range(1, 60):
            loud.on_ack(0.1 * step, 1000 * step)
    with pytest.raises(ValueError, match="class of the law itself"):
        photocol.transport.Sender("python")


FLOWS = [(0.1, 10_000, "l0", "r0"), ("200 ms", "30 kB", "l1", "r1"), (0.05, None, "l1", "r0")]


def listed(flows: object) -> dict[str, Any]:
    return {**DUMBBELL, "traffic": [{"transport": "sack", "size": "1 kB", "list": flows}]}


def test_flows_of_a_function_are_the_flows_of_the_same_list() -> None:
    tables = [
        {"start": "0.1 s", "size": "10 kB", "source": "l0", "destination": "r0"},
        {"start": "0.2 s", "size": "30 kB", "source": "l1", "destination": "r1"},
        {"start": "0.05 s", "source": "l1", "destination": "r0"},
    ]
    prints = {
        photocol.run(listed(flows)).manifest["fingerprint"]
        for flows in (tables, FLOWS, lambda: FLOWS, (flow for flow in FLOWS))
    }
    assert len(prints) == 1


def test_a_flow_that_is_none_is_named() -> None:
    with pytest.raises(InputError, match=r"traffic.0.list: flow 1 is \(1, 2\); allowed: \(start, size, source"):
        photocol.run(listed([FLOWS[0], (1, 2)]))
    with pytest.raises(InputError, match=r"flow 0: the start is nan; allowed: seconds from 0 on"):
        photocol.run(listed([(math.nan, 1, "l0", "r0")]))
    with pytest.raises(InputError, match=r"flow 0: the size is -5; allowed: a whole number of bytes"):
        photocol.run(listed([(0, -5, "l0", "r0")]))
    with warnings.catch_warnings(), pytest.raises(ScenarioError, match=r"traffic.0.list.0.source: there is no node"):
        photocol.run(listed([(0, 5, "nobody", "r0")]))


def test_the_source_says_what_a_law_is(tmp_path: Path) -> None:
    """The same answers as from the class itself, without executing it."""
    file = tmp_path / "some.py"
    file.write_text(
        "import photocol as p\nfrom photocol import law as mine\nfrom elsewhere import Far\n"
        "class Base:\n    paced = True\n    def on_ack(self, window, event): pass\n"
        "@p.law\nclass Heir(Base): pass\n@mine\nclass Calm:\n    def on_ack(self, w, e): pass\n"
        "@mine\nclass Empty: pass\n@mine\nclass Typo:\n    def on_akc(self, w, e): pass\n"
    )
    assert [law_source.asked(file, name).paces for name in ("Heir", "Calm", "Far")] == [True, False, None]
    for name, why in (("Empty", "no method on_ack"), ("Typo", "'on_akc'"), ("Base", "not under"), ("No", "no No in")):
        with pytest.raises(InputError, match=why):
            law_source.asked(file, name)
    file.write_text("class (")
    with pytest.raises(InputError, match=r"some.py:1: "):
        law_source.asked(file, "A")
    with pytest.raises(InputError, match="is not a file"):
        law_source.asked(Path("/dev/zero"), "A")


@pytest.mark.parametrize("value", ["1e10", "1e308", "math.nan", "math.inf", "-1", "2**30 + 1", "2**70"])
@pytest.mark.parametrize("method", ["on_ack", "ssthresh_after"])
def test_no_window_is_larger_than_tcp_can_have(tmp_path: Path, value: str, method: str) -> None:
    """RFC 7323, section 2.3: at most 2^30 bytes."""
    set_ = f"window.cwnd = {value}" if method == "on_ack" else "window.cwnd += event.acked"
    (tmp_path / "huge.py").write_text(
        "import math, photocol\n@photocol.law\nclass Huge:\n"
        f"    def on_ack(self, window, event):\n        {set_}\n"
        f"    def ssthresh_after(self, window, loss):\n        return {value}\n"
    )
    with pytest.raises(
        RunError, match=rf"huge\.py:Huge, {method} of flow \d .*must be a finite number of bytes from 0"
    ):
        photocol.run(with_law(str(tmp_path / "huge.py:Huge")))
