"""Numbers as people read them."""

import pytest

from dse.tables.text import against_first, microseconds, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (29_440.6, "29,441"),
        (2638.9, "2,639"),
        (0.04567891, "0.04568"),
        (-1234567.0, "-1,234,567"),
        (0.0, "0"),
    ],
)
def test_a_number_has_four_digits_and_no_exponent_where_it_can_be_written_out(
    value: float, text: str
) -> None:
    assert number(value) == text


def test_a_time_is_a_number_with_its_unit() -> None:
    assert microseconds(12345.6) == "12,346 µs"
    assert microseconds(36.46818) == "36.47 µs"


def test_what_is_slower_than_the_first_point_is_said_to_be() -> None:
    assert against_first(1.0626) == "1.06x the space's first point"
    assert against_first(0.0983) == "10.2x slower than the space's first point"
