"""What a sweep takes from an earlier one: its winners, to begin with, and its results, to learn from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dse.errors import InputError
from dse.search import EarlierResult, SearchSettings
from dse.store import SweepSpec, TrialRecord
from dse.store.records import workload_key
from search_spaces import Point

#: Results of a study that are learnt: the best, and others from anywhere.
BEST, OTHERS = 48, 48


def warm_started(spec: SweepSpec, earlier: SweepSpec, sweep: str, trials: Iterable[TrialRecord]) -> SweepSpec:
    """A specification with what is known from an earlier sweep.

    Args:
        spec: of the new sweep.
        earlier: of the earlier one.
        sweep: its id.
        trials: its trials.

    Raises:
        InputError: the sweeps are of different kernels, parameters or objectives.
    """
    for what in ("name", "objectives"):
        _check_same(sweep, what, getattr(spec, what), getattr(earlier, what))
    if any(metric in spec.metrics for _, metric in spec.objectives):
        _check_same(sweep, "metrics", spec.metrics, earlier.metrics)
    _check_same(sweep, "parameters", list(spec.parameters), list(earlier.parameters))
    known: list[EarlierResult] = []
    winners: list[Point] = []
    for study, some in _studies(earlier, trials).items():
        best_first = sorted(some, key=lambda trial: (trial.score or 0.0, trial.number))
        results = [EarlierResult(study, trial.parameters, _values(earlier, trial)) for trial in best_first]
        winners.append(spec.chosen_of(results[0].parameters))
        known += _some(results)
    if not known:
        raise InputError(f"warm start: sweep {sweep} has no complete trial", "/warm_start")
    settings = SearchSettings.of(spec.search)
    first = [*settings.first, *(point for place, point in enumerate(winners) if point not in winners[:place])]
    return replace(spec, search=replace(settings, first=first, earlier=known).stored)


def _check_same(sweep: str, what: str, mine: object, theirs: object) -> None:
    if mine != theirs:
        name = "kernel" if what == "name" else what
        differ = f"its {name} {_in_words(theirs)}, this one's {_in_words(mine)}"
        raise InputError(f"warm start: sweep {sweep} is of another space: {differ}", "/warm_start")


def _in_words(value: object) -> str:
    """Names, or pairs such as directions with their metrics, one after the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    if isinstance(value, Iterable):
        return ", ".join(each if isinstance(each, str) else " ".join(each) for each in value)
    return str(value)


def _studies(spec: SweepSpec, trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The trials of each GPU and workload that have a value of every objective."""
    studies: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        if all(trial.metrics.get(metric) is not None for _, metric in spec.objectives):
            name = f"{trial.gpu} {workload_key(spec.workload, trial.parameters)}"
            studies.setdefault(name, []).append(trial)
    return studies


def _values(spec: SweepSpec, trial: TrialRecord) -> list[float]:
    return [trial.metrics[metric] for _, metric in spec.objectives]


def _some(results: Sequence[EarlierResult]) -> list[EarlierResult]:
    rest = results[BEST:]
    step = max(1, -(-len(rest) // OTHERS))
    return [*results[:BEST], *rest[::step]]
