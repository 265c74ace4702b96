"""Occupancy as a function of one of block size, registers and shared memory, the others as they are: staircases."""

from collections.abc import Mapping
from dataclasses import dataclass

from simcore.gpu import Gpu
from simcore.model.occupancy import THREADS_PER_WARP, Occupancy, occupancy


@dataclass(frozen=True)
class Step:
    """A stretch over which the number of resident blocks and the limiter are the same.

    Attributes:
        first, last: the values, both included.
        occupancy: what is resident at the last one.
    """

    first: int
    last: int
    occupancy: Occupancy


def occupancy_curves(
    gpu: Gpu, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int
) -> dict[str, list[Step]]:
    """The curves through a launch, by `block`, `registers` and `shared`.

    Block sizes are whole warps, and shared memory is counted in its allocation unit.
    """
    unit = gpu.shared_allocation_unit
    return {
        "block": _steps(
            {
                threads: occupancy(gpu, threads, registers_per_thread, shared_bytes_per_block)
                for threads in range(THREADS_PER_WARP, gpu.max_threads_per_block + 1, THREADS_PER_WARP)
            }
        ),
        "registers": _steps(
            {
                registers: occupancy(gpu, threads_per_block, registers, shared_bytes_per_block)
                for registers in range(1, gpu.max_registers_per_thread + 1)
            }
        ),
        "shared": _steps(
            {
                shared: occupancy(gpu, threads_per_block, registers_per_thread, shared)
                for shared in range(0, gpu.shared_bytes_per_block_optin + 1, unit)
            }
        ),
    }


def _steps(points: Mapping[int, Occupancy]) -> list[Step]:
    steps: list[Step] = []
    for value, found in points.items():
        if steps and _is_alike(steps[-1].occupancy, found):
            steps[-1] = Step(steps[-1].first, value, found)
        else:
            steps.append(Step(value, value, found))
    return steps


def _is_alike(one: Occupancy, other: Occupancy) -> bool:
    return (one.blocks_per_sm, one.warps_per_sm, one.limiters) == (
        other.blocks_per_sm,
        other.warps_per_sm,
        other.limiters,
    )
