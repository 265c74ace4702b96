"""Every space of the catalog loads, has points, can be launched and compiles."""

import pytest

from search_spaces import catalog_names, catalog_readme, load_space
from simcore.machine_code.compiler import compile_cuda


@pytest.mark.parametrize("name", catalog_names())
def test_a_kernel_says_what_it_shows(name: str) -> None:
    readme = catalog_readme(name)
    assert "What it shows: " in readme
    assert "Expected output: " in readme


@pytest.mark.parametrize("name", catalog_names())
def test_every_point_has_a_launch_and_arguments(name: str) -> None:
    space = load_space(name)
    assert space.kernel == name
    assert 30 <= space.count() <= 150
    for point in space.points():
        launch = space.launch(point)
        assert launch.block == (point.get("block_size", launch.block[0]), 1, 1)
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


@pytest.mark.parametrize("name", catalog_names())
def test_the_ends_of_a_space_compile(name: str) -> None:
    space = load_space(name)
    valid = list(space.points())
    for point, gpu in ((valid[0], "a100-80gb"), (valid[-1], "b200")):
        cap = space.register_cap(point)
        assert compile_cuda(space.source, gpu, space.defines(point), cap).startswith(b"\x7fELF")
