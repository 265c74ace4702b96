"""The Ray actors, each on one core of the cluster, and the driver's view of them."""

import pickle
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from dse.evaluation.tasks import Task
from dse.runners.fork_server import ForkServer
from dse.runners.limits import Allowance, PointLimits
from dse.runners.process import EvaluationProcess, Report

#: The part of a core that is left to a spare worker, so that it goes where there are cores.
SPARE_CPUS = 0.001


class BatchEvaluator:
    """The actor: runs a child process that evaluates, and forwards batches to it without unpickling them."""

    def __init__(self, program: bytes) -> None:
        self._process = EvaluationProcess(ForkServer(program))

    def start(self) -> None:
        """Start the process, or a new one after a loss; returns when it is ready to evaluate."""
        self._process.start()

    def evaluate(self, batch: bytes, allowances: Sequence[Allowance]) -> Report:
        """Evaluate a pickled list of tasks, each with what it may take."""
        return self._process.evaluate(batch, allowances)


@dataclass(frozen=True)
class Batch:
    """A batch of tasks of an actor.

    Attributes:
        reference: to its future report.
        tasks: what the actor was given.
        dropped: the points among them of which nobody wants the outcomes any more.
    """

    reference: Any
    tasks: list[Task]
    dropped: set[str] = field(default_factory=set)

    @property
    def wanted(self) -> list[Task]:
        """The tasks of which somebody wants the outcomes."""
        return [task for task in self.tasks if task.point_hash not in self.dropped]


class Worker:
    """One actor on one core, or a spare one that shares a core, from the request for it to its death."""

    def __init__(self, program: bytes, limits: PointLimits, is_spare: bool = False) -> None:
        import ray

        cpus = SPARE_CPUS if is_spare else 1 - SPARE_CPUS
        self._actor = ray.remote(num_cpus=cpus)(BatchEvaluator).remote(program)
        self.is_spare = is_spare
        self._limits = limits
        self.batches: deque[Batch] = deque()
        self.starting: Any = None
        self.start()

    @property
    def is_ready(self) -> bool:
        """Whether it has reported that it is ready."""
        return self.starting is None

    @property
    def references(self) -> list[Any]:
        """The references it is expected to resolve."""
        references = [batch.reference for batch in self.batches]
        return references if self.is_ready else [self.starting, *references]

    @property
    def is_in_vain(self) -> bool:
        """Whether nobody wants what it evaluates at the moment."""
        return bool(self.batches) and not self.batches[0].wanted

    def start(self) -> None:
        """Make it start its process; it gets no work until `starting` has resolved."""
        self.starting = self._actor.start.remote()

    def give(self, tasks: Sequence[Task]) -> None:
        """Submit a batch; it may have several and processes them in order."""
        allowances = [self._limits.allow(task) for task in tasks]
        reference = self._actor.evaluate.remote(pickle.dumps(tasks), allowances)
        self.batches.append(Batch(reference, list(tasks)))

    def take_back_those_behind(self) -> list[Task]:
        """Take back the batches that it has not begun."""
        import ray

        tasks: list[Task] = []
        while len(self.batches) > 1:
            batch = self.batches.pop()
            ray.cancel(batch.reference)
            tasks = [*batch.wanted, *tasks]
        return tasks

    def drop(self, point_hashes: Collection[str]) -> int:
        """Note that nobody wants the outcomes of these points; how many of them it has."""
        wanted = [(batch, task.point_hash) for batch in self.batches for task in batch.wanted]
        dropped = [(batch, each) for batch, each in wanted if each in point_hashes]
        for batch, each in dropped:
            batch.dropped.add(each)
        return len(dropped)

    def kill(self) -> None:
        """Kill the actor; harmless if it is dead."""
        import ray

        ray.kill(self._actor)
