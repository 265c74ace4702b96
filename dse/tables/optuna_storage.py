"""A sweep as an Optuna storage in SQLite, a study for each GPU and workload, which optuna-dashboard opens."""

import warnings
from collections.abc import Iterable
from pathlib import Path

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.trial import FrozenTrial, TrialState, create_trial

from dse.store import SweepSpec, TrialRecord
from dse.tables.text import variant

#: What the names of attributes begin with.
ATTRIBUTE = "dse."


def write_studies(trials: Iterable[TrialRecord], path: Path, spec: SweepSpec, sweep: str) -> int:
    """Write the trials of a sweep to a new file; returns their number."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    by_case: dict[str, list[FrozenTrial]] = {}
    for trial in trials:
        case = " ".join([trial.gpu, variant(spec.workload_of(trial.parameters))]).strip()
        by_case.setdefault(case, []).append(_trial(trial, spec))
    for case, found in by_case.items():
        study = optuna.create_study(
            storage=storage,
            study_name=f"{spec.name} {sweep}: {case}",
            directions=[direction for direction, _ in spec.objectives],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            study.set_metric_names([metric for _, metric in spec.objectives])
        study.set_user_attr(f"{ATTRIBUTE}sweep", sweep)
        study.add_trials(found)
    storage.remove_session()
    return sum(map(len, by_case.values()))


def _trial(trial: TrialRecord, spec: SweepSpec) -> FrozenTrial:
    """A trial with its metrics as attributes; without a value of an objective it failed."""
    values = [trial.metrics.get(metric) for _, metric in spec.objectives]
    known = [value for value in values if value is not None]
    is_complete = trial.state == "complete" and len(known) == len(values)
    chosen = spec.chosen_of(trial.parameters)
    distributions: dict[str, BaseDistribution] = {
        name: CategoricalDistribution(spec.parameters[name]) for name in chosen
    }
    told = {name: value for name, value in trial.metrics.items() if isinstance(value, int | float | str)}
    told |= {"number": trial.number} | ({"reason": trial.reason} if trial.reason else {})
    return create_trial(
        state=TrialState.COMPLETE if is_complete else TrialState.FAIL,
        values=known if is_complete else None,
        params=chosen,
        distributions=distributions,
        user_attrs={f"{ATTRIBUTE}{name}": value for name, value in told.items()},
    )
