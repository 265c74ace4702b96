"""One point through the real compiler and simulator; and what decides a point's identity."""

import dataclasses
import json
import pickle
import re
from pathlib import Path

import pytest

from dse.errors import InputError
from dse.evaluation.evaluate import evaluate
from dse.evaluation.points import point_hash, task_for
from dse.evaluation.tasks import Limits, Task
from dse.requests.preflight import check_space
from dse.store import METRIC_COLUMNS, STALL_REASONS
from search_spaces import Space, load_space


@pytest.fixture
def task(space: Space) -> Task:
    return task_for(space, next(space.points()), "h100-sxm")


def test_a_point_is_compiled_and_simulated_to_the_same_metrics_every_time(task: Task) -> None:
    first, second = evaluate(task), evaluate(pickle.loads(pickle.dumps(task)))
    assert (first.state, first.reason, first.message) == ("complete", None, None)
    assert first.point_hash == task.point_hash
    assert first.metrics == second.metrics
    assert first.metrics["time_us"] > 0
    assert first.compile_s > 0
    assert first.simulate_s > 0


def test_metrics_fill_the_stores_columns_and_are_json(task: Task) -> None:
    metrics = evaluate(task).metrics
    stalls = {f"stall_{reason}" for reason in STALL_REASONS}
    assert set(METRIC_COLUMNS) - stalls <= set(metrics)
    assert {name for name in metrics if name.startswith("stall_")} <= stalls
    assert json.loads(json.dumps(metrics))["occupancy"]["limiters"]


@pytest.mark.parametrize(
    ("change", "reason", "message", "is_final"),
    [
        ({"source": "oops"}, "CompileError", r"kernel\.cu\(1\)", True),
        ({"gpu": "h100"}, "UnknownGpu", "h100", False),
        ({"kernel": "nothing"}, "CubinError", "nothing", False),
        ({"arguments": ()}, "LaunchError", "takes 3 arguments", True),
    ],
)
def test_what_the_simulator_refuses_is_a_failed_outcome(
    task: Task, change: dict[str, object], reason: str, message: str, is_final: bool
) -> None:
    outcome = evaluate(dataclasses.replace(task, **change))  # type: ignore[arg-type]
    assert (outcome.state, outcome.reason, outcome.final) == ("failed", reason, is_final)
    assert re.search(message, outcome.message or "")


@pytest.mark.parametrize(
    ("statement", "reason", "message"),
    [
        (
            "data[i + 4096 * 1000] = factor;",
            "MemoryFault",
            r"^kernel\.cu:\d+, .* thread 0: 4-byte access at byte [\d,]+ of data \(argument 0\), which has",
        ),
        ("while (factor >= 0.0f) __threadfence();", "EndlessLoop", r"^kernel\.cu:\d+, .* loops forever"),
        ('if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");', "Deadlock", "others never reach"),
    ],
)
def test_a_kernel_that_goes_wrong_fails_its_point(
    task: Task, statement: str, reason: str, message: str
) -> None:
    source = task.source.replace("if (i < n)", f"{statement} if (i < n)")
    outcome = evaluate(dataclasses.replace(task, source=source))
    assert (outcome.state, outcome.reason, outcome.final) == ("failed", reason, True)
    assert re.search(message, outcome.message or "")


def test_a_point_says_that_its_instructions_are_approximate(task: Task) -> None:
    assert "reconvergence" not in evaluate(task).metrics
    statement = """
    __shared__ volatile unsigned w[1024];
    unsigned s = i * 2654435761u;
    #pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        #pragma unroll 1
        for (int t = s & 3; t; --t) { w[threadIdx.x] = t; if (s >> t & 4) break; w[threadIdx.x] = k; }
        s >>= 4;
        if (s & 16) { w[threadIdx.x] = s; break; }
    }
    """
    source = task.source.replace("if (i < n)", f"{statement} if (i < n)")
    metrics = evaluate(dataclasses.replace(task, source=source)).metrics
    assert metrics["reconvergence"] == "approximate"
    assert "lanes part in nested loops" in metrics["advice"][0]


def test_a_block_too_large_is_refused_before_it_is_compiled(task: Task) -> None:
    launch = dataclasses.replace(task.launch, block=(1025, 1, 1))
    outcome = evaluate(dataclasses.replace(task, launch=launch, source="never compiled"))
    assert outcome.reason == "LaunchError"


def test_the_hash_depends_on_everything_that_decides_the_result(space: Space, space_file: Path) -> None:
    points = list(space.points())
    hashes = {point_hash(space, point, gpu) for point in points for gpu in ("a100-80gb", "h100-sxm")}
    assert len(hashes) == 2 * len(points)

    text, source = space_file.read_text(), (space_file.parent / "kernel.cu").read_text()
    for old, new in (("n: 4096", "n: 8192"), ("uniform", "ones"), ("value: 0.5", "value: 0.25")):
        space_file.write_text(text.replace(old, new))
        assert point_hash(load_space(space_file), points[0], "h100-sxm") not in hashes
    space_file.write_text(text)
    (space_file.parent / "kernel.cu").write_text(source + "// changed\n")
    assert point_hash(load_space(space_file), points[0], "h100-sxm") not in hashes


def test_a_number_of_the_gpu_is_a_parameter_and_the_real_gpu_keeps_its_hash(
    space: Space, space_file: Path
) -> None:
    plain = point_hash(space, next(space.points()), "h100-sxm")
    space_file.write_text(
        space_file.read_text().replace("  width:", "  gpu.l2_bytes: [50MB, 25MB]\n  width:")
    )
    whatif = load_space(space_file)
    points = {point["gpu.l2_bytes"]: point for point in whatif.points()}
    assert point_hash(whatif, {**points["50MB"], **next(space.points())}, "h100-sxm") == plain
    task = task_for(whatif, points["25MB"], "h100-sxm")
    assert task.gpu == "h100-sxm,l2_bytes=25MB"
    assert task.point_hash == task_for(whatif, points["25MB"], "h100-sxm,l2_bytes=60MB").point_hash
    assert evaluate(task).metrics["label"] == "what if"


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("gpu.l2_byte: [1]", "a GPU has no field 'l2_byte'; did you mean 'l2_bytes'"),
        ("gpu.sms: [132, 0]", "sms: 0 is not possible; must be greater than 0"),
        ("gpu.l2_bytes: [5XB]", "'XB' is no unit of l2_bytes; use KB, MB, GB or plain bytes"),
        ("gpu.sms: [10MB]", "'MB' is no unit of sms; give it in SMs"),
    ],
)
def test_a_number_that_no_gpu_can_have_is_refused_before_any_work(
    space_file: Path, parameter: str, message: str
) -> None:
    space_file.write_text(space_file.read_text().replace("  width:", f"  {parameter}\n  width:"))
    with pytest.raises(InputError, match=re.escape(message)):
        check_space(load_space(space_file))


def test_a_limit_of_cycles_belongs_to_the_point_and_one_of_seconds_does_not(
    space: Space, space_file: Path
) -> None:
    point, text = next(space.points()), space_file.read_text()
    plain = point_hash(space, point, "h100-sxm")
    space_file.write_text(text + "limits: {seconds: 30, memory_gib: 1.5}\n")
    task = task_for(load_space(space_file), point, "h100-sxm")
    assert (task.point_hash, task.limits) == (plain, Limits(30.0, 3 * 2**29))
    space_file.write_text(text + "limits: {cycles: 10}\n")
    task = task_for(load_space(space_file), point, "h100-sxm")
    assert task.point_hash != plain
    outcome = evaluate(task)
    assert outcome.reason == "CycleLimitExceeded"
    assert re.search(r"not finished after \d+ (cycles|warp instructions)", outcome.message or "")


def test_the_hash_does_not_depend_on_what_is_explored(space: Space) -> None:
    narrower = space.override({"unroll": [4], "width": [1]}, ["b200"])
    point = next(narrower.points())
    assert point_hash(narrower, point, "h100-sxm") == point_hash(space, point, "h100-sxm")
