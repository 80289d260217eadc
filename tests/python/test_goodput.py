"""No network carries more payload than its links can, in any ready-made scenario."""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path

import pytest

import photocol

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml"))
WARM_UP_S, DURATION_S = 0.5, 1.5


def shortened(file: Path) -> photocol.Result:
    """A second of it, after half a second that is not measured."""
    settings = {"run.duration": f"{DURATION_S} s", "run.warm_up": f"{WARM_UP_S} s", "run.runs": 1}
    events = tomllib.loads(file.read_text()).get("event", [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Events and starts behind the end.
        return photocol.run(file, set=settings) if not events else photocol.run(file, set={"run.runs": 1})


def payload_share(file: Path) -> float:
    """The most of a packet that can be payload; all of a datagram counts."""
    known = photocol.check(file).to_dict()
    used = [known["transport"].get(traffic["transport"], {}) for traffic in known.get("traffic", [])]
    shares = [one["mss"] / (one["mss"] + one["header"]) if "mss" in one else 1.0 for one in used]
    return max(shares, default=1.0)


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_goodput_is_within_the_payload_that_links_carried_to_hosts(file: Path) -> None:
    result = shortened(file)
    receivers = result.flows["destination"].unique().to_list()
    links = result.links.filter((result.links["class"] != "control") & result.links["to"].is_in(receivers))
    # What a link began to carry before the measured time may arrive within it: a packet, or a burst.
    most = payload_share(file) * (links["carried_bits"].sum() + 8 * 15_000 * len(links))
    assert result.summary.get("goodput", 0.0) * result.summary["measured_time"] <= most
