"""What the service adds to its evaluations: a local sweep's wall time over the CPU seconds it spreads on the cores.

    python -m benchmarks.service.overhead [--points 400] [--seconds 0.05] [--catalog] [--repeats 3] [--ways ...]

A sweep of points that last `--seconds` of CPU time each (with `--catalog`: the catalog's `dot`, compiled and
simulated) is evaluated on two cores: by two bare processes that know nothing of the service, by a sweep without
MLflow, and by one with it. Two ratios, 1.00 being two cores that do nothing but evaluate:

- wall: seconds from the beginning of the first evaluation to the end of the last, over the evaluations' CPU
  seconds a core; with MLflow also to the last run written. Other programs' load lengthens it, so compare it with
  that of the bare processes in the same round.
- CPU: the CPU seconds of this process and of all that it started (Ray's servers, workers), over those of the
  evaluations, between two moments of full work. Other programs' load hardly changes it.

Left out: the start of Ray, of the workers and of the jitted core.
"""

import argparse
import dataclasses
import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from time import process_time, thread_time, time

from benchmarks import processes
from benchmarks.caches import empty_caches
from benchmarks.clocked import Clocked
from benchmarks.figures import console, figures, machine, parser
from dse import Client
from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome, Task
from dse.runners.ray import RayRunner
from search_spaces import load_space

CORES = 2
SPACE = "dot"
GPUS = ["a100-40gb", "a100-80gb", "rtx3090", "rtx-a6000", "h100-sxm", "h100-pcie", "h200", "b200", "rtx5090"]


@dataclasses.dataclass(frozen=True)
class Measured:
    """One way of evaluating all points.

    Attributes:
        points: how many.
        cpu_s: CPU seconds of their evaluations.
        evaluated_s: wall time until the last point was evaluated.
        written_s: until the sweep had ended, and MLflow had everything too.
        cpu_ratio: CPU seconds of all processes over those of the evaluations.
    """

    points: int
    cpu_s: float
    evaluated_s: float
    written_s: float
    cpu_ratio: float

    def ratio(self, seconds: float) -> float:
        """Wall time over what the cores would need at least."""
        return seconds / (self.cpu_s / CORES)


def main() -> None:
    """Measure and print."""
    arguments = parse()
    measure = clocked(arguments)
    title = f"{arguments.points} points on {CORES} of {machine()}"
    headings = ("CPU ms a point", "wall, s", "x ideal", "to the end, s", "x ideal", "CPU, x ideal")
    table = figures(title, "", *headings)
    for _ in range(arguments.repeats):
        for name in arguments.ways:
            with empty_caches():  # what one way compiled and simulated, the next must again
                row = WAYS[name](measure, arguments.points)
            table.add_row(
                name,
                f"{row.cpu_s / row.points * 1e3:.1f}",
                f"{row.evaluated_s:.2f}",
                f"{row.ratio(row.evaluated_s):.3f}",
                f"{row.written_s:.2f}",
                f"{row.ratio(row.written_s):.3f}",
                f"{row.cpu_ratio:.3f}",
            )
        table.add_section()
    console().print(table)


def parse() -> argparse.Namespace:
    """The command line."""
    command = parser(__doc__)
    add_points(command)
    command.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    return command.parse_args()


def add_points(command: argparse.ArgumentParser) -> None:
    """What is evaluated, and how often."""
    command.add_argument("--points", type=int, default=400)
    command.add_argument("--seconds", type=float, default=0.05, help="CPU seconds of a point")
    command.add_argument("--catalog", action="store_true", help="compile and simulate real points instead")
    command.add_argument("--repeats", type=int, default=3)


def clocked(arguments: argparse.Namespace) -> Clocked:
    """The evaluation that the command line asks for."""
    if arguments.catalog:
        return Clocked(evaluate, prepare)
    return Clocked(partial(spin, arguments.seconds), bool)


def spin(seconds: float, task: Task) -> Outcome:
    """Use so much CPU time, and answer like the simulator."""
    end = process_time() + seconds
    while process_time() < end:
        pass
    return Outcome(task.point_hash, "complete", metrics={"time_us": 1.0 + len(task.point_hash) % 7})


def bare(measure: Clocked, points: int) -> Measured:
    """Two processes that take one point after the other."""
    with (
        ProcessPoolExecutor(CORES, get_context("spawn"), initializer=measure.prepare) as pool,
        Meter() as meter,
    ):
        outcomes = list(pool.map(measure, islice(tasks(), points), chunksize=4))
        meter.stop()
    return summary([outcome.metrics for outcome in outcomes], time(), meter)


def tasks() -> Iterator[Task]:
    """Points like those of the sweep."""
    space = load_space(SPACE)
    return (task_for(space, point, gpu) for gpu in GPUS for point in space.points())


def sweep(measure: Clocked, points: int, tracking: bool) -> Measured:
    """The service in this process, with a home of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Meter() as meter:
        client = Client(
            folder, partial(RayRunner, measure, CORES, prepare=measure.prepare), tracking=tracking
        )
        run = client.submit(SPACE, gpu=GPUS, trials=points, sampler="random").wait()
        ended = time()
        meter.stop()
        return summary([trial.metrics for trial in run.trials()], ended, meter)


WAYS: dict[str, Callable[[Clocked, int], Measured]] = {
    "bare": bare,
    "sweep": partial(sweep, tracking=False),
    "mlflow": partial(sweep, tracking=True),
}


class Meter:
    """Reads the CPU seconds of this process and its descendants every `INTERVAL_S`, but for its own."""

    INTERVAL_S = 0.25

    def __init__(self) -> None:
        self.samples: list[tuple[float, dict[int, float]]] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Meter":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Read no more."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stopped.wait(self.INTERVAL_S):
            seconds = processes.cpu_seconds()
            seconds[os.getpid()] -= thread_time()
            self.samples.append((time(), seconds))


def summary(metrics: Sequence[Mapping[str, float]], ended: float, meter: Meter) -> Measured:
    """What the evaluations and the meter said, put together."""
    began = min(point["began"] for point in metrics)
    return Measured(
        points=len(metrics),
        cpu_s=sum(point["cpu_s"] for point in metrics),
        evaluated_s=max(point["ended"] for point in metrics) - began,
        written_s=ended - began,
        cpu_ratio=cpu_ratio(metrics, meter),
    )


def cpu_ratio(metrics: Sequence[Mapping[str, float]], meter: Meter) -> float:
    """All CPU seconds over the evaluations', from when a tenth of the points was done to nine tenths."""
    ends = sorted(point["ended"] for point in metrics)
    begin, end = ends[len(ends) // 10], ends[len(ends) * 9 // 10]
    inside = [sample for sample in meter.samples if begin <= sample[0] <= end]
    if len(inside) < 2:
        return math.nan
    (first_time, first), (last_time, last) = inside[0], inside[-1]
    spent = sum(seconds - first.get(pid, 0.0) for pid, seconds in last.items())
    useful = sum(point["cpu_s"] for point in metrics if first_time < point["ended"] <= last_time)
    return spent / useful


if __name__ == "__main__":
    main()
