"""Experiments: claims with verdicts, measured figures beside predicted ones, and the page."""

import re
from operator import itemgetter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dse.cli import app
from dse.errors import InputError
from dse.evaluation.evaluate import evaluate
from dse.experiments import accumulators, lab, latency_hiding, scan, transpose
from dse.experiments.lab import Lab
from dse.experiments.listing import NAMES, run_experiment, titles
from dse.experiments.page import write_page
from dse.experiments.report import Bars, Claim, Curves, Report, Table
from dse.runners.inline import InlineRunner
from simcore import gpu_names, load_gpu

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"


@pytest.fixture
def laboratory() -> Lab:
    return Lab(InlineRunner(evaluate))


def test_four_instructions_issue_at_0_1_4_8_and_another_warp_between() -> None:
    for gpu in ("h100-sxm", "rtx3090"):
        assert latency_hiding.issues(gpu, 2) == [[0, 1, 4, 8], [2, 3, 6, 10]]


def test_the_ladder_of_the_transpose_is_predicted_and_measured(laboratory: Lab) -> None:
    report = transpose.run(laboratory)
    (table,) = report.tables
    assert [row["step"] for row in table.rows] == 2 * list(transpose.STEPS)
    times = [float(row["predicted, µs"]) for row in table.rows[: len(transpose.STEPS)]]
    assert times[3] < times[2] < times[0]
    assert all(float(row["measured, µs"]) > 0 for row in table.rows)


def test_the_ways_to_scan_are_predicted_in_the_order_measured(laboratory: Lab) -> None:
    report = scan.run(laboratory)
    for table in report.tables:
        for gpu in lab.MEASURED:
            rows = [row for row in table.rows if row["gpu"] == gpu]
            by_prediction, by_measurement = (
                [row["step"] for row in sorted(rows, key=itemgetter(kind))]
                for kind in ("predicted, µs", "measured, µs")
            )
            assert by_prediction == by_measurement
    assert [claim.verdict for claim in report.claims] == ["differs", "agrees"]


def test_the_knee_follows_latency_and_issue_interval(laboratory: Lab) -> None:
    intervals = {accumulators.issue_interval(load_gpu(gpu)) for gpu in gpu_names()}
    assert intervals == {1.0, 2.0}
    shares = accumulators.shares_of_peak(laboratory, "a100-80gb", (1, 2, 4), (4,))
    assert accumulators.knee({chains: share for (chains, _), share in shares.items()}) == 2


def test_a_point_that_cannot_be_simulated_is_named(laboratory: Lab) -> None:
    space = lab.own_space("ilp").override({"warps": [32], "chains": [1]})
    with pytest.raises(InputError, match=r"ilp on h100-sxm,max_threads_per_block=512, .*1024 threads"):
        laboratory.predict(space, list(space.points()), ["h100-sxm,max_threads_per_block=512"])


def test_no_experiment_reads_the_validation_set() -> None:
    assert not any("validation" in name for name in lab.FILES)


def test_the_page_has_each_experiment_and_each_verdict_a_reason() -> None:
    text = PAGE.read_text()
    assert re.findall(r"^## `(\w+)`", text, re.MULTILINE) == list(NAMES)
    verdicts = re.findall(r"^\*(Agrees|Differs|Not so here)\*: (.+)\.$", text, re.MULTILINE)
    assert len(verdicts) == len(re.findall(r"^\| \[\w+\]", text, re.MULTILINE)) > 20
    assert all(len(reason) > 20 for _, reason in verdicts)


def test_a_report_becomes_a_section_with_its_picture(tmp_path: Path) -> None:
    claim = Claim("one is two", "a page", "2", "1.0", "not so here", "one is one")
    curves = Curves("x", "y", {"line": {1.0: 2.0, 2.0: 3.0}})
    bars = Bars("length", "name", {"one": {"a": 1.0, "b": 2.0}, "other": {"a": 2.0}})
    table = Table("all", [{"n": 1.23456, "m": None}])
    report = Report("numbers", "Of numbers", [claim], [table], curves)
    write_page(tmp_path / "page.md", [report, Report("steps", "Of steps", [claim], [table], bars)])
    text = (tmp_path / "page.md").read_text()
    assert "| [numbers](#numbers-of-numbers) | one is two | not so here |" in text
    assert "*Not so here*: one is one." in text
    assert "| 1.235 | - |" in text
    assert "![Y by x](images/experiments/numbers.svg)" in text
    assert "![Length by name](images/experiments/steps.svg)" in text
    for picture in ("numbers", "steps"):
        assert (tmp_path / f"images/experiments/{picture}.svg").read_text().startswith("<?xml")


def test_experiments_are_listed_and_an_unknown_one_refused(laboratory: Lab) -> None:
    listed = CliRunner().invoke(app, ["experiments"]).output
    assert all(name in listed for name in titles())
    with pytest.raises(InputError, match="no experiment 'latency'; did you mean 'latency_hiding'"):
        run_experiment("latency", laboratory)
