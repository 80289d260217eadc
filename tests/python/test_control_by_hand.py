"""Control plane by hand: `photocol.control.Islip`, `Fibre`, `Node` and `Core`, one input at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from photocol import control
from photocol.control import Booking, Core, Fibre, Islip, Network, Node
from photocol.errors import InputError

KEY = b"sixteen bytes or more"
US, MS = 10**6, 10**9


def test_islip_moves_pointers_of_accepted_grants_only() -> None:
    # McKeown 1999, counted from 1: cells from 1 to 1 and 2, from 3 to 2 and 4, from 4 to 4. Outputs 1 and 2 grant
    # input 1, output 4 grants input 3; inputs 1 and 3 accept outputs 1 and 4. The pointer of output 2 stays.
    islip, requests = Islip(), [[1, 4, 0, 0], [0, 0, 0, 0], [0, 2, 0, 4], [0, 0, 0, 5]]
    assert islip.match(requests, iterations=1) == [[0, -1, 3, -1]]
    assert islip.grant_pointers == [1, 0, 0, 3]
    assert islip.accept_pointers == [1, 0, 0, 0]
    assert islip.match(requests) == [[1, -1, -1, 3]]


def test_islip_needs_an_iteration_less_when_pointers_are_apart() -> None:
    # McKeown 1999: with a load of 100 % pointers part, and from then on every slot is full after one iteration.
    islip, full = Islip(), [[9] * 3] * 3
    assert islip.match(full) == [[0, -1, -1], [0, 1, -1], [0, 1, 2]]
    needed = [len(islip.match(full)) for _ in range(6)]
    assert needed[-3:] == [1, 1, 1]
    assert islip.match(full, iterations=0) == []


def test_islips_input_is_checked() -> None:
    with pytest.raises(InputError, match="iterations is -1; allowed: 0 to"):
        Islip().match([[1]], iterations=-1)
    with pytest.raises(InputError):
        Islip().match([[1, 2]])


def test_rules_differ_in_the_voids_that_they_fill() -> None:
    # Wavelength 0 is booked from 4 to 5 ms, wavelength 1 from 2 to 2.5 and 8 to 9 ms. A burst of 1 ms at 3 ms fits the
    # void of 0 that begins at 0 and that of 1 that begins at 2.5: LAUC-VF takes the later. Horizon knows the ends 5 and
    # 9 ms only.
    answers = {}
    for rule in ("horizon", "lauc-vf", "min-ev", "best-fit", "first-fit"):
        fibre = Fibre(2, "10 Gbps", rule=rule, conversion=0)
        fibre.reserve(0.0, at_s=0.004, size=1_250_000, wavelength=0)
        fibre.reserve(0.0, at_s=0.002, size=625_000, wavelength=1)
        fibre.reserve(0.0, at_s=0.008, size=1_250_000, wavelength=1)
        assert fibre.horizons == [0.005, 0.009]
        answer = fibre.reserve(0.0, at_s=0.003, size=1_250_000, wavelength=None)
        answers[rule] = answer if isinstance(answer, str) else answer.wavelength
    assert answers == {"horizon": "contention", "lauc-vf": 1, "min-ev": 0, "best-fit": 0, "first-fit": 0}


def test_a_capacity_that_changes_counts_for_later_bursts() -> None:
    # 1.25 MB last 1 ms at 10 Gb/s and 2 ms at 5: booked from 10 to 11, then from 11 to 13 ms.
    fibre = Fibre(1, "10 Gbps")
    assert fibre.reserve(0.0, at_s=0.010, size=1_250_000) == Booking(0, 0.0, 0.010, 0.001)
    fibre.capacity = "5 Gbps"
    assert fibre.capacity == 5 * 10**9
    assert fibre.horizons == [0.011]
    assert fibre.reserve(0.001, at_s=0.011, size=1_250_000) == Booking(0, 0.0, 0.011, 0.002)
    assert fibre.reserve(0.001, at_s=0.0125, size=1) == "contention"


def test_delay_lines_switching_and_signalling_are_kept() -> None:
    # The switch turns 10 us: a header at 1 ms is too late for a burst at 1.005. Delay lines of 0.4 ms: the third one
    # (1.2 ms) clears 1 ms of burst and the 10 us before the next. With JIT a wavelength is booked from the header on.
    fibre = Fibre(1, "10 Gbps", switching_s=10e-6, line_s=0.4e-3, lines=3)
    assert fibre.reserve(0.001, at_s=0.001_005, size=1_250_000) == "late"
    assert fibre.reserve(0.001, at_s=0.002, size=1_250_000) == Booking(0, 0.0, 0.002, 0.001)
    assert fibre.reserve(0.001, at_s=0.002, size=1_250_000) == Booking(0, 0.0012, 0.0032, 0.001)
    jit = Fibre(1, "10 Gbps", signalling="jit")
    assert jit.reserve(0.0, at_s=0.010, size=1_250_000) != "contention"
    assert jit.reserve(0.001, at_s=0.002, size=1_250_000) == "contention"


def test_a_fibres_input_is_checked() -> None:
    for wrong, match in [
        ({"wavelengths": 0}, "0 wavelengths"),
        ({"wavelengths": 70_000}, "allowed: 0 to 65535"),
        ({"wavelengths": 1, "rule": "lauc"}, "rule 'lauc' is unknown; nearest: lauc-vf; there are: horizon"),
        ({"wavelengths": 1, "guard_s": -1.0}, "guard_s is -1 s"),
        ({"wavelengths": 1, "capacity": 0}, "capacity"),
    ]:
        with pytest.raises(InputError, match=match):
            Fibre(**wrong)  # type: ignore[arg-type]
    fibre = Fibre(1)
    fibre.reserve(1.0, at_s=2.0, size=1)
    with pytest.raises(InputError, match=r"t is 0\.5 s"):
        fibre.reserve(0.5, at_s=2.0, size=1)
    with pytest.raises(InputError, match="0 B"):
        fibre.reserve(1.0, at_s=2.0, size=0)


def network() -> Network:
    return Network(ports={0: 0, 1: 1, 2: 2}, frame_slots=18, signalling_slots=2, slot_ps=250 * US)


def sent(actions: list[control.Action], kind: str) -> list[bytes]:
    return [action.fields["data"] for action in actions if action.kind == kind]


def names(data: bytes) -> list[str]:
    return [name for name, _ in control.decode(data, key=KEY)[1]]


def test_the_core_grants_the_first_claim_of_a_term() -> None:
    # Nodes 0 and 1 know the network; at the first beacon without a master node 0 claims, node 1 waits for one more.
    core = Core(network(), key=KEY, session=5)
    nodes = [Node(number, key=KEY, network=network()) for number in (0, 1)]
    (beacon,) = sent(core.on_timer(0), "message")
    assert names(beacon) == ["beacon"]
    first, second = (node.on_message(0, beacon) for node in nodes)
    assert (len(first), second) == (1, [])
    (late,) = sent(core.on_timer(18 * 250 * US), "message")
    (claim,) = sent(nodes[1].on_message(18 * 250 * US, late), "message")
    verdict, news = sent(core.on_message(18 * 250 * US, first[0].fields["data"]), "message")
    assert (names(verdict), names(news)) == (["verdict"], ["beacon"])
    assert core.master == (0, 6)
    for node in nodes:
        node.on_message(19 * 250 * US, news)
    assert [node.part for node in nodes] == ["master", "listening"]
    (refused,) = sent(core.on_message(19 * 250 * US, claim), "message")
    assert control.decode(refused, key=KEY)[1][0][1]["kind"] == "Occupied"
    assert core.counts["claim-refused"] == 1
    assert nodes[0].counts == {"claimed": 1, "elected": 1}


def test_a_node_answers_an_invitation_after_the_time_it_says() -> None:
    # Block 1 of the protocol: the answer leaves `answer_after` later. Without beacons nothing is known of the drift.
    node = Node(2, key=KEY, session=3)
    assert (node.part, node.next_timeout, node.led_by) == ("listening", None, (None, 0))
    header = {
        "class": "Signalling", "source": 0, "destination": 2, "frame": 4, "slot": 1, "piece": 0, "stamp": "Exact",
        "reserved": 0, "session": 9, "peer_session": 0, "sequence": 1, "sent_at": 0,
    }  # fmt: skip
    invitation = ("invitation", {"node": 2, "term": 6, "frame": 8, "answer_after": 20 * MS})
    invited = control.encode(header, [invitation], key=KEY)
    assert node.on_light(7 * MS, invited[:-1]) == []
    (answer,) = node.on_light(8 * MS, invited, stamp_ps=7 * MS)
    assert (answer.kind, answer.fields["at_ps"]) == ("light", 27 * MS)
    assert control.decode(answer.fields["data"], key=KEY)[1] == [
        ("answer", {"node": 2, "term": 6, "frame": 8, "heard_at": 7 * MS})
    ]
    assert node.part == "answered"
    assert node.on_light(9 * MS, invited) == [], "a replay"
    assert node.counts["replayed"] == 1


def test_a_term_ends_when_its_master_is_silent() -> None:
    core, node = Core(network(), key=KEY), Node(0, key=KEY, network=network())
    (beacon,) = sent(core.on_timer(0), "message")
    (claim,) = sent(node.on_message(0, beacon), "message")
    core.on_message(0, claim)
    assert core.master == (0, 2)
    # Three frames of 4.5 ms before its first plan: the fourth after the claim's is one too many.
    for frame in range(1, 4):
        core.on_timer(frame * 18 * 250 * US)
        assert core.master == (0, 2), frame
    core.on_timer(4 * 18 * 250 * US)
    assert core.master == (None, 2)
    assert core.next_timeout == 5 * 18 * 250 * US


def test_payload_waits_until_it_is_granted_and_a_machines_clock_does_not_run_backwards() -> None:
    node = Node(0, key=KEY, network=network())
    assert node.enqueue(1, [("management", {"topic": 1, "bytes": b"light"})])
    assert (node.waiting(1), node.waiting(2)) == (1, 0)
    assert node.on_timer(5) == []
    with pytest.raises(InputError, match="now_ps is 4; allowed: 5"):
        node.on_timer(4)
    with pytest.raises(InputError, match="a time is -1"):
        node.on_timer(-1)
    with pytest.raises(InputError, match="scheduler 'quick' is unknown"):
        Node(0, key=KEY, scheduler="quick")
    with pytest.raises(InputError, match="guard time"):
        Core(Network(ports={0: 0, 1: 1}, frame_slots=9, signalling_slots=1, slot_ps=20 * US), key=KEY)
    core = Core(network(), key=KEY)
    with pytest.raises(InputError, match="frames are due"):
        core.on_timer(2**63)


@pytest.mark.parametrize("page", ["frame-schedules", "control-plane"])
def test_what_the_guide_shows_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "guide" / f"{page}.md").read_text()
    by_hand = text[text.index("## By hand") :]
    code = "\n".join(block.split("```")[0] for block in by_hand.split("```python\n")[1:])
    exec(compile(code, page, "exec"), {})
    said = capsys.readouterr().out
    assert ("[[0, -1], [0, 1]]\n[1, 0]\n[[1, 0]]" in said) == (page == "frame-schedules")
    assert ("at_s=0.008, length_s=0.002" in said) == (page == "frame-schedules")
    assert ("(0, 2) master" in said) == (page == "control-plane")
