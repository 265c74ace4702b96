"""Nsight Compute's warp states: what a warp waits for in each, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simcore.core.timing.state import SELECTED, STALLS
from simcore.diagnosis.regime import Regime


@dataclass(frozen=True)
class Reason:
    """One of Nsight Compute's warp states.

    Attributes:
        name: that in `smsp__average_warps_issue_stalled_<name>_per_issue_active`.
        meaning: what the warp waits for, to complete "warps wait for ...".
        remedy: what to do about it, as a sentence.
        regime: the regime of a kernel where this reason dominates and no unit is near its peak.
        architectures: the targets that report it, e.g. `sm_90`; empty for all.
    """

    name: str
    meaning: str
    remedy: str
    regime: Regime
    architectures: tuple[str, ...] = ()


REASONS: tuple[Reason, ...] = (
    Reason("selected", "nothing: they issue", "Execute fewer instructions.", "compute"),
    Reason(
        "not_selected",
        "their scheduler, which issues another warp",
        "There are more eligible warps than needed: with fewer, each gets more registers and cache.",
        "compute",
    ),
    Reason(
        "wait",
        "the fixed latency of the previous instruction",
        "Increase instruction-level parallelism: more accumulators, or unroll so that chains interleave.",
        "latency",
    ),
    Reason(
        "long_scoreboard",
        "a load from global or local memory",
        "Issue more independent loads before the first use (unroll, more accumulators), coalesce them, "
        "and keep reused data in shared memory.",
        "latency",
    ),
    Reason(
        "short_scoreboard",
        "shared memory, a special function (MUFU), a shuffle, a constant load or a special register",
        "Do independent work between such an instruction and its use, remove bank conflicts, and hoist "
        "loop invariants.",
        "latency",
    ),
    Reason(
        "math_pipe_throttle",
        "a busy arithmetic pipe",
        "Spread the work over other pipes, or use cheaper instructions; more warps will not help.",
        "compute",
    ),
    Reason(
        "mio_throttle",
        "a free entry in the MIO queue (shared memory, special functions, shuffles, and global memory among them)",
        "Issue fewer of them: wider accesses, more reuse in registers (tile), fewer bank conflicts.",
        "bandwidth",
    ),
    Reason(
        "lg_throttle",
        "a free entry for global and local memory (LG) in the MIO queue",
        "Issue fewer memory instructions: wider accesses (float4), fused passes, tiles in shared memory, no "
        "spilled registers.",
        "bandwidth",
    ),
    Reason(
        "tex_throttle",
        "a free entry in the texture queue",
        "Issue fewer texture and surface instructions, or turn some into global loads.",
        "bandwidth",
    ),
    Reason(
        "dispatch_stall",
        "the dispatcher, which stalls on a register port or another resource",
        "Try other unroll factors or register caps: the compiler may then avoid register bank conflicts.",
        "compute",
    ),
    Reason(
        "no_instruction",
        "an instruction fetch",
        "Unroll less, so that the loop fits in the instruction cache, and branch less.",
        "latency",
    ),
    Reason(
        "imc_miss",
        "an immediate constant that misses its cache",
        "Read constants once, uniformly across lanes, and amortise the read over long loops or many blocks.",
        "latency",
        ("sm_80", "sm_86", "sm_87", "sm_89", "sm_90"),
    ),
    Reason(
        "branch_resolving",
        "the target of a branch",
        "Unroll, or replace short branches with predicates and selects.",
        "latency",
    ),
    Reason(
        "barrier",
        "the other warps of the block at a barrier",
        "Balance the work between barriers, use fewer of them, or smaller blocks so that other blocks can run.",
        "synchronization",
    ),
    Reason(
        "membar",
        "a memory fence",
        "Use fewer fences, of the narrowest scope (block rather than device), with fewer stores before them.",
        "synchronization",
    ),
    Reason(
        "drain",
        "their last stores to drain after the exit",
        "Coalesce the stores at the end of the kernel, and give each thread more work per store.",
        "bandwidth",
    ),
    Reason("sleeping", "the end of a sleep", "Sleep less often or for shorter times.", "synchronization"),
    Reason("misc", "a reason that the counters do not name", "Look at the other reasons.", "latency"),
    Reason(
        "gmma",
        "a warpgroup's matrix operation",
        "Keep more matrix operations in flight before waiting for them.",
        "latency",
        ("sm_90",),
    ),
)

REASON: Mapping[str, Reason] = {reason.name: reason for reason in REASONS}

assert len(REASONS) == STALLS
assert REASONS[SELECTED].name == "selected"


@cache
def reasons_on(architecture: str) -> tuple[str, ...]:
    """The names of the stall reasons that a target such as `sm_90` reports."""
    return tuple(r.name for r in REASONS if not r.architectures or architecture in r.architectures)


def warp_cycles(by_reason: NDArray[np.int64], architecture: str) -> dict[str, int]:
    """Warp-cycles by the reasons that a target reports; the others are counted as `misc`.

    Args:
        by_reason: warp-cycles in the order of `REASONS`.
    """
    cycles: dict[str, int] = dict(zip(REASON, by_reason.tolist(), strict=True))
    for unreported in REASON.keys() - reasons_on(architecture):
        cycles["misc"] += cycles[unreported]
        cycles[unreported] = 0
    return cycles
