"""Tuning problems in T1: Kernel Tuner's schema accepts what is written, and what others write becomes a space."""

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_tuner.file_utils import get_input_file

from search_spaces import Space, SpaceError, load_space
from search_spaces.tuning_problem import read_problem, write_problem

CONVOLUTION = """
__constant__ float d_filter[25];
__global__ void convolution(float* out, const float* in, int side) {
    const int x = blockIdx.x * block_size_x + threadIdx.x;
    for (int i = 0; i < tile_size_x; ++i) out[x] = in[x] * d_filter[i % 25] + side;
}
"""
PROBLEM: dict[str, Any] = {
    "ConfigurationSpace": {
        "TuningParameters": [
            {"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128]"},
            {"Name": "block_size_y", "Type": "int", "Values": "[1, 2]"},
            {"Name": "tile_size_x", "Type": "int", "Values": "list(range(1, 4))"},
        ],
        "Conditions": [{"Parameters": ["block_size_x"], "Expression": "block_size_x * block_size_y <= 128"}],
    },
    "KernelSpecification": {
        "Language": "CUDA",
        "KernelName": "convolution",
        "KernelFile": "convolution.cu",
        "CompilerOptions": ["--use_fast_math"],
        "GlobalSize": {"X": "1"},
        "LocalSize": {"X": "block_size_x", "Y": "block_size_y"},
        "ProblemSize": [4096, 64],
        "GridDivX": ["block_size_x", "tile_size_x"],
        "GridDivY": ["block_size_y"],
        "Arguments": [
            {
                "Name": "out",
                "Type": "float",
                "MemoryType": "Vector",
                "Size": "ProblemSize[0] * ProblemSize[1]",
            },
            {
                "Name": "in",
                "Type": "float",
                "MemoryType": "Vector",
                "Size": "ProblemSize[0] + max(tile_size_x) * 128",
                "FillType": "Random",
            },
            {"Name": "side", "Type": "int32", "MemoryType": "Scalar", "FillValue": 3},
            {
                "Name": "d_filter",
                "Type": "float",
                "MemoryType": "Vector",
                "MemType": "Constant",
                "Size": 25,
                "FillType": "Constant",
                "FillValue": 2.5,
            },
        ],
        "Device": {"Name": "NVIDIA H100 80GB HBM3"},
    },
}


def written(folder: Path, changes: dict[str, Any]) -> Path:
    """The problem with another kernel specification."""
    problem = PROBLEM | {"KernelSpecification": PROBLEM["KernelSpecification"] | changes}
    (folder / "convolution.cu").write_text(CONVOLUTION)
    path = folder / "convolution.json"
    path.write_text(json.dumps(problem))
    return path


def test_a_problem_of_kernel_tuner_becomes_a_space(tmp_path: Path) -> None:
    problem = read_problem(written(tmp_path, {}))
    assert problem.device == "NVIDIA H100 80GB HBM3"
    space = problem.write_space(tmp_path / "space", ["h100-sxm"])
    assert space.parameters == {
        "block_size_x": (32, 64, 128),
        "block_size_y": (1, 2),
        "tile_size_x": (1, 2, 3),
    }
    assert space.count() == 15
    point = {"block_size_x": 64, "block_size_y": 2, "tile_size_x": 3}
    launch = space.launch(point)
    assert (launch.grid, launch.block) == ((22, 32, 1), (64, 2, 1))
    assert space.defines(point) == {"BLOCK_SIZE_X": 64, "BLOCK_SIZE_Y": 2, "TILE_SIZE_X": 3}
    assert space.source.splitlines() == [
        "#define block_size_x BLOCK_SIZE_X",
        "#define tile_size_x TILE_SIZE_X",
        '#include "convolution.cu"',
    ]
    assert space.headers == {"convolution.cu": CONVOLUTION}
    out, given, side = space.arguments(point)
    assert given.name == "in_"  # `in` is Python's
    assert (out.elements, out.fill, given.elements, given.fill) == (
        4096 * 64,
        "zeros",
        4096 + 3 * 128,
        "uniform",
    )
    assert side.value == 3
    (variable,) = space.variables(point)
    assert variable.name == "d_filter"
    assert space.compiler_options(point) == ("--use_fast_math",)


@pytest.mark.parametrize(
    ("sizes", "grid"),
    [
        ({"GlobalSizeType": "CUDA", "GlobalSize": {"X": "4096 // block_size_x", "Y": "7"}}, (64, 7, 1)),
        ({"GlobalSizeType": "OpenCL", "GlobalSize": {"X": "4100", "Y": "7"}}, (65, 4, 1)),
    ],
)
def test_a_global_size_counts_blocks_or_threads(
    tmp_path: Path, sizes: dict[str, Any], grid: tuple[int, int, int]
) -> None:
    arguments = PROBLEM["KernelSpecification"]["Arguments"]
    changes = {
        "ProblemSize": None,
        "Arguments": [
            each | ({"Size": 99_999} if "Size" in each and each["Size"] != 25 else {}) for each in arguments
        ],
    }
    space = read_problem(written(tmp_path, changes | sizes)).write_space(tmp_path / "space", ["h200"])
    assert space.launch({"block_size_x": 64, "block_size_y": 2, "tile_size_x": 3}).grid == grid


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Language": "OpenCL"}, "KernelSpecification.Language: OpenCL is not simulated"),
        ({"KernelFile": "other.cu"}, "KernelFile: other.cu is not beside the file"),
        ({"ProblemSize": None, "GlobalSize": {}}, "GlobalSize: missing"),
        ({"GlobalSize": 7}, "KernelSpecification.GlobalSize: Input should be an object"),
        (
            {
                "Arguments": [
                    {"Name": "in", "Type": "int32", "MemoryType": "Vector", "Size": 9, "FillType": "Random"}
                ]
            },
            "Arguments.in_: Random contents of type int32",
        ),
        (
            {"Arguments": [{"Name": "tile", "Type": "float", "MemoryType": "Local", "Size": 9}]},
            "Arguments.tile: local memory as an argument",
        ),
        ({"ProblemSize": ["4096 +", 64]}, "is not an expression"),
    ],
)
def test_what_a_space_cannot_say_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        read_problem(written(tmp_path, changes)).write_space(tmp_path / "space", ["h200"])
    assert not (tmp_path / "space").exists()


def test_values_are_a_list_or_a_range(tmp_path: Path) -> None:
    path = written(tmp_path, {})
    path.write_text(path.read_text().replace("list(range(1, 4))", "[x for x in y]"))
    with pytest.raises(
        SpaceError, match=r"tile_size_x\.Values: '\[x for x in y\]' is neither a list nor a range"
    ):
        read_problem(path).write_space(tmp_path / "space", ["h200"])


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpaceError, match="is not empty; name a new folder"):
        read_problem(written(tmp_path, {})).write_space(tmp_path, ["h200"])


@pytest.mark.parametrize("name", ["rsqrt_chain", "sgemm", "fma_chain", "dot", "stencil_2d"])
def test_a_space_of_the_catalog_comes_back(tmp_path: Path, name: str) -> None:
    space = load_space(name)
    path = tmp_path / "problem.json"
    write_problem(space, "h200", path)
    get_input_file(path)  # which checks it
    found = read_problem(path).write_space(tmp_path / "space", ["h200"])
    assert_alike(found, space)


def assert_alike(found: Space, space: Space) -> None:
    """The same points, launches, arguments and macros."""
    points = [*space.points()]
    assert [*found.points()] == points
    for point in points[:: max(len(points) // 20, 1)]:
        assert found.launch(point) == space.launch(point)
        assert found.arguments(point) == space.arguments(point)
        assert found.defines(point) == space.defines(point)
        assert found.register_cap(point) == space.register_cap(point)


def test_a_file_beside_it_is_kept(tmp_path: Path) -> None:
    space, problem = load_space("dot"), tmp_path / "problem.json"
    write_problem(space, "h200", problem)
    write_problem(space, "h200", problem)  # the same once more
    source = tmp_path / "problem.cu"
    source.write_text("somebody's own")
    for path in (problem, source):
        with pytest.raises(
            SpaceError, match=r"problem\.cu has other contents; name a file in another folder"
        ):
            write_problem(space, "h200", path)
    assert source.read_text() == "somebody's own"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("variables: [{name: filter, type: float32, value: 1}]", "the contents of variables cannot be said"),
        (
            'options: [{option: --use_fast_math, when: "blocks > 132"}]',
            "compiler options under a condition cannot be said",
        ),
    ],
)
def test_what_would_be_lost_is_refused(tmp_path: Path, line: str, message: str) -> None:
    folder = load_space("dot").source_path.parent
    source = (folder / "kernel.cu").read_text()
    (tmp_path / "kernel.cu").write_text("__constant__ float filter;\n" + source)
    (tmp_path / "space.yaml").write_text(f"{(folder / 'space.yaml').read_text()}\n{line}\n")
    with pytest.raises(SpaceError, match=message):
        write_problem(load_space(tmp_path), "h200", tmp_path / "problem.json")
    assert not (tmp_path / "problem.cu").exists()


def test_what_t1_cannot_say_is_refused(tmp_path: Path) -> None:
    folder = load_space("dot").source_path.parent
    (tmp_path / "kernel.cu").write_text((folder / "kernel.cu").read_text())
    text = (
        (folder / "space.yaml")
        .read_text()
        .replace("dynamic_shared_bytes: 0", 'dynamic_shared_bytes: "4 * block_size"')
    )
    (tmp_path / "space.yaml").write_text(text)
    with pytest.raises(SpaceError, match=r"launch\.dynamic_shared_bytes: T1 has a number of bytes only"):
        write_problem(load_space(tmp_path), "h200", tmp_path / "problem.json")
