"""Slips of the papers that are no input of a model: rows of docs/reference/corrections.md, each number worked out here."""

from dataclasses import dataclass

PACKET_BITS = 8e3
"""Packets of paper 003's simulations: 1000 packets are 1 MB (§5.5)."""
FORWARD_MS = {
    "0–200 s": (110, 130, 150, 130, 110),
    "200–400 s": (170, 190, 250, 290, 150),
    "400–600 s": (140, 210, 110, 150, 130),
}
"""Table 4.1: delays of its five groups of twenty flows."""
BACK_MS = 152


@dataclass(frozen=True)
class Slip:
    """One row: an equation as printed and as corrected."""

    where: str
    printed: str
    corrected: str
    why: str
    effect: str


def granted(rate_mbps: float, slots: int = 18) -> str:
    """Rates of whole slots beside one that the paper prints: the next below and above it."""
    full, wanted = {140: 155, 980: 1000}[int(rate_mbps)], rate_mbps
    least = int(wanted * slots / full)
    return f"{wanted:g} of {full} Mb/s: {full * least / slots:.1f} or {full * (least + 1) / slots:.1f}"


def control_intervals() -> str:
    """§6.4's three, from the delays of table 4.1 and one constant way back."""
    means = [sum(group) / len(group) for group in FORWARD_MS.values()]
    return ", ".join(f"{mean + BACK_MS:.0f}" for mean in means)


def queue_ms(packets: float, rate_mbps: float) -> float:
    """How long packets wait before they are gone."""
    return packets * PACKET_BITS / rate_mbps / 1e3


def window(rtt_s: float, rate_mbps: float, flows: int = 100) -> float:
    """Packets of a fair share."""
    return rate_mbps * 1e6 / flows * rtt_s / PACKET_BITS


def thesis() -> list[Slip]:
    """Paper 003, by chapters."""
    return [*thesis_signalling(), *thesis_network(), *thesis_results(), *thesis_buffers(), *thesis_words()]


def thesis_signalling() -> list[Slip]:
    """Chapter 3."""
    return [
        Slip(
            "(3.6), words",
            "T_c is called guard time",
            "the time that the scheduler has: (N_f − N_s) T_s",
            'certain: "for the scheduler to finish the schedule algorithm"; slots have a guard time of their own',
            "–",
        ),
        Slip(
            "(3.6) and (4.1)",
            "N_s: nodes, then assigned slots",
            "`nodes` and `assigned` of the model",
            "certain: table 3.3's system size is no number of slots",
            "–",
        ),
        Slip(
            "§3.8.3 on figure 3.17",
            "11.159 ms at 32 nodes with frames of 128 slots",
            "11.297 ms",
            "certain: table 3.3; 11.158 is its row of 64 slots",
            f"× {11.159 / 11.297:.3f}",
        ),
        Slip(
            "table 3.3, 16 nodes, 64 slots",
            "a greatest time of 3.503 ms, above the 2.948 ms of 128 slots",
            "one slow schedule: the least and the mean times rise with the frame",
            "likely: a maximum of an ordinary operating system; nothing follows from it",
            "–",
        ),
        Slip(
            "table 3.2, case 4",
            "12.651 and 3.978 ms",
            "−12.651 and −3.978 ms",
            'certain: "average values in all cases are negative", and a minimum is below its maximum, 0.658 ms. '
            "The signs may have been lost in the copy that we read",
            "–",
        ),
        Slip(
            "§3.8.1 on tables 3.1 and 3.2",
            '"the three cases", "these threes cases"',
            "four",
            "certain: both tables and figures 3.11 to 3.14 have four",
            "–",
        ),
    ]


def thesis_network() -> list[Slip]:
    """Chapter 4, and what chapter 5 says of its network."""
    return [
        Slip(
            "§4.3, flows",
            "n² flows in a network of 2n edge nodes, M = 2",
            "100 flows of one pair",
            "certain: n = 1 would be one flow; tables 4.1 to 4.3 have 100",
            "–",
        ),
        Slip(
            "chapter 5, first sentence",
            "M = 6 edge nodes, each with 100 flows",
            "one pair, M = 2, with 100 flows in all",
            'likely: "We set M=2 for simplification", since the pairs do not meet (§4.3). Six nodes are three copies',
            "none: the reading `six-nodes` of 003/case-1 has the same figures",
        ),
        Slip(
            "tables 4.2, 4.3, 5.1, 5.2",
            "140 of 155 Mb/s and 980 of 1000 Mb/s by slots, with frames of 18",
            "the rates are set, or frames have 31 and 50 slots: 28/31 and 49/50",
            "certain: 40 and 30 of 45 Mb/s are 16 and 12 slots of 18, these two are no whole number of slots",
            f"whole slots give, for {granted(140)}; for {granted(980)} Mb/s",
        ),
        Slip(
            "§6.4, control intervals",
            "0.28, 0.36, 0.30 s, the mean round trips",
            "the mean delays of table 4.1 and 152 ms back for every flow",
            "likely: the way back is not stated; one constant gives all three, and so do the returns `groups`",
            f"{control_intervals()} ms; twice the delays would be 252, 420, 296 ms",
        ),
        Slip(
            "§4.2 beside §5.5",
            "packets of 1500 bytes in the example",
            "1000 bytes in every simulation",
            'certain: "1000 packets * 1000 bytes"; a packet at 45 Mb/s lasts 0.18 ms (appendix D)',
            f"queues of n packets last {queue_ms(1, 45) / (1.5 * queue_ms(1, 45)):.3f} of those of 1500 bytes",
        ),
        Slip(
            "§4.4",
            "confidence intervals: table 5.5 in section 5.6",
            "table 5.4 in section 5.5",
            "certain: only that table prints intervals",
            "–",
        ),
        Slip(
            "table 5.4, intervals",
            "± 0.001 beside eight means from 0.02 to 700",
            "unknown",
            "open: no three seeds give one half width in packets and in milliseconds",
            "our intervals are those of our own runs",
        ),
    ]


def thesis_results() -> list[Slip]:
    """Chapter 5: windows, utilization, delays."""
    return [
        Slip(
            "§5.3, utilization of XCP",
            '"down to 0.14", "stays at 0.12"; §5.4: 0.1',
            "0.12",
            "likely: §5.4 rounds, as it does for 155 Mb/s, where 0.14 is the first dip and 0.16 the level",
            "003/case-3 compares with 0.12",
        ),
        Slip(
            "§5.3, XCP-CL in case 3",
            "a window of 350 packets after 35 s",
            "3.5 s",
            "likely: full utilization is reached after 3 s",
            "–",
        ),
        Slip(
            "§5.1.2, rates of XCP-CL",
            '"During 0-400s, Flow#1 achieves its fair rate … and back up to 56 … after the congestion"',
            "0–600 s",
            "certain: the congestion ends at 400 s",
            "–",
        ),
        Slip(
            "§5.6, delays above the propagation delay",
            '"processing delay coming from the simulation software"',
            "transmission times, and queues of the start",
            "certain: a simulator's clock stands while it computes; three links of 45 Mb/s are the printed 0.5 ms",
            f"3 × {queue_ms(1, 45):.3f} ms",
        ),
        Slip(
            "§5.7, windows after 400 s",
            "17 and 19 packets",
            "17 at 45 Mb/s and 15 at 40 Mb/s",
            "open: 0.30 s gives these two; 19 at 45 Mb/s would need 0.34 s. §5.8 has 19 there too",
            f"{window(0.3, 45):.1f} and {window(0.3, 40):.1f}; 19 is the window of "
            f"{19 * PACKET_BITS / 0.45e6:.2f} s at 45 Mb/s",
        ),
        Slip(
            "§5.8",
            '"during the 600s simulation time"',
            "100 s",
            "certain: tables 5.9 and 5.10",
            "–",
        ),
        Slip(
            "§6.4 beside §5.8",
            "bandwidth must change less often than once in a control interval, 0.28 to 0.36 s",
            "several control intervals",
            'open: §5.8 changes it every second, and finds "changes faster than the algorithm can handle"',
            f"1 s is {1 / 0.36:.1f} to {1 / 0.28:.1f} control intervals; 003/staleness has the whole range",
        ),
    ]


def thesis_buffers() -> list[Slip]:
    """§5.5, appendices D and E."""
    passing = 0.36 * 45e6 / PACKET_BITS
    return [
        Slip(
            "table 5.4, share of dropped packets",
            "2.1, 0.87, 0.0016, 0.0001 % for 50, 40, 40, 10 packets; 0.002 % on figure D.14",
            "in a control interval of 0.36 s 40 packets are 2 %, 10 are 0.5 %",
            "open: the same 40 packets cannot be 0.87 and 0.0016 %; as shares of one, the last two would be 0.16 "
            "and 0.01 %",
            f"some {passing:.0f} packets come in 0.36 s, of which 40 are {4000 / passing:.1f} %",
        ),
        Slip(
            "table E.4",
            "70 ms above the propagation delay, beside table 5.4's 120 ms",
            "unknown",
            "open: 700 packets last 120 ms; 70 ms are half as many",
            f"700 packets: {queue_ms(700, 45):.0f} ms at 45 Mb/s, {queue_ms(700, 40):.0f} ms at 40 Mb/s; "
            f"70 ms: {70 / queue_ms(1, 45):.0f} and {70 / queue_ms(1, 40):.0f} packets",
        ),
        Slip(
            "figures 5.7 and 5.14, a buffer of one packet",
            "whether the packet on the line counts",
            "it does not: one waits beside it",
            "open: a running mean of 0.1 packet fits either",
            "ns-2's own queue, measured beside, counts so ([xcp](../validation/xcp.md#beside-ns-2))",
        ),
    ]


def thesis_words() -> list[Slip]:
    """References within the thesis, and what its copy does not show."""
    return [
        Slip("§1.1.4.4", "the fluid model in appendix B", "appendix C", "certain: appendix B has flow charts", "–"),
        Slip(
            "appendix A on figure A.2",
            "the sender sets Reverse_Feedback, and routers lower it",
            "Delta_Throughput",
            "certain: §4.1.1 and step 6 of §4.2; the receiver copies it into Reverse_Feedback (step 8)",
            "–",
        ),
        Slip(
            "(3.2), (A.1), (A.2), powers of appendix D",
            "not legible in our copy",
            "η₂ = overhead over slot length; φ = αS − βQ/d, α = 0.4, β = 0.226; h = max(0, γy − |φ|); 1.8e-4, 1.8e-3, "
            "1.8e-2, 1.8e-1 s at most, 2e-5, 4e-4, 3.6e-3, 1.2e-1 s in the mean",
            "certain, and perhaps no slip of the thesis: the words beside give each, and a packet lasts 0.178 ms",
            "; ".join(f"{n} packets: {queue_ms(n, 45):.3g} ms" for n in (1, 2.5, 20, 700)),
        ),
    ]


def dlcc_words() -> list[Slip]:
    """Paper 000, §V: rows beside those of the model."""
    return [
        Slip(
            "§V, a_i",
            '"fraction of overall transmission capacity", with 0 < a_i < CR and C − a_i',
            "a rate, or a fraction with C = 1",
            "certain: one unit",
            "none: the models have C = 1",
        ),
        Slip(
            "(6), sign and index",
            "T_i − W_k 2T/S, of the window at the beginning of period i",
            "T_i + (W_k − W^p/2) 2T/S, at its end, where a_i gives way to a_{i+1}",
            "certain: time that passes adds, and the peak is that of a_i",
            "none in the mean over a uniform W_k",
        ),
        Slip(
            "§V.D, W_k",
            "uniform on [0, W^p]",
            "uniform on [W^p/2, W^p]",
            "certain: a sawtooth is never below half of its peak",
            "none in the mean: the sum runs over two whole periods",
        ),
        Slip(
            "L_i, B₁, B₂, all sums over a′",
            "terms with a′ < X count as negative losses in B₁ and B₂",
            "(a′ − X)⁺, the condition that stands after the first L_i",
            "certain",
            "none: the models have the condition everywhere",
        ),
        Slip(
            "L̄, words",
            '"conditional upon heavy congestion": Σ P(a) L_i',
            "the mean for each change of UDP's rate",
            "certain: the condition would divide by Σ P(a) P(B given a)",
            "`loss_per_change_packets` is the printed sum",
        ),
        Slip(
            "§V.F, K − 1 and P_L",
            "K − 1 may be negative; TCP has 1 − a_i",
            "(K − 1)⁺; C − a_i",
            "certain",
            "none with C = 1",
        ),
        Slip(
            "figure 7, caption",
            '"scenarios with control (with DLCC)", falling with the number of flows',
            "without control",
            "open: the printed loss with DLCC, r^e 2T₁, has no number of flows in it",
            "–",
        ),
    ]


def macroflow_words() -> list[Slip]:
    """Paper 002: a number beside those of the model."""
    return [
        Slip(
            "§3.2, TU = 30 %",
            '"around 300 KB, which means a buffer size of only two data packets"',
            "3 kB",
            "certain: two packets of 1500 bytes",
            "× 100",
        )
    ]


def load_balanced_words() -> list[Slip]:
    """Paper 004, §5: numbers beside those of the models."""
    return [
        Slip("§5.2.4", "10 Mbps × 100 Mbps = 1 Gbps", "10 × 100 Mb/s", "certain: ten flows", "–"),
        Slip(
            "§5.2.4, 79.5 s",
            "1 GB over 100 Mb/s in 79.5 s",
            "80 s at least",
            "open: payload or access rate differ by 0.6 %",
            f"8e9 bits over 1e8 bit/s are {8e9 / 1e8:.0f} s",
        ),
        Slip(
            "abstract, §5.2.1",
            '"up to 300 %" of improvement',
            "three times and a half as long",
            "likely: 190 s above 79.5 s at 100 kB",
            f"(79.5 + 190)/79.5 = {(79.5 + 190) / 79.5:.1f}",
        ),
        Slip(
            "§5.2.3",
            '"60 s … about a 6% improvement"',
            "of some 1000 s",
            "certain: 60/0.06",
            f"{60 / 0.06:.0f} s",
        ),
    ]
