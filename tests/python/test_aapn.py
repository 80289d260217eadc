"""What the experiments of paper 003 read off their runs, against the tables of the same runs."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import photocol
from photocol.experiment import Outcome
from photocol.experiments.catalogue import load_experiment
from photocol.verdict import judge

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "003"
staleness = load_experiment(FOLDER / "staleness.py")
aapn = sys.modules["photocol_experiments.003._aapn"]
readings = sys.modules["photocol_experiments.003._readings"]
case_1 = load_experiment(FOLDER / "case-1.py")
cases = sys.modules["photocol_experiments.003._cases"]
packets = sys.modules["photocol_experiments.003._packets"]


def run(algorithm, step, *, seed=1, **more):
    steps, follows = aapn.algorithm_steps(algorithm, step, [(8, 20), (16, 45)])
    return photocol.run(aapn.scenario(mbps=45, duration_s=24, steps=steps, follows=follows, **more), seed=seed)


@pytest.fixture(scope="module")
def physical():
    return run("xcp", "physical", sample_s=0.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_flow_numbers_are_those_of_the_senders(seed):
    flows = run("xcp", "told", seed=seed).flows
    assert flows["source"].to_list() == [f"s{i}" for i in range(100)]
    assert flows["start_s"].is_sorted()
    assert flows["start_s"][99] < 1


@pytest.mark.parametrize(("algorithm", "step"), [("xcp", "physical"), ("xcp-cl", "told")])
def test_utilization_of_the_allocated_rate_is_what_the_link_carried(algorithm, step):
    result = run(algorithm, step, sample_s=0.1)
    trace = aapn.Trace.of(result)
    assert trace.allocated[[10, 80, 81, 160, 161]].tolist() == [45, 45, 20, 20, 45]
    carried = np.sum(trace.utilization() * trace.allocated * 1e6 * trace.sample_s)
    [total] = result.links.filter(pl.col("link") == aapn.EDGE)["carried_bits"]
    # The last sample is 0.1 s before the end.
    assert carried == pytest.approx(total, abs=0.1 * 45e6)
    assert trace.utilization()[trace.within(13, 16)].mean() <= 1.05


@pytest.mark.parametrize(("rate", "known"), [([2.0, np.nan, 3.0], [2.0, 3.0]), ([np.nan, np.nan], [0.0])])
def test_a_flow_without_a_measured_round_trip_has_the_rate_0(rate, known):
    """In 20 s of back-off there is none: 003/case-2, full form, seed 2, whose metric was no number."""
    assert cases.measured(np.array(rate)).tolist() == known


def test_stated_control_intervals_less_stated_delays_leave_one_constant_way_back():
    for period, interval_s in enumerate((0.28, 0.36, 0.30)):
        forth_ms = np.mean([delays[period] for delays in readings.DELAYS_MS])
        # The intervals have two digits.
        assert 1e3 * interval_s - forth_ms == pytest.approx(readings.BACK_MS, abs=5)


@pytest.mark.parametrize("way_back", ["constant", "groups"])
def test_the_way_back_has_that_mean_in_every_period(way_back):
    for period in range(3):
        assert np.mean([readings.back_ms(way_back, group, period) for group in range(5)]) == readings.BACK_MS


@pytest.mark.parametrize("reading", list(readings.READINGS))
def test_controllers_measure_the_round_trips_of_a_reading(reading):
    network = aapn.scenario(mbps=45, duration_s=90, steps=[], follows=False, **readings.READINGS[reading])
    trace = aapn.Trace.of(photocol.run(network, seed=1))
    for period in range(3):
        measured = np.mean(trace.link("mean_rtt")[trace.late(period)])
        # Equal rates weigh all flows equally; five transmissions take 0.9 ms, and packets wait for their own burst.
        assert measured == pytest.approx(readings.mean_round_trip_s(reading, period) + 0.003, abs=0.006)


def test_more_pairs_of_edge_nodes_leave_the_first_one_as_it_is():
    two, six = (run("xcp", "physical", edge_nodes=nodes) for nodes in (2, 6))
    assert len(six.flows) == 300
    assert six.flows["bytes_acked"].to_list()[:100] == two.flows["bytes_acked"].to_list()


def test_a_claim_is_judged_under_the_default_reading_and_shown_under_each():
    table = pl.DataFrame({"reading": ["constant", "as-forth"], "window": [15.0, 13.0]})
    outcome = Outcome(table=table, replications=table)

    def check(outcome):
        [window] = outcome.table["window"]
        return judge(agrees=window > 14, in_shape=False, measured=f"{window:g}")

    claim = replace(case_1.claims[0], id="windows", check=check)
    [judged] = readings.by_default([claim])
    assert judged.check(outcome).verdict == "agrees"
    [sentence] = readings.side_by_side([claim], outcome)
    assert sentence == "Claim `windows` under each reading: constant, agrees (15); as-forth, disagrees (13)."


def test_drops_of_the_periods_add_up(physical):
    trace = aapn.Trace.of(physical)
    dropped = sum(trace.drops(trace.within(start, start + 8)) for start in (0, 8, 16))
    [total] = physical.links.filter(pl.col("link") == aapn.EDGE)["dropped_units"]
    assert 0 < dropped <= total
    assert dropped == pytest.approx(total, rel=0.02)


def test_the_delay_of_a_packet_is_propagation_five_transmissions_and_what_waits():
    links = [packets.last_link(flow) for flow in aapn.REPORTED]
    result = run("xcp", "physical", sample_s=0.1, trace=packets.traced(list(aapn.REPORTED), links))
    trace = aapn.Trace.of(result)
    queue_ms = float(np.mean(trace.link("mean_queue", aapn.FIRST)[trace.within(4, 8)])) * 8e3 / 45e6 * 1e3
    for flow, propagation_ms in zip(aapn.REPORTED, (110, 130, 150, 130, 110), strict=True):
        delays = packets.within(packets.delays_of(result, flow), 4, 8)
        least = 1e3 * delays.min() - propagation_ms
        assert least >= 5 * 8 / 45 - 1e-6
        assert 1e3 * delays.mean() - propagation_ms <= 5 * 8 / 45 + 3 * queue_ms + 0.5


def test_windows_are_read_after_acks_of_new_data_and_without_inflation():
    """Segments of 100 B. The third is lost: two duplicates inflate the window, the timer sends it again at 9 s."""
    rows = [
        (1, "send", 0, 0),
        (1, "send", 100, 0),
        (2, "ack", 100, 200),  # 300 after it
        (2, "send", 200, 0),
        (3, "ack", 200, 300),  # 400 after it
        (3, "send", 300, 0),
        (4, "ack", 200, 400),  # a duplicate
        (5, "ack", 200, 500),
        (9, "resend", 200, 0),
        (11, "ack", 400, 100),  # 200 after it
        (12, "ack", 500, 200),  # what comes after it is not known
    ]
    columns = {"t_ps": [row[0] * 10**12 for row in rows], "event": [row[1] for row in rows], "flow": [1] * len(rows)}
    trace = pl.DataFrame({**columns, "unit": [row[2] for row in rows], "value": [row[3] for row in rows]})
    acks = packets.Acks.of(trace, 1, 100)
    assert acks.t.tolist() == [2, 3, 11]
    assert acks.window.tolist() == [300, 400, 200]
    assert acks.rtt.tolist() == [1, 2, 8]  # of the segments at 0, 100 and 300, each sent once


def test_the_other_reading_changes_no_rate_and_drops_nothing():
    result = run("xcp-cl", "told")
    links = result.links.filter(pl.col("link") == aapn.EDGE)
    assert (links["dropped_units"][0], links["max_queue"][0]) == (0, 0)


@pytest.mark.parametrize(
    ("signal", "slots", "luck", "told"),
    [
        ("told", 13, 0.9, 13),
        ("slots-6", 13, 0.9, 12),
        ("slots-6", 16, 0.9, 18),
        ("lost-50", 13, 0.49, None),
        ("lost-50", 13, 0.51, 13),
        ("never", 13, 0.99, None),
    ],
)
def test_what_an_imperfect_signal_says(signal, slots, luck, told):
    assert sys.modules["photocol_experiments.003.staleness"].said(signal, slots, luck) == told


def test_the_signal_changes_what_is_told_and_never_what_happens():
    def events(point, what):
        return [event for event in staleness.setup(point).scenario["event"] if what in event]

    fresh, early = ({"interval_s": 1.0, "signal": "told", "age_s": age} for age in (0.0, -0.5))
    assert events(fresh, "capacity") == events(early, "capacity")
    assert len(events(fresh, "told_capacity")) == len(events(fresh, "capacity")) == 195
    assert events(early, "told_capacity")[0]["at"] == "4500000 us"
    assert not events({"interval_s": 1.0, "signal": "never", "age_s": 0.0}, "told_capacity")
