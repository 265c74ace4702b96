"""How a trial's time depends on each number of its GPU: which resource binds, by experiment.

Each number is varied alone, up and down, and the trial is simulated again on the GPU that results. Where a machine
cannot have the value, because a cache has whole sets, the next larger step is tried, up to half and double.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from dse.errors import InputError
from dse.evaluation.points import task_for
from dse.evaluation.tasks import Task
from dse.notebooks import html_table
from dse.requests.specs import restore_space
from dse.runners.base import Runner
from dse.store import SweepSpec, Trial
from dse.tables.text import microseconds, number
from simcore import Gpu, SimcoreError, load_gpu
from simcore.diagnosis.waves import Waves, step_between
from simcore.gpu import check_field
from simcore.gpu_overrides import NUMBERS
from simcore.gpu_profiles import with_overrides

LARGER_STEPS = (0.25, 0.5, 1.0)
#: Numbers that most times depend on: each is changed alone, before all others.
LIKELY = (
    *(
        "sms",
        "clock_mhz",
        "schedulers_per_sm",
        "max_warps_per_sm",
        "dram_gb_per_s",
        "dram_latency",
        "l2_latency",
    ),
    *(
        "l1_hit_latency",
        "store_latency",
        "l1_bytes_per_cycle",
        "store_bytes_per_cycle",
        "l2_request_interval",
    ),
    *("l2_fill_cost", "data_stage_turns", "lsu_interval", "address_interval", "global_address_interval"),
    *("fma_heavy_interval", "fma_lite_interval", "alu_interval", "operand_read_window", "wide_product_hold"),
    *("wide_product_wait", "special_register_latency", "special_data_interval", "adu_interval"),
    *("uniform_special_data_interval", "constant_latency", "global_load_hold"),
    *("constant_fetch_interval", "constant_requests", "immediate_miss_latency", "branch_taken_cycles"),
    *("branch_refetch_cycles", "warp_launch_interval", "block_retire_interval", "launch_overhead_cycles"),
)
#: Of the others, numbers that are changed together at first.
TOGETHER = 8
#: Limits of a launch, which it meets or not, whatever its time.
_LIMITS = ("max_block_", "max_grid_", "max_threads_", "max_registers_", "shared_bytes_per_block")

Change = tuple[str, float]
"""A field of `simcore.Gpu` and its value."""
Tell = Callable[[int, int], None]
"""Is called with how many changes are known, and of how many."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Effect:
    """What one number of the GPU does to a trial's time.

    Attributes:
        field: a field of `simcore.Gpu`.
        value: the GPU's.
        low, high: the values tried; None where no GPU can have one.
        low_us, high_us: the predicted times with them.
        low_step, high_step: such as `2 → 3 waves`, where the grid comes in another number of waves, or of turns of the
            SMs: the time jumps somewhere in between. Else empty.
    """

    field: str
    value: float
    low: float | None
    high: float | None
    low_us: float | None
    high_us: float | None
    low_step: str = ""
    high_step: str = ""


class _Seen(NamedTuple):
    """A prediction, and how the grid comes to the SMs."""

    time_us: float
    waves: Waves


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

    def __repr__(self) -> str:
        where = f"trial {self.trial.number} on {self.gpu}, {microseconds(self.time_us)}"
        return f"Sensitivity({where}; numbers of the GPU tried: {len(self.effects)})"

    def __str__(self) -> str:
        lines = ("  ".join(line) for line in self._lines())
        return "\n".join([repr(self), *lines])

    def _repr_html_(self) -> str:
        """The effects as a table, for notebooks."""
        return html_table(repr(self), ("number of the GPU", "value", "if lower", "if higher"), self._lines())

    def _lines(self) -> list[tuple[str, ...]]:
        """A line for each number: its value, and the relative changes of the time."""
        return [
            (
                effect.field,
                f"{number(effect.value)} {Gpu.unit(effect.field)}",
                *(
                    "not possible" if (change := self.change(time)) is None else f"{change:+.1%}"
                    for time in (effect.low_us, effect.high_us)
                ),
            )
            for effect in self.effects
        ]

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
    spec: SweepSpec,
    trial: Trial,
    runner: Runner,
    by: float = 0.1,
    fields: Sequence[str] = (),
    tell: Tell = silent,
) -> Sensitivity:
    """Simulate a trial again with each number of its GPU lower and higher. Its outputs are not compared again.

    Args:
        spec: the specification of a sweep.
        trial: a complete trial of it.
        runner: evaluates.
        by: relative change, such as 0.1 for 10 %.
        fields: only these numbers; empty means all that can change a time.
        tell: is called with how many changes are known, and of how many.

    Raises:
        InputError: the trial can no longer be simulated.
        UnknownGpu: a GPU has no such field.
    """
    for field in fields:
        check_field(field)
    task = task_for(restore_space(spec), trial.parameters, trial.gpu)
    task = dataclasses.replace(task, expectation=None, baseline=None)
    tried = {
        field: (_possible(task.gpu, field, -by), _possible(task.gpu, field, by))
        for field in NUMBERS
        if (field in fields if fields else not field.startswith(_LIMITS))
    }
    changes = [
        [(field, value) for field in tried if (value := tried[field][side]) is not None] for side in (0, 1)
    ]
    base, seen = _predictions(task, changes, runner, tell)
    gpu = load_gpu(task.gpu)

    def effect(field: str, low: float | None, high: float | None) -> Effect:
        sides = [None if value is None else seen[field, value] for value in (low, high)]
        low_us, high_us = (each and each.time_us for each in sides)
        low_step, high_step = (step_between(base.waves, each.waves) if each else "" for each in sides)
        return Effect(field, getattr(gpu, field), low, high, low_us, high_us, low_step, high_step)

    effects = [effect(field, low, high) for field, (low, high) in tried.items()]
    found = Sensitivity(trial, task.gpu, base.time_us, ())
    effects.sort(key=lambda effect: -_size(found, effect))
    return dataclasses.replace(found, effects=tuple(effects))


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


def _predictions(
    task: Task, changes: Sequence[Sequence[Change]], runner: Runner, tell: Tell
) -> tuple[_Seen, dict[Change, _Seen | None]]:
    """The prediction of the task, and with each change alone; None where the task cannot run so.

    `changes` are those of each direction; a list has a number once.
    Most numbers change nothing. Beside those that are likely to, they are changed together: where the time stays the
    same to the last bit, none of them does, otherwise each half is tried.
    """
    found = _simulated(task, [()], runner, lambda group, each: None)
    base = found[()]
    if base is None:
        raise InputError("the trial can no longer be simulated; `dse run` explores its space again")
    seen: dict[Change, _Seen | None] = {}

    def note(group: tuple[Change, ...], each: _Seen | None) -> None:
        if len(group) == 1:
            seen[group[0]] = each
        elif each and each.time_us == base.time_us:
            seen.update(dict.fromkeys(group, base))
        tell(len(seen), sum(map(len, changes)))

    together = [group for some in changes for group in _groups(some)]
    while together:
        _simulated(task, together, runner, note)
        open_groups = [group for group in together if group[0] not in seen]
        together = [
            half for group in open_groups for half in (group[: len(group) // 2], group[len(group) // 2 :])
        ]
    return base, seen


def _groups(changes: Sequence[Change]) -> list[tuple[Change, ...]]:
    """Changes to try together, those that are likely to matter alone and first."""
    alone = [(change,) for change in changes if change[0] in LIKELY]
    others = [change for change in changes if change[0] not in LIKELY]
    return [*alone, *(tuple(others[first : first + TOGETHER]) for first in range(0, len(others), TOGETHER))]


def _simulated(
    task: Task,
    together: Sequence[tuple[Change, ...]],
    runner: Runner,
    note: Callable[[tuple[Change, ...], _Seen | None], None],
) -> dict[tuple[Change, ...], _Seen | None]:
    """The prediction with each of these groups of changes; None where no GPU has them all, or none can run it.

    `note` is called with each as soon as it is known.
    """
    tasks: dict[str, tuple[tuple[Change, ...], int]] = {}
    blocks = math.prod(task.launch.grid)
    for group in together:
        with suppress(SimcoreError):
            gpu = with_overrides(task.gpu, dict(group)) if group else task.gpu
            name = str(len(tasks))
            tasks[name] = group, load_gpu(gpu).sms
            runner.submit([dataclasses.replace(task, gpu=gpu, point_hash=name)])
    seen: dict[tuple[Change, ...], _Seen | None] = dict.fromkeys(together)
    submitted = {group for group, _ in tasks.values()}
    for group in together:
        if group not in submitted:
            note(group, None)
    while runner.in_flight:
        for outcome in runner.results(1.0):
            group, sms = tasks[outcome.point_hash]
            if outcome.state == "complete":
                waves = Waves(blocks, sms, outcome.metrics["blocks_per_sm"])
                seen[group] = _Seen(outcome.metrics["time_us"], waves)
            note(group, seen[group])
    return seen


def _size(found: Sensitivity, effect: Effect) -> float:
    return max(abs(found.change(time) or 0.0) for time in (effect.low_us, effect.high_us))
