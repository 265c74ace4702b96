"""What stands before a program: helpers that GPU and host share, those of the GPU alone, and the host's stand-ins."""

from pathlib import Path

BOTH = """
typedef unsigned long long u64;
#define WRAPPING(type, wide) \\
    QUALIFIER type sum(type a, type b) { return (type)((wide)a + (wide)b); } \\
    QUALIFIER type difference(type a, type b) { return (type)((wide)a - (wide)b); } \\
    QUALIFIER type product(type a, type b) { return (type)((wide)a * (wide)b); }
WRAPPING(unsigned, unsigned)
WRAPPING(int, unsigned)
WRAPPING(u64, u64)
WRAPPING(long long, u64)
QUALIFIER u64 high_half(u64 a, u64 b, u64 c) { return (u64)(((unsigned __int128)a * b + c) >> 64); }
QUALIFIER u64 sum_above(u64 a, u64 b, u64 c, u64 d) {
    unsigned __int128 x = (unsigned __int128)a << 64 | b, y = (unsigned __int128)c << 64 | d, s = x + y;
    return s < x ? (u64)s : (u64)((x > y ? x - y : y - x) >> 64);
}
QUALIFIER u64 bits_of(float x) { unsigned u; memcpy(&u, &x, 4); return x != x ? 0x7fffffffu : u; }
QUALIFIER u64 bits_of(double x) { u64 u; memcpy(&u, &x, 8); return x != x ? 0x7fffffffffffffffull : u; }
"""

GPU = """
#define QUALIFIER __device__ __forceinline__
"""

_PTX = {  # name: (result, parameters, instruction)
    "halves_fma": ("r", "rrr", "fma.rn.f16x2 %0,%1,%2,%3;"),
    "halves_add": ("r", "rr", "add.rn.f16x2 %0,%1,%2;"),
    "halves_min": ("r", "rr", "min.f16x2 %0,%1,%2;"),
    "halves_compared": ("r", "rr", "set.gt.f16x2.f16x2 %0,%1,%2;"),
    "bfloats_fma": ("r", "rrr", "fma.rn.bf16x2 %0,%1,%2,%3;"),
    "half_of": ("r", "f", "{.reg .b16 t; cvt.rn.f16.f32 t,%1; cvt.u32.u16 %0,t;}"),
    "bfloat_of": ("r", "f", "{.reg .b16 t; cvt.rn.bf16.f32 t,%1; cvt.u32.u16 %0,t;}"),
    "value_of_half": ("f", "r", "{.reg .b16 t,u; mov.b32 {t,u},%1; cvt.f32.f16 %0,t;}"),
    "__half2int": ("i", "r", "{.reg .b16 t,u; mov.b32 {t,u},%1; cvt.rzi.s32.f16 %0,u;}"),
    "pick_bytes": ("r", "rrr", "prmt.b32 %0,%1,%2,%3;"),
    "field": ("r", "rrr", "bfe.u32 %0,%1,%2,%3;"),
    "signed_field": ("i", "irr", "bfe.s32 %0,%1,%2,%3;"),
    "with_field": ("r", "rrr", "bfi.b32 %0,%1,%2,%3,7;"),
    "carried": ("r", "rrrr", "{.reg .u32 t; add.cc.u32 t,%1,%2; addc.u32 %0,%3,%4;}"),
    "clamp_to_8": ("r", "i", "cvt.sat.u8.s32 %0,%1;"),
    "clamp_to_16": ("r", "i", "cvt.sat.s16.s32 %0,%1;"),
    "flushed_product": ("f", "ff", "mul.rn.ftz.f32 %0,%1,%2;"),
    "flushed_less": ("r", "ff", "{.reg .pred p; setp.lt.ftz.f32 p,%1,%2; selp.u32 %0,1,0,p;}"),
}
_C = {"r": "unsigned", "i": "int", "f": "float"}


def ptx_functions() -> str:
    """A device function around each PTX instruction."""
    lines = []
    for name, (result, parameters, text) in _PTX.items():
        takes = ", ".join(f"{_C[kind]} {chr(97 + n)}" for n, kind in enumerate(parameters))
        gives = ", ".join(f'"{kind.replace("i", "r")}"({chr(97 + n)})' for n, kind in enumerate(parameters))
        asm = f'asm("{text}" : "={result.replace("i", "r")}"(z) : {gives});'
        lines.append(f"QUALIFIER {_C[result]} {name}({takes}) {{ {_C[result]} z; {asm} return z; }}")
    return "\n".join(lines)


HOST = (Path(__file__).parent / "host.hpp").read_text()
