"""Many sweeps on one runner: fair shares, points wanted twice, requests through the store, kills."""

import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from dse.coordination import caution as caution_module
from dse.coordination import coordinator as coordinator_module
from dse.coordination import shares as shares_module
from dse.coordination.coordinator import Coordinator
from dse.errors import InputError
from dse.evaluation.tasks import Outcome, Task
from dse.requests.preflight import CHECKS, prepare_extension
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import restore_space
from dse.runners.base import Evaluate, Runner, RunnerError
from dse.runners.inline import InlineRunner
from dse.runners.local import LocalRunner
from dse.runners.ray import RayRunner
from dse.service import LocalService
from dse.store import Store, SweepSpec
from dse.tables.columns import TrialTable
from search_spaces import Point, load_space
from testing.small_space import slowed

GPUS = ("a100-80gb", "h100-sxm")
VALID_POINTS = 96
#: Ray takes long to start on a busy machine.
PATIENCE_S = 120


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "dse.db")
    yield store
    store.close()


@pytest.fixture
def request_(space_file: Path) -> Request:
    return Request(space=SpaceFiles.of(load_space(space_file)), gpus=GPUS)


@contextmanager
def coordinating(
    store: Store, evaluate: Evaluate, runner: Callable[[Evaluate], Runner] = InlineRunner
) -> Iterator[Coordinator]:
    coordinator = Coordinator(store, partial(runner, evaluate))
    thread = threading.Thread(target=coordinator.serve)
    thread.start()
    try:
        yield coordinator
    finally:
        coordinator.end()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def wait_for(what: Callable[[], bool]) -> None:
    deadline = monotonic() + PATIENCE_S
    while not what():
        assert monotonic() < deadline, "it never came true"
        sleep(0.02)


def is_finished(service: LocalService, key: str) -> bool:
    return service.status(key).state == "finished"


def rows(store: Store, key: str) -> list[dict[str, object]]:
    sweep = store.sweep(key)
    return [*map(TrialTable(sweep.spec).row, store.trials(sweep.id))]


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


@pytest.mark.parametrize("runner", [LocalRunner, RayRunner], ids=["local", "ray"])
def test_sweeps_of_endless_kernels_starve_no_other(
    store: Store,
    request_: Request,
    quick: Evaluate,
    runner: Callable[..., Runner],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coordinator_module, "STARVING_S", 0.5)

    def evaluate(task: Task) -> Outcome:
        if task.gpu == "a100-80gb":
            sleep(600)
        return quick(task)

    service = LocalService(store)
    with coordinating(store, evaluate, partial(runner, workers=2, prepare=lambda: None)):
        endless = [
            service.create(request_.model_copy(update={"gpus": GPUS[:1], "parameters": {"unroll": [unroll]}}))
            for unroll in (1, 2)
        ]
        sleep(1)  # so that both have a worker
        quickly = service.create(request_.model_copy(update={"gpus": GPUS[1:]})).id
        wait_for(lambda: service.status(quickly).state == "finished")
    assert [service.status(sweep.id).counts.done for sweep in endless] == [0, 0]


@pytest.mark.parametrize("runner", [LocalRunner, RayRunner], ids=["local", "ray"])
def test_an_endless_sweep_that_had_all_workers_starves_no_other_and_leaves_them_when_it_is_stopped(
    store: Store,
    request_: Request,
    quick: Evaluate,
    runner: Callable[..., Runner],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coordinator_module, "STARVING_S", 0.5)
    monkeypatch.setattr(caution_module, "PATIENCE_S", 0.1)
    busy = tmp_path / "busy"
    busy.mkdir()

    def evaluate(task: Task) -> Outcome:
        if task.gpu == "a100-80gb":
            (busy / str(os.getpid())).touch()
            sleep(600)
        return quick(task)

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


MORE_GPUS, MORE_VALUES = Extension(gpus=GPUS[1:]), Extension(parameters={"unroll": [16]})


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


def test_a_sweep_whose_process_is_gone_is_resumed(store: Store, request_: Request, quick: Evaluate) -> None:
    service = LocalService(store)
    sweep = service.create(request_).id
    store.take(store.sweep(sweep).id)
    assert service.resume(sweep).state == "queued"
    with coordinating(store, quick):
        wait_for(lambda: service.status(sweep).state == "finished")
