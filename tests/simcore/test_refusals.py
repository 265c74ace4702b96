"""What is not modelled is refused by the name that people know it by, and only if the kernel comes to it."""

from typing import Any

import numpy as np
import pytest

from simcore import (
    CompileError,
    KernelTrap,
    LaunchError,
    SimcoreError,
    UnsupportedInstruction,
    compile_cuda,
    execute,
    simulate,
)

KERNEL = 'extern "C" __global__ void k'
NOTHING = f"{KERNEL}() {{}}"
GPUS = pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "rtx5090"])

CALLS = {  # name: (includes, what the kernel does if x[0] is 7, the name in the message)
    "printf": (
        "#include <cstdio>\n#include <stdio.h>",
        'printf("%d", x[1]);',
        r"printf is not modelled \(CALL",
    ),
    "malloc": (
        "",
        "int* p = (int*)malloc(4 * x[1]); p[x[2]] = 1; x[3] = p[x[4]];",
        "malloc in a kernel is not modelled",
    ),
}


def launch(source: str, gpu: str, x: Any) -> dict[str, Any]:
    return {"cubin": compile_cuda(source, gpu), "grid": 1, "block": 32, "arguments": [x], "gpu": gpu}


@GPUS
@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_the_driver_is_refused_once_it_is_made(name: str, gpu: str) -> None:
    includes, call, message = CALLS[name]
    source = f"{includes}\n{KERNEL}(int* x) {{\n    if (x[0] == 7)\n        {{ {call} }}\n    x[8] = 3;\n}}"
    x = np.zeros(32, np.int32)
    execute(**launch(source, gpu, x))
    assert x[8] == 3
    x[0] = 7
    for run in (execute, simulate):
        with pytest.raises(UnsupportedInstruction, match=message) as caught:
            run(**launch(source, gpu, x))
    assert (caught.value.line or "").startswith("kernel.cu:")


def test_a_refusal_names_the_kernel_as_cpp_does() -> None:
    source = '#include <cstdio>\nnamespace tools { __global__ void shout(int* x) { printf("%d", x[0]); } }'
    with pytest.raises(UnsupportedInstruction, match=r" at kernel\.cu:2, tools::shout\+0x") as caught:
        simulate(**launch(source, "h200", np.zeros(32, np.int32)))
    assert caught.value.kernel == "_ZN5tools5shoutEPi"


@GPUS
def test_an_assertion_costs_nothing_until_it_fails(gpu: str) -> None:
    source = f"#include <cassert>\n#include <assert.h>\n{KERNEL}(int* x) {{ assert(x[threadIdx.x] != 7); x[8] = 3; }}"
    x = np.zeros(32, np.int32)
    execute(**launch(source, gpu, x))
    x[5] = 7
    with pytest.raises(KernelTrap, match="thread 5: an assertion failed"):
        execute(**launch(source, gpu, x))


@GPUS
def test_a_kernel_that_launches_kernels_is_refused_by_that_name(gpu: str) -> None:
    source = f"__global__ void child(int* x) {{}}\n{KERNEL}(int* x) {{ child<<<1, 32>>>(x); }}"
    with pytest.raises(
        CompileError,
        match=r"^dynamic parallelism is not modelled: kernel.cu does not compile:\nkernel\.cu\(2\)",
    ):
        compile_cuda(source, gpu)


@pytest.mark.parametrize("gpu", ["h200", "b200", "rtx5090"])
def test_clusters_are_refused(gpu: str) -> None:
    source = 'extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int* x) { x[threadIdx.x] = 1; }'
    with pytest.raises(LaunchError, match=r"clusters of 2 x 1 x 1 blocks .* not modelled"):
        simulate(**launch(source, gpu, np.zeros(32, np.int32)))
    alone = source.replace("2, 1, 1", "1, 1, 1")
    assert simulate(**launch(alone, gpu, np.zeros(32, np.int32))).cycles > 0


def test_a_texture_is_refused_with_its_line() -> None:
    source = f"""{KERNEL}(float* x, unsigned long long t) {{
    float y, z;
    asm("tex.1d.v4.f32.s32 {{%0, %1, _, _}}, [%2, {{%3}}];" : "=f"(y), "=f"(z) : "l"(t), "r"(7));
    x[0] = y + z;
}}"""
    keywords = launch(source, "h200", np.zeros(4, np.float32))
    keywords["arguments"].append(np.uint64(1))
    with pytest.raises(UnsupportedInstruction, match=r"^texture access is not modelled .*kernel\.cu:3, k"):
        simulate(**keywords)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"grid": (8192, 1.5)}, r"grid is \(8192, 1\.5\); give one to three integers"),
        ({"grid": 1.5}, r"grid is 1\.5; give one to three integers"),
        ({"block": "32"}, r"block is '32'; give one to three integers"),
        ({"block": (32, 1, 1, 1)}, r"block is \(32, 1, 1, 1\); give one to three integers"),
        ({"dynamic_shared_bytes": 1.5}, r"dynamic_shared_bytes is 1\.5; give an integer"),
        ({"gpu": None}, r"None is no GPU; give a name such as h200, or a profile"),
        ({"cubin": NOTHING.encode()}, r"this is CUDA C\+\+ and no cubin: compile it with compile_cuda"),
    ],
)
def test_what_is_not_of_the_type_is_refused(wrong: dict[str, Any], message: str) -> None:
    right = {"cubin": compile_cuda(NOTHING, "h200"), "grid": 1, "block": 32, "arguments": [], "gpu": "h200"}
    with pytest.raises(SimcoreError, match=message):
        simulate(**{**right, **wrong})
