"""Which variants to measure on a real GPU: those among which the fastest is, given how predictions err."""

from collections.abc import Iterable, Sequence

import numpy as np

from dse.answers.recommendation import ratio
from dse.answers.similarity import TYPICAL, Errors, ReadMetrics, loads
from dse.store.records import VariantRecord

#: The fastest variants that are considered, and how much slower than the predicted best they may be.
CANDIDATES, SLOWEST = 250, 1.65
#: GPUs that are imagined: the predicted times with errors drawn at random.
IMAGINED = 6000
#: Variance that two variants which load the GPU equally do not share.
JITTER = 1e-9


def to_measure(
    trials: Iterable[VariantRecord], read: ReadMetrics, count: int, errors: Errors = TYPICAL
) -> list[VariantRecord]:
    """The variants of one GPU and workload to measure, of whose metrics some are read.

    Thousands of GPUs are imagined, on which variants that load them alike are mispredicted alike. Each variant that is
    added makes the fastest of the chosen ones, averaged over these GPUs, as close as can be to the fastest of all. So
    the list has fast variants, but not the same tie three times. Variants with the same machine code are measured once.
    """
    left = _distinct(sorted(trials, key=lambda trial: (trial.score, trial.point_index)))[:CANDIDATES]
    left = [trial for trial in left if ratio(trial, left[0]) <= SLOWEST]
    coordinates = loads(left, read)
    covariance = errors.covariance(coordinates, coordinates) + JITTER * np.eye(len(left))
    drawn = np.random.default_rng(0).standard_normal((IMAGINED, len(left))) @ np.linalg.cholesky(covariance).T
    times = np.array([trial.score for trial in left]) * np.exp(drawn)
    slowdowns = times / times.min(axis=1, keepdims=True)
    fastest, chosen = np.full(IMAGINED, np.inf), list[int]()
    while len(chosen) < min(count, len(left)):
        expected = np.minimum(fastest[:, None], slowdowns).mean(axis=0)
        expected[chosen] = np.inf
        chosen.append(int(expected.argmin()))
        fastest = np.minimum(fastest, slowdowns[:, chosen[-1]])
    return [left[place] for place in chosen]


def _distinct(trials: Sequence[VariantRecord]) -> list[VariantRecord]:
    """The first of those with equal code and equal predictions, as if a parameter changed nothing."""
    found: dict[object, VariantRecord] = {}
    for trial in trials:
        is_known = trial.code_bytes is not None
        key = (trial.score, trial.registers, trial.code_bytes) if is_known else trial.place
        found.setdefault(key, trial)
    return list(found.values())
