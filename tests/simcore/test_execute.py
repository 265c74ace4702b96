"""What kernels compute is what numpy computes, and what an H200 computed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from search_spaces import load_space
from simcore import compile_cuda, execute
from testing.silicon_data import Measured, measured, smallest_of_each

GPUS = ("a100-80gb", "h200", "b200")
Array = NDArray[Any]


# --- The catalog against numpy on small inputs: every combination of its parameters, on one GPU -----------


def _uniform(elements: int, seed: int) -> Array:
    return np.random.default_rng(seed).random(elements, np.float32)


@dataclass(frozen=True)
class Case:
    """A small launch of a catalog kernel, and what its output, the last array, should be."""

    grid: int
    arguments: list[Any]
    expected: Array


def _fma_chain(point: Mapping[str, Any]) -> Case:
    steps = 37
    chain = np.arange(point["chains"], dtype=np.float32)
    for _ in range(steps):
        chain = (chain.astype(np.float64) * 0.75 + 0.25).astype(np.float32)
    threads = 2 * point["block_size"]
    arguments = [np.zeros(threads, np.float32), np.float32(0.75), np.float32(0.25), np.int32(steps)]
    return Case(2, arguments, np.full(threads, chain.sum()))


def _rsqrt_chain(point: Mapping[str, Any]) -> Case:
    n, threads = 29, 2 * point["block_size"]
    data = _uniform(threads * n, 1)
    y = 1 / np.sqrt(data.reshape(threads, n).astype(np.float64) + 1)
    for _ in range(6):
        y = y * 0.75 + 0.25
    out = np.zeros(threads, np.float32)
    return Case(2, [data, out, np.float32(0.75), np.float32(0.25), np.int32(n)], y.sum(axis=1))


def _dot(point: Mapping[str, Any]) -> Case:
    n = 5 * point["block_size"] * point["accumulators"] + 77
    x, y = _uniform(n, 2), _uniform(n, 3)
    expected = np.array([x.astype(np.float64) @ y])
    return Case(3, [x, y, np.zeros(1, np.float32), np.int32(n)], expected)


def _sum_reduction(point: Mapping[str, Any]) -> Case:
    blocks = 3
    data = _uniform(blocks * point["block_size"] * point["elements_per_thread"], 4)
    expected = data.reshape(blocks, -1).sum(axis=1, dtype=np.float64)
    return Case(blocks, [data, np.zeros(blocks, np.float32)], expected)


CATALOG: dict[str, Callable[[Mapping[str, Any]], Case]] = {
    "fma_chain": _fma_chain,
    "rsqrt_chain": _rsqrt_chain,
    "dot": _dot,
    "sum_reduction": _sum_reduction,
}


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("kernel", CATALOG)
def test_catalog_kernels_compute_what_numpy_does(kernel: str, gpu: str) -> None:
    space = load_space(kernel)
    # Points that differ in their launch only have one cubin.
    points = {
        compile_cuda(space.source, gpu, space.defines(point), space.register_cap(point)): point
        for point in space.points()
    }
    assert len(points) > 20
    step = 1 if gpu == "h200" else 3
    for cubin, point in list(points.items())[::step]:
        case = CATALOG[kernel](point)
        block = space.launch(point).block
        execute(cubin=cubin, grid=case.grid, block=block, arguments=case.arguments, gpu=gpu)
        out = [a for a in case.arguments if isinstance(a, np.ndarray)][-1]
        np.testing.assert_allclose(out, case.expected, rtol=2e-6, err_msg=f"{point}")


# --- The families against the hardware's own outputs ------------------------------------------------------

MAX_INSTRUCTIONS = 2e6
SPREAD = 2e-5  # of floats, whose sums depend on the order in which atomics add


def _assert_as_measured(point: Measured, gpu: str) -> None:
    launch = point.fresh_launch(gpu)
    execute(**launch)
    for entry in point.record["outputs"]:
        values = launch["arguments"][entry["buffer"]]
        first = np.array(entry["first"])
        got = values.reshape(-1)[: len(first)].astype(np.float64)
        total = float(values.astype(np.float64).sum())
        if values.dtype.kind in "iu" or not np.isfinite(entry["sum"]):
            assert (got == first).all(), (point, got, first)
            assert total == entry["sum"], point
        else:
            np.testing.assert_allclose(got, first, rtol=SPREAD, atol=1e-6, err_msg=f"{point}")
            tolerance = SPREAD * float(np.abs(values).sum(dtype=np.float64))
            assert total == pytest.approx(entry["sum"], abs=tolerance), point


FAMILIES = {p.space: p for p in smallest_of_each(measured("families"), MAX_INSTRUCTIONS)}


@pytest.mark.parametrize("family", FAMILIES)
def test_families_compute_what_the_hardware_did(family: str) -> None:
    _assert_as_measured(FAMILIES[family], "h200")


@pytest.mark.parametrize("gpu", ["a100-80gb", "b200"])
def test_other_architectures_compute_the_same(gpu: str) -> None:
    for point in FAMILIES.values():
        if point.executed < 5e5:
            _assert_as_measured(point, gpu)
