"""Paper 003, case 2: 155 Mb/s, 140 from 200 to 400 s; figures 5.15 to 5.20, and table 5.3's columns 3 and 4.

Figures 5.15, 5.16, 5.18, 5.19: windows (`windows-*`); 5.17, 5.20: utilization (`utilization`).
"""

from ._cases import case
from ._stated import Stated

REASONS = {
    "recovers": "many flows leave the step waiting for a timer that has backed off, for up to a minute",
    "swing": "a window here includes the inflation of fast recovery, which ns-2 does not show, and is 1 after a "
    "timeout; the paper samples at ACKs",
}

experiment = case(
    Stated(
        number=2,
        mbps=155,
        allocated_mbps=140,
        figures="Figures 5.15 to 5.20, table 5.3",
        section="§5.2, §5.4",
        xcp_windows=(55, 59),
        xcp_swing=(13, 68),
        xcp_settles_s=26,
        xcp_utilization=0.16,
        cl_windows=(55, 78, 59),
        cl_settles_s=(15, 10),
        cl_full_s=2.5,
        cl_dips=(0.67, 0.96),
    ),
    quick_period_s=100,
    reasons=REASONS,
)
