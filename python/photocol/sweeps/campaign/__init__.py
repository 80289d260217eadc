"""One engine for all campaigns: the papers' experiments and sweeps of one's own.

`study` says what jobs do, `job` does one, `store` keeps its row as a directory, `local` and `cluster` (Dask) carry many
out, `run_campaign` has them done until nothing is missing, `table` makes means and intervals of the rows, `progress`
tells. A user of the engine brings an `Origin` (where a process finds the study) and says which jobs it wants.
"""
