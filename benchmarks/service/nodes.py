"""What a Ray node more brings: points a second of a sweep on one node of one core, and on two such nodes.

    python -m benchmarks.service.nodes [--points 400] [--seconds 0.05] [--catalog] [--repeats 3]

The head has no cores; each node is a raylet of its own on this machine. The coordinator and Ray's servers have no
core of their own, so on a machine of two cores what they take counts against the second node. So does what cores that
share caches or pipes take from each other: a point's CPU time says how much.
"""

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple

from benchmarks.caches import empty_caches
from benchmarks.clocked import Clocked
from benchmarks.figures import console, figures, machine, parser
from benchmarks.service.overhead import GPUS, SPACE, add_points, clocked
from dse import Client
from dse.runners.ray import RayRunner

MEMORY = {"object_store_memory": 80 * 2**20}


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    add_points(command)
    arguments = command.parse_args()
    measure = clocked(arguments)
    headings = ("points/s", "of linear", "CPU ms a point", "of linear, at the CPU time of one node")
    table = figures(f"{arguments.points} points, {machine()}", "nodes", *headings)
    for _ in range(arguments.repeats):
        rates = [on_cluster(nodes, measure, arguments.points) for nodes in (1, 2)]
        for nodes, each in enumerate(rates, 1):
            linear = each.points_per_s / nodes / rates[0].points_per_s
            slower = each.cpu_s / rates[0].cpu_s
            table.add_row(
                str(nodes),
                f"{each.points_per_s:.2f}",
                f"{linear:.3f}",
                f"{each.cpu_s * 1e3:.1f}",
                f"{linear * slower:.3f}",
            )
        table.add_section()
    console().print(table)


class Rate(NamedTuple):
    """How fast points are evaluated, and the CPU seconds of one."""

    points_per_s: float
    cpu_s: float


def on_cluster(nodes: int, measure: Clocked, points: int) -> Rate:
    """The rate on nodes of one core; a process of its own is the driver, so that no driver is left when they end."""
    with empty_caches(), cluster(nodes), ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(rate, measure, points).result()


def rate(measure: Clocked, points: int) -> Rate:
    """The rate from the beginning of the first evaluation to the end of the last."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        client = Client(folder, partial(RayRunner, measure, prepare=measure.prepare), tracking=False)
        run = client.submit(SPACE, gpu=GPUS, trials=points, sampler="random").wait()
        metrics = [trial.metrics for trial in run.trials()]
    began, ended = min(each["began"] for each in metrics), max(each["ended"] for each in metrics)
    cpu_s = sum(each["cpu_s"] for each in metrics) / len(metrics)
    return Rate(len(metrics) / float(ended - began), cpu_s)


@contextmanager
def cluster(nodes: int) -> Iterator[None]:
    """A head without cores, and nodes of one core, at `RAY_ADDRESS`."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args=MEMORY | {"num_cpus": 0})
    for _ in range(nodes):
        started.add_node(**MEMORY, num_cpus=1)
    os.environ["RAY_ADDRESS"] = started.address
    try:
        yield
    finally:
        started.shutdown()


if __name__ == "__main__":
    main()
