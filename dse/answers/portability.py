"""One variant for all GPUs and workloads: how much each variant loses in each case, and sets of a few variants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose, isfinite, isinf

import numpy as np
import numpy.typing as npt

from dse.answers.cases import Case, CaseKey, Target, Variant, variant_of, varied
from dse.answers.recommendation import ratio
from dse.errors import InputError
from dse.notebooks import html_table
from dse.store.records import SweepSpec
from dse.tables.text import slowdown, variant
from search_spaces import Point
from simcore.errors import did_you_mean

Floats = npt.NDArray[np.float64]

#: The slowdown over the best of each case that a set of variants may have by default.
WITHIN = 0.05
#: Variants in the largest set.
LARGEST_SET = 3


@dataclass(frozen=True)
class PortableVariant:
    """A variant on all GPUs and workloads.

    Attributes:
        parameters: the variant, without the workload.
        ratios: its objective relative to the best of each case, 1 or more; None where it did not complete.
        worst: the largest ratio; None if it did not complete everywhere.
        mean: the mean ratio, by the weights; None if it did not complete everywhere.
    """

    parameters: Point
    ratios: tuple[float | None, ...]
    worst: float | None
    mean: float | None


@dataclass(frozen=True)
class VariantSet:
    """A few variants of which each case takes its best.

    Attributes:
        variants: their parameters, without the workload.
        worst: the largest ratio to the best of a case.
    """

    variants: tuple[Point, ...]
    worst: float


@dataclass(frozen=True)
class Portability:
    """How well variants do where they were not tuned for.

    Attributes:
        cases: the GPUs and workloads, in the order of the sweep.
        weights: of the GPUs in the mean; their workloads share it equally.
        candidates: number of variants that completed everywhere.
        minimax: the variant whose worst ratio is the smallest.
        mean: the variant whose mean ratio is the smallest.
        tuned: the best variant of each case: the rows of the portability matrix, whose columns are the cases.
        sets: for one, two and three variants the set with the smallest worst ratio.
        within: the slowdown asked for, such as 0.05.
        smallest: the first of the sets that stays within it; None if three do not suffice.
    """

    cases: tuple[Target, ...]
    weights: Mapping[str, float]
    candidates: int
    minimax: PortableVariant
    mean: PortableVariant
    tuned: tuple[PortableVariant, ...]
    sets: tuple[VariantSet, ...]
    within: float
    smallest: VariantSet | None

    @property
    def unknown(self) -> str:
        """What a missing ratio means; empty if none is missing."""
        is_whole = all(None not in each.ratios for each in self.tuned)
        return "" if is_whole else "a dash: that variant was not tried there, or failed"

    @property
    def named(self) -> list[tuple[str, PortableVariant]]:
        """The rows of the portability matrix, each with what it is tuned for; the portable variants come first."""
        return [
            ("portable, least worst slowdown", self.minimax),
            ("portable, least mean slowdown", self.mean),
            *zip(map(str, self.cases), self.tuned, strict=True),
        ]

    def _repr_html_(self) -> str:
        """The portability matrix as a table, for notebooks."""
        head = ("tuned for", "variant", "worst", "mean", *map(str, self.cases))
        rows = (
            (name, variant(each.parameters), *map(slowdown, (each.worst, each.mean, *each.ratios)))
            for name, each in self.named
        )
        return html_table("\n".join(filter(None, (repr(self), self.unknown))), head, rows)

    def __repr__(self) -> str:
        least, mean = self.minimax, self.mean
        return (
            f"Portability({len(self.cases)} cases, minimax {variant(least.parameters)}: {least.worst:.3f}, "
            f"mean {variant(mean.parameters)}: {mean.mean:.3f})"
        )


def parse_weights(settings: Iterable[str]) -> dict[str, float] | None:
    """`["h200=0.5", "b200=0.5"]` as a mapping; None without any.

    Raises:
        InputError: one is not written so.
    """
    weights = {}
    for setting in settings:
        gpu, equals, share = setting.partition("=")
        try:
            weights[gpu.strip()] = float(share)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"weight {setting!r}: write GPU=SHARE, for example h200=0.5", "weight")
    return weights or None


def find_portable(
    spec: SweepSpec,
    cases: Mapping[CaseKey, Case],
    weights: Mapping[str, float] | None = None,
    within: float = WITHIN,
) -> Portability:
    """The variants to use on all GPUs and workloads of a sweep.

    Raises:
        InputError: the sweep has a single GPU and workload, no variant completed everywhere, an objective is not
            positive, or the weights are wrong.
    """
    shares = _checked(spec, weights)
    _check_cases(spec, cases)
    common = _everywhere(cases)
    ratios = _ratios(spec, cases, common)
    share = np.array([shares[key.gpu] / _workloads(key.gpu, cases) for key in cases])
    means, worst = ratios @ share, ratios.max(axis=1)
    sets = _sets(ratios, common, spec)

    def portable(row: int) -> PortableVariant:
        return PortableVariant(
            _point(spec, common[row]), tuple(map(float, ratios[row])), float(worst[row]), float(means[row])
        )

    return Portability(
        cases=tuple(Target(case.gpu, case.workload) for case in cases.values()),
        weights=shares,
        candidates=len(common),
        minimax=portable(int(np.lexsort((means, worst))[0])),
        mean=portable(int(np.lexsort((worst, means))[0])),
        tuned=tuple(_tuned(spec, case, cases, share) for case in cases.values()),
        sets=sets,
        within=within,
        smallest=next((each for each in sets if each.worst <= 1 + within), None),
    )


def _checked(spec: SweepSpec, weights: Mapping[str, float] | None) -> dict[str, float]:
    if weights is None:
        return {gpu: 1 / len(spec.gpus) for gpu in spec.gpus}
    for gpu, weight in weights.items():
        if gpu not in spec.gpus:
            known = ", ".join(spec.gpus)
            raise InputError(
                f"weight of {gpu}, which the sweep does not have{did_you_mean(gpu, spec.gpus)} (it has {known})",
                "weight",
            )
        if not isfinite(weight) or weight < 0:
            raise InputError(f"weight {gpu}={weight:g}: must be 0 or more", "weight")
    total = sum(weights.values())
    if not isclose(total, 1, abs_tol=1e-3):
        given = ", ".join(f"{gpu}={weight:g}" for gpu, weight in weights.items())
        raise InputError(f"weights {given} add up to {total:g}; they must add up to 1", "weight")
    return {gpu: weights.get(gpu, 0.0) / total for gpu in spec.gpus}


def _check_cases(spec: SweepSpec, cases: Mapping[CaseKey, Case]) -> None:
    if len(spec.gpus) * len(spec.workloads) == 1:
        raise InputError(
            f"one variant for all GPUs needs two at least, and this sweep has {spec.gpus[0]} only: its best variant is "
            "the answer; `dse extend SWEEP --gpu NAME` adds a GPU"
        )
    missing = [gpu for gpu in spec.gpus if not any(key.gpu == gpu for key in cases)]
    if missing:
        raise InputError(
            f"no complete trial on {', '.join(missing)} yet, so no variant is known to be portable"
        )


def _everywhere(cases: Mapping[CaseKey, Case]) -> list[Variant]:
    """The variants that completed in all cases, in point order."""
    first, *others = (case.trials for case in cases.values())
    common = [variant for variant in first if all(variant in trials for trials in others)]
    if not common:
        tried = len({variant for case in cases.values() for variant in case.trials})
        raise InputError(
            f"none of {tried} variants completed on all GPUs and workloads: a sampler tries others on each; explore "
            "every point (no --trials), or fewer values with --set"
        )
    return sorted(common, key=lambda variant: first[variant].point_index)


def _ratios(spec: SweepSpec, cases: Mapping[CaseKey, Case], variants: Sequence[Variant]) -> Floats:
    """The ratio of each variant (row) to the best of each case (column)."""
    ratios = [[_ratio(spec, case, variant) for case in cases.values()] for variant in variants]
    return np.array(ratios, float)


def _ratio(spec: SweepSpec, case: Case, variant: Variant) -> float | None:
    """A variant's objective relative to the best of a case; None if it did not complete there."""
    trial = case.trials.get(variant)
    if trial is None:
        return None
    if isinf(found := ratio(trial, case.best)):
        raise InputError(f"portability is a ratio of {spec.objectives[0][1]}, which has a 0 among its values")
    return found


def _workloads(gpu: str, cases: Iterable[CaseKey]) -> int:
    return sum(key.gpu == gpu for key in cases)


def _tuned(spec: SweepSpec, tuned_for: Case, cases: Mapping[CaseKey, Case], share: Floats) -> PortableVariant:
    """A row of the portability matrix."""
    variant = variant_of(spec, tuned_for.best.parameters)
    ratios = tuple(_ratio(spec, case, variant) for case in cases.values())
    known = [ratio for ratio in ratios if ratio is not None]
    is_everywhere = len(known) == len(ratios)
    return PortableVariant(
        _point(spec, variant),
        ratios,
        max(known) if is_everywhere else None,
        float(np.dot(known, share)) if is_everywhere else None,
    )


def _point(spec: SweepSpec, variant: Variant) -> Point:
    return dict(zip(varied(spec), variant, strict=True))


def _sets(ratios: Floats, variants: Sequence[Variant], spec: SweepSpec) -> tuple[VariantSet, ...]:
    """For each size the set with the smallest worst ratio; a larger set only if it is better."""
    sets: list[VariantSet] = []
    for size in range(1, LARGEST_SET + 1):
        rows = _best_set(ratios, size)
        worst = float(ratios[list(rows)].min(axis=0).max())
        if not sets or worst < sets[-1].worst:
            sets.append(VariantSet(tuple(_point(spec, variants[row]) for row in rows), worst))
    return tuple(sets)


def _best_set(ratios: Floats, size: int) -> tuple[int, ...]:
    """The rows of a set with the smallest worst ratio: the lowest threshold at which `size` rows cover all columns."""
    thresholds = np.unique(ratios)
    low, high = 0, len(thresholds) - 1
    best = _cover(ratios <= thresholds[high], size)
    assert best is not None, "every row covers all columns at the largest ratio"
    while low < high:
        middle = (low + high) // 2
        if (found := _cover(ratios <= thresholds[middle], size)) is not None:
            best, high = found, middle
        else:
            low = middle + 1
    return best


def _cover(covers: npt.NDArray[np.bool_], size: int) -> tuple[int, ...] | None:
    """At most `size` rows that together cover every column; None if there are none."""
    if covers.all(axis=1).any():
        return (int(covers.all(axis=1).argmax()),)
    if size == 1:
        return None
    column = int(covers.sum(axis=0).argmin())  # the hardest to cover: one row of the set must
    patterns, rows = np.unique(covers[covers[:, column]], axis=0, return_index=True)
    here = np.flatnonzero(covers[:, column])
    for pattern, row in sorted(
        zip(patterns, here[rows], strict=True), key=lambda each: (-each[0].sum(), each[1])
    ):
        rest = _cover(covers[:, ~pattern], size - 1)
        if rest is not None:
            return (int(row), *rest)
    return None
