"""What was tried around the best variant: the best other value of each parameter, with all else as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from dse.answers.cases import Case, Variant, variant_of, varied
from dse.answers.recommendation import ratio
from dse.store.records import SweepSpec
from dse.tables.text import shown
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
        spills: whether it has local memory, which the best variant has not.
        rescue: if so, the best variant with that value and one more that is changed, so that nothing spills.
    """

    parameter: str
    value: Value
    slowdown: float
    spills: bool = False
    rescue: "Neighbour | None" = None

    def __str__(self) -> str:
        words = f"{self.parameter}={shown(self.value)} {self.slowdown:+.1%}"
        if not self.spills:
            return words
        return f"{words} (spills{f'; with {self.rescue}' if self.rescue else ''})"


def neighbours(spec: SweepSpec, case: Case) -> tuple[Neighbour, ...]:
    """For each parameter the best of the other values that completed, closest to the best first."""
    best = variant_of(spec, case.best.parameters)
    found = _one_away(spec, case, best)
    closest = {name: min(each, key=lambda other: case.trials[other].score) for name, each in found.items()}
    named = [_neighbour(spec, case, name, variant) for name, variant in closest.items()]
    return tuple(sorted(named, key=lambda each: each.slowdown))


def _one_away(spec: SweepSpec, case: Case, variant: Variant) -> dict[str, list[Variant]]:
    """For each parameter the variants that completed, comparable to the best one, with another value of it alone."""
    found: dict[str, list[Variant]] = {}
    for place, name in enumerate(varied(spec)):
        others = ((*variant[:place], value, *variant[place + 1 :]) for value in spec.parameters[name])
        known = [other for other in others if other in case.trials and other != variant]
        if comparable := [other for other in known if isfinite(ratio(case.trials[other], case.best))]:
            found[name] = comparable
    return found


def _neighbour(spec: SweepSpec, case: Case, name: str, variant: Variant) -> Neighbour:
    slowdown = ratio(case.trials[variant], case.best) - 1
    value = variant[varied(spec).index(name)]
    if not _spills(case, variant):
        return Neighbour(name, value, slowdown)
    rescues = [
        Neighbour(further, other[varied(spec).index(further)], ratio(case.trials[other], case.best) - 1)
        for further, others in _one_away(spec, case, variant).items()
        if further != name
        for other in others
        if not _spills(case, other)
    ]
    rescue = min(rescues, key=lambda each: each.slowdown, default=None)
    return Neighbour(name, value, slowdown, spills=True, rescue=rescue)


def _spills(case: Case, variant: Variant) -> bool:
    return bool(case.trials[variant].local_bytes) and not case.best.local_bytes


def in_words(found: Sequence[Neighbour]) -> str:
    """For example `tried around it: vec=4 +1.0%, block_size=64 +2.5%`; empty if nothing was."""
    named = [str(each) for each in found[:NAMED]]
    return f"tried around it: {', '.join(named)}" if named else ""
