"""The Python interface: `Client().submit("rsqrt_chain", gpu=["h100-sxm"], trials=50)`.

A client is a home folder; what it hands out are handles. A `Sweep` runs in a thread of this process until it
is waited for or stopped; its rows are `Trial`s. Everything a handle says is read from the store, so it is
also true of sweeps that another process runs or ran.
"""

import atexit
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dse.errors import InputError
from dse.home import Home
from dse.store import Store, SweepCounts, SweepRecord, TrialRecord

if TYPE_CHECKING:
    import pandas as pd

    from dse.runners.base import Runner
    from dse.search import Search
    from dse.sweeps import Progress, SweepRun
    from dse.tasks import Value
    from dse.tracking import MlflowExporter, MlflowTracker
    from search_spaces import Space

StartRunner = Callable[[], "Runner"]

#: Seconds that the end of a sweep waits for MLflow, and a stopped one.
MLFLOW_PATIENCE_S = 60.0
MLFLOW_PATIENCE_STOPPED_S = 5.0


@dataclass(frozen=True)
class Trial:
    """One variant on one GPU, with what the simulator said about it.

    Attributes:
        number: place in the order in which the sweep chose its points.
        gpu: GPU name.
        parameters: the variant.
        state: `complete`, or `failed` with `reason` and `message`.
        metrics: by name: `time_us`, `ipc`, `stall_<reason>`, ...; empty when failed.
    """

    number: int
    gpu: str
    point_index: int
    parameters: Mapping[str, "Value"]
    state: str
    reason: str | None
    message: str | None
    metrics: Mapping[str, Any]
    source: str

    @classmethod
    def from_record(cls, record: TrialRecord) -> Self:
        """The handle of a stored trial."""
        result = record.result
        return cls(
            number=record.number,
            gpu=record.gpu,
            point_index=record.point_index,
            parameters=record.parameters,
            state=result.state,
            reason=result.reason,
            message=result.message,
            metrics=result.metrics,
            source=record.source,
        )

    @property
    def time_us(self) -> float | None:
        """Predicted time in microseconds; None when failed."""
        return self.metrics.get("time_us")

    @property
    def stalls(self) -> dict[str, float]:
        """Warps in each of Nsight Compute's stall reasons per issue-active cycle, largest first."""
        prefix = "stall_"
        stalls = {
            name.removeprefix(prefix): float(value)
            for name, value in self.metrics.items()
            if name.startswith(prefix) and value is not None
        }
        return dict(sorted(stalls.items(), key=lambda item: -item[1]))

    @property
    def advice(self) -> tuple[str, ...]:
        """What to try next."""
        return tuple(self.metrics.get("advice", ()))


@dataclass(frozen=True)
class SweepStatus:
    """Where a sweep is.

    Attributes:
        state: running, stopped, finished or failed.
        planned: trials it holds when nothing stops it.
        counts: the recorded ones, by state and source.
    """

    id: int
    name: str
    state: str
    planned: int
    counts: SweepCounts


class Sweep:
    """A handle on one sweep; made by a `Client`."""

    def __init__(self, client: "Client", sweep_id: int) -> None:
        self.id = sweep_id
        self._client = client
        self._store = client.store
        self._job: _Job | None = None

    def __repr__(self) -> str:
        return f"Sweep({self.id}, {self.record.name!r}, {self.record.state})"

    @property
    def record(self) -> SweepRecord:
        """The sweep as stored: what was asked, when, and its state."""
        return self._store.sweep(self.id)

    @property
    def progress(self) -> "Progress | None":
        """How far this process's run of the sweep is; None when it runs none."""
        return self._job.run.progress if self._job else None

    @property
    def mlflow_problem(self) -> str | None:
        """Why MLflow lags behind the store; None while it does not."""
        return self._job.mlflow_problem if self._job else None

    def status(self) -> SweepStatus:
        """Where the sweep is."""
        record = self.record
        return SweepStatus(
            self.id, record.name, record.state, record.spec.planned, self._store.counts(self.id)
        )

    @property
    def is_running(self) -> bool:
        """Whether this process is running the sweep."""
        return self._job is not None and self._job.is_alive()

    def wait(self, timeout: float | None = None) -> Self:
        """Wait until this process's run of the sweep has ended, or for `timeout` seconds; returns the sweep.

        Raises:
            Exception: whatever ended the sweep, if it did not end by itself.
        """
        if self._job:
            self._job.wait(timeout)
        return self

    def stop(self) -> None:
        """End this process's run of the sweep soon; what is done is kept, and `resume` completes it."""
        if self._job:
            self._job.stop()

    def resume(self, trials: int | None = None, timeout: float | None = None) -> Self:
        """Go on where the sweep stopped; with more `trials`, extend it.

        Args:
            trials: the new budget, over all GPUs; None keeps the old one.
            timeout: seconds from now; None for no limit.
        """
        if self.is_running:
            raise InputError(f"sweep {self.id} is running")
        run = self._client.prepare_again(self.record, trials, timeout)
        self._start(run)
        return self

    def best(self, gpu: str | None = None, filter: str | None = None) -> dict[str, Trial]:
        """The best trial of each GPU, or of one, by the space's first objective.

        Args:
            gpu: only this one.
            filter: only among the trials that pass it, as in `params.n = 512`.
        """
        best = self._store.best(self.id, gpu, filter)
        return {name: Trial.from_record(record) for name, record in best.items()}

    def winners(self) -> list[Trial]:
        """The best trial of each GPU and workload, in the order of the sweep's GPUs."""
        return [Trial.from_record(record) for record in self._store.winners(self.id)]

    def trials(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Trial]:
        """The recorded trials.

        Args:
            filter: as in `params.unroll >= 4 and metrics.time_us < 10`; see `dse.store.filters`.
            order_by: as in `metrics.ipc desc`; without it, by GPU and point.
            limit: the most trials to return.
        """
        return [Trial.from_record(record) for record in self._store.trials(self.id, filter, order_by, limit)]

    def to_dataframe(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> "pd.DataFrame":
        """One row a trial: GPU, parameters, state and metrics."""
        import pandas as pd

        return pd.DataFrame(self.rows(filter, order_by, limit))

    def rows(
        self,
        filter: str | None = None,
        order_by: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """The trials as flat rows, as in `to_dataframe`."""
        records = self._store.trials(self.id, filter, order_by, limit)
        return [{"number": record.number} | record.row() for record in records]

    def baseline(self, trial: Trial) -> Trial | None:
        """What a trial is measured against: the space's first valid point of its workload, on its GPU.

        None when that point was not tried, or failed.
        """
        first = next(self._space.at_workload(trial.parameters).points())
        index = self._space.index(first)
        found = self._store.trials(self.id, f"gpu = '{trial.gpu}' and point_index = {index}", limit=1)
        trials = [Trial.from_record(record) for record in found]
        return trials[0] if trials and trials[0].state == "complete" else None

    def speedup(self, trial: Trial) -> float | None:
        """How many times faster a trial is than its baseline."""
        baseline = self.baseline(trial)
        if baseline is None or baseline.time_us is None or trial.time_us is None:
            return None
        return baseline.time_us / trial.time_us

    @cached_property
    def _space(self) -> "Space":
        from dse.specs import restore_space

        return restore_space(self.record.spec)

    def _start(self, run: "SweepRun") -> None:
        self._job = _Job(run, self._client.follow(self.id))


class Client:
    """Submits sweeps and finds them again, in this process.

    Args:
        home: the folder of results; None takes `DSE_HOME`, or `~/.dse`.
        runner: makes what evaluates the points, as in `InlineRunner`; None takes Ray with one actor a core.
        tracking: whether to write MLflow as well.
    """

    def __init__(
        self, home: str | Path | None = None, runner: StartRunner | None = None, tracking: bool = True
    ) -> None:
        self.home = (Home(Path(home).absolute()) if home else Home.from_environment()).create()
        self._start_runner = runner or start_ray
        self._tracking = tracking

    @cached_property
    def store(self) -> Store:
        """Where everything is kept."""
        return Store.open(self.home.store_path)

    @cached_property
    def tracker(self) -> "MlflowTracker":
        """What writes the store's sweeps to MLflow."""
        from dse.tracking import MlflowTracker

        return MlflowTracker(self.home.mlflow_uri, self.store)

    def submit(
        self,
        space: str | Path,
        gpu: str | Sequence[str] | None = None,
        trials: int | None = None,
        timeout: float | None = None,
        sampler: str | None = None,
        seed: int = 0,
        parameters: Mapping[str, Sequence["Value"]] | None = None,
    ) -> Sweep:
        """Check a request, store it as a sweep and start running it.

        Args:
            space: a catalog name, a folder or the path of a `space.yaml`.
            gpu: GPU names; None takes the space's own list.
            trials: the most trials, over all GPUs; None explores every valid point.
            timeout: seconds of wall clock after which the sweep stops.
            sampler: who chooses when not all points are explored: tpe (the default), random, nsga2, ...
            seed: the sampler's; the same seed gives the same trials.
            parameters: values that replace the space's, by parameter.

        Raises:
            InputError, SpaceError, SimcoreError: the request cannot be carried out; nothing was stored.
        """
        from dse.preflight import check_space, resolve_space
        from dse.search import plan_search
        from dse.specs import Request, make_spec

        gpus = [gpu] if isinstance(gpu, str) else list(gpu or ())
        request = Request(space, gpus, trials, timeout, sampler, seed, parameters or {})
        resolved = resolve_space(request)
        name, search = plan_search(resolved, resolved.gpus, trials, timeout, sampler, seed)
        check_space(resolved)
        record = self.store.create_sweep(make_spec(request, resolved, name, search.planned))
        sweep = Sweep(self, record.id)
        sweep._start(self._run(record.id, resolved, search, timeout))
        return sweep

    def sweep(self, sweep_id: int) -> Sweep:
        """The sweep of an id.

        Raises:
            SweepNotFound: there is none.
        """
        return Sweep(self, self.store.sweep(sweep_id).id)

    def sweeps(self) -> list[Sweep]:
        """All sweeps, oldest first."""
        return [Sweep(self, record.id) for record in self.store.sweeps()]

    def prepare_again(self, record: SweepRecord, trials: int | None, timeout: float | None) -> "SweepRun":
        """A run that takes a stored sweep up where it is; for `Sweep.resume`."""
        from dse.search import repeat_search
        from dse.specs import restore_space

        spec = record.spec
        space = restore_space(spec)
        search = repeat_search(space, spec, trials)
        self.store.set_budget(record.id, trials or spec.trials, spec.timeout_s, search.planned)
        return self._run(record.id, space, search, timeout)

    def follow(self, sweep_id: int) -> "MlflowExporter | None":
        """MLflow kept up with a sweep, if this client writes MLflow."""
        from dse.tracking import MlflowExporter

        if not self._tracking:
            return None
        exporter = MlflowExporter(self.tracker, self.store)
        exporter.follow(sweep_id)
        return exporter.start()

    def _run(self, sweep_id: int, space: "Space", search: "Search", timeout: float | None) -> "SweepRun":
        from dse.sweeps import SweepRun

        return SweepRun(self.store, sweep_id, space, search, self._start_runner, timeout)


class _Job:
    """A run of a sweep in a thread; ends with the process, and in good order."""

    def __init__(self, run: "SweepRun", exporter: "MlflowExporter | None") -> None:
        self.run = run
        self._exporter = exporter
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)
        atexit.register(self._leave)
        self._thread.start()

    @property
    def mlflow_problem(self) -> str | None:
        return self._exporter.problem if self._exporter else None

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self.run.stop()

    def wait(self, timeout: float | None) -> None:
        self._thread.join(timeout)
        if self._error and not self._thread.is_alive():
            raise self._error

    def _leave(self) -> None:
        self.run.stop()
        self._thread.join()

    def _work(self) -> None:
        patience = MLFLOW_PATIENCE_STOPPED_S
        try:
            if self.run.run() == "finished":
                patience = MLFLOW_PATIENCE_S
        except BaseException as error:
            self._error = error
        finally:
            atexit.unregister(self._leave)
            if self._exporter:
                self._exporter.finish(patience)


def start_ray(workers: int | None = None) -> "Runner":
    """Ray with that many actors; None means one a core."""
    from dse.runners.ray import RayRunner

    return RayRunner(workers=workers)
