"""From a GPU profile and a program to the parameters and state of `simcore.core.timing.front_end`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import memory
from simcore.core.geometry import CONSTANT_LINE_BYTES, CONSTANT_LINES_PER_BANK, INSTRUCTION_BYTES
from simcore.core.timing import front_end
from simcore.core.timing.parameters import Timing
from simcore.gpu import Gpu
from simcore.lowering.program import Program

State = dict[str, NDArray[Any]]


def timing(gpu: Gpu, sms: int) -> dict[str, Any]:
    """The front end's fields of `Timing`; busy SMs share the path from the L1.5."""
    busy = (sms - 1) / max(gpu.sms - 1, 1)
    sets, ways = np.array(_shapes(gpu), np.int64).T
    return {
        "front_sets": sets.copy(),
        "front_ways": ways.copy(),
        "code_line_shift": (gpu.code_line_bytes // INSTRUCTION_BYTES).bit_length() - 1,
        "constant_chunk_shift": (gpu.constant_fetch_bytes // CONSTANT_LINE_BYTES).bit_length() - 1,
        "l1_fetch_latency": _between(gpu.l1_fetch_latency, gpu.l1_fetch_latency_busy, busy),
        "l1_fetch_interval": _between(gpu.l1_fetch_interval, gpu.l1_fetch_interval_busy, busy),
        "constant_fetch_interval": gpu.constant_fetch_interval * busy,
    }


def _between(alone: int, busy: int, share: float) -> int:
    """Cycles of an SM beside a share of the others, from those of one that is alone to those where all are busy."""
    return round(alone + share * (busy - alone))


def _shapes(gpu: Gpu) -> list[tuple[int, int]]:
    """Sets and ways of each cache: the L0s, then in the order of `core.timing.front_end`."""
    code = [(gpu.l0_instruction_bytes, gpu.l0_instruction_ways)] * gpu.schedulers_per_sm
    code += [(gpu.l1_instruction_bytes, gpu.l1_instruction_ways)]
    code += [(gpu.l15_instruction_bytes, gpu.l15_instruction_ways)]
    constants = [(gpu.constant_bytes, CONSTANT_LINE_BYTES)] * 2
    constants += [(gpu.l15_instruction_bytes, gpu.constant_fetch_bytes)]
    return [
        *((size // (gpu.code_line_bytes * ways), ways) for size, ways in code),
        *((size // (line * gpu.constant_ways), gpu.constant_ways) for size, line in constants),
    ]


def state(timing: Timing, program: Program, cold: bool) -> State:
    """The front end's fields of `Sm` before a launch.

    The previous launch left its code in the caches (benchmarks/silicon/micro/front_end/instruction_fetch: later
    launches of a kernel start at full speed); of the constants only the parameters are cached.
    """
    caches = timing.schedulers + front_end.BEHIND_L0
    lines = -(-len(program.code) >> timing.code_line_shift)
    # A warp prefetches into its L0 up to twice the prefetch distance ahead; L1 and L1.5 each prefetch further.
    asked_for = lines + 1 + 4 * timing.prefetch_lines
    operand_sets = int(timing.front_sets[timing.schedulers + front_end.IMMEDIATE])
    parameters = CONSTANT_LINES_PER_BANK >> timing.constant_chunk_shift
    numbers = max(asked_for, _lines_of_constants(program, operand_sets), parameters)
    ready = np.full((caches, numbers), isa.NEVER, np.int64)
    kept = np.full((caches, int(timing.front_sets.max()), int(timing.front_ways.max())), -1, np.int64)
    following = np.zeros(kept.shape[:2], np.int64)
    for cache in range(0 if cold else timing.schedulers + front_end.L15 + 1):
        sets, ways = int(timing.front_sets[cache]), int(timing.front_ways[cache])
        left = np.arange(max(lines - sets * ways, 0), lines)
        kept[cache, left % sets, left // sets % ways] = left
        following[cache, left % sets] = (left // sets + 1) % ways
        ready[cache, left] = 0

    ready[timing.schedulers + front_end.CONSTANT_L15, :parameters] = 0
    return {
        "fetch_line": np.full(timing.schedulers * timing.slots_per_scheduler, -1, np.int64),
        "starved": np.zeros(timing.schedulers, np.int64),
        "indirect_free": np.zeros(timing.schedulers, np.int64),
        "fetch_free": np.zeros(2, np.int64),
        "constant_free": np.zeros(1, np.float64),
        "fetch_sent": np.zeros(numbers, np.int64),
        "front_ready": ready,
        "front_lines": kept,
        "front_next": following,
    }


def _lines_of_constants(program: Program, sets: int) -> int:
    """How many numbers the lines of constants have that the instructions may name."""
    code = program.code
    is_indexed = (code["operation"] == memory.LOAD_CONSTANT) & (code["constant"] < 0)
    if not is_indexed.any():
        return int(code["constant"].max()) + 1
    return front_end.CONSTANT_LINES + front_end.INDEX_TAGS * sets
