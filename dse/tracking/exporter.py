"""Continuous export to MLflow in one thread, which reads the store and never delays a sweep."""

import threading
from dataclasses import dataclass
from time import monotonic
from typing import Self

from dse.store import Store, SweepNotFound
from dse.tracking.errors import TrackingError
from dse.tracking.tracker import MlflowTracker

#: Delay of the first export; workers take longer to start, and a sweep whose results are known has ended.
FIRST_S = 0.3
#: Interval between exports of a running sweep.
INTERVAL_S = 10.0
#: Interval between searches for incomplete exports of sweeps that are not followed.
LOOK_S = 60.0
#: Back-off after a failure; doubled with each further one.
FIRST_DELAY_S = 1.0
LAST_DELAY_S = 60.0


@dataclass
class _Turn:
    """The next export of a sweep.

    Attributes:
        due: on the monotonic clock.
        delay_s: back-off after its last failure; 0 after a success.
        is_followed: whether it was requested; otherwise its export was found incomplete.
    """

    due: float
    delay_s: float = 0.0
    is_followed: bool = True


class MlflowExporter:
    """Exports sweeps to MLflow while they run, and completes the exports of processes that ended early.

    MLflow may be down, slow or empty at any time: failed exports are retried later.
    """

    def __init__(self, tracker: MlflowTracker, store: Store) -> None:
        self._tracker = tracker
        self._store = store
        self._turns: dict[int, _Turn] = {}
        self._problems: dict[int, str] = {}
        self._look_due = self._tidy_due = 0.0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._changed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="mlflow", daemon=True)

    @property
    def problem(self) -> str | None:
        """Why the export is behind; None if it is not."""
        with self._lock:
            return next(iter(self._problems.values()), None)

    def start(self) -> Self:
        """Start, with the incompletely exported sweeps."""
        self._thread.start()
        return self

    def follow(self, sweep_id: int) -> None:
        """Export a sweep continuously until it has ended."""
        with self._lock:
            self._turns[sweep_id] = _Turn(monotonic() + FIRST_S)
        self._changed.set()

    def forget(self, sweep_id: int) -> None:
        """Stop exporting a sweep, for example because it is deleted."""
        with self._lock:
            self._turns.pop(sweep_id, None)
            self._problems.pop(sweep_id, None)

    def finish(self, patience_s: float) -> None:
        """Export the followed sweeps once more and end; gives up after `patience_s` seconds if MLflow hangs."""
        self._over.set()
        self._changed.set()
        self._thread.join(patience_s)
        if self._thread.is_alive():
            for sweep_id in self._followed():
                where = self._tracker.address.shown
                self._fail(
                    sweep_id,
                    f"the export to MLflow at {where} is not done after {patience_s:g} s; "
                    "`dse mlflow sync` completes it",
                )

    # The thread

    def _work(self) -> None:
        while not self._over.is_set():
            self._look_for_those_behind()
            self._tidy()
            self._write([sweep_id for sweep_id, turn in self._agenda() if turn.due <= monotonic()])
            self._changed.wait(self._seconds_to_next())
            self._changed.clear()
        self._write(self._followed())

    def _look_for_those_behind(self) -> None:
        """Find sweeps of processes that ended early, and those that ended before they were followed."""
        if monotonic() < self._look_due:
            return
        self._look_due = monotonic() + LOOK_S
        try:
            behind = self._store.outbox.behind()
        except (
            Exception
        ):  # for example, the database is restarting; the exports of followed sweeps report that
            return
        with self._lock:
            for sweep_id in behind:
                self._turns.setdefault(sweep_id, _Turn(monotonic(), is_followed=False))

    def _tidy(self) -> None:
        """Delete the runs of deleted sweeps; failures are retried later."""
        if monotonic() < self._tidy_due:
            return
        try:
            self._tracker.tidy()
            self._tidy_due = monotonic() + INTERVAL_S
        except Exception:  # as for exports, but nobody waits for it
            self._tidy_due = monotonic() + LAST_DELAY_S

    def _write(self, sweep_ids: list[int]) -> None:
        """Export all due sweeps in turn; skip the rest if MLflow as a whole fails."""
        for sweep_id in sweep_ids:
            with self._lock:
                turn = self._turns.get(sweep_id)
            try:
                has_ended = self._store.sweep(sweep_id).finished_at is not None
                self._tracker.sync(sweep_id)
            except SweepNotFound:
                self.forget(sweep_id)
            except Exception as error:  # a restarting database can raise anything
                self._fail(sweep_id, str(error))
                if isinstance(error, TrackingError) and error.everywhere:
                    self._postpone_all(sweep_id)
                    return
            else:
                self._succeed(sweep_id, turn, has_ended)
                if not has_ended:
                    _load_plots()

    def _succeed(self, sweep_id: int, turn: _Turn | None, has_ended: bool) -> None:
        """Finish the turn of an exported sweep; if it was followed again meanwhile, it gets another one."""
        with self._lock:
            self._problems.pop(sweep_id, None)
            if turn is None or self._turns.get(sweep_id) is not turn:
                return
            if has_ended:
                del self._turns[sweep_id]
            else:
                turn.due, turn.delay_s = monotonic() + INTERVAL_S, 0.0

    def _fail(self, sweep_id: int, problem: str) -> None:
        with self._lock:
            turn = self._turns.get(sweep_id)
            if turn is None:
                return
            self._problems[sweep_id] = problem
            turn.delay_s = min(LAST_DELAY_S, max(FIRST_DELAY_S, 2 * turn.delay_s))
            turn.due = monotonic() + turn.delay_s

    def _postpone_all(self, sweep_id: int) -> None:
        """Delay all exports until the sweep that just failed is due."""
        with self._lock:
            failed = self._turns.get(sweep_id)
            for turn in self._turns.values():
                turn.due = max(turn.due, failed.due if failed else 0.0)

    def _agenda(self) -> list[tuple[int, _Turn]]:
        """The sweeps in the order of their turns, followed ones first."""
        with self._lock:
            return sorted(self._turns.items(), key=lambda item: (not item[1].is_followed, item[1].due))

    def _followed(self) -> list[int]:
        return [sweep_id for sweep_id, turn in self._agenda() if turn.is_followed]

    def _seconds_to_next(self) -> float:
        dues = [turn.due for _, turn in self._agenda()]
        return max(0.0, min(dues, default=monotonic() + INTERVAL_S) - monotonic())


def _load_plots() -> None:
    """Load what the end of a sweep is drawn with, which takes a second, while its workers start."""
    from dse.tracking import plots  # noqa: F401  # the import is all
