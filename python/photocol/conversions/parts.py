"""A part of a scenario from a file of others, as the engine asks for it: its network, its flows, or their sizes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from photocol.conversions.choices import Choices
from photocol.conversions.flows import read_sizes
from photocol.conversions.formats import FORMATS, recognised
from photocol.conversions.graphs import read_graph
from photocol.conversions.network import listed
from photocol.conversions.source import FileError, Source, read
from photocol.errors import InputError, failure

if TYPE_CHECKING:
    from photocol.conversions.found import Found
    from photocol.conversions.graphs import Graph

NETWORKS = ("graphml", "gml", "sndlib-xml", "sndlib-native", "repetita", "hpcc-network", "edges")
"""Formats of networks whose links stay."""
FLOWS = ("flows", "hpcc", "htsim", "htsim-cm")
_ALIASES = {"xml": "sndlib-xml"}


def network(file: str, format: str | None, capacity_unit: str | None) -> Found:  # noqa: A002
    """The nodes and links of a file. Raises FileError, which knows the line, and InputError."""
    choices = Choices(format=_ALIASES.get(format or "", format), capacity_unit=capacity_unit)
    found = _of_kind(_source(file), choices, NETWORKS, "networks")
    if found.renamed:
        found.warnings.append(
            f"{len(found.renamed)} nodes with the label of another are renamed: {listed(found.renamed)}"
        )
    if found.demands:
        found.warnings.append(f"{len(found.demands)} demands are left out; photocol convert makes traffic of them")
    return found


def flows(file: str) -> Found:
    """The flows of a list. Raises as `network` does."""
    return _of_kind(_source(file), Choices(), FLOWS, "lists of flows")


def graph(file: str) -> Graph:
    """A graph of tasks. Raises as `network` does."""
    return read_graph(_source(file))


def sizes(file: str, size_unit: int | None) -> Found:
    """The points of a distribution of flow sizes, in units of so many bytes. Raises as `network` does."""
    return read_sizes(_source(file), Choices(size_unit=size_unit))


def _of_kind(source: Source, choices: Choices, kinds: tuple[str, ...], what: str) -> Found:
    name = recognised(source, choices, kinds)
    if name not in kinds:
        raise FileError(source.name, 1, f"found {FORMATS[name].what}; allowed: {what}: {', '.join(kinds)}")
    return FORMATS[name].read(source, choices)


def _source(file: str) -> Source:
    try:
        return read(Path(file))
    except FileNotFoundError:
        raise InputError("there is no such file") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {failure(error)}") from None
