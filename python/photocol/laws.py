"""Window laws of your own: the public names of `photocol.runs.laws`."""

from photocol.runs.laws import (
    Event,
    Window,
    announce,
    check_permitted,
    find,
    is_law,
    law,
    name_of,
    only,
    paces,
    permitted_by,
    recorded,
    source_digest,
    source_file,
)

__all__ = [
    "Event",
    "Window",
    "announce",
    "check_permitted",
    "find",
    "is_law",
    "law",
    "name_of",
    "only",
    "paces",
    "permitted_by",
    "recorded",
    "source_digest",
    "source_file",
]
