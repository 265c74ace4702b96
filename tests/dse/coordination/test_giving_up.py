"""Sweeps whose first points fail: which are given up, and which go on."""

import re

from dse.evaluation.tasks import Outcome, Task
from dse.requests.request import Request
from dse.runners.base import Evaluate
from dse.service import LocalService
from dse.store import Store
from testing.coordinating import GPUS, VALID_POINTS, coordinating, wait_for


def test_a_sweep_whose_first_points_all_fail_alike_is_given_up(store: Store, request_: Request) -> None:
    def fail(task: Task) -> Outcome:
        return Outcome.failure(task.point_hash, "EndlessLoop", "it loops forever", final=True)

    service = LocalService(store)
    sweep = service.create(request_).id
    with coordinating(store, fail):
        wait_for(lambda: service.status(sweep).state == "failed")
        status = service.status(sweep)
        assert 8 <= status.counts.done <= 16
        assert re.search(r"first \d+ points all failed alike, with EndlessLoop: it loops", status.error or "")
        service.resume(sweep)
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.failed == 2 * VALID_POINTS


def test_values_that_always_fail_end_no_sweep_however_many_points_begin_with_them(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    def fail(task: Task) -> Outcome:
        is_late = task.defines["UNROLL"] == 16
        return quick(task) if is_late else Outcome.failure(task.point_hash, "LaunchError", "no", final=True)

    service = LocalService(store)
    sweep = service.create(request_).id
    with coordinating(store, fail):
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.complete > 0


def test_points_that_fail_for_several_reasons_or_for_one_value_end_no_sweep(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    def fail(task: Task) -> Outcome:
        late = task.defines["UNROLL"] == 16
        reason = f"Reason{task.launch.block[0]}" if task.defines["WIDTH"] == 1 else "Other"
        return quick(task) if late else Outcome.failure(task.point_hash, reason, "no", final=True)

    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"gpus": GPUS[:1]})).id
    with coordinating(store, fail):
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.done == VALID_POINTS
