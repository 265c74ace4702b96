"""What was tried around the best variant: the best other value of each parameter, with all else as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite

from dse.answers.cases import Case, variant_of, varied
from dse.answers.recommendation import ratio
from dse.store.records import SweepSpec
from search_spaces import Value

#: Neighbours in a sentence.
NAMED = 4


@dataclass(frozen=True)
class Neighbour:
    """The best variant with another value of one parameter.

    Attributes:
        parameter: its name.
        value: the best of its other values that completed.
        slowdown: over the best variant, such as 0.01.
    """

    parameter: str
    value: Value
    slowdown: float


def neighbours(spec: SweepSpec, case: Case) -> tuple[Neighbour, ...]:
    """For each parameter the best of the other values that completed, closest to the best first."""
    best = variant_of(spec, case.best.parameters)
    found = []
    for place, name in enumerate(varied(spec)):
        others = [
            (ratio(case.trials[other], case.best) - 1, value)
            for value in spec.parameters[name]
            if (other := (*best[:place], value, *best[place + 1 :])) in case.trials and other != best
        ]
        slowdown, value = min(others, key=lambda other: other[0], default=(inf, None))
        if isfinite(slowdown):
            found.append(Neighbour(name, value, slowdown))
    return tuple(sorted(found, key=lambda each: each.slowdown))


def in_words(found: Sequence[Neighbour]) -> str:
    """For example `tried around it: vec=4 +1.0%, block_size=64 +2.5%`; empty if nothing was."""
    named = [f"{each.parameter}={_word(each.value)} +{each.slowdown:.1%}" for each in found[:NAMED]]
    return f"tried around it: {', '.join(named)}" if named else ""


def _word(value: Value) -> str:
    return "none" if value is None else str(value)
