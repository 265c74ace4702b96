"""What bursts of reads get of L2, and additions to vectors, as measured on an H200 (benchmarks/silicon/micro/l2)."""

from statistics import mean

import pytest

from testing import silicon_data


@pytest.mark.parametrize("drift", [0, 1])
@pytest.mark.parametrize(("threads", "pause"), [(512, 16), (512, 64), (1024, 64), (1024, 256)])
def test_a_block_that_reads_at_once_uses_what_others_leave(threads: int, pause: int, drift: int) -> None:
    measured, predicted = silicon_data.times(
        "vectors_and_bursts", "h200", threads=threads, lines=4, pause=pause, drift=drift, resident=1
    )
    assert predicted == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("vectors", [1, 2])
@pytest.mark.parametrize("stretches", [32, 64, 128, 256, 512, 4096])
def test_the_busiest_slice_holds_vectors_up(stretches: int, vectors: int) -> None:
    """On average over places: a hash decides."""
    times = [
        silicon_data.times(
            "vectors_and_bursts", "h200", stretches=stretches, vectors=vectors, offset=offset, real=0
        )
        for offset in (0, 5, 42, 303)
    ]
    measured, predicted = (mean(each) for each in zip(*times, strict=True))
    assert predicted == pytest.approx(measured, rel=0.12)
