"""Our samplers, and plain Optuna's, on a table: the times of the points in the order they are asked for."""

from math import inf
from time import process_time
from typing import NamedTuple

from benchmarks.search.tables import Table
from dse.search import Plan, start_search

#: Optuna's samplers as they come.
PLAIN = {"tpe": "TPESampler", "random": "RandomSampler", "nsga2": "NSGAIISampler", "cmaes": "CmaEsSampler"}
#: How often plain Optuna may ask for points that are invalid or known before it has to take another turn.
MOST_ASKED = 20


class Run(NamedTuple):
    """The times that a search found, in order, and what it took itself.

    Attributes:
        times: microseconds; infinity for a point that failed.
        seconds: processor time of the search.
    """

    times: list[float]
    seconds: float


def replay(table: Table, sampler: str, seed: int, trials: int) -> Run:
    """A sweep's search, which is told each time as soon as it asks for it."""
    began = process_time()
    search = start_search(table.space, [table.gpu], Plan(sampler, trials), seed)
    times: list[float] = []
    seen: set[int] = set()
    while suggestion := search.ask():
        assert suggestion.index not in seen
        assert table.space.is_valid(suggestion.point)
        seen.add(suggestion.index)
        time = table.times[suggestion.index]
        search.tell(suggestion, None if time is None else [time])
        times.append(inf if time is None else time)
    return Run(times, process_time() - began)


def replay_plain(table: Table, sampler: str, seed: int, trials: int) -> Run:
    """Optuna alone: points that are invalid, or known already, cost it nothing."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    began = process_time()
    study = optuna.create_study(sampler=getattr(optuna.samplers, PLAIN[sampler])(seed=seed))
    known: dict[int, float | None] = {}
    for _ in range(trials * MOST_ASKED):
        if len(known) == trials:
            break
        trial = study.ask()
        values = table.space.parameters.items()
        point = {name: trial.suggest_categorical(name, several) for name, several in values}
        if not table.space.is_valid(point):
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            continue
        index = table.space.index(point)
        time = known.setdefault(index, table.times[index])
        study.tell(trial, time, state=None if time is not None else optuna.trial.TrialState.FAIL)
    return Run([inf if time is None else time for time in known.values()], process_time() - began)
