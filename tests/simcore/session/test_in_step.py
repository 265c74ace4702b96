"""Which lines blocks read at the same time as others: neighbours in the order of launch, and blocks far apart."""

import numpy as np
import pytest

from simcore import Buffer, compile_cuda
from simcore.session.in_step import read_in_step
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

WORDS = 1 << 20
PANEL = 4096


def in_step(first: str, grid: int | tuple[int, int], resident: int = 1) -> tuple[float, float]:
    """The shares of what a block reads from a place on, PANEL words, together with others in a row and far apart."""
    source = f"""
    extern "C" __global__ void reads(const float* x, float* y) {{
        const int block = blockIdx.y * gridDim.x + blockIdx.x;
        float sum = 0;
        for (int i = threadIdx.x; i < {PANEL}; i += 128) sum += x[(({first}) + i) % {WORDS}];
        y[block * 128 + threadIdx.x] = sum;
    }}
    """
    arguments = [Buffer("float32", WORDS), Buffer("float32", int(np.prod(grid)) * 128)]
    request = LaunchRequest(
        cubin=compile_cuda(source, "h200"), grid=grid, block=128, arguments=arguments, gpu="h200"
    )
    found = read_in_step(prepare(request), resident)
    (reads, written), far_apart = found.in_a_row, found.far_apart.max(axis=0, initial=0.0)
    assert written == far_apart[1] == 0.0  # what is written is not read
    return float(reads), float(far_apart[0])


@pytest.mark.parametrize(
    ("first", "grid", "shares"),
    [
        (f"block * {PANEL}", 256, (0, 0)),
        ("0", 256, (1, 1)),
        (f"block / 2 * {PANEL}", 256, (1, 0)),
        (f"(block + 1) / 2 * {PANEL}", 256, (1, 0)),
        (f"blockIdx.y * {PANEL}", (16, 16), (1, 0)),
        (f"blockIdx.x * {PANEL}", (16, 16), (0, 1)),
        (f"block % 16 * {PANEL}", 256, (0, 1)),
        (f"block % 12 * {PANEL}", 256, (0, 1)),
    ],
)
def test_lines_that_others_read_with_it(
    first: str, grid: int | tuple[int, int], shares: tuple[float, float]
) -> None:
    assert in_step(first, grid) == shares


def test_halves_that_overlap() -> None:
    assert in_step(f"block * {PANEL // 2}", 256, resident=1) == (0.5, 0)


def test_who_reads_the_same_later_is_not_in_step() -> None:
    """Each block begins 16 KiB behind the one before it: of an SM with four of them 32 KiB are under way in all."""
    overlapping = f"block * {PANEL // 4}"
    assert in_step(overlapping, 256, resident=1) == (0.75, 0)
    assert in_step(overlapping, 256, resident=64) == (0, 0)


def test_a_launch_of_one_block_reads_with_nobody() -> None:
    assert in_step("0", 1) == (0, 0)
