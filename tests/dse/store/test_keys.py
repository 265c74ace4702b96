"""Keys of sweeps: which names are keys, and what creating the same sweep again does."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from dse.store import KeyRefused, Store, SweepExists, SweepNotFound
from testing.dot_sweeps import SPEC


def test_a_key_names_a_sweep(store: Store) -> None:
    named = store.create_sweep(SPEC, "night-1", managed=True, priority=3, owner="ann", state="queued")
    assert (named.key, named.managed, named.priority, named.owner) == ("night-1", True, 3, "ann")
    assert (named.state, named.stop_requested, named.finished_at) == ("queued", False, None)
    numbered = store.create_sweep(SPEC)
    assert (numbered.key, numbered.managed, numbered.state) == (str(numbered.id), False, "running")
    for key in ("night-1", named.id):
        assert store.sweep(key) == named
    with pytest.raises(SweepNotFound):  # a number that was deleted never means another sweep
        store.sweep(str(named.id))


def test_a_question_keeps_its_digest() -> None:
    asked = replace(SPEC, source_file="dot.cu", headers={"scale.h": "1"}, sampler_asked="tpe", seed=3)
    assert asked.question == "6ba0a3c5b07acd98bce606ee173207c6b54c95298742c21ec4fc73ee40efa102"
    assert replace(asked, total=25).question == asked.question
    changes: tuple[dict[str, Any], ...] = (
        {"source_file": "other.cu"},
        {"headers": {}},
        {"sampler_asked": None},
    )
    for change in changes:
        assert replace(asked, **change).question != asked.question


@pytest.mark.parametrize("key", ["", "-night", "a b", "../up", "a" * 101, "a\n", "é", "a/b", "a\0"])
def test_a_key_that_is_no_name_is_refused(store: Store, key: str) -> None:
    with pytest.raises(KeyRefused, match="1 to 100 letters, digits, dots, dashes and underscores"):
        store.create_sweep(SPEC, key)
    with pytest.raises(SweepNotFound):
        store.sweep(key)


def test_asking_the_same_again_finds_the_sweep(store: Store) -> None:
    first = store.create_sweep(SPEC, "night", owner="ann")
    assert store.create_sweep(replace(SPEC, total=7), "night", priority=9, owner="bob") == first
    store.extend(first, replace(SPEC, trials=50, total=50), anew=False, managed=False)
    extended = store.sweep("night")
    assert store.create_sweep(SPEC, "night") == extended
    assert store.create_sweep(extended.spec, "night") == extended
    with pytest.raises(SweepExists, match="sweep night exists with a different request"):
        store.create_sweep(replace(SPEC, seed=1), "night")
    assert store.sweep_count() == 1


def test_a_number_that_somebody_chose_as_a_key_is_not_given_again(store: Store) -> None:
    chosen = store.create_sweep(SPEC, "2")
    numbered = store.create_sweep(SPEC)
    assert (numbered.id, numbered.key) == (2, "2-1")
    assert store.sweep("2") == chosen
    assert store.sweep(2) == numbered


def test_clients_that_create_the_same_at_once_make_one_sweep(store: Store) -> None:
    with ThreadPoolExecutor(50) as clients:
        created = list(clients.map(lambda _: store.create_sweep(SPEC, "night"), range(50)))
        numbered = list(clients.map(lambda _: store.create_sweep(SPEC), range(50)))
    assert {sweep.id for sweep in created} == {created[0].id}
    assert len({sweep.key for sweep in numbered}) == 50
    assert store.sweep_count() == 51
