"""The Ray actors, each on one core of the cluster, and the driver's view of them."""

import pickle
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dse.evaluation.tasks import Task
from dse.runners.limits import Allowance, PointLimits
from dse.runners.process import EvaluationProcess, Report


class BatchEvaluator:
    """The actor: runs a child process that evaluates, and forwards batches to it without unpickling them."""

    def __init__(self, program: bytes) -> None:
        self._process = EvaluationProcess(program)

    def start(self) -> None:
        """Start the process, or a new one after a loss; returns when it is ready to evaluate."""
        self._process.start()

    def evaluate(self, batch: bytes, allowances: Sequence[Allowance]) -> Report:
        """Evaluate a pickled list of tasks, each with what it may take."""
        return self._process.evaluate(batch, allowances)


@dataclass(frozen=True)
class Batch:
    """A batch of tasks of an actor, and the reference to its future report."""

    reference: Any
    tasks: list[Task]


class Worker:
    """One actor on one core, from the request for it to its death."""

    def __init__(self, program: bytes, limits: PointLimits) -> None:
        import ray

        self._actor = ray.remote(num_cpus=1)(BatchEvaluator).remote(program)
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

    def start(self) -> None:
        """Make it start its process; it gets no work until `starting` has resolved."""
        self.starting = self._actor.start.remote()

    def give(self, tasks: Sequence[Task]) -> None:
        """Submit a batch; it may have several and processes them in order."""
        allowances = [self._limits.allow(task) for task in tasks]
        reference = self._actor.evaluate.remote(pickle.dumps(tasks), allowances)
        self.batches.append(Batch(reference, list(tasks)))

    def kill(self) -> None:
        """Kill the actor; harmless if it is dead."""
        import ray

        ray.kill(self._actor)
