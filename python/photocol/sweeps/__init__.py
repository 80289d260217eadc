"""Sweeps of one's own: a scenario, axes along which keys vary, seeds. A user of `campaign`, like papers.

`axes` makes points, `spec` is what a sweep says (a `sweep.toml`, or options), `study` what its jobs do, `precision`
when there are enough of them, `folder` what it leaves, `run` carries it out, `slurm` writes a script for a cluster.
"""
