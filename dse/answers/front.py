"""The Pareto front of a sweep with several objectives: the variants of a GPU and workload that no other one beats."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dse.answers.cases import Case, CaseKey
from dse.errors import InputError
from dse.store.records import SweepSpec, VariantRecord


def find_front(spec: SweepSpec, cases: Mapping[CaseKey, Case]) -> list[VariantRecord]:
    """The fronts of all GPUs and workloads in their order, each sorted by the first objective.

    Raises:
        InputError: there is a single objective.
    """
    if len(spec.objectives) < 2:
        direction, metric = spec.objectives[0]
        raise InputError(
            f"a front needs several objectives, and this sweep only has `{direction} {metric}`: "
            "its best variants are its front; name more in the space's `objectives`"
        )
    return [trial for case in cases.values() for trial in _front(spec, case.trials.values())]


def _front(spec: SweepSpec, trials: Iterable[VariantRecord]) -> list[VariantRecord]:
    """The front of one GPU and workload; trials without a value of an objective do not take part."""
    known = [trial for trial in trials if None not in trial.others]
    if not known:
        return []
    values = np.array([(trial.score, *trial.others) for trial in known], float)
    return [known[place] for place in pareto_front(values * [1.0, *spec.signs[1:]])]


def pareto_front(values: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """The Pareto front of rows (lower is better), sorted by the first column."""
    order = np.lexsort(values.T[::-1])
    left, position = values[order], 0
    while position < len(left):
        stays = (left < left[position]).any(axis=1)
        stays[position] = True
        position = int(stays[:position].sum()) + 1
        left, order = left[stays], order[stays]
    return order


def hypervolumes(values: npt.NDArray[np.float64], counts: Sequence[int]) -> list[float]:
    """The hypervolume that the first rows dominate (lower is better), as a share of that of all rows.

    Args:
        values: a row for each trial, in their order, a column for each objective.
        counts: numbers of rows, in ascending order; the last one is all.

    Returns:
        From 0 to 1, for each count. The reference point has the worst value of each objective; where all rows together
        dominate nothing, every share is 1.
    """
    from optuna._hypervolume import compute_hypervolume

    worst, front, done = values.max(axis=0), values[:0], 0
    found = []
    for count in counts:
        rows = np.concatenate([front, values[done:count]])
        front, done = rows[pareto_front(rows)], count
        found.append(float(compute_hypervolume(np.unique(front, axis=0), worst, assume_pareto=True)))
    return [volume / found[-1] if found[-1] else 1.0 for volume in found]
