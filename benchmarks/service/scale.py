"""Where a sweep saturates with more cores than a machine has: simulated workers, a real coordinator, a real store.

    python -m benchmarks.service.scale [--workers 2,150,1000] [--seconds 0.08] [--lasting 20] [--database URL]

The workers are clocks: each takes `--seconds` for a point, give or take a third, and answers with as many metrics as
the simulator does, so all processor time is the service's. A row is a sweep that lasts `--lasting` seconds if nothing
but the workers takes time: the points a second that they can evaluate, and those that were recorded after the first
tenth; the share of their time in which they worked; and the coordinator's processor time for a point, of which the last
column is in the store's calls. Without a URL each sweep has a new SQLite file; a database must be empty.
"""

import heapq
import random
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep, thread_time
from typing import TypeVar

from benchmarks.figures import console, figures, machine, parser
from benchmarks.service.million import SOURCE, SPACE
from benchmarks.service.store import trial
from dse.coordination.coordinator import Coordinator
from dse.evaluation.tasks import Outcome, Task
from dse.requests.request import Request
from dse.requests.spaces import SpaceFiles
from dse.runners.base import Runner
from dse.service import LocalService
from dse.store import Store

#: Points at a worker and on their way to it.
POINTS_PER_WORKER = 2
#: The share of a sweep's points that its start takes.
START = 0.1

Answer = TypeVar("Answer")


class SimulatedRunner(Runner):
    """Workers that are clocks.

    Args:
        workers: their number.
        seconds: how long a point takes, give or take a third.

    Attributes:
        returned: when each outcome was returned, on the monotonic clock.
        busy_s: how long the workers worked, all together.
    """

    def __init__(self, workers: int, seconds: float) -> None:
        super().__init__(self._answer)
        self.returned: list[float] = []
        self.busy_s = 0.0
        self._seconds = seconds
        self._workers = self._free = workers
        self._queue: deque[Task] = deque()
        self._running: list[tuple[float, int, Task]] = []
        self._random = random.Random(workers)
        self._begun = 0
        self._metrics = trial("scale", 1).result.metrics

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def capacity(self) -> int:
        return POINTS_PER_WORKER * self._workers

    @property
    def in_flight(self) -> int:
        return len(self._queue) + len(self._running)

    def submit(self, batch: Sequence[Task]) -> None:
        self._queue.extend(batch)
        self._begin(monotonic())

    def recall(self) -> list[Task]:
        recalled = list(self._queue)
        self._queue.clear()
        return recalled

    def drop(self, point_hashes: Collection[str]) -> None:
        """No sweep ends before its points."""

    def results(self, timeout: float) -> list[Outcome]:
        first = self._running[0][0] if self._running else monotonic() + timeout
        sleep(max(0.0, min(first - monotonic(), timeout)))
        outcomes = []
        while self._running and self._running[0][0] <= monotonic():
            ended, _, task = heapq.heappop(self._running)
            self._free += 1
            self._begin(ended)  # with the point that waits behind this one
            outcomes.append(self._answer(task))
        self.returned += [monotonic()] * len(outcomes)
        return outcomes

    def shutdown(self) -> None:
        self._queue.clear()
        self._running.clear()

    def _begin(self, now: float) -> None:
        """Give points to the free workers."""
        while self._queue and self._free:
            seconds = self._seconds * self._random.uniform(2 / 3, 4 / 3)
            self._free -= 1
            self._begun += 1
            self.busy_s += seconds
            heapq.heappush(self._running, (now + seconds, self._begun, self._queue.popleft()))

    def _answer(self, task: Task) -> Outcome:
        return Outcome(task.point_hash, "complete", metrics=self._metrics, compile_s=0.03, simulate_s=0.02)


class TimedStore:
    """Counts the processor time of the coordinator's calls to a store."""

    def __init__(self, store: Store) -> None:
        self.cpu_s = 0.0
        store.known = self._timed(store.known)  # type: ignore[method-assign]
        store.record = self._timed(store.record)  # type: ignore[method-assign]

    def _timed(self, call: Callable[..., Answer]) -> Callable[..., Answer]:
        def timed(*arguments: object) -> Answer:
            began = thread_time()
            try:
                return call(*arguments)
            finally:
                self.cpu_s += thread_time() - began

        return timed


@dataclass(frozen=True)
class Sweep:
    """What one sweep took.

    Attributes:
        offered: points a second that the workers can evaluate.
        recorded: points a second that were.
        busy: share of the workers' time in which they worked.
        cpu_ms: processor time of the coordinator for a point.
        store_ms: of this, the store's.
    """

    offered: float
    recorded: float
    busy: float
    cpu_ms: float
    store_ms: float


def sweep(workers: int, seconds: float, lasting: float, store: Store) -> Sweep:
    """Run a sweep of as many points as the workers evaluate in so many seconds."""
    side = max(2, round((workers * lasting / seconds) ** 0.5))
    values = list(range(side))
    service = LocalService(store)
    made = service.create(Request(space=SpaceFiles(yaml=SPACE.format(a=values, b=values), source=SOURCE)))
    runner, timed = SimulatedRunner(workers, seconds), TimedStore(store)
    coordinator = Coordinator(store, lambda: runner)
    spent: list[float] = []

    def serve() -> None:
        coordinator.serve()
        spent.append(thread_time())

    thread = threading.Thread(target=serve)
    thread.start()
    while service.status(made.id).is_active:
        sleep(0.2)
    coordinator.end()
    thread.join()
    points = len(runner.returned)
    start = int(START * points)
    began, ended = runner.returned[0], runner.returned[-1]
    return Sweep(
        offered=workers / seconds,
        recorded=(points - start) / (ended - runner.returned[start]),
        busy=runner.busy_s / workers / (ended - began + seconds),
        cpu_ms=1000 * spent[0] / points,
        store_ms=1000 * timed.cpu_s / points,
    )


def main() -> None:
    """Run a sweep for each number of workers, and print a row of each."""
    command = parser(__doc__)
    command.add_argument("--workers", default="2,150,1000")
    command.add_argument("--seconds", type=float, default=0.08, help="of a point")
    command.add_argument(
        "--lasting", type=float, default=20, help="seconds that the workers need for a sweep"
    )
    command.add_argument("--database", help="an empty one; default: a new SQLite file for each sweep")
    asked = command.parse_args()
    table = figures(
        machine(), "workers", "can do, points/s", "recorded, points/s", "busy, %", "CPU, ms", "store's, ms"
    )
    for workers in map(int, asked.workers.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            store = Store.open(asked.database or Path(folder) / "dse.db")
            row = sweep(workers, asked.seconds, asked.lasting, store)
            store.close()
        table.add_row(
            f"{workers:,}",
            f"{row.offered:,.0f}",
            f"{row.recorded:,.0f}",
            f"{100 * row.busy:.1f}",
            f"{row.cpu_ms:.3f}",
            f"{row.store_ms:.3f}",
        )
    console().print(table)


if __name__ == "__main__":
    main()
