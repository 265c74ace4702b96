"""Many sweeps on one runner: points wanted twice, what goes wrong, coordinators and sweeps that are gone."""

import threading
from functools import partial
from time import sleep

import pytest

from dse.coordination import shares as shares_module
from dse.coordination.coordinator import Coordinator
from dse.evaluation.tasks import Outcome, Task
from dse.requests.request import Request
from dse.runners.base import Evaluate, RunnerError
from dse.runners.inline import InlineRunner
from dse.service import LocalService
from dse.store import Store
from testing.coordinating import GPUS, VALID_POINTS, coordinating, rows, wait_for
from testing.small_space import slowed


def test_a_queued_sweep_is_taken_up_and_finished(store: Store, request_: Request, quick: Evaluate) -> None:
    service = LocalService(store)
    queued = service.create(request_)
    assert queued.state == "queued"
    assert queued.id.startswith("scale-")
    with coordinating(store, quick):
        states = [status.state for status in service.follow(queued.id)]
    assert states[-1] == "finished"
    assert service.status(queued.id).counts.done == 2 * VALID_POINTS


def test_asking_the_same_again_makes_no_second_sweep(store: Store, request_: Request) -> None:
    service = LocalService(store)
    first = service.create(request_)
    assert service.create(request_) == first
    other = service.create(request_.model_copy(update={"seed": 1}))
    assert other.id != first.id
    named = service.create(request_.model_copy(update={"id": "mine"}))
    assert named.id == "mine"
    assert len(list(service.sweeps())) == 3


def test_a_point_that_two_sweeps_want_is_evaluated_once(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    evaluated: list[str] = []

    def counted(task: Task) -> Outcome:
        evaluated.append(task.point_hash)
        return quick(task)

    service = LocalService(store)
    for name in ("one", "two"):
        service.create(request_.model_copy(update={"id": name}))
    with coordinating(store, counted):
        wait_for(lambda: all(service.status(name).state == "finished" for name in ("one", "two")))
    assert len(evaluated) == len(set(evaluated)) == 2 * VALID_POINTS
    assert rows(store, "one") == rows(store, "two")


def test_a_sweep_says_why_it_has_no_workers_until_it_has_some(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    was_lost, may_start = threading.Event(), threading.Event()

    class Reluctant(InlineRunner):
        def results(self, timeout_s: float) -> list[Outcome]:
            if not was_lost.is_set():
                was_lost.set()
                raise RunnerError("cannot start the workers: no memory")
            return super().results(timeout_s) if may_start.wait(timeout_s) else []

    service = LocalService(store)
    sweep = service.create(request_).id
    with coordinating(store, quick, Reluctant):
        wait_for(lambda: bool(service.status(sweep).error))
        status = service.status(sweep)
        later = service.create(request_.model_copy(update={"id": "later"})).id
        wait_for(lambda: service.status(later).error == status.error)
        may_start.set()
        wait_for(lambda: not any(service.status(each).is_active for each in (sweep, later)))
    assert status.state == "running"
    assert status.error == "no workers: cannot start the workers: no memory; starting new ones"
    assert (service.status(sweep).state, service.status(sweep).error) == ("finished", None)


class Gated(InlineRunner):
    """Holds several points, and answers none before it may."""

    may_answer = threading.Event()

    @property
    def capacity(self) -> int:
        return 4

    def results(self, timeout_s: float) -> list[Outcome]:
        return super().results(timeout_s) if self.may_answer.wait(timeout_s) else []


def test_a_sweep_whose_points_take_long_says_so_and_resumed_they_are_its_own(
    store: Store, request_: Request, quick: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares_module, "QUIET_S", 1)
    monkeypatch.setattr(Gated, "may_answer", threading.Event())
    service = LocalService(store)
    sweep = service.create(request_).id
    with coordinating(store, quick, Gated):
        wait_for(lambda: "not been answered for long" in (service.status(sweep).error or ""))
        assert service.status(sweep).state == "running"
        service.stop(sweep)
        wait_for(lambda: service.status(sweep).state == "stopped")
        assert service.status(sweep).error is None
        service.resume(sweep)
        wait_for(lambda: service.status(sweep).state == "running")
        Gated.may_answer.set()
        wait_for(lambda: service.status(sweep).state == "finished")
    counts = service.status(sweep).counts
    assert (counts.done, counts.known) == (2 * VALID_POINTS, 0)


def test_a_sweep_deleted_while_it_runs_disturbs_no_other(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    slow = slowed(quick, 0.005)

    service = LocalService(store)
    doomed, other = (
        service.create(request_.model_copy(update={"gpus": (gpu,), "id": name})).id
        for name, gpu in zip(("doomed", "other"), GPUS, strict=True)
    )
    with coordinating(store, slow):
        wait_for(lambda: service.status(doomed).counts.done > 0)
        service.delete(doomed)
        wait_for(lambda: service.status(other).state == "finished")
    assert [status.id for status in service.sweeps()] == ["other"]
    assert service.status(other).counts.done == VALID_POINTS


def test_a_new_coordinator_takes_up_what_the_last_one_left(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    evaluated: list[str] = []

    def slow(task: Task) -> Outcome:
        evaluated.append(task.point_hash)
        sleep(0.002)
        return quick(task)

    service = LocalService(store)
    sweep = service.create(request_).id
    for goal in (40, 90):
        with coordinating(store, slow):
            wait_for(lambda goal=goal: service.status(sweep).counts.done >= goal)  # type: ignore[misc]
        assert service.status(sweep).state == "running"
    with coordinating(store, slow):
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.done == 2 * VALID_POINTS
    assert len(evaluated) - len(set(evaluated)) <= 2


def test_a_running_sweep_that_nobody_runs_is_taken_up(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    service = LocalService(store)
    with coordinating(store, quick):
        sweep = service.create(request_).id
        store.change_state(store.sweep(sweep).id, "queued", "running")  # and whoever did that is gone
        wait_for(lambda: service.status(sweep).state == "finished")
    assert service.status(sweep).counts.done == 2 * VALID_POINTS


def test_a_sweep_taken_by_a_process_of_its_own_is_left_to_it(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    service = LocalService(store)
    taken = service.create(request_.model_copy(update={"id": "taken"})).id
    store.take(store.sweep(taken).id)
    with coordinating(store, quick):
        service.create(request_.model_copy(update={"id": "other"}))
        wait_for(lambda: service.status("other").state == "finished")
    assert (service.status(taken).state, service.status(taken).counts.done) == ("running", 0)


def test_what_goes_wrong_in_one_sweep_fails_it_alone(
    store: Store, request_: Request, quick: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = LocalService(store)
    wrong = service.create(request_.model_copy(update={"id": "wrong", "trials": 20})).id
    right = service.create(request_.model_copy(update={"id": "right", "gpus": GPUS[:1]})).id
    from dse.search.sampled import SampledSearch

    def broken(self: SampledSearch) -> None:
        raise RuntimeError("the sampler is confused")

    monkeypatch.setattr(SampledSearch, "ask", broken)
    with coordinating(store, quick):
        wait_for(lambda: service.status(right).state == "finished")
        wait_for(lambda: service.status(wrong).state == "failed")
    assert service.status(wrong).error == "RuntimeError: the sampler is confused"


def test_a_time_limit_stops_a_managed_sweep(store: Store, request_: Request, quick: Evaluate) -> None:
    slow = slowed(quick, 0.01)

    service = LocalService(store)
    sweep = service.create(request_.model_copy(update={"timeout_s": 0.1})).id
    with coordinating(store, slow):
        wait_for(lambda: service.status(sweep).state == "stopped")
    assert 0 < service.status(sweep).counts.done < 2 * VALID_POINTS


def test_a_coordinator_that_has_lost_its_lock_ends(store: Store, request_: Request, quick: Evaluate) -> None:
    slow = slowed(quick, 0.02)

    service = LocalService(store)
    sweep = service.create(request_).id
    coordinator = Coordinator(store, partial(InlineRunner, slow))
    coordinator.serve(lambda: service.status(sweep).counts.done < 20)
    assert service.status(sweep).state == "running"
    assert 20 <= service.status(sweep).counts.done < 2 * VALID_POINTS


def test_a_sweep_made_in_place_of_a_deleted_one_holds_nothing_of_it(
    store: Store, request_: Request, quick: Evaluate
) -> None:
    slow = slowed(quick, 0.005)

    service = LocalService(store)
    service.create(request_.model_copy(update={"id": "again"}))
    with coordinating(store, slow):
        wait_for(lambda: service.status("again").counts.done > 10)
        service.delete("again")
        other = {"id": "again", "parameters": {"unroll": [16, 8]}}
        service.create(request_.model_copy(update=other))
        wait_for(lambda: service.status("again").state == "finished")
    found = [trial.parameters["unroll"] for trial in service.trials("again")]
    assert set(found) == {8, 16}
    assert len(found) == service.status("again").total


def test_a_sweep_whose_process_is_gone_is_resumed(store: Store, request_: Request, quick: Evaluate) -> None:
    service = LocalService(store)
    sweep = service.create(request_).id
    store.take(store.sweep(sweep).id)
    assert service.resume(sweep).state == "queued"
    with coordinating(store, quick):
        wait_for(lambda: service.status(sweep).state == "finished")
