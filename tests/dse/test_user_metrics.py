"""Metrics of the user's own: checked before any work, then columns, objectives, filters and orders."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dse import Client, Sweep
from dse.errors import InputError
from dse.evaluation.tasks import Outcome
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.store import Store, Trial, TrialQuery
from dse.tables.parquet import write_parquet
from search_spaces import SpaceError, Value
from testing.dot_sweeps import SPEC, result

METRICS = {
    "rate": "2*n*unroll / time_us",
    "doubled": "2 * rate",
    "per_spill": "1 / local_bytes_per_thread",  # 0 everywhere
}
FEW: dict[str, list[Value]] = {
    "unroll": [4, 8, 16],
    "width": [1, 2],
    "block_size": [256],
    "register_cap": [None],
}


@pytest.fixture
def client(home: Path, quick: Evaluate) -> Client:
    return Client(home, partial(InlineRunner, quick), tracking=False)


@pytest.fixture
def sweep(client: Client, space_file: Path) -> Sweep:
    return client.submit(
        space_file, "h100-sxm", parameters=FEW, metrics=METRICS, objectives="maximize rate"
    ).wait()


def test_they_are_objectives_columns_filters_and_orders(sweep: Sweep, tmp_path: Path) -> None:
    best = sweep.best()["h100-sxm"]
    assert best.parameters["unroll"] == 16
    assert best.metrics["rate"] == 2 * 4096 * 16 / best.metrics["time_us"]
    ordered = sweep.trials("metrics.doubled >= 0 and state = 'complete'", "metrics.rate desc")
    assert [trial.parameters["unroll"] for trial in ordered] == [16, 8, 4]
    assert [trial.metrics["doubled"] for trial in ordered] == [2 * each.metrics["rate"] for each in ordered]
    assert not sweep.trials("metrics.per_spill is not null")
    frame = sweep.to_dataframe()
    assert list(frame["rate"].dropna()) == [
        each.metrics["rate"] for each in sweep.trials("state = 'complete'")
    ]
    with (tmp_path / "sweep.parquet").open("wb") as sink:
        write_parquet(sweep.records(), sink, sweep.spec)
    table = pq.read_table(tmp_path / "sweep.parquet").to_pandas()
    assert list(table["rate"].dropna()) == list(frame["rate"].dropna())


def test_rates_tie_as_their_times_do(sweep: Sweep) -> None:
    (winner,) = sweep.winners()
    assert (winner.label, winner.tolerance) == ("calibrated", 0.1)
    least = winner.trial.metrics["rate"] / (1 + winner.tolerance)
    close = [trial for trial in sweep.trials("state = 'complete'") if trial.metrics["rate"] >= least]
    assert {trial.number for trial in sweep.trials(winner.filter)} == {trial.number for trial in close}


def test_samplers_learn_from_them(client: Client, space_file: Path) -> None:
    aims = ["maximize rate", "minimize time_us"]
    found = client.submit(space_file, "h100-sxm", trials=20, metrics=METRICS, objectives=aims).wait()
    assert found.status().counts.done == 20
    rates = [trial.metrics["rate"] for trial in found.trials("state = 'complete'")]
    assert found.front()[0].metrics["rate"] == max(rates)


def test_points_are_shared_whatever_their_metrics(sweep: Sweep, client: Client, space_file: Path) -> None:
    again = client.submit(space_file, "h100-sxm", parameters=FEW, metrics={"other": "ipc * 2"}).wait()
    assert again.status().counts.new == 0
    assert {trial.metrics["other"] for trial in again.trials("state = 'complete'")} == {3.0}


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({"g": "n / tim_us"}, r"metrics\.g: unknown name tim_us; did you mean time_us"),
        ({"g": "1 / (unroll - 4) / time_us"}, r"metrics\.g: `1 / \(unroll - 4\)` divides by zero.*unroll=4"),
        ({"ipc": "2 * n"}, r"metrics\.ipc: ipc is taken already; rename it"),
        ({"unroll": "2 * n"}, r"metrics\.unroll: unroll is taken already"),
        ({"h": "g + 1", "g": "ipc"}, r"metrics\.h: unknown name g"),
    ],
)
def test_what_can_have_no_value_is_refused(
    client: Client, space_file: Path, metrics: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        client.submit(space_file, metrics=metrics)
    assert not client.sweeps()


def test_what_is_no_expression_is_refused(client: Client, space_file: Path) -> None:
    space_file.write_text(space_file.read_text() + "metrics: {g: 'n time_us'}\n")
    with pytest.raises(SpaceError, match=r"metrics\.g: `n time_us` is not an expression"):
        client.submit(space_file)


def test_an_unknown_objective_is_refused(client: Client, space_file: Path) -> None:
    with pytest.raises(InputError, match="objectives: unknown metric 'rates'; did you mean rate"):
        client.submit(space_file, metrics=METRICS, objectives="maximize rates")


def test_they_follow_a_result_that_is_replaced(store: Store) -> None:
    spec = replace(SPEC, metrics={"rate": "unroll / time_us"}, objectives=(("maximize", "rate"),))
    sweep = store.create_sweep(spec).id
    point = {"unroll": 4, "register_cap": None, "layout": "row", "mixed": 8}
    lost = Outcome.failure("x", "WorkerLost", "gone", final=False)
    store.record(sweep, [Trial(0, "h200", 0, point, lost)])
    other = store.create_sweep(SPEC).id
    store.record(other, [Trial(0, "h200", 0, point, result("x", 2.0))])
    (trial,) = store.trials(sweep, TrialQuery("metrics.rate > 1.5", "metrics.rate"))
    assert not store.trials(sweep, TrialQuery("metrics.rate > 2.5"))
    assert (trial.state, trial.metrics["rate"], trial.score) == ("complete", 2.0, -2.0)
