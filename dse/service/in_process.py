"""The in-process service: runs its sweeps in a thread, without a coordinator process."""

import atexit
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dse.coordination.coordinator import Coordinator
from dse.coordination.progress import Progress
from dse.coordination.sweep_run import SweepRun
from dse.errors import InputError
from dse.requests.request import Extension, Request
from dse.runners.base import Runner
from dse.runners.cluster.address import check_cluster
from dse.service.local import LocalService
from dse.service.records import SweepStatus
from dse.store import Store, SweepRecord
from dse.store.records import ACTIVE

if TYPE_CHECKING:
    from dse.tracking import MlflowExporter, MlflowTracker

#: Polling interval of the progress of a local sweep, in seconds.
LOOK_S = 0.1
#: Seconds to wait for MLflow at the end of a sweep, and of a stopped one.
MLFLOW_PATIENCE_S = 60.0
MLFLOW_PATIENCE_STOPPED_S = 5.0


class InProcessService(LocalService):
    """Runs the submitted sweeps in this process; shuts down cleanly when the process exits.

    Args:
        store: the store with the sweeps.
        start_runner: creates the runner.
        tracker: exports to MLflow; None disables the export.
    """

    def __init__(
        self,
        store: Store,
        start_runner: Callable[[], Runner],
        tracker: "MlflowTracker | None" = None,
    ) -> None:
        super().__init__(store, tracker=tracker)
        self._coordinator = Coordinator(store, start_runner)
        self._exporter: MlflowExporter | None = None
        self._mlflow_problem: str | None = None
        self._runs: dict[int, SweepRun] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def mlflow_problem(self) -> str | None:
        """Why the export to MLflow is behind; None if it is not."""
        return self._exporter.problem if self._exporter else self._mlflow_problem

    @property
    def takes_objects(self) -> bool:
        return True

    def create(self, request: Request) -> SweepStatus:
        spec = self._prepared(request)
        check_cluster()
        record = self.store.create_sweep(spec, request.id, priority=request.priority)
        if record.state in ACTIVE and self._run_of(record) is None:
            self._check_unmanaged(record)
            self.store.take(record.id)
            self._begin(record.id)
        return self._status(record.outline)

    def follow(self, sweep: str) -> Iterator[SweepStatus]:
        run = self._run(sweep)
        while run and not run.ended.wait(LOOK_S):
            yield self.status(sweep)
        yield from super().follow(sweep)

    def follow_progress(self, sweep: str) -> Iterator[Progress]:
        run = self._run(sweep)
        if run is None:
            yield from super().follow_progress(sweep)
            return
        latest = None
        while not run.ended.wait(LOOK_S):
            yield (latest := run.progress)
        if run.progress != latest:
            yield run.progress

    def wait(self, sweep: str, timeout: float | None = None) -> None:
        run = self._run(sweep)
        if run is None:
            super().wait(sweep, timeout)
        elif run.ended.wait(timeout):
            if run.error:
                raise run.error
            self._finish_mlflow(sweep)

    def stop(self, sweep: str) -> SweepStatus:
        run = self._run(sweep)
        if run is None:
            return super().stop(sweep)
        if not run.ended.is_set():
            self.store.request_stop(run.id)
            self._coordinator.stop(run.id)
        return self.status(sweep)

    def resume(self, sweep: str, timeout_s: float | None = None) -> SweepStatus:
        self._ask_more(sweep, Extension(timeout_s=timeout_s))
        return self.status(sweep)

    def _ask_more(self, sweep: str, extension: Extension, managed: bool = False) -> None:
        run, record = self._run(sweep), self.store.sweep(sweep)
        if run and not run.ended.is_set():
            raise InputError(f"sweep {sweep} is running; stop it first")
        self._check_unmanaged(record)
        check_cluster()
        super()._ask_more(sweep, extension, managed)
        self._begin(record.id)

    @staticmethod
    def _check_unmanaged(record: SweepRecord) -> None:
        if record.managed and record.state in ACTIVE:
            raise InputError(f"sweep {record.key} is run by a server; stop it first, or ask that server")

    def delete(self, sweep: str) -> None:
        run = self._run(sweep)
        super().delete(sweep)
        if run:
            self._runs.pop(run.id, None)
        self._tidy_mlflow()

    def _run(self, sweep: str) -> SweepRun | None:
        """This process's latest run of a sweep."""
        return self._run_of(self.store.sweep(sweep))

    def _run_of(self, record: SweepRecord) -> SweepRun | None:
        run = self._runs.get(record.id)
        return run if run and run.record.revision == record.revision else None

    def _begin(self, sweep_id: int) -> None:
        """Run a sweep that the store assigns to this process."""
        run = SweepRun(self.store, self.store.sweep(sweep_id))
        with self._lock:
            self._runs[sweep_id] = run
            self._follow_in_mlflow(sweep_id)
            self._coordinator.add(run)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sweeps", daemon=True)
                atexit.register(self._leave)
                self._thread.start()

    def _work(self) -> None:
        """Run the added sweeps; an error that ends a run is stored in it for waiting threads."""
        while True:
            try:
                self._coordinator.run_added()
            except Exception:
                continue
            with self._lock:
                if not self._coordinator.has_work:
                    self._thread = None
                    atexit.unregister(self._leave)
                    return

    def _leave(self) -> None:
        """Stop what runs when the program ends, and say so if nobody has asked for it."""
        thread = self._thread
        running = [
            run.id
            for run in self._runs.values()
            if not run.ended.is_set() and not self.store.sweep(run.id).stop_requested
        ]
        for sweep_id in list(self._runs):
            self._coordinator.stop(sweep_id)
        if thread:
            thread.join()
        for record in map(self.store.sweep, running):
            if record.state == "stopped":
                done = f"{self.store.counts(record.id).done:,} of {record.spec.total:,} trials are done"
                print(
                    f"sweep {record.key} is stopped, since the program ends: {done}; `sweep.wait()` waits for all of "
                    f"them, `dse resume {record.key}` completes it",
                    file=sys.stderr,
                )

    def _follow_in_mlflow(self, sweep_id: int) -> None:
        from dse.tracking import MlflowExporter

        if self._tracker:
            self._exporter = self._exporter or MlflowExporter(self._tracker, self.store).start()
            self._exporter.follow(sweep_id)

    def _tidy_mlflow(self) -> None:
        from dse.tracking import TrackingError

        if self._tracker:
            try:
                self._tracker.tidy()
            except TrackingError as error:
                self._mlflow_problem = str(error)

    def _finish_mlflow(self, sweep: str) -> None:
        """Flush the export to MLflow, then keep following the sweeps that still run."""
        with self._lock:
            exporter, self._exporter = self._exporter, None
        if exporter is None:
            return
        finished = self.status(sweep).state == "finished"
        exporter.finish(MLFLOW_PATIENCE_S if finished else MLFLOW_PATIENCE_STOPPED_S)
        self._mlflow_problem = exporter.problem
        with self._lock:
            for run in self._runs.values():
                if not run.ended.is_set():
                    self._follow_in_mlflow(run.id)
