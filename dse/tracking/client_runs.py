"""Runs through MLflow's client: one run at a time, at about 10 ms of CPU time each, wherever MLflow keeps them.

Importing this module imports MLflow.
"""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
# A repeated request could create a run twice; instead, the next export looks first and writes what is missing.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")

import mlflow
from mlflow import MlflowClient
from mlflow.entities import LifecycleStage, Metric, Param, Run, RunStatus
from mlflow.store.tracking.rest_store import RestStore
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
from mlflow.utils.rest_utils import http_request

from dse.tracking.runs import ChildRun, ExperimentDeleted, FoundRun, Runs

#: Runs read in one search.
SEARCH_PAGE = 1000

for _name in ("mlflow", "alembic"):  # its own housekeeping stays silent, once its import has set its levels
    logging.getLogger(_name).setLevel(logging.ERROR)


class ClientRuns(Runs):
    """Runs at any tracking URI.

    Args:
        tracking_uri: where MLflow is.
        artifact_folder: for the files of new experiments; None leaves the choice to the server.
    """

    def __init__(self, tracking_uri: str, artifact_folder: Path | None = None) -> None:
        self._client = MlflowClient(tracking_uri)
        self._artifact_folder = artifact_folder

    def close(self) -> None:
        """Nothing to close: the client has no connection of its own."""

    def experiment(self, name: str) -> str:
        experiment = self._client.get_experiment_by_name(name)
        if experiment is None:
            location = (self._artifact_folder / name).as_uri() if self._artifact_folder else None
            return self._client.create_experiment(name, artifact_location=location)
        experiment_id = str(experiment.experiment_id)
        if experiment.lifecycle_stage == LifecycleStage.DELETED:
            raise ExperimentDeleted(name, experiment_id)
        return experiment_id

    def known_experiment(self, name: str) -> str | None:
        experiment = self._client.get_experiment_by_name(name)
        if experiment is None or experiment.lifecycle_stage == LifecycleStage.DELETED:
            return None
        return str(experiment.experiment_id)

    def version(self) -> str | None:
        store: Any = self._client._tracking_client.store
        if not isinstance(store, RestStore):
            return mlflow.__version__
        ask: Any = http_request  # untyped in MLflow
        answer = ask(store.get_host_creds(), "/version", "GET", raise_on_status=False)
        return answer.text if answer.ok else None

    def set_experiment_tag(self, experiment_id: str, key: str, value: str) -> None:
        self._client.set_experiment_tag(experiment_id, key, value)

    def delete_experiment_tag(self, experiment_id: str, key: str) -> None:
        if key in self._client.get_experiment(experiment_id).tags:
            self._client.delete_experiment_tag(experiment_id, key)

    def find(self, experiment_id: str, tags: Mapping[str, str]) -> Iterator[FoundRun]:
        condition = " and ".join(f"tags.`{key}` = '{value}'" for key, value in tags.items())
        page_token: str | None = None
        while True:
            page = self._client.search_runs(
                [experiment_id], condition, max_results=SEARCH_PAGE, page_token=page_token
            )
            yield from map(_found, page)
            page_token = page.token
            if not page_token:
                return

    def begin(self, experiment_id: str, name: str, start_ms: int, tags: Mapping[str, str]) -> FoundRun:
        return _found(self._client.create_run(experiment_id, start_ms, dict(tags), name))

    def log_metrics(self, run_id: str, metrics: Mapping[str, float], step: int) -> None:
        if not metrics:
            return
        now_ms = int(1000 * time())
        self._client.log_batch(
            run_id, metrics=[Metric(name, value, now_ms, step) for name, value in metrics.items()]
        )

    def log_files(self, run_id: str, folder: Path) -> None:
        self._client.log_artifacts(run_id, str(folder))

    def set_tag(self, run_id: str, key: str, value: str) -> None:
        self._client.set_tag(run_id, key, value)

    def set_status(self, run_id: str, status: str, ended_at: datetime | None) -> None:
        self._update(run_id, status, int(1000 * ended_at.timestamp()) if ended_at else None)

    def delete(self, run_ids: Iterable[str]) -> None:
        for run_id in run_ids:
            self._client.delete_run(run_id)

    def create(self, experiment_id: str, children: Sequence[ChildRun]) -> list[str]:
        runs = (self.begin(experiment_id, child.name, child.start_ms, child.tags) for child in children)
        return [run.run_id for run in runs]

    def finish(self, children: Mapping[str, ChildRun]) -> None:
        for run_id, child in children.items():
            metrics = [Metric(name, value, child.end_ms, 0) for name, value in child.metrics.items()]
            params = [Param(name, value) for name, value in child.parameters.items()]
            self._client.log_batch(run_id, metrics=metrics, params=params)
            self._update(run_id, child.status, child.end_ms)

    def _update(self, run_id: str, status: str, end_ms: int | None) -> None:
        """Update a run with one request; the client's `set_terminated` and `update_run` need two or three."""
        store: Any = self._client._tracking_client.store
        store.update_run_info(run_id, RunStatus.from_string(status), end_ms, None)


def make_database(path: Path, artifact_root: str) -> None:
    """Create MLflow's tables in a SQLite file."""
    store: Any = SqlAlchemyStore  # untyped in MLflow
    store(f"sqlite:///{path}", artifact_root).engine.dispose()


def _found(run: Run) -> FoundRun:
    info, data = run.info, run.data
    return FoundRun(
        run_id=info.run_id,
        experiment_id=str(info.experiment_id),
        status=info.status,
        start_ms=info.start_time,
        tags=data.tags,
        parameters=data.params,
        metrics=data.metrics,
    )
