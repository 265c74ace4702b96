"""Which trials of a large sweep become child runs: an even sample, the best and the front."""

from dataclasses import replace
from itertools import pairwise

import pytest

from dse.store import Store, Trial
from dse.tracking import MAX_CHILDREN, MlflowTracker
from dse.tracking.choice import spread
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import GPUS, spec, trial


def test_a_large_sweep_shows_an_even_sample_and_the_best(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(1600)).id
    tracker = MlflowTracker(uri, store)
    done = [trial(index, gpu, 50.0 + index % 40) for gpu in GPUS for index in range(800)]
    store.record(sweep, done[:1000])
    tracker.sync(sweep)
    assert 200 < len(read_runs(uri)[1]) < 300
    fastest = [trial(800 + place, gpu, 1.0) for place, gpu in enumerate(GPUS)]
    store.record(sweep, [*done, *fastest])
    store.change_state(sweep, "running", "finished")
    tracker.sync(sweep)
    children = read_runs(uri)[1]
    assert 350 < len(children) <= MAX_CHILDREN
    assert {f"{sweep}/h200/800", f"{sweep}/a100-80gb/801"} <= set(children)
    assert 150 < sum(run.data.params["gpu"] == "h200" for run in children.values()) < 250
    assert MlflowTracker(uri, store).sync(sweep) == 0


def test_the_best_and_the_front_of_a_large_sweep_are_shown(store: Store, uri: str) -> None:
    objectives = (("minimize", "time_us"), ("maximize", "registers_per_thread"))
    sweep = store.create_sweep(replace(spec(1000), objectives=objectives)).id
    store.record(sweep, [trial(index, time_us=100.0) for index in range(1000)])
    front = [
        replace_metrics(trial(1000 + step), time_us=1.0 + step, registers_per_thread=40 + step)
        for step in range(5)
    ]
    store.record(sweep, front)
    store.change_state(sweep, "running", "finished")
    MlflowTracker(uri, store, children=100).sync(sweep)
    children = read_runs(uri)[1]
    assert {f"{sweep}/h200/{1000 + step}" for step in range(5)} <= set(children)
    assert 60 <= len(children) <= 100


def replace_metrics(new: Trial, **metrics: float) -> Trial:
    return replace(new, result=replace(new.result, metrics={**new.result.metrics, **metrics}))


def test_a_sweep_that_outgrows_its_children_is_thinned_out(
    store: Store, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSE_MLFLOW_CHILDREN", "40")
    sweep = store.create_sweep(spec(40)).id
    tracker = MlflowTracker(uri, store)
    store.record(sweep, [trial(index) for index in range(40)])
    tracker.sync(sweep)
    longer = replace(spec(40), trials=400, total=400)
    store.extend(store.sweep(sweep), longer, anew=False, managed=False)
    store.record(sweep, [trial(index) for index in range(400)])
    store.change_state(sweep, "running", "finished")
    tracker.sync(sweep)
    numbers = sorted(int(tag.rpartition("/")[2]) for tag in read_runs(uri)[1])
    assert 35 <= len(numbers) <= 40
    assert all(later - earlier < 30 for earlier, later in pairwise([0, *numbers, 399]))


@pytest.mark.parametrize(("total", "room"), [(1_000_000, 398), (401, 398), (500, 1), (7, 20)])
def test_a_spread_is_even(total: int, room: int) -> None:
    numbers = sorted(spread(total, room))
    assert 0.9 * min(room, total) <= len(numbers) <= room
    assert 0 <= numbers[0] <= numbers[-1] < total
    if room > 100:
        assert max(later - earlier for earlier, later in pairwise(numbers)) <= 2 * total / room + 1
        assert 0.4 < sum(number % 2 for number in numbers) / len(numbers) < 0.6
