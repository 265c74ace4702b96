"""What each operation does to a lane's numbers, against Python's integers and numpy's floats.

The operations are CUDA expressions, compiled for each architecture, so the compiler chooses the instructions:
carries, funnel shifts, truth tables, multiply-adds, conversions and their roundings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from testing.tiny_kernels import Array, evaluate

GPUS = ("a100-80gb", "h200", "b200", "rtx5090")
MANY = 128  # elements of one example
examples = settings(max_examples=10, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    """The two's complement reading of the low bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _arrays(dtype: str, corners: Sequence[float]) -> st.SearchStrategy[Array]:
    """Arrays of any bits, with corners strewn in."""
    bits = st.binary(min_size=MANY * 8, max_size=MANY * 8)
    choices = st.binary(min_size=MANY, max_size=MANY)
    special = np.array(corners, dtype)

    def mix(bits: bytes, choices: bytes) -> Array:
        values = np.frombuffer(bits, dtype)[:MANY].copy()
        choice = np.frombuffer(choices, np.uint8)
        return np.where(choice < 128, special[choice % len(special)], values)

    return st.builds(mix, bits, choices)


def _integer_corners(bits: int) -> list[int]:
    top = 1 << (bits - 1)
    return [0, 1, 2, 7, 31, 32, 33, 63, 64, 255, top, top - 1, top + 1, 2 * top - 1, 0x55555555, 0x80000000]


words = _arrays("uint32", _integer_corners(32))
longs = _arrays("uint64", _integer_corners(64))


@dataclass(frozen=True)
class Operation:
    """A CUDA expression and what it should give."""

    expression: str
    reference: Callable[..., int]
    prelude: str = ""


def check(operations: dict[str, Operation], bits: int, gpu: str, *inputs: Array) -> None:
    """Compile all operations into one kernel and compare each with its reference on Python's integers."""
    prelude = "\n".join(o.prelude.replace(" op(", f" {name}(") for name, o in operations.items())
    expressions = {name: o.expression.replace("op(", f"{name}(") for name, o in operations.items()}
    results = evaluate(expressions, inputs, f"uint{bits}", gpu, prelude)
    wrong = {}
    for name, got in results.items():
        values = [operations[name].reference(*map(int, v)) for v in zip(*inputs, strict=True)]
        expected = np.array([v & ((1 << bits) - 1) for v in values], got.dtype)
        for i in np.flatnonzero(got != expected)[:2]:
            wrong[f"{name}({', '.join(hex(a[i]) for a in inputs)})"] = f"{got[i]:#x} is not {expected[i]:#x}"
    assert not wrong


def ptx(name: str, operands: int, letter: str = "r", kind: str = "unsigned", result: str = "") -> str:
    """A device function `op` around one PTX instruction."""
    parameters = ", ".join(f"{kind} {n}" for n in "abc"[:operands])
    inputs = ", ".join(f'"{letter}"({n})' for n in "abc"[:operands])
    holes = ", ".join(f"%{i + 1}" for i in range(operands))
    result_kind, result_letter = result.split() if result else (kind, letter)
    return (
        f"__device__ {result_kind} op({parameters}) {{ {result_kind} d; "
        f'asm("{name} %0, {holes};" : "={result_letter}"(d) : {inputs}); return d; }}'
    )


# --- 32-bit integers --------------------------------------------------------------------------------------


def _permute(a: int, b: int, c: int) -> int:
    pool = (b << 32 | a).to_bytes(8, "little")
    return int.from_bytes(bytes(pool[c >> 4 * k & 7] for k in range(4)), "little")


def _swapped(a: int) -> int:
    return int.from_bytes(a.to_bytes(4, "big"), "little")


def _permute_signed(a: int, b: int, c: int) -> int:
    pool = (b << 32 | a).to_bytes(8, "little")
    out = 0
    for k in range(4):
        choice = c >> 4 * k & 15
        byte = pool[choice & 7]
        out |= ((0xFF if byte & 0x80 else 0) if choice & 8 else byte) << 8 * k
    return out


_PICKED = {
    "f4e": lambda n, i: n + i,
    "b4e": lambda n, i: (n - i) % 8,
    "rc8": lambda n, i: n,
    "ecl": lambda n, i: max(i, n),
    "ecr": lambda n, i: min(i, n),
    "rc16": lambda n, i: (n & 1) * 2 + (i & 1),
}
"""Which byte each mode of `prmt` puts at place i (PTX ISA)."""


def _permute_by_mode(mode: str) -> Callable[[int, int, int], int]:
    def reference(a: int, b: int, c: int) -> int:
        pool = (b << 32 | a).to_bytes(8, "little")
        return int.from_bytes(bytes(pool[_PICKED[mode](c & 3, i)] for i in range(4)), "little")

    return reference


def _clamped(value: int, bits: int, is_signed: bool = True) -> int:
    low = -(1 << bits - 1) if is_signed else 0
    return min(max(value, low), low + (1 << bits) - 1) & ((1 << bits) - 1)


def _truth_table(table: int) -> Callable[[int, int, int], int]:
    def reference(a: int, b: int, c: int) -> int:
        bits = (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1 for i in range(32))
        return sum(bit << i for i, bit in enumerate(bits))

    return reference


def _clz(a: int, bits: int = 32) -> int:
    return bits - a.bit_length()


def _ffs(a: int) -> int:
    return (a & -a).bit_length()


def _bfe(a: int, b: int, c: int, is_signed: bool) -> int:
    position, length = b & 255, c & 255
    if length == 0:
        return 0
    sign = a >> min(position + length - 1, 31) & 1 if is_signed else 0
    bits = [(a >> (position + i) & 1) if position + i <= 31 and i < length else sign for i in range(32)]
    return sum(bit << i for i, bit in enumerate(bits))


def _bfi(a: int, b: int, c: int) -> int:
    position, length = c & 255, c >> 8 & 255
    for i in range(length):
        if position + i > 31:
            break
        b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
    return b


def _quotient(a: int, b: int) -> int:
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def _by_parts(bits: int, a: int, b: int, of: Callable[[int, int], int]) -> int:
    mask = (1 << bits) - 1
    return sum((of(a >> i & mask, b >> i & mask) & mask) << i for i in range(0, 32, bits))


def _dot(a: int, b: int, c: int, is_signed: bool) -> int:
    total = signed(c, 32)
    for k in range(4):
        p, q = a >> 8 * k & 255, b >> 8 * k & 255
        total += signed(p, 8) * signed(q, 8) if is_signed else p * q
    return total


S = signed
WORD_OPERATIONS = {
    "add": Operation("a + b", lambda a, b, c: a + b),
    "subtract": Operation("a - b", lambda a, b, c: a - b),
    "three": Operation("a - b - c", lambda a, b, c: a - b - c),
    "negate": Operation("-a - b + 7", lambda a, b, c: 7 - a - b),
    "complement": Operation("~a + (b & ~c)", lambda a, b, c: ~a + (b & ~c)),
    "multiply": Operation("a * b + c", lambda a, b, c: a * b + c),
    "multiply_constant": Operation("a * 12345u + (b << 3)", lambda a, b, c: a * 12345 + (b << 3)),
    "high_unsigned": Operation("__umulhi(a, b)", lambda a, b, c: a * b >> 32),
    "high_signed": Operation("__mulhi((int)a, (int)b)", lambda a, b, c: S(a, 32) * S(b, 32) >> 32),
    "high_add": Operation("__umulhi(a, b) + c", lambda a, b, c: (a * b >> 32) + c),
    "left": Operation("a << (b & 31)", lambda a, b, c: a << (b & 31)),
    "right": Operation("a >> (b & 31)", lambda a, b, c: a >> (b & 31)),
    "right_signed": Operation("(int)a >> (b & 31)", lambda a, b, c: S(a, 32) >> (b & 31)),
    "left_clamped": Operation("op(a, b)", lambda a, b, c: a << min(b, 32), ptx("shl.b32", 2)),
    "right_clamped": Operation("op(a, b)", lambda a, b, c: a >> min(b, 32), ptx("shr.u32", 2)),
    "right_signed_clamped": Operation("op(a, b)", lambda a, b, c: S(a, 32) >> min(b, 32), ptx("shr.s32", 2)),
    "funnel_left": Operation("__funnelshift_l(a, b, c)", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    "funnel_right": Operation("__funnelshift_r(a, b, c)", lambda a, b, c: (b << 32 | a) >> (c & 31)),
    "funnel_left_clamped": Operation(
        "__funnelshift_lc(a, b, c)", lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32
    ),
    "funnel_right_clamped": Operation(
        "__funnelshift_rc(a, b, c)", lambda a, b, c: (b << 32 | a) >> min(c, 32)
    ),
    "rotate": Operation("__funnelshift_l(a, a, b)", lambda a, b, c: (a << 32 | a) << (b & 31) >> 32),
    "permute": Operation("__byte_perm(a, b, c & 0x7777)", _permute),
    "permute_signed": Operation("op(a, b, c)", _permute_signed, ptx("prmt.b32", 3)),
    "swap_bytes": Operation("__byte_perm(a, 0, 0x0123)", lambda a, b, c: _swapped(a)),
    "population": Operation("__popc(a)", lambda a, b, c: a.bit_count()),
    "leading_zeros": Operation("__clz(a)", lambda a, b, c: _clz(a)),
    "first_set": Operation("__ffs(a)", lambda a, b, c: _ffs(a)),
    "highest_bit": Operation("op(a)", lambda a, b, c: a.bit_length() - 1, ptx("bfind.u32", 1)),
    "highest_bit_signed": Operation(
        "op(a)", lambda a, b, c: (~a & M32 if a >> 31 else a).bit_length() - 1, ptx("bfind.s32", 1)
    ),
    "reverse": Operation("__brev(a)", lambda a, b, c: int(f"{a:032b}"[::-1], 2)),
    "extract": Operation("op(a, b, c)", lambda a, b, c: _bfe(a, b, c, False), ptx("bfe.u32", 3)),
    "extract_signed": Operation("op(a, b, c)", lambda a, b, c: _bfe(a, b, c, True), ptx("bfe.s32", 3)),
    "insert": Operation(
        "op(a, b, c)",
        _bfi,
        "__device__ unsigned op(unsigned a, unsigned b, unsigned c) { unsigned d; "
        'asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 255), "r"(c >> 8 & 255)); '
        "return d; }",
    ),
    "mask": Operation(
        "op(a, b)",
        lambda a, b, c: 0 if a > 31 else ((1 << min(b, 32)) - 1) << a,
        ptx("bmsk.clamp.b32", 2),
    ),
    "mask_wrapped": Operation(
        "op(a, b)", lambda a, b, c: ((1 << (b & 31)) - 1) << (a & 31), ptx("bmsk.wrap.b32", 2)
    ),
    "extend_wrapped": Operation(
        "op(a, b)", lambda a, b, c: S(a, b & 31) if b & 31 else 0, ptx("szext.wrap.s32", 2)
    ),
    **{
        f"permute_{mode}": Operation("op(a, b, c)", _permute_by_mode(mode), ptx(f"prmt.b32.{mode}", 3))
        for mode in _PICKED
    },
    "pack_bytes": Operation(
        "op(a, b, c)",
        lambda a, b, c: c << 16 | _clamped(S(a, 32), 8, False) << 8 | _clamped(S(b, 32), 8, False),
        ptx("cvt.pack.sat.u8.s32.b32", 3),
    ),
    "pack_below_upper_half": Operation(
        "op(a, b, c >> 16)",
        lambda a, b, c: c >> 16 << 16 | _clamped(S(a, 32), 8) << 8 | _clamped(S(b, 32), 8),
        ptx("cvt.pack.sat.s8.s32.b32", 3),
    ),
    "pack_halves": Operation(
        "op(a, b)",
        lambda a, b, c: _clamped(S(a, 32), 16) << 16 | _clamped(S(b, 32), 16),
        ptx("cvt.pack.sat.s16.s32", 2),
    ),
    "add_saturated": Operation(
        "op(a, b)", lambda a, b, c: _clamped(S(a, 32) + S(b, 32), 32), ptx("add.sat.s32", 2)
    ),
    "subtract_saturated": Operation(
        "op(a, b)", lambda a, b, c: _clamped(S(a, 32) - S(b, 32), 32), ptx("sub.sat.s32", 2)
    ),
    "carry_of_shifted": Operation(
        "op(a, b, c)",
        lambda a, b, c: (a + b >> 32) + ((a << 31 & M32) + c) >> 32,
        "__device__ unsigned op(unsigned a, unsigned b, unsigned c) { unsigned d; "
        'asm("{.reg .u32 t; add.cc.u32 t, %1, %2; madc.lo.cc.u32 t, %1, 0x80000000, %3; '
        'addc.u32 %0, 0, 0;}" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }',
    ),
    "extend_byte": Operation("(int)(signed char)a", lambda a, b, c: S(a, 8)),
    "extend_half": Operation("(int)(short)a + (b & 0xffff)", lambda a, b, c: S(a, 16) + (b & 0xFFFF)),
    "absolute": Operation("abs((int)a)", lambda a, b, c: abs(S(a, 32))),
    "smaller": Operation("min((int)a, (int)b)", lambda a, b, c: min(S(a, 32), S(b, 32))),
    "greater_unsigned": Operation("max(a, b)", lambda a, b, c: max(a, b)),
    "smallest": Operation(
        "min(min((int)a, (int)b), (int)c)", lambda a, b, c: min(S(a, 32), S(b, 32), S(c, 32))
    ),
    "greatest_unsigned": Operation("max(max(a, b), c)", lambda a, b, c: max(a, b, c)),
    "sum_then_greater": Operation("max((int)(a + b), (int)c)", lambda a, b, c: max(S(a + b, 32), S(c, 32))),
    "sum_then_smaller": Operation("min(a + b, c)", lambda a, b, c: min(a + b & M32, c)),
    "sum_min": Operation("__viaddmin_u32(a, b, c)", lambda a, b, c: min(a + b & M32, c)),
    "sum_max": Operation("__viaddmax_s32(a, b, c)", lambda a, b, c: max(S(a + b, 32), S(c, 32))),
    "three_max": Operation("__vimax3_s32(a, b, c)", lambda a, b, c: max(S(a, 32), S(b, 32), S(c, 32))),
    "choose": Operation("a < b ? b : c", lambda a, b, c: b if a < b else c),
    "choose_signed": Operation("(int)a <= (int)b ? a : c", lambda a, b, c: a if S(a, 32) <= S(b, 32) else c),
    "both": Operation("(a > b && b != c) || a == 7", lambda a, b, c: int((a > b and b != c) or a == 7)),
    "either_not_both": Operation("(a > b) != (b > c)", lambda a, b, c: int((a > b) != (b > c))),
    "many_conditions": Operation(
        "(a > b) + 2 * (b > c) + 4 * (a > c) + 8 * (a & 1) + 16 * ((int)b < 0) + 32 * (c == 0)",
        lambda a, b, c: (a > b) + 2 * (b > c) + 4 * (a > c) + 8 * (a & 1) + 16 * (b >> 31) + 32 * (c == 0),
    ),
    "divide": Operation("a / (b | 1)", lambda a, b, c: a // (b | 1)),
    "remainder": Operation("a % (b | 1)", lambda a, b, c: a % (b | 1)),
    "divide_signed": Operation("(int)a / (int)(b | 1)", lambda a, b, c: _quotient(S(a, 32), S(b | 1, 32))),
    "divide_constant": Operation("a / 7 + (int)b / -13", lambda a, b, c: a // 7 + _quotient(S(b, 32), -13)),
    "dot_signed": Operation("__dp4a((int)a, (int)b, (int)c)", lambda a, b, c: _dot(a, b, c, True)),
    "dot_unsigned": Operation("__dp4a(a, b, c)", lambda a, b, c: _dot(a, b, c, False) & M32),
    "average": Operation("__uhadd(a, b)", lambda a, b, c: a + b >> 1),
    "add_halves": Operation("__vadd2(a, b)", lambda a, b, c: _by_parts(16, a, b, lambda p, q: p + q)),
    "subtract_halves": Operation("__vsub2(a, b)", lambda a, b, c: _by_parts(16, a, b, lambda p, q: p - q)),
    "add_bytes": Operation("__vadd4(a, b)", lambda a, b, c: _by_parts(8, a, b, lambda p, q: p + q)),
    "greater_halves": Operation("__vmaxu2(a, b)", lambda a, b, c: _by_parts(16, a, b, max)),
    "lesser_bytes": Operation("__vminu4(a, b)", lambda a, b, c: _by_parts(8, a, b, min)),
    "least_halves": Operation(
        "__vimin3_u16x2(a, b, c)", lambda a, b, c: _by_parts(16, _by_parts(16, a, b, min), c, min)
    ),
    "sum_then_greater_halves": Operation(
        "__viaddmax_u16x2(a, b, c)",
        lambda a, b, c: _by_parts(16, _by_parts(16, a, b, lambda p, q: p + q), c, max),
    ),
    "difference_then_greater_halves": Operation(
        "__vmaxu2(__vsub2(a, b), c)",
        lambda a, b, c: _by_parts(16, _by_parts(16, a, b, lambda p, q: p - q), c, max),
    ),
    "difference_then_lesser_halves": Operation(
        "__vmins2(__vsub2(a, b), c)",
        lambda a, b, c: _by_parts(
            16, _by_parts(16, a, b, lambda p, q: p - q), c, lambda p, q: min(S(p, 16), S(q, 16))
        ),
    ),
    "scaled_difference": Operation("b - (a << 4)", lambda a, b, c: b - (a << 4)),
    "clamp_to_byte": Operation(
        "op(a)", lambda a, b, c: min(max(S(a, 32), 0), 255), ptx("cvt.sat.u8.s32", 1)
    ),
    "clamp_to_half": Operation(
        "op(a)", lambda a, b, c: min(max(S(a, 32), -32768), 32767), ptx("cvt.sat.s16.s32", 1)
    ),
    **{
        f"table_{table:02x}": Operation(
            "op(a, b, c)", _truth_table(table), ptx("lop3.b32", 3).replace("%3;", f"%3, {table};")
        )
        for table in (0x01, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE)
    },
}  # fmt: skip


@pytest.mark.parametrize("gpu", GPUS)
@examples
@given(a=words, b=words, c=words)
def test_words(gpu: str, a: Array, b: Array, c: Array) -> None:
    check(WORD_OPERATIONS, 32, gpu, a, b, c)


# --- 64-bit integers --------------------------------------------------------------------------------------

LONG_OPERATIONS = {
    "add": Operation("a + b", lambda a, b: a + b),
    "subtract": Operation("a - b", lambda a, b: a - b),
    "multiply": Operation("a * b", lambda a, b: a * b),
    "multiply_add": Operation("a * 1000003ull + b", lambda a, b: a * 1000003 + b),
    "wide": Operation("(a & 0xffffffff) * (unsigned)b + a", lambda a, b: (a & M32) * (b & M32) + a),
    "wide_signed": Operation("(long long)(int)a * (int)b + a", lambda a, b: S(a, 32) * S(b, 32) + a),
    "high": Operation("__umul64hi(a, b)", lambda a, b: a * b >> 64),
    "high_signed": Operation("__mul64hi((long long)a, (long long)b)", lambda a, b: S(a, 64) * S(b, 64) >> 64),
    "left": Operation("a << (b & 63)", lambda a, b: a << (b & 63)),
    "right": Operation("a >> (b & 63)", lambda a, b: a >> (b & 63)),
    "right_signed": Operation("(long long)a >> (b & 63)", lambda a, b: S(a, 64) >> (b & 63)),
    "left_constant": Operation("(a << 37) ^ (b >> 5)", lambda a, b: a << 37 ^ b >> 5),
    "less": Operation("a < b", lambda a, b: a < b),
    "less_or_equal_signed": Operation("(long long)a <= (long long)b", lambda a, b: S(a, 64) <= S(b, 64)),
    "equal": Operation("a == b", lambda a, b: a == b),
    "smaller_signed": Operation("min((long long)a, (long long)b)", lambda a, b: min(S(a, 64), S(b, 64))),
    "greater": Operation("max(a, b)", lambda a, b: max(a, b)),
    "negate": Operation("-a", lambda a, b: -a),
    "absolute": Operation("llabs((long long)a)", lambda a, b: abs(S(a, 64))),
    "divide": Operation("a / (b | 1)", lambda a, b: a // (b | 1)),
    "remainder": Operation("a % (b | 1)", lambda a, b: a % (b | 1)),
    "population": Operation("__popcll(a)", lambda a, b: a.bit_count()),
    "leading_zeros": Operation("__clzll(a)", lambda a, b: _clz(a, 64)),
    "first_set": Operation("__ffsll(a)", lambda a, b: _ffs(a)),
    "reverse": Operation("__brevll(a)", lambda a, b: int(f"{a:064b}"[::-1], 2)),
    "choose": Operation("a < b ? a + 1 : b - 1", lambda a, b: a + 1 if a < b else b - 1),
    "many_conditions": Operation(
        "(a <= b) + 2 * ((long long)a >= (long long)b) + 4 * (a != b) + 8 * ((a > b) && ((long long)a < 0))",
        lambda a, b: (a <= b) + 2 * (S(a, 64) >= S(b, 64)) + 4 * (a != b) + 8 * (a > b and S(a, 64) < 0),
    ),
    "wide_product": Operation(
        "(unsigned long long)((unsigned __int128)a * b >> 64) ^ (unsigned long long)((__int128)a * b)",
        lambda a, b: (a * b >> 64) ^ (a * b & M64),
    ),
    "wide_sum": Operation(
        "(unsigned long long)((((unsigned __int128)a << 64 | b) + ((unsigned __int128)b << 64 | a)) >> 64)",
        lambda a, b: ((a << 64 | b) + (b << 64 | a)) >> 64,
    ),
    "scaled_difference": Operation("b - (a << 1) - (a >> 63)", lambda a, b: b - (a << 1) - (a >> 63)),
    "multiply_subtract": Operation(
        "(unsigned long long)((long long)(int)a * (int)b) - b", lambda a, b: S(a, 32) * S(b, 32) - b
    ),
    "scaled_index": Operation("(unsigned long long)((int*)a + (int)b)", lambda a, b: a + 4 * S(b, 32)),
    "scaled_wide_index": Operation("(unsigned long long)((double*)a + (long long)b)", lambda a, b: a + 8 * b),
}  # fmt: skip


@pytest.mark.parametrize("gpu", GPUS)
@examples
@given(a=longs, b=longs)
def test_longs(gpu: str, a: Array, b: Array) -> None:
    check(LONG_OPERATIONS, 64, gpu, a, b)
