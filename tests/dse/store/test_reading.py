"""Reading trials: their order, pages of them, counts and rows."""

from dataclasses import replace

import pytest

from dse.store import FilterError, Store, SweepNotFound, SweepSpec, Trial, TrialQuery
from dse.tables.columns import TrialTable
from testing.dot_sweeps import SPEC, failure, indices, result, trial


def test_trials_come_in_point_order(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in (2, 0, 1) for gpu in SPEC.gpus])
    places = [found.place for found in store.trials(sweep)]
    assert places == [
        ("a100-80gb", 0),
        ("a100-80gb", 1),
        ("a100-80gb", 2),
        ("h200", 0),
        ("h200", 1),
        ("h200", 2),
    ]
    assert [found.place for found in store.trials(sweep, TrialQuery(limit=2))] == places[:2]
    assert [found.place for found in store.trials_at(sweep, [("h200", 2), ("a100-80gb", 1)])] == [
        ("a100-80gb", 1),
        ("h200", 2),
    ]


def test_trials_come_a_page_at_a_time(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index, gpu) for index in range(25) for gpu in SPEC.gpus])
    whole = store.trials(sweep)
    assert [
        found for start in range(0, 50, 7) for found in store.trials(sweep, TrialQuery(limit=7, offset=start))
    ] == whole
    assert store.trials(sweep, TrialQuery(offset=45)) == whole[45:]
    assert list(store.stream_trials(sweep, batch=7)) == whole
    assert list(store.stream_trials(sweep, batch=25)) == whole
    unrolled = store.trials(sweep, TrialQuery("params.unroll = 4"))
    assert list(store.stream_trials(sweep, TrialQuery("params.unroll = 4"), batch=3)) == unrolled
    assert list(store.stream_trials(sweep, TrialQuery("params.unroll = 4", limit=4), batch=3)) == unrolled[:4]
    assert store.trials(sweep, TrialQuery(limit=7, after=whole[20].place)) == whole[21:28]
    assert list(store.stream_trials(sweep, TrialQuery(after=whole[20].place), batch=7)) == whole[21:]
    assert (store.trial_count(sweep), store.trial_count(sweep, "params.unroll = 4")) == (50, len(unrolled))
    with pytest.raises(SweepNotFound):
        store.stream_trials(7)
    with pytest.raises(FilterError):
        store.trial_count(sweep, "params.x = 1")


def test_order_sorts_with_missing_values_last(store: Store, sweep: int) -> None:
    store.record(sweep, [trial(index) for index in range(4)])
    store.record(sweep, [trial(4, outcome=failure("x", "LaunchError"))])
    assert indices(store, sweep, "", "metrics.time_us") == [3, 2, 1, 0, 4]
    assert indices(store, sweep, "", "metrics.time_us DESC") == [0, 1, 2, 3, 4]
    assert indices(store, sweep, "", "params.register_cap, params.unroll desc") == [1, 3, 2, 4, 0]
    with pytest.raises(FilterError, match="use asc or desc"):
        store.trials(sweep, TrialQuery(order_by="gpu down"))
    with pytest.raises(FilterError, match="no parameter 'x'"):
        store.trials(sweep, TrialQuery(order_by="params.x"))


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps of sixteen trials are large."""
    monkeypatch.setattr("dse.store.parts.columns.PART", 16)
    monkeypatch.setattr("dse.store.parts.trials.PART", 16)
    monkeypatch.setattr("dse.store.parts.recording.PART", 16)


OUTCOMES = [result(f"{i}", i % 3, ipc=i % 5 + 0.5) if i % 4 else failure(f"{i}", "X") for i in range(40)]


def test_pages_by_a_metric_are_those_of_the_whole_order(store: Store, sweep: int, parts: None) -> None:
    for each in (store.create_sweep(SPEC).id, sweep):
        store.record(each, [trial(i, SPEC.gpus[i % 2], outcome) for i, outcome in enumerate(OUTCOMES)])
    for order in (
        "metrics.ipc desc",
        "metrics.ipc",
        "metrics.ipc, metrics.registers_per_thread desc, gpu desc",
        "metrics.regime desc, metrics.ipc",
        "metrics.time_us desc, metrics.ipc",
        "reason, number desc",
    ):
        for filter in ("number > 2", ""):
            whole = indices(store, sweep, filter, order)
            pages = [store.trials(sweep, TrialQuery(filter, order, 7, at)) for at in range(0, 40, 7)]
            assert [found.point_index for page in pages for found in page] == whole


def test_columns_are_those_of_the_rows_whatever_is_kept_of_them(
    store: Store, sweep: int, parts: None
) -> None:
    def compare() -> None:
        names = ["number", "gpu", "point_index", "same_code_as", "params.unroll", "metrics.ipc"]
        columns = store.columns(sweep, names)
        rows = store.trials(sweep, TrialQuery(order_by="number"))
        unrolls = SPEC.parameters["unroll"]
        assert [tuple(row.values()) for row in columns.sort_by("number").to_pylist()] == [
            (t.number, *t.place, t.same_code_as, unrolls.index(t.parameters["unroll"]), t.metrics.get("ipc"))
            for t in rows
        ]
        assert len(list(store.variants(sweep))) == store.counts(sweep).complete

    shared = [replace(outcome, simulation=f"{i % 6}") for i, outcome in enumerate(OUTCOMES)]
    trials = [trial(i, SPEC.gpus[i % 2], outcome) for i, outcome in enumerate(shared)]
    compare()
    for some in (trials[16:36], trials[3:15], trials[:3], trials[15:16], trials[36:]):  # as workers end
        store.record(sweep, some)
        compare()
    store.change_state(sweep, "running", "finished")
    compare()
    lost = failure("lost", "WorkerLost")
    store.record(sweep, [trial(40, outcome=lost)])
    store.keep_columns(sweep)
    compare()
    store.record(store.create_sweep(SPEC).id, [trial(40, outcome=result("lost", 9.0, ipc=4.0))])
    compare()


def test_counts_add_up(store: Store, sweep: int) -> None:
    outcomes = [result("a"), result("b"), failure("c", "LaunchError"), failure("d", "CompileError")]
    store.record(sweep, [trial(i, outcome=outcome) for i, outcome in enumerate(outcomes)])
    store.record(sweep, [trial(4, outcome=failure("e", "CompileError"), source="known")])
    counts = store.counts(sweep)
    assert (counts.complete, counts.failed, counts.done) == (2, 3, 5)
    assert (counts.new, counts.known) == (4, 1)
    assert list(counts.failures.items()) == [("CompileError", 2), ("LaunchError", 1)]


def test_a_row_keeps_apart_a_parameter_and_a_metric_of_one_name(store: Store) -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"cycles": (7,)})
    sweep = store.create_sweep(spec).id
    store.record(sweep, [Trial(0, "h200", 0, {"cycles": 7}, result("a", cycles=900.0))])
    row = TrialTable(spec).row(store.trials(sweep)[0])
    assert (row["cycles"], row["metrics.cycles"], row["time_us"], row["state"]) == (7, 900.0, 1.0, "complete")
