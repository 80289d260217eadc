"""`photocol convert` and broken files: an error that says where, or a valid scenario; never anything else."""

from __future__ import annotations

import functools
import itertools
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import test_convert_circuits as circuits
import test_convert_networks as networks
import test_convert_traffic as traffic
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from photocol import InputError, check, convert
from photocol.conversions import markup
from photocol.conversions.choices import Choices
from photocol.conversions.formats import FORMATS, recognised
from photocol.conversions.found import Link, Node
from photocol.conversions.network import components, great_circle
from photocol.conversions.source import Source, cleaned, plain
from photocol.conversions.writer import length, rate, seconds, time, toml

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL: dict[str, bytes] = {
    "graphml": networks.GRAPHML.encode(),
    "gml": networks.GML.encode(),
    "sndlib-xml": networks.SNDLIB_XML.encode("latin-1"),
    "sndlib-native": networks.SNDLIB_NATIVE.encode(),
    "repetita": networks.REPETITA.encode(),
    "repetita-demands": networks.DEMANDS.encode(),
    "edges": networks.EDGES.encode(),
    "hpcc": traffic.HPCC.encode(),
    "hpcc-network": networks.HPCC.encode(),
    "htsim": traffic.HTSIM.encode(),
    "work": b"num_ranks 2\nrank 0 {\na: send 9b to 1 tag 1\n}\nrank 1 {\nb: recv 9b from 0 tag 1\n}\n",
    "htsim-cm": traffic.MATRIX.encode(),
    "flows": traffic.TABLE.encode(),
    "sizes": traffic.PFABRIC.encode(),
    "contacts": circuits.PLAN.encode(),
    "ion": circuits.ION.encode(),
    "orbcc": b'{"0": 53, "5.118": 60, "10.05": 70}',
    "opera": circuits.OPERA.encode(),
    "demands": b"from,to,demand_mbps\nParis,Lyon,40\nLyon,Paris,0.5\n",
    "matrix": b"Mbps,Paris,Lyon,Milan\nParis,0,40,1e1\nLyon,7,-,2\nMilan,,3,0\n",
    "openoptics": b'{"time_slice_duration_us": 50, "circuits": [[0, 0, 1, 0, 0], [1, 0, 2, 0, 0]]}',
}
PIECES = [
    b"",
    b"\x00",
    b"\xff",
    b"0",
    b"-1",
    b"1e9",
    b"1e999999999",
    b"nan",
    b"\n",
    b'"',
    b"[",
    b"]",
    b"{",
    b"<",
    b">",
    b"(",
    b"->",
]
COUNT = 20


def test_every_format_has_a_small_file_that_is_recognised() -> None:
    assert set(SMALL) == set(FORMATS)
    # The name says nothing here; .htsim is told from other numbers by its ending alone.
    found = {name: recognised(source(text), Choices()) for name, text in SMALL.items() if name != "htsim"}
    assert found == {name: name for name in found}


def source(content: bytes) -> Source:
    return Source("file", content, Path("file"))


@functools.cache
def place() -> Path:
    return Path(tempfile.mkdtemp())


def survives(name: str, content: bytes) -> bool:
    """True if these bytes make a scenario, which is valid then; False if they are refused with place and reason."""
    file = place() / "file"
    file.write_bytes(content)
    try:
        convert(file, to=place() / "made.toml", format=name, force=True)
    except InputError as wrong:
        assert re.match(rf"{re.escape(str(file))}:(\d+:)? |no file has (two nodes|links or traffic)", str(wrong)), wrong
        return False
    assert check(place() / "made.toml").name == "made"
    return True


@pytest.mark.parametrize("name", SMALL)
def test_the_small_files_make_a_scenario(name: str) -> None:
    assert survives(name, SMALL[name])


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=COUNT, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_bytes(name: str, data: st.DataObject) -> None:
    survives(name, data.draw(st.binary(max_size=200)))


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=COUNT, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_with_one_place_changed(name: str, data: st.DataObject) -> None:
    text = SMALL[name]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=5) | st.just(text[start:end] * 2))
    survives(name, text[:start] + piece + text[end:])


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_cut_off_anywhere(name: str) -> None:
    text = SMALL[name]
    for end in range(0, len(text), max(1, len(text) // 20)):
        survives(name, text[:end])


LARGE: dict[str, Callable[[int], bytes]] = {
    "graphml": lambda n: b"<graphml><graph>" + b"<node id='a'/>" * n,
    "gml": lambda n: b"graph [ " + b"node [ id 1 ] " * n,
    "sndlib-xml": lambda n: b"<network><networkStructure><nodes>" + b"<node id='a'/>" * n,
    "repetita": lambda n: b"NODES %d\nlabel x y\n" % n + b"same 0 0\n" * n + b"EDGES 1\n\ne 0 1 1 1000 1\n",
    "repetita-demands": lambda n: b"DEMANDS %d\nlabel src dest bw\n" % n + b"same 0 1 1\n" * n,
    "edges": lambda n: b"from,to\n" + b"".join(b"%d,%d\n" % (i, i + 1) for i in range(n)),
    "openoptics": lambda n: b"[" * n,
    "orbcc": lambda n: b'{"0": ' * n,
    "hpcc": lambda n: b"%d\n" % n + b"0 1 3 100 9 0\n" * n,
    "sizes": lambda n: b"".join(b"%d %d\n" % (i, i) for i in range(n)),
    "contacts": lambda n: b"start,end,from,to\n" + b"".join(b"%d,%d,a,b\n" % (i, i + 1) for i in range(n)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_and_wrong_is_refused_or_read_and_never_runs_away(name: str) -> None:
    survives(name, LARGE[name](20_000))


@given(st.text(max_size=300))
def test_a_name_is_one_that_scenarios_allow(text: str) -> None:
    name = cleaned(text)
    assert len(name.encode()) <= 200
    assert "->" not in name
    assert name == name.strip()
    assert all(letter.isprintable() for letter in name)


@given(st.integers(1, 10**18))
def test_what_is_written_is_exactly_what_was_read(value: int) -> None:
    units = {"Tbps": 10**12, "Gbps": 10**9, "Mbps": 10**6, "kbps": 10**3, "bps": 1}
    units |= {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1, "km": 1000, "m": 1}
    for written in (rate(value), time(value), length(value)):
        number, unit = written.split()
        assert int(number) * units[unit] == value
    assert plain(seconds(value)) * 10**12 == value  # type: ignore[operator]


@given(st.text(max_size=60))
def test_any_text_comes_back_from_toml(text: str) -> None:
    import tomllib

    name = cleaned(text)
    assert tomllib.loads(toml([text], {"run": {"name": name}, "node": [{"name": name}]})) == {
        "run": {"name": name},
        "node": [{"name": name}],
    }


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.booleans()), max_size=20))
def test_parts_are_those_between_which_there_is_a_way_there_and_back(pairs: list[tuple[int, int, bool]]) -> None:
    nodes = [str(number) for number in range(8)]
    links = [Link(source=str(a), target=str(b), two_way=both) for a, b, both in pairs]
    ways = {(link.source, link.target) for link in links} | {(n, n) for n in nodes}
    ways |= {(link.target, link.source) for link in links if link.two_way}
    for via, a, b in itertools.product(nodes, nodes, nodes):
        if (a, via) in ways and (via, b) in ways:
            ways.add((a, b))
    parts = components(nodes, links)
    for a, b in itertools.product(nodes, nodes):
        assert (parts[a] == parts[b]) == ((a, b) in ways and (b, a) in ways)


def test_a_great_circle() -> None:
    # π/2 · 6371 km, the same as the engine has it for its own files.
    assert (
        great_circle(Node(name="a", latitude=90, longitude=0), Node(name="b", latitude=0, longitude=17)) == 10_007_543
    )
    assert great_circle(Node(name="a", latitude=1, longitude=1), Node(name="b")) is None


MANY: dict[str, tuple[bytes, str]] = {
    "graphml": (b"<graphml>" + b"<a/>" * 20_000, "too many elements; allowed: 20000"),
    "edges": (b"a " * 100_000, "found 100000 columns; allowed: 1000"),
    "orbcc": (b'{"0": ' * 100_000, "allowed"),
    "flows": (b"from,to,size,start\n" + b"(" * 1_000_000 + b",b,1,1\n", "a field is too long; allowed: 10000 letters"),
    "contacts": (b"[(" * 1_000_000, "a field is too long; allowed: 10000 letters"),
}


@pytest.mark.parametrize("name", MANY)
def test_a_file_that_would_take_all_memory_or_time_is_refused_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markup, "MOST_ELEMENTS", 20_000)
    text, message = MANY[name]
    file = place() / "many"
    file.write_bytes(text)
    with pytest.raises(InputError, match=message):
        convert(file, format=name)
