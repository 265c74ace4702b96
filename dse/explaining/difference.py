"""What changed between two trials, down to their instructions."""

from dataclasses import dataclass
from typing import Any

from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.notebooks import html_table
from dse.requests.specs import restore_space
from dse.store import SweepSpec, Trial
from dse.tables.text import cell, shown
from search_spaces import Value
from simcore import load_gpu
from simcore.views.difference import Change, Figures, Reason, as_rows, changes, reasons

#: The numbers of a GPU that are named where two differ.
MACHINE = ("sms", "clock_mhz", "dram_gb_per_s", "l2_bytes", "l2_bytes_per_cycle_per_sm", "max_warps_per_sm")
#: Those that are factors of the time.
FACTORS = ("sms", "clock_mhz")


@dataclass(frozen=True, repr=False)
class Difference:
    """What changed from one trial to another.

    Attributes:
        before, after: the trials.
        reasons: factors whose product is the change in time, the largest first.
        metrics, stalls, opcodes: figures of both. Opcodes are counted on the timed SM, or, on two GPUs, in the whole
            grid, of which the timed SM stands for its share.
        machine: the numbers in which the two GPUs differ, of those that most times depend on.
    """

    before: Trial
    after: Trial
    reasons: tuple[Reason, ...]
    metrics: tuple[Change, ...]
    stalls: tuple[Change, ...]
    opcodes: tuple[Change, ...]
    machine: tuple[Change, ...]

    def __repr__(self) -> str:
        return f"Difference({self.head!r}, {self.ratio:.3g}x the time)"

    def __str__(self) -> str:
        factors = [f"  {each.factor:.2f}x  {each.text}" for each in self.reasons]
        return "\n".join([self.head, f"{self.ratio:.3g}x the time", *factors])

    def _repr_html_(self) -> str:
        """All changes as a table, for notebooks."""
        head, rows = ("kind", "name", "before", "after"), self.rows()
        return html_table(str(self), head, [[cell(row[name]) for name in head] for row in rows])

    @property
    def head(self) -> str:
        """The trials, and the parameters that changed."""
        before, after = self.before, self.after
        changed = [f"{name} {shown(old)} -> {shown(new)}" for name, (old, new) in self.parameters.items()]
        gpus = f"{before.gpu} -> {after.gpu}" if self.is_across_gpus else before.gpu
        trials = f"trial {before.number} -> trial {after.number} on {gpus}"
        return f"{trials}: {', '.join(changed) or 'the same variant'}"

    @property
    def ratio(self) -> float:
        """Time after over time before."""
        return float(self.after.metrics["time_us"] / self.before.metrics["time_us"])

    @property
    def parameters(self) -> dict[str, tuple[Value, Value]]:
        """The parameters that changed, with both values."""
        after = self.after.parameters
        return {
            name: (value, after[name])
            for name, value in self.before.parameters.items()
            if value != after[name]
        }

    @property
    def is_across_gpus(self) -> bool:
        """Whether the trials are on two GPUs."""
        return self.before.gpu != self.after.gpu

    def rows(self) -> list[dict[str, Any]]:
        """All changes as flat rows, by their kind."""
        kinds = {
            "gpu": self.machine,
            "metric": self.metrics,
            "warp state": self.stalls,
            "opcode": self.opcodes,
            "factor": [Change(each.text, 1.0, each.factor) for each in self.reasons],
        }
        return as_rows(kinds)


def difference(spec: SweepSpec, before: Trial, after: Trial) -> Difference:
    """What changed between two complete trials of a sweep.

    Raises:
        SimcoreError: a trial can no longer be simulated.
    """
    space = restore_space(spec)
    trials = before, after
    tasks = [task_for(space, each.parameters, each.gpu) for each in trials]
    machines = [{name: getattr(load_gpu(task.gpu), name) for name in MACHINE} for task in tasks]
    first, second = (
        Figures({**each.metrics, **{name: machine[name] for name in FACTORS}}, each.stalls)
        for each, machine in zip(trials, machines, strict=True)
    )
    found = changes(first, second, [profile_task(task) for task in tasks], of_grid=before.gpu != after.gpu)
    differing = (Change(name, *(machine[name] for machine in machines)) for name in MACHINE)
    return Difference(
        before,
        after,
        tuple(reasons(first, second)),
        tuple(found["metric"]),
        tuple(found["warp state"]),
        tuple(found["opcode"]),
        tuple(each for each in differing if each.before != each.after),
    )
