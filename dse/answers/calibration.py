"""Measured times of a few variants: the others are rescaled and ranked again, with the interval that is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np

from dse.answers.cases import Case, Variant
from dse.answers.similarity import TYPICAL, Floats, ReadMetrics, loads
from dse.notebooks import html_table
from dse.store.records import VariantRecord
from dse.tables.text import microseconds, variant
from search_spaces import Point

#: Standard deviation of a measured time's logarithm.
NOISE = 0.01
#: Standard deviations on either side that hold 90 % of a normal distribution.
SIDES = 1.645
#: Relative difference up to which a time is a prediction that was written to a file.
AGAIN = 1e-6
#: Variants in the table of a notebook.
SHOWN = 20


@dataclass(frozen=True)
class CalibratedVariant:
    """A variant with its time as the measurements suggest it.

    Attributes:
        trial: the variant as predicted.
        time_us: the measured time, or the predicted one, corrected by the errors of similar variants.
        low_us, high_us: hold the true time in nine of ten cases.
        measured_us: None if neither it nor one with its machine code was measured.
    """

    trial: VariantRecord
    time_us: float
    low_us: float
    high_us: float
    measured_us: float | None = None


@dataclass(frozen=True)
class Calibration:
    """The variants of one GPU and workload after a calibration, fastest first.

    Attributes:
        gpu: GPU name.
        workload: the workload parameters' values.
        factor: measured over predicted time, the geometric mean over what was measured.
    """

    gpu: str
    workload: Point
    factor: float
    variants: tuple[CalibratedVariant, ...]

    @property
    def best(self) -> CalibratedVariant:
        """The fastest of those that were measured: an estimate that is faster still may be so by chance."""
        return next(each for each in self.variants if each.measured_us is not None)

    @property
    def is_circular(self) -> bool:
        """Whether what was measured is what was predicted, written to a file and read again."""
        measured = (each for each in self.variants if each.measured_us is not None)
        return all(isclose(each.measured_us or 0, each.trial.score, rel_tol=AGAIN) for each in measured)

    @property
    def undecided(self) -> list[CalibratedVariant]:
        """The others that may be faster, those most likely to be first: what to measure next."""
        others = (each for each in self.variants if each.measured_us is None)
        return [each for each in others if each.low_us < self.best.time_us]

    def __repr__(self) -> str:
        measured = sum(each.measured_us is not None for each in self.variants)
        return (
            f"Calibration({self.gpu!r}, {dict(self.workload)}, {measured} of {len(self.variants)} measured)"
        )

    def _repr_html_(self) -> str:
        """The fastest variants as a table, for notebooks."""
        rows = [
            (
                variant(each.trial.parameters),
                microseconds(each.time_us),
                f"{each.low_us:.4g} to {each.high_us:.4g}",
                "predicted" if each.measured_us is None else "measured",
            )
            for each in self.variants[:SHOWN]
        ]
        more = f", the fastest {SHOWN}" if len(self.variants) > SHOWN else ""
        return html_table(f"{self!r}{more}", ("variant", "time", "interval, µs", "is"), rows)


def calibrated(case: Case, read: ReadMetrics, measured: Mapping[Variant, float]) -> Calibration:
    """Correct the predictions of one GPU and workload.

    Args:
        case: the variants.
        read: reads their metrics.
        measured: measured times in microseconds, by variant; one with the machine code of a measured one takes as long.
    """
    trials = list(case.trials.values())
    known = [place for place, each in enumerate(case.trials) if each in measured]
    predicted = np.array([trial.score for trial in trials])
    times = np.array([measured[each] for each in case.trials if each in measured])
    errors = np.log(times / predicted[known])
    coordinates = loads(trials, read)
    likeness = TYPICAL.covariance(coordinates[known], coordinates)
    corrections, doubts = _conditioned(likeness, known, errors)
    of_code = {case.trials[each].code: time for each, time in measured.items()}
    found = [
        _variant(trial, float(time), float(doubt), measured.get(each, of_code.get(trial.code)))
        for (each, trial), time, doubt in zip(
            case.trials.items(), predicted * np.exp(corrections), doubts, strict=True
        )
    ]
    ranked = tuple(sorted(found, key=lambda each: (each.time_us, each.trial.point_index)))
    return Calibration(case.gpu, case.workload, float(np.exp(errors.mean())), ranked)


def _conditioned(likeness: Floats, known: Sequence[int], errors: Floats) -> tuple[Floats, Floats]:
    """Expected value and standard deviation of all errors, given those of the rows of a covariance."""
    noise = NOISE**2
    weights = np.linalg.solve(likeness[:, known] + noise * np.eye(len(known)), likeness)
    variances = TYPICAL.spread**2 - (weights * likeness).sum(axis=0) + noise
    return errors @ weights, np.sqrt(variances)


def _variant(trial: VariantRecord, time_us: float, doubt: float, measured: float | None) -> CalibratedVariant:
    if measured is not None:
        time_us, doubt = measured, NOISE
    reach = float(np.exp(SIDES * doubt))
    return CalibratedVariant(trial, time_us, time_us / reach, time_us * reach, measured)
