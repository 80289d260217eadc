"""What rules may not know: a kind of switching, of host, or a property of a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from photocol.runs.replay.replayed import Replayed

NONE: frozenset[object] = frozenset()


@dataclass(frozen=True)
class Trait:
    """A kind of switching, of host, or a property of a link, that a rule may not know."""

    group: Literal["switching", "hosts", "links"]
    name: str
    """As a scenario has it."""
    of: Callable[[Replayed], Collection[object]] = field(repr=False)
    """The places or flows that have it; for a kind of switching anything, if the run has it."""


def of_hosts(name: str, holds: Callable[[Mapping[str, Any]], bool]) -> Trait:
    """That of the flows whose table `[transport.NAME]` is such a one."""

    def of(run: Replayed) -> Collection[object]:
        tables = run.scenario.get("transport", {})
        having = {transport for transport in run.flows["transport"].unique() if holds(_table(tables, transport))}
        return {flow for flow, transport in run.flows.select("flow", "transport").iter_rows() if transport in having}

    return Trait("hosts", name, of)


def of_kind(*algorithms: str) -> Trait:
    """That of the flows of a kind of host, which may have several names."""
    names = ", ".join(f'"{name}"' for name in algorithms)
    return of_hosts(f"algorithm = {names}", lambda table: table["algorithm"] in algorithms)


def _table(tables: Mapping[str, Any], transport: str) -> Mapping[str, Any]:
    known: Mapping[str, Any] = tables.get(transport, {"algorithm": transport})
    return {"algorithm": transport, **known}
