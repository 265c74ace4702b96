"""A sweep of a million points that cost nothing: what the service itself takes, and what it answers meanwhile.

    python -m benchmarks.service.million [--points 1000000] [--database URL]

The points are evaluated on Ray by a formula, recorded by a coordinator, and asked for all along, as watchers and
people with questions do. Printed are points a second, the largest memory of this process, and how long the
answers took: half of them, and the slowest.
"""

import tempfile
import threading
from pathlib import Path
from time import monotonic, sleep

from benchmarks.figures import Latencies, console, machine, parser, peak_mib
from dse.coordination.coordinator import Coordinator
from dse.evaluation.tasks import Outcome, Task
from dse.requests.request import Request
from dse.requests.spaces import SpaceFiles
from dse.runners.ray import RayRunner
from dse.service import LocalService
from dse.store import Store, TrialQuery

SOURCE = """
extern "C" __global__ void scale(float* data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= A + B;
}
"""
SPACE = """
kernel: scale
parameters:
  a: {a}
  b: {b}
gpu: [h200]
launch: {{grid: 1, block: 32}}
arguments:
  - {{name: data, type: float32, elements: 32}}
  - {{name: n, type: int32, value: 32}}
"""
PAUSE_S = 1.0


def evaluate(task: Task) -> Outcome:
    """A result at once."""
    a, b = int(str(task.defines["A"])), int(str(task.defines["B"]))
    metrics = {"time_us": float((a * 7919 + b * 104729) % 1000003), "cycles": 1000.0, "ipc": 1.0}
    metrics |= {"registers_per_thread": 32, "stall_wait": 1.0, "stall_long_scoreboard": 3.0}
    return Outcome(task.point_hash, "complete", metrics=metrics)


def main() -> None:
    """Run the sweep, ask all along, and print what was seen."""
    command = parser(__doc__)
    command.add_argument("--points", type=int, default=1_000_000, help="rounded down to a square")
    command.add_argument("--database", help="an empty one; default: a new SQLite file")
    arguments = command.parse_args()
    console().print(machine())
    side = int(arguments.points**0.5)
    values = list(range(side))
    files = SpaceFiles(yaml=SPACE.format(a=values, b=values), source=SOURCE)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(arguments.database or Path(folder) / "dse.db")
        service = LocalService(store)
        sweep = service.create(Request(space=files)).id
        coordinator = Coordinator(store, lambda: RayRunner(evaluate, prepare=bool))
        thread = threading.Thread(target=coordinator.serve)
        thread.start()
        began, answers = monotonic(), Answers(service, sweep)
        while answers.ask():
            sleep(PAUSE_S)
        seconds = monotonic() - began
        coordinator.end()
        thread.join()
        done = service.status(sweep).counts.done
    console().print(f"{done:,} points in {seconds:.0f} s: {done / seconds:,.0f}/s; peak {peak_mib():.0f} MiB")
    console().print(answers.latencies.table())


class Answers:
    """How long the service's answers take."""

    def __init__(self, service: LocalService, sweep: str) -> None:
        self._service = service
        self._sweep = sweep
        self.latencies = Latencies()

    def ask(self) -> bool:
        """Ask everything once; whether the sweep is still running."""
        sweep, service = self._sweep, self._service
        timed = self.latencies.timed
        status = timed("status", lambda: service.status(sweep))
        timed("first page", lambda: service.trial_page(sweep, TrialQuery(limit=100)))
        timed("best 20", lambda: service.trial_page(sweep, TrialQuery(order_by="metrics.time_us", limit=20)))
        timed("best", lambda: service.best(sweep))
        timed("failed", lambda: service.trial_page(sweep, TrialQuery("state = 'failed'", limit=20)))
        return status.is_active


if __name__ == "__main__":
    main()
