"""Kernels, registers, memory and parameters are read as the compiler wrote them; no other file is taken."""

import struct
from pathlib import Path

import numpy as np
import pytest

from simcore import compile_cuda, load_gpu, read_kernel
from simcore.errors import CubinError
from simcore.machine_code.cubin import Kernel, kernel_names

ARCHITECTURES = {"sm_80": "a100-80gb", "sm_90": "h200", "sm_100": "b200"}
TWO_KERNELS = """
__constant__ float factors[4] = {1.0f, 2.0f, 3.0f, 4.0f};
extern "C" __global__ void first(float* out, double scale, int n, char tail) {
    __shared__ float tile[100];
    tile[threadIdx.x] = out[threadIdx.x] * (float)scale;
    __syncthreads();
    out[threadIdx.x] = tile[n - threadIdx.x] + tail;
}
extern "C" __global__ void second(float* out, int n) {
    volatile float mine[40];
    for (int i = 0; i < 40; ++i) mine[(i * n) % 40] = i;
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x] = mine[n];
    __syncthreads();
    out[threadIdx.x] = dynamic[n] * factors[n % 4];
}
"""


def _kernel(architecture: str, name: str) -> Kernel:
    return read_kernel(compile_cuda(TWO_KERNELS, ARCHITECTURES[architecture]), name)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_parameters_and_shared_memory(architecture: str) -> None:
    kernel = _kernel(architecture, "first")
    assert kernel.architecture == architecture
    assert [(p.ordinal, p.offset, p.size) for p in kernel.parameters] == [
        (0, 0, 8), (1, 8, 8), (2, 16, 4), (3, 20, 1)
    ]  # fmt: skip
    assert kernel.parameter_base == {"sm_80": 0x160, "sm_90": 0x210, "sm_100": 0x380}[architecture]
    assert kernel.static_shared_bytes == 400
    assert kernel.local_bytes == 0
    assert 8 <= kernel.registers <= 32
    assert len(kernel.code) == 16 * kernel.instruction_count > 0
    assert kernel.shared_base == (0 if architecture == "sm_80" else 1024)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_local_memory_and_constants(architecture: str) -> None:
    kernel = _kernel(architecture, "second")
    assert kernel.local_bytes == 160
    assert kernel.static_shared_bytes == 0
    assert np.frombuffer(kernel.constant_banks[3], np.float32).tolist() == [1, 2, 3, 4]


def test_register_cap_is_kept() -> None:
    source = """extern "C" __global__ void wide(float* out) {
        float v[64];
        for (int i = 0; i < 64; ++i) v[i] = out[i * 1024 + threadIdx.x];
        for (int j = 0; j < 64; ++j) {
            __syncthreads();
            out[j * 1024 + threadIdx.x] = v[j] * v[(j + 7) % 64];
        }
    }"""
    free = read_kernel(compile_cuda(source, "h200"))
    capped = read_kernel(compile_cuda(source, "h200", register_cap=32))
    assert free.registers > 64
    assert free.local_bytes == 0
    assert capped.registers <= 32
    assert capped.local_bytes > 0


def test_a_kernel_without_parameters() -> None:
    kernel = read_kernel(compile_cuda('extern "C" __global__ void nothing() {}', "h200"))
    assert kernel.parameters == ()


def test_mangled_names_and_paths(tmp_path: Path) -> None:
    cubin = compile_cuda(
        "template <int N> __global__ void scale(float* x) { x[threadIdx.x] *= N; }\n"
        "template __global__ void scale<3>(float*);",
        "h200",
    )
    (name,) = kernel_names(cubin)
    assert "scale" in name
    path = tmp_path / "scale.cubin"
    path.write_bytes(cubin)
    assert read_kernel(path) == read_kernel(str(path), name) == read_kernel(cubin)


def test_two_kernels_need_a_name() -> None:
    cubin = compile_cuda(TWO_KERNELS, "h200")
    assert set(kernel_names(cubin)) == {"first", "second"}
    with pytest.raises(
        CubinError, match=r"name the kernel: the machine code contains (first, second|second, first)"
    ):
        read_kernel(cubin)


def test_device_functions_are_no_kernels() -> None:
    source = """__device__ __noinline__ float twice(float x) { return 2 * x; }
        extern "C" __global__ void only(float* x) { *x = twice(*x); }"""
    cubin = compile_cuda(source, "h200", options=["--relocatable-device-code=true"])
    assert kernel_names(cubin) == ("only",)
    assert read_kernel(cubin).name == "only"


def test_an_unknown_name_lists_the_kernels() -> None:
    with pytest.raises(CubinError, match=r"no kernel 'third' .* it contains: (first, second|second, first)"):
        read_kernel(compile_cuda(TWO_KERNELS, "h200"), "third")


@pytest.mark.parametrize(
    "content", [b"", b"//\n.version 8.0\n.target sm_90", b"\x7fELF", b"\x7fELF" + b"\0" * 100]
)
def test_what_is_no_elf_file_is_refused(content: bytes) -> None:
    with pytest.raises(CubinError, match="not a complete cubin"):
        read_kernel(content)


def test_another_machines_elf_file_is_refused() -> None:
    cubin = bytearray(compile_cuda(TWO_KERNELS, "h200"))
    struct.pack_into("<H", cubin, 18, 62)  # e_machine: x86-64
    with pytest.raises(CubinError, match="for machine 62, not a cubin"):
        read_kernel(bytes(cubin))


def test_a_truncated_cubin_is_refused() -> None:
    cubin = compile_cuda(TWO_KERNELS, "h200")
    with pytest.raises(CubinError, match="not a complete cubin"):
        read_kernel(cubin[: len(cubin) // 2], "first")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CubinError, match=r"cannot read .*absent\.cubin: No such file"):
        read_kernel(tmp_path / "absent.cubin")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_target_is_the_gpus(architecture: str) -> None:
    gpu = load_gpu(ARCHITECTURES[architecture])
    assert read_kernel(compile_cuda(TWO_KERNELS, gpu), "first").architecture == gpu.architecture
