"""How much each parameter matters: the share of the variance of the logarithm that it explains by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Importance:
    """What the variance of one GPU and workload is due to.

    Attributes:
        parameters: for each the share that it explains by itself, 0 to 1.
        together: the share that no parameter explains by itself.
    """

    parameters: tuple[float, ...]
    together: float


def importance(
    logarithms: Floats, codes: Sequence[npt.NDArray[np.intp]], is_sample: bool
) -> Importance | None:
    """The importance of each parameter, as if every combination of the values that were tried had been tried once.

    The logarithm is fitted by a sum of effects, one for each value of each parameter, so that a value that was tried
    with other good values only is not credited with theirs. A parameter's variance is that of its effects, each counted
    once. Over a full grid these are the means of the values, and the shares those of an analysis of variance.

    Args:
        logarithms: of the objective, a number for each variant.
        codes: for each parameter, which of its values each variant has.
        is_sample: whether there are other variants that were not tried: then the effects are estimates, and what chance
            adds to their variance is subtracted.

    Returns:
        None if the variants are too few to tell the effects from each other, or all alike.
    """
    values = [np.unique(each, return_inverse=True)[1] for each in codes]
    sizes = [int(each.max()) + 1 for each in values]
    effects = 1 + sum(size - 1 for size in sizes)
    centred = logarithms - logarithms.mean()
    if (is_sample and len(centred) < 2 * effects) or not centred.any():
        return None
    counts, sums = _moments(values, sizes, centred)
    inverse = np.linalg.pinv(counts, hermitian=True)
    found = inverse @ sums
    left = max(float(centred @ centred - found @ sums), 0.0)
    rest = left / (len(centred) - effects if is_sample else len(centred))
    parts = np.split(np.arange(len(sums)), np.cumsum(sizes)[:-1])
    variances = [float(found[part].var()) for part in parts]
    if is_sample:
        chance = [rest * _mean_variance(inverse[np.ix_(part, part)]) for part in parts]
        variances = [max(all_ - some, 0.0) for all_, some in zip(variances, chance, strict=True)]
    total = sum(variances) + rest
    return Importance(tuple(each / total for each in variances), rest / total) if total else None


def _moments(
    values: Sequence[npt.NDArray[np.intp]], sizes: Sequence[int], centred: Floats
) -> tuple[Floats, Floats]:
    """How often each pair of values occurs, and the sum of the logarithms of each value."""
    starts = np.cumsum([0, *sizes])
    counts, sums = np.zeros((starts[-1], starts[-1])), np.zeros(starts[-1])
    places = [slice(start, start + size) for start, size in zip(starts, sizes, strict=False)]
    for mine, value in zip(places, values, strict=True):
        counts[mine, mine] = np.diag(np.bincount(value))
        sums[mine] = np.bincount(value, weights=centred)
    for one, other in combinations(range(len(values)), 2):
        pairs = np.bincount(values[one] * sizes[other] + values[other], minlength=sizes[one] * sizes[other])
        counts[places[one], places[other]] = pairs.reshape(sizes[one], sizes[other])
        counts[places[other], places[one]] = pairs.reshape(sizes[one], sizes[other]).T
    return counts, sums


def _mean_variance(covariance: npt.NDArray[np.floating]) -> float:
    """The variance between numbers with this covariance and equal means, to be expected by chance."""
    return float(np.trace(covariance) / len(covariance) - covariance.mean())
