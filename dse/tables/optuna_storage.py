"""A sweep as an Optuna storage in SQLite, a study for each GPU and workload, which optuna-dashboard opens; and the
studies of such a file.
"""

import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.trial import FrozenTrial, TrialState, create_trial

from dse.errors import InputError
from dse.store import SweepSpec, TrialRecord
from dse.tables.text import variant
from search_spaces import Value

#: What the names of attributes begin with, and those of a study.
ATTRIBUTE = "dse."
SWEEP, GPU, WORKLOAD = (f"{ATTRIBUTE}{name}" for name in ("sweep", "gpu", "workload"))
#: What an SQLite file begins with.
_MAGIC = b"SQLite format 3\0"


class ReadStudy(NamedTuple):
    """A study that was read.

    Attributes:
        name: its name.
        metrics: what it calls its values; empty if it does not say.
        gpu: the GPU that its trials ran on, if it says.
        trials: of each complete trial its number, parameters and values.
    """

    name: str
    metrics: list[str]
    gpu: str | None
    trials: list[tuple[int, Mapping[str, Any], Sequence[float]]]


def is_storage(path: Path) -> bool:
    """Whether this is an SQLite file."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_studies(path: Path) -> Iterator[ReadStudy]:
    """The studies of an Optuna storage in SQLite.

    Raises:
        InputError: it is another kind of SQLite file, or of another version of Optuna.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as file:
            tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if not tables >= {"studies", "trials", "version_info"}:
        raise InputError(f"{path}: is not an Optuna storage")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}", skip_table_creation=True)
    except RuntimeError as error:  # of another version, with the command that upgrades it
        raise InputError(f"{path}: {error}") from error
    for name in optuna.get_all_study_names(storage):
        study = optuna.load_study(study_name=name, storage=storage)
        told = study.user_attrs
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        yield ReadStudy(
            name=study.study_name,
            metrics=study.metric_names or [],
            gpu=told.get(GPU),
            trials=[(each.number, each.params | told.get(WORKLOAD, {}), each.values) for each in complete],
        )
    storage.remove_session()


def write_studies(trials: Iterable[TrialRecord], path: Path, spec: SweepSpec, sweep: str) -> int:
    """Write the trials of a sweep to a new file; returns their number."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    by_case: dict[str, list[FrozenTrial]] = {}
    attributes: dict[str, dict[str, str | Mapping[str, Value]]] = {}
    for trial in trials:
        workload = spec.workload_of(trial.parameters)
        case = " ".join([trial.gpu, variant(workload)]).strip()
        attributes[case] = {SWEEP: sweep, GPU: trial.gpu, WORKLOAD: workload}
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
        for name, value in attributes[case].items():
            study.set_user_attr(name, value)
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
