"""QUIC's two ends by hand, with values from RFC 9000, RFC 9002 and arithmetic."""

from __future__ import annotations

import pytest

from photocol.transport import QuicError, QuicReceiver, QuicSender
from photocol.transport.quic import ack_fields, ack_ranges


def bare(algorithm: str = "newreno", **options: object) -> QuicSender:
    """A sender that adds nothing to what is sent by hand."""
    given = {"pto_packets": 0, "recovery_packet": False, "paced": False, **options}
    return QuicSender(algorithm, **given)  # type: ignore[arg-type]


def test_before_a_sample_a_pto_is_999_ms_and_the_peers_delay() -> None:
    # §6.2.2: kInitialRtt = 333 ms; 333 + 4 · 166.5 + 25 = 1024 ms, doubled by each expiry.
    sender = bare()
    sender.send(0.0)
    assert sender.timer == ("pto", pytest.approx(1.024))
    assert (sender.loss_detection_timer, sender.max_ack_delay) == (pytest.approx(1.024), pytest.approx(0.025))
    sender.on_timer(1.024)
    assert (sender.pto_count, sender.timer) == (1, ("pto", pytest.approx(2.048)))


def test_a_pto_counts_from_the_last_packet_that_asks_for_an_ack() -> None:
    sender = bare()
    sender.send(0.0)
    sender.send(0.5, kind="padding")
    sender.send(0.6, kind="ack")
    assert sender.timer == ("pto", pytest.approx(1.024))
    assert (sender.bytes_in_flight, sender.sent_packets) == (2400, [0, 1, 2])


def test_the_ack_delay_counts_up_to_the_peers_maximum_and_not_below_min_rtt() -> None:
    sender = bare()
    sender.send(0.0, 4)
    # The first sample takes no delay out: srtt = 100, rttvar = 50.
    sender.on_ack(0.1, [(0, 0)], delay=0.02)
    assert (sender.smoothed_rtt, sender.rttvar, sender.min_rtt) == pytest.approx((0.1, 0.05, 0.1))
    # 140 - min(60, 25) = 115: rttvar = 3/4 · 50 + 1/4 · 15 = 41.25, srtt = 7/8 · 100 + 1/8 · 115 = 101.875.
    sender.on_ack(0.14, [(0, 1)], delay=0.06)
    assert (sender.smoothed_rtt, sender.rttvar) == pytest.approx((0.101875, 0.04125))
    # 120 < 100 + 25: nothing is taken out.
    sender.send(0.14)
    sender.on_ack(0.26, [(4, 4), (0, 1)], delay=0.03)
    assert sender.latest_rtt == pytest.approx(0.12)
    assert sender.smoothed_rtt == pytest.approx(7 / 8 * 0.101875 + 1 / 8 * 0.12)


def test_persistent_congestion_leaves_two_packets_and_the_threshold() -> None:
    for apart, is_persistent in ((0.825, False), (0.825001, True)):
        sender = bare(initial_window=20)
        sender.send(0.0)
        sender.on_ack(0.1, [(0, 0)])
        sender.send(0.2)
        sender.send(0.2 + apart)
        sender.send(1.3, 3)
        # A second sample of 100 ms comes first: rttvar = 3/4 · 50. Three times 100 + 4 · 37.5 + 25 are 825 ms.
        sender.on_ack(1.4, [(5, 5), (0, 0)])
        assert (sender.lost, sender.is_persistent) == ([1, 2], is_persistent)
    assert (sender.congestion_window, sender.congestion_recovery_start_time) == (2400, None)
    assert sender.ssthresh == 12000


def test_one_loss_is_no_persistent_congestion_and_an_ack_between_breaks_it() -> None:
    for between in (False, True):
        sender = bare(initial_window=20)
        sender.send(0.0)
        sender.on_ack(0.1, [(0, 0)])
        sender.send(0.2)
        sender.send(0.7)
        sender.send(1.2)
        sender.send(1.3, 3)
        arrived = [(6, 6), (2, 2), (0, 0)] if between else [(6, 6), (0, 0)]
        sender.on_ack(1.4, arrived)
        assert sender.is_persistent is not between


def test_losses_of_one_round_trip_cut_once() -> None:
    sender = bare()
    sender.send(0.0, 10)
    sender.on_ack(0.1, [(3, 3)])
    # Packets 1 and 2 are lost later, and left before the cut.
    assert (sender.lost, sender.congestion_window) == ([0], 6000)
    sender.on_ack(0.11, [(3, 9)])
    assert (sender.lost, sender.congestion_window) == ([1, 2], 6000)
    assert sender.counters["loss_events"] == 1


def test_an_unused_window_does_not_grow() -> None:
    # §7.8: five of ten packets are in flight.
    grown = {}
    for underuse in ("since-sent", "at-ack", "ignored"):
        sender = bare(underuse=underuse)
        sender.send(0.0, 5)
        sender.on_ack(0.1, [(0, 4)])
        grown[underuse] = sender.congestion_window
    assert grown == {"since-sent": 12000, "at-ack": 12000, "ignored": 18000}


def test_a_full_window_grows_by_what_is_acknowledged() -> None:
    sender = bare()
    sender.send(0.0, 10)
    sender.on_ack(0.1, [(0, 0)])
    sender.on_ack(0.1, [(0, 9)])
    assert sender.congestion_window == 24000


def test_counts_that_cannot_be_end_ecn_and_a_mark_cuts() -> None:
    cases = {"absent": None, "short": (1, 0, 0), "foreign": (2, 1, 0)}
    for counts in cases.values():
        sender = bare(ecn=True)
        assert {packet.ecn for packet in sender.send(0.0, 2)} == {"ect0"}
        sender.on_ack(0.1, [(0, 1)], ecn=counts)
        assert not sender.uses_ecn
        assert sender.send(0.2)[0].ecn == "not-ect"
    sender = bare(ecn=True)
    sender.send(0.0, 10)
    sender.on_ack(0.1, [(0, 1)], ecn=(1, 0, 1))
    assert (sender.uses_ecn, sender.ecn_ce_counters, sender.congestion_window) == (True, 1, 6000)
    # Fewer than before, in an ACK that raises the largest number.
    sender.on_ack(0.11, [(0, 2)], ecn=(1, 0, 0))
    assert not sender.uses_ecn


def test_marks_of_a_path_are_news_and_no_congestion() -> None:
    """reTCP doubles its window on the circuit and halves it behind. Slow start adds two packets for each ACK."""
    sender = bare("retcp", path_marks=True)
    assert {packet.ecn for packet in sender.send(0.0, 10)} == {"ect0"}
    windows = []
    for largest, counts in ((1, (2, 0, 0)), (3, (2, 0, 2)), (5, (2, 0, 4)), (7, (4, 0, 4))):
        sender.on_ack(0.1, [(0, largest)], ecn=counts)
        windows.append((sender.figures["circuit"], sender.congestion_window / 1200))
    assert windows == [(0, 12), (1, 28), (1, 30), (0, 16)]
    with pytest.raises(ValueError, match="needs a law that hears news"):
        bare("cubic", path_marks=True)


def test_what_was_never_sent_is_a_protocol_violation() -> None:
    sender = bare()
    sender.send(0.0)
    sender.skip(2)
    sender.send(0.0)
    for ranges in ([(4, 4)], [(0, 3)], [(1, 1)]):
        with pytest.raises(QuicError, match="PROTOCOL_VIOLATION"):
            sender.on_ack(0.1, ranges)
    sender.on_ack(0.1, [(3, 3), (0, 0)])
    assert sender.acked == [0, 3]
    for ranges in ([], [(3, 2)], [(0, 1), (3, 3)], [(2, 3), (1, 1)]):
        with pytest.raises(QuicError, match="FRAME_ENCODING_ERROR"):
            sender.on_ack(0.1, ranges)
    # Also when all of that is long over.
    sender.send(0.2, 5)
    sender.on_ack(0.3, [(3, 8), (0, 0)])
    sender.send(0.3)
    with pytest.raises(QuicError, match="PROTOCOL_VIOLATION"):
        sender.on_ack(0.4, [(0, 9)])
    assert ack_ranges(*ack_fields([(8, 10), (5, 5), (0, 2)])) == [(8, 10), (5, 5), (0, 2)]


def test_skipped_numbers_count_as_reordering() -> None:
    # §6.1.1 goes by numbers: with two skipped, the next packet but one shows the loss.
    sender = bare()
    sender.send(0.0)
    sender.skip(2)
    sender.send(0.0)
    sender.on_ack(0.1, [(3, 3)])
    assert sender.lost == [0]


def test_a_late_packet_raises_an_adaptive_threshold() -> None:
    thresholds = {}
    for rule in ("fixed", "adaptive"):
        sender = bare(threshold_rule=rule)
        sender.send(0.0, 10)
        sender.on_ack(0.1, [(1, 6)])
        assert sender.lost == [0]
        sender.on_ack(0.101, [(0, 6)])
        assert (sender.spurious, sender.acked) == ([0], [])
        thresholds[rule] = (sender.packet_threshold, sender.time_threshold)
    assert thresholds == {"fixed": (3, 1.125), "adaptive": (7, 1.25)}


def test_a_probe_carries_new_data_or_the_oldest() -> None:
    sender = QuicSender("newreno", paced=False, initial_window=2)
    first = sender.write(5000, t=0.0)
    assert [(packet.start, packet.length, packet.size) for packet in first] == [(0, 1162, 1200), (1162, 1162, 1200)]
    probes = sender.on_timer(2.0)
    assert [(packet.start, packet.again, packet.probe) for packet in probes] == [
        (2324, False, True),
        (3486, False, True),
    ]
    probes = sender.on_timer(6.0)
    assert [(packet.start, packet.length, packet.again) for packet in probes] == [(4648, 352, False), (0, 1162, True)]
    sender.on_ack(6.1, [(0, 5)])
    assert (sender.is_complete, sender.bytes_acked, sender.pto_count) == (True, 5000, 0)


def test_lost_bytes_leave_under_new_numbers_before_new_ones() -> None:
    sender = QuicSender("newreno", paced=False, initial_window=10)
    sender.write(30 * 1162, t=0.0)
    again = [packet for packet in sender.on_ack(0.1, [(1, 5)]) if packet.again]
    assert [(packet.number, packet.start) for packet in again] == [(10, 0)]


def test_streams_share_in_turn_or_by_priority() -> None:
    for order, streams in (("round-robin", [0, 1, 0, 1]), ("priority", [0, 0, 0, 0])):
        sender = QuicSender("newreno", paced=False, initial_window=4, streams=2, stream_order=order)
        assert [packet.stream for packet in sender.write(20_000, t=0.0)] == streams


def test_a_lost_packet_holds_back_its_own_stream_alone() -> None:
    # Eight packets in turn on 1 or on 4 streams; packet 1 is lost. Of one stream packet 0 can be read; of four all but
    # those of stream 1, packets 1 and 5.
    for streams, readable in ((1, 1), (4, 6)):
        sender = QuicSender("newreno", paced=False, streams=streams)
        receiver = QuicReceiver()
        for packet in sender.write(8 * 1162, t=0.0):
            if packet.number != 1:
                receiver.on_packet(0.05, packet.number, data=place_of(packet))
        assert (receiver.bytes_read, receiver.bytes_arrived) == (readable * 1162, 7 * 1162)


def test_a_window_of_a_stream_that_is_used_up_in_a_round_trip_doubles() -> None:
    # RFC 9000 §4.1: the first thousand bytes take 0.1 s, which is the shortest time so far.
    receiver = QuicReceiver(stream_window=1000, largest_window=4000, ack_every=1)
    ack = receiver.on_packet(0.1, 0, data=(0, 0, 1000))
    assert ack is not None and ack.max_stream_data == [1000 + 2000]
    # 2000 B in 0.1 s: as quick, so that it doubles to the bound.
    ack = receiver.on_packet(0.2, 1, data=(0, 1000, 2000))
    assert ack is not None and ack.max_stream_data == [3000 + 4000]
    ack = receiver.on_packet(0.25, 2, data=(0, 3000, 4000))
    assert ack is not None and ack.max_stream_data == [7000 + 4000]


def test_a_peer_bounds_what_is_sent() -> None:
    sender = QuicSender("newreno", paced=False, peer_max_data=3000)
    assert sum(packet.length or 0 for packet in sender.write(10_000, t=0.0)) == 3000
    more = sender.on_ack(0.1, [(0, 2)], max_data=4000)
    assert sum(packet.length or 0 for packet in more) == 1000


def test_paced_packets_leave_at_five_quarters_of_the_window_in_a_round_trip() -> None:
    sender = QuicSender("newreno", initial_window=10)
    assert len(sender.write(100_000, t=0.0)) == 10
    sender.on_ack(0.1, [(0, 9)])
    # 20 packets of 1200 B in 100 ms, and a quarter more: 2.4 Mb/s; the bucket was refilled meanwhile.
    assert sender.pacing_rate == pytest.approx(1.25 * 20 * 1200 * 8 / 0.1)
    due = sender.timers["pacing"]
    assert len(sender.on_timer(due)) == 1
    assert sender.timers["pacing"] - due == pytest.approx(1200 * 8 / sender.pacing_rate)


def test_a_second_packet_or_25_ms_bring_an_ack() -> None:
    receiver = QuicReceiver()
    assert receiver.on_packet(1.0, 0) is None
    assert receiver.next_timer == pytest.approx(1.025)
    ack = receiver.on_packet(1.0101, 1)
    assert ack is not None and ack.ranges == [(0, 1)] and receiver.next_timer is None
    receiver.on_packet(1.02, 2)
    late = receiver.on_timer(1.045)
    # 25 ms in units of 8 µs.
    assert late is not None and late.delay == pytest.approx(0.025, abs=8e-6)


def test_reordering_and_marks_are_told_at_once() -> None:
    receiver = QuicReceiver(ack_every=10)
    assert receiver.on_packet(0.0, 0) is None
    gap = receiver.on_packet(0.01, 2)
    assert gap is not None and gap.ranges == [(2, 2), (0, 0)]
    filled = receiver.on_packet(0.02, 1)
    assert filled is not None and filled.ranges == [(0, 2)]
    marked = receiver.on_packet(0.03, 3, ecn="ce")
    assert marked is not None and marked.ecn == (0, 0, 1)
    # A packet that asks for nothing gets no ACK, whatever it carries.
    assert receiver.on_packet(0.04, 9, ack_eliciting=False, ecn="ce") is None


def test_the_delay_is_that_of_the_largest_number() -> None:
    # §13.2.5, whether it asks for an ACK or not.
    receiver = QuicReceiver()
    receiver.on_packet(0.0, 0)
    receiver.on_packet(0.010, 1, ack_eliciting=False)
    ack = receiver.on_timer(0.025)
    assert ack is not None and ack.delay == pytest.approx(0.015, abs=8e-6)


def test_a_higher_reordering_threshold_waits() -> None:
    # draft-ietf-quic-ack-frequency: with 3, a missing packet is told when one three numbers later has come.
    receiver = QuicReceiver(ack_every=100, reordering_threshold=3)
    told = [receiver.on_packet(0.001 * number, number) is not None for number in (0, 2, 3, 4, 5)]
    assert told == [False, False, False, True, False]
    assert QuicReceiver(ack_every=100, reordering_threshold=0).on_packet(0.0, 5) is None


def test_the_lowest_ranges_are_forgotten_and_not_taken_again() -> None:
    receiver = QuicReceiver(ack_ranges=2)
    for number in (0, 2, 4):
        ack = receiver.on_packet(0.0, number)
    assert ack is not None and ack.ranges == [(4, 4), (2, 2)]
    assert receiver.on_packet(0.0, 0) is None
    assert receiver.duplicates == 1


def test_more_than_was_permitted_is_an_error() -> None:
    receiver = QuicReceiver(receive_window=1000, max_streams=2)
    with pytest.raises(QuicError, match="FLOW_CONTROL_ERROR"):
        receiver.on_packet(0.0, 0, data=(0, 500, 501))
    # RFC 9000 §19.8 and §12.3: places in streams and numbers are below 2^62.
    with pytest.raises(QuicError, match="FRAME_ENCODING_ERROR"):
        receiver.on_packet(0.0, 0, data=(0, 2**62 - 1, 1))
    with pytest.raises(QuicError, match="PROTOCOL_VIOLATION"):
        receiver.on_packet(0.0, 2**62)
    with pytest.raises(QuicError, match="STREAM_LIMIT_ERROR"):
        receiver.on_packet(0.0, 0, data=(2, 0, 1))
    receiver.on_packet(0.0, 1, data=(0, 500, 500))
    ack = receiver.on_packet(0.0, 2, data=(0, 0, 500))
    assert ack is not None and (receiver.bytes_read, ack.max_data) == (1000, 2000)


def test_a_window_that_is_used_up_in_a_round_trip_doubles() -> None:
    receiver = QuicReceiver(receive_window=1000, largest_window=4000)
    windows = []
    for place in range(12):
        # A thousand bytes each 100 ms.
        ack = receiver.on_packet(0.1 * (place + 1), 2 * place, data=(0, 1000 * place, 1000)) or receiver.ack(
            0.1 * (place + 1)
        )
        assert ack is not None and ack.max_data is not None
        windows.append(ack.max_data - 1000 * (place + 1))
    # 1000 B in 100 ms, then 2000 B in 200: that is not less than twice the shortest time.
    assert windows[0] == 2000 and set(windows[1:]) == {2000}


@pytest.mark.parametrize("law", ["newreno", "cubic"])
def test_in_slow_start_the_window_grows_by_all_that_is_acknowledged(law: str) -> None:
    """RFC 9002 §7.3.1; TCP's laws alone count one segment of an ACK (RFC 5681 §3.1)."""
    given = [{}] if law == "newreno" else [{}, {"slow_start_counts": "segment"}]
    for options, packets in zip(given, [12, 11], strict=False):
        sender = bare(law, initial_window=10, **options)
        sender.send(0.0, 10)
        sender.on_ack(0.1, [(0, 1)])
        assert sender.congestion_window == packets * 1200


def test_every_law_that_no_router_tells_runs() -> None:
    with pytest.raises(ValueError, match="there are: ") as error:
        QuicSender("tahoe")
    names = str(error.value).split("there are: ")[1].split(", ")
    assert {"newreno", "cubic", "bbr", "bbr3", "copa", "prague", "dctcp", "vegas"} <= set(names)
    assert not {"xcp", "hpcc", "powertcp", "rcp", "python", "sack"} & set(names)
    for name in names:
        ecn = name in {"dctcp", "prague", "abc"}
        sender, receiver = QuicSender(name, ecn=ecn), QuicReceiver()
        now, packets = 0.0, sender.write(300_000, t=0.0)
        for _ in range(2000):
            acks = [receiver.on_packet(now, one.number, ecn=one.ecn, data=place_of(one)) for one in packets]
            now += 0.01
            packets = [more for ack in acks if ack for more in sender.on_ack(now, ack.ranges, delay=0.0, ecn=ack.ecn)]
            due = [time for time in (sender.next_timer, receiver.next_timer) if time is not None]
            if sender.is_complete:
                break
            if not packets and due:
                now = max(now, min(due))
                late = receiver.on_timer(now)
                packets = sender.on_timer(now)
                packets += sender.on_ack(now, late.ranges, ecn=late.ecn) if late else []
        assert (sender.is_complete, receiver.bytes_read) == (True, 300_000), name
        assert sender.counters["retransmissions"] == 0, name


def place_of(packet: object) -> tuple[int, int, int]:
    """The place of a packet's bytes."""
    _, _, stream, start, length, *_ = packet  # type: ignore[misc]
    return stream, start, length


def test_mistakes_are_told_in_words() -> None:
    for options, message in (
        ({"peer_max_ack_delay": 20.0}, "peer_max_ack_delay must be below"),
        ({"overhead": 1200}, "overhead must leave room"),
        ({"initial_window": 1}, "initial_window must hold minimum_window"),
        ({"c": 0.4}, "c is for cubic"),
    ):
        with pytest.raises(ValueError, match=message):
            QuicSender("newreno", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="nearest: packet_threshold"):
        QuicSender("newreno", packet_treshold=4)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="ecn must be true"):
        QuicSender("dctcp")
    with pytest.raises(ValueError, match="must be a law that no router tells"):
        QuicSender("hpcc")
