"""SIGKILL at random moments while Ray's workers evaluate: does every point come back exactly once, as it should?

    python -m benchmarks.chaos.kill [--kills 100] [--nodes 5] [--seed 0]

A cluster of two nodes with a core each, in processes of this machine, evaluates short points by a formula for as
long as it takes to kill so many processes (actors, and the processes in which they evaluate), and the whole second
node (its scheduler and all that it started) so often, each time with another one in its place.
"""

import dataclasses
import os
import random
from collections import Counter
from collections.abc import Iterable
from time import monotonic, sleep
from typing import Any

import psutil

from benchmarks import processes
from benchmarks.figures import console, parser
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome, Task
from dse.runners.ray import RayRunner
from search_spaces import load_space

POINT_S = 0.05
#: Seconds between two kills, at least and at most.
PAUSE_S = 0.1, 1.0
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
#: Deaths of nodes are noticed sooner than after Ray's usual half a minute.
SYSTEM = {"health_check_period_ms": 500, "health_check_timeout_ms": 1000, "health_check_failure_threshold": 2}


def main() -> None:
    """Kill, and print what was seen."""
    command = parser(__doc__)
    command.add_argument("--kills", type=int, default=100, help="of worker processes")
    command.add_argument("--nodes", type=int, default=5, help="kills of nodes")
    command.add_argument("--seed", type=int, default=0)
    arguments = command.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"_system_config": SYSTEM})
    os.environ["RAY_ADDRESS"] = cluster.address
    with RayRunner(evaluate, prepare=bool) as runner:
        work = Work(runner)
        chaos = Chaos(cluster, random.Random(arguments.seed))
        began = monotonic()
        while chaos.kills["process"] < arguments.kills or chaos.kills["node"] < arguments.nodes:
            arrived = work.go_on()
            if arrived:
                chaos.maybe_kill(arrived, arguments.kills, arguments.nodes)
                print(f"\r{dict(chaos.kills)}", end="", flush=True)
        work.finish()
    cluster.shutdown()
    console().print(f"\r{dict(chaos.kills)} killed in {monotonic() - began:.0f} s")
    console().print(work.summary())


def evaluate(task: Task) -> Outcome:
    """Take a while; the outcome says where, and depends on the point alone in all that is compared."""
    sleep(POINT_S)
    places = {"pids": (os.getpid(), os.getppid()), "node": int(os.environ["RAY_RAYLET_PID"])}
    return Outcome(task.point_hash, "complete", metrics=places, simulate_s=POINT_S)


class Work:
    """A runner that is kept busy."""

    def __init__(self, runner: RayRunner) -> None:
        space = load_space("dot")
        self._task = task_for(space, next(iter(space.points())), "h200")
        self._runner = runner
        self._given = 0
        self._outcomes: list[Outcome] = []

    def go_on(self) -> list[Outcome]:
        """What has arrived in a moment."""
        fitting = max(0, self._runner.capacity - self._runner.in_flight)
        numbers = range(self._given, self._given + fitting)
        self._given += fitting
        self._runner.submit([dataclasses.replace(self._task, point_hash=str(number)) for number in numbers])
        return self._take()

    def finish(self) -> None:
        """Wait for what is in flight."""
        while self._runner.in_flight:
            self._take()

    def summary(self) -> str:
        """What became of the points."""
        times = Counter(outcome.point_hash for outcome in self._outcomes)
        failed = Counter(outcome.reason for outcome in self._outcomes if outcome.state == "failed")
        repeated = sum(count > 1 for count in times.values())
        return (
            f"{self._given} points given, {len(times)} came back, {repeated} of them more than once; "
            f"failed: {dict(failed) or 'none'}"
        )

    def _take(self) -> list[Outcome]:
        outcomes = self._runner.results(0.1)
        self._outcomes += outcomes
        return outcomes


class Chaos:
    """Kills processes and nodes at random moments."""

    def __init__(self, cluster: Any, dice: random.Random) -> None:
        self.kills = Counter[str]()
        self._cluster = cluster
        self._dice = dice
        self._node = cluster.add_node(**NODE)
        self._next = monotonic()

    def maybe_kill(self, outcomes: Iterable[Outcome], processes: int, nodes: int) -> None:
        """When it is time, kill one of the processes that have just worked, or the node, if it has."""
        if monotonic() < self._next:
            return
        places = self._dice.choice(list(outcomes)).metrics
        node = self._node.all_processes["raylet"][0].process.pid
        if places["node"] == node and self.kills["node"] * processes <= self.kills["process"] * nodes:
            self._kill_node(node)
        else:
            self._kill_process(self._dice.choice(places["pids"]))
        self._next = monotonic() + self._dice.uniform(*PAUSE_S)

    def _kill_node(self, raylet: int) -> None:
        for process in processes.family(raylet):
            processes.kill(process)
        self._cluster.remove_node(self._node, allow_graceful=False)
        self.kills["node"] += 1
        self._node = self._cluster.add_node(**NODE)

    def _kill_process(self, pid: int) -> None:
        self.kills["process"] += psutil.pid_exists(pid) and processes.kill(psutil.Process(pid))


if __name__ == "__main__":
    main()
