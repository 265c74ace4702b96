"""Numbers that NumPy does not have are stored as CUDA's own conversions store them."""

import numpy as np
import pytest

from simcore import Buffer, compile_cuda, execute
from simcore.model.number_formats import decode, encode

KERNEL = """
#include <cuda_bf16.h>
#include <cuda_fp8.h>
extern "C" __global__ void convert(const float* x, unsigned short* bf16, unsigned char* e4m3, unsigned char* e5m2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bf16[i] = __bfloat16_as_ushort(__float2bfloat16(x[i]));
    e4m3[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
    e5m2[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
}"""


def test_conversions_are_those_of_cuda() -> None:
    random = np.random.default_rng(5)
    any_bits = random.integers(0, 2**32, 3072, np.uint32).view(np.float32)
    usual = (random.standard_normal(512) * 2.0 ** random.integers(-20, 20, 512)).astype(np.float32)
    codes = np.arange(256, dtype=np.uint8)
    narrow = np.concatenate([decode(codes, name)[:127] for name in ("float8_e4m3", "float8_e5m2")])
    middles = (narrow[1:] + narrow[:-1]) / 2
    special = np.array([0, -0.0, np.nan], np.float32)
    x = np.concatenate([any_bits, usual, -usual[:3], narrow, middles, special])
    x = np.where(np.isnan(x), np.float32(np.nan), x)  # no signalling ones
    x = np.where(np.isinf(x), 1, x)[: len(x) // 32 * 32].astype(np.float32)
    bf16, e4m3, e5m2 = np.zeros(len(x), np.uint16), np.zeros(len(x), np.uint8), np.zeros(len(x), np.uint8)
    cubin = compile_cuda(KERNEL, "a100-80gb")
    execute(cubin=cubin, grid=len(x) // 32, block=32, arguments=[x, bf16, e4m3, e5m2], gpu="a100-80gb")
    for stored, name in ((bf16, "bfloat16"), (e4m3, "float8_e4m3"), (e5m2, "float8_e5m2")):
        ours = encode(x, name)
        assert np.array_equal(np.isnan(decode(ours, name)), np.isnan(x)), name
        np.testing.assert_array_equal(ours[~np.isnan(x)], stored[~np.isnan(x)], name)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3", "float8_e5m2"])
def test_stored_numbers_are_read_back(name: str) -> None:
    numbers = np.array([0, 1, -1.5, 0.25, 24, -0.0078125], np.float32)
    np.testing.assert_array_equal(decode(encode(numbers, name), name), numbers)


def test_buffers_contain_what_they_say() -> None:
    assert Buffer("bfloat16", 3, "ones").materialise().tobytes() == b"\x80\x3f" * 3
    assert Buffer("bfloat16", 3).nbytes == 6
    assert Buffer("float8_e4m3", 2, "constant", value=448).materialise().tobytes() == b"\x7e\x7e"
    assert Buffer("int16", 2, "constant", value=-2).materialise().tolist() == [-2, -2]
    assert Buffer("bool", 2, "ones").materialise().tolist() == [True, True]
    permuted = Buffer("int32", 1000, "permutation", seed=1).materialise()
    assert sorted(permuted) == list(range(1000))
    assert permuted[:3].tolist() != [0, 1, 2]
    ascending = Buffer("uint16", 1000, "sorted", high=300).materialise()
    assert (np.diff(ascending.astype(int)) >= 0).all()
    assert 200 < ascending.max() < 300


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_a_rank_of_zipf_is_as_frequent_as_its_power_says(exponent: float) -> None:
    drawn = Buffer("int32", 200_000, "zipf", high=50, exponent=exponent).materialise()
    weights = np.arange(1.0, 51) ** -exponent
    counts = np.bincount(drawn, minlength=50)
    np.testing.assert_allclose(counts, drawn.size * weights / weights.sum(), rtol=0, atol=5 * drawn.size**0.5)
    assert drawn.max() < 50
    assert Buffer("int32", 9, "zipf", high=1, exponent=exponent).materialise().tolist() == [0] * 9
