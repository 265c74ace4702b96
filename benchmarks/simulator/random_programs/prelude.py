"""What stands before a program: helpers that GPU and host share, those of the GPU alone, and the host's stand-ins."""

from pathlib import Path

from benchmarks.simulator.random_programs.special import device_functions

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

_PTX = {  # name: (result, parameters, instruction)
    "halves_fma": ("r", "rrr", "fma.rn.f16x2 %0,%1,%2,%3;"),
    "halves_fma_relu": ("r", "rrr", "fma.rn.relu.f16x2 %0,%1,%2,%3;"),
    "halves_fma_sat": ("r", "rrr", "fma.rn.sat.f16x2 %0,%1,%2,%3;"),
    "halves_add": ("r", "rr", "add.rn.f16x2 %0,%1,%2;"),
    "halves_subtract": ("r", "rr", "sub.f16x2 %0,%1,%2;"),
    "halves_multiply": ("r", "rr", "mul.f16x2 %0,%1,%2;"),
    "halves_min": ("r", "rr", "min.f16x2 %0,%1,%2;"),
    "halves_max_nan": ("r", "rr", "max.NaN.f16x2 %0,%1,%2;"),
    "halves_compared": ("r", "rr", "set.gt.f16x2.f16x2 %0,%1,%2;"),
    "halves_ordered": (
        "r",
        "rr",
        "{.reg .pred p,q; setp.ltu.f16x2 p|q,%1,%2; selp.u32 %0,1,2,p; @q add.u32 %0,%0,4;}",
    ),
    "half_fma": (
        "r",
        "rrr",
        "{.reg .b16 a,b,c,d,e,f; mov.b32 {a,b},%1; mov.b32 {c,d},%2; mov.b32 {e,f},%3; "
        "fma.rn.f16 a,a,d,e; add.f16 b,b,c; mov.b32 %0,{a,b};}",
    ),
    "bfloats_fma": ("r", "rrr", "fma.rn.bf16x2 %0,%1,%2,%3;"),
    "bfloats_fma_relu": ("r", "rrr", "fma.rn.relu.bf16x2 %0,%1,%2,%3;"),
    "bfloats_max": ("r", "rr", "max.bf16x2 %0,%1,%2;"),
    "half_of": ("r", "f", "{.reg .b16 t; cvt.rn.f16.f32 t,%1; mov.b32 %0,{t,0};}"),
    "bfloat_of": ("r", "f", "{.reg .b16 t; cvt.rn.bf16.f32 t,%1; mov.b32 %0,{t,0};}"),
    "halves_of": ("r", "ff", "cvt.rn.f16x2.f32 %0,%1,%2;"),
    "halves_of_relu": ("r", "ff", "cvt.rz.relu.f16x2.f32 %0,%1,%2;"),
    "bfloats_of": ("r", "ff", "cvt.rz.bf16x2.f32 %0,%1,%2;"),
    "half_of_integer": ("r", "i", "{.reg .b16 t; cvt.rn.f16.s32 t,%1; mov.b32 %0,{t,0};}"),
    "value_of_half": ("f", "r", "{.reg .b16 t,u; mov.b32 {t,u},%1; cvt.f32.f16 %0,t;}"),
    "__half2int": ("i", "r", "{.reg .b16 t,u; mov.b32 {t,u},%1; cvt.rzi.s32.f16 %0,u;}"),
    "pick_bytes": ("r", "rrr", "prmt.b32 %0,%1,%2,%3;"),
    "pick_forward": ("r", "rrr", "prmt.b32.f4e %0,%1,%2,%3;"),
    "pick_edges": ("r", "rrr", "prmt.b32.ecl %0,%1,%2,%3;"),
    "field": ("r", "rrr", "bfe.u32 %0,%1,%2,%3;"),
    "signed_field": ("i", "irr", "bfe.s32 %0,%1,%2,%3;"),
    "with_field": ("r", "rrr", "bfi.b32 %0,%1,%2,%3,7;"),
    "mask_of_bits": ("r", "rr", "bmsk.clamp.b32 %0,%1,%2;"),
    "extended": ("i", "ir", "szext.wrap.s32 %0,%1,%2;"),
    "highest_bit": ("r", "i", "bfind.s32 %0,%1;"),
    "highest_shift": ("r", "r", "bfind.shiftamt.u32 %0,%1;"),
    "shifted_left": ("r", "rrr", "shf.l.clamp.b32 %0,%1,%2,%3;"),
    "shifted_right": ("r", "rrr", "shf.r.clamp.b32 %0,%1,%2,%3;"),
    "majority": ("r", "rrr", "lop3.b32 %0,%1,%2,%3,0xe8;"),
    "carried": ("r", "rrrr", "{.reg .u32 t; add.cc.u32 t,%1,%2; addc.u32 %0,%3,%4;}"),
    "borrowed": ("r", "rrrr", "{.reg .u32 t; sub.cc.u32 t,%1,%2; subc.u32 %0,%3,%4;}"),
    "product_carried": ("r", "rrrr", "{.reg .u32 t; mad.lo.cc.u32 t,%1,%2,%3; madc.hi.u32 %0,%1,%2,%4;}"),
    "high_product": ("r", "rrr", "mad.hi.u32 %0,%1,%2,%3;"),
    "short_product": ("i", "iii", "mad24.lo.s32 %0,%1,%2,%3;"),
    "absolute_difference": ("i", "iii", "sad.s32 %0,%1,%2,%3;"),
    "saturated_sum": ("i", "ii", "add.sat.s32 %0,%1,%2;"),
    "saturated_difference": ("i", "ii", "sub.sat.s32 %0,%1,%2;"),
    "dot_of_pairs": ("r", "rrr", "dp2a.hi.u32.u32 %0,%1,%2,%3;"),
    "dot_of_bytes": ("i", "rii", "dp4a.u32.s32 %0,%1,%2,%3;"),
    "clamp_to_8": ("r", "i", "cvt.sat.u8.s32 %0,%1;"),
    "clamp_to_16": ("r", "i", "cvt.sat.s16.s32 %0,%1;"),
    "packed_bytes": ("r", "iir", "cvt.pack.sat.u8.s32.b32 %0,%1,%2,%3;"),
    "flushed_product": ("f", "ff", "mul.rn.ftz.f32 %0,%1,%2;"),
    "flushed_fma": ("f", "fff", "fma.rn.ftz.sat.f32 %0,%1,%2,%3;"),
    "smaller_or_nan": ("f", "ff", "min.NaN.f32 %0,%1,%2;"),
    "with_sign": ("f", "ff", "copysign.f32 %0,%1,%2;"),
    "flushed_less": ("r", "ff", "{.reg .pred p; setp.lt.ftz.f32 p,%1,%2; selp.u32 %0,1,0,p;}"),
    "ordered_and": (
        "r",
        "ffr",
        "{.reg .pred p,q,r; setp.ne.u32 r,%3,0; setp.geu.xor.f32 p|q,%1,%2,r; selp.u32 %0,1,0,p; "
        "@q add.u32 %0,%0,2;}",
    ),
    "halved": ("i", "d", "cvt.rmi.s32.f64 %0,%1;"),
    "vote_uniform": (
        "r",
        "r",
        "{.reg .pred p; setp.ne.u32 p,%1,0; vote.sync.uni.pred p,p,-1; selp.u32 %0,1,0,p;}",
    ),
    "shuffled_down_or_none": (
        "r",
        "rr",
        "{.reg .pred p; .reg .u32 n; and.b32 n,%2,15; shfl.sync.down.b32 %0|p,%1,n,0x81f,-1; "
        "@!p mov.u32 %0,77;}",
    ),
    "matrix_transposed": ("r", "r", "movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;"),
}
_C = {"r": "unsigned", "i": "int", "f": "float", "d": "double"}


def _ptx_functions() -> str:
    """A device function around each PTX instruction."""
    lines = []
    for name, (result, parameters, text) in _PTX.items():
        takes = ", ".join(f"{_C[kind]} {chr(97 + n)}" for n, kind in enumerate(parameters))
        gives = ", ".join(f'"{kind.replace("i", "r")}"({chr(97 + n)})' for n, kind in enumerate(parameters))
        volatile = " volatile" if ".sync." in text else ""
        asm = f'asm{volatile}("{text}" : "={result.replace("i", "r")}"(z) : {gives});'
        lines.append(f"QUALIFIER {_C[result]} {name}({takes}) {{ {_C[result]} z; {asm} return z; }}")
    return "\n".join(lines)


HOST = (Path(__file__).parent / "host.hpp").read_text()

ON_GPUS = "\n".join(
    [
        "#define QUALIFIER __device__ __forceinline__",
        BOTH,
        _ptx_functions(),
        device_functions(),
        (Path(__file__).parent / "gpu.hpp").read_text(),
    ]
)
"""Before programs in CUDA C++."""
