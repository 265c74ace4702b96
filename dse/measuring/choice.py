"""Which variants of a sweep to measure, and what the times of these say of all."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dse.answers.calibration import Calibration, calibrated
from dse.answers.cases import cases_of
from dse.answers.measuring import to_measure
from dse.answers.similarity import ReadMetrics
from dse.errors import InputError
from dse.measuring.measured_times import match_times
from dse.service import Service
from dse.store import SweepSpec, TrialQuery, VariantRecord

#: Trials that are asked for by their numbers; where there are more, all are read.
FEW = 500


def worth_measuring(
    service: Service, sweep: str, count: int, gpu: str | None, filter: str | None
) -> list[VariantRecord]:
    """For each GPU and workload fast variants that differ, in the order of their worth.

    Args:
        service: what knows the sweep.
        sweep: its id.
        count: the number of variants for each GPU and workload.
        gpu: only this one.
        filter: only among the trials that it selects.

    Raises:
        InputError: the sweep is not about time, or has no complete trial there.
    """
    spec = _timed(service, sweep)
    variants = service.variants(sweep)
    if filter is not None:
        allowed = {trial.place for trial in service.trials(sweep, TrialQuery(filter))}
        variants = (each for each in variants if each.place in allowed)
    read = _reader(service, sweep)
    chosen = [
        each
        for case in cases_of(spec, variants).values()
        if gpu in (None, case.gpu)
        for each in to_measure(case.trials.values(), read, count)
    ]
    if not chosen:
        where = f"{f' on {gpu}' if gpu else ''}{f' with {filter}' if filter else ''}"
        raise InputError(f"sweep {sweep} has no complete trial{where} to measure")
    return chosen


def calibrations(service: Service, sweep: str, path: Path, gpu: str | None) -> list[Calibration]:
    """The variants of each GPU and workload with measured times, rescaled and ranked by these.

    Args:
        service: what knows the sweep.
        sweep: its id.
        path: the file with the times.
        gpu: the GPU that was measured; None for the one that the file names, or the sweep's only one.

    Raises:
        InputError, MeasurementError: the file belongs to another kernel, or to other variants.
    """
    spec = _timed(service, sweep)
    cases = cases_of(spec, service.variants(sweep))
    found = match_times(path, spec, cases, gpu)
    read = _reader(service, sweep)
    return [calibrated(cases[key], read, times) for key, times in found.items()]


def _timed(service: Service, sweep: str) -> SweepSpec:
    """The sweep's specification; InputError if it is about something else than time."""
    spec = service.spec(sweep)
    direction, metric = spec.objectives[0]
    if (direction, metric) != ("minimize", "time_us"):
        raise InputError(
            f"sweep {sweep}: measuring is about time_us, and its first objective is {direction} {metric}; "
            'run the space again with --objective "minimize time_us": points that are known are not simulated again'
        )
    return spec


def _reader(service: Service, sweep: str) -> ReadMetrics:
    """What reads the metrics of variants of one GPU, by number; if they are many, those of all its trials."""

    def read(variants: Sequence[VariantRecord]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        asked = f"gpu = '{variants[0].gpu}' and state = 'complete'"
        if len(variants) <= FEW:
            asked = f"number in ({', '.join(str(each.number) for each in variants)})"
        return ((trial.number, trial.metrics) for trial in service.trials(sweep, TrialQuery(asked)))

    return read
