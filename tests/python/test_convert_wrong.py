"""`photocol convert`: what is wrong in a file is told with its line and what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from photocol import InputError, convert

if TYPE_CHECKING:
    from pathlib import Path

NETWORKS = {
    "n.graphml": (
        '<!DOCTYPE a [<!ENTITY b "c">]><graphml/>',
        r"^\S+n\.graphml:1: found a document type .*; allowed: XML",
    ),
    "a.graphml": ("<graphml>\n<graph>\n<node/></graph></graphml>", r'a\.graphml:3: the attribute "id" is missing'),
    "b.graphml": ("<graphml>\n<graph></graphml>", r"b\.graphml:2: not XML: mismatched tag"),
    "deep.graphml": ("<graphml>" + "<a>" * 100, r"deep\.graphml:1: too many elements within elements; allowed: 64"),
    "deep.gml": ("graph [ " + "a [ " * 100, r"deep\.gml:1: too many lists within lists; allowed: 32"),
    "cut.gml": ('graph [\n node [ id 0\n label "x', r"cut\.gml:3: the file ends inside the quotes"),
    "end.gml": ("graph [\n node [\n id 0", r"end\.gml:2: the file ends inside this node: it is cut off"),
    "edge.gml": ("graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]", r'edge\.gml:2: target: there is no node "2"'),
    "rate.gml": (
        'graph [ node [ id 1 ] node [ id 2 ]\n edge [ source 1 target 2 capacity "fast" ] ]',
        r'rate\.gml:2: capacity: found "fast"; allowed: 8 bps to 1000 Tbps, as a number of bps or with a unit',
    ),
    "cut.graph": ("NODES 2\nlabel x y\nA 1 1\n", r"cut\.graph:1: NODES says 2, the file has 1: it is cut off"),
    "few.graph": ("NODES 1\nlabel x y\nA 1\n", r"few\.graph:3: found 2 columns; allowed: 3"),
    "x.demands": ("DEMANDS many\n", r'x\.demands:1: DEMANDS: found "many"; allowed: a whole number from 0 to 1000000'),
    "s.txt": ("?SNDlib native format\nNODES (\n A ( 1\n)\n", r's\.txt:3: found "A \( 1"; allowed: NAME \( longitude'),
    "t.csv": ("from,to\na\n", r't\.csv:2: the column "target" is missing or empty'),
    "u.csv": ("from,to\na,b,c\n", r"u\.csv:2: found 3 columns; allowed: 2, as in the titles"),
    "v.csv": ("from,to,delay_ms\na,b,1e9\n", r'v\.csv:2: delay: found "1e9"; allowed: 0 s to 3600 s'),
    "what.bin": (
        "Lorem ipsum",
        r"what\.bin:1: found \"Lorem ipsum\", which begins as no known format; allowed: graphml",
    ),
    "h.txt": ("3 1 1\n0 1\n0 1 1Gbps 1us 0\n", r"h\.txt:2: found 2 switches; allowed: 1, as the first line says"),
    "i.txt": ("3 1 2\n0\n0 1 1Gbps 1us 0\n", r"i\.txt:3: link 2 of 2: found \"\"; allowed: from to rate delay error"),
    "empty.csv": ("from,to\n", r"empty\.csv:1: nothing was found in it; allowed: a node, link, flow"),
    "lone.gml": ("graph [ node [ id 1 ] ]", r"no file has links or traffic; allowed: a network"),
    "one.csv": ("from,to\na,a\n", r"no file has two nodes with a way there and back"),
}
TRAFFIC = {
    "a.htsim": ("0 1 5\n", r"a\.htsim:1: found 3 columns; allowed: source destination bytes start"),
    "b.htsim": ("0 1 5 1\n0 -1 5 1\n", r'b\.htsim:2: to: found "-1"; allowed: a whole number from 0 to 4294967295'),
    "c.htsim": ("0 1 5 1e30\n", r'c\.htsim:1: start: found "1e30"; allowed: 0 s to 213 days'),
    "d.cm": ("Nodes 2\nConnections 1\n0->2 start 0 size 1\n", r'd\.cm:3: node: found "2"; allowed: .* 0 to 1'),
    "e.cm": ("Nodes 2\nConnections 2\n0->1 start 0 size 1\n", r"e\.cm:1: Connections says 2, the file has 1"),
    "f.cm": ("Nodes 2\nConnections 1\n0->1 begin 0\n", r'f\.cm:3: found "begin"; allowed: id, start, size'),
    "g.cm": ("Nodes 2\nConnections 1\n0->1 size 5\n", r"g\.cm:3: the start is missing"),
    "h.csv": ("from,to,size,start\na,b,1.5,0\n", r'h\.csv:2: size: found "1\.5"; allowed: a whole number from 0'),
    "i.cdf": ("1 0\n2 0.5\n3 0.4\n", r'i\.cdf:3: found "3 0.4" after less; allowed: sizes and shares that do not fall'),
    "j.cdf": ("1 0\n2 0.5\n", r"j\.cdf:2: the last share is 0\.5; allowed: 1, or 100 for per cent"),
    "x.cdf": ("1 0\n-2 0.5\n", r'x\.cdf:2: size: found "-2"; allowed: a number from 0'),
    "k.cdf": ("1 2 3 4\n", r"k\.cdf:1: found 4 columns; allowed: size and share, or size, 1 and share"),
    "l.cdf": ("# nothing\n", r"l\.cdf:1: there are no points; allowed: a size and a share in each line"),
}
WRONG = NETWORKS | TRAFFIC


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_line_and_what_is_allowed(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        convert(tmp_path / name)
