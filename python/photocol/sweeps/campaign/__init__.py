"""One engine for all campaigns: the papers' experiments and sweeps of one's own.

`study` says what jobs do, `job` does one, `store` keeps its row as a directory, `local` and `cluster` (Dask) carry many
out, `run_campaign` has them done until nothing is missing, `table` makes means and intervals of the rows, `progress`
tells. A user of the engine brings an `Origin` (where a process finds the study) and says which jobs it wants.

A study is data and pure functions: what a point runs, and what is read off the result. Its jobs are independent
values, (point, seed), and an executor is a function from jobs to rows in any order. Each job leaves a directory of its
own, whole or absent, and there is no other record of what is finished. So an executor on other machines, or more
replications where an interval is too wide, needs no change to any figure.
"""
