"""Which variants to measure on a real GPU: fast ones that differ, so that a few settle what predictions cannot."""

from collections.abc import Iterable, Mapping, Sequence
from math import log

from dse.answers.recommendation import ratio
from dse.store.records import VariantRecord
from search_spaces import Value

#: A variant that is quite unlike those already chosen is preferred to a similar one that is predicted this much faster.
UNLIKE = 0.03
#: The fastest variants that are considered.
CANDIDATES = 1000


def to_measure(
    trials: Iterable[VariantRecord], parameters: Mapping[str, Sequence[Value]], count: int
) -> list[VariantRecord]:
    """The variants of one GPU and workload to measure.

    The first is the predicted best. Each further one is fast and unlike those before it: what counts is its predicted
    slowdown less 3 % times its distance to the nearest of them, which is the sum of how far each parameter is away, as
    a share of its values, and at most 1. Variants with the same machine code are measured once.
    """
    left = _distinct(sorted(trials, key=lambda trial: (trial.score, trial.point_index)))[:CANDIDATES]
    best, chosen = left[0], list[VariantRecord]()
    nearest = dict.fromkeys(range(len(left)), 1.0)
    while nearest and len(chosen) < count:
        place = min(nearest, key=lambda each: log(ratio(left[each], best)) - UNLIKE * nearest[each])
        chosen.append(left[place])
        del nearest[place]
        for each in nearest:
            nearest[each] = min(nearest[each], _distance(left[each], left[place], parameters))
    return chosen


def _distinct(trials: Sequence[VariantRecord]) -> list[VariantRecord]:
    """The first of those with equal code and equal predictions, as if a parameter changed nothing."""
    found: dict[object, VariantRecord] = {}
    for trial in trials:
        is_known = trial.code_bytes is not None
        key = (trial.score, trial.registers, trial.code_bytes) if is_known else trial.place
        found.setdefault(key, trial)
    return list(found.values())


def _distance(one: VariantRecord, other: VariantRecord, parameters: Mapping[str, Sequence[Value]]) -> float:
    """How unlike two variants are: the sum over the parameters of how many values apart they are."""
    return sum(
        abs(values.index(one.parameters[name]) - values.index(other.parameters[name])) / (len(values) - 1)
        for name, values in parameters.items()
        if len(values) > 1
    )
