"""The kernels: what they note is read by BMOV, which is written over reads of performance counters."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.machine_words import rewritten
from benchmarks.simulator.few_lanes.kernels import BODIES
from benchmarks.simulator.random_flow import traces
from benchmarks.simulator.random_flow.data import inputs as random_words
from benchmarks.simulator.random_flow.generator import Writer
from simcore.machine_code.compiler import compile_cuda

NOTES, WORDS = 400, 12
SEEDS_OF_FLOW = 1000
FEW, ALL = 260, 40
"""Warps of two to six lanes, and of all."""

THREAD_STATES = (16, 17, 18, 19, 20)
PLACES = (23, 28, 21)
"""TRAP_RETURN_MASK, OPT_STACK and TRAP_RETURN_PC.LO, as BMOV numbers them."""
BARRIERS = (0, 1, 2)

_READS = "".join(f"mov.u32 a{n}, %pm{n};" for n in range(8))
_SOURCE = f"""
#define YIELD asm volatile("pmevent 1;")
__shared__ unsigned noted;
__device__ __forceinline__ void note(uint4* notes, unsigned place) {{
    asm volatile("{{.reg .u32 n, m, a<8>, c; .reg .u64 a; ld.volatile.shared.u32 n, [%2]; activemask.b32 m;"
                 "READS mov.u32 c, %clock; mad.wide.u32 a, n, {4 * WORDS}, %0;"
                 "st.volatile.global.v4.u32 [a], {{%1, m, c, a0}};"
                 "st.volatile.global.v4.u32 [a+16], {{a1, a2, a3, a4}};"
                 "st.volatile.global.v4.u32 [a+32], {{a5, a6, a7, n}};"
                 "add.u32 n, n, 1; min.u32 n, n, {NOTES - 1}; st.volatile.shared.u32 [%2], n;}}"
                 :: "l"(notes), "r"(place), "r"((unsigned)__cvta_generic_to_shared(&noted)) : "memory");
}}
__device__ __forceinline__ unsigned next(unsigned s) {{ return s * 1664525u + 1013904223u; }}
"""
_FEW = f"""
extern "C" __global__ void k(const unsigned* in, uint4* notes) {{
    noted = 0;
    notes += blockIdx.x * {NOTES * WORDS // 4};
    unsigned s = in[blockIdx.x * 32 + threadIdx.x];
    if (!(s >> 31)) return;
    BODY
}}"""
_OPCODE_BITS, _CS2R, _PMTRIG, _YIELD_OPCODE = 0xFFF, 0x805, 0x801, 0x946
_FIRST_COUNTER, _LAST_COUNTER = 0x64, 0x73
_CONTROL_BITS = ((1 << 128) - 1) ^ ((1 << 105) - 1)
_WAITS = 0x3F << 116
_STALL, _STALL_BITS = 5 << 105, 0xF << 105
_BMOV, _BMOV_CONTROL = 0x7355, 2 << 105 | 5 << 110 | 7 << 113
_WAITS_FOR_BMOV = 1 << (116 + 5)
_YIELD, _NOP = 0x0380_0000 << 64 | 0x7946, 0x7918


def few_lanes(name: str, probed: bool = True) -> str:
    """A kernel of few lanes; without probes, for the simulator, it notes zeros instead of what BMOV reads."""
    reads = _READS if probed else "".join(f"mov.u32 a{n}, 0;" for n in range(8))
    return _SOURCE.replace("READS", reads) + _FEW.replace("BODY", BODIES[name])


def random_flow(seed: int) -> str:
    """A program of `benchmarks.simulator.random_flow`, from seed 1001 on of its traces."""
    if seed <= SEEDS_OF_FLOW:
        source, begin = Writer(seed).source(), "notes += blockIdx.x * 512"
    else:
        source = traces.kernel(seed).replace("noted[threadIdx.x] = 0", "noted = 0")
        begin = f"notes += blockIdx.x * {traces.NOTES * 32}"
    source = source.replace("uint2", "uint4").replace(begin, f"notes += blockIdx.x * {NOTES * WORDS // 4}")
    return _SOURCE.replace("READS", _READS) + source


def patched(compiled: bytes, reads: tuple[int, ...], own_yields: bool) -> bytes:
    """Machine code with BMOVs and the source's YIELDs; with `own_yields` these are the only ones.

    All instructions wait for the BMOVs before them.
    """
    return rewritten(compiled, lambda word: _patched(word, reads, own_yields))


def _patched(word: int, reads: tuple[int, ...], own_yields: bool) -> int:
    opcode, source = word & _OPCODE_BITS, word >> 72 & 0xFF
    if opcode == _CS2R and _FIRST_COUNTER <= source <= _LAST_COUNTER:
        register = word & 0xFF << 16
        state = reads[(source - _FIRST_COUNTER) // 2] << 24
        word = _BMOV_CONTROL | word & _WAITS | state | register | _BMOV
    elif opcode == _PMTRIG:
        word = word & _CONTROL_BITS & ~_STALL_BITS | _STALL | _YIELD
    elif opcode == _YIELD_OPCODE and own_yields:
        word = word & _CONTROL_BITS | _NOP
    return word | _WAITS_FOR_BMOV


def inputs() -> NDArray[np.uint32]:
    """A random word for each lane that takes part, with bit 31; zero for the others."""
    random = np.random.default_rng(5)
    words = np.zeros((FEW + ALL, 32), np.uint32)
    for warp in range(FEW + ALL):
        count = random.integers(2, 7) if warp < FEW else 32
        chosen = random.choice(32, count, replace=False)
        words[warp, chosen] = random.integers(0, 1 << 31, count) | (1 << 31)
    return words


def write_bundle(folder: Path, barriers: bool, seeds: list[int]) -> None:
    """Compile the kernels of few lanes, and the random programs of some seeds, for a GPU machine."""
    folder.mkdir(parents=True, exist_ok=True)
    reads = THREAD_STATES + (BARRIERS if barriers else PLACES)
    for name in BODIES:
        (folder / f"{name}.cubin").write_bytes(
            patched(compile_cuda(few_lanes(name), "h100-sxm"), reads, True)
        )
        np.savez_compressed(folder / f"{name}.npz", inputs=inputs(), notes=(NOTES, WORDS))
    for seed in seeds:
        compiled = compile_cuda(random_flow(seed), "h100-sxm")
        (folder / f"k{seed}.cubin").write_bytes(patched(compiled, reads, False))
        np.savez_compressed(
            folder / f"k{seed}.npz", inputs=random_words(seed).reshape(-1, 32), notes=(NOTES, WORDS)
        )
    print(f"{folder}: {len(BODIES) + len(seeds)} kernels")
