"""Frame schedules of a bufferless switch: which input sends to which output in every slot; clocks and slots as bytes.

    >>> from photocol.control import schedule
    >>> plan = schedule([[0, 4, 1], [2, 0, 0], [0, 3, 0]], frame=8, algorithm="bvn")
    >>> plan.length, plan.served, plan.requested      # a column of 4 + 3 slots takes 7; all 10 slots are served
    (7, 10, 10)
    >>> plan.connections(0)                           # slot 0: the output of each input, -1 for none
    [-1, -1, 1]

Row i, column j of a request matrix is how many slots input i wants to output j. Where a row or a column asks for more
than the frame has, its slots are shared max-min. `photocol list schedulers` names the algorithms.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from photocol import _core, files
from photocol.errors import InputError
from photocol.transport._reservation import Booking, Fibre
from photocol.transport._signalling import Action, Core, Network, Node
from photocol.transport.circuits import (
    CircuitSchedule,
    Coverage,
    Hold,
    circuit_schedule,
    read_circuits,
    read_demand,
    scaled_demand,
)
from photocol.transport.clock import ClockFilter, Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Action",
    "Booking",
    "CircuitSchedule",
    "ClockFilter",
    "Core",
    "Coverage",
    "Demand",
    "Estimate",
    "Fibre",
    "Hold",
    "Islip",
    "Network",
    "Node",
    "Schedule",
    "Scheduler",
    "circuit_schedule",
    "decode",
    "encode",
    "frame_rate",
    "read_circuits",
    "read_demand",
    "read_requests",
    "scaled_demand",
    "schedule",
    "share",
]

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file of requests."""
_LARGEST_REQUEST = 2**32 - 1


class Schedule:
    """A schedule of one frame. It consists of blocks: connections that hold for some slots in a row."""

    def __init__(self, raw: _core.FrameSchedule, algorithm: str) -> None:
        self._raw = raw
        self.algorithm = algorithm

    @property
    def nodes(self) -> int:
        """Inputs, which are as many as outputs."""
        return self._raw.nodes

    @property
    def frame(self) -> int:
        """Slots of the frame."""
        return self._raw.frame

    @property
    def length(self) -> int:
        """Slots until the last one in which somebody sends."""
        return self._raw.length

    @property
    def requested(self) -> int:
        """The sum of the requests, in slots."""
        return self._raw.requested

    @property
    def served(self) -> int:
        """Requested slots that are granted."""
        return self._raw.served

    @property
    def served_share(self) -> float:
        """`served` over `requested`; 1 if nothing was requested."""
        return self.served / self.requested if self.requested else 1.0

    @property
    def longest_line(self) -> int:
        """The largest sum of a row or column of the requests: no schedule of all of them is shorter (König)."""
        return self._raw.longest_line

    @property
    def starts(self) -> NDArray[np.uint32]:
        """The first slot of each block."""
        return self._raw.starts

    @property
    def slots(self) -> NDArray[np.uint32]:
        """The slots of each block."""
        return self._raw.slots

    @property
    def outputs(self) -> NDArray[np.int32]:
        """The output of each input (columns) in each block (rows), -1 for none."""
        return self._raw.outputs

    @property
    def granted(self) -> NDArray[np.uint32]:
        """The slots in which each input is connected to each output."""
        return self._raw.granted

    def connections(self, slot: int) -> list[int]:
        """Return the output of each input in `slot`, -1 for none."""
        if not 0 <= slot < self.frame:
            raise InputError(f"slot {slot}; allowed: 0 to {self.frame - 1}")
        if slot >= self.length:
            return [-1] * self.nodes
        block = int(np.searchsorted(self.starts, slot, side="right")) - 1
        return [int(output) for output in self.outputs[block]]

    def to_dict(self) -> dict[str, Any]:
        """The schedule as numbers, lists and text."""
        blocks = zip(self.starts.tolist(), self.slots.tolist(), self.outputs.tolist(), strict=True)
        return {
            "algorithm": self.algorithm,
            "nodes": self.nodes,
            "frame_slots": self.frame,
            "length_slots": self.length,
            "longest_line_slots": self.longest_line,
            "requested_slots": self.requested,
            "served_slots": self.served,
            "blocks": [{"start": start, "slots": slots, "outputs": outputs} for start, slots, outputs in blocks],
        }

    def to_text(self, blocks: int = 20) -> str:
        """The summary and the first `blocks` blocks, one a line."""
        rows = zip(self.starts.tolist(), self.slots.tolist(), self.outputs[:blocks].tolist(), strict=False)
        lines = [
            f"{self.algorithm}: {self.nodes} nodes; {self.length} of {self.frame} slots are used, "
            f"{self.served} of {self.requested} requested slots served ({self.served_share:.1%})",
            "slots         output of each input",
        ]
        for start, slots, outputs in rows:
            span = f"{start}" if slots == 1 else f"{start}-{start + slots - 1}"
            lines.append(f"{span:<12}  {' '.join('-' if output < 0 else str(output) for output in outputs)}")
        if len(self.slots) > blocks:
            lines.append(f"and {len(self.slots) - blocks} blocks more (--json prints all)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"<Schedule {self.algorithm}: {self.nodes} nodes, {self.length} of {self.frame} slots, "
            f"{self.served} of {self.requested} requested slots served>"
        )


class Scheduler:
    """A scheduler that may remember where it stopped in the last frame; InputError for an unknown name."""

    def __init__(self, algorithm: str) -> None:
        try:
            self._machine = _core.FrameScheduler(algorithm)
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def algorithm(self) -> str:
        """Its name."""
        return self._machine.algorithm

    def schedule(self, requests: ArrayLike, frame: int) -> Schedule:
        """Return the schedule of the next frame of `frame` slots; InputError for a matrix that is none."""
        matrix, slots = _matrix(requests), _frame(frame)
        try:
            return Schedule(self._machine.schedule(matrix, slots), self.algorithm)
        except ValueError as error:
            raise InputError(str(error)) from None


def schedule(matrix: ArrayLike, frame: int, algorithm: str = "bvn") -> Schedule:
    """Return a schedule of one frame of `frame` slots for a square matrix of requests in slots."""
    return Scheduler(algorithm).schedule(matrix, frame)


class Islip:
    """iSLIP (McKeown 1999) of one slot, an iteration at a time. Its pointers stay from slot to slot.

    >>> islip = Islip()
    >>> islip.match([[1, 1], [1, 1]])                 # both outputs grant input 0; input 1 is matched in the next
    [[0, -1], [0, 1]]
    >>> islip.grant_pointers, islip.accept_pointers   # they move for matches of the first iteration only
    ([1, 0], [1, 0])
    >>> islip.match([[1, 1], [1, 1]])                 # now the pointers are apart, and one iteration is enough
    [[1, 0]]
    """

    def __init__(self) -> None:
        self._machine = _core.Islip()

    def match(self, requests: ArrayLike, iterations: int | None = None) -> list[list[int]]:
        """Return the matching of a slot after each iteration, until nothing more can be matched: outputs by input.

        `requests` are slots that each input wants to each output; -1 is an input without an output. With another number
        of nodes than before, pointers begin at 0.
        """
        most = _LARGEST_REQUEST if iterations is None else iterations
        if not 0 <= most <= _LARGEST_REQUEST:
            raise InputError(f"iterations is {iterations}; allowed: 0 to {_LARGEST_REQUEST}")
        try:
            return self._machine.iterations(_matrix(requests), most)
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def grant_pointers(self) -> list[int]:
        """The input that each output prefers in the next slot."""
        return self._machine.grant_pointers

    @property
    def accept_pointers(self) -> list[int]:
        """The output that each input prefers in the next slot."""
        return self._machine.accept_pointers


def share(matrix: ArrayLike, frame: int, *, weights: ArrayLike | None = None, turn: int = 0) -> NDArray[np.uint32]:
    """Return the max-min shares of `matrix` in which every row and column has at most `frame` slots.

    With `weights`, an entry of weight w gets w slots where one of weight 1 gets one: the next slot goes to the entry
    with the fewest slots for its weight, of equals to the heavier one, then along the diagonals. One of weight 0 gets
    what is left. What cannot be divided evenly goes round with `turn`, the number of the frame, from 0.

    >>> share([[90, 90, 90], [0, 0, 0], [0, 0, 0]], 12, weights=[[50, 30, 20], [1, 1, 1], [1, 1, 1]])[0].tolist()
    [6, 4, 2]
    >>> [share([[9, 9, 9], [0, 0, 0], [0, 0, 0]], 4, turn=turn)[0].tolist() for turn in (0, 1, 2)]
    [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
    """
    requests, slots = _matrix(matrix), _frame(frame)
    weighed = None if weights is None else _matrix(weights)
    if not 0 <= turn < 2**64:
        raise InputError(f"turn is {turn}; allowed: 0 or more")
    try:
        return _core.share_slots(requests, slots, turn, weighed)
    except ValueError as error:
        raise InputError(str(error)) from None


def frame_rate(capacity: float | str, granted: int, frame: int) -> int:
    """Return the bits per second that `granted` of `frame` slots of every frame amount to: paper 003 (4.1).

    >>> frame_rate("45 Mbps", 12, 18)
    30000000
    """
    return _core.frame_rate(capacity, granted, frame)


class Demand:
    """What one edge node asks for to one other: what arrived in the last frame, or a mean over past frames.

    Arguments:
        forecast: "last-frame"; "smoothed": the exponentially weighted mean; "predicted": that mean and its
            rise from frame to frame (Holt 1957). Rounded up.
        shift: the last frame's weight in mean and rise is 1/2^shift.
    """

    def __init__(
        self, forecast: Literal["last-frame", "smoothed", "predicted"] = "last-frame", *, shift: int = 2
    ) -> None:
        if not 0 <= shift <= 16:
            raise InputError(f"shift is {shift}; allowed: 0 to 16")
        try:
            self._machine = _core.Demand(forecast, shift)
        except ValueError as error:
            raise InputError(str(error)) from None

    def observe(self, slots: int) -> None:
        """In the frame that ends, data for `slots` slots arrived."""
        self._machine.observe(slots)

    @property
    def request(self) -> int:
        """The request for the next frame, in slots."""
        return self._machine.request


def encode(header: Mapping[str, Any], blocks: Sequence[tuple[str, Mapping[str, Any]]], *, key: bytes) -> bytes:
    """Return the bytes of a slot (docs/protocol.md): the fields of its header, and of each block after its name.

    Times are picoseconds, codes are their names, lists are lists of dicts. InputError says which field is wrong.
    """
    try:
        return _core.wire_encode(dict(header), [(name, dict(fields)) for name, fields in blocks], key)
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(str(error)) from None


def decode(data: bytes, *, key: bytes | None = None) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """Return header and blocks of a slot; InputError if it is none, or if `key` did not make its tag.

    Without a key the tag is not looked at.
    """
    try:
        return _core.wire_decode(data, key)
    except ValueError as error:
        raise InputError(str(error)) from None


def read_requests(path: Path) -> NDArray[np.uint32]:
    """Return the request matrix of a JSON file: a list of rows of whole numbers; InputError with the file's name."""
    try:
        rows = json.loads(files.text(path, LARGEST_FILE), parse_constant=_refuse, parse_float=_refuse)
        return _matrix(rows)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not JSON: not UTF-8") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply; allowed: a list of rows") from None
    except InputError as error:
        named = str(error).startswith(str(path))
        raise InputError(str(error) if named else f"{path}: {error}") from None
    except ValueError:
        raise InputError(f"{path}: a number has too many digits") from None


def _refuse(text: str) -> object:
    raise InputError(f"found {text}; allowed: whole numbers of slots from 0 to {_LARGEST_REQUEST}")


def _matrix(requests: ArrayLike) -> NDArray[np.uint32]:
    """A square array of whole numbers, or an InputError that says where it is not."""
    if not isinstance(requests, np.ndarray):
        return _from_rows(requests)
    if requests.ndim != 2:
        raise InputError(f"requests have {requests.ndim} dimensions; allowed: 2")
    if requests.dtype.kind not in "iu":
        raise InputError(f"requests are of the type {requests.dtype}; allowed: whole numbers")
    for wrong in (requests < 0, requests > _LARGEST_REQUEST):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise _out_of_range(int(row), int(column), int(requests[row, column]))
    return np.ascontiguousarray(requests, dtype=np.uint32)


def _from_rows(rows: Any) -> NDArray[np.uint32]:
    if not isinstance(rows, list | tuple) or not rows:
        raise InputError("a request matrix is a list of rows, each a list of whole numbers")
    for at, row in enumerate(rows):
        if not isinstance(row, list | tuple):
            raise InputError(f"row {at} is not a list of whole numbers")
        if len(row) != len(rows):
            raise InputError(f"row {at} has {len(row)} entries; allowed: {len(rows)}, as there are rows")
        _check_row(at, row)
    return np.array(rows, dtype=np.uint32)


def _check_row(at: int, row: Sequence[Any]) -> None:
    for column, slots in enumerate(row):
        if not isinstance(slots, int | np.integer) or isinstance(slots, bool):
            raise InputError(f"row {at}, column {column}: found {slots!r:.40}; allowed: a whole number of slots")
        if not 0 <= slots <= _LARGEST_REQUEST:
            raise _out_of_range(at, column, int(slots))


def _out_of_range(row: int, column: int, slots: int) -> InputError:
    found = f"{slots}" if abs(slots) < 10**18 else "a number of more than 18 digits"
    return InputError(f"row {row}, column {column}: found {found}; allowed: 0 to {_LARGEST_REQUEST} slots")


def _frame(frame: int) -> int:
    if isinstance(frame, bool) or not isinstance(frame, int | np.integer) or not 1 <= frame <= _LARGEST_REQUEST:
        raise InputError(f"a frame of {frame!r:.40} slots; allowed: a whole number from 1 on")
    return int(frame)
