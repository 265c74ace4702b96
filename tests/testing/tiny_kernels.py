"""Kernels made of expressions: every thread computes them on its own elements of the inputs. Small launches."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore import compile_cuda, execute

C_TYPES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "uint16": "unsigned short",
    "int16": "short",
    "uint32": "unsigned",
    "int32": "int",
    "uint64": "unsigned long long",
    "int64": "long long",
    "float32": "float",
    "float64": "double",
}
Array = NDArray[Any]


def evaluate(
    expressions: Mapping[str, str], inputs: Sequence[Array], output: str, gpu: str = "h200", prelude: str = ""
) -> dict[str, Array]:
    """Evaluate CUDA expressions of `a`, `b`, `c` elementwise, all in one kernel.

    Args:
        expressions: by name.
        inputs: up to three arrays of one length, a multiple of 32.
        output: the results' dtype.
        prelude: what stands before the kernel.
    """
    dtypes = tuple(array.dtype.name for array in inputs)
    cubin = _compiled(gpu, tuple(expressions.values()), prelude, dtypes, output)
    count = len(inputs[0])
    out = np.zeros((len(expressions), count), output)
    execute(cubin=cubin, grid=count // 32, block=32, arguments=[*inputs, out, np.int32(count)], gpu=gpu)
    return dict(zip(expressions, out, strict=True))


def two_blocks(source: str, arguments: Sequence[Any]) -> dict[str, Any]:
    """A launch of two blocks of 64 threads on an H200, as `simulate` and `execute` take it."""
    cubin = compile_cuda(source, "h200")
    return {"cubin": cubin, "grid": 2, "block": 64, "arguments": arguments, "gpu": "h200"}


@cache
def _compiled(
    gpu: str, expressions: tuple[str, ...], prelude: str, inputs: tuple[str, ...], output: str
) -> bytes:
    typed = list(zip("abc", (C_TYPES[dtype] for dtype in inputs), strict=False))
    parameters = ", ".join(f"const {kind}* in_{name}" for name, kind in typed)
    loads = " ".join(f"{kind} {name} = in_{name}[i];" for name, kind in typed)
    stores = "\n    ".join(f"out[{k} * count + i] = {e};" for k, e in enumerate(expressions))
    source = f"""{prelude}
extern "C" __global__ void expressions({parameters}, {C_TYPES[output]}* out, int count) {{
    int i = blockIdx.x * 32 + threadIdx.x;
    {loads}
    {stores}
}}"""
    return compile_cuda(source, gpu)
