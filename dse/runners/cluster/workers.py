"""The actors: what runs on a core of the cluster, and this side's view of it."""

import pickle
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dse.evaluation.tasks import Task
from dse.runners.limits import PointLimits
from dse.runners.process import EvaluationProcess, Report


class BatchEvaluator:
    """The actor: keeps a process that evaluates, and passes batches on to it unread."""

    def __init__(self, program: bytes, limits: PointLimits) -> None:
        self._process = EvaluationProcess(program, limits)

    def start(self) -> None:
        """Start the process, or another one after a loss; returns when it is ready to evaluate."""
        self._process.start()

    def evaluate(self, batch: bytes, count: int) -> Report:
        """Evaluate a pickled list of `count` tasks."""
        return self._process.evaluate(batch, count)


@dataclass(frozen=True)
class Batch:
    """Tasks that an actor has, and the reference under which its report will arrive."""

    reference: Any
    tasks: list[Task]


class Worker:
    """One actor on one core, from the request for it to its death."""

    def __init__(self, program: bytes, limits: PointLimits) -> None:
        import ray

        self._actor = ray.remote(num_cpus=1)(BatchEvaluator).remote(program, limits)
        self.batches: deque[Batch] = deque()
        self.starting: Any = None
        self.start()

    @property
    def is_ready(self) -> bool:
        """Whether it has said that it can evaluate."""
        return self.starting is None

    @property
    def references(self) -> list[Any]:
        """What is awaited from it."""
        references = [batch.reference for batch in self.batches]
        return references if self.is_ready else [self.starting, *references]

    def start(self) -> None:
        """Have it start its process; it gets no work until `starting` has arrived."""
        self.starting = self._actor.start.remote()

    def give(self, tasks: Sequence[Task]) -> None:
        """Hand it a batch; it may have several and takes them in turn."""
        reference = self._actor.evaluate.remote(pickle.dumps(tasks), len(tasks))
        self.batches.append(Batch(reference, list(tasks)))

    def kill(self) -> None:
        """End it, dead or alive."""
        import ray

        ray.kill(self._actor)
