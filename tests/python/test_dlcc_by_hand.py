"""The machines of DLCC driven by hand: what they say is arithmetic on paper 000."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from photocol.dlcc import Ack, Answer, Book, Estimator, Heard, Reaction, Reservations

if TYPE_CHECKING:
    from collections.abc import Callable

MSS = 536


def test_a_silent_node_asks_for_ever_less() -> None:
    """From 1024 slots/s with nu = 1/2: 512, 256, 128, 64 after four units, their mean 240; then 32 to 4, mean 15."""
    estimator = Estimator(1024, unit_s=0.05, nu=0.5)
    estimator.on_timer(0.2, backlog=0)
    assert (estimator.smoothed, estimator.take_mean(), estimator.take_mean()) == (64.0, 240.0, None)
    assert estimator.next_timer == pytest.approx(0.25)
    estimator.on_timer(0.4, backlog=0)
    assert estimator.take_mean() == 15.0


def test_a_backlog_asks_to_leave_within_tau() -> None:
    """nu = 0, 30 slots in a unit of 50 ms are 600/s; 100 wait: within 50 ms 2000/s more, within 1 s 100/s more."""
    for tau, mean in [(None, 2600.0), (1.0, 700.0)]:
        estimator = Estimator(0, nu=0.0, tau_s=tau)
        estimator.on_arrival(30)
        estimator.on_timer(0.05, backlog=100)
        assert estimator.take_mean() == mean


def test_the_weight_of_the_past_by_each_rule() -> None:
    """20 slots in 50 ms are U = 400/s; S = 200, A = 300, R = 1000, nu = 1/2.

    "constant": 500 + 200; "service": nu is 1/4, 250 + 300; "available": half of the change can be granted, nu is 5/8.
    """
    for rule, smoothed in [("constant", 700.0), ("service", 550.0), ("available", 775.0)]:
        estimator = Estimator(1000, nu_rule=rule)  # type: ignore[arg-type]
        estimator.on_rate(200, 300)
        estimator.on_arrival(20)
        estimator.on_timer(0.05, backlog=0)
        assert estimator.smoothed == pytest.approx(smoothed, abs=0.01)
    with pytest.raises(ValueError, match="nu_rule is 'adaptive'; allowed: constant, service, available"):
        Estimator(1000, nu_rule="adaptive")  # type: ignore[arg-type]


def test_a_request_is_lowered_or_refused() -> None:
    """Of 1000, 300 are promised to another flow: 700 are left."""
    begun = {1: 200.0, 2: 300.0}
    lowered, refused = Reservations(1000, begun=begun), Reservations(1000, beyond="refused", begun=begun)
    assert lowered.ask(1, 900) == Answer(700.0, promised=True)
    assert refused.ask(1, 900) == Answer(200.0, promised=False)
    assert [machine.ask(1, 700) for machine in (lowered, refused)] == 2 * [Answer(700.0, promised=True)]
    assert lowered.ask(2, 301) == Answer(300.0, promised=False)


def test_each_mean_of_notified_losses_takes_off_what_it_says() -> None:
    """Off 1000 after 100, 300 and 500 go their mean, 300; R_1, 300; the largest, 500. A floor of 1/2 keeps 500."""
    for mean, rate in [("running", 700.0), ("printed", 700.0), ("largest", 500.0)]:
        reaction = Reaction(loss_mean=mean)  # type: ignore[arg-type]
        for loss in (100, 300, 500):
            reaction.on_loss(loss, backlog=10)
        assert reaction.rate(1000) == rate
    halved = Reaction(floor=0.5)
    halved.on_loss(900, backlog=10)
    assert halved.rate(1000) == 500.0


def test_the_rate_is_frozen_until_the_buffer_holds_less() -> None:
    reaction = Reaction()
    assert reaction.on_decision(10)
    reaction.on_loss(300, backlog=10)
    assert [reaction.on_decision(backlog) for backlog in (10, 12, 11)] == [False, False, True]
    assert reaction.rate(1000) == 1000.0


def test_the_papers_book_gives_four_acks_and_discards_the_receivers() -> None:
    book = Book()
    for number in range(4):
        book.on_data(0.01 * number, number * MSS, (number + 1) * MSS)
    assert book.on_loss(0.05, 2 * MSS) == Heard("new", 4 * [Ack(2 * MSS)])
    assert book.on_loss(0.05, 2 * MSS) == Heard("repeated", [])
    assert book.on_loss(0.05, 9 * MSS) == Heard("unknown", [])
    assert book.on_ack(0.1, MSS)
    assert not book.on_ack(0.1, 2 * MSS)
    assert (book.holes, book.stuck, book.next_timer) == (0, False, None)


def test_the_papers_book_can_leave_a_hole_and_a_guarded_one_waits() -> None:
    """Segment 1 and then segment 0 are lost: an ACK with the number of 1 says that 0 has arrived."""
    paper, guarded = Book(), Book(guard=True, report_time_s=0.02)
    for book in (paper, guarded):
        book.on_data(0.0, 0, MSS)
        book.on_data(0.01, MSS, 2 * MSS)
    assert paper.on_loss(0.015, MSS).acks == 4 * [Ack(MSS)]
    paper.on_loss(0.016, 0)
    assert paper.holes == 1
    assert guarded.on_loss(0.015, MSS).acks == []
    assert guarded.next_timer == pytest.approx(0.02), "0 left at 0 s, and is reported within 20 ms"
    assert guarded.on_loss(0.016, 0).acks == 4 * [Ack(0)]
    assert guarded.holes == 0


def test_a_book_for_sack_names_what_has_arrived_above_the_hole() -> None:
    """Segment 0 is lost, 1 to 3 have arrived 20 ms after they left, the last at 50 ms."""
    book = Book("dlcc-sack", report_time_s=0.02)
    for number in range(4):
        book.on_data(0.01 * number, number * MSS, (number + 1) * MSS)
        if number == 1:
            assert book.on_loss(0.015, 0).acks == []
    acks: list[Ack] = []
    while not acks and book.next_timer is not None:
        time = book.next_timer
        acks = book.on_timer(time)
    assert time == pytest.approx(0.05)
    assert acks[0] == Ack(0)
    assert acks[-1] == Ack(0, ((MSS, 4 * MSS),))


def test_an_echo_acknowledges_nothing() -> None:
    book = Book("dlcc-ece")
    book.on_data(0.0, MSS, 2 * MSS)
    book.on_ack(0.005, MSS)
    assert book.on_loss(0.01, MSS).acks == [Ack(MSS, ece=True)]


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: Estimator(1, nu=1.0), "nu"),
        (lambda: Estimator(-1), "first_rate"),
        (lambda: Estimator(1, unit_s=0), "unit_s"),
        (lambda: Estimator(1, unit_s=1e-12).on_timer(1, 0), "units"),
        (lambda: Reaction(floor=0), "floor"),
        (lambda: Reaction(loss_mean="mean"), "running, printed"),  # type: ignore[arg-type]
        (lambda: Reservations(1, beyond="no"), "lowered, refused"),  # type: ignore[arg-type]
        (lambda: Book("off"), "ops_acks"),  # type: ignore[arg-type]
        (lambda: Book(artificial_acks=0), "artificial_acks"),
        (lambda: Book().on_data(0, 5, 5), "at least 1 B"),
    ],
)
def test_what_is_not_allowed_is_said(wrong: Callable[[], object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        wrong()
