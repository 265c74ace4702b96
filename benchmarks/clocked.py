"""An evaluation that reports when it ran and its CPU time."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import process_time, time

from dse.evaluation.tasks import Outcome, Task


@dataclass(frozen=True)
class Clocked:
    """An evaluation whose outcome has three metrics more: `began` and `ended`, and `cpu_s`, its compiler's included.

    Attributes:
        inner: what evaluates.
        prepare: what its process does before; its time does not count.
    """

    inner: Callable[[Task], Outcome]
    prepare: Callable[[], object]

    def __call__(self, task: Task) -> Outcome:
        began, before = time(), cpu_seconds()
        outcome = self.inner(task)
        times = {"began": began, "ended": time(), "cpu_s": cpu_seconds() - before}
        return replace(outcome, metrics={**outcome.metrics, **times})


def cpu_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    times = os.times()
    return process_time() + times.children_user + times.children_system
