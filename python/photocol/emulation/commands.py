"""Commands at real hosts, as users write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.errors import InputError, did_you_mean
from photocol.quantity import factor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GAP_S = 0.2
"""A command without a time of its own starts so long after the one before it: servers come first and are there."""
_PLACE = re.compile(
    r"\s*(?P<host>[^:@\s]+)\s*(@\s*(?P<at>[\d.]+)\s*(?P<unit>[a-z]+)\s*)?:\s*(?P<words>\S.*)", re.DOTALL
)
_ADDRESS = re.compile(r"\{(?P<host>[^{}\s]+?)(?P<v6>\.v6)?\}")


@dataclass(frozen=True)
class Command:
    """A command of the shell at a host: `r0: iperf3 -s -1`, or `l0 @ 2 s: ping -c 3 {r0}`.

    `{r0}` stands for the address of the host r0, `{r0.v6}` for that in IPv6.
    """

    host: str
    words: str
    at_s: float | None = None
    """Seconds of the clock from the start on; without them it follows the command before it."""

    @classmethod
    def parse(cls, text: str, hosts: Sequence[str]) -> Command:
        """The command of a text. Raises InputError if it names no host that is there."""
        found = _PLACE.fullmatch(text)
        if found is None:
            raise InputError(f"--run {text!r}: allowed: 'HOST: COMMAND' or 'HOST @ TIME: COMMAND'")
        host, at = found["host"], found["at"]
        if host not in hosts:
            said = f"--run {text!r}: {host!r} is no real host; {did_you_mean(host, hosts)}"
            raise InputError(f"{said}allowed: {', '.join(hosts)}")
        return cls(host, found["words"], None if at is None else _seconds(text, at, found["unit"]))

    def addressed(self, addresses: Mapping[str, tuple[str, str]]) -> str:
        """The words with the addresses of the hosts that they name; other braces stay."""

        def address(found: re.Match[str]) -> str:
            known = addresses.get(found["host"])
            return found[0] if known is None else known[found["v6"] is not None]

        return _ADDRESS.sub(address, self.words)


def _seconds(text: str, number: str, unit: str) -> float:
    """A time with its unit."""
    try:
        return float(number) * factor(unit, "s")
    except (ValueError, InputError) as error:
        raise InputError(f"--run {text!r}: found {number} {unit!r}; allowed: a time such as '2 s'") from error


def starts(commands: Sequence[Command]) -> list[float]:
    """When each begins, in seconds of the clock."""
    times: list[float] = []
    for command in commands:
        after = times[-1] + GAP_S if times else 0.0
        times.append(after if command.at_s is None else command.at_s)
    return times
