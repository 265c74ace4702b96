"""Every space of the catalog loads, has points, can be launched and compiles."""

import pytest

from search_spaces import catalog_names, load_space
from simcore.machine_code.compiler import compile_cuda


def test_the_catalog_has_the_first_four() -> None:
    assert set(catalog_names()) >= {"rsqrt_chain", "dot", "sum_reduction", "fma_chain"}


@pytest.mark.parametrize("name", catalog_names())
def test_every_point_has_a_launch_and_arguments(name: str) -> None:
    space = load_space(name)
    assert space.kernel == name
    assert 36 <= space.count() <= 150
    assert {"block_size", "register_cap"} <= set(space.parameters)
    for point in space.points():
        launch = space.launch(point)
        assert launch.block == (point["block_size"], 1, 1)
        assert launch.grid[0] >= 1
        assert all(argument.kind == "value" or argument.elements for argument in space.arguments(point))


def test_rsqrt_chain_launches_1024_blocks_of_256() -> None:
    space = load_space("rsqrt_chain")
    point = {"unroll": 4, "n": 64, "block_size": 256, "register_cap": None}
    assert space.launch(point).grid == (1024, 1, 1)
    assert space.arguments(point)[0].elements == 1024 * 256 * 64


def test_fma_chain_does_the_same_work_at_every_point() -> None:
    space = load_space("fma_chain")
    work = set()
    for point in space.points():
        launch = space.launch(point)
        work.add(launch.grid[0] * launch.block[0] * int(str(point["chains"])))
    assert len(work) == 1


@pytest.mark.parametrize("gpu", ["a100-80gb", "h100-sxm", "b200"])
@pytest.mark.parametrize("name", catalog_names())
def test_the_ends_of_a_space_compile(name: str, gpu: str) -> None:
    space = load_space(name)
    valid = list(space.points())
    for point in (valid[0], valid[-1]):
        cap = space.register_cap(point)
        assert compile_cuda(space.source, gpu, space.defines(point), cap).startswith(b"\x7fELF")
