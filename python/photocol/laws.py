"""Window laws of your own: the public names of `photocol.runs.laws`."""

from photocol.runs.laws import Event, Window, find, is_law, law, name_of, paces, source_digest, source_file

__all__ = ["Event", "Window", "find", "is_law", "law", "name_of", "paces", "source_digest", "source_file"]
