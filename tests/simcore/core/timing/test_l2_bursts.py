"""What bursts of reads get of L2, additions to vectors, and blocks that share tiles, as measured on an H200
(benchmarks/silicon/micro/l2)."""

from statistics import mean

import pytest

from testing import silicon_data


@pytest.mark.parametrize("drift", [0, 1])
@pytest.mark.parametrize(("threads", "pause"), [(512, 16), (512, 64), (1024, 64), (1024, 256)])
def test_a_block_that_reads_at_once_uses_what_others_leave(threads: int, pause: int, drift: int) -> None:
    measured, predicted = silicon_data.times(
        "vectors_and_bursts", "h200", threads=threads, lines=4, pause=pause, drift=drift, resident=1
    )
    assert predicted == pytest.approx(measured, rel=0.065)


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


@pytest.mark.parametrize("copies", [0, 1])
@pytest.mark.parametrize("threads", [64, 256])
def test_what_the_sms_of_a_tpc_share_is_in_l2_once(threads: int, copies: int) -> None:
    """34.6 MB of tiles, which would not stay if they were on both sides."""
    measured, predicted = silicon_data.times(
        "tiles_in_step", "h200", copies=copies, threads=threads, group=2, resident=1, pause=16
    )
    assert predicted == pytest.approx(measured, rel=0.08)


@pytest.mark.parametrize("threads", [64, 256])
@pytest.mark.parametrize("resident", [1, 2, 8])
def test_blocks_that_copy_the_same_tiles_stay_in_step(resident: int, threads: int) -> None:
    measured, predicted = silicon_data.times(
        "tiles_in_step", "h200", copies=1, threads=threads, group=32, resident=resident, pause=16
    )
    assert predicted == pytest.approx(measured, rel=0.12)
