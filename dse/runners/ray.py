"""Evaluation on Ray: one long-lived actor a core, fed with batches.

Ray starts while the sweep prepares its first points. Batches are sized to last about `BATCH_SECONDS`, so that
the cost of a call does not show. A batch whose worker dies is evaluated again, one point at a time; a point
that takes its worker with it twice is failed with the reason `WorkerLost`.
"""

import logging
import math
import os
import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dse.evaluate import evaluate
from dse.runners.base import Evaluate, Runner, evaluate_safely
from dse.tasks import Outcome, Task

#: A call to an actor costs about 1 ms; a batch of this length keeps that below 2 %.
BATCH_SECONDS = 0.05
#: From this length on, a second batch waiting at the worker hides nothing, and makes the last ones uneven.
LONG_BATCH_SECONDS = 0.5
MOST_POINTS_IN_A_BATCH = 64
DEATHS_TO_FAIL = 2
#: Tasks and outcomes are small and travel inline; this is little more than the least that Ray accepts.
OBJECT_STORE_BYTES = 80 * 2**20


class BatchEvaluator:
    """The actor: evaluates batches in a process of its own, on one core."""

    def __init__(self, evaluate: Evaluate) -> None:
        os.environ["NUMBA_NUM_THREADS"] = "1"
        self._evaluate = evaluate

    def evaluate(self, batch: list[Task]) -> list[Outcome]:
        """One outcome a task, in order."""
        return [evaluate_safely(self._evaluate, task) for task in batch]


@dataclass(frozen=True)
class _Batch:
    reference: Any
    tasks: list[Task]


@dataclass
class _Worker:
    actor: Any
    batches: deque[_Batch] = field(default_factory=deque)


class RayRunner(Runner):
    """Evaluates on a local Ray, or on the cluster that `RAY_ADDRESS` names.

    Args:
        evaluate: what turns a task into an outcome; it is pickled into the workers.
        workers: actors to start; None means one a core.
    """

    def __init__(self, evaluate: Evaluate = evaluate, workers: int | None = None) -> None:
        super().__init__(evaluate)
        self._asked = workers
        self._workers: list[_Worker] = []
        self._queue: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._deaths: Counter[str] = Counter()
        self._in_flight = 0
        self._seconds_per_point = BATCH_SECONDS
        self._ray = _RayInstance(workers or _cores())

    @property
    def workers(self) -> int:
        return min(self._asked or self._ray.cpus, self._ray.cpus)

    @property
    def capacity(self) -> int:
        return self.workers * self._batches_per_worker * self._points_per_batch

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def submit(self, batch: Sequence[Task]) -> None:
        self._queue.extend(batch)
        self._in_flight += len(batch)
        if self._ray.is_ready(timeout=0):
            self._dispatch()

    def results(self, timeout: float) -> list[Outcome]:
        if self._in_flight == 0 or not self._ray.is_ready(timeout):
            return []
        self._dispatch()
        outcomes = self._collect(timeout)
        self._dispatch()
        self._in_flight -= len(outcomes)
        for outcome in outcomes:
            seconds = outcome.compile_s + outcome.simulate_s
            self._seconds_per_point += 0.1 * (seconds - self._seconds_per_point)
        return outcomes

    def shutdown(self) -> None:
        for worker in self._workers:
            self._ray.kill(worker.actor)
        self._workers.clear()
        self._ray.stop()
        self._queue.clear()
        self._suspects.clear()
        self._in_flight = 0

    @property
    def _points_per_batch(self) -> int:
        fitting = math.ceil(BATCH_SECONDS / max(self._seconds_per_point, 1e-6))
        return min(fitting, MOST_POINTS_IN_A_BATCH)

    @property
    def _batches_per_worker(self) -> int:
        return 1 if self._seconds_per_point >= LONG_BATCH_SECONDS else 2

    def _dispatch(self) -> None:
        """Hand out what waits: a first batch to every idle worker, then a second one."""
        while len(self._workers) < self.workers:
            self._workers.append(_Worker(self._start_actor()))
        for depth in range(self._batches_per_worker):
            for worker in self._workers:
                if len(worker.batches) == depth and (tasks := self._next_batch()):
                    worker.batches.append(_Batch(worker.actor.evaluate.remote(tasks), tasks))

    def _next_batch(self) -> list[Task]:
        if self._suspects:
            return [self._suspects.popleft()]
        even_share = math.ceil(len(self._queue) / self.workers)
        return [self._queue.popleft() for _ in range(min(self._points_per_batch, even_share))]

    def _collect(self, timeout: float) -> list[Outcome]:
        import ray

        references = [batch.reference for worker in self._workers for batch in worker.batches]
        ready, _ = ray.wait(references, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0)
        arrived = set(ready)
        outcomes: list[Outcome] = []
        for worker in self._workers:
            while worker.batches and worker.batches[0].reference in arrived:
                batch = worker.batches.popleft()
                try:
                    outcomes += ray.get(batch.reference)
                except ray.exceptions.RayTaskError as error:
                    outcomes += [
                        Outcome.failure(task.point_hash, "WorkerError", str(error)) for task in batch.tasks
                    ]
                except ray.exceptions.RayError as error:
                    if getattr(error, "actor_init_failed", False):
                        raise  # no worker can start, whatever the point
                    outcomes += self._replace(worker, batch)
        return outcomes

    def _replace(self, worker: _Worker, running: _Batch) -> list[Outcome]:
        """Put a new actor in a dead one's place; only the batch that was running is under suspicion."""
        for batch in reversed(worker.batches):
            self._queue.extendleft(reversed(batch.tasks))
        worker.batches.clear()
        self._ray.kill(worker.actor)
        worker.actor = self._start_actor()
        lost = []
        for task in running.tasks:
            self._deaths[task.point_hash] += 1
            if self._deaths[task.point_hash] >= DEATHS_TO_FAIL:
                message = f"its worker process died {DEATHS_TO_FAIL} times; it may have run out of memory"
                lost.append(Outcome.failure(task.point_hash, "WorkerLost", message))
            else:
                self._suspects.append(task)
        return lost

    def _start_actor(self) -> Any:
        import ray

        return ray.remote(num_cpus=1)(BatchEvaluator).remote(self._evaluate)


class _RayInstance:
    """Ray's life, in a thread of its own.

    The processes that `ray.init` starts end with the thread that started them, so that thread waits until Ray
    is no longer needed and then shuts it down. A Ray that the program had already started is used and left
    alone.
    """

    def __init__(self, cpus: int) -> None:
        self.cpus = cpus
        self._ready = threading.Event()
        self._closing = threading.Event()
        self._error: Exception | None = None
        self._ours = False
        self._thread = threading.Thread(target=self._live, name="ray", daemon=True)
        self._thread.start()

    def is_ready(self, timeout: float) -> bool:
        """Whether Ray is up, after up to `timeout` seconds; raises what kept it from starting."""
        ready = self._ready.wait(timeout)
        if self._error:
            raise self._error
        return ready

    @staticmethod
    def kill(actor: Any) -> None:
        """End an actor, dead or alive."""
        import ray

        ray.kill(actor)

    def stop(self) -> None:
        """Shut Ray down if we started it."""
        self._closing.set()
        self._thread.join()

    def _live(self) -> None:
        try:
            self._start()
        except Exception as error:
            self._error = error
        self._ready.set()
        self._closing.wait()
        if self._ours:
            import ray

            ray.shutdown()

    def _start(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_DISABLE_IMPORT_WARNING", "1")
        import ray

        if not ray.is_initialized():
            self._initialise()
        self.cpus = int(ray.cluster_resources()["CPU"])

    def _initialise(self) -> None:
        import ray

        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        logging.getLogger("ray").setLevel(logging.ERROR)
        if "RAY_ADDRESS" not in os.environ:
            settings |= {
                "address": "local",
                "num_cpus": self.cpus,
                "include_dashboard": False,
                "object_store_memory": OBJECT_STORE_BYTES,
            }
        ray.init(**settings)
        self._ours = True


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))
