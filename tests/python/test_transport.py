"""The protocol machines driven by hand, with the numbers of the RFCs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import pytest

import photocol
from photocol.runs.scenario import load
from photocol.transport import Ack, Block, Connection, Control, Receiver, Segment, Sender

MSS = 1000


def test_slow_start_doubles_the_window_every_round_trip() -> None:
    # RFC 5681 §3.1: at most one SMSS for each ACK, so 2, 4, 8 segments after each round trip of 0.1 s.
    sender = Sender("newreno", mss=MSS, initial_window=2)
    in_flight, windows = sender.write(1000), []
    for round_trip in range(1, 5):
        windows.append(sender.cwnd_segments)
        acks = [segment.seq + segment.length for segment in in_flight]
        in_flight = [sent for ack in acks for sent in sender.on_ack(0.1 * round_trip, ack)]
    assert windows == [2, 4, 8, 16]
    assert sender.phase == "slow_start"
    assert sender.srtt == pytest.approx(0.1)


def test_the_third_duplicate_ack_retransmits_and_halves() -> None:
    # RFC 5681 §3.2: 10 segments in flight, the first is lost; ssthresh = FlightSize/2 = 5 segments.
    sender = Sender("newreno", mss=MSS, initial_window=10, limited_transmit=False)
    sender.write(100)
    assert sender.on_ack(0.1, 0) == []
    assert sender.on_ack(0.1, 0) == []
    assert sender.on_ack(0.1, 0) == [Segment(0, MSS, retransmission=True)]
    assert (sender.ssthresh, sender.phase) == (5 * MSS, "fast_recovery")
    assert sender.counters["fast_retransmits"] == 1


def test_the_timer_backs_off() -> None:
    # RFC 6298: 1 s before the first sample, doubled by each expiry; cwnd falls to one segment (RFC 5681 §3.1).
    sender = Sender("reno", mss=MSS)
    sender.write(20)
    assert sender.next_timer == 1.0
    assert sender.on_timer(0.5) == []
    assert sender.on_timer(1.0) == [Segment(0, MSS, retransmission=True)]
    assert (sender.cwnd, sender.rto, sender.next_timer) == (MSS, 2.0, 3.0)


def test_initial_windows() -> None:
    # RFC 3390 and RFC 6928 with 1460-byte segments: 4380 and 14600 bytes.
    assert Sender("reno", initial_window="rfc3390").cwnd == 4380
    assert Sender("reno", initial_window="rfc6928").cwnd == 14600
    assert Sender("reno").ssthresh == math.inf


def test_the_sack_example_of_rfc_2018() -> None:
    # RFC 2018 §7, case 2 with the first of eight 500-byte segments at 5000 lost; here the flow starts at 0.
    receiver = Receiver(mss=500)
    acks = [receiver.on_segment(0.1, seq, 500) for seq in range(500, 4000, 500)]
    assert [ack and (ack.ack, ack.sack) for ack in acks] == [(0, [(500, end)]) for end in range(1000, 4500, 500)]


def test_a_duplicate_is_reported_first() -> None:
    # RFC 2883 §4: the first block is the D-SACK, the second what is held above the hole.
    receiver = Receiver(mss=500)
    receiver.on_segment(0.1, 0, 500)
    receiver.on_segment(0.1, 1000, 500)
    assert receiver.on_segment(0.2, 0, 500) == Ack(500, 1 << 40, [Block(0, 500), Block(1000, 1500)])
    assert receiver.duplicates == 1


def test_a_delayed_ack_waits_for_a_second_segment_or_for_its_time() -> None:
    receiver = Receiver(delayed_ack=0.2, mss=MSS)
    assert receiver.on_segment(1.0, 0, MSS) is None
    assert receiver.next_timer == pytest.approx(1.2)
    second = receiver.on_segment(1.1, MSS, MSS)
    assert second is not None
    assert (second.ack, receiver.next_timer) == (2 * MSS, None)
    assert receiver.on_segment(2.0, 2 * MSS, MSS) is None
    late = receiver.on_timer(2.2)
    assert late is not None
    assert late.ack == 3 * MSS


def test_sender_and_receiver_repair_a_loss_together() -> None:
    sender, receiver = Sender("sack", mss=MSS, initial_window=10), Receiver(mss=MSS)
    wire = [segment for segment in sender.write(30) if segment.seq != 3 * MSS]
    t = 0.0
    while wire:
        t += 0.05
        acks = [receiver.on_segment(t, segment.seq, segment.length) for segment in wire]
        t += 0.05
        wire = [sent for ack in acks if ack for sent in sender.on_ack(t, ack.ack, ack.sack, ack.window)]
    assert receiver.bytes_received == sender.bytes_acked == 30 * MSS
    assert sender.counters["retransmissions"] == 1
    assert sender.next_timer is None


def test_a_paced_sender_spreads_its_window() -> None:
    sender = Sender("reno", paced=True, mss=MSS, initial_window=2)
    sender.write(100)
    sender.on_ack(0.1, MSS)
    assert sender.next_timer is not None
    assert sender.next_timer < 0.2


def test_a_notification_spares_a_lost_burst_the_halving() -> None:
    sender = Sender("tcp-eng", mss=MSS, initial_window=16, initial_ssthresh=16 * MSS)
    sender.write(100)
    # Nine of sixteen are lost: 7/8 of 16 is 14, of which 7 are in the network.
    again = sender.on_burst_report(0.1, "contention", [(0, 9 * MSS)])
    assert [segment.seq // MSS for segment in again] == list(range(7))
    assert (sender.cwnd_segments, sender.phase) == (14.0, "fast_recovery")
    assert sender.counters["timeouts"] == 0


def test_btcp_halves_at_a_negative_acknowledgement_and_at_a_false_timeout() -> None:
    told = Sender("btcp", detector="bnak", mss=MSS, initial_window=8, initial_ssthresh=8 * MSS)
    told.write(100)
    assert len(told.on_burst_report(0.1, "lost", [(0, 8 * MSS)])) == 4
    listed = Sender("btcp", detector="back", mss=MSS, initial_window=8, initial_ssthresh=8 * MSS)
    listed.write(100)
    listed.on_burst_report(0.0, "assembled", [(0, 8 * MSS)])
    assert len(listed.on_timer(1.0)) == 4
    assert told.cwnd_segments == listed.cwnd_segments == 4.0


def test_parameters_of_gaimd_reach_the_law() -> None:
    sender = Sender("gaimd", beta=0.75, alpha=0.5, mss=MSS, initial_window=8, initial_ssthresh=8 * MSS)
    sender.write(100)
    sender.on_ack(0.1, MSS)
    # α MSS/W = 0.5 · 1000/8 bytes, rounded down.
    assert sender.cwnd == 8062
    with pytest.raises(ValueError, match="beta must be above 0 and below 1"):
        Sender("tcp-eng", beta=1.0)
    with pytest.raises(ValueError, match="relation must be 'triple-duplicate', 'timeout' or 'by-loss'"):
        Sender("gaimd", relation="td")  # type: ignore[arg-type]


@pytest.mark.parametrize(("applies", "cwnd"), [("ben-only", 16_062), ("large-window", 16_012), ("ben-period", 16_062)])
def test_the_reading_of_alpha_reaches_tcp_eng(applies: Any, cwnd: int) -> None:
    sender = Sender("tcp-eng", alpha_applies=applies, mss=MSS, initial_window=16, initial_ssthresh=16 * MSS)
    sender.write(100)
    sender.on_ack(0.1, MSS)
    # α MSS/W = 1000/16 bytes without a notification, or 0.2 · 1000/16, rounded down.
    assert sender.cwnd == cwnd
    with pytest.raises(ValueError, match="alpha_applies must be 'ben-only', 'large-window' or 'ben-period'"):
        Sender("tcp-eng", alpha_applies="always")  # type: ignore[arg-type]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"tahoe.*reno, newreno, sack, rr-tcp, highspeed, hs-rr-tcp, xcp"):
        Sender("tahoe")
    with pytest.raises(ValueError, match="mss must be at least one byte"):
        Sender("reno", mss=0)
    with pytest.raises(ValueError, match="delayed_ack"):
        Receiver(delayed_ack=0.7)


def test_a_clock_does_not_run_backwards() -> None:
    sender = Sender("reno")
    sender.on_timer(1.0)
    for wrong in (0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="must be a time from 1 s"):
            sender.on_timer(wrong)


def test_the_module_is_reached_through_the_package() -> None:
    assert photocol.transport.Sender is Sender
    assert "photocol" in repr(photocol)


def test_the_least_timeout_is_the_rfcs_by_hand_and_that_of_ns_2_in_a_scenario() -> None:
    sender = Sender("sack", mss=MSS)
    sender.write(10)
    sender.on_ack(0.01, MSS)
    assert sender.rto == 1.0
    assert 'min_rto = "200 ms"' in load(Path(__file__).parents[2] / "scenarios" / "dumbbell.toml").explain()


def test_the_timer_of_a_sender_follows_its_clock() -> None:
    # RFC 6298 §2.3: RTO = SRTT + max(G, 4 RTTVAR); after many equal samples of 0.1 s the granularity is left.
    sender = Sender("reno", mss=MSS, min_rto=0.001, clock_granularity=0.05, max_window=2 * MSS, initial_window=1)
    sender.write(1000)
    for sample in range(1, 200):
        sender.on_ack(0.1 * sample, sender.bytes_acked + sender.flight_size)
    assert sender.rto == pytest.approx(0.15)


def test_congestion_avoidance_per_ack_adds_mss_squared_over_cwnd() -> None:
    # RFC 5681 eq. (3): 1000 · 1000/10 000 = 100 bytes; counted bytes would wait for a whole window.
    windows = []
    for increase in ("per-ack", "byte-counting"):
        sender = Sender("reno", mss=MSS, initial_window=10, initial_ssthresh=10 * MSS, increase=increase)  # type: ignore[arg-type]
        sender.write(100)
        sender.on_ack(0.1, MSS)
        windows.append(sender.cwnd)
    assert windows == [10_100, 10_000]


def test_a_guard_refuses_a_second_fast_retransmit_in_a_window() -> None:
    # Segments 0 and 5 of 10 are lost; as ns-2 with bugFix_ false and true (its default).
    counts = {}
    for guard in (None, "timeout", "recovery"):
        sender = Sender("reno", mss=MSS, initial_window=10, fast_retransmit_guard=guard)  # type: ignore[arg-type]
        sender.write(100)
        for ack in [0] * 8 + [5 * MSS] * 8:
            sender.on_ack(0.1, ack)
        counts[guard] = sender.counters["fast_retransmits"]
    assert counts == {None: 2, "timeout": 2, "recovery": 1}


def test_which_partial_acks_restart_the_timer_can_be_chosen() -> None:
    # RFC 6582 §4. Segments 0, 1 and 2 of 10 are lost; partial ACKs at 0.5 s and 0.9 s, RTO 1 s.
    timers = []
    for rule in ("impatient", "slow-but-steady"):
        sender = Sender("newreno", mss=MSS, initial_window=10, partial_ack_timer=rule)  # type: ignore[arg-type]
        sender.write(10)
        for _ in range(7):
            sender.on_ack(0.1, 0)
        sender.on_ack(0.5, MSS)
        sender.on_ack(0.9, 2 * MSS)
        timers.append(sender.next_timer)
    assert timers == [1.5, 1.9]


def test_what_a_timeout_leaves_of_sack_information_can_be_chosen() -> None:
    # Segments 1 and 3 of 4 are held when the timer expires; an ACK without blocks moves to 1.
    again = []
    for memory in ("discard", "keep"):
        sender = Sender("sack", mss=MSS, initial_window=4, sack_after_timeout=memory)  # type: ignore[arg-type]
        sender.write(4)
        sender.on_ack(0.1, 0, [(2 * MSS, 3 * MSS)])
        sender.on_timer(1.0)
        again.append([segment.seq // MSS for segment in sender.on_ack(1.1, MSS)])
    assert again == [[1, 2], [1, 3]]


def test_options_that_are_no_choice_are_refused() -> None:
    for name in ("increase", "fast_retransmit_guard", "partial_ack_timer", "sack_after_timeout"):
        with pytest.raises(ValueError, match=f"{name} must be '"):
            Sender("reno", **{name: "sometimes"})  # type: ignore[arg-type]


def test_options_may_have_the_names_of_the_machine():
    """Names of the machine (`initial_cwnd`) and scenario keys (`initial_window`) mean the same."""
    names = {"initial_cwnd": 5, "max_cwnd": 5500, "initial_peer_window": 9000}
    keys = {"initial_window": 5, "max_window": 5500, "receiver_window": 9000}
    senders = [Sender("sack", mss=1000, **given) for given in (names, keys)]
    assert [sender.cwnd for sender in senders] == [5000, 5000]
    assert senders[0].write(20) == senders[1].write(20)
    acked = [[sender.on_ack(0.1 * (n + 1), 1000 * n) for n in range(1, 6)] for sender in senders]
    assert acked[0] == acked[1]
    assert senders[0].cwnd == senders[1].cwnd == 5500
    assert Sender("xcp", loss="repair-only").cwnd == Sender("xcp", loss_reaction="repair-only").cwnd
    ack = Receiver(window=4000).on_segment(0, 0, 1000)
    assert ack == Receiver(receiver_window=4000).on_segment(0, 0, 1000)


@pytest.mark.parametrize(("name", "key"), [("initial_cwnd", "initial_window"), ("max_cwnd", "max_window")])
def test_an_option_under_both_of_its_names_is_refused(name, key):
    assert Sender("sack", **{name: None, key: 7000}).mss == 1460
    with pytest.raises(TypeError, match=f"{name} and {key} are one option"):
        Sender("sack", **{name: 7000, key: 7000})


def test_what_rack_knows_can_be_read() -> None:
    sender = Sender("cubic", recovery="linux", mss=1000, initial_window=10)
    assert len(sender.write(100)) == 10
    sender.on_ack(0.1, 0, sack=[(1000, 3000)])
    # min RTT / 4, until three segments above the hole show a loss at once (RFC 8985 §6.2).
    assert (sender.lost, sender.reordering_window, sender.probe_timer) == (0, 0.025, None)
    assert sender.on_ack(0.1, 0, sack=[(1000, 4000)])[0].seq == 0
    assert (sender.phase, sender.reordering_window) == ("fast_recovery", 0.0)
    quiet = Sender("sack", recovery="rack", mss=1000, initial_window=4)
    quiet.write(4)
    quiet.on_ack(0.1, 1000)
    assert (quiet.probe_timer, quiet.next_timer) == (0.3, 0.3)
    assert [segment.seq for segment in quiet.on_timer(0.3)] == [3000]
    assert Sender("sack").reordering_window is None


def test_what_cannot_go_together_is_refused() -> None:
    with pytest.raises(ValueError, match="reduction"):
        Sender("newreno", reduction="prr")
    with pytest.raises(ValueError, match="recovery"):
        Sender("tcp-eng", recovery="rack")


def test_an_old_timestamp_takes_a_timeout_back() -> None:
    sender = Sender("sack", undo="eifel", mss=1000, initial_window=10)
    sender.write(100)
    sender.on_timer(1.0)
    assert (sender.cwnd, sender.ssthresh) == (1000, 5000)
    sent = sender.on_ack(1.01, 1000, timestamp=0.0)
    assert sender.ssthresh == float("inf")
    assert not any(segment.retransmission for segment in sent)


def test_rr_tcp_learns_the_lengths_of_figure_1_of_paper_004() -> None:
    # Segments 4, 5 and 6 of eleven are overtaken by 7 to 11: lengths 7, 6 and 5 up to segment 11.
    def at(number: int) -> int:
        return (number - 1) * MSS

    sender = Sender("rr-tcp", mss=MSS, initial_window=11, fa_step=0.02)
    sender.write(11)
    for next_ in (2, 3, 4):
        sender.on_ack(0.1, at(next_))
    resent = [segment.seq for last in range(7, 12) for segment in sender.on_ack(0.1, at(4), [(at(7), at(last + 1))])]
    assert resent == [at(4), at(5), at(6)]
    cut = sender.cwnd
    for next_, blocks in ((5, [(at(7), at(12))]), (6, [(at(7), at(12))]), (12, [])):
        sender.on_ack(0.15, at(next_), blocks)
    assert (sender.histogram, sender.dupthresh, sender.fa_ratio) == ({}, 3, 0.9)
    for number in (4, 5, 6):
        sender.on_ack(0.2, at(12), [(at(number), at(number + 1))])
    assert sender.histogram == {5: 1, 6: 1, 7: 1}
    assert (sender.dupthresh, sender.fa_ratio) == (8, pytest.approx(0.92))
    assert sender.cwnd == 12 * MSS > cut
    assert sender.counters["false_fast_retransmits"] == 1


def test_parameters_of_rr_tcp_reach_it() -> None:
    sender = Sender("hs-rr-tcp", fa_ratio=0.5, percentile_plus_one=False, histogram_history=20.0, high_decrease=0.2)
    assert (sender.fa_ratio, sender.histogram, sender.dupthresh) == (0.5, {}, 3)
    assert Sender("cubic", recovery="rr-tcp").fa_ratio == 0.9
    assert Sender("sack").fa_ratio is None and Sender("sack").histogram is None
    with pytest.raises(ValueError, match="fa_ratio must be from 0 to 1"):
        Sender("rr-tcp", fa_ratio=1.5)
    with pytest.raises(ValueError, match="restore must be 'instant' or 'slow_start'"):
        Sender("rr-tcp", restore="later")  # type: ignore[arg-type]


def test_acks_echo_timestamps_and_old_segments_are_refused() -> None:
    receiver = Receiver(mss=MSS, timestamps=True)
    first = receiver.on_segment(0.05, 0, MSS, timestamp=0.0)
    assert first is not None and (first.ack, first.timestamp) == (MSS, 0.0)
    second = receiver.on_segment(0.15, MSS, MSS, timestamp=0.1)
    assert second is not None and second.timestamp == pytest.approx(0.1)
    # PAWS (RFC 7323): a late copy brings a D-SACK.
    late = receiver.on_segment(0.2, 0, MSS, timestamp=0.05)
    assert late is not None and late.sack == [(0, MSS)] and late.timestamp == pytest.approx(0.1)
    bare = Receiver(mss=MSS).on_segment(0.05, 0, MSS, timestamp=0.0)
    assert bare is not None and bare.timestamp is None


def test_an_echo_of_the_first_copy_takes_a_timeout_back() -> None:
    sender = Sender("sack", mss=MSS, initial_window=10, timestamps=True, undo="eifel")
    sender.write(100)
    sender.on_timer(1.0)
    assert sender.cwnd == MSS
    sender.on_ack(1.1, MSS, timestamp=0.0)
    assert sender.cwnd == 11 * MSS
    assert sender.counters["retransmissions"] == 1


@pytest.mark.parametrize("recovery", ["sack", "rack", "linux"])
def test_two_new_segments_find_out_that_a_timeout_was_spurious(recovery: Any) -> None:
    sender = Sender("cubic", mss=MSS, initial_window=10, recovery=recovery, frto="sack")
    sender.write(100)
    assert [segment.seq for segment in sender.on_timer(1.0)] == [0]
    assert [segment.seq for segment in sender.on_ack(1.1, MSS)] == [10 * MSS, 11 * MSS]
    sender.on_ack(1.11, 2 * MSS)
    assert sender.cwnd >= 10 * MSS and sender.counters["retransmissions"] == 1
    assert sender.ssthresh == float("inf")


LAWS_OF_TODAY = ("bbr", "bbr3", "dctcp", "prague", "vegas", "westwood+")


@pytest.mark.parametrize("algorithm", LAWS_OF_TODAY)
def test_laws_of_today_open_their_windows(algorithm: str) -> None:
    sender = Sender(algorithm, mss=MSS, initial_window=10)
    sender.write(1000)
    for number in range(1, 9):
        sender.on_ack(0.1 + number / 1000, number * MSS)
    assert sender.cwnd > 10 * MSS


def test_bbr_paces_at_two_over_ln_2_times_what_its_window_makes() -> None:
    # §4.2.1 of the draft: 2.885 · 10 segments in a round trip of 1 ms until one is known, then in that of 100 ms.
    sender = Sender("bbr", mss=MSS, initial_window=10)
    sender.write(1000)
    nominal = 2.885 * 10 * MSS * 8 / 0.001
    assert sender.pacing_rate == pytest.approx(nominal, rel=1e-6)
    sender.on_ack(0.1, MSS)
    assert sender.pacing_rate == pytest.approx(nominal / 100, rel=1e-6)
    assert Sender("newreno").pacing_rate is None


def test_bbr_begins_with_the_bandwidth_and_round_trip_that_it_is_given() -> None:
    """2.885 · 8 Mb/s until the pipe is full; a first round trip of 0.1 s alone: 2.885 · 10 segments in it."""
    given = Sender("bbr", mss=MSS, initial_window=10, bbr_start_bandwidth=8e6, bbr_start_rtt=0.05)
    assert (given.max_bandwidth, given.min_rtt, given.rounds) == (8e6, 0.05, 0)
    assert given.pacing_rate == pytest.approx(2.885 * 8e6)
    given.write(1000)
    given.on_ack(0.1, MSS)
    # 8 kbit in 0.1 s are 80 kb/s, which does not count beside 8 Mb/s; nor does 0.1 s beside 0.05 s.
    assert (given.max_bandwidth, given.min_rtt) == (8e6, 0.05)
    assert given.pacing_rate == pytest.approx(2.885 * 8e6)
    alone = Sender("bbr", mss=MSS, initial_window=10, bbr_start_rtt=0.1)
    assert alone.pacing_rate == pytest.approx(2.885 * 10 * MSS * 8 / 0.1)
    assert alone.max_bandwidth == 0


def test_bbr3_begins_with_the_bandwidth_and_round_trip_that_it_is_given() -> None:
    """4 ln 2 = 2.7726 times 8 Mb/s, 1 % below it (§5.6.2)."""
    given = Sender("bbr3", mss=MSS, initial_window=10, bbr3_start_bandwidth=8e6, bbr3_start_rtt=0.05)
    assert (given.max_bandwidth, given.min_rtt) == (8e6, 0.05)
    assert given.pacing_rate == pytest.approx(0.99 * 2.7726 * 8e6)
    given.write(1000)
    given.on_ack(0.02, MSS)
    # The shorter round trip counts at once; 8 kbit in 0.02 s are 400 kb/s.
    assert (given.max_bandwidth, given.min_rtt) == (8e6, 0.02)
    assert Sender("bbr3", mss=MSS).min_rtt is None
    with pytest.raises(ValueError, match="bbr_start_rtt is for bbr"):
        Sender("cubic", bbr_start_rtt=0.1)


def test_a_named_timer_is_served_alone() -> None:
    """SRTT 0.1 s: the probe is due at 0.1 + 2 · 0.1 = 0.3 s and the timeout 1 s after the ACK, or after the probe."""
    sender = Sender("sack", recovery="rack", mss=MSS, initial_window=4)
    sender.write(4)
    sender.on_ack(0.1, MSS)
    assert sender.timers == {"rto": 1.1, "tlp": 0.3}
    assert sender.on_timer(0.2, timer="tlp") == [], "not due yet"
    assert sender.on_timer(5.0, timer="rack") == [], "does not run"
    assert [segment.seq for segment in sender.on_timer(5.0, timer="tlp")] == [3 * MSS]
    assert sender.timers == {"rto": 6.0}
    assert sender.on_timer(6.0, timer="pacing") == []
    assert [segment.seq for segment in sender.on_timer(6.0, timer="rto")] == [MSS]
    assert sender.counters["timeouts"] == 1
    with pytest.raises(ValueError, match="timer is 'persist', must be one of rto, rack, tlp"):
        sender.on_timer(6.0, timer="persist")  # type: ignore[arg-type]


def test_a_paced_segment_and_a_syn_have_timers_of_their_own() -> None:
    """Once SRTT is 0.1 s, a window of 3 segments is one every 33.3 ms."""
    sender = Sender("newreno", mss=MSS, initial_window=2, paced=True)
    sender.write(10)
    assert [segment.seq for segment in sender.on_ack(0.1, MSS)] == [2 * MSS]
    assert sender.timers["pacing"] == pytest.approx(0.1 + 0.1 / 3)
    assert sender.on_timer(0.2, timer="rto") == []
    assert [segment.seq for segment in sender.on_timer(0.2, timer="pacing")] == [3 * MSS]
    connection = opened()
    assert connection.timers == {"control": 1.0}
    connection.on_timer(2.0, timer="rto")
    assert connection.controls == []
    connection.on_timer(2.0, timer="control")
    assert connection.controls == [Control("syn")]


def test_dctcp_halves_at_the_first_marks_and_alpha_falls_by_a_sixteenth_a_window() -> None:
    # alpha is 1 at the start (RFC 8257 §4.2): 15/16 after the first ACK, which is no window of data.
    sender = Sender("dctcp", mss=MSS, initial_window=10, initial_ssthresh=10 * MSS, dctcp_cut="first-mark")
    sender.write(1000)
    sender.on_ack(0.1, MSS)
    sender.on_ack(0.101, 2 * MSS, ece=True)
    assert sender.cwnd == int(10 * MSS * (1 - 15 / 16 / 2))
    assert sender.counters["ecn_reductions"] == 1


def test_prague_says_ect_1_and_reads_a_counter_of_marks() -> None:
    sender = Sender("prague", mss=MSS, initial_window=10, initial_ssthresh=10 * MSS)
    sent = sender.write(1000)
    said = sender.ecn_of(sent[0])
    assert said is not None
    assert said.codepoint == "ect1"
    sender.on_ack(0.1, MSS, ace=5)
    before = sender.cwnd
    sender.on_ack(0.101, 2 * MSS, ace=6)
    assert sender.cwnd <= before // 2 + 1
    with pytest.raises(ValueError, match="ace must be from 0 to 7"):
        sender.on_ack(0.102, 3 * MSS, ace=8)
    with pytest.raises(ValueError, match="reads no counter of marks"):
        Sender("newreno", ecn=True).on_ack(0.1, 0, ace=5)


def test_a_receiver_tells_marks_in_three_ways() -> None:
    def ends(feedback: Literal["classic", "dctcp", "accurate"]) -> list[tuple[bool, int | None]]:
        receiver = Receiver(mss=MSS, ecn_feedback=feedback)
        acks = [receiver.on_segment(0.0, number * MSS, MSS, ce=number == 1) for number in range(3)]
        return [(ack.ece, ack.ace) for ack in acks if ack is not None]

    assert ends("classic") == [(False, None), (True, None), (True, None)]
    assert ends("dctcp") == [(False, None), (True, None), (False, None)]
    assert ends("accurate") == [(False, 5), (False, 6), (False, 6)]


def test_a_dctcp_receiver_acknowledges_first_what_had_waited() -> None:
    receiver = Receiver(mss=MSS, ecn_feedback="dctcp", delayed_ack=0.1)
    assert receiver.on_segment(0.0, 0, MSS) is None
    last = receiver.on_segment(0.0, MSS, MSS, ce=True)
    assert last is not None
    assert (last.ack, last.ece) == (2 * MSS, True)
    assert [(ack.ack, ack.ece) for ack in receiver.earlier] == [(MSS, False)]


def opened(**options: Any) -> Connection:
    connection = Connection("sack", mss=MSS, initial_window=4, handshake=True, **options)
    connection.write(10, t=0.0)
    return connection


def test_a_connection_sends_a_syn_and_data_follow_its_answer() -> None:
    connection = opened()
    assert (connection.controls, connection.state, connection.next_timer) == ([Control("syn")], "opening", 1.0)
    answer = Receiver(mss=MSS).on_control(0.05, connection.controls[0])
    assert answer == Control("syn-ack")
    assert [segment.seq for segment in connection.on_control(0.1, answer)] == [0, 1000, 2000, 3000]
    assert (connection.srtt, connection.state, connection.controls) == (0.1, "open", [])


def test_a_lost_syn_is_sent_again_after_the_initial_timeout() -> None:
    connection = opened()
    connection.on_timer(1.0)
    assert (connection.controls, connection.next_timer) == ([Control("syn")], 3.0)
    # RFC 5681 §3.1 and RFC 6298 §5.7: one segment, and a timeout of 3 s.
    assert len(connection.on_control(1.1, Control("syn-ack"))) == 1
    assert (connection.rto, connection.srtt) == (3.0, None)


@pytest.mark.parametrize("accepts", [True, False])
def test_ecn_is_agreed_on_or_not_used(accepts: bool) -> None:
    connection = opened(ecn=True)
    assert connection.controls == [Control("syn", ecn=True)]
    answer = Receiver(mss=MSS, accept_ecn=accepts).on_control(0.05, connection.controls[0])
    assert answer == Control("syn-ack", ecn=accepts)
    segments = connection.on_control(0.1, answer)
    said = connection.ecn_of(segments[0])
    assert connection.uses_ecn is accepts
    assert (said is not None and said.capable) is accepts


def test_a_fin_follows_the_last_ack_and_its_answer_ends_the_connection() -> None:
    connection = Connection("sack", mss=MSS, teardown=True, timestamps=True)
    connection.write(2, t=0.0)
    connection.end(0.0)
    assert connection.controls == []
    connection.on_ack(0.1, 2000, timestamp=0.0)
    assert connection.controls == [Control("fin", timestamp=0.1)]
    connection.on_control(0.2, Control("fin-ack"))
    assert (connection.state, connection.is_complete, connection.next_timer) == ("done", True, None)


def test_a_slow_reader_closes_the_window_and_probes_find_it_open_again() -> None:
    # A buffer of two segments, of which one is read every second; the update at 1.05 s is lost.
    connection = Connection("sack", mss=MSS, initial_window=4, receiver_window=2 * MSS)
    receiver = Receiver(mss=MSS, receiver_window=2 * MSS, read=MSS, read_every=1.0)
    acks = [receiver.on_segment(0.05, *segment[:2]) for segment in connection.write(4, t=0.0)]
    assert [ack.window for ack in acks if ack] == [1000, 0]
    for ack in acks:
        assert ack is not None
        assert connection.on_ack(0.1, ack.ack, window=ack.window) == []
    assert receiver.next_timer == pytest.approx(1.05)
    assert receiver.on_timer(1.05) == Ack(2000, 1000, [])
    # The persist timer is the RTO, 1 s: a probe of new data, which is taken now.
    assert connection.next_timer == pytest.approx(1.1)
    probe = connection.on_timer(1.1)
    assert probe == [Segment(2000, MSS, retransmission=False)]
    assert receiver.on_segment(1.15, *probe[0][:2]) == Ack(3000, 0, [])


def test_handshake_and_teardown_are_a_connections() -> None:
    with pytest.raises(ValueError, match="for a Connection"):
        Sender("sack", handshake=True)
    with pytest.raises(ValueError, match='must be "syn"'):
        opened().on_control(0.1, Control("reset"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("mss", -1, "mss is -1, must be a whole number from 0 to 4294967295"),
        ("mss", 1.5, "mss is 1.5, must be a whole number"),
        ("dupthresh", 2**40, "dupthresh is 1099511627776, must be a whole number"),
        ("max_window", "1 B", "max_window is '1 B', must be a whole number of bytes"),
        ("max_window", 2**64, "max_window is 18446744073709551616, must be a whole number of bytes"),
        ("min_rto", "1 s", "min_rto is '1 s', must be seconds"),
        ("min_rto", float("nan"), "min_rto is NaN, must be seconds"),
        ("nagle", "yes", "nagle is 'yes', must be True or False"),
        ("recovery", "rak", "or 'linux', not 'rak'"),
        ("recovery", 3, "or 'linux', not 3"),
        ("recovry", "rack", "unknown option 'recovry'; nearest: recovery"),
    ],
)
def test_a_wrong_option_is_named_with_what_was_found_and_what_is_allowed(
    option: str, value: object, message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Sender("sack", **{option: value})  # type: ignore[arg-type]


def test_a_wrong_timestamp_is_named_and_leaves_the_sender_as_it_was() -> None:
    sender = Sender("sack", timestamps=True)
    sender.write(10)
    for stamp in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"timestamp is .* s, must be a reading of a clock"):
            sender.on_ack(5.0, 1460, timestamp=stamp)
    # The clock has not moved.
    sender.on_ack(0.1, 1460, timestamp=0.0)
    assert sender.srtt == pytest.approx(0.1)


def test_the_law_that_is_a_class_is_not_offered_by_name() -> None:
    with pytest.raises(ValueError, match=r"'cubik' is unknown; nearest: cubic; there are: linux-cubic, (?!.*python)"):
        Sender("cubik")


def test_cubics_w_max_and_k_are_those_of_the_rfc() -> None:
    # RFC 9438 §4.2: of 100 segments 70 are kept, K = (30/0.4)^(1/3) = 4.217 s; RFC 6298 §2.2: RTTVAR = 0.1/2 s.
    sender = Sender("cubic", mss=MSS, initial_window=100)
    sender.write(1000)
    assert (sender.w_max, sender.k, sender.rttvar, sender.alpha) == (None, None, None, None)
    for end in range(2, 101):
        sender.on_ack(0.1, 0, sack=[(MSS, end * MSS)])
    # Limited Transmit has sent two more, whose ACK ends the recovery.
    sender.on_ack(0.2, 102 * MSS)
    sender.on_ack(0.3, 103 * MSS)
    assert sender.w_max == 100 * MSS
    assert sender.k == pytest.approx(75 ** (1 / 3))


def test_rttvar_is_half_of_the_first_round_trip() -> None:
    sender = Sender("sack", mss=MSS)
    sender.write(10)
    sender.on_ack(0.1, MSS)
    assert sender.rttvar == pytest.approx(0.05)


def test_alpha_and_the_figures_of_bbr_are_read_by_name() -> None:
    # RFC 8257 §4.2: alpha is 1 at first; the first window without a mark leaves 15/16.
    dctcp = Sender("dctcp", mss=MSS)
    dctcp.write(10)
    assert dctcp.alpha == 1
    dctcp.on_ack(0.1, MSS)
    assert dctcp.alpha == 0.9375
    # The first segment, paced, in a round trip of 0.1 s: 80 kb/s.
    bbr = Sender("bbr", mss=MSS, initial_window=10)
    bbr.write(1000, t=0.0)
    bbr.on_ack(0.1, MSS)
    assert (bbr.max_bandwidth, bbr.min_rtt, bbr.rounds) == (pytest.approx(8e4), pytest.approx(0.1), 1)
    assert Sender("bbr3", mss=MSS).inflight_longterm is None
    assert Sender("sack", mss=MSS).max_bandwidth is None


def test_hystarts_stage_and_racks_reordering_are_read_by_name() -> None:
    assert Sender("cubic", mss=MSS).hystart_stage is None
    sender = Sender("linux-cubic", mss=MSS)
    assert (sender.hystart_stage, sender.reordering_seen) == ("slow_start", False)
    assert Sender("sack", mss=MSS).reordering_seen is None


def test_a_linux_host_is_a_law_with_the_kernels_settings_and_keys_count_more() -> None:
    for name in ("linux-cubic", "linux-reno", "linux-bbr"):
        sender = Sender(name, mss=MSS)
        # The kernel paces BBR, and the others not without fq.
        assert (sender.cwnd_segments, len(sender.write(100))) == (10, 1 if name == "linux-bbr" else 10), name
    assert len(Sender("linux-cubic", mss=MSS, initial_window=4).write(100)) == 4
    with pytest.raises(ValueError, match="there are: linux-cubic, linux-reno, linux-bbr, reno"):
        Sender("linux-vegas")
