"""What an answer leaves out because every point with a value failed, and how little may have been wrong."""

from functools import partial
from pathlib import Path

import pytest
import yaml

from dse import Client
from dse.cli.terminal.reports import print_best
from dse.evaluation.evaluate import evaluate
from dse.evaluation.points import task_for
from dse.report.data import ReportData
from dse.report.sections import sections_of
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from search_spaces import Space, Value, parse_space

FEW: dict[str, list[Value]] = {"unroll": [4, 8], "block_size": [256], "register_cap": [None]}


@pytest.fixture
def client(home: Path, quick: Evaluate) -> Client:
    return Client(home, partial(InlineRunner, quick), tracking=False)


def test_a_value_with_which_all_points_failed_is_said(
    client: Client, space_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = client.submit(space_file, "h100-sxm", parameters={**FEW, "width": [1, 2, 4]}).wait()
    (found,) = sweep.failed_values()
    assert (found.parameter, found.values) == ("width", (2,))
    assert found.words.startswith("every point with width=2 that was tried failed")
    assert found.words.endswith("CycleLimitExceeded: width 2 never ends")
    print_best(sweep, sweep.winners())
    assert f"warning: {found.words[:40]}" in " ".join(capsys.readouterr().out.split())
    in_short = next(
        each for each in sections_of(ReportData(client.service, sweep.id), ()) if each.name == "in_short"
    )
    assert found.words[1:] in in_short.points[0]


def test_nothing_is_said_of_values_with_which_some_point_is_complete(
    client: Client, space_file: Path
) -> None:
    assert (
        not client.submit(space_file, "h100-sxm", parameters={**FEW, "width": [1, 4]}).wait().failed_values()
    )
    assert not client.submit(space_file, "h100-sxm", parameters={**FEW, "width": [2]}).wait().failed_values()


@pytest.mark.parametrize(
    ("kind", "off", "hint"),
    [
        ("int8", "1", "rounding, perhaps: `atol: 1` permits it"),
        ("int8", "2", None),
        ("float32", "0.0004f", "rounding, perhaps: `rtol: 0.0001` permits it"),
        ("float32", "1.0f", None),
    ],
)
def test_differences_as_small_as_rounding_come_with_what_permits_them(
    kind: str, off: str, hint: str | None
) -> None:
    space = _off_by(kind, off, {"out": "first"})
    first, second = (evaluate(task_for(space, point, "h200")) for point in space.points())
    assert (first.state, second.reason) == ("complete", "WrongOutput")
    message = str(second.message)
    assert message.endswith(hint) if hint else "rounding" not in message


@pytest.mark.parametrize(
    ("kind", "off", "expect", "refusal"),
    [
        ("int8", "(threadIdx.x == 9)", {"values": "first", "atol": 1}, None),
        ("int8", "5 * (threadIdx.x == 9)", {"values": "first", "atol": 1, "mismatches": 0.04}, None),
        (
            "int8",
            "5 * (threadIdx.x < 2)",
            {"values": "first", "mismatches": 0.04},
            "2 of 32 elements differ by more than rtol 0, atol 0, and 0.04 of them may",
        ),
        ("int64", "2", {"values": "first", "atol": 1}, "32 of 32 elements differ"),
        ("int64", "1", {"values": "first", "atol": 1}, None),
        ("float32", "0.0004f", {"values": "first", "rtol": 1e-4}, None),
    ],
)
def test_a_buffer_has_tolerances_of_its_own(
    kind: str, off: str, expect: dict[str, object], refusal: str | None
) -> None:
    space = _off_by(kind, off, {"out": expect, "rtol": 0})
    _, second = (evaluate(task_for(space, point, "h200")) for point in space.points())
    if refusal is None:
        assert second.state == "complete", second.message
    else:
        assert second.reason == "WrongOutput"
        assert refusal in str(second.message)


def _off_by(kind: str, off: str, expect: dict[str, object]) -> Space:
    """A kernel whose second variant puts out something else."""
    number = {"int8": "signed char", "int64": "long long", "float32": "float"}[kind]
    base = "(1LL << 60)" if kind == "int64" else "7"  # as doubles, its neighbours are equal to it
    body = f"out[threadIdx.x] = {base} + (VEC == 2 ? {off} : 0);"
    source = f'extern "C" __global__ void count({number}* out) {{ {body} }}'
    file = {
        "kernel": "count",
        "parameters": {"vec": [1, 2]},
        "gpu": ["h200"],
        "launch": {"grid": 1, "block": 32},
        "arguments": [{"name": "out", "type": kind, "elements": 32}],
        "expect": expect,
    }
    return parse_space(yaml.safe_dump(file, sort_keys=False), source)
