"""Machine code of other compilers: the cubin for a GPU in a fatbin, PTX, kernels and variables by their C++ names."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from numpy.typing import NDArray

from simcore import (
    CompileError,
    CubinError,
    LaunchError,
    UnsupportedInstruction,
    compile_cuda,
    compile_kernel,
    execute,
    read_kernel,
    read_variables,
    simulate,
)
from simcore.machine_code.binaries import machine_code
from simcore.mangling import cpp_name

SOURCE = """
namespace tools {
__constant__ float taps[4];
static __device__ int shift = 3;
template <typename T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= N; }
__global__ void shifted(float* x) { x[threadIdx.x] += taps[threadIdx.x % 4] + shift; }
}
__device__ double unused[3];
__global__ void plain(float* x) { x[threadIdx.x] = 1; }
extern "C" __global__ void c_name(float* x) { x[threadIdx.x] = 2; }
"""
CODECS = {"lz4_raw": 0x2000, "zstd": 0x8000}
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry nothing(.param .u64 x) { ret; }
"""
_LOADS = "".join(f"ld.volatile.global.u32 %r{i}, [%rd1+{4 * i}];\n" for i in range(64))
_STORES = "".join(f"st.volatile.global.u32 [%rd1+{4 * i}], %r{63 - i};\n" for i in range(64))
WIDE = f"""{PTX.decode().split(".visible")[0]}.visible .entry wide(.param .u64 x) {{
.reg .b32 %r<64>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [x];
{_LOADS}{_STORES}ret;
}}
""".encode()
"""PTX of a kernel with 64 values in registers."""


def fatbin(*cubins: tuple[int, bytes], codec: str | None = None) -> bytes:
    """A fatbin, as `fatbinary` writes it, and with `--compress-mode=size` by a codec of pyarrow."""
    entries = b""
    for architecture, cubin in cubins:
        content = pyarrow.compress(cubin, codec, asbytes=True) if codec else cubin
        packed, size, flags = (len(content), len(cubin), CODECS[codec]) if codec else (0, 0, 0)
        content += bytes(-len(content) % 8)
        header = (2, 0x101, 64, len(content), packed, architecture, 0x11 | flags, size)
        entries += struct.pack("<HHIQI8xI8xQ8xQ", *header) + content
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


@pytest.fixture(scope="module")
def cubins() -> dict[int, bytes]:
    return {90: compile_cuda(SOURCE, "h200"), 80: compile_cuda(SOURCE, "a100-80gb")}


def test_a_fatbin_has_the_cubin_of_each_gpu(cubins: dict[int, bytes]) -> None:
    both = fatbin(*cubins.items())
    assert machine_code(both, "h200") == cubins[90]
    assert machine_code(both, "a100-80gb") == cubins[80]
    assert machine_code(cubins[80], "h200") == cubins[80]  # the launch refuses it, with both names
    with pytest.raises(CubinError, match="no machine code for sm_100, only for sm_90, sm_80"):
        machine_code(both, "b200")


@pytest.mark.parametrize("codec", ["lz4_raw", "zstd"])
def test_a_compressed_fatbin(cubins: dict[int, bytes], codec: str) -> None:
    packed = fatbin(*cubins.items(), codec=codec)
    assert len(packed) < len(cubins[80]) + len(cubins[90])
    assert machine_code(packed, "h200") == cubins[90]
    assert machine_code(packed, "a100-80gb") == cubins[80]
    damaged = packed[:80] + bytes(64) + packed[144:]
    with pytest.raises(CubinError, match="for sm_90 in this fatbin cannot be decompressed"):
        machine_code(damaged, "h200")


def test_a_broken_file_is_refused(cubins: dict[int, bytes]) -> None:
    whole = fatbin(*cubins.items())
    for content in (whole[:8], whole[:40], whole[:-1], whole[:24] + bytes(4) + whole[28:]):
        with pytest.raises(CubinError, match="cut off"):
            machine_code(content, "b200")
    with pytest.raises(CubinError, match="neither a cubin nor a fatbin nor PTX"):
        machine_code(b"MZ", "h200")


def test_ptx_is_compiled_where_its_compiler_is_installed() -> None:
    try:
        cubin = machine_code(PTX, "b200")
    except CubinError as error:
        assert "pip install 'cuda-dse[ptx]'" in str(error)  # noqa: PT017
        return
    assert read_kernel(cubin).architecture == "sm_100"
    with pytest.raises(CompileError, match="the PTX does not compile"):
        machine_code(PTX.replace(b"ret;", b"rte;"), "b200")
    hopper = PTX.replace(b"sm_80", b"sm_90a")
    assert read_kernel(machine_code(hopper, "h200")).architecture == "sm_90"
    with pytest.raises(CompileError, match="the PTX does not compile"):
        machine_code(hopper, "b200")
    fence = hopper.replace(b"ret;", b"wgmma.fence.sync.aligned; ret;")
    with pytest.raises(UnsupportedInstruction, match="wgmma is not modelled"):
        simulate(
            cubin=machine_code(fence, "h200"),
            grid=1,
            block=128,
            arguments=[np.zeros(1, np.uint64)],
            gpu="h200",
        )
    assert read_kernel(machine_code(WIDE, "h200")).registers > 40
    assert read_kernel(machine_code(WIDE, "h200", register_cap=32)).registers <= 32
    assert read_kernel(machine_code(WIDE.replace(b") {", b") .maxnreg 32 {"), "h200")).registers <= 32
    with pytest.raises(CubinError, match="a register cap changes nothing in machine code"):
        machine_code(cubin, "b200", register_cap=32)


@pytest.mark.parametrize("name", ["plain", "_Z5plainPf", "c_name", "tools::shifted", "::plain", "shifted"])
def test_a_kernel_is_found_by_its_names(cubins: dict[int, bytes], name: str) -> None:
    found = cpp_name(read_kernel(cubins[90], name).name)
    assert found.rpartition("::")[2] == name.rpartition("::")[2].replace("_Z5plainPf", "plain")


def test_an_instance_of_a_template_is_found_by_its_name() -> None:
    cubin, name = compile_kernel(SOURCE, "tools::scale<float, K + 1>", "h200", {"K": 2})
    assert (name, cpp_name(name)) == ("_ZN5tools5scaleIfLi3EEEvPT_", "tools::scale")
    assert compile_kernel(SOURCE, "tools::scale<float, K + 1>", "h200", {"K": 2}) == (cubin, name)  # cached
    x = np.ones(32, np.float32)
    execute(cubin=cubin, kernel=name, grid=1, block=32, arguments=[x], gpu="h200")
    assert (x == 3).all()
    with pytest.raises(
        CompileError, match=r"(?s)scale<int> of kernel\.cu does not compile:\n.*tools::scale<int>"
    ):
        compile_kernel(SOURCE, "tools::scale<int>", "h200")


def test_overloads_are_listed() -> None:
    source = "__global__ void f(float* x) { *x = 1; } __global__ void f(int* x) { *x = 1; }"
    with pytest.raises(CubinError, match=r"several kernels are called f; name one of _Z1fP[if], _Z1fP[if]"):
        read_kernel(compile_cuda(source, "h200"), "f")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN6cudapy8__main__3addB2v1B4cw51E5ArrayIfLi1E1A7mutable7alignedE", "cudapy::__main__::add"),
        ("_ZN39_INTERNAL_00000000_9_kernel_cu_4347a5361q1dE", "q::d"),
        ("_ZL5local", "local"),
        ("_Z9999x", "_Z9999x"),
        ("saxpy", "saxpy"),
    ],
)
def test_names_are_read_from_symbols(symbol: str, name: str) -> None:
    assert cpp_name(symbol) == name


def test_variables_are_found_and_given_contents(cubins: dict[int, bytes]) -> None:
    variables = read_variables(cubins[90])
    assert {name: each.size for name, each in variables.items()} == {
        "tools::taps": 16,
        "tools::shift": 4,
        "unused": 24,
    }
    launch = {"cubin": cubins[90], "kernel": "tools::shifted", "grid": 1, "block": 32, "gpu": "h200"}
    x = np.zeros(32, np.float32)
    taps = np.array([1, 2, 3, 4], np.float32)
    execute(**launch, arguments=[x], variables={"tools::taps": taps})  # type: ignore[arg-type]
    np.testing.assert_array_equal(x, np.tile(taps, 8) + 3)
    execute(**launch, arguments=[x], variables={"tools::taps": taps, "tools::shift": np.int32(-5)})  # type: ignore[arg-type]
    np.testing.assert_array_equal(x, np.tile(2 * taps, 8) - 2)
    for name, content, message in (
        (
            "taps",
            taps,
            r"has no variable taps; its __constant__ and __device__ ones: .*tools::taps \(16 bytes\)",
        ),
        ("tools::taps", taps[:3], "tools::taps has 16 bytes, but the contents given for it have 12"),
    ):
        with pytest.raises(LaunchError, match=message):
            simulate(**launch, arguments=[x], variables={name: content})  # type: ignore[arg-type]


def test_a_kernel_of_numba_is_found_and_executed() -> None:
    """`r[i] = a * x[i] + y[i]` on float32[::1], compiled by numba-cuda 0.30 and nvJitLink 13.5.

    numba passes an array as two pointers to its owner, items, bytes of an item, the data, shape and stride.
    """
    cubin = Path(__file__).parents[1] / "data" / "numba_axpy.cubin"
    r, x, y = np.zeros(100, np.float32), np.arange(100, dtype=np.float32), np.ones(100, np.float32)

    def passed(array: NDArray[np.float32]) -> list[Any]:
        owner = np.uint64(0)
        return [owner, owner, np.int64(array.size), np.int64(4), array, np.int64(array.size), np.int64(4)]

    arguments = [*passed(r), np.float32(2), *passed(x), *passed(y)]
    execute(cubin=cubin, kernel="__main__::axpy", grid=4, block=32, arguments=arguments, gpu="h200")
    np.testing.assert_array_equal(r, 2 * x + 1)
