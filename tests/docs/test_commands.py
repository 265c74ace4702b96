"""Every command and snippet of README.md and docs/ runs; what waits for a server or takes minutes is parsed."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

import dse.cli
import simcore.cli
from dse import Client, Sweep, Trial
from dse.evaluation.evaluate import evaluate
from dse.evaluation.tasks import Outcome, Task
from dse.runners.inline import InlineRunner
from dse.tracking import files
from search_spaces import Value
from simcore import Buffer, compile_cuda
from testing.documented_commands import ROOT, documented_commands, documented_python, documented_space

#: Without an end, or minutes long: only their arguments are checked.
LONG = ("serve", "watch", "doctor", "sensitivity", "validate")
#: What a page writes for the rest of a command line that it has shown in full before.
REST = "..."
APPS = {"dse": dse.cli.app, "simcore": simcore.cli.app}
SMALL: dict[str, list[Value]] = {
    "unroll": [1, 4],
    "n": [64, 512],
    "block_size": [128],
    "register_cap": [None],
}
DOT = """
extern "C" __global__ void dot(const float* x, const float* y, float* result, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    atomicAdd(result, sum);
}
"""
COMMANDS: defaultdict[str, list[list[str]]] = defaultdict(list)
for _page, _words in documented_commands():
    if REST not in _words:
        COMMANDS[_page].append(_words)


@cache
def first_outcome(name: str) -> Outcome:
    """A real outcome of each kernel, from which those of its other points are made."""
    return evaluate(_FIRST[name])


_FIRST: dict[str, Task] = {}


def quick(task: Task) -> Outcome:
    """An outcome whose time depends on the point alone."""
    _FIRST.setdefault(task.kernel, task)
    outcome = first_outcome(task.kernel)
    time_us = 10 + int(task.point_hash[:4], 16) / 1000
    return replace(outcome, point_hash=task.point_hash, metrics={**outcome.metrics, "time_us": time_us})


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the pages' spaces, and a home with the sweeps that the pages name."""
    here = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        patch.setenv("DSE_HOME", str(here / "home"))
        patch.setenv("DSE_MLFLOW_CHILDREN", "1")
        patch.setattr("dse.client.start_workers", lambda *_: InlineRunner(quick))
        patch.setattr(files, "add_views", lambda *_: None)
        for page, name in (("README.md", "saxpy"), ("tutorial.md", "gemm"), ("own_kernel.md", "scale")):
            documented_space(page, here / name)
        (here / "dot.cu").write_text(DOT)
        client = Client(tracking=False)
        gpus = ["a100-80gb", "h100-sxm", "b200"]
        dot: dict[str, list[Value]] = {"register_cap": [None]}
        sweeps = [
            ("rsqrt_chain", SMALL),
            ("saxpy/", None),
            ("dot", dot),
            *[("gemm/", None)] * 3,
            ("dot", dot),
        ]
        for space, values in sweeps:
            client.submit(space, gpus, parameters=values).wait()
        client.submit("saxpy/", gpus, id="my-sweep").wait()
        yield here


@pytest.mark.parametrize("page", COMMANDS)
def test_the_commands_of_a_page_run_one_after_another(page: str) -> None:
    for name, *arguments in COMMANDS[page]:
        if arguments[0] in LONG:
            check_arguments(APPS[name], name, arguments)
            continue
        done = CliRunner().invoke(APPS[name], arguments)
        is_queued = "has no complete trial yet" in done.output  # nobody runs here what is queued
        expected = 1 if is_queued else 0
        assert done.exit_code == expected, f"{name} {' '.join(arguments)}\n{done.output}\n{done.exception!r}"


def check_arguments(app: typer.Typer, name: str, arguments: list[str]) -> None:
    """Whether a command has these options and takes these arguments, without running it."""
    group: Any = typer.main.get_command(app)
    context = group.make_context(name, arguments)
    name, command, rest = group.resolve_command(context, [*context._protected_args, *context.args])
    command.make_context(name, rest, parent=context)


@pytest.mark.parametrize(
    "page", ["README.md", "search.md", "service.md", "simulator.md", "user_metrics.md"]
)  # spaces.md: documented_spaces
def test_the_python_of_a_page_runs_block_after_block_without_an_error(page: str) -> None:
    source = 'extern "C" __global__ void twice(float* x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }'
    names = {
        "cubin": compile_cuda(source, "h100-sxm"),
        "arguments": [Buffer("float32", 4096 * 256, fill="uniform")],
        "client": Client(tracking=False),
    }
    blocks = documented_python(page)
    assert blocks
    for block in blocks:
        exec(block.replace('Client("http://127.0.0.1:8000", token="dse_...")', "Client()"), names)


@pytest.mark.parametrize("kind", [Sweep, Trial])
def test_the_page_on_python_names_what_there_is(kind: type) -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    absent = [name for name in vars(kind) if not name.startswith("_") and f"`{name}`" not in page]
    assert not absent
