"""One conformance suite for every runner; then what those with processes have to stand on one machine."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep, time

import pytest

from dse.evaluation.evaluate import evaluate
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Limits, Outcome, Task
from dse.runners.base import Evaluate, Runner, RunnerError
from dse.runners.inline import InlineRunner
from dse.runners.limits import PointLimits
from dse.runners.local import LocalRunner
from dse.runners.ray import RayRunner
from search_spaces import Space, load_space
from testing.documented_spaces import write_documented

PATIENCE_S = 60.0
StartRunner = Callable[[Evaluate], Runner]
StartWithProcesses = Callable[..., Runner]


def two_workers(evaluate: Evaluate) -> Runner:
    return RayRunner(evaluate, workers=2, prepare=lambda: None)


def two_processes(evaluate: Evaluate) -> Runner:
    return LocalRunner(evaluate, workers=2, prepare=lambda: None)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    """One Ray for all these tests; runners use a Ray that is there and leave it running."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.fixture(params=[InlineRunner, two_processes, two_workers], ids=["inline", "local", "ray"])
def start_runner(request: pytest.FixtureRequest) -> StartRunner:
    if request.param is two_workers:
        request.getfixturevalue("ray_cluster")
    start: StartRunner = request.param
    return start


@pytest.fixture(params=[LocalRunner, RayRunner], ids=["local", "ray"])
def with_processes(request: pytest.FixtureRequest) -> StartWithProcesses:
    """A runner whose tasks leave this process."""
    if request.param is RayRunner:
        request.getfixturevalue("ray_cluster")
    start: StartWithProcesses = partial(request.param, workers=2)
    return start


@pytest.fixture
def tasks(space: Space) -> list[Task]:
    return [task_for(space, point, "a100-80gb") for point in space.points()]


def collect(runner: Runner, count: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    deadline = monotonic() + PATIENCE_S
    while len(outcomes) < count and monotonic() < deadline:
        outcomes += runner.results(timeout=1.0)
    return outcomes


def test_what_a_kernel_computes_is_checked_by_every_worker(start_runner: StartRunner, tmp_path: Path) -> None:
    checked = [
        task_for(space, point, "h200")
        for section in ("Expected output", "Types")
        for space in [load_space(write_documented(section, tmp_path / section))]
        for point in space.points()
    ]
    with start_runner(evaluate) as runner:
        runner.submit(checked)
        outcomes = {outcome.point_hash: outcome for outcome in collect(runner, len(checked))}
    reasons = [outcomes[task.point_hash].reason for task in checked]
    assert reasons == [None, None, None, None, "WrongOutput", "WrongOutput", None, None]


def test_every_task_comes_back_once_with_its_own_outcome(
    start_runner: StartRunner, quick: Evaluate, tasks: list[Task]
) -> None:
    with start_runner(quick) as runner:
        runner.submit(tasks[:50])
        runner.submit(tasks[50:])
        assert runner.in_flight == len(tasks)
        outcomes = collect(runner, len(tasks))
        assert runner.in_flight == 0
    assert {outcome.point_hash: outcome for outcome in outcomes} == {
        task.point_hash: quick(task) for task in tasks
    }


def test_results_of_an_idle_runner_are_empty(start_runner: StartRunner, quick: Evaluate) -> None:
    with start_runner(quick) as runner:
        assert runner.results(timeout=0) == []


def test_capacity_is_at_least_one_task_a_worker(start_runner: StartRunner, quick: Evaluate) -> None:
    with start_runner(quick) as runner:
        assert runner.capacity >= runner.workers >= 1


def test_an_exception_fails_its_point_alone(start_runner: StartRunner, tasks: list[Task]) -> None:
    def evaluate(task: Task) -> Outcome:
        if task.defines["UNROLL"] == 2:
            raise OSError("no room")
        return Outcome(task.point_hash, "complete")

    with start_runner(evaluate) as runner:
        runner.submit(tasks)
        outcomes = {outcome.point_hash: outcome for outcome in collect(runner, len(tasks))}
    for task in tasks:
        outcome = outcomes[task.point_hash]
        if task.defines["UNROLL"] == 2:
            assert (outcome.state, outcome.reason, outcome.message) == ("failed", "OSError", "no room")
        else:
            assert outcome.state == "complete"


def test_shutdown_drops_what_is_in_flight_and_may_be_repeated(
    start_runner: StartRunner, tasks: list[Task]
) -> None:
    def evaluate(task: Task) -> Outcome:
        sleep(0.05)
        return Outcome(task.point_hash, "complete")

    runner = start_runner(evaluate)
    runner.submit(tasks)
    collect(runner, 1)
    began = monotonic()
    runner.shutdown()
    runner.shutdown()
    assert runner.in_flight == 0
    assert monotonic() - began < 2.0


def test_a_point_that_kills_its_worker_twice_is_lost_and_no_other(
    with_processes: StartWithProcesses, tasks: list[Task]
) -> None:
    killer = tasks[7].point_hash

    def evaluate(task: Task) -> Outcome:
        if task.point_hash == killer:
            os._exit(1)
        return Outcome(task.point_hash, "complete", metrics={"pid": os.getpid()})

    with with_processes(evaluate, prepare=lambda: None) as runner:
        runner.submit(tasks)
        outcomes = collect(runner, len(tasks))
    assert len(outcomes) == len({outcome.point_hash for outcome in outcomes}) == len(tasks)
    failed = [outcome for outcome in outcomes if outcome.state == "failed"]
    assert [(outcome.point_hash, outcome.reason) for outcome in failed] == [(killer, "WorkerLost")]
    assert failed[0].message == "lost 2 times; the last time, its process exited with status 1"


def test_a_worker_that_dies_once_costs_nothing(
    with_processes: StartWithProcesses, tasks: list[Task], tmp_path_factory: pytest.TempPathFactory
) -> None:
    marker = tmp_path_factory.mktemp("worker") / "died"

    def evaluate(task: Task) -> Outcome:
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return Outcome(task.point_hash, "complete")

    with with_processes(evaluate, prepare=lambda: None) as runner:
        runner.submit(tasks)
        outcomes = collect(runner, len(tasks))
    assert {outcome.point_hash for outcome in outcomes if outcome.state == "complete"} == {
        task.point_hash for task in tasks
    }


def test_the_points_are_spread_over_processes_of_one_thread(
    with_processes: StartWithProcesses, tasks: list[Task], tmp_path: Path
) -> None:
    seen, deadline = tmp_path / "seen", time() + PATIENCE_S / 2
    seen.mkdir()

    def evaluate(task: Task) -> Outcome:
        (seen / str(os.getpid())).touch()
        while len(list(seen.iterdir())) < 2 and time() < deadline:
            sleep(0.01)
        environment = {"pid": os.getpid(), "threads": os.environ["NUMBA_NUM_THREADS"]}
        return Outcome(task.point_hash, "complete", metrics=environment)

    with with_processes(evaluate, prepare=lambda: None) as runner:
        runner.submit(tasks)
        outcomes = collect(runner, len(tasks))
    assert len({outcome.metrics["pid"] for outcome in outcomes} - {os.getpid()}) == 2
    assert {outcome.metrics["threads"] for outcome in outcomes} == {"1"}


def test_a_point_beyond_its_limits_fails_and_no_other(
    with_processes: StartWithProcesses, tasks: list[Task]
) -> None:
    slow, large = tasks[7].point_hash, tasks[11].point_hash

    def evaluate(task: Task) -> Outcome:
        if task.point_hash == slow:
            sleep(60)
        if task.point_hash == large:
            bytearray(2**30)
        return Outcome(task.point_hash, "complete")

    tasks[7] = replace(tasks[7], limits=Limits(seconds=1.0, memory_bytes=2**40))
    with with_processes(evaluate, limits=PointLimits(memory_bytes=2**29), prepare=lambda: None) as runner:
        runner.submit(tasks)
        outcomes = collect(runner, len(tasks))
    assert len(outcomes) == len({outcome.point_hash for outcome in outcomes}) == len(tasks)
    failed = {outcome.point_hash: outcome.reason for outcome in outcomes if outcome.state == "failed"}
    assert failed == {slow: "TimeLimit", large: "MemoryLimit"}


def test_a_space_asks_for_what_a_runner_allows(tasks: list[Task]) -> None:
    asking = replace(tasks[0], limits=Limits(seconds=900.0))
    assert PointLimits().allow(tasks[0]) == (300.0, 4 * 2**30)
    assert PointLimits().allow(asking).seconds == 900.0
    assert PointLimits(seconds=60.0).allow(asking).seconds == 60.0
    assert PointLimits(seconds=600.0).allow(tasks[0]).seconds == 600.0


def test_workers_killed_at_random_lose_nothing(ray_cluster: None, tasks: list[Task]) -> None:
    def evaluate(task: Task) -> Outcome:
        sleep(0.02)
        processes = {"pids": (os.getpid(), os.getppid())}
        return Outcome(task.point_hash, "complete", metrics=processes, simulate_s=0.02)

    dice, outcomes = random.Random(4), []
    kills, next_kill = 0, 0.0
    with two_workers(evaluate) as runner:
        runner.submit(tasks * 2)
        while runner.in_flight:
            arrived = runner.results(timeout=0.1)
            outcomes += arrived
            if arrived and kills < 5 and monotonic() > next_kill:
                with suppress(ProcessLookupError):
                    os.kill(dice.choice(arrived[-1].metrics["pids"]), signal.SIGKILL)
                    kills += 1
                next_kill = monotonic() + dice.uniform(0.1, 0.5)
    assert kills >= 4
    assert sorted(outcome.point_hash for outcome in outcomes) == sorted(task.point_hash for task in tasks * 2)
    assert {outcome.state for outcome in outcomes} == {"complete"}


def test_workers_that_cannot_start_end_the_sweep_with_the_reason(
    with_processes: StartWithProcesses, quick: Evaluate, tasks: list[Task]
) -> None:
    def prepare() -> None:
        raise OSError("the disk is full")

    with with_processes(quick, prepare=prepare) as runner:
        runner.submit(tasks)
        with pytest.raises(RunnerError, match=r"no worker can start(?s:.*)the disk is full"):
            collect(runner, 1)
