"""Each space of docs/spaces.md is submitted, carried to a worker and evaluated, and computes what it must."""

import dataclasses
import pickle
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

from dse.evaluation.contents import device_arguments
from dse.evaluation.evaluate import evaluate
from dse.evaluation.machine_code import compile_task, launch_keywords
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome
from dse.requests.preflight import prepare
from dse.requests.request import Request
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import restore_space
from search_spaces import Point, Space, SpaceError, load_space
from search_spaces.json_schema import space_schema
from simcore import compile_cuda, execute, read_kernel
from testing.documented_spaces import write_documented

SECTIONS = (
    "Compiler options",
    "Templates",
    "Types",
    "Structs with pointers",
    "Contents",
    "Variables, and the state before a launch",
    "Reads beside a buffer",
    "Expected output",
    "Machine code",
    "Machine code of Triton and numba",
)
NUMBA = Path(__file__).parents[2] / "simcore" / "data" / "numba_axpy.cubin"
CUPY = Path(__file__).parents[2] / "simcore" / "data" / "cupy_multiply_add.cubin"
"""Of an elementwise kernel, `z = x * 2 + y`, in the words and with the headers and the compiler of CuPy 14.2."""


@pytest.fixture
def documented(request: pytest.FixtureRequest, tmp_path: Path) -> Space:
    shutil.copy(NUMBA, tmp_path / "axpy.cubin")
    return load_space(write_documented(request.param, tmp_path))


def outcome_at(space: Space, point: Point) -> Outcome:
    """The outcome as a worker gives it: the task is pickled on its way."""
    return evaluate(pickle.loads(pickle.dumps(task_for(space, point, "h200"))))


def executed(space: Space, point: Point) -> dict[str, np.ndarray]:
    """The buffers after a launch."""
    task = task_for(space, point, "h200")
    keywords = launch_keywords(task)
    arguments = [
        each.materialise().copy() if hasattr(each, "materialise") else each for each in keywords["arguments"]
    ]
    arguments = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    execute(**{**keywords, "arguments": arguments})
    return {own.name: each for own, each in zip(task.arguments, arguments, strict=True)}


@pytest.mark.parametrize("documented", SECTIONS, indirect=True)
def test_a_documented_space_is_accepted_stored_and_evaluated(documented: Space) -> None:
    sent = SpaceFiles.model_validate_json(SpaceFiles.of(documented).model_dump_json())
    spec = prepare(Request(space=sent))
    restored = restore_space(spec)
    points = list(restored.points())
    assert [task_for(restored, point, "h200") for point in points] == [
        task_for(documented, point, "h200") for point in points
    ]
    states = {outcome_at(restored, point).state for point in points}
    assert states == ({"complete", "failed"} if documented.name == "total" else {"complete"})
    jsonschema.validate(yaml.safe_load(documented.yaml), space_schema())


@pytest.mark.parametrize("documented", ["Compiler options"], indirect=True)
def test_an_option_changes_the_code_where_its_condition_holds(documented: Space) -> None:
    precise, fast = (task_for(documented, {"fast_math": flag, "block_size": 128}, "h200") for flag in (0, 1))
    assert (precise.options, fast.options) == (("--std=c++20",), ("--std=c++20", "--use_fast_math"))
    sizes = [read_kernel(*compile_task(task)).instruction_count for task in (precise, fast)]
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("documented", ["Templates"], indirect=True)
def test_a_template_is_instantiated_for_each_point(documented: Space) -> None:
    assert documented.name == "scale"
    symbols = {compile_task(task_for(documented, point, "h200"))[1] for point in documented.points()}
    assert symbols == {f"_ZN5tools5scaleIfLi{items}EEEvPT_S1_" for items in (1, 2, 4)}


@pytest.mark.parametrize("documented", ["Contents"], indirect=True)
def test_a_sparse_matrix_multiplies_as_numpy_says(documented: Space) -> None:
    point = next(documented.points())
    buffers = executed(documented, point)
    offsets, columns = buffers["offsets"], buffers["columns"]
    assert (len(offsets), offsets[0], offsets[-1], len(columns)) == (2001, 0, 16000, 16000)
    lengths = np.diff(offsets)
    assert lengths.max() > 10 * lengths.mean()
    within = np.diff(columns)[np.setdiff1d(np.arange(len(columns) - 1), offsets[1:-1] - 1)]
    assert within.min() > 0
    assert (columns.min() >= 0, columns.max() < 2000) == (True, True)
    expected = np.add.reduceat(np.append(buffers["x"][columns], 0), offsets[:-1]) * (lengths > 0) / 2
    np.testing.assert_allclose(buffers["y"], expected, rtol=1e-5)


@pytest.mark.parametrize("documented", ["Expected output"], indirect=True)
def test_a_variant_whose_output_differs_fails_with_place_and_size(documented: Space) -> None:
    outcomes = {
        (point["items"], point["block_size"]): outcome_at(documented, point) for point in documented.points()
    }
    assert {key for key, outcome in outcomes.items() if outcome.state == "failed"} == {(3, 64), (3, 128)}
    wrong = outcomes[3, 64]
    assert (wrong.reason, wrong.final) == ("WrongOutput", True)
    assert wrong.message is not None
    assert wrong.message.startswith("sum[0] is 4")
    assert "but the first variant's is 4" in wrong.message
    assert "1 of 1 elements differ by more than rtol 0.0001, atol 0" in wrong.message


@pytest.mark.parametrize("documented", ["Types", "Variables, and the state before a launch"], indirect=True)
def test_an_output_unlike_its_file_fails(documented: Space) -> None:
    task = task_for(documented, next(documented.points()), "h200")
    (output,) = documented.expectation.outputs.values()  # type: ignore[union-attr]
    content = bytearray(task.files[output])
    content[-4:] = np.float32(7).tobytes()
    wrong = evaluate(dataclasses.replace(task, files={**task.files, output: bytes(content)}))
    assert wrong.reason == "WrongOutput"
    assert f"but {output} is 7.0; 1 of " in (wrong.message or "")


@pytest.mark.parametrize("documented", ["Variables, and the state before a launch"], indirect=True)
def test_cold_caches_take_longer(documented: Space) -> None:
    point = next(documented.points())
    cold = task_for(documented, point, "h200")
    warm = dataclasses.replace(cold, cold=False)
    assert evaluate(cold).metrics["time_us"] > evaluate(warm).metrics["time_us"]


@pytest.mark.parametrize("documented", ["Reads beside a buffer"], indirect=True)
def test_reads_beside_a_buffer_are_counted_where_the_space_lets_them(documented: Space) -> None:
    task = task_for(documented, next(documented.points()), "h200")
    outcome = evaluate(task)
    assert outcome.metrics["reads_out_of_bounds"] > 0
    assert any("reads of threads lie outside" in line for line in outcome.metrics["advice"])
    assert evaluate(dataclasses.replace(task, bounds="error")).reason == "MemoryFault"


@pytest.mark.parametrize("documented", ["Types"], indirect=True)
def test_arguments_have_the_bytes_that_cpp_gives_them(documented: Space) -> None:
    arguments = device_arguments(documented.arguments(next(documented.points())), documented.files)
    assert arguments[0].materialise().tobytes() == b"\x00\x3f" * 65536  # type: ignore[union-attr]
    filter_bytes = (
        np.float32(3).tobytes() + bytes(4) + np.float64(0.25).tobytes() + bytes([1, 0, 1, 0]) + bytes(4)
    )
    assert arguments[2].tobytes() == filter_bytes  # type: ignore[union-attr]
    assert [each.tobytes() for each in arguments[3:]] == [b"\x01", b"\xfe\xff"]  # type: ignore[union-attr]


def test_numbas_kernel_computes_what_its_space_passes(tmp_path: Path) -> None:
    shutil.copy(NUMBA, tmp_path / "axpy.cubin")
    space = load_space(write_documented("Machine code of Triton and numba", tmp_path))
    found = executed(space, {"block_size": 32})
    np.testing.assert_array_equal(found["r"], 2 * found["x"] + 1)


CUPYS = """
kernel: cupy_multiply_add__float32_float32_float32
source: multiply_add.cubin
parameters: {block_size: [64, 128]}
gpu: [h200]
launch: {grid: n // block_size, block: block_size}
values: {n: 1024}
arguments:
"""
CARRAY = """  - name: NAME
    fields:
      - {name: data, type: float32, elements: n, fill: iota}
      - {name: size, type: int64, value: n}
      - {name: shape, type: int64, value: n}
      - {name: stride, type: int64, value: 4}
"""
CINDEXER = """  - name: indices
    fields:
      - {name: size, type: int64, value: n}
      - {name: shape, type: int64, value: n}
      - {name: index, type: int64, value: 0}
expect: {z.data: z.npy}
"""


def test_cupys_kernel_computes_what_its_space_passes(tmp_path: Path) -> None:
    arrays = "".join(CARRAY.replace("NAME", name) for name in "xyz")
    (tmp_path / "space.yaml").write_text(f"{CUPYS}{arrays}{CINDEXER}")
    shutil.copy(CUPY, tmp_path / "multiply_add.cubin")
    np.save(tmp_path / "z.npy", np.arange(1024, dtype=np.float32) * 3)
    outcome = outcome_at(load_space(tmp_path), {"block_size": 64})
    assert outcome.state == "complete", outcome.message


CUBINS = """
kernel: scale
source: "{passes}_{unroll}.cubin"
parameters: {passes: [base, licm], unroll: [1, 4], block_size: [64]}
gpu: [h200]
launch: {grid: 8, block: block_size}
arguments: [{name: x, type: float32, elements: 512, fill: uniform}]
"""
SCALE = "__global__ void scale(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= TIMES; }"


def test_machine_code_may_be_a_file_for_each_value(tmp_path: Path) -> None:
    times = {"base_1": 2, "licm_1": 3, "base_4": 4, "licm_4": 5}
    for name, factor in times.items():
        (tmp_path / f"{name}.cubin").write_bytes(compile_cuda(SCALE, "h200", {"TIMES": factor}))
    (tmp_path / "space.yaml").write_text(CUBINS)
    space = restore_space(prepare(Request(space=SpaceFiles.of(load_space(tmp_path)))))
    points = list(space.points())
    before = executed(space, points[0])["x"] / 2
    for point in points:
        name = space.source_at(point).removesuffix(".cubin")
        np.testing.assert_allclose(executed(space, point)["x"], before * times[name], rtol=1e-6)
        assert list(task_for(space, point, "h200").files) == [f"{name}.cubin"]
    hashes = {task_for(space, point, "h200").point_hash for point in points}
    assert len(hashes) == len(times)
    # A further file is a further point, and changes no other.
    (tmp_path / "gvn_1.cubin").write_bytes(compile_cuda(SCALE, "h200", {"TIMES": 7}))
    (tmp_path / "gvn_4.cubin").write_bytes(compile_cuda(SCALE, "h200", {"TIMES": 8}))
    (tmp_path / "space.yaml").write_text(CUBINS.replace("licm]", "licm, gvn]"))
    more = load_space(tmp_path)
    assert hashes < {task_for(more, point, "h200").point_hash for point in more.points()}
    assert SpaceFiles.of(more).write(tmp_path / "copy").parent.joinpath("gvn_4.cubin").is_file()
    assert not (tmp_path / "copy" / more.source_name).exists()
    with pytest.raises(SpaceError, match=r"new_1\.cubin is missing"):
        more.override({"passes": ["new"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("passes}", "nope}"), r"\{nope\} is no parameter; known: passes, unroll, block_size"),
        (("licm]", "missing]"), r"missing_1\.cubin is not in .*; add it"),
        (("block_size: [64]", "block_size: [64], register_cap: [32]"), "remove it, or give PTX"),
    ],
)
def test_wrong_machine_code_is_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    for name in ("base_1", "licm_1", "base_4", "licm_4"):
        (tmp_path / f"{name}.cubin").write_bytes(b"")
    (tmp_path / "space.yaml").write_text(CUBINS.replace(*change))
    with pytest.raises(SpaceError, match=message):
        load_space(tmp_path)


def test_ptx_takes_register_caps(tmp_path: Path) -> None:
    text = CUBINS.replace('"{passes}_{unroll}.cubin"', "kernel.ptx")
    text = text.replace("passes: [base, licm], unroll: [1, 4], ", "register_cap: [none, 32], ")
    (tmp_path / "space.yaml").write_text(text)
    (tmp_path / "kernel.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n")
    caps = [
        task_for(space, point, "h200").register_cap
        for space in (load_space(tmp_path),)
        for point in space.points()
    ]
    assert caps == [None, 32]
