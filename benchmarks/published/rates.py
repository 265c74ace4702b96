"""Rates of arithmetic: operations of the pipes, products of the tensor core, straight-line code by its size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.published.runs import Defines, Launch, Took, kernel
from simcore import load_gpu

REAL = {"FFMA": "float32", "FADD": "float32", "EX2": "float32", "DFMA": "float64"}
"""Types of the operations' words that are no 32-bit integers."""
RESULTS = {"HFMA2": 2}
"""Results of an operation a lane, where it is not one."""


def pipe(gpu: str, operation: str, chains: int = 8, threads: int = 1024) -> Took:
    """A block an SM of threads with several chains of an operation each; work in results."""
    few, many = 4, 12
    kind = REAL.get(operation, "uint32")
    one = np.ones(1, kind)[0]
    sms = load_gpu(gpu).sms
    cubin = kernel("pipe", gpu, ((operation, 1), ("CHAINS", chains)))
    sink = np.zeros(sms * threads, kind)
    cycles, time_us = Launch(gpu, cubin, sms, threads).slope(
        lambda steps: [sink, one, one, np.int32(steps)], few, many
    )
    return Took(cycles, time_us, 256 * (many - few) * sms * threads * RESULTS.get(operation, 1), sms)


@dataclass(frozen=True)
class Product:
    """A product of `mma.sync`.

    Attributes:
        defines: what `matrix.cu` is compiled with.
        fma: multiply-adds of a warp's product.
        sum: type of a register of the sums.
    """

    defines: Defines
    fma: int
    sum: type[np.generic] = np.float32


def product(shape: str, types: str, sum: type[np.generic] = np.float32, *more: str) -> Product:
    """A product by PTX's names."""
    m, n, k = (int(size) for size in shape.replace("m", " ").replace("n", " ").replace("k", " ").split())
    named = ("SHAPE_AND_TYPES", f'"{shape}.row.col.{types}"')
    return Product((named, *((each, 1) for each in more)), m * n * k, sum)


PRODUCTS = {
    "f16": product("m16n8k16", "f32.f16.f16.f32"),
    "bf16": product("m16n8k16", "f32.bf16.bf16.f32"),
    "f16 to f16": product("m16n8k16", "f16.f16.f16.f16", np.uint32, "HALF_SUM"),
    "tf32": product("m16n8k8", "f32.tf32.tf32.f32"),
    "fp8": product("m16n8k32", "f32.e4m3.e4m3.f32"),
    "int8": product("m16n8k32", "s32.s8.s8.s32", np.uint32, "INTEGER"),
    "f64": Product((("FP64", 1),), 8 * 8 * 4, np.float64),
}
"""By what is multiplied, summed in FP32 or 32-bit integers where nothing else is said."""


def matrix(gpu: str, product: str, threads: int = 512, chains: int = 4) -> Took:
    """A block an SM whose warps have several chains of products each; work in multiply-adds."""
    few, many = 4, 12
    kind = PRODUCTS[product]
    sms = load_gpu(gpu).sms
    cubin = kernel("matrix", gpu, (*kind.defines, ("CHAINS", chains)))
    sink = np.zeros(sms * threads, kind.sum)
    cycles, time_us = Launch(gpu, cubin, sms, threads).slope(
        lambda steps: [sink, np.uint32(1), np.int32(steps)], few, many
    )
    return Took(cycles, time_us, kind.fma * 64 * (many - few) * sms * threads / 32, sms)


def code(gpu: str, kib: int, threads: int = 128) -> Took:
    """A warp a scheduler of one SM runs `kib` KiB of straight-line code again and again; work in warp instructions."""
    few, many = 4, 8
    cubin = kernel("code", gpu, (("LENGTH", kib),))
    sink = np.zeros(threads, np.float32)
    cycles, time_us = Launch(gpu, cubin, 1, threads).slope(
        lambda steps: [sink, np.float32(1), np.float32(1), np.int32(1), np.int32(steps)], few, many
    )
    return Took(cycles, time_us, 64 * kib * (many - few) * threads / 32)


def code_that_fits(gpu: str, plateau: int, sizes: Sequence[int]) -> Took:
    """The largest code, of some sizes in KiB, that runs at 0.8 of the rate of `plateau` KiB; work in KiB."""
    fastest = code(gpu, plateau)
    fits = plateau
    for kib in sorted(sizes):
        took = code(gpu, kib)
        if took.work / took.cycles < 0.8 * fastest.work / fastest.cycles:
            break
        fits = kib
    return Took(1, 1, fits)
