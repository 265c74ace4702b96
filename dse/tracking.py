"""MLflow, written from the store: a parent run a sweep, a child run a trial.

The store is the truth and MLflow is a view of it, so this may run late, be killed, fail, or be run again
at any moment: `sync` writes what is missing and nothing twice. A run's id is stored before its content is
written; a run whose id was not stored in time is found again by its `dse.trial` tag under its parent.
"""

import math
import tempfile
import zlib
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from dse.store import Store, SweepCounts, SweepRecord, TrialRecord
from dse.store.records import Place, Value

if TYPE_CHECKING:
    from mlflow.entities import Run

    from dse.mlflow_runs import ChildRun, MlflowRuns

#: MLflow's charts show 500 runs at most, so a sweep gets fewer children than that.
MAX_CHILDREN = 400
#: Child runs written in one go.
BATCH = 50
#: Characters of a failure's message that a tag shows; MLflow's own limit is 8,000.
MESSAGE_LIMIT = 1000

_SWEEP_STATUS = {
    "queued": "SCHEDULED",
    "running": "RUNNING",
    "stopped": "KILLED",
    "finished": "FINISHED",
    "failed": "FAILED",
}
_TRIAL_STATUS = {"complete": "FINISHED", "failed": "FAILED"}
_METRIC_NAMES = {
    "achieved_occupancy": "occupancy/achieved",
    "theoretical_occupancy": "occupancy/theoretical",
    "registers_per_thread": "registers",
}


class TrackingError(Exception):
    """MLflow could not be written; the store has everything, and a later sync catches up."""


class MlflowTracker:
    """Writes sweeps to one MLflow; may be used from any thread.

    Args:
        tracking_uri: `sqlite:///PATH/mlflow.db`, or a tracking server's `http://HOST:PORT`.
        store: where the sweeps are.
    """

    def __init__(self, tracking_uri: str, store: Store) -> None:
        self.tracking_uri = tracking_uri
        self._store = store
        self._lock = Lock()
        self._adopted: set[int] = set()

    def sync(self, sweep_id: int) -> int:
        """Write what MLflow lacks of a sweep: its parent run, trials, best times and files.

        Up to 400 trials get a child run each; of a larger sweep, an even sample and, once it has ended, the
        best trials.

        Returns:
            How many child runs were written.

        Raises:
            TrackingError: MLflow is down, or refuses.
            SweepNotFound: the store has no such sweep.
        """
        sweep = self._store.sweep(sweep_id)
        with self._lock:
            try:
                return self._sync(sweep)
            except Exception as error:  # a tracking server and its database can raise anything
                self._adopted.discard(sweep_id)
                cause = str(error).partition("\n")[0] or type(error).__name__
                raise TrackingError(
                    f"MLflow at {self.tracking_uri} could not be written ({cause}); nothing is lost, and "
                    f"`dse mlflow sync {sweep_id}` catches up"
                ) from error

    def ui_command(self) -> str:
        """The command that shows these runs in a browser."""
        return f"mlflow ui --backend-store-uri {self.tracking_uri}"

    @cached_property
    def _mlflow(self) -> "MlflowRuns":
        """The way to MLflow, whose import takes a second that most commands need not spend."""
        from dse.mlflow_runs import connect

        return connect(self.tracking_uri)

    def _sync(self, sweep: SweepRecord) -> int:
        counts = self._store.counts(sweep.id)
        parent = self._parent(sweep)
        if sweep.id not in self._adopted:
            self._adopt_children(sweep, parent)
        chosen = self._chosen(sweep, counts)
        for start in range(0, len(chosen), BATCH):
            self._write_children(sweep, parent, chosen[start : start + BATCH])
        self._describe(sweep, parent, counts)
        return len(chosen)

    # The parent

    def _parent(self, sweep: SweepRecord) -> "Run":
        """The sweep's own run: the one MLflow has, also when a crash left it unstored, or a new one."""
        experiment_id = self._mlflow.experiment(sweep.name)
        identity = {"dse.sweep": str(sweep.id), "dse.created_at": sweep.created_at.isoformat()}
        parent = next(self._mlflow.find(experiment_id, identity), None)
        if parent is None:
            tags = {**identity, "dse.kernel": sweep.name, "dse.state": sweep.state}
            name, start_ms = f"{sweep.name} sweep {sweep.id}", _milliseconds(sweep.created_at)
            parent = self._mlflow.client.create_run(experiment_id, start_ms, tags, name)
        if parent.info.run_id != sweep.mlflow_run_id:
            self._store.forget_mlflow_runs(sweep.id)
            self._store.set_mlflow_run(sweep.id, parent.info.run_id)
        return parent

    def _describe(self, sweep: SweepRecord, parent: "Run", counts: SweepCounts) -> None:
        """Bring the parent's files, metrics, tags and status up to date, where they have changed."""
        client, run_id = self._mlflow.client, parent.info.run_id
        if not parent.data.params:
            client.log_text(run_id, sweep.spec.space_yaml, "space.yaml")
            client.log_text(run_id, sweep.spec.source, "kernel.cu")
            spec = sweep.spec
            self._mlflow.log_parameters(
                run_id, {"gpus": ", ".join(spec.gpus), "sampler": spec.sampler, "seed": str(spec.seed)}
            )
        metrics = {"trials/complete": float(counts.complete), "trials/failed": float(counts.failed)}
        _, objective = sweep.spec.objectives[0]
        for trial in self._store.winners(sweep.id):
            metrics[_best_name(sweep, trial)] = trial.result.metrics[objective]
        changed = {name: value for name, value in metrics.items() if parent.data.metrics.get(name) != value}
        self._mlflow.log_metrics(run_id, changed, step=counts.total)
        results = f"{counts.complete} complete, {counts.failed} failed"
        if sweep.state != "running" and parent.data.tags.get("dse.results") != results:
            self._log_results(sweep, run_id)
            client.set_tag(run_id, "dse.results", results)
        if parent.data.tags.get("dse.state") != sweep.state:
            client.set_tag(run_id, "dse.state", sweep.state)
        if parent.info.status != _SWEEP_STATUS[sweep.state]:
            self._mlflow.set_status(run_id, _SWEEP_STATUS[sweep.state], sweep.finished_at)

    def _log_results(self, sweep: SweepRecord, run_id: str) -> None:
        """Attach the whole table, one row a trial, as `results.parquet`."""
        from dse.results_file import write_parquet

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.parquet"
            write_parquet(self._store.stream_trials(sweep.id), path, sweep.spec)
            self._mlflow.client.log_artifact(run_id, str(path))

    # The children

    def _adopt_children(self, sweep: SweepRecord, parent: "Run") -> None:
        """Store the ids of runs that an interrupted sync began."""
        places = {_trial_tag(sweep, place): place for place in self._store.untracked(sweep.id)}
        if not places:
            return
        runs: dict[bool, dict[Place, str]] = {False: {}, True: {}}
        for run in self._mlflow.find(parent.info.experiment_id, {"mlflow.parentRunId": parent.info.run_id}):
            place = places.get(run.data.tags.get("dse.trial", ""))
            if place:
                runs[run.info.status != "RUNNING"][place] = run.info.run_id
        for logged, begun in runs.items():
            self._store.set_trial_runs(sweep.id, begun, logged)
        self._adopted.add(sweep.id)

    def _chosen(self, sweep: SweepRecord, counts: SweepCounts) -> list[Place]:
        """The trials that get a child run and have none yet."""
        untracked = self._store.untracked(sweep.id)
        planned = max(sweep.spec.planned, counts.total)
        if planned <= MAX_CHILDREN:
            return list(untracked)
        ended = sweep.state != "running"
        best = [trial.place for trial in self._store.winners(sweep.id)] if ended else []
        winners = len(sweep.spec.gpus) * len(sweep.spec.workloads)
        room = MAX_CHILDREN - winners - self._store.tracked_count(sweep.id)
        sample = [place for place in untracked if _lot(place) < MAX_CHILDREN / planned][: max(room, 0)]
        return sorted({*sample, *(place for place in best if place in untracked)})

    def _write_children(self, sweep: SweepRecord, parent: "Run", places: Sequence[Place]) -> None:
        trials = {trial.place: trial for trial in self._store.trials_at(sweep.id, places)}
        children = {place: _child_run(sweep, parent, trial) for place, trial in trials.items()}
        runs = {place: trial.mlflow_run_id for place, trial in trials.items() if trial.mlflow_run_id}
        new = [place for place in children if place not in runs]
        ids = self._mlflow.create(parent.info.experiment_id, [children[place] for place in new])
        runs |= zip(new, ids, strict=True)
        self._store.set_trial_runs(sweep.id, runs, logged=False)
        self._mlflow.finish({runs[place]: child for place, child in children.items()})
        self._store.set_trial_runs(sweep.id, runs, logged=True)


def _child_run(sweep: SweepRecord, parent: "Run", trial: TrialRecord) -> "ChildRun":
    """What MLflow shows of a trial: starts are in the trials' order, durations are the computing time."""
    from dse.mlflow_runs import ChildRun

    result = trial.result
    start_ms = _milliseconds(sweep.created_at) + trial.number
    tags = {
        "dse.sweep": str(sweep.id),
        "dse.trial": _trial_tag(sweep, trial.place),
        "dse.gpu": trial.gpu,
        "dse.kernel": sweep.name,
        "dse.state": result.state,
        "dse.source": trial.source,
        "mlflow.parentRunId": parent.info.run_id,
    }
    failure = {"dse.reason": result.reason, "dse.message": (result.message or "")[:MESSAGE_LIMIT]}
    words = {f"dse.{name}": value for name, value in result.metrics.items() if isinstance(value, str)}
    return ChildRun(
        name=f"{trial.gpu}/{trial.point_index}",
        status=_TRIAL_STATUS[result.state],
        start_ms=start_ms,
        end_ms=start_ms + math.ceil(1000 * (result.compile_s + result.simulate_s)),
        tags={**tags, **{key: value for key, value in (words | failure).items() if value}},
        parameters={"gpu": trial.gpu, **{name: _text(value) for name, value in trial.parameters.items()}},
        metrics={
            _metric_name(name): float(value) for name, value in result.metrics.items() if _is_number(value)
        },
    )


def _trial_tag(sweep: SweepRecord, place: Place) -> str:
    gpu, point_index = place
    return f"{sweep.id}/{gpu}/{point_index}"


def _best_name(sweep: SweepRecord, trial: TrialRecord) -> str:
    """The parent's metric for a winner, as in `best_time_us/h200` or, of a workload, `.../n 512`."""
    workload = sweep.spec.workload_of(trial.parameters)
    words = [f"{name} {_text(value)}" for name, value in workload.items()]
    return "/".join([f"best_{sweep.spec.objectives[0][1]}", trial.gpu, *words])


def _metric_name(name: str) -> str:
    """MLflow groups charts by what comes before a slash."""
    if name.startswith("stall_"):
        return f"stall/{name.removeprefix('stall_')}"
    return _METRIC_NAMES.get(name, name)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Value) -> str:
    return "none" if value is None else str(value)


def _lot(place: Place) -> float:
    """A trial's own number in 0..1; the trials below a share are an even sample, at any moment of a sweep."""
    gpu, point_index = place
    return zlib.crc32(f"{gpu}/{point_index}".encode()) / 2**32


def _milliseconds(time: datetime) -> int:
    return int(1000 * time.timestamp())
