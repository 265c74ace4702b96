"""What bursts of reads get of L2, and additions to vectors, as measured on an H200 (benchmarks/silicon/micro/l2)."""

from statistics import mean

import pytest

from simcore import simulate
from testing.silicon_data import Measured, measured, point_of


def predicted(point: Measured) -> float:
    return simulate(**point.recipe.launch("h200")).time_us


@pytest.mark.parametrize("drift", [0, 1])
@pytest.mark.parametrize(("threads", "pause"), [(512, 16), (512, 64), (1024, 64), (1024, 256)])
def test_a_block_that_reads_at_once_uses_what_others_leave(threads: int, pause: int, drift: int) -> None:
    point = point_of(
        "vectors_and_bursts",
        "bursts_of_blocks",
        threads=threads,
        lines=4,
        pause=pause,
        drift=drift,
        resident=1,
    )
    assert predicted(point) == pytest.approx(point.time_us, rel=0.06)


@pytest.mark.parametrize("vectors", [1, 2])
@pytest.mark.parametrize("stretches", [32, 64, 128, 256, 512, 4096])
def test_the_busiest_slice_holds_vectors_up(stretches: int, vectors: int) -> None:
    """On average over places: a hash decides."""
    points = [
        point
        for point in measured("vectors_and_bursts")
        if point.space == "vector_atomics"
        and point.measurement.parameters["real"] == 0
        and point.measurement.parameters["stretches"] == stretches
        and point.measurement.parameters["vectors"] == vectors
    ]
    assert len(points) == 4
    times = mean(point.time_us for point in points)
    assert mean(predicted(point) for point in points) == pytest.approx(times, rel=0.12)
