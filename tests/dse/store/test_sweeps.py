"""Sweeps: their states and budgets, stopping, extending and deleting them, and how they are listed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dse.store import Store, SweepChanged, SweepNotFound, SweepQuery, SweepReplanned, SweepState
from testing.dot_sweeps import SPEC, trial


def test_a_sweep_comes_back_as_it_was_stored(store: Store, sweep: int) -> None:
    record = store.sweep(sweep)
    assert record.spec == SPEC
    assert record.state == "running"
    assert record.finished_at is None
    assert store.sweeps() == [record]


def test_states_and_budgets_change(store: Store, sweep: int) -> None:
    store.change_state(sweep, "running", "finished")
    finished = store.sweep(sweep)
    assert finished.state == "finished"
    assert finished.finished_at is not None
    assert finished.finished_at >= finished.created_at
    longer = replace(SPEC, trials=50, timeout_s=1.5, total=50)
    store.extend(finished, longer, anew=False, managed=False)
    extended = store.sweep(sweep)
    assert extended.spec == longer
    assert (extended.state, extended.managed, extended.finished_at) == ("running", False, None)
    assert extended.revision == finished.revision


def test_an_extension_of_a_sweep_that_has_changed_is_refused(store: Store, sweep: int) -> None:
    before = store.sweep(sweep)
    store.extend(before, replace(SPEC, trials=50, total=50), anew=False, managed=True)
    after = store.sweep(sweep)
    for anew in (False, True):
        with pytest.raises(SweepChanged, match="was changed concurrently"):
            store.extend(before, replace(SPEC, trials=40, total=40), anew=anew, managed=True)
    assert store.sweep(sweep) == after


def test_a_missing_sweep_is_named(store: Store) -> None:
    for use in (
        store.sweep,
        store.trials,
        store.best,
        store.delete_sweep,
        lambda sweep: store.take(sweep),
    ):
        with pytest.raises(SweepNotFound, match="no sweep 7; `dse list` shows"):
            use(7)


def test_deleting_a_sweep_keeps_what_it_learned(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0)])
    store.delete_sweep(sweep)
    assert store.sweeps() == []
    assert store.counts(sweep).done == 0
    assert set(store.known(["h200-0"])) == {"h200-0"}


def test_sweeps_are_listed_by_what_they_are(store: Store) -> None:
    for number in range(6):
        spec = replace(SPEC, name=("dot", "axpy")[number % 2])
        state: SweepState = "queued" if number < 3 else "running"
        store.create_sweep(spec, managed=number > 0, owner=("ann", None)[number // 3], state=state)

    def listed(**conditions: Any) -> list[int]:
        query = SweepQuery(**conditions)
        found = [sweep.id for sweep in store.sweeps(query)]
        assert store.sweep_count(query) == len(found)
        return found

    assert listed(states=("queued",)) == [1, 2, 3]
    assert listed(states=("queued", "running")) == listed() == [1, 2, 3, 4, 5, 6]
    assert listed(name="axpy") == [2, 4, 6]
    assert listed(owner="ann", name="dot") == [1, 3]
    assert [sweep.id for sweep in store.sweeps(SweepQuery(limit=2, offset=1, newest_first=True))] == [5, 4]
    assert [sweep.id for sweep in store.sweeps(SweepQuery(offset=4))] == [5, 6]
    store.change_state(6, "running", "finished")
    assert [sweep.id for sweep in store.sweeps_to_coordinate()] == [2, 3, 4, 5]


def test_a_sweep_is_stopped_and_queued_again(store: Store) -> None:
    sweep = store.create_sweep(SPEC, managed=True, state="queued")
    store.take(sweep.id)
    store.request_stop(sweep.id)
    assert store.sweep(sweep.id).stop_requested
    assert store.sweep_outline(sweep.key).state == store.sweep(sweep.id).outline.state == "stopping"
    assert store.sweeps_by_state() == {"stopping": 1}
    assert store.sweep_count(SweepQuery(("stopping",))) == 1
    assert store.sweep_count(SweepQuery(("running", "queued"))) == 0
    store.change_state(sweep.id, "running", "stopped")
    stopped = store.sweep(sweep.id)
    assert stopped.finished_at is not None
    store.extend(stopped, SPEC, anew=False, managed=True)
    store.set_priority(sweep.id, 5)
    assert store.sweep(sweep.id) == replace(sweep, priority=5)


def test_a_sweep_with_more_values_keeps_its_trials_where_they_now_belong(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0), trial(1), trial(7), trial(23)])
    store.outbox.set_parent(sweep, "a" * 32)
    values = {**SPEC.parameters, "register_cap": (*SPEC.parameters["register_cap"], 64)}
    wider = replace(SPEC, gpus=("h200", "a100-80gb", "b200"), parameters=values, total=36)
    before, trials = store.sweep(sweep), {each.number: each for each in store.trials(sweep)}
    store.extend(before, wider, anew=True, managed=True)
    assert store.sweep(sweep).spec == wider
    with pytest.raises(SweepReplanned):
        store.record(sweep, [trial(2)], before.revision)
    assert store.sweep(sweep).mlflow_run_id == "a" * 32
    assert store.outbox.is_dirty(sweep)
    assert store.counts(sweep).done == 4
    for number, kept in {each.number: each for each in store.trials(sweep)}.items():
        places = np.unravel_index(number, [len(each) for each in SPEC.parameters.values()])
        index = np.ravel_multi_index(places, [len(each) for each in values.values()])
        assert kept == replace(trials[number], point_index=int(index))


def test_an_extension_that_does_not_list_every_trial_is_refused(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0), trial(1)])
    before = store.sweep(sweep)
    with pytest.raises(SweepChanged):
        store.extend(before, replace(SPEC, total=36), anew=True, managed=True, lists=1)
    assert store.sweep(sweep) == before


def test_a_sweep_of_a_number_that_another_one_had_is_not_that_one(store: Store) -> None:
    first = store.create_sweep(SPEC, "again")
    store.delete_sweep(first.id)
    second = store.create_sweep(replace(SPEC, seed=1), "again")
    with pytest.raises((SweepReplanned, SweepNotFound)):
        store.record(first.id, [trial(0)], first.revision)
    assert store.counts(second.id).done == 0
