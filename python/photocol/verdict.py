"""Claims and what became of them: the public names of `photocol.experiments.verdict`."""

from photocol.experiments.verdict import OF_WHOM, Claims, Finding, Verdict, Whose, counted, judge, not_run, tally

__all__ = ["OF_WHOM", "Claims", "Finding", "Verdict", "Whose", "counted", "judge", "not_run", "tally"]
