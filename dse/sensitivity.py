"""How a trial's time depends on each number of its GPU: which resource binds, by experiment.

Each number is varied alone, up and down, and the trial is simulated again on the GPU that results. Where a machine
cannot have the value, because a cache has whole sets, the next larger step is tried, up to half and double.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dse.errors import InputError
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Outcome, Task
from dse.handles import Sweep
from dse.requests.specs import restore_space
from dse.runners.base import Runner
from dse.store import Trial
from simcore import Gpu, SimcoreError, load_gpu
from simcore.gpu import check_field
from simcore.gpu_overrides import NUMBERS
from simcore.gpu_profiles import with_overrides

LARGER_STEPS = (0.25, 0.5, 1.0)
#: Limits of a launch, which it meets or not, whatever its time.
_LIMITS = ("max_block_", "max_grid_", "max_threads_", "max_registers_", "shared_bytes_per_block")


@dataclass(frozen=True)
class Effect:
    """What one number of the GPU does to a trial's time.

    Attributes:
        field: a field of `simcore.Gpu`.
        value: the GPU's.
        low, high: the values tried; None where no GPU can have one.
        low_us, high_us: the predicted times with them.
    """

    field: str
    value: float
    low: float | None
    high: float | None
    low_us: float | None
    high_us: float | None


@dataclass(frozen=True)
class Sensitivity:
    """What each number of the GPU does to a trial's time.

    Attributes:
        trial: the trial.
        gpu: its GPU, in words.
        time_us: its predicted time.
        effects: the numbers, the one with the largest effect first.
    """

    trial: Trial
    gpu: str
    time_us: float
    effects: tuple[Effect, ...]

    def change(self, time_us: float | None) -> float | None:
        """The relative change of the time."""
        return None if time_us is None else time_us / self.time_us - 1

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number; each is a question of "what if"."""
        return [
            {
                **dataclasses.asdict(effect),
                "unit": Gpu.unit(effect.field),
                "low_change": self.change(effect.low_us),
                "high_change": self.change(effect.high_us),
                "label": "what if",
            }
            for effect in self.effects
        ]


def sensitivity(
    sweep: Sweep,
    runner: Runner,
    number: int | None = None,
    by: float = 0.1,
    fields: Sequence[str] = (),
) -> Sensitivity:
    """Simulate a trial again with each number of its GPU lower and higher.

    Args:
        sweep: a handle of a sweep.
        runner: evaluates.
        number: the trial's number; None means the best of the first GPU.
        by: relative change, such as 0.1 for 10 %.
        fields: only these numbers; empty means all that can change a time.

    Raises:
        InputError: the sweep has no such complete trial.
        UnknownGpu: a GPU has no such field.
    """
    for field in fields:
        check_field(field)
    trial = _trial(sweep, number)
    task = task_for(restore_space(sweep.spec), trial.parameters, trial.gpu)
    tried = {
        field: (_possible(task.gpu, field, -by), _possible(task.gpu, field, by))
        for field in NUMBERS
        if (field in fields if fields else not field.startswith(_LIMITS))
    }
    variants = {
        (field, value): with_overrides(task.gpu, {field: value})
        for field, values in tried.items()
        for value in values
        if value is not None
    }
    times = _times(task, [task.gpu, *variants.values()], runner)
    gpu = load_gpu(task.gpu)

    def time_with(field: str, value: float | None) -> float | None:
        return None if value is None else times.get(variants[field, value])

    effects = [
        Effect(field, getattr(gpu, field), low, high, time_with(field, low), time_with(field, high))
        for field, (low, high) in tried.items()
    ]
    found = Sensitivity(trial, task.gpu, times[task.gpu], ())
    effects.sort(key=lambda effect: -_size(found, effect))
    return dataclasses.replace(found, effects=tuple(effects))


def _trial(sweep: Sweep, number: int | None) -> Trial:
    numbered = f"number = {number}"
    trials = [best.trial for best in sweep.winners()] if number is None else sweep.trials(numbered)
    if not trials or trials[0].state != "complete":
        what = "complete trial yet" if number is None else f"complete trial {number}"
        raise InputError(f"sweep {sweep.id} has no {what}; `dse results {sweep.id}` lists its trials")
    return trials[0]


def _possible(gpu: str, field: str, by: float) -> float | None:
    """The number changed by that share, or by the next larger step that a machine can have."""
    value = getattr(load_gpu(gpu), field)
    for changed in _candidates(value, by):
        if changed == value:
            continue
        try:
            load_gpu(gpu, **{field: changed})
        except SimcoreError:
            continue
        return changed
    return None


def _candidates(value: float, by: float) -> Iterator[float]:
    for step in (abs(by), *(larger for larger in LARGER_STEPS if larger > abs(by))):
        changed = value * (1 + step) if by > 0 else value * max(1 - step, 0.5)
        yield round(changed) if isinstance(value, int) else changed
    if isinstance(value, int):
        yield value + (1 if by > 0 else -1)


def _times(task: Task, gpus: Sequence[str], runner: Runner) -> Mapping[str, float]:
    """The predicted time on each GPU that can run the task."""
    tasks = {
        f"{place}": dataclasses.replace(task, gpu=gpu, point_hash=f"{place}")
        for place, gpu in enumerate(gpus)
    }
    runner.submit(list(tasks.values()))
    outcomes: list[Outcome] = []
    while runner.in_flight:
        outcomes += runner.results(1.0)
    times = {
        tasks[each.point_hash].gpu: each.metrics["time_us"] for each in outcomes if each.state == "complete"
    }
    if task.gpu not in times:
        raise InputError("the trial can no longer be simulated; `dse run` explores its space again")
    return times


def _size(found: Sensitivity, effect: Effect) -> float:
    return max(abs(found.change(time) or 0.0) for time in (effect.low_us, effect.high_us))
