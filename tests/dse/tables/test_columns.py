"""A trial as a row: the same columns whatever came out, so that its JSON has the keys of the CSV."""

from dataclasses import replace

import pytest

from dse.evaluation.tasks import Outcome
from dse.store import Trial
from dse.tables.columns import trial_columns, trial_row

POINT = {"unroll": 4, "cycles": 7}
COMPLETE = Trial(0, "h200", 3, POINT, Outcome("a", "complete", metrics={"cycles": 900.0, "time_us": 1.5}))
FAILED = Trial(1, "h200", 4, POINT, Outcome.failure("b", "LaunchError", "why", seconds=0.25, final=True))


@pytest.mark.parametrize("times", [False, True])
def test_every_row_has_the_columns_of_the_table(times: bool) -> None:
    columns = trial_columns(POINT, ("gflops",), times)
    assert (
        list(trial_row(COMPLETE, ("gflops",), times))
        == list(trial_row(FAILED, ("gflops",), times))
        == columns
    )


def test_a_row_says_what_became_of_the_trial() -> None:
    complete, failed = trial_row(COMPLETE), trial_row(FAILED, times=True)
    assert (complete["cycles"], complete["metrics.cycles"], complete["time_us"]) == (7, 900.0, 1.5)
    assert (complete["state"], complete["reason"], complete["ipc"]) == ("complete", None, None)
    assert (failed["state"], failed["reason"], failed["message"]) == ("failed", "LaunchError", "why")
    assert (failed["time_us"], failed["source"], failed["simulate_s"]) == (None, "new", 0.25)


def test_what_else_an_evaluation_reports_comes_last() -> None:
    result = replace(COMPLETE.result, metrics={"node": "n1", "time_us": 1.5})
    assert list(trial_row(replace(COMPLETE, result=result)))[-1] == "node"
