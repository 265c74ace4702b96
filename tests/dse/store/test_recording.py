"""Recording results: exactly, once, in whole batches, and by several writers at once."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from dse.store import STALL_REASONS, Store, SweepNotFound, Trial
from dse.store.records import TrialSource
from testing.dot_sweeps import SPEC, failure, indices, result, trial


def test_a_result_comes_back_bit_for_bit(store: Store, sweep: int) -> None:
    stalls = {f"stall_{reason}": 0.1 * place for place, reason in enumerate(STALL_REASONS)}
    whole = result(
        "h", 1 / 3, cycles=123.0, regime="latency", advice=["unroll more"], occupancy={"warps": 64}, **stalls
    )
    store.record(sweep, [trial(0, outcome=whole)])
    assert store.known(["h"]) == {"h": whole}
    (stored,) = store.trials(sweep)
    assert stored.result == whole
    assert stored.parameters == trial(0).parameters


def test_what_json_and_text_cannot_hold_is_missing(store: Store, sweep: int) -> None:
    odd = result("a", cycles=math.inf, ipc=math.nan, shares=[0.5, math.nan], most={"warps": -math.inf})
    broken = replace(failure("b", "CompileError"), message="line 1\0\ud800 \u00b5")
    store.record(sweep, [trial(0, outcome=odd), trial(1, outcome=broken)])
    first, second = store.trials(sweep)
    assert first.result.metrics == {"time_us": 1.0, "shares": [0.5, None], "most": {"warps": None}}
    assert second.result.message == "line 1? \u00b5"


def test_recording_twice_changes_nothing(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index) for index in range(4)])
    before = store.trials(sweep)
    store.record(sweep, [trial(index) for index in range(6)])
    store.record(sweep, [trial(0, outcome=result("h200-0", 99.0), source="known")])
    assert store.trials(sweep)[:4] == before
    assert len(store.trials(sweep)) == 6


def test_a_batch_is_stored_whole_or_not_at_all(store: Store, sweep: int) -> None:
    bad = trial(1, outcome=result("h", advice=object()))
    with pytest.raises(Exception, match="not JSON serializable"):
        store.record(sweep, [trial(0), bad])
    assert store.trials(sweep) == []
    assert store.known(["h200-0"]) == {}


def test_two_sweeps_share_a_result(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0)])
    other = store.create_sweep(SPEC).id
    store.record(other, [trial(0, outcome=store.known(["h200-0"])["h200-0"], source="known")])
    assert store.trials(other)[0].result == store.trials(sweep)[0].result
    assert (store.counts(other).new, store.counts(other).known) == (0, 1)


def test_a_lost_worker_says_nothing_about_a_point(store: Store, sweep: int) -> None:
    lost, refused = failure("a", "WorkerLost"), failure("b", "LaunchError")
    store.record(sweep, [trial(0, outcome=lost), trial(1, outcome=refused)])
    assert store.known(["a", "b"]) == {"b": refused}
    assert [found.result for found in store.trials(sweep)] == [lost, refused]
    store.record(sweep, [trial(0, outcome=result("a")), trial(1, outcome=result("b"))])
    assert [found.result.state for found in store.trials(sweep)] == ["complete", "failed"]


def test_every_sweep_shows_the_result_that_replaced_a_lost_one(store: Store, sweep: int) -> None:
    fastest = replace(SPEC, objectives=(("maximize", "ipc"),), workload=("unroll",))
    other = store.create_sweep(fastest).id
    sources: tuple[tuple[int, TrialSource], ...] = ((sweep, "new"), (other, "known"))
    for each, source in sources:
        store.record(each, [trial(0, outcome=failure("a", "WorkerLost"), source=source), trial(1)])
    store.record(store.create_sweep(SPEC).id, [trial(5, outcome=result("a", 3.0, ipc=2.0))])
    for each, source in sources:
        counts = store.counts(each)
        assert (counts.complete, counts.failed, counts.failures) == (2, 0, {})
        assert (counts.new, counts.known) == ((2, 0) if source == "new" else (1, 1))
        assert indices(store, each, "state = 'complete' and metrics.ipc = 2") == [0]
        assert indices(store, each, "", "number") == [0, 1]
    assert store.best(sweep)["h200"].score == 3.0
    assert [(best.point_index, best.score) for best in store.winners(other)] == [(0, -2.0)]


def test_a_lost_worker_may_be_lost_in_another_way(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(0, outcome=failure("a", "WorkerLost"))])
    store.record(sweep, [trial(0, outcome=failure("a", "MemoryLimit"))])
    assert store.counts(sweep).failures == {"MemoryLimit": 1}
    assert store.trials(sweep)[0].result.reason == "MemoryLimit"


def test_writers_of_the_same_points_at_once_agree(store: Store) -> None:
    sweeps = [store.create_sweep(SPEC).id for _ in range(4)]

    def write(writer: int) -> None:
        for start in range(0, 60, 10):
            outcomes = [
                result(f"{i}") if (i + writer) % 4 else failure(f"{i}", "WorkerLost") for i in range(60)
            ]
            indices = range(start + 9, start - 1, -1) if writer % 2 else range(start, start + 10)
            store.record(sweeps[writer], [trial(i, outcome=outcomes[i]) for i in indices])

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    assert [store.counts(sweep).complete for sweep in sweeps] == [60] * 4
    assert [store.trial_count(sweep, "state = 'complete'") for sweep in sweeps] == [60] * 4


def test_trials_of_a_sweep_that_is_gone_are_refused(store: Store) -> None:
    with pytest.raises(SweepNotFound):
        store.record(7, [trial(0)])
    assert store.known(["h200-0"]) == {}


def test_thousands_of_hashes_are_stored_and_looked_up(store: Store, sweep: int) -> None:
    trials = [trial(index, gpu) for gpu in SPEC.gpus for index in range(2000)]
    for start in range(0, len(trials), 200):
        store.record(sweep, trials[start : start + 200])
    known = store.known([*(new.result.point_hash for new in trials), "unknown"])
    assert len(known) == 4000


def test_trials_of_one_simulation_name_the_first_in_whatever_order_they_come(
    store: Store, sweep: int
) -> None:
    def shared(index: int, simulation: str | None) -> Trial:
        return trial(index, outcome=replace(result(f"h200-{index}"), simulation=simulation))

    def named() -> list[int | None]:
        return [found.same_code_as for found in sorted(store.trials(sweep), key=lambda found: found.number)]

    store.record(sweep, [shared(3, "a"), shared(5, "a"), shared(4, "b"), trial(6)])
    assert named() == [None, None, 3, None]
    store.outbox.set_children(sweep, {("h200", 3): "run"}, logged=True)
    store.record(sweep, [shared(1, "a"), shared(7, "b")])
    assert named() == [None, 1, None, 1, None, 4]
    assert ("h200", 3) in store.outbox.pending(sweep, 10)
    assert store.trial_count(sweep, "same_code_as = 1") == 2
