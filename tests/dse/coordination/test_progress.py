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


def test_the_rate_counts_from_when_the_first_evaluation_began(clock: Clock) -> None:
    meter = RateMeter()
    clock.now += 60  # the workers start
    assert meter.rate(0, took_s=2) == 0
    assert meter.rate(4, took_s=2) == 4 / 2
    clock.now += 8
    assert meter.rate(25, took_s=1) == 25 / 10


def test_a_meter_that_comes_later_counts_from_then(clock: Clock) -> None:
    meter = RateMeter(before=50)
    clock.now += 5
    assert meter.rate(60, took_s=2) == 2
    assert meter.rate(0, took_s=2) == 0  # the sweep was extended, and began again
