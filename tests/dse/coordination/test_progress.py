"""The rate that those see who watch a sweep."""

import pytest

from dse.coordination.progress import RateMeter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("dse.coordination.progress.monotonic", clock)
    return clock


def test_the_rate_leaves_out_the_first_point_of_each_gpu_and_needs_some_after_it(clock: Clock) -> None:
    meter = RateMeter(first=2)
    clock.now += 60  # the workers start
    assert meter.rate(1) == 0
    assert meter.rate(2) == 0
    clock.now += 8
    assert meter.rate(5) == 0
    assert meter.rate(6) == 4 / 8
    clock.now += 12
    assert meter.rate(12) == 10 / 20


def test_a_meter_that_comes_later_counts_from_then(clock: Clock) -> None:
    meter = RateMeter(first=1)
    assert meter.rate(50) == 0
    clock.now += 5
    assert meter.rate(60) == 2
    assert meter.rate(0) == 0  # the sweep was extended, and began again
