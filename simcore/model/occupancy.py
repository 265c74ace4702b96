"""How many blocks of a launch fit on one SM, what limits them, and whether the launch is legal.

The arithmetic is that of NVIDIA's `cuda_occupancy.h` (CUDA 13.0) for compute capability 8.0 and later, with
the largest shared-memory carve-out. It is kept as text so that a user can check it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simcore.errors import LaunchError
from simcore.gpu import Gpu
from simcore.machine_code.cubin import Kernel

THREADS_PER_WARP = 32


@dataclass(frozen=True)
class Occupancy:
    """What is resident on one SM.

    Attributes:
        blocks_per_sm: resident blocks per SM; 0 if not even one fits.
        warps_per_sm: resident warps per SM.
        theoretical: resident warps divided by the SM's warp slots, 0 to 1.
        limits: blocks that each resource alone would allow: registers, shared_memory, warps, blocks.
        limiters: the limiting resources, in that order; more than one if they tie.
        arithmetic: one readable line per resource.
    """

    blocks_per_sm: int
    warps_per_sm: int
    theoretical: float
    limits: dict[str, int]
    limiters: tuple[str, ...]
    arithmetic: tuple[str, ...]


@dataclass(frozen=True)
class _Limit:
    resource: str
    blocks: int
    steps: str

    def __str__(self) -> str:
        return f"{self.resource}: {self.steps} -> {self.blocks} blocks"


def occupancy(
    gpu: Gpu, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int
) -> Occupancy:
    """Compute the theoretical occupancy of a launch.

    Args:
        gpu: the profile with the limits.
        threads_per_block: at least 1.
        registers_per_thread: as the compiler reports them.
        shared_bytes_per_block: static and dynamic together, without the system's reserve.
    """
    warps = _divide_up(threads_per_block, THREADS_PER_WARP)
    limits = (
        _register_limit(gpu, warps, registers_per_thread),
        _shared_memory_limit(gpu, shared_bytes_per_block),
        _warp_limit(gpu, warps, threads_per_block),
        _Limit("blocks", gpu.max_blocks_per_sm, f"at most {gpu.max_blocks_per_sm} per SM"),
    )
    blocks = min(limit.blocks for limit in limits)
    return Occupancy(
        blocks_per_sm=blocks,
        warps_per_sm=blocks * warps,
        theoretical=blocks * warps / gpu.max_warps_per_sm,
        limits={limit.resource: limit.blocks for limit in limits},
        limiters=tuple(limit.resource for limit in limits if limit.blocks == blocks),
        arithmetic=tuple(str(limit) for limit in limits),
    )


def in_words(limiters: Sequence[str]) -> str:
    """The limiting resources in a sentence, as in `registers, warps and blocks`."""
    *others, last = [limiter.replace("_", " ") for limiter in limiters] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def shared_bytes_of_block(gpu: Gpu, shared_bytes: int) -> int:
    """Shared memory that a block with so much of its own takes up, with the system's part."""
    return _round_up(shared_bytes + gpu.shared_reserved_bytes_per_block, gpu.shared_allocation_unit)


def warps_of_scheduler(gpu: Gpu, registers_per_thread: int) -> int:
    """How many warps a scheduler's sub-partition has registers for: they are allocated to whole warps."""
    return gpu.registers_per_sm // gpu.schedulers_per_sm // _registers_of_warp(gpu, registers_per_thread)


def check_architecture(kernel: Kernel, gpu: Gpu) -> None:
    """Raise LaunchError if a kernel was compiled for another architecture than a GPU's."""
    if kernel.architecture != gpu.architecture.rstrip("af"):
        raise LaunchError(
            f"{kernel.called} was compiled for {kernel.architecture}, but {gpu.name} is {gpu.architecture}"
        )


def check_launch_bounds(kernel: Kernel, block: Sequence[int]) -> None:
    """Raise LaunchError if a block is larger than the kernel was compiled for."""
    threads = math.prod(block)
    if kernel.max_threads is not None and threads > kernel.max_threads:
        raise LaunchError(
            f"the block has {threads} threads, but the __launch_bounds__ of {kernel.called} allow "
            f"{kernel.max_threads}; launch smaller blocks, or raise the bounds"
        )


def check_launch(
    gpu: Gpu,
    block: Sequence[int],
    grid: Sequence[int],
    static_shared_bytes: int = 0,
    dynamic_shared_bytes: int = 0,
    registers_per_thread: int = 0,
) -> None:
    """Refuse a launch that the GPU would refuse.

    Args:
        gpu: the profile with the limits.
        block: threads in x, y, z.
        grid: blocks in x, y, z.
        static_shared_bytes: shared memory that the kernel declares.
        dynamic_shared_bytes: shared memory that the launch adds.
        registers_per_thread: as the compiler reports them; 0 if not known yet.

    Raises:
        LaunchError: every limit that the launch exceeds, with the value and the GPU.
    """
    problems = [
        *_dimension_problems(gpu, block, grid),
        *_shared_memory_problems(gpu, static_shared_bytes, dynamic_shared_bytes),
        *_register_problems(gpu, block, registers_per_thread),
    ]
    if problems:
        raise LaunchError(f"{gpu.name} cannot run this launch: {'; '.join(problems)}")


def _registers_of_warp(gpu: Gpu, registers: int) -> int:
    units = max(1, _divide_up(registers * THREADS_PER_WARP, gpu.register_allocation_unit))
    return units * gpu.register_allocation_unit


def _register_limit(gpu: Gpu, warps: int, registers: int) -> _Limit:
    per_warp = _registers_of_warp(gpu, registers)
    rounded = per_warp > registers * THREADS_PER_WARP
    units = f", in units of {gpu.register_allocation_unit}," if rounded else ""
    fitting = warps_of_scheduler(gpu, registers) * gpu.schedulers_per_sm
    # The hardware accepts a block only if it fits with its warps rounded up to the allocation granularity.
    admitted = per_warp * _round_up(warps, gpu.warp_allocation_granularity) <= gpu.registers_per_sm
    nameable = registers <= gpu.max_registers_per_thread
    blocks = fitting // warps if admitted and nameable else 0
    return _Limit(
        "registers",
        blocks,
        f"{registers} regs x {THREADS_PER_WARP} threads{units} -> {per_warp} per warp, {fitting} warps per SM, "
        f"{warps} warps per block",
    )


def _shared_memory_limit(gpu: Gpu, shared_bytes: int) -> _Limit:
    reserve = gpu.shared_reserved_bytes_per_block
    per_block = shared_bytes_of_block(gpu, shared_bytes)
    blocks = gpu.shared_bytes_per_sm // per_block if per_block else gpu.max_blocks_per_sm
    return _Limit(
        "shared_memory",
        blocks if shared_bytes <= gpu.shared_bytes_per_block_optin else 0,
        f"{shared_bytes} bytes + {reserve} reserved -> {per_block} per block, {gpu.shared_bytes_per_sm} per SM",
    )


def _warp_limit(gpu: Gpu, warps: int, threads: int) -> _Limit:
    blocks = gpu.max_warps_per_sm // warps if threads <= gpu.max_threads_per_block else 0
    return _Limit(
        "warps", blocks, f"{threads} threads -> {warps} warps per block, {gpu.max_warps_per_sm} per SM"
    )


def _dimension_problems(gpu: Gpu, block: Sequence[int], grid: Sequence[int]) -> Iterator[str]:
    for what, extents in (("block", block), ("grid", grid)):
        if len(extents) != 3:
            yield f"the {what} {tuple(extents)} needs three numbers, x, y and z"
            continue
        for axis, extent in zip("xyz", extents, strict=True):
            limit = getattr(gpu, f"max_{what}_{axis}")
            if not 1 <= extent <= limit:
                yield f"{what}.{axis} is {extent}, must be from 1 to {limit}"
    threads = _threads(block)
    if threads > gpu.max_threads_per_block:
        yield f"the block has {threads} threads, at most {gpu.max_threads_per_block} are allowed"


def _shared_memory_problems(gpu: Gpu, static: int, dynamic: int) -> Iterator[str]:
    if static < 0 or dynamic < 0:
        yield f"shared memory of {static} bytes static and {dynamic} dynamic cannot be negative"
    if static > gpu.shared_bytes_per_block:
        yield (
            f"the kernel declares {static} bytes of static shared memory, at most "
            f"{gpu.shared_bytes_per_block} are allowed; make it dynamic"
        )
    if static + dynamic > gpu.shared_bytes_per_block_optin:
        yield (
            f"the block needs {static + dynamic} bytes of shared memory ({static} static and {dynamic} "
            f"dynamic), at most {gpu.shared_bytes_per_block_optin} are allowed"
        )


def _register_problems(gpu: Gpu, block: Sequence[int], registers: int) -> Iterator[str]:
    warps = _divide_up(_threads(block), THREADS_PER_WARP)
    if registers > gpu.max_registers_per_thread:
        yield f"the kernel uses {registers} registers a thread, at most {gpu.max_registers_per_thread} exist"
    elif registers and warps > 0 and _register_limit(gpu, warps, registers).blocks == 0:
        yield (
            f"{_threads(block)} threads of {registers} registers do not fit in an SM's "
            f"{gpu.registers_per_sm} registers; use a smaller block or cap the registers"
        )


def _threads(block: Sequence[int]) -> int:
    return math.prod(block)


def _divide_up(value: int, by: int) -> int:
    return -(-value // by)


def _round_up(value: int, to: int) -> int:
    return _divide_up(value, to) * to
