"""The Ray runner while the cluster changes under it: real Ray, several nodes on this machine."""

import dataclasses
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Runner, RunnerError
from dse.runners.ray import RayRunner
from search_spaces import Space

PATIENCE_S = 90.0
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
#: Deaths of nodes are noticed sooner than after Ray's usual half a minute.
SYSTEM = {"health_check_period_ms": 500, "health_check_timeout_ms": 5000, "health_check_failure_threshold": 2}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster whose head has no core; `RAY_ADDRESS` names it."""
    with running_cluster(num_cpus=0) as cluster:
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        yield cluster


@contextmanager
def running_cluster(**head: Any) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    settings = NODE | {"include_dashboard": False, "_system_config": SYSTEM} | head
    cluster = Cluster(initialize_head=True, head_node_args=settings)
    yield cluster
    cluster.shutdown()


class Work:
    """A runner that is kept busy with short points; every one of them must come back once."""

    def __init__(self, runner: Runner, task: Task) -> None:
        self._runner = runner
        self._task = task
        self._numbers = count()
        self._given: list[str] = []
        self.outcomes: list[Outcome] = []

    def go_on(self, seconds: float = 0.2) -> set[str]:
        """Work for a moment; the nodes that did."""
        deadline, nodes = monotonic() + seconds, set()
        while monotonic() < deadline:
            self._submit(self._runner.capacity - self._runner.in_flight)
            outcomes = self._runner.results(0.1)
            self.outcomes += outcomes
            nodes |= {outcome.metrics["node"] for outcome in outcomes}
        return nodes

    def until(self, nodes: int, within: float = 0.2) -> None:
        """Work until so many nodes do at the same time, in one moment of `within` seconds."""
        deadline = monotonic() + PATIENCE_S
        while len(self.go_on(within)) != nodes:
            assert monotonic() < deadline, f"{nodes} nodes never worked together"

    def finish(self) -> None:
        """See that nothing was lost and nothing came twice."""
        deadline = monotonic() + PATIENCE_S
        while self._runner.in_flight and monotonic() < deadline:
            self.outcomes += self._runner.results(1.0)
        assert sorted(outcome.point_hash for outcome in self.outcomes) == sorted(self._given)
        assert {outcome.state for outcome in self.outcomes} == {"complete"}

    def _submit(self, fitting: int) -> None:
        numbers = [f"{next(self._numbers)}" for _ in range(fitting)]
        self._given += numbers
        self._runner.submit([dataclasses.replace(self._task, point_hash=number) for number in numbers])


@pytest.fixture
def task(space: Space) -> Task:
    return task_for(space, next(iter(space.points())), "a100-80gb")


def start(**settings: Any) -> RayRunner:
    # Nested, so that it travels by value.
    def evaluate(task: Task) -> Outcome:
        sleep(0.02)
        node = os.environ["RAY_RAYLET_PID"]
        return Outcome(task.point_hash, "complete", metrics={"node": node}, simulate_s=0.02)

    return RayRunner(evaluate, prepare=lambda: None, **settings)


def test_nodes_join_and_die_in_the_middle_of_the_work(cluster: Any, task: Task) -> None:
    with start() as runner:
        work = Work(runner, task)
        assert work.go_on(0.5) == set()
        first = cluster.add_node(**NODE)
        work.until(nodes=1)
        second = cluster.add_node(**NODE)
        work.until(nodes=2)
        assert runner.workers == 2
        cluster.remove_node(first, allow_graceful=False)
        work.until(nodes=1)
        cluster.remove_node(second, allow_graceful=False)
        # What the dead node finished may still be on its way: two seconds without a result say that nobody works.
        work.until(nodes=0, within=2.0)
        cluster.add_node(**NODE)
        work.until(nodes=1)
        work.finish()


def test_a_local_ray_that_dies_is_started_again(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with start(workers=1) as runner:
        work = Work(runner, task)
        work.until(nodes=1)
        os.kill(_own_raylet(), signal.SIGKILL)
        before = len(work.outcomes)
        while len(work.outcomes) < before + 20:
            work.go_on()
        work.finish()
    first, second = work.outcomes[0], work.outcomes[-1]
    assert first.metrics["node"] != second.metrics["node"]


def test_a_cluster_far_away_is_used_through_rays_client(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc", reason="ray:// needs ray[client]")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with running_cluster(ray_client_server_port=port):
        await_server(port)
        monkeypatch.setenv("RAY_ADDRESS", f"ray://127.0.0.1:{port}")
        with start() as runner:
            work = Work(runner, task)
            work.until(nodes=1)
            assert is_connected_through_rays_client()
            work.finish()


def is_connected_through_rays_client() -> bool:
    from ray.util.client import ray

    return bool(ray.is_connected())


def test_a_cluster_that_cannot_be_reached_is_named(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    runner = start()
    with pytest.raises(RunnerError, match=r"cannot reach the Ray cluster at 127.0.0.1:1"):
        Work(runner, task).go_on(PATIENCE_S)
    runner.shutdown()


def await_server(port: int) -> None:
    deadline = monotonic() + PATIENCE_S
    while monotonic() < deadline:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            sleep(0.2)


def _own_raylet() -> int:
    """The local Ray's scheduler, which is a child of this process."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [int(pid) for path in children for pid in path.read_text().split()]
    return next(pid for pid in pids if "raylet" in Path(f"/proc/{pid}/comm").read_text())
