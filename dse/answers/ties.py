"""The variants of a case that the model cannot tell from the best, and what they have in common."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from dse.answers.cases import Case, Variant, varied
from dse.store.records import SweepSpec
from dse.tables.text import shown
from search_spaces import Value


@dataclass(frozen=True)
class Shared:
    """What the ties say about one parameter.

    Attributes:
        parameter: its name.
        values: those that occur among the ties, in the order of the space.
        matters: whether the ties leave out a value that was tried.
        is_free: whether any value may be exchanged for any other without leaving the ties.
    """

    parameter: str
    values: tuple[Value, ...]
    matters: bool
    is_free: bool


def tied(case: Case, tolerance: float) -> set[Variant]:
    """The variants within the tolerance of the best, which is one of them."""
    limit = limit_of(case.best.score, tolerance)
    return {variant for variant, trial in case.trials.items() if trial.score <= limit}


def limit_of(score: float, tolerance: float) -> float:
    """The worst score that ties with the best one; scores of maximised objectives are negative."""
    return score * (1 + tolerance) if score > 0 else score / (1 + tolerance)


def counted(ties: int, codes: int, complete: int) -> str:
    """How many ties there are, `24 of 40`, or `24 of 40, 12 codes` if some of them are the same machine code."""
    same = f", {codes} code{'s' if codes > 1 else ''}" if codes < ties else ""
    return f"{ties} of {complete}{same}"


def shared(spec: SweepSpec, case: Case, ties: Set[Variant]) -> tuple[Shared, ...]:
    """What the ties say about each parameter that has more than one value among the complete trials."""
    found = []
    for place, name in enumerate(varied(spec)):
        tried = {variant[place] for variant in case.trials}
        here = {variant[place] for variant in ties}
        if len(tried) > 1:
            values = tuple(value for value in spec.parameters[name] if value in here)
            is_free = here == tried and _is_free(place, case.trials, ties)
            found.append(Shared(name, values, here != tried, is_free))
    return tuple(found)


def _is_free(place: int, tried: Iterable[Variant], ties: Iterable[Variant]) -> bool:
    """Whether all that was tried with the other parameters of a tie is a tie, whatever this parameter's value."""
    others = Counter(_without(place, variant) for variant in tried)
    return all(others[rest] == count for rest, count in Counter(_without(place, v) for v in ties).items())


def _without(place: int, variant: Variant) -> Variant:
    return variant[:place] + variant[place + 1 :]


def in_words(values: Sequence[Shared], parameters: Mapping[str, Sequence[Value]]) -> str:
    """For example `unroll 4 or more; block_size does not matter`; empty if the ties share nothing."""
    kept = [
        f"{each.parameter} {_range(each.values, parameters[each.parameter])}"
        for each in values
        if each.matters
    ]
    free = [each.parameter for each in values if each.is_free]
    if free:
        kept.append(f"{_and(free)} {'does' if len(free) == 1 else 'do'} not matter")
    return "; ".join(kept)


def left_out(spec: SweepSpec, case: Case, ties: Set[Variant]) -> str:
    """What the few variants that do not tie share: `the 6 others all have unroll 1`; empty if nothing, or if many."""
    others = case.trials.keys() - ties
    if not 0 < len(others) < len(ties):
        return ""
    kept = [
        f"{each.parameter} {_range(each.values, spec.parameters[each.parameter])}"
        for each in shared(spec, case, others)
        if each.matters
    ]
    whose = f"the {len(others)} others all have" if len(others) > 1 else "the other one has"
    return f"{whose} {_and(kept)}" if kept else ""


def _range(values: Sequence[Value], known: Sequence[Value]) -> str:
    """Some of a parameter's values: one, a stretch of numbers, or a list."""
    words = [shown(value) for value in values]
    numbers = sorted(value for value in known if isinstance(value, int | float))
    mine = sorted(value for value in values if isinstance(value, int | float))
    is_stretch = len(mine) == len(values) > 1 and len(numbers) == len(known)
    if not is_stretch or numbers[numbers.index(mine[0]) :][: len(mine)] != mine:
        return _or(words)
    if mine[-1] == numbers[-1]:
        return f"{mine[0]} or more"
    return f"{mine[-1]} or less" if mine[0] == numbers[0] else f"{mine[0]} to {mine[-1]}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
