"""Load-balanced burst switching, driven by hand: the load meter of an output, and the two paths of an ingress node.

    >>> from photocol.obs import LoadMeter, Path, Paths
    >>> meter = LoadMeter(0.1, counting="clipped")
    >>> meter.offer(0.08, 0.04)                       # 20 ms of it lie in the first interval, 20 ms in the second
    >>> [round(meter.end(), 6) for _ in range(3)]
    [0.2, 0.2, 0.0]
    >>> paths = Paths(Path(0.010), Path(0.060), ordering="drain")
    >>> paths.send(0.100, 0.001, path=1).arrives_s    # on the longer path: its last bit lands at 161 ms
    0.16
    >>> sent = paths.send(0.110, 0.001, path=0)       # on the shorter one it would arrive at 120 ms
    >>> round(sent.hold_s, 6), round(sent.arrives_s, 6)
    (0.041, 0.161)

Times are seconds and never run backwards (ValueError), lengths of bursts seconds too, loads shares of all channels.
What a node does besides is not here: wavelengths that bursts wait for, and bursts that are blocked behind those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, Unpack

from photocol import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LoadMeter", "Path", "Paths", "PathsOptions", "Sent"]


class PathsOptions(TypedDict, total=False):
    """The keys of `[switching.balancing]` that concern an ingress node, with the same defaults; times are seconds."""

    policy: Literal["adaptive", "alternate", "random", "flowlet", "least-loaded"]
    """What the path of a burst depends on that is sent without one. Default "adaptive"."""
    interval: float
    """τ, by which "least-loaded" weighs what has been sent since the news. Default 0.5."""
    threshold: float
    """ρ_max, the load from which a link is congested. Default 0.05."""
    choice: Literal["switch-above", "least-congested"]
    """When `review` changes the path. Default "switch-above"."""
    comparison: Literal["above", "at-least"]
    """When a load exceeds the threshold. Default "above"."""
    path_load: Literal["worst-link", "sum"]
    """What the load of a path is. Default "worst-link"."""
    hysteresis: float
    """The path changes only if its load is higher than the other's by more than this. Default: whatever that is."""
    gap: float
    """The gap after which "flowlet" draws a path. Default 0.001."""
    ordering: Literal["off", "drain", "shift", "always"]
    """Whether bursts are held so that they do not overtake those before them on a longer path. Default "off"."""


class Path(NamedTuple):
    """One of the two paths between two edge nodes."""

    delay_s: float
    """From end to end, in seconds."""
    links: Sequence[int] = ()
    """The numbers of the links that count for its load."""
    offset_s: float = 0.0
    """How far a burst is behind its header when both leave, in seconds."""


class Sent(NamedTuple):
    """What becomes of a burst."""

    path: int
    """Which path it takes: 0 or 1."""
    switched: bool
    """Whether the burst before it took the other one."""
    hold_s: float
    """How long it is held before it leaves, in seconds."""
    arrives_s: float
    """When its first bit arrives, in seconds; the processing of headers does not count."""


class LoadMeter:
    """The offered load of an output over intervals of τ = `interval` seconds, the first from 0 on (paper 004, §1).

    `counting`: a burst counts whole in the τ in which it is offered ("arrival"), or in each τ with what of it lies
    there ("clipped"). `channels` busy for the whole τ are a load of 1; one channel is the formula as it stands.
    """

    def __init__(
        self, interval: float, *, counting: Literal["arrival", "clipped"] = "arrival", channels: int = 1
    ) -> None:
        self._machine = _core.LoadMeter(interval, counting, channels)

    def offer(self, t: float, length: float) -> None:
        """A header announces a burst of `length` seconds whose first bit comes at `t`, no earlier than this τ."""
        self._machine.offer(t, length)

    def end(self) -> float:
        """The τ that runs ends, and the next one begins: return its load."""
        return self._machine.end()

    @property
    def ends_s(self) -> float:
        """When the τ that runs ends, in seconds."""
        return self._machine.ends


class Paths:
    """The two paths of an ingress node, of which the first is taken at first.

    `turn` is what a wavelength of the last link needs between two bursts, in seconds; `seed` is for policies that draw.
    """

    def __init__(
        self, primary: Path, alternate: Path, *, turn: float = 0.0, seed: int = 1, **options: Unpack[PathsOptions]
    ) -> None:
        paths = [(path.delay_s, path.offset_s, list(path.links)) for path in (primary, alternate)]
        self._machine = _core.BurstPaths(paths, turn, seed, **options)

    def send(self, t: float, length: float, *, path: int | None = None) -> Sent:
        """A burst of `length` seconds is complete at `t`; it takes `path`, or the one that the policy says."""
        return Sent(*self._machine.send(t, length, path))

    def leave(self, t: float, length: float, *, path: int) -> None:
        """A burst that was sent, and then waited for a wavelength, leaves at `t`: later ones are held accordingly."""
        self._machine.leave(t, length, path)

    def tell(self, link: int, load: float) -> None:
        """News of the load of a link in the last τ."""
        self._machine.tell(link, load)

    def review(self) -> bool:
        """A τ has ended: return whether policy "adaptive" changes the path."""
        return self._machine.review()
