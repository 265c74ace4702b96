"""No number of a GPU is dead: each, doubled, moves the time of some small kernel, and in the right direction."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simcore import Buffer, Gpu, compile_cuda, simulate
from testing.gpu_overrides import SCALARS, changed

SOURCE = (Path(__file__).parent / "data" / "every_number.cu").read_text()
KERNELS = tuple(re.findall(r"^KERNEL\((\w+)\)", SOURCE, re.MULTILINE))
WORDS = 1 << 18
SHAPES = ((4, 64), (264, 256), (1320, 256))
"""Blocks and threads."""

FASTER = (
    "sms", "clock_mhz", "schedulers_per_sm", "l2_bytes", "l2_slices", "l2_kept_share", "l2_lost_share",
    "dram_gb_per_s", "memory_buffer_depth", "lg_queue_depth", "mio_queue_depth", "write_buffer_lines", "tag_banks",
    "tag_lines_together", "l2_write_backlog", "l1_and_shared_bytes_per_sm", "l0_instruction_bytes",
    "l1_instruction_bytes", "l15_instruction_bytes", "constant_bytes", "operand_read_window", "prefetch_lines",
)  # fmt: skip
EITHER = (
    "fma_lite_interval", "code_line_bytes", "dram_fetch_bytes", "l1_ways", "l2_ways", "l0_instruction_ways",
    "l1_instruction_ways", "l15_instruction_ways", "constant_ways", "constant_fetch_bytes", "constant_requests",
    "l2_slice_bytes", "max_warps_per_sm",
)  # fmt: skip
"""Shapes of which neither is the better: who meets whom in a set changes."""

LIMITS = (
    *(field for field in SCALARS if field.startswith("max_") and field != "max_warps_per_sm"),
    "registers_per_sm", "register_allocation_unit", "warp_allocation_granularity", "shared_bytes_per_sm",
    "shared_bytes_per_block", "shared_bytes_per_block_optin", "shared_allocation_unit",
    "shared_reserved_bytes_per_block",
)  # fmt: skip
"""What decides whether a launch is legal, and how many blocks are resident: `test_overrides` and `test_occupancy`."""


@cache
def time_of(kernel: str, shape: tuple[int, int], gpu: Gpu, cold: bool) -> float:
    buffers = (Buffer("float32", 4 * WORDS), Buffer("float32", 4 * WORDS), Buffer("int32", WORDS))
    return simulate(
        cubin=compile_cuda(SOURCE, "h200"),
        kernel=kernel,
        grid=shape[0],
        block=shape[1],
        arguments=[*buffers, np.int32(WORDS)],
        gpu=gpu,
        cold=cold,
    ).time_us


def moved(before: Gpu, after: Gpu) -> tuple[str, float] | None:
    """The first kernel whose time differs, and by which factor."""
    for shape in SHAPES:
        for kernel in KERNELS:
            for cold in (False, True):
                factor = time_of(kernel, shape, after, cold) / time_of(kernel, shape, before, cold)
                if factor != 1:
                    return f"{kernel} {shape}", factor
    return None


@pytest.mark.parametrize("field", [field for field in SCALARS if field not in LIMITS])
def test_each_number_moves_a_prediction(field: str) -> None:
    before, after = changed(field)
    found: Any = moved(before, after)
    assert found, "no kernel's time moves"
    kernel, factor = found
    grows = getattr(after, field) > getattr(before, field)
    better = field in FASTER or "bytes_per_cycle" in field
    assert field in EITHER or (factor < 1) == (grows == better), (kernel, factor)
