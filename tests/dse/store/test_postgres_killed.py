"""PostgreSQL killed while a sweep is recorded: nothing that was accepted is lost, and nothing is there twice."""

import random
import threading
import time
from collections.abc import Iterator

import pytest

from dse.evaluation.tasks import Outcome
from dse.store import Store, StoreUnavailable, SweepSpec, Trial
from dse.store.check import problems
from testing.postgres import PostgresServer

SPEC = SweepSpec("dot", "kernel: dot\n", "", ("h200",), {"unroll": (1, 2, 4)}, workload=("unroll",))
KILLS = 5
BATCH = 16


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


def batch(number: int) -> list[Trial]:
    return [trial(index) for index in range(number * BATCH, (number + 1) * BATCH)]


def trial(index: int) -> Trial:
    reason = "WorkerLost" if index % 3 else "LaunchError"
    failed = Outcome.failure(f"point-{index}", reason, "why", final=reason == "LaunchError")
    complete = Outcome(f"point-{index}", "complete", metrics={"time_us": 1 / (index + 1), "n": index})
    return Trial(index, "h200", index, {"unroll": (1, 2, 4)[index % 3]}, complete if index % 4 else failed)


def test_a_coordinator_keeps_its_lock_over_a_restart_unless_another_one_has_it(
    server: PostgresServer,
) -> None:
    url = server.create_database().render_as_string(hide_password=False)
    first, second = Store.open(url), Store.open(url)
    with first.coordinator_lock(lambda: True) as leads:
        assert leads
        assert leads()
        server.kill()
        server.start()
        assert leads()
        server.kill()
        server.start()
        with second.coordinator_lock(lambda: True) as other_leads:
            assert other_leads
            assert not leads()
            assert other_leads()


def test_recording_goes_on_where_it_was_when_postgresql_is_killed(server: PostgresServer) -> None:
    url = server.create_database().render_as_string(hide_password=False)
    store = Store.open(url)
    sweep = store.create_sweep(SPEC, "night").id
    over, recorded, seen = threading.Event(), [0], []

    def record() -> None:
        while not over.is_set():
            store.record(sweep, batch(recorded[0]))
            recorded[0] += 1

    def watch() -> None:
        while not over.is_set():
            before = recorded[0] * BATCH
            counts = store.counts(sweep)
            seen.append(counts.done >= before and len(store.winners(sweep)) <= 3)

    threads = [threading.Thread(target=record), threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    moments = random.Random(4)
    for _ in range(KILLS):
        time.sleep(moments.uniform(0.05, 0.5))
        server.kill()
        server.start()
        reached = recorded[0]
        while recorded[0] == reached and all(thread.is_alive() for thread in threads):
            time.sleep(0.01)
    over.set()
    for thread in threads:
        thread.join()

    undisturbed = [new for number in range(recorded[0]) for new in batch(number)]
    stored = list(store.stream_trials(sweep))
    assert [(row.number, row.point_index, row.parameters, row.result) for row in stored] == [
        (new.number, new.point_index, new.parameters, new.result) for new in undisturbed
    ]
    assert store.counts(sweep).done == len(undisturbed)
    assert seen
    assert all(seen)
    assert problems(url) == []
    assert store.create_sweep(SPEC, "night").id == sweep
    store.close()


def test_a_database_that_stays_away_is_given_up(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(server.create_database().render_as_string(hide_password=False))
    monkeypatch.setattr("dse.store.database.retrying.PATIENCE_S", 0.3)
    server.kill()
    for use in (store.ping, store.sweeps):
        with pytest.raises(StoreUnavailable, match="the database does not respond") as given_up:
            use()
        assert "/" not in str(given_up.value)
    server.start()
    store.ping()
    assert store.sweeps() == []
    store.close()
