"""A trial as a row: the same columns whatever came out, so that its JSON has the keys of the CSV."""

from dataclasses import replace

import pytest

from dse.evaluation.tasks import Outcome
from dse.store import SweepSpec, Trial
from dse.tables.columns import TrialTable

POINT = {"unroll": 4, "cycles": 7}
COMPLETE = Trial(0, "h200", 3, POINT, Outcome("a", "complete", metrics={"cycles": 900.0, "time_us": 1.5}))
FAILED = Trial(1, "h200", 4, POINT, Outcome.failure("b", "LaunchError", "why", seconds=0.25, final=True))


SPEC = SweepSpec(
    name="dot",
    space_yaml="",
    source="",
    gpus=("h200",),
    parameters={
        "unroll": (2, 4),
        "cycles": (7,),
        "register_cap": (None, 32),
        "gpu.l2_bytes": ("1MB", "0.5KB"),
    },
    metrics={"gflops": "1 / time_us"},
)


@pytest.mark.parametrize("times", [False, True])
def test_every_row_has_the_columns_of_the_table(times: bool) -> None:
    table = TrialTable(SPEC, times)
    assert list(table.row(COMPLETE)) == list(table.row(FAILED)) == list(table.columns)


def test_a_row_says_what_became_of_the_trial() -> None:
    complete, failed = TrialTable(SPEC).row(COMPLETE), TrialTable(SPEC, times=True).row(FAILED)
    assert (complete["cycles"], complete["metrics.cycles"], complete["time_us"]) == (7, 900.0, 1.5)
    assert (complete["state"], complete["reason"], complete["ipc"]) == ("complete", None, None)
    assert (failed["state"], failed["reason"], failed["message"]) == ("failed", "LaunchError", "why")
    assert (failed["time_us"], failed["source"], failed["simulate_s"]) == (None, "new", 0.25)


def test_a_column_has_one_type() -> None:
    columns = TrialTable(SPEC).columns
    kinds = columns["unroll"], columns["register_cap"], columns["gpu.l2_bytes"], columns["time_us"]
    assert kinds == (int, str, int, float)
    for cap, word in ((None, "none"), (32, "32")):
        row = TrialTable(SPEC).row(replace(COMPLETE, parameters={"register_cap": cap, "gpu.l2_bytes": "1MB"}))
        assert (row["register_cap"], row["gpu.l2_bytes"]) == (word, 1 << 20)


def test_units_and_rates_have_columns_of_their_own() -> None:
    metrics = {"utilisation": {"fma": 0.5}, "memory": {"l1_hit_rate": 0.75}, "time_us": 1.5}
    row = TrialTable(SPEC).row(replace(COMPLETE, result=replace(COMPLETE.result, metrics=metrics)))
    assert (row["unit_fma"], row["l1_hit_rate"], row["bank_conflicts"]) == (0.5, 0.75, None)
