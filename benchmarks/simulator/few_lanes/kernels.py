"""The kernels, and what their lanes read."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.machine_words import rewritten
from simcore.machine_code.compiler import compile_cuda

NOTES = 96
WARPS = {"few": (1200, 2, 6), "all": (120, 32, 32)}
"""How many warps, and from how few to how many lanes take part."""

_INNER = """
    note(notes, 2); {entry}
    int t = s & 3; s >>= 2;
    if (t) {
        #pragma unroll 1
        do { note(notes, 4); YIELD; note(notes, 5); } while (--t);
    }"""
_DEEPER = """
    note(notes, 2); YIELD; note(notes, 3);
    int t = s & 1; s >>= 1;
    #pragma unroll 1
    do { note(notes, 4); YIELD; note(notes, 5);
        int u = s & 1; s >>= 1;
        #pragma unroll 1
        do { note(notes, 10); YIELD; note(notes, 11); } while (--u >= 0);
        note(notes, 12);
        if (s & 1) { note(notes, 13); } s >>= 1; note(notes, 14);
    } while (--t >= 0);"""
_OUTER = """
    note(notes, 1);
    #pragma unroll 1
    for (int i = 0; i < {passes}; ++i) {
        {body}
        note(notes, 6);
        if (s & 1) { note(notes, 7); break; }
        s >>= 1;
        note(notes, 8);
    }
    note(notes, 9);"""


def _outer(body: str, passes: int) -> str:
    return _OUTER.replace("{body}", body).replace("{passes}", str(passes))


BODIES = {
    "inner": _outer(_INNER.replace("{entry}", ""), 3),
    "two": _outer(_INNER.replace("{entry}", "YIELD; note(notes, 3);"), 3),
    "three": _outer(_DEEPER, 2),
}
"""Two loops with a YIELD in the inner one, in both; three."""

_SOURCE = f"""
#define YIELD asm volatile("pmevent 1;")
__shared__ unsigned noted[32];
__device__ __forceinline__ void note(uint2* notes, unsigned place) {{
    asm volatile("{{.reg .u32 n, c, l, b; .reg .u64 a; mov.u32 l, %tid.x; mad.lo.u32 b, l, 4, %2;"
                 "ld.volatile.shared.u32 n, [b]; mov.u32 c, %clock; mad.wide.u32 a, l, {NOTES * 8}, %0;"
                 "mad.wide.u32 a, n, 8, a; st.volatile.global.v2.u32 [a], {{%1, c}};"
                 "add.u32 n, n, 1; min.u32 n, n, {NOTES - 1}; st.volatile.shared.u32 [b], n;}}"
                 :: "l"(notes), "r"(place), "r"((unsigned)__cvta_generic_to_shared(&noted[0])) : "memory");
}}
extern "C" __global__ void k(const unsigned* in, uint2* notes) {{
    noted[threadIdx.x] = 0;
    notes += (unsigned long long)blockIdx.x * {NOTES * 32};
    unsigned s = in[blockIdx.x * 32 + threadIdx.x];
    if (!(s >> 31)) return;
    BODY
}}"""
_CONTROL_BITS = ((1 << 128) - 1) ^ ((1 << 105) - 1)
_STALL, _STALL_BITS = 5 << 105, 0xF << 105
_OPCODE_BITS, _PMTRIG, _YIELD_OPCODE = 0xFFF, 0x801, 0x946
_YIELD = 0x0380_0000 << 64 | 0x7946
_NOP = 0x7918


def cubin(name: str) -> bytes:
    """A kernel's machine code, its YIELDs where the source has them and nowhere else."""
    compiled = compile_cuda(_SOURCE.replace("BODY", BODIES[name]), "h100-sxm")
    return rewritten(compiled, _with_own_yields)


def _with_own_yields(word: int) -> int:
    control = word & _CONTROL_BITS
    if word & _OPCODE_BITS == _PMTRIG:
        return (control & ~_STALL_BITS | _STALL) | _YIELD
    return control | _NOP if word & _OPCODE_BITS == _YIELD_OPCODE else word


def inputs(lanes: str) -> NDArray[np.uint32]:
    """A random word for each lane that takes part, with bit 31; zero for the others."""
    warps, least, most = WARPS[lanes]
    random = np.random.default_rng(1)
    words = np.zeros((warps, 32), np.uint32)
    for warp in range(warps):
        count = random.integers(least, most + 1)
        chosen = random.choice(32, count, replace=False)
        words[warp, chosen] = random.integers(0, 1 << 31, count) | (1 << 31)
    return words
