"""What is written word by word reaches L2 as whole sectors as often as on an H200."""

import pytest

from simcore.core.timing.state import COUNT_L2_WRITE_SECTORS
from simcore.session.request import TimingRequest
from simcore.session.timing import run_launch
from testing.silicon_data import Measured, point_of, times

STORED = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
WRITTEN = "lts__t_sectors_op_write.sum"
PASSED_ON = 1.5  # half of what is written is passed on to the other side of L2, and counted there, too


def shares(point: Measured) -> tuple[float, float]:
    """Sectors that L2 is asked to write, of those that stores touch: as measured, and as predicted."""
    counters = point.measurement.counters
    run = run_launch(TimingRequest(**point.recipe.launch("h200")))
    written = run.sm.counters[COUNT_L2_WRITE_SECTORS] / run.sm.issues.sum() * run.warp_instructions
    stored = counters[STORED]
    return counters[WRITTEN] / PASSED_ON / stored, written / stored


@pytest.mark.parametrize(
    ("lines", "groups"),
    [(1, 1), (1, 2), (1, 8), (2, 1), (2, 2), (4, 1), (4, 2), (4, 3), (4, 8), (8, 1), (8, 3), (8, 4), (16, 1)],
)
def test_words_of_a_warp_go_along_with_their_line(lines: int, groups: int) -> None:
    """Alone on its SM, so that lines leave as soon as they can."""
    point = point_of("store_merging", "store_merging", lines=lines, groups=groups, warps=1, delay=0)
    found, predicted = shares(point)
    assert predicted == pytest.approx(found, abs=0.05)


@pytest.mark.parametrize(
    ("file", "space", "parameters", "off"),
    [
        ("validation_sixth", "eigen3x3_batch", {"sweeps": 5, "planes": 0, "threads": 128}, 0.1),
        ("validation_sixth", "l2norm_grad_bf16", {"cols": 3072, "warps_row": 2, "kept": 0}, 0.1),
        ("validation_sixth", "mxfp4_dequant", {"wide": 0, "table": 0, "each": 1}, 0.1),
        (
            "validation_eighth",
            "advect1d_trapezoid",
            {"steps": 4, "items": 4, "in_shared": 0, "threads": 256},
            0.13,
        ),
        ("validation", "lbm_d2q9", {"block_size": 128, "interleaved": 1, "register_cap": None}, 0.17),
    ],
)
def test_structures_are_written_as_on_a_gpu(
    file: str, space: str, parameters: dict[str, int], off: float
) -> None:
    """Neighbouring words by one store after the other, of many warps."""
    found, predicted = shares(point_of(file, space, **parameters))
    assert predicted == pytest.approx(found, abs=off)


@pytest.mark.parametrize("words", [1, 4, 8])
@pytest.mark.parametrize("sectors", [0b1, 0b11, 0b101, 0b1101, 0b1111])
def test_a_store_costs_l2_its_sectors_and_a_mask(sectors: int, words: int) -> None:
    measured, predicted = times("sectors_of_lines", "h200", sectors=sectors, words=words, each=1)
    assert predicted == pytest.approx(measured, rel=0.08)


@pytest.mark.parametrize(
    ("width", "lanes", "record"),
    [(2, 2, 32), (2, 2, 34), (2, 2, 48), (2, 4, 32), (1, 4, 34), (1, 4, 36), (1, 4, 48), (4, 2, 32)],
)
def test_bytes_and_halves_of_words_merge_less_than_words(width: int, lanes: int, record: int) -> None:
    point = point_of(
        "records_in_parts", "records_in_parts", width=width, lanes=lanes, record=record, reads=0, source=8
    )
    found, predicted = shares(point)
    assert predicted == pytest.approx(found, abs=0.1)
