"""How well predictions agree with measurements: per family of variants, then over families."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from simcore.validation.prediction import Prediction

#: With fewer variants a correlation is meaningless.
MIN_TO_RANK = 3

#: Times closer than this ratio are a tie: nobody can tell them apart, and nobody has to.
CLEARLY_SLOWER = 1.05


@dataclass(frozen=True)
class Score:
    """The agreement over a family's variants, or over families. All but `points` are fractions; None: unknown.

    Attributes:
        family: its name.
        points: number of variants.
        error: mean of |predicted / measured - 1|.
        bias: mean of predicted / measured - 1.
        worst: largest |predicted / measured - 1|.
        rank: Spearman's correlation of predicted and measured times; None for fewer than three variants.
        order: share of the pairs whose measured times are at least 5 % apart that are predicted in the same order; None
            without such pairs. Unlike `rank`, it does not punish ties.
        regret: measured time of the predicted-fastest variant divided by that of the fastest, minus one.
        instructions: share of variants whose warp instructions equal the hardware's.
        registers: share with equal registers per thread.
        blocks: share with equal blocks per SM.
        stall: share whose dominant stall is Nsight's, or within 5 % of Nsight's largest.
    """

    family: str
    points: int
    error: float
    bias: float
    worst: float
    rank: float | None
    order: float | None
    regret: float
    instructions: float | None
    registers: float | None
    blocks: float | None
    stall: float | None


def score_families(predictions: Iterable[Prediction]) -> list[Score]:
    """A score for each family, the largest mean error first."""
    families: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in predictions:
        families[prediction.measurement.family].append(prediction)
    return sorted((_score(name, variants) for name, variants in families.items()), key=lambda s: -s.error)


def summarise(scores: Sequence[Score]) -> list[Score]:
    """Two rows over families, all weighted equally: the mean of each figure, and the worst."""
    points = sum(score.points for score in scores)
    return [
        Score("mean over families", points, **_each(scores, lambda name, values: float(np.mean(values)))),
        Score("worst over families", points, **_each(scores, _worst)),
    ]


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Spearman's, ties at their mean rank; None for fewer than three pairs, or if all values of one side are equal."""
    if len(a) < MIN_TO_RANK or len(set(a)) == 1 or len(set(b)) == 1:
        return None
    return float(np.corrcoef(pd.Series(a).rank(), pd.Series(b).rank())[0, 1])


def order(measured: Sequence[float], predicted: Sequence[float]) -> float | None:
    """The share of the pairs at least 5 % apart that are predicted in the same order; None without such pairs."""
    pairs = [
        (predicted[a] < predicted[b])
        for a, fast in enumerate(measured)
        for b, slow in enumerate(measured)
        if slow >= fast * CLEARLY_SLOWER
    ]
    return sum(pairs) / len(pairs) if pairs else None


def regret(measured: Sequence[float], predicted: Sequence[float]) -> float:
    """How much slower the predicted-fastest variant is than the fastest, as a fraction."""
    return measured[int(np.argmin(predicted))] / min(measured) - 1.0


def _score(family: str, variants: Sequence[Prediction]) -> Score:
    errors = np.array([v.error for v in variants])
    measured = [v.measurement.time_us for v in variants]
    predicted = [v.time_us for v in variants]
    return Score(
        family=family,
        points=len(variants),
        error=float(np.mean(abs(errors))),
        bias=float(np.mean(errors)),
        worst=float(np.max(abs(errors))),
        rank=rank_correlation(measured, predicted),
        order=order(measured, predicted),
        regret=regret(measured, predicted),
        instructions=_share(v.same_instructions for v in variants),
        registers=_share(v.same_registers for v in variants),
        blocks=_share(v.same_blocks for v in variants),
        stall=_share(v.same_stall for v in variants),
    )


def _share(outcomes: Iterable[bool | None]) -> float | None:
    """The share of True among the known outcomes."""
    known = [outcome for outcome in outcomes if outcome is not None]
    return sum(known) / len(known) if known else None


def _each(scores: Sequence[Score], combine: Callable[[str, list[float]], float]) -> dict[str, Any]:
    """Each figure combined over the scores that have it; None if none has."""
    combined: dict[str, Any] = {}
    for figure in (f.name for f in fields(Score) if f.name not in ("family", "points")):
        known = [value for score in scores if (value := getattr(score, figure)) is not None]
        combined[figure] = combine(figure, known) if known else None
    return combined


def _worst(figure: str, values: list[float]) -> float:
    """The bias farthest from zero, the largest error and regret, the smallest of the others, which should be one."""
    if figure == "bias":
        return max(values, key=abs)
    return max(values) if figure in ("error", "worst", "regret") else min(values)
