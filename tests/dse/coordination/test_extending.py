"""Stopping, resuming and extending sweeps through the store."""

import threading
from collections import Counter
from dataclasses import replace
from time import sleep

import pytest

from dse.errors import InputError
from dse.evaluation.tasks import Outcome, Task
from dse.requests.preflight import CHECKS, prepare_extension
from dse.requests.request import Extension, Request
from dse.requests.specs import restore_space
from dse.runners.base import Evaluate
from dse.service import LocalService
from dse.store import Store, SweepSpec
from search_spaces import Point
from testing.coordinating import GPUS, PATIENCE_S, VALID_POINTS, coordinating, rows, wait_for

MORE_GPUS, MORE_VALUES = Extension(gpus=GPUS[1:]), Extension(parameters={"unroll": [16]})


def test_stop_resume_and_extend_go_through_the_store(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    started = threading.Event()

    def slow(task: Task) -> Outcome:
        started.set()
        sleep(0.05)
        return quick(task)

    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"gpus": GPUS[:1], "trials": 20})).id
    with coordinating(store, slow):
        assert started.wait(PATIENCE_S)
        assert service.stop(sweep).state == "stopping"
        wait_for(lambda: service.status(sweep).state == "stopped")
        assert service.status(sweep).counts.done < 20
        service.resume(sweep)
        wait_for(lambda: service.status(sweep).state == "finished")
        assert service.status(sweep).counts.done == 20
        service.extend(sweep, Extension(trials=30))
        wait_for(lambda: service.status(sweep).counts.done == 30)
        service.extend(sweep, Extension(gpus=GPUS[1:], parameters={"width": [8]}))
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.done == service.status(sweep).total == 60
    assert set(service.spec(sweep).gpus) == set(GPUS)
    assert service.spec(sweep).parameters["width"] == (1, 2, 4, 8)
    with pytest.raises(InputError, match="has 60 already"):
        service.extend(sweep, Extension(trials=10))
    with pytest.raises(InputError, match="60 trials are spent on the values that it has; with --trials"):
        service.extend(sweep, Extension(parameters={"width": [16]}))


def test_a_queued_sweep_is_stopped_at_once_and_one_that_ended_stays(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    service = LocalService(store)
    sweep = service.create(request_).id
    assert service.stop(sweep).state == "stopped"
    service.resume(sweep)
    with coordinating(store, quick):
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.stop(sweep).state == "finished"
    assert service.resume(sweep).state == "finished"


@pytest.mark.parametrize(
    ("trials", "steps"),
    [
        (None, [MORE_GPUS, MORE_VALUES, Extension(parameters={"width": [8]})]),
        (20, [MORE_GPUS, Extension(parameters={"unroll": [16]}, trials=50)]),
        (20, [Extension(parameters={"width": [8]}, gpus=GPUS[1:], trials=70), Extension(trials=90)]),
        (20, [Extension(trials=96), Extension(gpus=GPUS[1:], parameters={"unroll": [16]})]),
    ],
)
def test_the_trials_of_an_extended_sweep_keep_their_numbers(
    store: Store, request_: Request, quick: Evaluate, trials: int | None, steps: list[Extension]
) -> None:
    service = LocalService(store)
    asked = request_.model_copy(
        update={"gpus": GPUS[:1], "trials": trials, "parameters": {"unroll": [1, 2, 4, 8]}}
    )
    sweep = service.create(asked).id
    known: dict[int, tuple[str, Point]] = {}
    with coordinating(store, quick):
        for step in [None, *steps]:
            if step:
                service.extend(sweep, step)
            wait_for(lambda: service.status(sweep).state == "finished")
            now = {each.number: (each.gpu, each.parameters) for each in service.trials(sweep)}
            assert known.items() <= now.items()
            assert sorted(now) == list(range(service.status(sweep).total))
            space = restore_space(service.spec(sweep))
            for each in service.trials(sweep):
                assert space.point(each.point_index) == each.parameters
            known = now


def test_a_sweep_extended_while_it_runs_is_the_same_after_a_restart(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"gpus": GPUS[:1], "trials": 30})).id

    def slow(task: Task) -> Outcome:
        sleep(0.02)
        return quick(task)

    with coordinating(store, slow):
        wait_for(lambda: service.status(sweep).counts.done >= 5)
        service.extend(sweep, Extension(gpus=GPUS[1:]))
        before = {each.number: each.place for each in service.trials(sweep)}
        wait_for(lambda: service.status(sweep).counts.done >= 12)
    with coordinating(store, quick):
        wait_for(lambda: service.status(sweep).state == "finished")
    after = {each.number: each.place for each in service.trials(sweep)}
    assert before.items() <= after.items()
    assert sorted(after) == list(range(60))
    assert Counter(gpu for gpu, _ in after.values()) == dict.fromkeys(GPUS, 30)


def test_an_exhaustive_sweep_extended_by_values_holds_every_point(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"parameters": {"unroll": [1, 2]}})).id
    evaluated: list[str] = []

    def counted(task: Task) -> Outcome:
        evaluated.append(task.point_hash)
        return quick(task)

    with coordinating(store, counted):
        wait_for(lambda: service.status(sweep).state == "finished")
        service.extend(sweep, Extension(parameters={"unroll": [4, 8, 16]}))
        wait_for(lambda: service.status(sweep).counts.done == 2 * VALID_POINTS)
        wait_for(lambda: service.status(sweep).state == "finished")
    assert len(evaluated) == len(set(evaluated)) == 2 * VALID_POINTS
    undisturbed = service.create(request_.model_copy(update={"id": "undisturbed"})).id
    with coordinating(store, quick):
        wait_for(lambda: service.status(undisturbed).state == "finished")
    assert rows(store, sweep) == rows(store, undisturbed)


def test_extensions_at_the_same_moment_are_put_together(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    first = LocalService(store)
    sweep = first.create(request_.model_copy(update={"gpus": GPUS[:1]})).id
    meanwhile = iter([Extension(gpus=("b200",))])

    def slowly(spec: SweepSpec, extension: Extension) -> SweepSpec:
        if another := next(meanwhile, None):
            first.extend(sweep, another)
        return prepare_extension(spec, extension)

    LocalService(store, replace(CHECKS, prepare_extension=slowly)).extend(sweep, Extension(gpus=("h200",)))
    assert set(first.status(sweep).gpus) == {GPUS[0], "b200", "h200"}
