"""What is shown has a prefix and as many digits as mean something; files keep all of them."""

from __future__ import annotations

import math

import pytest

from photocol import Figure, InputError


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (Figure(9.73333e7, "bps"), "97.3 Mb/s"),
        (Figure(20.0, "s", 0.0, 5), "20 s"),
        pytest.param(Figure(20.0, "s", 1e-15, 5), "20 s", id="20 s after rounding"),
        (Figure(3.07649e-4, "s"), "308 µs"),
        (Figure(9.99e8, "bps"), "999 Mb/s"),
        (Figure(9.996e8, "bps"), "1.00 Gb/s"),
        (Figure(749_923.0, "1", 563.0, 5), "749,923 ± 563"),
        (Figure(416.0, "packets", 0.0, 5), "416 packets"),
        (Figure(1553.4, "1", 276.1, 5), "1,553 ± 276"),
        (Figure(6.11e-5, "1", 8.8e-6, 5), "(6.11 ± 0.88)e-5"),
        (Figure(6.67e-5, "1"), "6.67e-5"),
        (Figure(0.999993, "1"), "0.999993"),
        (Figure(0.0559918, "1"), "0.0560"),
        (Figure(16796.6, "B"), "16.8 kB"),
        (Figure(-3.2e6, "bps"), "-3.20 Mb/s"),
        (Figure(9.63, "erlang"), "9.63 erlang"),
        (Figure(0.0, "bps"), "0 b/s"),
        (Figure(5.8, "1", math.nan, 1), "5.80"),
        (Figure(math.nan, "s"), "nan s"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_figure_is_shown_as_people_read_it(figure: Figure, shown: str) -> None:
    assert repr(figure) == f"{figure}" == shown


def test_a_figure_converts_with_its_interval() -> None:
    goodput = Figure(9.73327e7, "bps", 809.0, 5, "Student t")
    there = goodput.to("Mbps")
    assert (float(there), there.half_width, there.unit, there.n) == pytest.approx((97.3327, 8.09e-4, "Mbps", 5))
    assert goodput.to("MB/s") == pytest.approx(12.1666, rel=1e-4)
    assert there.to("bps") == pytest.approx(goodput)
    assert Figure(0.0012, "s").to("ms") == pytest.approx(1.2)
    assert repr(Figure(0.0012, "1").to("%")) == "0.120 %"
    assert Figure(2048.0, "B").to("KiB") == 2.0
    assert Figure(3.0, "erlang").to("erlang") == 3.0


@pytest.mark.parametrize("unit", ["s", "Mbsp", "mb/s"])
def test_a_unit_of_another_kind_is_refused_with_those_that_fit(unit: str) -> None:
    with pytest.raises(InputError, match=f"'bps' cannot be given in '{unit}'; it can in bps, kbps, Mbps"):
        Figure(1.0, "bps").to(unit)


def test_the_files_keep_their_names_and_digits() -> None:
    assert Figure(97333312.5, "bps", 0.0, 5, "t").to_dict() == {
        "value": 97333312.5,
        "unit": "bps",
        "half_width": 0.0,
        "n": 5,
        "method": "t",
    }
