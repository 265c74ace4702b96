"""The Ray runner: dispatches tasks in batches to all cores of the cluster, and retries lost ones.

Batches are sized to last about `BATCH_SECONDS`, which makes the cost of a call negligible. The cluster may
change at any time: new cores get actors, the tasks of a lost actor are evaluated elsewhere, and if all actors are lost
the runner waits for new ones. A local Ray that dies is restarted.
"""

import math
import os
import pickle
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate, Runner, RunnerError
from dse.runners.child import Prepare
from dse.runners.cluster.instance import RayInstance
from dse.runners.cluster.workers import Batch, Worker
from dse.runners.fork_server import program
from dse.runners.limits import Loss, PointLimits
from dse.runners.pace import Pace
from dse.runners.process import Report
from dse.runners.quarantine import Quarantine

#: A call to an actor costs about 1 ms; a batch of this length keeps that below 2 %.
BATCH_SECONDS = 0.05
#: From this length on, queueing a second batch at the worker hides no latency, and unbalances the end of a sweep.
LONG_BATCH_SECONDS = 0.5
MAX_POINTS_PER_BATCH = 64
#: Seconds between attempts to start an actor after a failed one.
RETRY_S = 10.0


class RayRunner(Runner):
    """Evaluates on a local Ray, or on the cluster at `RAY_ADDRESS`.

    Args:
        evaluate: turns a task into an outcome; it is pickled and sent to the workers.
        workers: maximum number of actors; None means one per core.
        limits: limits for a point.
        prepare: prepares a worker's process once, before it gets work.
    """

    def __init__(
        self,
        evaluate: Evaluate = evaluate,
        workers: int | None = None,
        limits: PointLimits | None = None,
        prepare: Prepare = prepare,
    ) -> None:
        super().__init__(evaluate)
        self._most = workers
        self._limits = limits or PointLimits()
        self._program = program(evaluate, prepare)
        self._workers: list[Worker] = []
        self._queue: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._quarantine = Quarantine()
        self._in_flight = 0
        self._pace = Pace(BATCH_SECONDS)
        self._no_start_before = 0.0
        self._has_spare = False
        self._ray = RayInstance(workers or _cores())

    @property
    def workers(self) -> int:
        return max(1, self._wanted)

    @property
    def capacity(self) -> int:
        return self.workers * self._batches_per_worker * self._points_per_batch + self._has_spare

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def submit(self, batch: Sequence[Task]) -> None:
        self._queue.extend(batch)
        self._in_flight += len(batch)
        if self._ray.is_up:
            with suppress(ConnectionError):  # `results` will report it
                self._dispatch()

    def set_spare(self, wanted: bool) -> None:
        self._has_spare = wanted

    def recall(self) -> list[Task]:
        recalled = list(self._queue)
        self._queue.clear()
        for worker in self._workers:
            recalled += worker.take_back_those_behind()
        self._in_flight -= len(recalled)
        return recalled

    def drop(self, point_hashes: Collection[str]) -> None:
        """Tasks in a batch with others are evaluated all the same; points that take long have batches of their own."""
        before = len(self._queue) + len(self._suspects)
        self._queue = deque(task for task in self._queue if task.point_hash not in point_hashes)
        self._suspects = deque(task for task in self._suspects if task.point_hash not in point_hashes)
        self._in_flight -= before - len(self._queue) - len(self._suspects)
        for worker in list(self._workers):
            self._in_flight -= worker.drop(point_hashes)
            if worker.is_in_vain:
                self._dismiss(worker)

    def results(self, timeout: float) -> list[Outcome]:
        if self._in_flight == 0 or not self._has_ray(timeout):
            return []
        try:
            self._keep_staffed()
            self._dispatch()
            outcomes = self._collect(timeout)
            self._dispatch()
        except ConnectionError as error:
            raise RunnerError(f"the connection to the Ray cluster broke: {error}") from error
        self._in_flight -= len(outcomes)
        for outcome in outcomes:
            self._pace.note(outcome)
            self._quarantine.forget(outcome.point_hash)
            self._ray.is_well()
        return outcomes

    def shutdown(self) -> None:
        if not self._ray.is_ours:
            for worker in self._workers:
                worker.kill()
        self._workers.clear()
        self._ray.stop()
        self._queue.clear()
        self._suspects.clear()
        self._in_flight = 0

    @property
    def _wanted(self) -> int:
        return min(self._most or self._ray.cpus, self._ray.cpus)

    @property
    def _points_per_batch(self) -> int:
        fitting = self._pace.points_in(BATCH_SECONDS)
        return min(fitting, MAX_POINTS_PER_BATCH)

    @property
    def _batches_per_worker(self) -> int:
        return 1 if self._pace.seconds >= LONG_BATCH_SECONDS else 2

    def _has_ray(self, timeout: float) -> bool:
        """Whether Ray is up; a lost one is restarted, and its tasks are queued again."""
        if self._ray.is_lost:
            for worker in self._workers:
                self._take_back(worker)
            self._workers.clear()
            self._ray.restart()
        return self._ray.is_ready(timeout)

    def _keep_staffed(self) -> None:
        """Keep one actor per core, and a spare one if wanted: start missing ones, drop those that found no core."""
        wanted = self._wanted + self._has_spare
        starting = [worker for worker in self._workers if not worker.is_ready]
        idle = [
            worker for worker in self._workers if worker.is_spare and worker.is_ready and not worker.batches
        ]
        for worker in [*starting, *idle][: max(0, len(self._workers) - wanted)]:
            self._dismiss(worker)
        if monotonic() >= self._no_start_before:
            while len(self._workers) < wanted:
                regular = sum(not worker.is_spare for worker in self._workers)
                self._workers.append(Worker(self._program, self._limits, is_spare=regular >= self._wanted))

    def _dispatch(self) -> None:
        """Dispatch queued tasks: a first batch to every idle worker, then a second one."""
        ready = [
            worker for worker in self._workers if worker.is_ready and (self._has_spare or not worker.is_spare)
        ]
        for depth in range(1 if self._has_spare else self._batches_per_worker):
            for worker in ready:
                if len(worker.batches) == depth and (tasks := self._next_batch(len(ready))):
                    worker.give(tasks)

    def _next_batch(self, sharers: int) -> list[Task]:
        if self._suspects:
            return [self._suspects.popleft()]
        even_share = math.ceil(len(self._queue) / sharers)
        return [self._queue.popleft() for _ in range(min(self._points_per_batch, even_share))]

    def _collect(self, timeout: float) -> list[Outcome]:
        import ray

        references = [reference for worker in self._workers for reference in worker.references]
        if not references:
            sleep(min(timeout, 0.1))
            return []
        ready, _ = ray.wait(references, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0)
        arrived = set(ready)
        return [outcome for worker in list(self._workers) for outcome in self._hear(worker, arrived)]

    def _hear(self, worker: Worker, arrived: set[Any]) -> list[Outcome]:
        """Handle a resolved reference of a worker; returns its outcomes."""
        import ray

        outcomes: list[Outcome] = []
        try:
            while worker.batches and worker.batches[0].reference in arrived:
                report = ray.get(worker.batches[0].reference)
                outcomes += self._settle(worker, worker.batches.popleft(), report)
        except ray.exceptions.RayError as error:
            return outcomes + self._replace(worker, error)
        if worker.starting in arrived:
            self._welcome(worker)
        return outcomes

    def _welcome(self, worker: Worker) -> None:
        """Handle the end of a worker's start."""
        import ray

        try:
            ray.get(worker.starting)
            worker.starting = None
        except ray.exceptions.RayTaskError as error:
            self._give_up(worker, error.cause)
        except ray.exceptions.RayError as error:
            if getattr(error, "actor_init_failed", False):
                self._give_up(worker, error)
            else:
                self._dismiss(worker)

    def _settle(self, worker: Worker, batch: Batch, report: Report) -> list[Outcome]:
        """The outcomes in a report; unfinished tasks are queued again, since the worker needs a new process."""
        done, undone = batch.tasks[: len(report.outcomes)], batch.tasks[len(report.outcomes) :]
        outcomes = [
            pickle.loads(content)
            for task, content in zip(done, report.outcomes, strict=True)
            if task.point_hash not in batch.dropped
        ]
        if undone and worker.is_ready:
            worker.start()
        if report.loss:
            lost = undone.pop(0)
            outcomes += self._retry(lost, report.loss) if lost.point_hash not in batch.dropped else []
        self._requeue(batch, undone)
        return outcomes

    def _replace(self, worker: Worker, error: Exception) -> list[Outcome]:
        """Requeue the tasks of a dead actor; those of the running batch are retried one at a time."""
        was_ready = worker.is_ready
        running = worker.batches.popleft().wanted if was_ready and worker.batches else []
        self._dismiss(worker)
        if len(running) == 1:
            loss = Loss("WorkerLost", f"its worker died: {_gist(error)}", is_foreign=True)
            return self._retry(running[0], loss)
        self._suspects.extend(running)
        return []

    def _retry(self, task: Task, loss: Loss) -> list[Outcome]:
        """The failure of a lost point, or nothing if it is to be retried in a batch of its own."""
        failure = self._quarantine.blame(task, loss)
        if failure:
            return [failure]
        self._suspects.append(task)
        return []

    def _give_up(self, worker: Worker, error: Exception) -> None:
        """Drop an actor that cannot start, as long as there are others."""
        self._dismiss(worker)
        if not self._workers:
            raise RunnerError(f"no worker can start: {error}") from error
        self._no_start_before = monotonic() + RETRY_S

    def _dismiss(self, worker: Worker) -> None:
        self._take_back(worker)
        self._workers.remove(worker)
        worker.kill()

    def _take_back(self, worker: Worker) -> None:
        """Queue the tasks of a worker again, in order."""
        for batch in reversed(worker.batches):
            self._requeue(batch, batch.tasks)
        worker.batches.clear()

    def _requeue(self, batch: Batch, tasks: Sequence[Task]) -> None:
        """Queue tasks of a batch again, before all others."""
        self._queue.extendleft(task for task in reversed(tasks) if task.point_hash not in batch.dropped)


def _gist(error: Exception) -> str:
    """The essence of Ray's message about the death of an actor."""
    lines = [line for line in str(error).splitlines() if line and not line[0].isspace()]
    return lines[-1][:300] if lines else type(error).__name__


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))
