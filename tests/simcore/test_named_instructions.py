"""Instructions by the names that people know them by: right on every architecture that has them, or refused by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.simulator.corpus.case import cases, problem
from simcore import UnsupportedInstruction, compile_cuda, execute, simulate

Array = NDArray[Any]
GPUS: Sequence[str] = ("a100-80gb", "rtx3090", "rtx4090", "h200", "b200", "rtx5090")
"""One for each of sm_80, 86, 89, 90, 100 and 120."""
FROM_89, FROM_90, FROM_100 = GPUS[2:], GPUS[3:], GPUS[4:]
H200, B200, RTX5090 = GPUS[3:4], GPUS[4:5], GPUS[5:]

PREFIX = """typedef unsigned u32; typedef unsigned long long u64;
#define T threadIdx.x
__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
"""
KERNEL = 'extern "C" __global__ void k(const u32* x, u32* out)'
WORDS = 1024
LANE = np.arange(32)


def words() -> Array:
    """Random words, and what is special as an integer, two halves or a single."""
    x = np.random.default_rng(11).integers(0, 1 << 32, WORDS, np.uint64).astype(np.uint32)
    x[:16] = [
        0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000,
        0x3C00_BC00, 0x0001_8001, 0x7C00_FC00, 0x7E00_7BFF, 0x3F80_0000, 0xBF80_0000, 0x43E0_0000, 0x4380_0000,
    ]  # fmt: skip
    return x


def singles() -> Array:
    """Words that are singles within the range of narrow floats, ties, zeros, infinities and a NaN among them."""
    random = np.random.default_rng(3)
    x = (random.standard_normal(WORDS) * 10.0 ** random.integers(-4, 4, WORDS)).astype(np.float32)
    ties = np.array(
        [0, -0.0, np.inf, -np.inf, np.nan, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 7, 464, 1.0625, 3.75],
        np.float32,
    )
    x[: len(ties)], x[32 : 32 + len(ties)] = ties, -ties[::-1]
    return x.view(np.uint32)


def launch(body: str, gpu: str, x: Array, headers: str = "") -> dict[str, Any]:
    """A launch of one warp that reads `x` and writes `out`."""
    source = f"{headers}\n{PREFIX}{KERNEL} {{\n{body}\n}}"
    cubin = compile_cuda(source, gpu, file_name="kernel.cu")
    return {"cubin": cubin, "grid": 1, "block": 32, "gpu": gpu, "arguments": [x, np.zeros(WORDS, np.uint32)]}


@dataclass(frozen=True)
class Row:
    """What a warp does under a name, and what it must leave.

    Attributes:
        body: reads `x`, writes `out`.
        expected: what the first words of `out` must be, of x.
        gpus: those whose architecture has it.
        inputs: what x is.
    """

    body: str
    expected: Callable[[Array], Array]
    gpus: Sequence[str] = GPUS
    inputs: Callable[[], Array] = words
    headers: str = ""


def at(x: Array, *places: int) -> Array:
    """What the lanes read at x[T + 32 * place], place by place."""
    return np.concatenate([x[32 * place : 32 * place + 32] for place in places])


def two(body: str) -> str:
    """A body that has the two singles `p` and `q`."""
    return f"float p = __uint_as_float(x[T]), q = __uint_as_float(x[T + 32]);\n{body}"


ROWS: dict[str, Row] = {}

# --- ldmatrix and stmatrix ------------------------------------------------------------------------------------

SHARED = """__shared__ __align__(128) u32 s[128];
for (int i = 0; i < 4; ++i) s[T + 32 * i] = x[T + 32 * i];
__syncwarp();"""
LEFT = "__syncwarp(); for (int i = 0; i < 4; ++i) out[T + 32 * i] = s[T + 32 * i];"


def _matrices(x: Array, count: int, transposed: bool) -> Array:
    """Matrices of 8 rows of 8 elements of 16 bits, as the lanes hold them."""
    matrices = x[: 32 * count].view(np.uint16).reshape(count, 8, 8)
    return (
        np.ascontiguousarray(matrices.transpose(0, 2, 1) if transposed else matrices).view(np.uint32).ravel()
    )


def _stored(x: Array, count: int, transposed: bool) -> Array:
    return np.concatenate([_matrices(x[128:], count, transposed), x[32 * count : 128]])


for count in (1, 2, 4):
    for transposed in (False, True):
        form = f"m8n8.x{count}{'.trans' * transposed}.shared.b16"
        registers = ",".join(f"%{i + 1}" for i in range(count))
        to = ",".join(f'"=r"(r[{i}])' for i in range(count))
        of = ",".join(f'"r"(x[T + {128 + 32 * i}])' for i in range(count))
        loaded = ",".join(f"%{i}" for i in range(count))
        ROWS[f"LDSM: ldmatrix.{form}"] = Row(
            f'{SHARED} u32 r[4]; asm volatile("ldmatrix.sync.aligned.{form} {{{loaded}}}, [%{count}];" : {to} '
            f': "r"(shared_address(s + 4 * T))); for (int i = 0; i < {count}; ++i) out[T + 32 * i] = r[i];',
            partial(_matrices, count=count, transposed=transposed),
        )
        ROWS[f"STSM: stmatrix.{form}"] = Row(
            f'{SHARED} asm volatile("stmatrix.sync.aligned.{form} [%0], {{{registers}}};" '
            f':: "r"(shared_address(s + 4 * T)), {of} : "memory"); {LEFT}',
            partial(_stored, count=count, transposed=transposed),
            FROM_90,
        )

# --- Floats of 8 bits and fewer -------------------------------------------------------------------------------

NARROW = {
    "e4m3": (8, 3, 7, 0x7E),
    "e5m2": (8, 2, 15, 0x7B),
    "e2m3": (6, 3, 1, 0x1F),
    "e3m2": (6, 2, 3, 0x1F),
    "e2m1": (4, 1, 1, 7),
}
"""Bits, fraction bits, the exponent's bias, and the greatest finite number's bits."""


def _value(code: Array, kind: str) -> Array:
    """Numbers of their bits."""
    bits, fraction_bits, bias, greatest = NARROW[kind]
    code = code.astype(np.int64) & (1 << bits) - 1
    magnitude = code & (1 << bits - 1) - 1
    exponent, fraction = magnitude >> fraction_bits, magnitude & (1 << fraction_bits) - 1
    one = 1 << fraction_bits
    value = np.where(exponent > 0, one + fraction, fraction) * 2.0 ** (
        np.maximum(exponent, 1) - bias - fraction_bits
    )
    if bits == 8:
        value = np.where(magnitude > greatest, np.nan, value)
    if kind == "e5m2":
        value = np.where(magnitude == greatest + 1, np.inf, value)
    return np.asarray(np.copysign(value, np.where(code >> bits - 1, -1.0, 1.0)))


def _code(x: Array, kind: str, relu: bool) -> Array:
    """The bits of the nearest numbers, the even one of two, never beyond the greatest."""
    bits, _, _, greatest = NARROW[kind]
    table = _value(np.arange(greatest + 1), kind)
    magnitude = np.minimum(np.nan_to_num(abs(x.astype(np.float64)), nan=0.0), table[-1])
    distance = abs(table[None] - magnitude[:, None])
    odd = np.broadcast_to(np.arange(greatest + 1) & 1, distance.shape)
    code = np.lexsort((odd, distance), axis=1)[:, 0] | np.signbit(x) * (1 << bits - 1)
    code = np.where(np.signbit(x) & relu, 0, code)
    return np.where(np.isnan(x), 0x7F if bits == 8 else greatest, code).astype(np.uint32)


def _packed(x: Array, kind: str, relu: bool) -> Array:
    upper, lower = at(x, 0).view(np.float32), at(x, 1).view(np.float32)
    return _code(upper, kind, relu) << (4 if kind == "e2m1" else 8) | _code(lower, kind, relu)


def _halves(values: Array) -> Array:
    """The bits of halves; of a NaN those that arithmetic makes."""
    return np.where(np.isnan(values), 0x7FFF, values.astype(np.float16).view(np.uint16)).astype(np.uint32)


def _unpacked(x: Array, kind: str, relu: bool) -> Array:
    lower, upper = (_value(at(x, 0) >> shift, kind) for shift in (0, 4 if kind == "e2m1" else 8))
    bits = [_halves(np.where(np.signbit(v) & relu & ~np.isnan(v), 0.0, v)) for v in (lower, upper)]
    return np.asarray(bits[0] | bits[1] << 16)


def _both_ways(x: Array, kind: str) -> Array:
    code = _code(at(x, 0).view(np.float32), kind, False)
    value = _value(code, kind).astype(np.float32)
    return np.append(code, np.where(np.isnan(value), 0x7FFF_FFFF, value.view(np.uint32)))


for kind in NARROW:
    having = FROM_89 if kind in ("e4m3", "e5m2") else FROM_100
    for relu in (False, True):
        suffix = ".relu" * relu
        to_kind, to_halves = f"cvt.rn.satfinite{suffix}.{kind}x2.f32", f"cvt.rn{suffix}.f16x2.{kind}x2"
        if kind == "e2m1":
            pack = (
                f'asm("{{.reg .b8 t; {to_kind} t, %1, %2; cvt.u32.u8 %0, t;}}" : "=r"(r) : "f"(p), "f"(q));'
            )
            unpack = f'asm("{{.reg .b8 t; cvt.u8.u32 t, %1; {to_halves} %0, t;}}" : "=r"(r) : "r"(x[T]));'
        else:
            pack = (
                f'asm("{{.reg .b16 t; {to_kind} t, %1, %2; cvt.u32.u16 %0, t;}}" : "=r"(r) : "f"(p), "f"(q));'
            )
            unpack = f'asm("{{.reg .b16 t; cvt.u16.u32 t, %1; {to_halves} %0, t;}}" : "=r"(r) : "r"(x[T]));'
        ROWS[f"F2FP: {to_kind}"] = Row(
            two(f"u32 r; {pack} out[T] = r;"),
            partial(_packed, kind=kind, relu=relu),
            having,
            singles,
        )
        ROWS[f"F2FP: {to_halves}"] = Row(
            f"u32 r; {unpack} out[T] = r;", partial(_unpacked, kind=kind, relu=relu), having
        )
for kind, alias in (("e4m3", "fp8"), ("e5m2", "fp8"), ("e2m3", "fp6"), ("e3m2", "fp6"), ("e2m1", "fp4")):
    ROWS[f"cuda_{alias}.h: {kind} both ways"] = Row(
        f"__nv_{alias}_{kind} a(__uint_as_float(x[T])); out[T] = a.__x; out[T + 32] = __float_as_uint((float)a);",
        partial(_both_ways, kind=kind),
        inputs=singles,
        headers=f"#include <cuda_{alias}.h>",
    )

# --- Special functions of halves ------------------------------------------------------------------------------


def _each_half(x: Array, function: Callable[[Array], Array]) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return (
            _halves(function(at(x, 0).view(np.float16).astype(np.float64))).astype(np.uint16).view(np.uint32)
        )


def _each_bfloat(x: Array, function: Callable[[Array], Array]) -> Array:
    with np.errstate(all="ignore"):
        values = (at(x, 0).view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        result = function(values)
        result = np.where(abs(result) < 2.0**-126, 0.0, result).astype(np.float32)
        bits = result.view(np.uint32).astype(np.uint64)
        rounded = bits + 0x7FFF + (bits >> 16 & 1) >> 16
    return np.where(np.isnan(result), 0x7FFF, rounded).astype(np.uint16).view(np.uint32)


def _small_bfloats() -> Array:
    """Bfloat16s around zero, so that their powers are neither zero nor infinite, and special ones."""
    x = (np.random.default_rng(4).standard_normal(2 * WORDS) * 20).astype(np.float32).view(np.uint32) >> 16
    x[:8] = [0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xC300, 0x4300, 1]
    return x.astype(np.uint16).view(np.uint32)


ONE_OPERAND = 'u32 r; asm("{} %0, %1;" : "=r"(r) : "r"(x[T])); out[T] = r;'
ROWS["MUFU.EX2.F16: ex2.approx.f16x2"] = Row(
    ONE_OPERAND.format("ex2.approx.f16x2"), lambda x: _each_half(x, np.exp2)
)
ROWS["MUFU.TANH.F16: tanh.approx.f16x2"] = Row(
    ONE_OPERAND.format("tanh.approx.f16x2"), lambda x: _each_half(x, np.tanh)
)
ROWS["MUFU.EX2.BF16: ex2.approx.ftz.bf16x2"] = Row(
    ONE_OPERAND.format("ex2.approx.ftz.bf16x2"), lambda x: _each_bfloat(x, np.exp2), FROM_90, _small_bfloats
)

# --- Matrices of integers and doubles -------------------------------------------------------------------------


def _elements(registers: Array, per_word: int, signed: bool) -> Array:
    """The elements of each lane's registers: lane, register, element."""
    bits = 32 // per_word
    values = registers[..., None] >> np.arange(0, 32, bits, dtype=np.uint32) & (1 << bits) - 1
    values = values.astype(np.int64)
    return np.where(values >> bits - 1 & signed, values - (1 << bits), values)


def _first(elements: Array, bands: int) -> Array:
    """The first matrix: bands of 8 rows, then the next columns, register by register."""
    _, count, per_word = elements.shape
    parts = elements.reshape(8, 4, count // bands, bands, per_word)
    return parts.transpose(3, 0, 2, 1, 4).reshape(8 * bands, -1)


def _product(a: Array, b: Array, bands: int) -> Array:
    """a times b plus the number of each register, as the lanes hold it, register by register."""
    product = (_first(a, bands) @ _first(b, 1).T).reshape(bands, 8, 4, 2)
    registers = product.transpose(0, 3, 1, 2).reshape(2 * bands, 32)
    return np.asarray(registers + np.arange(1, 2 * bands + 1)[:, None])


def _registers(x: Array, first: int, count: int) -> Array:
    """What the lanes read at places one after the other: lane, register."""
    return at(x, *range(first, first + count)).reshape(-1, 32).T


def _integer_product(x: Array, words_a: int, words_b: int, bands: int, signs: str, bits: int) -> Array:
    a = _elements(_registers(x, 0, words_a), 32 // bits, signs[0] == "s")
    return _product(a, _elements(_registers(x, 8, words_b), 32 // bits, signs[1] == "s"), bands)


def _double_product(x: Array, words_a: int, words_b: int, bands: int) -> Array:
    a, b = (_registers(x.view(np.int32), *which)[..., None] for which in ((0, words_a), (8, words_b)))
    return _product(a.astype(np.float64), b.astype(np.float64), bands).ravel().view(np.uint32)


def _numbered(first: int, count: int) -> str:
    return "{" + ",".join(f"%{i}" for i in range(first, first + count)) + "}"


def _product_of(kinds: str, words_a: int, words_b: int, bands: int, kind: str, of: str, form: str) -> str:
    sums = 2 * bands
    a, b, c = _numbered(sums, words_a), _numbered(sums + words_a, words_b), _numbered(0, sums)
    to = ",".join(f'"+{kind}"(c[{i}])' for i in range(sums))
    places = [*range(words_a), *range(8, 8 + words_b)]
    sources = ",".join(f'"{kind}"({of}(x[T + {32 * place}]))' for place in places)
    return f'asm volatile("mma.sync.aligned.{form}.{kinds} {c}, {a}, {b}, {c};" : {to} : {sources});'


for elements, bits in (("8", 8), ("4", 4)):
    for shape, words_a, words_b, bands in (
        (f"m8n8k{128 // bits}", 1, 1, 1), (f"m16n8k{128 // bits}", 2, 1, 2), (f"m16n8k{256 // bits}", 4, 2, 2),
    ):  # fmt: skip
        for signs in ("ss", "su", "us", "uu"):
            a, b = (sign + elements for sign in signs)
            multiply = _product_of(
                f"s32.{a}.{b}.s32", words_a, words_b, bands, "r", "(int)", f"{shape}.row.col.satfinite"
            )
            ROWS[f"IMMA: {shape}.{a}.{b}"] = Row(
                f"int c[4] = {{1, 2, 3, 4}}; {multiply} for (int i = 0; i < {2 * bands}; ++i) out[T + 32 * i] = c[i];",
                partial(
                    _integer_product, words_a=words_a, words_b=words_b, bands=bands, signs=signs, bits=bits
                ),
            )
for shape, words_a, words_b, bands, having in (
    ("m8n8k4", 1, 1, 1, GPUS),
    ("m16n8k4", 2, 1, 2, FROM_90),
    ("m16n8k8", 4, 2, 2, FROM_90),
    ("m16n8k16", 8, 4, 2, FROM_90),
):
    multiply = _product_of(
        "f64.f64.f64.f64", words_a, words_b, bands, "d", "(double)(int)", f"{shape}.row.col"
    )
    ROWS[f"DMMA: {shape}"] = Row(
        f"double c[4] = {{1, 2, 3, 4}}; {multiply}"
        f"for (int i = 0; i < {2 * bands}; ++i) ((double*)out)[T + 32 * i] = c[i];",
        partial(_double_product, words_a=words_a, words_b=words_b, bands=bands),
        having,
        lambda: np.random.default_rng(5).integers(-1000, 1000, WORDS).astype(np.int32).view(np.uint32),
    )

# --- Memory, fences, advice -----------------------------------------------------------------------------------

EIGHT = ",".join(f"%{i}" for i in range(8))
for space in ("global", "global.nc", "volatile.global", "relaxed.gpu.global"):
    ROWS[f"LDG.256: ld.{space}.v8.b32"] = Row(
        f'u32 a[8]; asm volatile("ld.{space}.v8.b32 {{{EIGHT}}}, [%8];" : '
        + ",".join(f'"=r"(a[{i}])' for i in range(8))
        + ' : "l"(x + 8 * T)); for (int i = 0; i < 8; ++i) out[T + 32 * i] = a[i];',
        lambda x: x[:256].reshape(32, 8).T,
        FROM_100,
    )
ROWS["STG.256: st.global.v4.b64"] = Row(
    """u64 a, b, c, d;
    asm volatile("ld.global.v4.b64 {%0,%1,%2,%3}, [%4];" : "=l"(a), "=l"(b), "=l"(c), "=l"(d) : "l"(x + 8 * T));
    asm volatile("st.global.v4.b64 [%0], {%1,%2,%3,%4};" :: "l"(out + 8 * T), "l"(d), "l"(c), "l"(b), "l"(a));""",
    lambda x: x[:256].reshape(32, 4, 2)[:, ::-1],
    FROM_100,
)
for instruction, having in {
    "fence.proxy.async": FROM_90,
    "fence.proxy.async.shared::cta": FROM_90,
    "fence.proxy.async.global": FROM_90,
    "fence.proxy.alias": GPUS,
    "fence.mbarrier_init.release.cluster": FROM_90,
    "prefetch.global.L1 [%0]": GPUS,
    "prefetch.global.L2 [%0]": GPUS,
    "prefetch.global.L2::evict_last [%0]": GPUS,
    "prefetchu.L1 [%0]": GPUS,
    "discard.global.L2 [%0], 128": GPUS,
    "applypriority.global.L2::evict_normal [%0], 128": GPUS,
}.items():
    ROWS[f"CCTL, FENCE: {instruction}"] = Row(
        f'asm volatile("{instruction};" :: "l"(out + 32 * T) : "memory"); out[T] = x[T ^ 1];',
        lambda x: at(x, 0).reshape(16, 2)[:, ::-1],
        having,
    )
for policy, of in {
    "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5": "",
    "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], 1024, 2048": '"l"(x)',
}.items():
    ROWS[f"an access with a policy: {policy.split()[0]}"] = Row(
        f'u64 p; asm volatile("{policy};" : "=l"(p) : {of}); u32 a, b;'
        'asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(a) : "l"(x + T), "l"(p));'
        'asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" :: "l"(out + T), "r"(a), "l"(p) : "memory");'
        'asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], 1, %2;" : "=r"(b) : "l"(out + T), "l"(p));'
        "out[T + 32] = b;",
        lambda x: np.append(at(x, 0) + np.uint32(1), at(x, 0)),
    )

# --- Integers -------------------------------------------------------------------------------------------------


def _comparisons(x: Array) -> Array:
    a, b = at(x, 0, 1).view(np.int64), at(x, 2, 3).view(np.int64)
    c, d = a.view(np.uint64), b.view(np.uint64)
    chosen = [np.minimum(a, b), np.maximum(a, b), np.minimum(c, d), np.maximum(c, d), np.where(a & 1, a, b)]
    flags = (a < b) | (a <= b) * 2 | (a == b) * 4 | (c < d) * 8 | (c <= d) * 16 | (a != b) * 32
    return np.concatenate([part.view(np.uint64) for part in [*chosen, flags.astype(np.int64)]]).view(
        np.uint32
    )


ROWS["64-bit min, max, select and compare"] = Row(
    """long long a = ((const long long*)x)[T], b = ((const long long*)x)[T + 32];
    u64 c = a, d = b, *o = (u64*)out;
    o[T] = a < b ? a : b, o[T + 32] = a > b ? a : b, o[T + 64] = c < d ? c : d, o[T + 96] = c > d ? c : d;
    o[T + 128] = a & 1 ? a : b;
    o[T + 160] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (c < d) << 3 | (c <= d) << 4 | (a != b) << 5;""",
    _comparisons,
)


def _saturated(x: Array, low: int, bits: int) -> Array:
    return np.asarray(np.clip(at(x, 0).view(np.int32) >> LANE, low, low + (1 << bits) - 1))


def _rounded(x: Array, low: int, bits: int) -> Array:
    whole = np.nan_to_num(np.rint(at(x, 0).view(np.float32).astype(np.float64)), nan=0.0)
    return np.asarray(np.clip(whole, low, low + (1 << bits) - 1))


for signed, bits in ((True, 8), (False, 8), (True, 16), (False, 16)):
    kind, low = f"{'s' if signed else 'u'}{bits}", -(1 << bits - 1) if signed else 0
    ROWS[f"I2I: cvt.sat.{kind}.s32"] = Row(
        f'int r; asm("{{.reg .{kind} t; cvt.sat.{kind}.s32 t, %1; cvt.s32.{kind} %0, t;}}" : "=r"(r) '
        ': "r"((int)x[T] >> (T & 31))); out[T] = r;',
        partial(_saturated, low=low, bits=bits),
    )
    ROWS[f"F2IP: cvt.rni.sat.{kind}.f32"] = Row(
        f'int r; asm("{{.reg .{kind} t; cvt.rni.sat.{kind}.f32 t, %1; cvt.s32.{kind} %0, t;}}" : "=r"(r) '
        ': "f"(__uint_as_float(x[T]))); out[T] = r;',
        partial(_rounded, low=low, bits=bits),
        inputs=singles,
    )


def _beside(x: Array, bits: int, signed: bool) -> Array:
    low, mask = -(1 << bits - 1) if signed else 0, (1 << bits) - 1
    upper, lower = (at(x, place).view(np.int32) >> LANE for place in (0, 1))
    upper, lower = (np.clip(part, low, low + mask) & mask for part in (upper, lower))
    above = at(x, 2).astype(np.int64) << 2 * bits if bits < 16 else 0
    return np.asarray((above | upper << bits | lower).astype(np.uint32))


for bits in (2, 4, 8, 16):
    for sign in "us":
        form, more = f"{sign}{bits}.s32", (".b32", ", %3") if bits < 16 else ("", "")
        ROWS[f"I2IP: cvt.pack.sat.{form}"] = Row(
            f'u32 r; asm("cvt.pack.sat.{form}{more[0]} %0, %1, %2{more[1]};" : "=r"(r) '
            ': "r"((int)x[T] >> (T & 31)), "r"((int)x[T + 32] >> (T & 31)), "r"(x[T + 64])); out[T] = r;',
            partial(_beside, bits=bits, signed=sign == "s"),
        )

# --- Special registers, barriers, one lane of a warp ----------------------------------------------------------


def _everywhere(x: Array, value: Any) -> Array:
    return np.broadcast_to(value, len(LANE))


REGISTERS: Mapping[str, Any] = {
    "tid.x": LANE, "tid.y": 0, "ntid.x": 32, "ntid.z": 1, "laneid": LANE, "warpid": 0, "ctaid.x": 0, "nctaid.x": 1,
    "lanemask_eq": 1 << LANE, "lanemask_le": (2 << LANE) - 1, "lanemask_lt": (1 << LANE) - 1,
    "lanemask_ge": 0xFFFF_FFFF ^ (1 << LANE) - 1, "lanemask_gt": 0xFFFF_FFFF ^ (2 << LANE) - 1,
    "dynamic_smem_size": 0, "globaltimer_hi": 0, "clock_hi": 0,
}  # fmt: skip
for register, value in REGISTERS.items():
    ROWS[f"S2R: %{register}"] = Row(
        f'u32 r; asm volatile("mov.u32 %0, %%{register};" : "=r"(r)); out[T] = r;',
        partial(_everywhere, value=value),
    )
for register, value in {
    "cluster_ctaid.x": 0,
    "cluster_nctaid.x": 1,
    "cluster_ctarank": 0,
    "nclusterid.x": 1,
}.items():
    ROWS[f"S2R: %{register}"] = Row(
        f'u32 r; asm volatile("mov.u32 %0, %%{register};" : "=r"(r)); out[T] = r;',
        partial(_everywhere, value=value),
        FROM_90,
    )
ROWS["R2B: barrier.red.popc of a barrier in a register"] = Row(
    'u32 r; asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, %2, p;}" '
    ': "=r"(r) : "r"(x[T] & 1), "r"(x[1] & 3)); out[T] = r;',
    lambda x: np.full(32, (at(x, 0) & 1).sum()),
)
ROWS["ELECT: elect.sync of all lanes and of some"] = Row(
    """u32 r, p;
    asm volatile("{.reg .pred p; elect.sync %0|p, ~0; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(p));
    out[T] = r, out[T + 32] = p;
    if (T >= 5) {
        asm volatile("{.reg .pred p; elect.sync %0|p, ~31; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(p));
        out[T + 64] = r;
    }""",
    lambda x: np.concatenate([np.zeros(32), LANE == 0, np.where(LANE >= 5, 5, 0)]),
    FROM_90,
)
ROWS["CREDUX: reductions of integers"] = Row(
    "out[T] = __reduce_add_sync(~0u, x[T]), out[T + 32] = __reduce_min_sync(~0u, (int)x[T]);",
    lambda x: np.repeat([at(x, 0).sum(dtype=np.uint32), at(x, 0).view(np.int32).min().view(np.uint32)], 32),
)


# --- What is refused ------------------------------------------------------------------------------------------

REFUSED = {  # what a warp does: the name in the message, and the GPUs
    'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");': ("wgmma", H200),
    'asm volatile("cp.async.bulk.prefetch.L2.global [%0], 128;" :: "l"(x));': (r"TMA \(bulk copies", FROM_90),
    'asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;"'
    ' :: "l"(out), "r"(x[0]));': (r"TMA \(bulk copies", FROM_90),
    'u32 r; asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(x[0])); out[T] = r;': (
        r"tensor memory \(tcgen05\)",
        B200,
    ),
    'asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");': (
        "cooperation in a thread block cluster",
        FROM_90,
    ),
    'asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"'
    ' :: "r"(x[0]), "r"(x[1]), "r"(x[2]));': ("cooperation in a thread block cluster", FROM_90),
    'u32 r; asm volatile("multimem.ld_reduce.global.add.u32 %0, [%1];" : "=r"(r) : "l"(x)); out[T] = r;': (
        "multimem",
        FROM_90,
    ),
    'u32 r; asm volatile("mov.u32 %0, %%nsmid;" : "=r"(r)); out[T] = r;': ("%nsmid", GPUS),
    'u32 r; asm volatile("mov.u32 %0, %%envreg5;" : "=r"(r)); out[T] = r;': (
        "what the driver leaves at",
        GPUS,
    ),
    'u32 r; asm volatile("mov.u32 %0, %%pm0;" : "=r"(r)); out[T] = r;': ("the special register SR_PM0", GPUS),
    'u32 r; asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(r)); out[T] = r;': (
        "the special register SR_SMEMSZ",
        GPUS,
    ),
    'float r; asm volatile("redux.sync.min.f32 %0, %1, ~0;" : "=f"(r) : "f"(__uint_as_float(x[T]))); out[T] = r;': (
        "redux.sync of floats",
        B200,
    ),
    'u32 r; asm volatile("{.reg .b16 t; cvt.rz.satfinite.ue8m0x2.f32 t, %1, %1; cvt.u32.u16 %0, t;}" : "=r"(r)'
    ' : "f"(__uint_as_float(x[T]))); out[T] = r;': ("UE8M0", FROM_100),
    'u32 a, b; asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];" : "=r"(a), "=r"(b)'
    ' : "r"(x[T])); out[T] = a + b;': ("ldmatrix or stmatrix of 8-bit and narrower elements", FROM_100),
    'u32 a; asm volatile("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%0}, [%1];" : "=r"(a)'
    ' : "r"(x[T])); out[T] = a;': ("ldmatrix or stmatrix of 8-bit and narrower elements", FROM_100),
    'asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};" :: "r"(x[T]), "r"(x[T + 32]));': (
        "ldmatrix or stmatrix of 8-bit and narrower elements",
        FROM_100,
    ),
    'float c[4] = {}; asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32 '
    '{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])'
    ' : "r"(x[T])); out[T] = c[0];': ("matrices of 4-bit or 6-bit floats", RTX5090),
    'float c[4] = {}; asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.'
    'e4m3.e4m3.f32.ue8m0 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3}, %4, {0,0}, %4, {0,0};" '
    ': "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x[T])); out[T] = c[0];': (
        "block-scaled matrix multiplication",
        RTX5090,
    ),
    "out[T] = tex2D<float>((cudaTextureObject_t)x[0], 1.f, 2.f);": ("texture access", GPUS),
    "surf2Dwrite<u32>(3, (cudaSurfaceObject_t)x[0], 4, 2);": ("surface access", GPUS),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_not_modelled_is_refused_by_its_name_with_its_line(body: str) -> None:
    name, gpus = REFUSED[body]
    for gpu in gpus:
        with pytest.raises(UnsupportedInstruction, match=f"{name}.* is not modelled") as caught:
            execute(**launch(body, gpu, words()))
        assert caught.value.line


@pytest.mark.parametrize("gpu", GPUS)
def test_grid_sync_is_refused_by_its_name(gpu: str) -> None:
    headers = "#include <cooperative_groups.h>"
    with pytest.raises(UnsupportedInstruction, match=r"grid\.sync\(\), which needs a cooperative launch"):
        execute(**launch("cooperative_groups::this_grid().sync(); out[T] = x[T];", gpu, words(), headers))


@pytest.mark.parametrize("gpu", GPUS)
def test_a_sleep_takes_its_time(gpu: str) -> None:
    asked = launch("__nanosleep(20000); out[T] = x[T];", gpu, words())
    assert 15 < simulate(**asked).time_us < 60


@pytest.mark.parametrize("gpu", GPUS)
def test_dynamic_shared_memory_is_as_large_as_asked_for(gpu: str) -> None:
    asked = launch(
        'u32 r; asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r)); out[T] = r;', gpu, words()
    )
    execute(**asked, dynamic_shared_bytes=1280)
    assert asked["arguments"][1][0] == 1280


@pytest.mark.parametrize("gpu", ["rtx3090", "rtx4090", "b200"])
def test_asynchronous_barriers_and_pipelines(gpu: str) -> None:
    like = "rtx5090" if gpu == "b200" else "a100-80gb"
    for case in cases("barriers"):
        refused = {gpu: case.refused[like]} if like in case.refused else {}
        assert problem("barriers", replace(case, refused=refused), gpu, timed=False) is None


@pytest.mark.parametrize("name", ROWS)
def test_what_has_a_name_is_right_where_an_architecture_has_it(name: str) -> None:
    row = ROWS[name]
    x = row.inputs()
    wanted = np.asarray(row.expected(x)).ravel()
    for gpu in row.gpus:
        asked = launch(row.body, gpu, x, row.headers)
        execute(**asked)
        got = asked["arguments"][1][: len(wanted)]
        np.testing.assert_array_equal(got, wanted.astype(np.int64).astype(np.uint32), err_msg=gpu)
