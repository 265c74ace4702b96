"""Which sweep's points are evaluated next: fair shares, and sweeps that never end."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import sleep

import psutil
import pytest

from dse.coordination import caution as caution_module
from dse.coordination import coordinator as coordinator_module
from dse.evaluation.tasks import Outcome, Task
from dse.requests.request import Request
from dse.runners.base import Evaluate, Runner
from dse.runners.inline import InlineRunner
from dse.runners.local import LocalRunner
from dse.runners.ray import RayRunner
from dse.service import LocalService
from dse.store import Store
from testing.coordinating import GPUS, VALID_POINTS, coordinating, is_finished, wait_for


def test_sweeps_get_shares_by_their_priority(store: Store, request_: Request, quick: Evaluate) -> None:
    """Of two sweeps with the same number of points, one of priority 2 is served four times as often."""
    order: list[str] = []

    def slow(task: Task) -> Outcome:
        order.append(task.gpu)
        sleep(0.002)
        outcome = quick(task)
        return Outcome(
            outcome.point_hash, outcome.state, outcome.reason, outcome.message, outcome.metrics, 0, 0.05
        )

    service = LocalService(store)
    for gpu, priority in zip(GPUS, (0, 2), strict=True):
        service.create(request_.model_copy(update={"gpus": (gpu,), "priority": priority, "id": gpu}))
    with coordinating(store, slow):
        wait_for(lambda: all(service.status(gpu).state == "finished" for gpu in GPUS))
    shares = Counter(order[: VALID_POINTS // 2])
    assert shares[GPUS[1]] > 2.5 * shares[GPUS[0]]
    assert Counter(order) == dict.fromkeys(GPUS, VALID_POINTS)


def test_one_point_on_each_gpu_goes_before_the_others(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    batches: list[list[str]] = []

    class Wide(InlineRunner):
        capacity = 8

        def submit(self, batch: Sequence[Task]) -> None:
            batches.append([task.gpu for task in batch])
            super().submit(batch)

    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"trials": 20})).id
    with coordinating(store, quick, Wide):
        wait_for(lambda: service.status(sweep).state == "finished")
    for gpu in GPUS:
        first = next(batch for batch in batches if gpu in batch)
        assert first.count(gpu) == 1
    assert max(map(len, batches)) > 2


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """Where evaluations that do not end leave a file each."""
    folder = tmp_path / "busy"
    folder.mkdir()
    return folder


def endless_on_the_first(busy: Path, name: Callable[[Task], str], quick: Evaluate) -> Evaluate:
    """Points of the first GPU leave a file of that name and never end; the others are evaluated."""

    def evaluate(task: Task) -> Outcome:
        if task.gpu == GPUS[0]:
            (busy / name(task)).touch()
            sleep(600)
        return quick(task)

    return evaluate


@pytest.mark.parametrize("runner", [LocalRunner, RayRunner], ids=["local", "ray"])
def test_sweeps_of_endless_kernels_starve_no_other(
    store: Store,
    request_: Request,
    quick: Evaluate,
    runner: Callable[..., Runner],
    busy: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coordinator_module, "STARVING_S", 0.5)
    evaluate = endless_on_the_first(busy, lambda task: str(task.defines["UNROLL"]), quick)
    service = LocalService(store)
    with coordinating(store, evaluate, partial(runner, workers=2, prepare=lambda: None)):
        endless = [
            service.create(request_.model_copy(update={"gpus": GPUS[:1], "parameters": {"unroll": [unroll]}}))
            for unroll in (1, 2)
        ]
        wait_for(lambda: len(list(busy.iterdir())) == 2)  # both have a worker
        quickly = service.create(request_.model_copy(update={"gpus": GPUS[1:]})).id
        wait_for(lambda: service.status(quickly).state == "finished")
    assert [service.status(sweep.id).counts.done for sweep in endless] == [0, 0]


@pytest.mark.parametrize("runner", [LocalRunner, RayRunner], ids=["local", "ray"])
def test_an_endless_sweep_that_had_all_workers_starves_no_other_and_leaves_them_when_it_is_stopped(
    store: Store,
    request_: Request,
    quick: Evaluate,
    runner: Callable[..., Runner],
    busy: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coordinator_module, "STARVING_S", 0.5)
    monkeypatch.setattr(caution_module, "PATIENCE_S", 0.1)
    evaluate = endless_on_the_first(busy, lambda _: str(os.getpid()), quick)
    service = LocalService(store)
    with coordinating(store, evaluate, partial(runner, workers=2, prepare=lambda: None)):
        endless = service.create(request_.model_copy(update={"gpus": GPUS[:1]})).id
        wait_for(lambda: len(list(busy.iterdir())) == 2)
        for unroll in (1, 2, 4):  # one after the other: each time the endless one is alone in between
            one = {"gpus": GPUS[1:], "parameters": {"unroll": [unroll]}}
            quickly = service.create(request_.model_copy(update=one)).id
            wait_for(partial(is_finished, service, quickly))
            sleep(0.5)
        evaluating = [int(path.name) for path in busy.iterdir()]
        service.stop(endless)
        wait_for(lambda: service.status(endless).state == "stopped")
        wait_for(lambda: not any(map(psutil.pid_exists, evaluating)))
        again = {"gpus": GPUS[1:], "parameters": {"unroll": [8]}}
        quickly = service.create(request_.model_copy(update=again)).id
        wait_for(lambda: service.status(quickly).state == "finished")
    assert service.status(endless).counts.done == 0


def test_a_sweep_whose_points_run_into_the_limit_of_cycles_goes_last(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    def evaluate(task: Task) -> Outcome:
        if task.gpu == "a100-80gb":
            sleep(0.2)
            return Outcome.failure(task.point_hash, "CycleLimitExceeded", "too long", final=True)
        return quick(task)

    service = LocalService(store)
    with coordinating(store, evaluate):
        endless = service.create(request_.model_copy(update={"gpus": GPUS[:1]})).id
        wait_for(lambda: service.status(endless).counts.done >= 3)
        quickly = service.create(request_.model_copy(update={"gpus": GPUS[1:]})).id
        wait_for(lambda: service.status(quickly).state == "finished")
        assert service.status(endless).state == "running"
        wait_for(lambda: service.status(endless).state == "failed")
