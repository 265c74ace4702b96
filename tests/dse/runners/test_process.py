"""The process that evaluates, and what is known of its end."""

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Protocol

import numpy as np
import pytest

from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome, Task
from dse.runners.fork_server import ForkServer, StartError, program
from dse.runners.limits import Allowance
from dse.runners.process import EvaluationProcess, Report
from search_spaces import Space

#: Above what a point of these tests takes on a busy machine, and little to wait for.
LIMITS = Allowance(seconds=2.0, memory_bytes=2**30)
Evaluate = Callable[[Task], Outcome]


class StartProcess(Protocol):
    """What starts a process that evaluates."""

    def __call__(self, evaluate: Evaluate, prepare: Callable[[], object] = ...) -> EvaluationProcess: ...


@pytest.fixture
def tasks(space: Space) -> list[Task]:
    return [task_for(space, point, "a100-80gb") for point in space.points()][:4]


@pytest.fixture
def start_process() -> Iterator[StartProcess]:
    """Start a process that is ended with the test."""
    servers: list[ForkServer] = []

    def start(evaluate: Evaluate, prepare: Callable[[], object] = lambda: None) -> EvaluationProcess:
        servers.append(ForkServer(program(evaluate, prepare)))
        process = EvaluationProcess(servers[-1])
        process.start()
        return process

    yield start
    for server in servers:
        server.close()


def on_third(tasks: list[Task], act: Callable[[], object]) -> Evaluate:
    """An evaluation that does something at the third task."""
    third = tasks[2].point_hash

    def evaluate(task: Task) -> Outcome:
        if task.point_hash == third:
            act()
        return Outcome(task.point_hash, "complete", metrics={"pid": os.getpid()})

    return evaluate


def evaluate_all(process: EvaluationProcess, tasks: list[Task]) -> Report:
    return process.evaluate(pickle.dumps(tasks), [LIMITS] * len(tasks))


def test_a_batch_is_answered_in_order(
    start_process: StartProcess, tasks: list[Task], quick: Evaluate
) -> None:
    report = evaluate_all(start_process(quick), tasks)
    assert [pickle.loads(content) for content in report.outcomes] == [quick(task) for task in tasks]
    assert report.loss is None


@pytest.mark.parametrize(
    ("act", "reason", "message"),
    [
        (lambda: sleep(60), "TimeLimit", "took longer than the 2 s that a point may take"),
        (lambda: np.ones(2**28), "MemoryLimit", "needed more than the 1 GiB that a point may use"),
        (lambda: ctypes.string_at(0), "WorkerLost", "its process was killed by SIGSEGV (Segmentation fault)"),
        (lambda: os.write(2, b"no luck\n") and os._exit(3), "WorkerLost", "exited with status 3: no luck"),
    ],
)
def test_a_lost_point_is_named_with_what_is_known_and_the_others_are_kept(
    start_process: StartProcess, tasks: list[Task], act: Callable[[], object], reason: str, message: str
) -> None:
    process = start_process(on_third(tasks, act))
    report = evaluate_all(process, tasks)
    assert [pickle.loads(content).point_hash for content in report.outcomes] == [
        task.point_hash for task in tasks[:2]
    ]
    assert report.loss
    assert report.loss.reason == reason
    assert message in report.loss.message
    assert not report.loss.is_foreign
    assert evaluate_all(process, tasks) == Report()
    process.start()
    assert len(evaluate_all(process, tasks[3:]).outcomes) == 1


def test_a_kill_from_outside_is_not_the_points_doing(start_process: StartProcess, tasks: list[Task]) -> None:
    process = start_process(on_third(tasks, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    loss = evaluate_all(process, tasks).loss
    assert loss
    assert loss.is_foreign
    assert "SIGKILL" in loss.message


def test_preparation_counts_against_no_point(start_process: StartProcess, tasks: list[Task]) -> None:
    process = start_process(on_third(tasks, lambda: sleep(1)), prepare=lambda: sleep(2.5))
    assert len(evaluate_all(process, tasks).outcomes) == len(tasks)


def test_what_keeps_a_process_from_starting_is_told(start_process: StartProcess, quick: Evaluate) -> None:
    with pytest.raises(
        StartError, match=r"exited with status 1 while starting: (?s:.*)No module named 'nowhere'"
    ):
        start_process(quick, prepare=lambda: __import__("nowhere"))


def test_the_process_dies_with_its_parent(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    parent = subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(note)],
        stdout=subprocess.DEVNULL,
    )
    deadline = monotonic() + 20
    while not note.exists() or not note.read_text():
        assert monotonic() < deadline
        sleep(0.05)
    child = int(note.read_text())
    assert Path(f"/proc/{child}").exists()
    parent.kill()
    parent.wait()
    while _is_running(child):
        assert monotonic() < deadline
        sleep(0.05)


_ENDLESS = """
import os, pickle, sys
from pathlib import Path
from dse.runners.limits import Allowance
from dse.runners.fork_server import ForkServer, program
from dse.runners.process import EvaluationProcess

def evaluate(task):
    Path(task).write_text(str(os.getpid()))
    while True:
        pass

process = EvaluationProcess(ForkServer(program(evaluate, lambda: None)))
process.start()
process.evaluate(pickle.dumps([sys.argv[1]]), [Allowance(60.0, 2**30)])
"""


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_the_environments_secrets_stay_outside(
    start_process: StartProcess, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DSE_ADMIN_TOKEN", "DSE_DATABASE", "MLFLOW_TRACKING_PASSWORD", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "a secret")

    def tell(task: Task) -> Outcome:
        told = [value for value in os.environ.values() if "secret" in value]
        return Outcome(task.point_hash, "complete", metrics={"told": told})

    (content,) = evaluate_all(start_process(tell), tasks[:1]).outcomes
    assert pickle.loads(content).metrics == {"told": []}


def test_children_of_one_server_are_prepared_once(
    start_process: StartProcess, tasks: list[Task], quick: Evaluate, tmp_path: Path
) -> None:
    note = tmp_path / "prepared"

    def prepare() -> None:
        with note.open("a") as file:
            file.write("once\n")

    process = start_process(quick, prepare)
    process.start()
    process.start()
    assert len(evaluate_all(process, tasks).outcomes) == len(tasks)
    assert note.read_text() == "once\n"


def test_a_server_that_is_lost_is_replaced(start_process: StartProcess, tasks: list[Task]) -> None:
    def kill_the_server() -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        sleep(60)

    process = start_process(on_third(tasks, kill_the_server))
    loss = evaluate_all(process, tasks).loss
    assert loss
    assert loss.is_foreign
    process.start()
    assert len(evaluate_all(process, tasks[:2]).outcomes) == 2


def test_what_a_lost_point_started_ends_with_it(
    start_process: StartProcess, tasks: list[Task], tmp_path: Path
) -> None:
    note = tmp_path / "pid"

    def start_another() -> None:
        note.write_text(str(subprocess.Popen(["sleep", "60"]).pid))
        sleep(60)

    loss = evaluate_all(start_process(on_third(tasks, start_another)), tasks).loss
    assert loss
    assert loss.reason == "TimeLimit"
    deadline = monotonic() + 10
    while _is_running(int(note.read_text())):
        assert monotonic() < deadline
        sleep(0.05)


def test_nobody_waits_for_what_a_closed_server_loads(quick: Evaluate) -> None:
    server = ForkServer(program(quick, lambda: sleep(60)))
    server.start()
    closing = threading.Timer(0.5, server.close)
    closing.start()
    began = monotonic()
    with pytest.raises(StartError, match="shut down"):
        server.fork()
    closing.join()
    assert monotonic() - began < 10
