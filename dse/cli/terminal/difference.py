"""What changed between two trials; both are simulated again for their instructions."""

from collections.abc import Sequence

from rich.console import RenderableType

import simcore.views.text.difference as text
from dse.errors import InputError
from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.handles import Sweep
from dse.requests.specs import restore_space
from dse.store import Trial
from dse.tables.text import shown
from simcore.views.difference import Change, Figures


def two_trials(sweep: Sweep, numbers: Sequence[int]) -> list[Trial]:
    """The trials with two numbers.

    Raises:
        InputError: there is no such trial, or one failed.
    """
    found = []
    for number in numbers:
        trials = sweep.trials(f"number = {number}")
        if not trials:
            raise InputError(
                f"sweep {sweep.id} has no trial {number}; `dse results {sweep.id}` lists its trials"
            )
        if trials[0].state == "failed":
            raise InputError(f"trial {number} failed ({trials[0].reason}), so there is nothing to compare")
        found += trials
    return found


def changes(sweep: Sweep, before: Trial, after: Trial) -> dict[str, list[Change]]:
    """All that changed, by kind.

    Raises:
        SimcoreError: a trial can no longer be simulated.
    """
    space = restore_space(sweep.spec)
    profiles = [profile_task(task_for(space, each.parameters, each.gpu)) for each in (before, after)]
    return text.changes(_figures(before), _figures(after), profiles)


def difference(sweep: Sweep, before: Trial, after: Trial) -> RenderableType:
    """The parameters that changed, and what followed."""
    changed = [
        f"{name} {shown(value)} -> {shown(after.parameters[name])}"
        for name, value in before.parameters.items()
        if value != after.parameters[name]
    ]
    gpus = before.gpu if before.gpu == after.gpu else f"{before.gpu} -> {after.gpu}"
    head = (
        f"trial {before.number} -> trial {after.number} on {gpus}: {', '.join(changed) or 'the same variant'}"
    )
    return text.difference(head, _figures(before), _figures(after), changes(sweep, before, after))


def _figures(trial: Trial) -> Figures:
    return Figures(trial.metrics, trial.stalls)
