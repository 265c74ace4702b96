"""What goes to the LSU waits in order, as measured (benchmarks/silicon/micro/l1/stores_before_shared, pending_room)."""

from typing import NamedTuple

import pytest

from simcore import simulate
from testing import silicon_data

GPUS = ("h200", "h100-sxm")
LINES, WIDE_LINES, FROM_DRAM = 1, 2, 4  # what the stream stores or loads
NOTHING, SHUFFLES, SHARED_LOADS = 0, 1, 2


class Shares(NamedTuple):
    """Of the time for which warps wait."""

    lg: float
    mio: float


def shares_of(stalls: dict[str, float]) -> Shares:
    waits = sum(stalls.values())
    return Shares(stalls["lg_throttle"] / waits, stalls["mio_throttle"] / waits)


def predicted_shares(name: str, **parameters: int) -> Shares:
    point = next(p for p in silicon_data.measured(name) if p.record["parameters"] == parameters)
    return shares_of(dict(simulate(**point.launch()).stalls))


@pytest.mark.parametrize("chain", [SHUFFLES, SHARED_LOADS])
@pytest.mark.parametrize("stream", [LINES, WIDE_LINES, FROM_DRAM])
@pytest.mark.parametrize("gpu", GPUS)
def test_shared_memory_waits_behind_stores_and_loads_on_their_way(gpu: str, stream: int, chain: int) -> None:
    measured, predicted = silicon_data.times("stores_before_shared", gpu, stream=stream, chain=chain)
    assert predicted == pytest.approx(measured, rel=0.13)


def test_stores_alone_fill_the_part_of_the_queue_that_is_theirs() -> None:
    shares = predicted_shares("stores_before_shared", stream=LINES, chain=NOTHING)
    assert shares.lg > 0.5  # measured 0.68
    assert shares.mio < 0.01


def test_stores_among_shuffles_wait_for_the_whole_queue() -> None:
    shares = predicted_shares("stores_before_shared", stream=LINES, chain=SHUFFLES)
    assert shares.lg < 0.1  # measured 0.02
    assert 0.2 < shares.mio < 0.45  # measured 0.31


def test_loads_leave_room_in_the_queue_for_special_registers() -> None:
    shares = predicted_shares("pending_room", lines=14, per=1, sectors=4, sms=132, resident=0)
    assert shares.lg == pytest.approx(0.37, abs=0.08)  # as measured
    assert shares.mio < 0.01


@pytest.mark.parametrize("sectors", [2, 4])
@pytest.mark.parametrize("gpu", GPUS)
def test_half_lines_from_dram(gpu: str, sectors: int) -> None:
    measured, predicted = silicon_data.times(
        "pending_room", gpu, lines=14, per=1, sectors=sectors, sms=132, resident=0
    )
    assert predicted == pytest.approx(measured, rel=0.08)
