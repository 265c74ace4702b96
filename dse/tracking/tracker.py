"""Export of sweeps to MLflow, one writer at a time."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dse.errors import InputError
from dse.store import Store, SweepNotFound
from dse.tracking.address import Address
from dse.tracking.connecting import connect
from dse.tracking.errors import TrackingError
from dse.tracking.runs import Runs
from dse.tracking.sweep_export import SweepExport, delete_runs

#: MLflow's charts show at most 500 runs, so a sweep gets fewer children.
MAX_CHILDREN = 400
CHILDREN_VARIABLE = "DSE_MLFLOW_CHILDREN"
#: How long an export waits for another process that holds the lock.
LOCK_PATIENCE_S = 60.0


class MlflowTracker:
    """Exports sweeps to one MLflow; safe for use by several threads and processes.

    Args:
        tracking_uri: `sqlite:///PATH/mlflow.db`, or a tracking server's `http://HOST:PORT`.
        store: the store with the sweeps.
        children: maximum number of child runs per sweep; None means `DSE_MLFLOW_CHILDREN`, or 400.

    Raises:
        InputError: `DSE_MLFLOW_CHILDREN` is not a number of runs.
    """

    def __init__(self, tracking_uri: str, store: Store, children: int | None = None) -> None:
        self.address = Address.of(tracking_uri)
        self._children = _children_of_environment() if children is None else children
        self._store = store
        self._runs: Runs | None = None

    def sync(self, sweep_id: int, compare: bool = False, again: bool = False) -> int:
        """Export what is missing of a sweep: its parent run, trials, best times and files.

        Up to 400 trials get a child run each. Of a larger sweep, an even spread gets one and, once it has ended, the
        best of each GPU and workload and the Pareto front.

        Args:
            sweep_id: number of the sweep.
            compare: check all runs first, and restore those deleted in MLflow.
            again: delete the sweep's runs first, and export everything again.

        Returns:
            The number of child runs written.

        Raises:
            TrackingError: MLflow is down, or refuses the export.
            SweepNotFound: the store has no such sweep.
        """
        key = self._store.sweep(sweep_id).key
        with self._writing(key) as (runs, confirm_lock):
            sweep = self._store.sweep(sweep_id)  # it may have been deleted meanwhile, with its runs
            export = SweepExport(runs, self._store, sweep, self._children, confirm_lock)
            if again:
                export.delete()
            return export.write(compare)

    def tidy(self) -> None:
        """Delete the runs of deleted sweeps.

        Raises:
            TrackingError: MLflow is down, or refuses.
        """
        for deleted in self._store.outbox.deleted():
            with self._writing() as (runs, _):
                delete_runs(runs, deleted)
                self._store.outbox.forget_deleted(deleted)

    @contextmanager
    def _writing(self, key: str = "") -> Iterator[tuple[Runs, Callable[[], None]]]:
        """Access to the runs, and a function that raises if the lock was lost."""
        try:
            with self._store.outbox.lock(LOCK_PATIENCE_S) as confirm_lock:
                yield self._connected(), confirm_lock
        except SweepNotFound:
            raise
        except Exception as error:  # a tracking server and its database can raise anything
            self._disconnect()
            raise TrackingError.of(self.address, key, error) from error

    def _connected(self) -> Runs:
        """Connect to MLflow."""
        if self._runs is None or not self._runs.is_current():
            self._disconnect()
            self._runs = connect(self.address.uri)
        return self._runs

    def _disconnect(self) -> None:
        if self._runs is not None:
            self._runs.close()
        self._runs = None


def _children_of_environment() -> int:
    text = os.environ.get(CHILDREN_VARIABLE, "").strip()
    if text and not text.isdecimal():
        raise InputError(f"{CHILDREN_VARIABLE}={text}: must be an integer, such as {MAX_CHILDREN}")
    return int(text) if text else MAX_CHILDREN
