"""From a GPU profile and a program to the front end of `simcore.core.timing.front_end`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.timing import front_end
from simcore.core.timing.state import Timing
from simcore.gpu import Gpu
from simcore.lowering.program import CONSTANT_LINE_BYTES, CONSTANT_LINES_PER_BANK, Program
from simcore.machine_code.cubin import INSTRUCTION_BYTES

CODE_LINE_BYTES = INSTRUCTION_BYTES << front_end.CODE_SHIFT
L0_WAYS, L1_WAYS, L15_WAYS = 16, 8, 8
CONSTANT_WAYS = 8  # of 4 sets (Huerta et al., MICRO 2025, simulator configuration)
MAX_AHEAD = 5  # lines behind the last that prefetching asks for
PARAMETER_LINES = CONSTANT_LINES_PER_BANK >> front_end.CONSTANT_SHIFT  # of the L1.5

State = dict[str, NDArray[Any]]


def timing(gpu: Gpu, sms: int) -> dict[str, Any]:
    """The front end's fields of `Timing`; the SMs that fetch share the way from the L1.5."""
    busy = (sms - 1) / max(gpu.sms - 1, 1)
    l1_latency = gpu.l1_fetch_latency + busy * (gpu.l1_fetch_latency_busy - gpu.l1_fetch_latency)
    line, constants = CODE_LINE_BYTES, CONSTANT_LINE_BYTES * CONSTANT_WAYS
    shapes = [(gpu.l0_instruction_bytes // (line * L0_WAYS), L0_WAYS)] * gpu.schedulers_per_sm
    shapes += [(gpu.l1_instruction_bytes // (line * L1_WAYS), L1_WAYS)]
    shapes += [(gpu.l15_instruction_bytes // (line * L15_WAYS), L15_WAYS)]
    shapes += [(gpu.constant_bytes // constants, CONSTANT_WAYS)] * 2
    shapes += [(gpu.l15_instruction_bytes // (constants << front_end.CONSTANT_SHIFT), CONSTANT_WAYS)]
    sets, ways = np.array(shapes, np.int64).T
    return {
        "front_sets": np.maximum(sets, 1),
        "front_ways": ways.copy(),
        "l0_fetch_latency": round(gpu.l0_fetch_latency),
        "l1_fetch_latency": round(l1_latency),
        "l15_fetch_latency": round(gpu.l15_fetch_latency),
        "l0_fetch_interval": round(gpu.l0_fetch_interval),
        "l1_fetch_interval": round(gpu.l1_fetch_interval),
        "constant_fetch_interval": gpu.constant_fetch_interval * busy,
        "immediate_miss_latency": round(gpu.immediate_miss_latency),
        "indexed_miss_latency": round(gpu.indexed_miss_latency),
        "constant_l2_latency": round(gpu.constant_l2_latency),
    }


def state(timing: Timing, program: Program, cold: bool) -> State:
    """The front end's fields of `Sm` before a launch.

    The launch before left its code in the caches (benchmarks/silicon/micro/front_end/instruction_fetch: later launches
    of a kernel begin as fast as they go on); of the constants only the parameters are at hand.
    """
    caches = timing.schedulers + front_end.BEHIND_L0
    lines = -(-len(program.code) >> front_end.CODE_SHIFT)
    numbers = max(lines + MAX_AHEAD, int(program.code["constant"].max()) + 1, PARAMETER_LINES)
    ready = np.full((caches, numbers), isa.NEVER, np.int64)
    kept = np.full((caches, int(timing.front_sets.max()), int(timing.front_ways.max())), -1, np.int64)
    following = np.zeros(kept.shape[:2], np.int64)
    for cache in range(0 if cold else timing.schedulers + front_end.L15 + 1):
        sets, ways = int(timing.front_sets[cache]), int(timing.front_ways[cache])
        left = np.arange(max(lines - sets * ways, 0), lines)
        kept[cache, left % sets, left // sets % ways] = left
        following[cache, left % sets] = (left // sets + 1) % ways
        ready[cache, left] = 0

    ready[timing.schedulers + front_end.CONSTANT_L15, :PARAMETER_LINES] = 0
    return {
        "fetch_line": np.full(timing.schedulers * timing.slots_per_scheduler, -1, np.int64),
        "indirect_free": np.zeros(timing.schedulers, np.int64),
        "fetch_free": np.zeros(2, np.int64),
        "constant_free": np.zeros(1, np.float64),
        "fetch_sent": np.zeros(numbers, np.int64),
        "front_ready": ready,
        "front_lines": kept,
        "front_next": following,
    }
