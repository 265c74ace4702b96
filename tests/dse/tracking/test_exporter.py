"""The exporter's thread: it finds what is behind, and only one writes at a time."""

from pathlib import Path
from time import monotonic, sleep

import pytest

from dse.store import Store
from dse.store.parts.outbox import OutboxBusy
from dse.tracking import MlflowExporter, MlflowTracker
from testing.mlflow_server import read_runs
from testing.tracked_sweeps import spec, trial


def test_an_exporter_finds_what_an_earlier_one_left(store: Store, uri: str) -> None:
    sweep = store.create_sweep(spec(2), managed=True).id
    store.record(sweep, [trial(0), trial(1)])
    store.change_state(sweep, "running", "finished")
    assert store.outbox.behind() == [sweep]
    exporter = MlflowExporter(MlflowTracker(uri, store), store).start()
    deadline = monotonic() + 30
    while store.outbox.behind() and monotonic() < deadline:
        sleep(0.05)
    exporter.finish(30)
    assert exporter.problem is None
    assert len(read_runs(uri)[1]) == 2


def test_a_sweep_followed_while_its_end_is_written_has_another_turn(
    store: Store, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = store.create_sweep(spec(2)).id
    store.record(sweep, [trial(0)])
    store.change_state(sweep, "running", "finished")
    tracker = MlflowTracker(uri, store)
    exporter = MlflowExporter(tracker, store)
    sync = tracker.sync

    def extended_meanwhile(sweep_id: int) -> int:
        written = sync(sweep_id)
        if store.counts(sweep_id).done == 1:
            store.record(sweep_id, [trial(1)])
            exporter.follow(sweep_id)
        return written

    monkeypatch.setattr(tracker, "sync", extended_meanwhile)
    exporter.follow(sweep)
    exporter.start()
    deadline = monotonic() + 20
    while len(read_runs(uri)[1]) < 2 and monotonic() < deadline:
        sleep(0.2)
    exporter.finish(20)
    assert len(read_runs(uri)[1]) == 2


def test_only_one_exporter_writes_at_a_time(store: Store, tmp_path: Path) -> None:
    other = Store.open(tmp_path / "dse.db")
    with (
        store.outbox.lock(1),
        pytest.raises(OutboxBusy, match="another process has held"),
        other.outbox.lock(0.1),
    ):
        pass
    with other.outbox.lock(1):
        pass
