"""Output statistics against closed forms, printed tables and SciPy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from photocol.stats import (
    batch_means,
    bootstrap_ranks,
    jain_index,
    mean_ci,
    mser5_warm_up,
    paired_difference_ci,
    student_t_cdf,
    student_t_quantile,
)

values = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50)
shares = st.lists(st.floats(0, 1e12), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("degrees", "printed"), [(1, 12.706), (2, 4.303), (4, 2.776), (5, 2.571), (10, 2.228), (29, 2.045), (120, 1.980)]
)
def test_t_quantiles_are_those_of_the_printed_table(degrees, printed):
    assert student_t_quantile(0.975, degrees) == pytest.approx(printed, abs=5e-4)


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 5000))
def test_t_quantiles_agree_with_scipy(probability, degrees):
    expected = scipy.stats.t.ppf(probability, degrees)
    assert student_t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-8, abs=1e-9)


# Near zero scipy's own value is off by more than this: 0.5 at t = 3.5e-9, where the next test has 0.5 + t · density.
@given(st.floats(-50, 50).filter(lambda t: abs(t) > 1e-6), st.integers(1, 5000))
def test_the_t_distribution_agrees_with_scipy(t, degrees):
    assert student_t_cdf(t, degrees) == pytest.approx(scipy.stats.t.cdf(t, degrees), rel=1e-9, abs=1e-12)


@given(st.floats(-1e-6, 1e-6), st.integers(1, 5000))
def test_near_zero_the_t_distribution_is_a_half_and_its_density(t, degrees):
    assert student_t_cdf(t, degrees) - 0.5 == pytest.approx(t * scipy.stats.t.pdf(0, degrees), rel=1e-6, abs=1e-15)


def test_with_one_degree_of_freedom_t_is_cauchy():
    # The Cauchy quantile is tan(π (p − 1/2)); at p = 3/4 that is 1.
    assert student_t_quantile(0.75, 1) == pytest.approx(1.0, rel=1e-12)


@given(values)
def test_intervals_agree_with_scipy(sample):
    interval = mean_ci(sample)
    spread = float(np.std(sample, ddof=1))
    expected = scipy.stats.t.ppf(0.975, len(sample) - 1) * spread / math.sqrt(len(sample))
    assert interval.mean == pytest.approx(float(np.mean(sample)), rel=1e-9, abs=1e-6)
    assert interval.half_width == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_an_interval_by_hand():
    # 1, 2, 3: mean 2, standard deviation 1, t(2) = 4.3027, half width 4.3027 / √3 = 2.4841.
    interval = mean_ci([1.0, 2.0, 3.0])
    assert (interval.mean, interval.n) == (2.0, 3)
    assert interval.half_width == pytest.approx(2.4841, abs=1e-4)
    assert interval.high - interval.low == pytest.approx(2 * interval.half_width)


def test_one_value_has_no_interval_and_says_so():
    interval = mean_ci([0.7])
    assert math.isnan(interval.half_width)
    assert interval.method == "one value, no interval"


@pytest.mark.parametrize("sample", [[], [1.0, math.nan], [math.inf]])
def test_what_cannot_be_averaged_is_refused(sample):
    with pytest.raises(ValueError, match=r"no values|not a finite number"):
        mean_ci(sample)


def test_the_interval_covers_the_true_mean_as_often_as_it_says():
    # 4000 samples of 5 normal values: coverage 0.95 with a standard error of √(0.95·0.05/4000) = 0.0034.
    draws = np.random.default_rng(1).normal(3.0, 2.0, size=(4000, 5))
    covered = sum(
        abs(interval.mean - 3.0) <= interval.half_width for interval in (mean_ci(row) for row in draws.tolist())
    )
    assert covered / 4000 == pytest.approx(0.95, abs=4 * 0.0034)


def test_what_two_runs_share_cancels_in_the_paired_difference():
    common = [10.0, 20.0, 60.0]
    difference = paired_difference_ci([value + 1.0 for value in common], common)
    assert (difference.mean, difference.half_width) == (1.0, 0.0)


def test_pairs_of_unequal_number_are_refused():
    with pytest.raises(ValueError, match="zip"):
        paired_difference_ci([1.0], [1.0, 2.0])


@given(shares)
def test_fairness_lies_between_one_over_n_and_one(rates):
    assert 1 / len(rates) - 1e-9 <= jain_index(rates) <= 1 + 1e-9


@pytest.mark.parametrize(("rates", "index"), [([5, 5, 5, 5], 1.0), ([1, 0, 0, 0], 0.25), ([1, 3], 0.8), ([0, 0], 1.0)])
def test_fairness_of_known_shares(rates, index):
    assert jain_index(rates) == pytest.approx(index)


def test_a_negative_share_is_refused():
    with pytest.raises(ValueError, match="negative"):
        jain_index([1.0, -1.0])


def test_batch_means_of_an_autoregressive_series_cover_its_mean():
    # x' = 0.9 x + e: the naive interval is √(1.9/0.1) = 4.4 times too narrow; 20 batches of 500 lags are not.
    random = np.random.default_rng(2)
    covered = sum(_ar1_is_covered(random.normal(size=10_000)) for _ in range(200))
    assert covered >= 180


def _ar1_is_covered(noise):
    level, series = 0.0, []
    for step in noise.tolist():
        level = 0.9 * level + step
        series.append(level)
    interval = batch_means(series)
    return interval.low <= 0.0 <= interval.high


def test_batches_are_equal_and_the_remainder_is_left_out_in_front():
    # 100 is left over; the batches are (1, 2) and (3, 4).
    interval = batch_means([100.0, 1.0, 2.0, 3.0, 4.0], batches=2)
    assert (interval.mean, interval.n) == (2.5, 2)
    assert interval.method == "batch means, 2 batches of 2, 95%"


@pytest.mark.parametrize(("batches", "message"), [(1, "at least 2"), (6, "do not fill")])
def test_batches_that_cannot_be_made_are_refused(batches, message):
    with pytest.raises(ValueError, match=message):
        batch_means([1.0] * 5, batches=batches)


def test_a_start_at_the_wrong_level_is_cut_off():
    random = np.random.default_rng(3)
    series = [*(10.0 + random.normal(size=50)).tolist(), *random.normal(size=450).tolist()]
    assert mser5_warm_up(series) == 50


def test_a_steady_series_loses_little():
    assert mser5_warm_up(np.random.default_rng(4).normal(size=500).tolist()) <= 100


def test_a_series_too_short_for_mser5_is_refused():
    with pytest.raises(ValueError, match="at least 10"):
        mser5_warm_up([1.0] * 9)


def test_a_bootstrap_of_three_values_is_counted_by_hand() -> None:
    # The median of a resample is at most the smallest value if two or three of three draws are it: 7 of 27 resamples;
    # at most the middle one in 20 of 27. So 1 is the 5 % point, 2 the median and 3 the 95 % point.
    assert bootstrap_ranks(3, 2, confidence=0.9) == (1, 3)
    assert bootstrap_ranks(3, 2, confidence=1 - 2 * 7 / 27 - 1e-9) == (2, 2)
    assert bootstrap_ranks(3, 2, confidence=1 - 2 * 7 / 27 + 1e-9) == (1, 3)
    assert bootstrap_ranks(1, 1) == (1, 1)
    with pytest.raises(ValueError, match="a rank lies between 1 and 3, not 4"):
        bootstrap_ranks(3, 4)


def test_the_ranks_of_a_bootstrap_are_those_of_drawn_resamples() -> None:
    draws = np.sort(np.random.default_rng(1).integers(1, 201, size=(20_000, 200)), axis=1)[:, 189]
    low, high = bootstrap_ranks(200, 190)
    # A share of 20 000 resamples is known to within 0.0011 · 3; a rank here holds about 0.1 of them in the middle.
    assert (draws <= low).mean() >= 0.025 - 0.0034 and (draws < low).mean() <= 0.025 + 0.0034
    assert (draws <= high).mean() >= 0.975 - 0.0034 and (draws < high).mean() <= 0.975 + 0.0034


def test_bootstrap_intervals_hold_the_quantile_of_a_known_law_as_often_as_they_say() -> None:
    # Exponential flows: the 95 % quantile is ln 20. A binomial number of 400 is below, and the interval holds it if
    # that number reaches the lower rank and not the upper one. 2000 samples know a share of 0.93 within 0.006 · 3.
    values = np.sort(np.random.default_rng(7).exponential(size=(2000, 400)), axis=1)
    low, high = bootstrap_ranks(400, 380)
    holds = (values[:, low - 1] <= np.log(20)) & (np.log(20) < values[:, high - 1])
    exact = np.diff(scipy.stats.binom.cdf([low - 1, high - 1], 400, 0.95))[0]
    assert 0.92 < exact < 0.98
    assert holds.mean() == pytest.approx(exact, abs=0.018)
