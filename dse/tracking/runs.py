"""Access to MLflow: its client, and a shortcut for child runs in SQLite.

MLflow's API takes one run at a time, at about 10 ms of CPU time each; MLflow's own models and
sessions take a whole batch in two transactions, at about 0.5 ms per run. So child runs are written to a SQLite file
through `SqliteRuns`, and to anything else (a tracking server) through `MlflowRuns`. Both produce the same runs.
"""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any
from uuid import uuid4

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
# A repeated request could create a run twice; instead, the next export looks first and writes what is missing.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")

from filelock import FileLock
from mlflow import MlflowClient
from mlflow.entities import LifecycleStage, Metric, Param, Run, RunStatus
from mlflow.exceptions import MlflowException
from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric, SqlParam, SqlRun, SqlTag
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
from sqlalchemy import Engine, Select, insert, make_url, select, text, update

#: Runs read in one search.
SEARCH_PAGE = 1000


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


def connect(tracking_uri: str) -> "MlflowRuns":
    """The fastest way to a tracking URI; MLflow's own housekeeping stays silent."""
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return SqliteRuns(tracking_uri) if tracking_uri.startswith("sqlite:") else MlflowRuns(tracking_uri)


class MlflowRuns:
    """Runs at any tracking URI, through MLflow's client.

    Attributes:
        client: MLflow's client, for operations that need only one call.
    """

    #: Folder for the files of new experiments; None leaves the choice to the server.
    artifact_folder: Path | None = None

    def __init__(self, tracking_uri: str) -> None:
        self.client = MlflowClient(tracking_uri)

    def experiment(self, name: str) -> str:
        """The id of an experiment; creates it if necessary.

        Raises:
            MlflowException: it was deleted.
        """
        experiment = self.client.get_experiment_by_name(name)
        if experiment is None:
            location = (self.artifact_folder / name).as_uri() if self.artifact_folder else None
            return self.client.create_experiment(name, artifact_location=location)
        experiment_id = str(experiment.experiment_id)
        if experiment.lifecycle_stage == LifecycleStage.DELETED:
            restore = f"mlflow experiments restore --experiment-id {experiment_id}"
            raise MlflowException(f"its experiment {name!r} is deleted: `{restore}` restores it")
        return experiment_id

    def known_experiment(self, name: str) -> str | None:
        """The id of an experiment; None if it does not exist or was deleted."""
        experiment = self.client.get_experiment_by_name(name)
        if experiment is None or experiment.lifecycle_stage == LifecycleStage.DELETED:
            return None
        return str(experiment.experiment_id)

    def find(self, experiment_id: str, tags: Mapping[str, str]) -> Iterator[Run]:
        """Every run of an experiment with those tags, except deleted ones."""
        condition = " and ".join(f"tags.`{key}` = '{value}'" for key, value in tags.items())
        page_token: str | None = None
        while True:
            page = self.client.search_runs(
                [experiment_id], condition, max_results=SEARCH_PAGE, page_token=page_token
            )
            yield from page
            page_token = page.token
            if not page_token:
                return

    def log_parameters(self, run_id: str, parameters: Mapping[str, str]) -> None:
        """Add parameters to a run."""
        self.client.log_batch(run_id, params=[Param(name, value) for name, value in parameters.items()])

    def log_metrics(self, run_id: str, metrics: Mapping[str, float], step: int) -> None:
        """Add metrics to a run, as of now."""
        if not metrics:
            return
        now_ms = int(1000 * time())
        self.client.log_batch(
            run_id, metrics=[Metric(name, value, now_ms, step) for name, value in metrics.items()]
        )

    def set_status(self, run_id: str, status: str, ended_at: datetime | None) -> None:
        """Set the status of a run, and its end time if it has ended."""
        self._update(run_id, status, int(1000 * ended_at.timestamp()) if ended_at else None)

    def delete(self, run_ids: Iterable[str]) -> None:
        """Delete runs; MLflow keeps them in its trash."""
        for run_id in run_ids:
            self.client.delete_run(run_id)

    def create(self, experiment_id: str, children: Sequence[ChildRun]) -> list[str]:
        """Create a run for each child, with its tags; returns their ids."""
        runs = (
            self.client.create_run(experiment_id, child.start_ms, dict(child.tags), child.name)
            for child in children
        )
        return [run.info.run_id for run in runs]

    def finish(self, children: Mapping[str, ChildRun]) -> None:
        """Give each run, by id, its parameters, metrics and end; idempotent."""
        for run_id, child in children.items():
            metrics = [Metric(name, value, child.end_ms, 0) for name, value in child.metrics.items()]
            params = [Param(name, value) for name, value in child.parameters.items()]
            self.client.log_batch(run_id, metrics=metrics, params=params)
            self._update(run_id, child.status, child.end_ms)

    def is_current(self) -> bool:
        """Whether this is still connected to what its URI refers to."""
        return True

    def close(self) -> None:
        """Close every connection."""

    def _update(self, run_id: str, status: str, end_ms: int | None) -> None:
        """Update a run with one request; the client's `set_terminated` and `update_run` need two or three."""
        store: Any = self.client._tracking_client.store
        store.update_run_info(run_id, RunStatus.from_string(status), end_ms, None)


class SqliteRuns(MlflowRuns):
    """Writes child runs directly to the tables of MLflow's SQLite file, through MLflow's own models and sessions.

    New experiments keep their files in `mlartifacts/` next to it. The file is in WAL mode, so `mlflow ui`
    can read while a sweep writes.
    """

    def __init__(self, tracking_uri: str) -> None:
        self._database = Path(make_url(tracking_uri).database or "mlflow.db").absolute()
        self._database.parent.mkdir(parents=True, exist_ok=True)
        self.artifact_folder = self._database.parent / "mlartifacts"
        store: Any = SqlAlchemyStore  # untyped in MLflow
        with FileLock(f"{self._database}.lock"):  # MLflow creates the tables of a new file without it
            if not self._database.exists():
                _make_database(self._database, self.artifact_folder.as_uri())
            super().__init__(tracking_uri)
            direct = store(tracking_uri, self.artifact_folder.as_uri())
            self._engine: Engine = direct.engine
            self._session = direct.ManagedSessionMaker
            with self._session(read_only=False) as session:
                session.execute(text("PRAGMA journal_mode = WAL"))
        self._file_id = self._database.stat().st_ino

    def is_current(self) -> bool:
        """Whether the file is still the one that was opened; a deleted file would silently accept writes."""
        try:
            return self._database.stat().st_ino == self._file_id
        except OSError:
            return False

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def create(self, experiment_id: str, children: Sequence[ChildRun]) -> list[str]:
        """Create a run for each child, with its tags, in one transaction; returns their ids."""
        root = self.client.get_experiment(experiment_id).artifact_location
        begun = {uuid4().hex: child for child in children}
        if begun:
            with self._session(read_only=False) as session:
                session.execute(
                    insert(SqlRun), [_run_row(*item, experiment_id, root) for item in begun.items()]
                )
                session.execute(
                    insert(SqlTag),
                    [
                        {"run_uuid": run_id, "key": key, "value": value}
                        for run_id, child in begun.items()
                        for key, value in {**child.tags, "mlflow.runName": child.name}.items()
                    ],
                )
        return list(begun)

    def finish(self, children: Mapping[str, ChildRun]) -> None:
        """Give each run that has not ended its parameters, metrics and end, in one transaction."""
        with self._session(read_only=False) as session:
            unfinished: Select[tuple[str]] = select(SqlRun.run_uuid).where(
                SqlRun.run_uuid.in_(list(children)), SqlRun.status == "RUNNING"
            )
            runs = {run_id: children[run_id] for run_id in session.scalars(unfinished)}
            metrics = [row for run_id, child in runs.items() for row in _metric_rows(run_id, child)]
            parameters = [
                {"run_uuid": run_id, "key": name, "value": value}
                for run_id, child in runs.items()
                for name, value in child.parameters.items()
            ]
            for model, rows in ((SqlMetric, metrics), (SqlLatestMetric, metrics), (SqlParam, parameters)):
                if rows:
                    session.execute(insert(model), rows)
            if runs:
                session.execute(
                    update(SqlRun),
                    [
                        {"run_uuid": run_id, "status": child.status, "end_time": child.end_ms}
                        for run_id, child in runs.items()
                    ],
                )


def _make_database(path: Path, artifact_root: str) -> None:
    """Create MLflow's tables in a temporary file, then rename it; that takes a second."""
    new = path.with_name(f"{path.name}.new")
    for remains in (new, new.with_name(f"{new.name}-journal")):
        remains.unlink(missing_ok=True)
    store: Any = SqlAlchemyStore  # untyped in MLflow
    store(f"sqlite:///{new}", artifact_root).engine.dispose()
    new.replace(path)


def _run_row(run_id: str, child: ChildRun, experiment_id: str, artifact_root: str) -> dict[str, Any]:
    """A row of `runs`, as created by MLflow's `create_run`."""
    return {
        "run_uuid": run_id,
        "name": child.name,
        "artifact_uri": f"{artifact_root}/{run_id}/artifacts",
        "experiment_id": int(experiment_id),
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "user_id": "unknown",
        "status": "RUNNING",
        "start_time": child.start_ms,
        "source_version": "",
        "lifecycle_stage": "active",
    }


def _metric_rows(run_id: str, child: ChildRun) -> list[dict[str, Any]]:
    return [
        {
            "run_uuid": run_id,
            "key": name,
            "value": value,
            "timestamp": child.end_ms,
            "step": 0,
            "is_nan": False,
        }
        for name, value in child.metrics.items()
    ]
