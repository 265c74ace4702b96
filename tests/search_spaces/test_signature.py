"""Arguments that a kernel would read as another type are refused, where its source says so for certain."""

import re

import pytest

from search_spaces import SpaceError, parse_space

SPACE = """kernel: scale
parameters: {{block_size: [64]}}
gpu: [h200]
launch: {{grid: 1, block: block_size}}
arguments:
  - {{name: x, type: {x}, elements: 64}}
  - {{name: n, type: {n}, value: 64}}
"""
BODY = "{ __shared__ float s[BLOCK_SIZE]; }"


@pytest.mark.parametrize(
    ("declared", "x", "n", "message"),
    [
        (
            "float *__restrict__ x, int n",
            "int32",
            "int32",
            "arguments[0].type: int32, but kernel.cu declares",
        ),
        ("const float4* x, int n", "float64x2", "int32", "`const float4* x`; write float32"),
        ("double x[], int n", "float32", "int32", "write float64"),
        ("const __half* x, int n", "float32", "int32", "write float16"),
        ("float* x, unsigned int n", "float32", "float32", "`unsigned int n`; write uint32"),
        ("float* x, /* a size */ uint64_t n", "float32", "float64", "write uint64"),
        (
            "float* x, float n",
            "float32",
            "int32",
            "arguments[1].type: int32, but kernel.cu declares `float n`",
        ),
        (
            "float* x, int n",
            "float32",
            "int64",
            "arguments[1].type: int64, but kernel.cu declares `int n`; write",
        ),
        ("float* x, float4 n", "float32", "float32", "`float4 n`; write float32x4"),
        (
            "int n, float* x",
            "float32",
            "int32",
            "arguments[0]: a buffer, but kernel.cu declares `int n`; give it a value, or move it: the arguments",
        ),
        ("int n, float* x", "float32", "int32", "arguments[1]: a value, but kernel.cu declares `float* x`"),
    ],
)
def test_numbers_that_are_read_as_others_are_refused(declared: str, x: str, n: str, message: str) -> None:
    source = f'extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) scale({declared}) {BODY}'
    with pytest.raises(SpaceError, match=re.escape(message)):
        parse_space(SPACE.format(x=x, n=n), source)


@pytest.mark.parametrize(
    ("before", "declared"),
    [
        ("", "const unsigned* x, int n"),  # the bits of floats
        ("", "const char* x, int n"),
        ("", "unsigned char* x, unsigned int n"),
        ("", "real* x, int n"),
        ("", "float* x, dim n"),
        ("", "size_t x, int n"),
        ("template <class float_t>", "float_t* x, int n"),
        ("#define T float\n", "T* x, int n"),
        ("", "float* x, int n, float unused"),
        ("", "float* x,"),
        ("", "\n#ifdef HALF\nhalf* x,\n#else\nfloat* x,\n#endif\nint n"),
    ],
)
def test_what_is_not_certain_is_accepted(before: str, declared: str) -> None:
    source = f"{before} __global__ void scale({declared}) {BODY}"
    parse_space(SPACE.format(x="float32", n="int32"), source)
    parse_space(SPACE.format(x="uint8", n="int32"), source)


@pytest.mark.parametrize("declared", ["unsigned long long x, float* n", "float* x, long long n"])
def test_an_address_may_be_passed_as_a_number(declared: str) -> None:
    source = f"__global__ void scale({declared}) {BODY}"
    parse_space(SPACE.format(x="float32", n="uint64"), source)


def test_a_stored_space_is_not_asked_again() -> None:
    parse_space(
        SPACE.format(x="int32", n="int32"), f"__global__ void scale(float* x, int n) {BODY}", is_new=False
    )
