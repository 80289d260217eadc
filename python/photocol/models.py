"""Closed-form models: the public names of `photocol.runs.models`."""

from photocol.runs.models import Answer, describe, model, names, result

__all__ = ["Answer", "describe", "model", "names", "result"]
