"""Occupancy equals NVIDIA's own arithmetic, and illegal launches are refused by the limit they break."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import LaunchError
from simcore.gpu import Gpu
from simcore.gpu_profiles import gpu_names, load_gpu
from simcore.model.occupancy import check_launch, occupancy

GOLDEN = Path(__file__).parents[1] / "data" / "occupancy.csv"  # written by occupancy.c beside it

gpus = st.sampled_from(gpu_names()).map(load_gpu)
threads = st.integers(1, 1024)
registers = st.integers(1, 255)
shared_bytes = st.integers(0, 232448)


def test_equals_cuda_occupancy_header() -> None:
    with GOLDEN.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 300
    for row in rows:
        got = occupancy(
            load_gpu(row["gpu"]), int(row["threads"]), int(row["registers"]), int(row["shared_bytes"])
        )
        expected = {resource: int(row[f"{resource}_limit"]) for resource in got.limits}
        assert (got.blocks_per_sm, got.limits) == (int(row["blocks_per_sm"]), expected), row


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "theoretical", "limiters"),
    [
        (256, 32, 0, 8, 1.0, ("registers", "warps")),
        (256, 64, 0, 4, 0.5, ("registers",)),
        (1024, 64, 0, 1, 0.5, ("registers",)),
        (128, 40, 48 * 1024, 4, 0.25, ("shared_memory",)),
        (32, 16, 0, 32, 0.5, ("blocks",)),
        (768, 16, 0, 2, 0.75, ("warps",)),
    ],
)
def test_well_known_launches_on_hopper(
    threads: int, registers: int, shared: int, blocks: int, theoretical: float, limiters: tuple[str, ...]
) -> None:
    got = occupancy(load_gpu("h100-sxm"), threads, registers, shared)
    assert (got.blocks_per_sm, got.theoretical, got.limiters) == (blocks, theoretical, limiters)


def test_arithmetic_can_be_read() -> None:
    lines = occupancy(load_gpu("h200"), 256, 64, 1000).arithmetic
    assert lines == (
        "registers: 64 regs x 32 threads -> 2048 per warp, 32 warps per SM, 8 warps per block -> 4 blocks",
        "shared_memory: 1000 bytes + 1024 reserved -> 2048 per block, 233472 per SM -> 114 blocks",
        "warps: 256 threads -> 8 warps per block, 64 per SM -> 8 blocks",
        "blocks: at most 32 per SM -> 32 blocks",
    )


@given(gpus, threads, registers, shared_bytes)
def test_never_exceeds_the_sm(gpu: Gpu, threads: int, registers: int, shared: int) -> None:
    got = occupancy(gpu, threads, registers, shared)
    assert 0 <= got.blocks_per_sm <= gpu.max_blocks_per_sm
    assert 0 <= got.warps_per_sm <= gpu.max_warps_per_sm
    assert got.warps_per_sm * 32 * registers <= gpu.registers_per_sm
    assert got.blocks_per_sm * shared <= gpu.shared_bytes_per_sm
    assert got.theoretical == got.warps_per_sm / gpu.max_warps_per_sm
    assert got.limiters == tuple(name for name, blocks in got.limits.items() if blocks == got.blocks_per_sm)


@given(gpus, threads, registers, shared_bytes, st.integers(0, 255), st.integers(0, 100_000))
def test_needing_more_never_fits_more(
    gpu: Gpu, threads: int, registers: int, shared: int, more_registers: int, more_shared: int
) -> None:
    blocks = occupancy(gpu, threads, registers, shared).blocks_per_sm
    assert occupancy(gpu, threads, registers + more_registers, shared).blocks_per_sm <= blocks
    assert occupancy(gpu, threads, registers, shared + more_shared).blocks_per_sm <= blocks


@given(gpus, threads, registers, shared_bytes)
def test_a_launch_is_legal_exactly_when_a_block_fits(
    gpu: Gpu, threads: int, registers: int, shared: int
) -> None:
    launch = {"dynamic_shared_bytes": shared, "registers_per_thread": registers}
    if occupancy(gpu, threads, registers, shared).blocks_per_sm:
        check_launch(gpu, (threads, 1, 1), (1, 1, 1), **launch)
    else:
        with pytest.raises(LaunchError):
            check_launch(gpu, (threads, 1, 1), (1, 1, 1), **launch)


@pytest.mark.parametrize(
    ("block", "grid", "resources", "message"),
    [
        (
            (1025, 1, 1),
            (1, 1, 1),
            {},
            r"block\.x is 1025, must be from 1 to 1024; the block has 1025 threads",
        ),
        ((64, 32, 1), (1, 1, 1), {}, "the block has 2048 threads, at most 1024"),
        ((1, 1, 65), (1, 1, 1), {}, r"block\.z is 65, must be from 1 to 64"),
        ((0, 1, 1), (1, 1, 1), {}, r"block\.x is 0"),
        ((32, 1, 1), (1, 65536, 1), {}, r"grid\.y is 65536, must be from 1 to 65535"),
        ((32, 1, 1), (1, 1), {}, r"the grid \(1, 1\) needs three numbers"),
        (
            (32, 1, 1),
            (1, 1, 1),
            {"static_shared_bytes": 50000},
            "50000 bytes of static shared .* make it dynamic",
        ),
        ((32, 1, 1), (1, 1, 1), {"dynamic_shared_bytes": 232449}, "232449 bytes of shared .* at most 232448"),
        ((32, 1, 1), (1, 1, 1), {"dynamic_shared_bytes": -1}, "cannot be negative"),
        ((32, 1, 1), (1, 1, 1), {"registers_per_thread": 256}, "256 registers a thread, at most 255"),
        ((1024, 1, 1), (1, 1, 1), {"registers_per_thread": 65}, "1024 threads of 65 registers do not fit"),
    ],
)
def test_an_illegal_launch_names_limit_value_and_gpu(
    block: tuple[int, ...], grid: tuple[int, ...], resources: dict[str, int], message: str
) -> None:
    with pytest.raises(LaunchError, match=f"h200 cannot run this launch: .*{message}"):
        check_launch(load_gpu("h200"), block, grid, **resources)


def test_the_largest_legal_launch_passes() -> None:
    check_launch(load_gpu("h200"), (1024, 1, 1), (2**31 - 1, 65535, 65535), 49152, 232448 - 49152, 64)
