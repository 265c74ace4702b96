"""The marks that tell what MLflow has, and the lock of whoever writes it, on every database."""

import threading

from dse.store import Store
from dse.store.parts.outbox import Child, OutboxBusy
from testing.tracked_sweeps import spec, trial


def test_one_at_a_time_holds_the_lock(store: Store) -> None:
    refused: list[OutboxBusy] = []

    def try_it() -> None:
        try:
            with store.outbox.lock(0.1):
                pass
        except OutboxBusy as error:
            refused.append(error)

    with store.outbox.lock(1) as confirm:
        other = threading.Thread(target=try_it)
        other.start()
        other.join()
        confirm()
    assert len(refused) == 1
    with store.outbox.lock(1):
        pass


def test_a_sweep_is_behind_until_its_end_is_written(store: Store) -> None:
    sweep = store.create_sweep(spec(1), managed=True).id
    local = store.create_sweep(spec(1)).id
    assert store.outbox.behind() == [sweep]
    store.outbox.set_parent(local, "a" * 32)
    store.outbox.set_parent(sweep, "b" * 32)
    store.change_state(sweep, "running", "finished")
    store.outbox.begin(sweep)
    assert store.outbox.is_dirty(sweep)
    assert store.outbox.behind() == [sweep, local]
    store.outbox.end(sweep, store.sweep(sweep).finished_at)
    assert not store.outbox.is_dirty(sweep)
    assert store.outbox.behind() == [local]
    store.take(sweep)
    store.change_state(sweep, "running", "finished")
    assert store.outbox.behind() == [sweep, local]


def test_trials_are_pending_until_they_are_logged(store: Store) -> None:
    sweep = store.create_sweep(spec(6)).id
    store.record(sweep, [*(trial(index) for index in range(5)), trial(5, reason="WorkerLost")])
    outbox = store.outbox
    assert outbox.pending(sweep, 3) == [("h200", 0), ("h200", 1), ("h200", 2)]
    assert outbox.pending_numbers(sweep, [1, 4, 5, 9]) == [("h200", 1), ("h200", 4)]
    assert outbox.recorded(sweep, [("h200", 0), ("b200", 0)]) == {("h200", 0): ("h200", 0)}
    outbox.set_children(sweep, {("h200", 0): "a" * 32, ("h200", 1): "b" * 32}, logged=True)
    outbox.set_children(sweep, {("h200", 1): "b" * 32}, logged=False)
    assert outbox.children(sweep) == {
        ("h200", 0): Child("a" * 32, True),
        ("h200", 1): Child("b" * 32, False),
    }
    assert outbox.pending(sweep, 1) == [("h200", 1)]
    outbox.forget(sweep)
    assert outbox.children(sweep) == {}
    assert len(outbox.pending(sweep, 10)) == 5
