"""What goes past a subroutine comes out behind the call where it went in."""

from typing import Any

import numpy as np
import pytest

from simcore import Buffer, compile_cuda
from simcore.analysis import slicing
from simcore.analysis.calls import subroutines
from simcore.analysis.control_flow import blocks_of
from simcore.lowering.program import Program
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

QUOTIENTS = """
extern "C" __global__ void k(float* x, const int* at, float divisor) {
    const int first = threadIdx.x + blockIdx.x * 1024;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int place = PLACE;
        x[place] = x[place] / divisor;
    }
}"""


def program_of(place: str, gpu: str) -> Program:
    arguments: list[Any] = [Buffer("float32", 4096), Buffer("int32", 4096), np.float32(3)]
    cubin = compile_cuda(QUOTIENTS.replace("PLACE", place), gpu)
    return prepare(LaunchRequest(cubin=cubin, grid=2, block=256, arguments=arguments, gpu=gpu)).program


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
def test_each_call_returns_to_where_it_was_made(gpu: str) -> None:
    """All four divisions call one subroutine, whose blocks lie in no other code."""
    blocks = blocks_of(program_of("first + i * 256", gpu))
    (subroutine,) = subroutines(blocks).values()
    assert len(subroutine.behind) == sum(block.calls is not None for block in blocks) == 4
    assert subroutine.ends <= subroutine.body
    assert not subroutine.body & subroutine.behind


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
@pytest.mark.parametrize(
    ("place", "follows"),
    [("first + i * 256", False), ("at[first + i * 256]", True), ("int(x[first + i])", True)],
)
def test_what_is_divided_by_one_call_is_no_address_behind_another(
    place: str, follows: bool, gpu: str
) -> None:
    """Registers that hold data at one call hold addresses at others, which the subroutine leaves as they are."""
    assert slicing.follows_data(program_of(place, gpu)) == follows
