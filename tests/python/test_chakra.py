"""Chakra execution traces: written by hand and by the package, run with times by arithmetic, and refused with the node.

The wire format of protobuf: a key is 8 x number + 0 for a varint, + 2 for bytes with their length before them. Numbers
of fields and types are those of et_def.proto.
"""

from __future__ import annotations

import gzip
import importlib
import io
import sys
from typing import TYPE_CHECKING, Any

import pytest

import photocol
from photocol import InputError, ScenarioError
from photocol.conversions import chakra_messages, parts
from photocol.conversions.source import FileError

if TYPE_CHECKING:
    from pathlib import Path

    from photocol.conversions.graphs import Graph

METADATA, LOAD, COMPUTATION, SEND, RECEIVE, COLLECTIVE = 1, 2, 4, 5, 6, 7
PACKET_S, DELAY_S = 1e-4, 1e-3
"""1250 bytes, of which 1200 are payload, on 100 Mb/s; a link of the star."""


def varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def number(field: int, value: int) -> bytes:
    return varint(8 * field) + varint(value % 2**64)


def content(field: int, value: bytes) -> bytes:
    return varint(8 * field + 2) + varint(len(value)) + value


def attribute(name: str, value: Any) -> bytes:
    """As a string, a list of yes and no, yes or no, or an int64."""
    if isinstance(value, str):
        written = content(29, value.encode())
    elif isinstance(value, list):
        written = content(28, content(1, bytes(value)))
    else:
        written = number(27, value) if isinstance(value, bool) else number(9, value)
    return content(10, content(1, name.encode()) + written)


def node(id: int, type: int, data: tuple[int, ...] = (), us: int = 0, **attributes: Any) -> bytes:  # noqa: A002
    """A node behind its length; data dependencies are packed, as proto3 writes them."""
    waits = content(5, b"".join(map(varint, data))) if data else b""
    named = content(2, f"node {id}".encode()) + number(3, type) + waits + number(7, us)
    message = number(1, id) + named + b"".join(attribute(*one) for one in attributes.items())
    return varint(len(message)) + message


HEAD = varint(7) + content(1, b"0.0.4")
"""The metadata: its version."""


def write(folder: Path, *ranks: list[bytes], index: str = "") -> Path:
    """Traces and their index."""
    for rank, nodes in enumerate(ranks):
        (folder / f"step.{rank}.et").write_bytes(HEAD + b"".join(nodes))
    file = folder / "step.toml"
    file.write_text('traces = "step.*.et"\n' + index)
    return file


def star(file: Path, leaves: int = 4) -> dict[str, Any]:
    way = {"algorithm": "quic-newreno", "packet_size": "1250 B", "header": "50 B", "ack_size": "1 B"}
    return {
        "run": {"duration": "10 s"},
        "topology": {"kind": "star", "leaves": leaves},
        "link_defaults": {"capacity": "100 Mbps", "delay": "1 ms", "buffer": "unlimited"},
        "transport": {"it": {**way, "paced": False, "initial_window": 1000}},
        "traffic": [{"transport": "it", "work": {"file": str(file)}}],
    }


def times(file: Path) -> dict[str, tuple[float, float]]:
    tasks = photocol.run(star(file)).probes["tasks"]
    return {name: (start, end) for name, start, end in tasks.select("name", "start_s", "end_s").iter_rows()}


def lasts(packets: int) -> float:
    """A transfer alone: its packets on a link, one more on the second link, two delays."""
    return (packets + 1) * PACKET_S + 2 * DELAY_S


def message(size: int, source: int = 0, to: int = 1, tag: int = 3) -> dict[str, int]:
    return {"comm_src": source, "comm_dst": to, "comm_size": size, "comm_tag": tag}


def test_traces_written_by_hand_are_run_as_they_are_meant(tmp_path: Path) -> None:
    first = [
        node(1, METADATA),
        node(2, COMPUTATION, (1,), us=4000, is_cpu_op=False),
        node(3, COMPUTATION, (1,), us=1000, is_cpu_op=True),
        node(4, SEND, (2,), **message(12_000)),
        node(5, COMPUTATION, (2,), us=2000),
    ]
    second = [
        node(7, RECEIVE, **message(12_000)),
        node(8, COMPUTATION, (7,), us=500),
        node(9, LOAD, (7,), us=700),
    ]
    found = times(write(tmp_path, first, second))
    close = {"rel": 1e-3}
    assert found["r0.n2"] == pytest.approx((0, 4e-3), **close)
    # On a processor of its own, beside the other one.
    assert found["r0.n3"] == pytest.approx((0, 1e-3), **close)
    assert found["r0.n5"] == pytest.approx((4e-3, 6e-3), **close)
    arrived = 4e-3 + lasts(10)
    assert found["r0.n4"] == pytest.approx((4e-3, arrived), **close)
    assert found["r1.n8"] == pytest.approx((arrived, arrived + 5e-4), **close)
    assert found["r1.n9"] == pytest.approx((arrived, arrived + 7e-4), **close)


@pytest.mark.parametrize(
    ("kind", "size", "steps", "packets"),
    [(0, 48_000, 6, 10), (7, 48_000, 3, 10), (2, 12_000, 3, 10), (6, 48_000, 1, 30), (9, 1, 1, 3 / 1250)],
)
def test_a_collective_takes_its_closed_form(kind: int, size: int, steps: int, packets: int, tmp_path: Path) -> None:
    """Rings of four: all-reduce, reduce-scatter, all-gather of parts; all-to-all sends three parts on one link."""
    ranks = [
        [node(1, COMPUTATION, us=100 * rank), node(2, COLLECTIVE, (1,), comm_type=kind, comm_size=size, pg_name="")]
        for rank in range(4)
    ]
    found = times(write(tmp_path, *ranks))
    # The last rank is ready after 300 us; a byte is a packet of 51.
    last = PACKET_S if packets >= 1 else 51 * 8e-8
    once = packets * PACKET_S + last + 2 * DELAY_S if packets >= 1 else 4 * last + 2 * DELAY_S
    end = max(found[f"r{rank}.n2"][1] for rank in range(4))
    assert end == pytest.approx(3e-4 + steps * once, rel=0.02)
    assert min(found[f"r{rank}.n2"][1] for rank in range(4)) > 3e-4 + DELAY_S


def graph(file: Path) -> Graph:
    return parts.graph(str(file))


def sent(found: Graph) -> int:
    return sum(task.size or 0 for task in found.tasks)


def test_the_size_of_an_all_gather_is_a_part_or_the_whole(tmp_path: Path) -> None:
    ranks = [[node(2, COLLECTIVE, comm_type=2, comm_size=900)] for _ in range(3)]
    # Three ranks send two parts each.
    assert sent(graph(write(tmp_path, *ranks))) == 3 * 2 * 900
    assert sent(graph(write(tmp_path, *ranks, index='all_gather_size = "whole"'))) == 3 * 2 * 300


def test_groups_have_their_own_collectives(tmp_path: Path) -> None:
    calls = [
        node(1, COLLECTIVE, comm_type=0, comm_size=600, pg_name="a"),
        node(2, COLLECTIVE, comm_type=0, comm_size=90),
    ]
    others = [node(1, COLLECTIVE, comm_type=0, comm_size=600, pg_name="b"), calls[1]]
    file = write(tmp_path, calls, calls, others, others, index="[groups]\na = [0, 1]\nb = [2, 3]\n")
    found = graph(file)
    pairs = {(task.rank, task.peer) for task in found.tasks if task.kind == "transfer" and (task.size or 0) == 300}
    assert pairs == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert sent(found) == 2 * 2 * 600 + 2 * 3 * 90


def test_control_dependencies_are_waited_for_if_they_are_asked_for(tmp_path: Path) -> None:
    waiting = number(1, 2) + number(3, COMPUTATION) + content(4, varint(1)) + number(7, 5)
    ranks = [[node(1, COMPUTATION, us=3), varint(len(waiting)) + waiting], [node(1, METADATA)]]
    plain, ordered = (graph(write(tmp_path, *ranks, index=more)) for more in ("", 'dependencies = "all"'))
    by_name = {task.name: task.after for task in plain.tasks}
    assert by_name["r0.n2"] == []
    assert plain.warnings == ["control dependencies that nothing waits for, as in Chakra's feeder: 1"]
    assert ({task.name: task.after for task in ordered.tasks}["r0.n2"], ordered.warnings) == (["r0.n1"], [])


def test_operations_take_a_rate(tmp_path: Path) -> None:
    ranks = [[node(1, COMPUTATION, num_ops=5_000_000)], [node(1, COMPUTATION, us=7, num_ops=5_000_000)]]
    found = graph(write(tmp_path, *ranks, index="flops_per_second = 1e9"))
    assert [task.time_ps for task in found.tasks] == [5 * 10**9, 7 * 10**6]


def test_the_messages_of_the_package_are_those_written_by_hand(tmp_path: Path) -> None:
    classes = chakra_messages.message_classes()
    proto = importlib.import_module("google.protobuf.proto")
    made = classes["Node"](id=2**40, name=f"node {2**40}", type=COLLECTIVE, data_deps=[1, 300], duration_micros=9)
    made.attr.add(name="comm_size", int64_val=-5)
    made.attr.add(name="pg_name", string_val="all")
    made.attr.add(name="is_cpu_op", bool_val=True)
    made.attr.add(name="involved_dim").bool_list.values.extend([True, False])
    out = io.BytesIO()
    proto.serialize_length_prefixed(classes["Metadata"](version="0.0.4"), out)
    proto.serialize_length_prefixed(made, out)
    more = {"comm_size": -5, "pg_name": "all", "is_cpu_op": True, "involved_dim": [True, False]}
    assert out.getvalue() == HEAD + node(2**40, COLLECTIVE, (1, 300), us=9, **more)
    file = tmp_path / "one.et"
    file.write_bytes(out.getvalue())
    (read,) = chakra_messages.read_nodes(parts._source(str(file)))
    assert (read.id, read.type, read.data_deps, read.duration_us) == (2**40, COLLECTIVE, [1, 300], 9)
    assert (read.numbers, read.texts) == ({"comm_size": -5, "is_cpu_op": 1}, {"pg_name": "all"})
    assert read.lists == {"involved_dim": [True, False]}


@pytest.mark.parametrize("kind", ["int32", "uint32", "uint64", "sint32", "sint64"])
def test_a_number_may_be_of_any_kind(kind: str, tmp_path: Path) -> None:
    classes = chakra_messages.message_classes()
    made = classes["Node"](id=1, type=COLLECTIVE)
    for name, value in (("comm_type", 0), ("comm_size", 64)):
        made.attr.add(name=name, **{f"{kind}_val": value})
    written = made.SerializeToString()
    ranks = [[varint(len(written)) + written]] * 2
    assert sent(graph(write(tmp_path, *ranks))) == 2 * 64


def test_traces_may_be_compressed_and_end_with_a_length_of_0(tmp_path: Path) -> None:
    file = write(tmp_path, [node(1, COMPUTATION, us=3)], [node(1, METADATA)])
    plain = graph(file).text
    for rank in range(2):
        trace = tmp_path / f"step.{rank}.et"
        trace.write_bytes(gzip.compress(trace.read_bytes() + b"\0 what is behind it"))
    assert graph(file).text == plain


GOOD = ([node(4, SEND, **message(12_000))], [node(7, RECEIVE, **message(12_000))])
CALL = {"comm_type": 0, "comm_size": 8}


@pytest.mark.parametrize(
    ("first", "second", "index", "told"),
    [
        ([node(4, 8)], [], "", "step.0.et: its node 1, from 1, node 4, has the type 8; allowed: 1 metadata, 2 load"),
        ([node(4, 0)], [], "", "node 4, has the type 0"),
        ([node(4, COMPUTATION, (9,))], [], "", "step.0.et: node 4: waits for node 9, which is not there"),
        ([node(4, METADATA), node(4, METADATA)], [], "", "step.0.et: node 4: is there twice; allowed: each id once"),
        ([node(4, COMPUTATION, (4,))], [], "", "tasks wait for one another: r0.n4 waits for r0.n4"),
        (
            [node(4, COMPUTATION, us=2**63)],
            [],
            "",
            "node 4: duration_micros: found 9223372036854775808; allowed: up to",
        ),
        (
            [node(4, COMPUTATION, num_ops=3)],
            [],
            "",
            "node 4: has 3 num_ops and no duration; allowed with flops_per_second",
        ),
        ([node(4, SEND, comm_dst=1)], [], "", "node 4: comm_size: found nothing; allowed: a whole number from 0 to"),
        ([node(4, SEND, comm_dst=1, comm_size=-1)], [], "", "node 4: comm_size: found -1; allowed"),
        ([node(4, SEND, comm_dst=1, comm_size=2**61)], [], "", "node 4: comm_size: found 2305843009213693952; allowed"),
        ([node(4, SEND, comm_size=1)], [], "", "node 4: comm_dst: found nothing"),
        (
            [node(4, SEND, **message(5, source=1))],
            [],
            "",
            "node 4: comm_src: found 1; allowed: 0, the rank of the trace",
        ),
        ([node(4, RECEIVE, **message(5, to=1))], [], "", "node 4: comm_dst: found 1; allowed: 0"),
        (GOOD[0], [], "", "step.0.et: node 4: from rank 0 to 1 with tag 3 there are 1 messages more"),
        ([], GOOD[1], "", "step.1.et: node 7: from rank 0 to 1 with tag 3 there are 1 receives more"),
        ([node(4, SEND, **message(5, to=2))], [], "", "node 4: from rank 0 to 2 with tag 3 there are 1 messages more"),
        ([node(4, COLLECTIVE, comm_type=5)], [], "", "node 4: comm_type: found 5; allowed: 0 all-reduce, 2 all-gather"),
        ([node(4, COLLECTIVE, comm_type=0)], [], "", "node 4: comm_size: found nothing"),
        ([node(4, COLLECTIVE, comm_type=0, comm_size=0)], [], "", "node 4: comm_size: found 0; allowed: at least 1"),
        ([node(4, COLLECTIVE, **CALL)], [], "", "step.0.et: node 4: step.1.et has no such collective of all ranks"),
        (
            [node(4, COLLECTIVE, **CALL)],
            [node(5, COLLECTIVE, comm_type=0, comm_size=9)],
            "",
            "step.1.et: node 5: is all-reduce of 9 B; in step.0.et, node 4, it is all-reduce of 8 B",
        ),
        ([node(4, COLLECTIVE, pg_name="x", **CALL)], [], "", 'node 4: pg_name: found "x"; allowed: those of [groups]'),
        (
            [node(4, COLLECTIVE, involved_dim=[True, False], **CALL)],
            [],
            "",
            "node 4: involved_dim leaves a dimension out",
        ),
        (
            [node(4, COLLECTIVE, pg_name="x", **CALL)],
            [],
            "[groups]\nx = [1]",
            'step.0.et: node 4: is a collective of the group "x", without this rank',
        ),
        (
            [node(4, COLLECTIVE, pg_name="x", **CALL)],
            [],
            "[groups]\nx = [0, 2]",
            'the group "x" has [0, 2]; allowed: ranks',
        ),
        ([], [], "[groups]\nx = 3", "groups.x: found 3; allowed: a list of ranks"),
        ([], [], "groups = 3", "groups: found 3; allowed: a table of lists of ranks"),
        ([], [], 'all_gather_size = "parts"', "all_gather_size: found"),
        ([], [], "flops_per_secon = 3", "flops_per_secon: is no key here; did you mean 'flops_per_second'?"),
    ],
)
def test_what_is_wrong_is_said_with_its_trace_and_node(
    first: list[bytes], second: list[bytes], index: str, told: str, tmp_path: Path
) -> None:
    file = write(tmp_path, first, second, index=index)
    with pytest.raises(ScenarioError) as error:
        photocol.check(star(file))
    assert told in str(error.value)


def test_all_ranks_have_to_be_there(tmp_path: Path) -> None:
    file = write(tmp_path, *[[node(1, METADATA)]] * 3)
    (tmp_path / "step.1.et").rename(tmp_path / "step.7.et")
    with pytest.raises(InputError, match=r"traces: there is no step\.1\.et; allowed: all ranks from 0 to 2"):
        graph(file)
    file.write_text('traces = "other.*.et"')
    with pytest.raises(InputError, match=r"names 0 files; allowed: 2 to 4096, one a rank"):
        graph(file)
    for wrong in ("step.et", "*.*.et", "*/step.0.et"):
        file.write_text(f'traces = "{wrong}"')
        with pytest.raises(InputError, match="allowed: a file name with one"):
            graph(file)
    file.write_text('traces = "away/step.*.et"')
    with pytest.raises(InputError, match=r"traces: .*No such file"):
        graph(file)


def test_a_trace_that_ends_anywhere_is_refused_or_shorter(tmp_path: Path) -> None:
    """A cut between two nodes leaves a message without its receive; any other cut is seen in the trace itself."""
    nodes = [node(3, COMPUTATION, us=5), node(4, SEND, (3,), **message(12_000)), node(5, METADATA, (4,))]
    file = write(tmp_path, nodes, GOOD[1])
    whole = (tmp_path / "step.0.et").read_bytes()
    assert len(graph(file).tasks) == 4
    ends = [len(HEAD) + sum(map(len, nodes[:count])) for count in range(4)]
    for cut in range(len(whole)):
        (tmp_path / "step.0.et").write_bytes(whole[:cut])
        if cut == ends[2]:
            assert len(graph(file).tasks) == 3
            continue
        with pytest.raises(FileError) as error:
            graph(file)
        told = "1 receives more" if cut in ends else "is empty" if cut == 0 else "cannot be read"
        assert told in str(error.value), cut
        assert "step.1.et: node 7" in str(error.value) if cut in ends else "step.0.et" in str(error.value)


def test_bytes_that_are_changed_are_no_more_than_wrong(tmp_path: Path) -> None:
    nodes = [node(3, COMPUTATION, us=5), node(4, SEND, (3,), **message(12_000)), node(5, METADATA, (4,))]
    file = write(tmp_path, nodes, GOOD[1])
    whole = (tmp_path / "step.0.et").read_bytes()
    refused = 0
    for place in range(len(whole)):
        for bit in (1, 16, 128):
            (tmp_path / "step.0.et").write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            try:
                graph(file)
            except FileError:
                refused += 1
    assert refused > len(whole)


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, *GOOD)
    chakra_messages.message_classes.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf.descriptor_pb2", None)
    with pytest.raises(ScenarioError, match=r"this needs the package protobuf: pip install 'photocol\[chakra\]'"):
        photocol.check(star(file))
    monkeypatch.undo()
    assert len(graph(file).tasks) == 2
