"""How long reads from DRAM take beside writes, as measured (benchmarks/silicon/micro/dram/copy_latency)."""

import pytest

from simcore import simulate
from testing import silicon_data

GPUS = ("h200", "h100-sxm")


def times(gpu: str, **parameters: int) -> tuple[float, float]:
    """The measured and the predicted time of a copy, in microseconds."""
    return silicon_data.times("copy_latency", gpu, **{"width": 1, "barrier": 0, **parameters})


@pytest.mark.parametrize("warps", [4, 16, 32])
@pytest.mark.parametrize("gpu", GPUS)
def test_a_load_waits_for_bursts_of_writes(gpu: str, warps: int) -> None:
    alone, predicted_alone = times(gpu, warps=warps, loads=1, stores=0)
    beside, predicted_beside = times(gpu, warps=warps, loads=1, stores=1)
    assert predicted_alone == pytest.approx(alone, rel=0.06)
    assert predicted_beside == pytest.approx(beside, rel=0.06)
    assert predicted_beside - predicted_alone == pytest.approx(beside - alone, rel=0.4)


@pytest.mark.parametrize("loads", [2, 4])
@pytest.mark.parametrize("gpu", GPUS)
def test_each_load_of_a_warp_meets_a_burst_of_its_own(gpu: str, loads: int) -> None:
    measured, predicted = times(gpu, warps=16, loads=loads, stores=loads)
    assert predicted == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("gpu", GPUS)
def test_what_an_sm_leaves_unused_while_its_warps_meet_it_uses_later(gpu: str) -> None:
    measured, predicted = times(gpu, warps=16, loads=1, stores=1, barrier=1)
    assert predicted == pytest.approx(measured, rel=0.08)


@pytest.mark.parametrize("gpu", GPUS)
def test_512_bytes_of_one_load_come_almost_like_one_line(gpu: str) -> None:
    measured, predicted = times(gpu, warps=16, loads=1, stores=0, width=4)
    assert predicted == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("gpu", GPUS)
def test_lines_that_two_warps_read_and_write_half_each_cost_little_more(gpu: str) -> None:
    """As measured by micro/dram/parts_of_lines, 0 to 3 %."""
    (whole, predicted_whole), (parts, predicted_parts) = (
        silicon_data.times("parts_of_lines", gpu, BYTES=16, SHIFT=shift, IN_PLACE=0, megabytes=128)
        for shift in (0, 64)
    )
    assert parts == pytest.approx(whole, rel=0.03)
    assert predicted_parts == pytest.approx(predicted_whole, rel=0.05)


@pytest.mark.parametrize(
    ("unroll", "columns", "off"), [(1, 65536, 0.06), (1, 131072, 0.08), (4, 65536, 0.07), (4, 131072, 0.07)]
)
def test_a_phase_of_reads_waits_for_what_was_written_before(unroll: int, columns: int, off: float) -> None:
    """All blocks read, and then write: predicted 7 to 20 % too fast when writes were paid for as they were issued."""
    measured, predicted = silicon_data.times(
        "phased_rows", "h200", phases=3, unroll=unroll, columns=columns, block_size=1024
    )
    assert predicted == pytest.approx(measured, rel=off)


@pytest.mark.parametrize(("loads", "threads"), [(32, 128), (16, 512), (32, 512)])
def test_all_wait_for_what_dram_brings_once_for_all(loads: int, threads: int) -> None:
    """Rows times and plus two vectors that all blocks read: predicted as fast as without them when a line that DRAM
    brings for one SM was there for the others at once."""
    (alone, predicted_alone), (beside, predicted_beside) = (
        silicon_data.times(
            "row_pieces",
            "h200",
            VECTOR=1,
            LOADS=loads,
            ORDER=0,
            STORES=1,
            MEET=2,
            WEIGHTS=weights,
            threads=threads,
            mebibytes=32,
        )
        for weights in (0, 2)
    )
    assert predicted_alone == pytest.approx(alone, rel=0.05)
    assert predicted_beside == pytest.approx(beside, rel=0.11)
    assert beside - alone > predicted_beside - predicted_alone > 0.3


@pytest.mark.parametrize(("resident", "chunk", "off"), [(1, 16384, 0.03), (0, 65536, 0.05), (0, 16384, 0.05)])
def test_a_copy_is_the_faster_the_sooner_its_blocks_end(resident: int, chunk: int, off: float) -> None:
    measured, predicted = silicon_data.times(
        "copy_order",
        "h200",
        order=1,
        chunk=chunk,
        resident=resident,
        loads=1,
        stores=1,
        warps=64,
        mebibytes=132,
    )
    assert predicted == pytest.approx(measured, rel=off)


@pytest.mark.parametrize(
    ("reads", "writes", "off"), [(0, 1, 0.03), (4, 1, 0.03), (1, 1, 0.03), (1, 2, 0.05), (1, 4, 0.04)]
)
def test_writes_among_reads_pay_for_turns(reads: int, writes: int, off: float) -> None:
    measured, predicted = silicon_data.times(
        "mixed_streams", "h200", reads=reads, writes=writes, each=1, mebibytes=128
    )
    assert predicted == pytest.approx(measured, rel=off)


@pytest.mark.parametrize(("reads", "writes"), [(1, 1), (1, 3), (2, 1)])
def test_what_dram_moves_takes_l2_time(reads: int, writes: int) -> None:
    """A fifth to two fifths of 40 MiB come from DRAM and go there: predicted 11 to 16 % too fast when DRAM's time lay
    wholly beside L2's."""
    measured, predicted = silicon_data.times(
        "mixed_streams", "h200", reads=reads, writes=writes, each=4, mebibytes=40
    )
    assert predicted == pytest.approx(measured, rel=0.05)


def test_rows_in_halves_of_lines_cost_dram_what_whole_lines_do() -> None:
    """A warp with two rows: predicted 19 to 30 % too slow when pages of many rows were not known to be near."""
    point = silicon_data.point_of(
        "validation_ninth", "softmax_dx_f32_lanes", cols=1024, lanes=16, vec=1, stash=1
    )
    predicted = simulate(**point.recipe.launch("h200")).time_us
    assert predicted == pytest.approx(point.time_us, rel=0.05)
