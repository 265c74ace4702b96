"""What an export needs of MLflow: runs that are found, created, described and deleted.

There are two ways to it. `sqlite_runs` writes the tables of MLflow's SQLite file, without importing MLflow, which takes
three seconds of CPU time. `client_runs` uses MLflow's client, for anything else, such as a tracking server. Both leave
the same runs.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dse.errors import DseError


class ExperimentDeleted(DseError):
    """The experiment was deleted in MLflow."""

    def __init__(self, name: str, experiment_id: str) -> None:
        restore = f"mlflow experiments restore --experiment-id {experiment_id}"
        super().__init__(f"its experiment {name!r} is deleted: `{restore}` restores it")
        self.name = name
        self.experiment_id = experiment_id


@dataclass(frozen=True)
class ChildRun:
    """The child run of one trial; times are milliseconds since 1970."""

    name: str
    status: str
    start_ms: int
    end_ms: int
    tags: Mapping[str, str]
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class FoundRun:
    """A run as MLflow has it; metrics are the latest."""

    run_id: str
    experiment_id: str
    status: str
    start_ms: int
    tags: Mapping[str, str]
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]


class Runs(ABC):
    """Runs at a tracking URI."""

    @abstractmethod
    def experiment(self, name: str) -> str:
        """The id of an experiment; creates it if necessary.

        Raises:
            ExperimentDeleted: it was deleted.
        """

    @abstractmethod
    def known_experiment(self, name: str) -> str | None:
        """The id of an experiment; None if it does not exist or was deleted."""

    @abstractmethod
    def version(self) -> str | None:
        """The version of the MLflow that shows the runs; None if it does not say."""

    @abstractmethod
    def set_experiment_tag(self, experiment_id: str, key: str, value: str) -> None:
        """Set a tag of an experiment."""

    @abstractmethod
    def delete_experiment_tag(self, experiment_id: str, key: str) -> None:
        """Delete a tag of an experiment, if it has it."""

    @abstractmethod
    def find(self, experiment_id: str, tags: Mapping[str, str]) -> Iterator[FoundRun]:
        """Every run of an experiment with those tags, except deleted ones."""

    @abstractmethod
    def begin(self, experiment_id: str, name: str, start_ms: int, tags: Mapping[str, str]) -> FoundRun:
        """Create a run that is running."""

    @abstractmethod
    def log_metrics(self, run_id: str, metrics: Mapping[str, float], step: int) -> None:
        """Add metrics to a run, as of now."""

    @abstractmethod
    def log_files(self, run_id: str, folder: Path) -> None:
        """Copy the contents of a folder to the files of a run."""

    @abstractmethod
    def set_tag(self, run_id: str, key: str, value: str) -> None:
        """Set a tag of a run."""

    @abstractmethod
    def set_status(self, run_id: str, status: str, ended_at: datetime | None) -> None:
        """Set the status of a run, and its end time if it has ended."""

    @abstractmethod
    def delete(self, run_ids: Iterable[str]) -> None:
        """Delete runs; MLflow keeps them in its trash."""

    @abstractmethod
    def create(self, experiment_id: str, children: Sequence[ChildRun]) -> list[str]:
        """Create a run for each child, with its tags; returns their ids."""

    @abstractmethod
    def finish(self, children: Mapping[str, ChildRun]) -> None:
        """Give each run, by id, its parameters, metrics and end; idempotent."""

    def is_current(self) -> bool:
        """Whether this is still connected to what its URI refers to."""
        return True

    @abstractmethod
    def close(self) -> None:
        """Close every connection."""
