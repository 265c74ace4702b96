"""Each space of docs/spaces.md is submitted, carried to a worker and evaluated, and computes what it must."""

import dataclasses
import pickle
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
from search_spaces import Point, Space, load_space
from search_spaces.json_schema import space_schema
from simcore import execute, read_kernel
from testing.documented_spaces import write_documented

SECTIONS = (
    "Compiler options",
    "Templates",
    "Types",
    "Contents",
    "Variables, and the state before a launch",
    "Reads beside a buffer",
    "Expected output",
    "Machine code",
)


@pytest.fixture
def documented(request: pytest.FixtureRequest, tmp_path: Path) -> Space:
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
