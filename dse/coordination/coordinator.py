"""Schedules many sweeps on one runner: each gets its fair share, and a point in several sweeps is evaluated once.

A coordinator communicates only with the store and the runner. Requests to submit, stop, extend or delete sweeps are
written to the store; the coordinator polls it twice a second. So it may be killed at any time, and a new one takes
up the sweeps that are not finished.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Protocol

from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from dse.coordination.caution import LIMITS
from dse.coordination.shares import Share, Waiting
from dse.coordination.sweep_run import SweepRun
from dse.coordination.workers import Workers
from dse.errors import PointsFailAlike
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Runner
from dse.store import Store, StoreError, SweepNotFound, SweepRecord, SweepReplanned
from dse.store.records import SweepState

#: How long one turn of the loop waits for results.
POLL_S = 0.1
#: How often the store is polled for new requests.
LOOK_S = 0.5
#: Maximum seconds of preparing points before the loop dispatches those that are ready.
PREPARING_S = 0.05
#: Seconds without an answer after which one sweep does not wait for another's points any more: a spare worker starts.
STARVING_S = 5.0
#: Seconds that a stopping sweep waits for its points on the workers.
STOP_S = 2.0

log = logging.getLogger(__name__)


class Exporter(Protocol):
    """Exports sweeps, for example to MLflow."""

    def follow(self, sweep_id: int) -> None:
        """A sweep has started or continues."""


class Coordinator:
    """Runs sweeps.

    Args:
        store: the store with the sweeps.
        start_runner: creates the runner; not called before there is a point to evaluate.
        exporter: notified of every sweep that starts.
    """

    def __init__(
        self, store: Store, start_runner: Callable[[], Runner], exporter: Exporter | None = None
    ) -> None:
        self._store = store
        self._workers = Workers(start_runner)
        self._exporter = exporter
        self._shares: dict[int, Share] = {}
        self._waiting = Waiting()
        self._added: deque[SweepRun] = deque()
        self._stopping: set[int] = set()
        self._over = threading.Event()
        self._next_look = 0.0
        self._last_answer = 0.0
        self._has_spare = False

    # Called from any thread

    def add(self, run: SweepRun) -> None:
        """Run an unmanaged sweep, which the caller has marked as running."""
        self._stopping.discard(run.id)
        self._added.append(run)

    def stop(self, sweep_id: int) -> None:
        """Stop a sweep soon; completed trials are kept."""
        self._stopping.add(sweep_id)

    def end(self) -> None:
        """Terminate soon; managed sweeps keep their state for the next coordinator."""
        self._over.set()

    @property
    def is_ending(self) -> bool:
        """Whether `end` was called."""
        return self._over.is_set()

    @property
    def has_work(self) -> bool:
        """Whether a sweep is running or queued."""
        return bool(self._added or self._shares)

    # The loop

    def run_added(self) -> None:
        """Run the added sweeps until they have ended."""
        try:
            while self.has_work:
                self._step(self._read_again)
        except BaseException as error:
            for share in list(self._shares.values()):
                with suppress(StoreError, SQLAlchemyError):  # which may be the cause
                    self._fail(share, error)
            raise
        finally:
            self._shut_down()

    def serve(self, leads: Callable[[], bool] = lambda: True) -> None:
        """Run all managed sweeps of the store, present and future, until `end` or until the leadership is lost.

        Args:
            leads: called twice a second; whether this is still the only coordinator of the store.
        """

        def look() -> None:
            if leads():
                self._claim()
                return
            log.warning("the coordinator's lock was lost; another coordinator may hold it")
            self.end()

        try:
            while not self.is_ending:
                if not self._step(look):
                    self._over.wait(POLL_S)
        finally:
            self._shut_down()

    def _step(self, look: Callable[[], None]) -> bool:
        """One turn of the loop; returns whether there was progress. Polls the store twice a second."""
        while self._added:
            self._admit(self._added.popleft())
        if monotonic() >= self._next_look:
            self._next_look = monotonic() + LOOK_S
            look()
        self._obey()
        moved = self._prepare()
        self._lend_a_spare()
        self._feed()
        moved |= self._take(moved)
        self._report_trouble()
        self._retire()
        return moved

    def _report_trouble(self) -> None:
        """Let those who look at the running sweeps see why nothing goes on, and when something does again."""
        for share in self._shares.values():
            trouble = self._workers.trouble or self._waiting.trouble_of(share)
            if trouble != share.reported_trouble:
                share.reported_trouble = trouble
                self._store.note_trouble(share.run.id, trouble)

    def _claim(self) -> None:
        """Read the managed sweeps; take up those submitted, resumed, extended or abandoned."""
        records = self._store.sweeps_to_coordinate()
        self._update({record.id: record for record in records})
        for record in records:
            share = self._shares.get(record.id)
            if share is None or record.state == "queued":
                if share:
                    self._drop(share)
                self._take_up(record)

    def _read_again(self) -> None:
        """Read the running sweeps again."""
        records: dict[int, SweepRecord] = {}
        for sweep_id in self._shares:
            with suppress(SweepNotFound):
                records[sweep_id] = self._store.sweep(sweep_id)
        self._update(records)

    def _update(self, records: Mapping[int, SweepRecord]) -> None:
        """Apply changes to the running sweeps; drop those that were deleted or taken over."""
        for share in list(self._shares.values()):
            record = records.get(share.run.id)
            if record is None:
                self._end(share)
            elif share.run.is_of(record):
                share.run.record = record
            else:
                self._drop(share)

    def _take_up(self, record: SweepRecord) -> None:
        """Start or continue a managed sweep; one that cannot start fails, without affecting the others."""
        if record.state == "queued" and not self._store.change_state(record.id, "queued", "running"):
            return
        try:
            self._admit(SweepRun(self._store, record))
        except (StoreError, SQLAlchemyError):
            raise
        except Exception as error:  # for example accepted by an older version
            log.exception("sweep %s cannot be run", record.key)
            self._store.change_state(record.id, "running", "failed", f"{type(error).__name__}: {error}")

    def _admit(self, run: SweepRun) -> None:
        """A new run starts with the usage of the least-served run, so that neither starves the other."""
        least = min((share.used for share in self._shares.values()), default=0.0)
        self._shares[run.id] = Share(run, least, reported_trouble=run.record.error)
        if self._exporter:
            self._exporter.follow(run.id)

    def _drop(self, share: Share) -> None:
        """End a run whose sweep has, or will have, a new one, to which its points on the workers are left."""
        if self._shares.get(share.run.id) is share:
            del self._shares[share.run.id]
        self._waiting.drop(share)
        share.run.end()

    def _end(self, share: Share) -> None:
        """End a run, and the evaluation of the points that it alone waits for."""
        self._workers.drop(self._waiting.take_alone(share))
        self._drop(share)

    def _fail(self, share: Share, error: BaseException) -> None:
        log.error("sweep %s failed", share.run.record.key, exc_info=error)
        share.run.error = error
        self._finish(share, "failed", f"{type(error).__name__}: {error}")

    def _obey(self) -> None:
        """Stop dispatching points of sweeps that are stopping or past their time limit."""
        for sweep_id, share in self._shares.items():
            is_told = sweep_id in self._stopping or share.run.record.stop_requested or share.run.is_late
            if is_told and share.stops_at is None:
                self._stopping.discard(sweep_id)
                share.stops_at = monotonic() + STOP_S

    def _prepare(self) -> bool:
        """Record known results and fill the backlogs, starting with the least-served runs."""
        moved, began = False, monotonic()
        for share in sorted(self._going(), key=lambda share: share.used):
            before = monotonic()
            moved |= self._guarded(share, lambda run: run.prepare(self._workers.capacity))
            share.charge(monotonic() - before)
            if monotonic() - began > PREPARING_S:
                break
        return moved

    def _guarded(self, share: Share, action: Callable[[SweepRun], bool]) -> bool:
        """Perform an action for a run; its errors fail only this sweep, but errors of the store propagate."""
        try:
            return action(share.run)
        except SweepNotFound:
            self._end(share)
        except SweepReplanned:
            self._drop(share)
        except Exception as error:
            is_of_the_store = isinstance(error, StoreError | SQLAlchemyError)
            if is_of_the_store and not isinstance(error, DataError | IntegrityError):
                raise
            self._fail(share, error)
        return True

    def _feed(self) -> None:
        """Submit tasks up to the capacity of the runner."""
        batch: list[Task] = []
        room = self._workers.capacity - self._workers.in_flight
        while len(batch) < room and (share := self._next_share()):
            task = share.run.next_task(self._is_alone)
            share.charge(share.mean_s)
            if self._waiting.add(task.point_hash, share):
                batch.append(task)
        if batch:
            self._workers.submit(batch)
            self._workers.expect(sum(share.run.backlog for share in self._going()))

    def _lend_a_spare(self) -> None:
        """Have a worker more for as long as points hold the others up, if several sweeps want them."""
        quiet = monotonic() - self._last_answer > STARVING_S
        held_up = not self._is_alone and self._waiting.longest_s() > STARVING_S
        has_spare = held_up and (self._has_spare or quiet)
        if has_spare and not self._has_spare:
            self._call_back()
        self._has_spare = has_spare
        self._workers.set_spare(has_spare)

    def _call_back(self) -> None:
        """Let the points that no worker has begun be dispatched again, each when it is its sweep's turn."""
        for task in reversed(self._workers.recall()):
            for share in self._waiting.take(task.point_hash):
                share.run.put_back(task)
                share.charge(-share.mean_s)

    def _take(self, moved: bool) -> bool:
        """Pass outcomes to the runs that wait for them; does not block if there is other work."""
        outcomes = self._workers.results(0 if moved else POLL_S)
        if outcomes:
            self._last_answer = monotonic()
        arrived: dict[int, tuple[Share, list[Outcome]]] = {}
        for outcome in outcomes:
            sent_for = self._waiting.sweeps_of(outcome.point_hash)
            waiting = self._waiting.take(outcome.point_hash)
            for share in waiting:
                share.correct(outcome.compile_s + outcome.simulate_s)
                share.is_slow = outcome.reason in LIMITS or outcome.simulate_s > STARVING_S
            others = [share for share in self._shares.values() if share.run.holds(outcome.point_hash)]
            for share in others:
                if share.run.id in sent_for:
                    share.run.claim(outcome.point_hash)
            for share in (*waiting, *others):
                arrived.setdefault(id(share), (share, []))[1].append(outcome)
        for share, mine in arrived.values():
            self._guarded(share, partial(_take_outcomes, mine, self._workers.count))
        return bool(outcomes)

    def _retire(self) -> None:
        """End runs that are over or given up, and stopping ones whose points have left the workers or timed out."""
        for share in list(self._shares.values()):
            if share.run.is_over:
                self._finish(share, "finished")
            elif verdict := share.run.verdict:
                share.run.error = PointsFailAlike(verdict)
                self._finish(share, "failed", verdict)
            elif share.stops_at is not None and (
                monotonic() > share.stops_at or not self._waiting.has(share)
            ):
                is_whole = share.run.progress.done >= share.run.progress.total
                self._finish(share, "finished" if is_whole else "stopped")

    def _finish(self, share: Share, state: SweepState, error: str | None = None) -> None:
        """End a run and record its state; a sweep that was queued again meanwhile stays queued."""
        try:
            self._store.change_state(share.run.id, "running", state, error)
        finally:
            self._end(share)

    @property
    def _is_alone(self) -> bool:
        """Whether one sweep at most wants the workers."""
        return len(self._shares) <= 1

    def _going(self) -> list[Share]:
        """The runs that are not stopping."""
        return [share for share in self._shares.values() if share.stops_at is None]

    def _next_share(self) -> Share | None:
        ready = [share for share in self._going() if share.run.has_task(self._is_alone)]
        return min(filter(self._leaves_the_spare, ready), key=self._turn, default=None)

    def _leaves_the_spare(self, share: Share) -> bool:
        """Whether a share may have a worker: the spare one is not for those whose points on others take long."""
        if not self._has_spare or not self._holds_up(share) or not self._waiting.has(share):
            return True
        slow = [each for each in self._going() if self._holds_up(each)]
        return self._waiting.number(slow) < self._workers.count

    def _holds_up(self, share: Share) -> bool:
        return share.is_slow or self._waiting.longest_s(share) > STARVING_S

    def _turn(self, share: Share) -> tuple[bool, float]:
        """What the share whose turn it is has least of: doubtful sweeps last, then by what they have used."""
        return share.run.is_doubtful, share.used + self._waiting.owed(share)

    def _shut_down(self) -> None:
        self._workers.shutdown()
        self._waiting.clear()


def _take_outcomes(outcomes: Sequence[Outcome], workers: int, run: SweepRun) -> bool:
    run.take(outcomes, workers)
    return True
