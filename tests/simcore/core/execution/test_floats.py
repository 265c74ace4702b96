"""Floating-point arithmetic and conversions to the bit, in every rounding; functions to their accuracy."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simcore import compile_cuda, execute
from testing.tiny_kernels import Array, evaluate

GPUS = ("a100-80gb", "h200", "b200")
SINE_STEPS = Path(__file__).parents[4] / "benchmarks/silicon/micro/core/sine_steps.h200.csv"
DIRECTIONS = ("rn", "rz", "ru", "rd")
CORNERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, 1e-45, 3e38, -3e38, 65504.0,
    1e-38, 0.1, 3.0, 7.0, 1e10, -1e-3, 1.0000001, 16777217.0, 2.0**-24, 100.25, -31.75, 2047.5, 65520.0,
]  # fmt: skip


def sample(dtype: str, seed: int = 1) -> tuple[Array, Array, Array]:
    """Every corner with every other and a third, then random bits, then numbers of like size."""
    random = np.random.default_rng(seed)
    corners = np.array(CORNERS, dtype)
    a, b = (side.ravel() for side in np.meshgrid(corners, corners))
    bits = random.integers(0, 1 << 63, (3, 512), np.uint64) * np.uint64(2) + np.uint64(1)
    wide = dtype == "float64"
    patterns = (bits if wide else (bits >> np.uint64(32)).astype(np.uint32)).view(dtype)
    alike = random.standard_normal((3, 512)).astype(dtype)
    rows = np.concatenate([[a, b, random.permutation(a)], patterns, alike], axis=1)
    whole = rows.shape[1] // 32 * 32
    return rows[0, :whole].copy(), rows[1, :whole].copy(), rows[2, :whole].copy()


def assert_same(got: Array, expected: Array, *inputs: Array) -> None:
    """Equal to the bit; any NaN equals any other."""
    same = got == expected
    if got.dtype.kind == "f":
        pattern = f"uint{8 * got.dtype.itemsize}"
        same = (got.view(pattern) == expected.view(pattern)) | (np.isnan(got) & np.isnan(expected))
    wrong = [(*(a[i] for a in inputs), "gives", got[i], "not", expected[i]) for i in np.flatnonzero(~same)]
    assert not wrong, wrong[:4]


@pytest.mark.parametrize(("name", "pick"), [("min", np.fmin), ("max", np.fmax)])
def test_the_smaller_magnitude_with_the_sign_of_the_product(name: str, pick: Callable[..., Array]) -> None:
    a, b, _ = sample("float32")
    assembly = f'asm("{name}.xorsign.abs.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));'
    prelude = f"__device__ float picked(float x, float y) {{ float r; {assembly} return r; }}"
    got = evaluate({"picked": "picked(a, b)"}, [a, b], "float32", prelude=prelude)["picked"]
    sign = np.where(np.signbit(a) != np.signbit(b), np.float32(-1), np.float32(1))
    assert_same(got, sign * pick(np.abs(a), np.abs(b)), a, b)


# --- One rounding, in the direction asked for -------------------------------------------------------------

FORMATS = {"float16": (11, -24, 15), "float32": (24, -149, 127), "float64": (53, -1074, 1023)}


def rounded(exact: Fraction, dtype: str, direction: str) -> float:
    """An exact number, not zero, in a format: the nearest one (ties to even) or the next in a direction."""
    bits, lowest, highest = FORMATS[dtype]
    magnitude, sign = abs(exact), 1.0 if exact > 0 else -1.0
    exponent = max(_floor_log2(magnitude) - bits + 1, lowest)
    scaled = magnitude / Fraction(2) ** exponent
    down = scaled.numerator // scaled.denominator
    rest = scaled - down
    away = "ru" if exact > 0 else "rd"
    if direction == "rn":
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2 == 1)
    else:
        up = rest > 0 and direction == away
    result = (down + up) * Fraction(2) ** exponent
    limit = Fraction(2) ** (highest + 1)
    if result >= limit:
        largest = limit - Fraction(2) ** (highest + 1 - bits)
        return sign * (math.inf if direction in ("rn", away) else float(largest))
    return sign * float(result)


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if value >= Fraction(2) ** guess else guess - 1


def test_the_reference_rounds_as_numpy_does() -> None:
    a, _, _ = sample("float64")
    a = a[np.isfinite(a) & (a != 0)]
    with np.errstate(all="ignore"):
        for dtype in ("float16", "float32"):
            expected = np.array([rounded(Fraction(float(v)), dtype, "rn") for v in a])
            assert (a.astype(dtype) == expected).all()


FORMS: dict[str, tuple[str, str, Callable[..., Fraction]]] = {
    "add": ("__fadd_{}(a, b)", "__dadd_{}(a, b)", lambda a, b, c: a + b),
    "multiply": ("__fmul_{}(a, b)", "__dmul_{}(a, b)", lambda a, b, c: a * b),
    "multiply_add": ("__fmaf_{}(a, b, c)", "__fma_{}(a, b, c)", lambda a, b, c: a * b + c),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arithmetic_rounds_once(dtype: str, form: str) -> None:
    single, double, reference = FORMS[form]
    inputs = sample(dtype)
    expression = single if dtype == "float32" else double
    results = evaluate({d: expression.format(d) for d in DIRECTIONS}, inputs, dtype)
    known = np.isfinite(np.asarray(inputs)).all(axis=0)
    exact = [
        reference(*(Fraction(float(a[i])) for a in inputs)) if known[i] else Fraction(0)
        for i in range(len(known))
    ]
    for direction, got in results.items():
        chosen = [i for i, v in enumerate(exact) if v and (direction == "rn" or _has_error(inputs, i, dtype))]
        expected = np.array([rounded(exact[i], dtype, direction) for i in chosen], dtype)
        assert_same(got[chosen], expected, *(a[chosen] for a in inputs))


def _has_error(inputs: tuple[Array, ...], i: int, dtype: str) -> bool:
    """Whether the rounding error of the product is a double, which directed rounding relies on."""
    a, b, _ = (abs(float(v[i])) for v in inputs)
    return dtype == "float32" or 1e-280 < Fraction(a) * Fraction(b) < 1e300


# --- Against numpy ----------------------------------------------------------------------------------------

OPERATIONS: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "add": ("a + b", lambda a, b: a + b),
    "subtract": ("a - b", lambda a, b: a - b),
    "multiply": ("a * -b", lambda a, b: a * -b),
    "magnitude": ("fabs(a) - fabs(b)", lambda a, b: np.abs(a) - np.abs(b)),
    "divide": ("a / b", lambda a, b: a / b),
    "root": ("sqrt(fabs(a))", lambda a, b: np.sqrt(np.abs(a))),
    "reciprocal": ("1 / a", lambda a, b: 1 / a),
    "smaller": ("fmin(a, b)", np.fmin),
    "greater": ("fmax(a, b)", np.fmax),
    "nearest": ("rint(a)", lambda a, b: np.rint(a)),
    "floor": ("floor(a)", lambda a, b: np.floor(a)),
    "ceiling": ("ceil(a)", lambda a, b: np.ceil(a)),
    "truncate": ("trunc(a)", lambda a, b: np.trunc(a)),
    "less": ("a < b", np.less),
    "not_less": ("!(a < b)", lambda a, b: ~np.less(a, b)),
    "less_or_equal": ("a <= b", np.less_equal),
    "equal": ("a == b", np.equal),
    "not_equal": ("a != b", np.not_equal),
    "unordered": ("isnan(a) || isnan(b)", lambda a, b: np.isnan(a) | np.isnan(b)),
    "infinite": ("isinf(a) ? b : a", lambda a, b: np.where(np.isinf(a), b, a)),
}


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_operations_equal_numpys(gpu: str, dtype: str) -> None:
    a, b, _ = sample(dtype)
    a, b = a.copy(), b.copy()
    a[a == 0], b[b == 0] = 0, 0  # of two zeros, the smaller and the greater may be either
    expressions = {name: expression for name, (expression, _) in OPERATIONS.items()}
    if dtype == "float64":  # DSETP.MIN and DSETP.MAX are not modelled
        del expressions["smaller"], expressions["greater"]
    results = evaluate(expressions, (a, b), dtype, gpu)
    with np.errstate(all="ignore"):
        for name, got in results.items():
            assert_same(got, OPERATIONS[name][1](a, b).astype(dtype), a, b)


FUNCTIONS: dict[str, tuple[str, Callable[[Array], Array], float]] = {
    "correct_root": ("__fsqrt_rn(a)", np.sqrt, 6e-8),
    "correct_reciprocal": ("__frcp_rn(a)", lambda a: 1 / a, 6e-8),
    "reciprocal_root": ("rsqrtf(a)", lambda a: 1 / np.sqrt(a), 4e-7),
    "exponential": ("expf(a / 16)", lambda a: np.exp(a / 16), 4e-7),
    "power_of_two": ("exp2f(a / 4)", lambda a: np.exp2(a / 4), 4e-7),
    "logarithm": ("logf(a)", np.log, 4e-7),
    "fast_logarithm": ("__log2f(a)", np.log2, 1e-6),
    "fast_sine": ("__sinf(a / 100)", lambda a: np.sin(a / 100), 1e-5),
    "sine": ("sinf(a)", np.sin, 1e-5),
    "cosine": ("cosf(a + 5000)", lambda a: np.cos((a + 5000).astype(np.float32).astype(float)), 1e-5),
    "tangent": ("tanhf(a / 50)", lambda a: np.tanh(a / 50), 1e-6),
    "power": ("powf(a, 1.75f)", lambda a: a**1.75, 1e-6),
    "cube_root": ("cbrtf(a)", np.cbrt, 1e-6),
    "error_function": ("erff(a / 100)", np.vectorize(lambda a: math.erf(a / 100)), 1e-6),
}
DOUBLE_FUNCTIONS = ("exp", "log", "sqrt", "cbrt", "tanh", "log2", "exp2", "sinh")


@pytest.mark.parametrize("gpu", GPUS)
def test_functions_are_as_accurate_as_cuda_says(gpu: str) -> None:
    a = np.linspace(0.01, 200, 320, dtype=np.float32)
    results = evaluate(
        {name: expression for name, (expression, *_) in FUNCTIONS.items()}, (a,), "float32", gpu
    )
    for name, got in results.items():
        _, reference, tolerance = FUNCTIONS[name]
        expected = reference(a.astype(np.float64))
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance / 10, err_msg=name)


@pytest.mark.parametrize("gpu", GPUS)
def test_fast_sines_go_in_the_steps_that_an_h200_makes(gpu: str) -> None:
    """Around zero and quarter, half, whole and 56 1/2 turns: where a sine or cosine is zero, and else how much."""
    rows = [line.split(",") for line in SINE_STEPS.read_text().splitlines()[2:]]
    words = np.array([[int(word, 16) for word in row[2:]] for row in rows], np.uint32).view(np.float32)
    padded = np.resize(words, (len(words) // 32 * 32 + 32, 3))
    arguments, sines, cosines = (padded[:, column].copy() for column in range(3))
    got = evaluate({"sine": "__sinf(a)", "cosine": "__cosf(a)"}, (arguments,), "float32", gpu)
    for result, measured in ((got["sine"], sines), (got["cosine"], cosines)):
        np.testing.assert_array_equal(result == 0, measured == 0)
        np.testing.assert_allclose(result, measured, rtol=1e-4)


def test_double_functions() -> None:
    a = np.linspace(0.01, 20, 320)
    for name, got in evaluate({name: f"{name}(a)" for name in DOUBLE_FUNCTIONS}, (a,), "float64").items():
        np.testing.assert_allclose(got, getattr(np, name)(a), rtol=1e-14, err_msg=name)


# --- Conversions ------------------------------------------------------------------------------------------

INTEGERS = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
WHOLE: dict[str, Callable[[float], int]] = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}


def _to_integer(value: float, source: str, dtype: str, direction: str) -> int:
    info = np.iinfo(dtype)
    if math.isnan(value):  # on an H100 and an H200: 0 from a single to 32 bits, else the top bit alone
        return 0 if info.bits == 32 and source == "float32" else info.min or 1 << info.bits - 1
    if math.isinf(value):
        return info.max if value > 0 else info.min
    return min(max(WHOLE[direction](value), info.min), info.max)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_to_integers(source: str, target: str) -> None:
    dtype = INTEGERS[target]
    edges = [s * (2.0**k + d) for k in (31, 32, 63, 64) for d in (-1.0, 0.0, 0.5, 1.0) for s in (1, -1)]
    a = np.concatenate([sample(source)[0], np.array(edges, source)])
    prefix = "float" if source == "float32" else "double"
    results = evaluate({d: f"__{prefix}2{target}_{d}(a)" for d in DIRECTIONS}, (a,), dtype)
    for direction, got in results.items():
        assert_same(got, np.array([_to_integer(float(v), source, dtype, direction) for v in a], dtype), a)


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", ["float32", "float64"])
def test_integers_to_floats(source: str, target: str) -> None:
    dtype = INTEGERS[source]
    random = np.random.default_rng(2).integers(0, 1 << 63, 252, np.uint64) * np.uint64(2) + np.uint64(1)
    # Just at and just beyond the middle between two singles, by less than a double can tell.
    middle = np.array(
        [(1 << 62) + (1 << 38) + 1, (1 << 62) + (1 << 38), (1 << 62) + (3 << 38), (1 << 62) - 1]
    )
    a = np.concatenate([random >> np.arange(252, dtype=np.uint64) % np.uint64(64), middle.astype(np.uint64)])
    a = (a | np.uint64(1) if dtype.endswith("64") else a.astype(np.uint32) | np.uint32(1)).view(dtype)
    directions = DIRECTIONS if (target, dtype[-2:]) != ("float64", "32") else ("rn",)  # there all are exact
    prefix = "float" if target == "float32" else "double"
    for direction, got in evaluate(
        {d: f"__{source}2{prefix}_{d}(a)" for d in directions}, (a,), target
    ).items():
        assert_same(got, np.array([rounded(Fraction(int(v)), target, direction) for v in a], target), a)


def test_doubles_to_singles_and_back() -> None:
    a, _, _ = sample("float64")
    a = a[np.isfinite(a) & (a != 0)]
    a = a[: len(a) // 32 * 32]
    for direction, got in evaluate(
        {d: f"__double2float_{d}(a)" for d in DIRECTIONS}, (a,), "float32"
    ).items():
        nearest = [rounded(Fraction(float(v)), "float32", direction) for v in a]
        assert_same(got, np.array(nearest, np.float32), a)
    singles, _, _ = sample("float32")
    with np.errstate(invalid="ignore"):
        expected = singles.astype(np.float64)
    assert_same(evaluate({"wide": "(double)a"}, (singles,), "float64")["wide"], expected, singles)


@pytest.mark.parametrize("gpu", GPUS)
def test_narrow_integers_to_singles(gpu: str) -> None:
    a = np.random.default_rng(3).integers(0, 1 << 32, 96, np.uint64).astype(np.uint32)
    kinds = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short"}
    results = evaluate({t: f"(float)({kind})(a >> 8)" for t, kind in kinds.items()}, (a,), "float32", gpu)
    for dtype, got in results.items():
        assert_same(got, (a >> np.uint32(8)).astype(dtype).astype(np.float32), a)


def _convert(instruction: str) -> str:
    """A device function of that PTX conversion's name, from a single to 16 bits."""
    name = instruction.replace(".", "_")
    return (
        f"__device__ unsigned short {name}(float a) {{ unsigned short h; "
        f'asm("{instruction} %0, %1;" : "=h"(h) : "f"(a)); return h; }}\n'
    )


@pytest.mark.parametrize("direction", ["rn", "rz"])  # PTX has no other
def test_singles_to_halves(direction: str) -> None:
    a, _, _ = sample("float32")
    near = np.array(
        [65519.9, 65520, 1e-8, 2.0**-25, 3 * 2.0**-25, 1 + 2.0**-11, 2.0**-14, 6.1e-5], np.float32
    )
    a = np.concatenate([near, -near, a[np.isfinite(a) & (a != 0)]])
    a = a[: len(a) // 32 * 32]
    prelude = _convert(f"cvt.{direction}.f16.f32")
    got = evaluate({"half": f"cvt_{direction}_f16_f32(a)"}, (a,), "uint16", prelude=prelude)["half"]
    expected = np.copysign([rounded(Fraction(float(v)), "float16", direction) for v in a], a)
    assert_same(got, expected.astype(np.float16).view(np.uint16), a)


@pytest.mark.parametrize("gpu", GPUS)
def test_singles_to_bfloats(gpu: str) -> None:
    a, _, _ = sample("float32")
    a = a[~np.isnan(a)]
    a = a[: len(a) // 32 * 32]
    prelude = _convert("cvt.rn.bf16.f32")
    got = evaluate({"bf": "cvt_rn_bf16_f32(a)"}, (a,), "uint16", gpu, prelude)["bf"]
    bits = a.view(np.uint32).astype(np.uint64)
    assert_same(
        got,
        ((bits + np.uint64(0x7FFF) + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)).astype(
            np.uint16
        ),
        a,
    )


@pytest.mark.parametrize("gpu", GPUS)
def test_every_half_to_single(gpu: str) -> None:
    a = np.arange(1 << 16, dtype=np.uint16)
    prelude = (
        "__device__ float single(unsigned short a) { float d; "
        'asm("cvt.f32.f16 %0, %1;" : "=f"(d) : "h"(a)); return d; }'
    )
    got = evaluate({"single": "single(a)"}, (a,), "float32", gpu, prelude)["single"]
    assert_same(got, a.view(np.float16).astype(np.float32), a)


HALF_OPERATIONS: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "fma": lambda a, b, c: a * b + c,
}
SWAPPED_SOURCE = """
__device__ unsigned turned(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("{.reg .b16 p, q; mov.b32 {p, q}, %1; neg.f16 q, q; mov.b32 %0, {q, p};}" : "=r"(b) : "r"(b));
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
__device__ unsigned least(unsigned a, unsigned b, unsigned c) {
    asm("min.f16x2 %0, %0, %1; min.f16x2 %0, %0, %2;" : "+r"(a) : "r"(b), "r"(c));
    return a;
}
__device__ unsigned greatest_or_nan(unsigned a, unsigned b, unsigned c) {
    asm("max.NaN.f16x2 %0, %0, %1; max.NaN.f16x2 %0, %0, %2;" : "+r"(a) : "r"(b), "r"(c));
    return a;
}
"""


@pytest.mark.parametrize("gpu", GPUS)
def test_packed_halves(gpu: str) -> None:
    random = np.random.default_rng(4)
    halves = [(random.standard_normal(512) * s).astype(np.float16) for s in (1, 30, 0.01)]
    prelude = "".join(
        f"__device__ unsigned h{name}(unsigned a, unsigned b, unsigned c) {{ unsigned d; "
        f'asm("{name}.rn.f16x2 %0, %1, %2{", %3" if name == "fma" else ""};" '
        ': "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }\n'
        for name in HALF_OPERATIONS
    )
    packed = [h.view(np.uint32) for h in halves]
    results = evaluate({n: f"h{n}(a, b, c)" for n in HALF_OPERATIONS}, packed, "uint32", gpu, prelude)
    for name, got in results.items():
        exact = [
            HALF_OPERATIONS[name](*(Fraction(float(v)) for v in row)) for row in zip(*halves, strict=True)
        ]
        expected = [rounded(v, "float16", "rn") if v else 0.0 for v in exact]
        assert_same(got.view(np.float16), np.array(expected, np.float16), *halves)


@pytest.mark.parametrize("gpu", [*GPUS, "rtx5090"])
def test_halves_that_change_places_and_the_least_of_three(gpu: str) -> None:
    random = np.random.default_rng(5)
    a, b, c = (random.standard_normal(512).astype(np.float16) for _ in range(3))
    b[::9] = np.nan
    names = ("turned", "least", "greatest_or_nan")
    packed = [h.view(np.uint32) for h in (a, b, c)]
    found = evaluate({n: f"{n}(a, b, c)" for n in names}, packed, "uint32", gpu, SWAPPED_SOURCE)
    got = {name: words.view(np.float16) for name, words in found.items()}
    pairs = b.reshape(-1, 2)
    turned = np.stack([-pairs[:, 1], pairs[:, 0]], 1).ravel()
    fma = a.astype(float) * turned.astype(float) + c.astype(float)
    assert_same(got["turned"], fma.astype(np.float16), a, b, c)
    assert_same(got["least"], np.fmin(np.fmin(a, b), c), a, b, c)
    assert_same(got["greatest_or_nan"], np.maximum(np.maximum(a, b), c), a, b, c)


# --- What an H100 and an H200 do where nothing says what they should --------------------------------------


@pytest.mark.parametrize("gpu", [*GPUS, "rtx5090"])
def test_arithmetic_makes_one_nan_of_all(gpu: str) -> None:
    a = np.full(32, 0xFFC0_1234, np.uint32).view(np.float32)
    expressions = {"sum": "a + 1", "product": "a * a", "fused": "fmaf(a, 2, 1)", "least": "fminf(a, a + 1)"}
    for name, got in evaluate(
        {name: f"__float_as_uint({text})" for name, text in expressions.items()}, (a,), "uint32", gpu
    ).items():
        assert set(got) == {0x7FFF_FFFF}, name


@pytest.mark.parametrize("gpu", [*GPUS, "rtx5090"])
def test_a_nan_keeps_its_sign_where_a_double_becomes_a_single(gpu: str) -> None:
    signs = np.array([1.0, -1.0] * 16)
    texts = {"nan": "copysignf(1.0f, (float)a)", "square_root": "copysignf(1.0f, (float)sqrt(-fabs(b)))"}
    got = evaluate(texts, (np.copysign(np.nan, signs), signs), "float32", gpu)
    assert_same(got["nan"], signs.astype(np.float32), signs)
    assert set(got["square_root"]) == {-1.0}


@pytest.mark.parametrize("gpu", GPUS)
def test_special_functions_take_and_give_no_denormal_numbers(gpu: str) -> None:
    a = np.resize(np.array([1e-40, -1e-40, 3e38, -3e38, -126.5], np.float32), 160)
    functions = ("rcp", "rsqrt", "sqrt", "lg2", "ex2")
    prelude = "".join(
        f"__device__ float {name}(float a) {{ float d; "
        f'asm("{name}.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a)); return d; }}\n'
        for name in functions
    )
    got = evaluate({name: f"{name}(a)" for name in functions}, (a,), "float32", gpu, prelude)
    inf = math.inf
    assert_same(got["rcp"][:4], np.array([inf, -inf, 0.0, -0.0], np.float32))
    assert_same(got["rsqrt"][:2], np.array([inf, -inf], np.float32))
    assert_same(got["sqrt"][:2], np.array([0.0, -0.0], np.float32))
    assert_same(got["lg2"][:2], np.array([-inf, -inf], np.float32))
    assert got["ex2"][4] == 0


DIRECTED = {  # in double precision: a, b and c, and what a * b + c is in one direction
    "__fma_rd(a, b, c)": (1.5, 2.0, -3.0, -0.0),
    "__fma_rz(a, b, c)": (1e-200, 1e-200, -1.0, -math.nextafter(1.0, 0.0)),
    "__fma_ru(a, b, c)": (1e-200, 1e-200, 1e-310, math.nextafter(1e-310, 1.0)),
    "__dmul_ru(a, b)": (1e-200, 1e-200, 0.0, 5e-324),
    "__dmul_rd(a, b)": (-0.0, 1.0, 0.0, -0.0),
    "__dmul_rz(a, b)": (-1e200, 1e200, 0.0, -float(np.finfo(float).max)),
    "__dadd_rd(a, b)": (1.5, -1.5, 0.0, -0.0),
    "__dadd_rz(a, b)": (1.7e308, 1.7e308, 0.0, float(np.finfo(float).max)),
    "(double)__fmaf_rd(a, b, c)": (1.5, 2.0, -3.0, -0.0),
    "(double)__fmul_rd(a, b)": (-0.0, 1.0, 0.0, -0.0),
}


def test_directed_roundings_at_zero_and_at_the_ends_of_the_range() -> None:
    rows = np.array(list(DIRECTED.values()))
    for column, (expression, row) in enumerate(DIRECTED.items()):
        a, b, c = (np.full(32, rows[column, operand]) for operand in range(3))
        got = evaluate({"it": expression}, (a, b, c), "float64")["it"]
        assert_same(got, np.full(32, row[3]), a, b, c)


def test_an_immediate_of_64_bits_is_the_upper_word() -> None:
    a = np.zeros(32, np.uint32)
    expressions = {
        "signed": "__ll2double_rd((long long)(1ull << 63))",
        "other": "__ull2double_ru(1ull << 63)",
    }
    got = evaluate(expressions, (a,), "float64")
    assert got["signed"][0] == -(2.0**63)
    assert got["other"][0] == 2.0**63


def test_a_sum_that_decides_a_tie_of_bfloats_is_not_lost() -> None:
    one_and_a_bit, tiny = np.uint32(0x3F81), np.uint32(0x0080)  # 1 + 2^-7, 2^-126
    prelude = (
        "__device__ unsigned fma2(unsigned a, unsigned b, unsigned c) { unsigned d; "
        'asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }'
    )
    a, b = np.full(32, one_and_a_bit), np.full(32, 0x3F40, np.uint32)  # 1 + 2^-7 times 0.75: a tie
    c = np.resize(np.array([0, tiny, tiny | 0x8000], np.uint32), 32)
    got = evaluate({"it": "fma2(a, b, c)"}, (a, b, c), "uint32", prelude=prelude)["it"] & 0xFFFF
    exact = Fraction(129, 128) * Fraction(3, 4)
    below = int(exact * 256)
    assert exact * 256 - below == Fraction(1, 2)
    words = [0x3F00 + below - 128 + up for up in (below % 2, 1, 0)]
    assert list(got[:3]) == words


SCALED = """extern "C" __global__ void k(const float* a, const float* b, float* y) {
    int i = blockIdx.x * 256 + threadIdx.x;
    y[4 * i] = a[i] * b[i] * 0.5f;
    y[4 * i + 1] = a[i] * b[i] * 0.25f;
    y[4 * i + 2] = a[i] * b[i] * 4.0f;
    y[4 * i + 3] = a[i] * b[i] * 8.0f;
}"""


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "rtx5090"])
def test_scaled_products_are_rounded_once(gpu: str) -> None:
    """FMUL.D2, .D4, .M4 and .M8, as an H200 gave 65,536 products: tiny ones are not those of two roundings."""
    random, count = np.random.default_rng(1), 4096
    a, b = (
        (random.standard_normal(count) * 2.0 ** random.integers(-70, 60, count)).astype(np.float32)
        for _ in range(2)
    )
    a[:4] = np.nan, np.inf, 0.0, -0.0
    cubin = compile_cuda(SCALED, gpu)
    scales = [0.5, 0.25, 4.0, 8.0]
    y = np.zeros((count, 4), np.float32)
    execute(cubin=cubin, grid=count // 256, block=256, arguments=[a, b, y.ravel()], gpu=gpu)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = a[:, None].astype(np.float64) * b[:, None] * scales
        np.testing.assert_array_equal(y, exact.astype(np.float32))
        twice = (a * b)[:, None] * np.array(scales, np.float32)
    assert (np.isfinite(y) & (y != twice)).any()
