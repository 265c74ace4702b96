"""MLflow kept up with a running sweep, from a thread: it reads the store and never holds the sweep up."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dse.tracking import MlflowTracker

SYNC_INTERVAL_S = 10.0


class MlflowFollower:
    """Writes a sweep to MLflow every few seconds.

    Attributes:
        problem: why MLflow lags behind; None while all is well.
    """

    def __init__(self, tracker: "MlflowTracker", sweep_id: int) -> None:
        self.problem: str | None = None
        self._tracker = tracker
        self._sweep_id = sweep_id
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="mlflow", daemon=True)
        self._thread.start()

    def finish(self, patience_s: float) -> None:
        """Write what is left; gives up after `patience_s` seconds, as when a server does not answer."""
        self._over.set()
        self._thread.join(patience_s)
        if self._thread.is_alive():
            self.problem = f"MLflow does not answer; `dse mlflow sync {self._sweep_id}` catches up"

    def _follow(self) -> None:
        while not self._over.wait(SYNC_INTERVAL_S):
            self._sync()
        self._sync()

    def _sync(self) -> None:
        from dse.tracking import TrackingError

        try:
            self._tracker.sync(self._sweep_id)
            self.problem = None
        except TrackingError as error:
            self.problem = str(error)
