"""`simcore validate`: scores, pictures, reports and JSON, and `simcore gpus`."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from simcore.cli import app
from simcore.errors import SimcoreError
from testing.measured_files import CATALOG, SAMPLES


def _run(*arguments: object) -> str:
    outcome = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.stdout


@pytest.fixture(scope="module")
def slice_of_catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest two points of two kernels, as a file of their own."""
    with gzip.open(CATALOG, "rt") as file:
        header, *lines = file.read().splitlines()
    records = [json.loads(line) for line in lines]
    records.sort(key=lambda record: record["counters"]["smsp__inst_executed.sum"])
    chosen = [r for kernel in ("dot", "fma_chain") for r in [r for r in records if r["space"] == kernel][:2]]
    path = tmp_path_factory.mktemp("slice") / "slice.jsonl"
    path.write_text("\n".join([header, *map(json.dumps, chosen)]))
    return path


def test_the_command_scores_draws_and_reports(slice_of_catalog: Path, tmp_path: Path) -> None:
    picture, report = tmp_path / "agreement.svg", tmp_path / "accuracy.md"
    report.write_text("Before.\n\n<!-- validate slice -->\nold\n<!-- end slice -->\n\nWhy they are off.\n")
    printed = _run(
        *("validate", slice_of_catalog, "--jobs", 1, "--worst", 2),
        *("--picture", picture, "--report", report),
    )
    lines = printed.splitlines()
    assert lines[0].split()[:3] == ["family", "n", "error"]
    assert {lines[1].split()[0], lines[2].split()[0]} == {"dot", "fma_chain"}
    assert lines[3].startswith("mean over families")
    assert lines[4].startswith("worst over families")
    assert len(lines) == 7
    assert "<svg" in picture.read_text()
    written = report.read_text()
    assert written.startswith("Before.\n\n<!-- validate slice -->")
    assert written.endswith("<!-- end slice -->\n\nWhy they are off.\n")
    assert "old" not in written
    assert "| `dot` | 2 |" in written


def test_json_has_families_and_worst_points(slice_of_catalog: Path) -> None:
    document = json.loads(_run("validate", slice_of_catalog, "--jobs", 1, "--worst", 1, "-o", "json"))
    dot = next(row for row in document["families"] if row["family"] == "dot")
    assert dot["instructions"] == dot["registers"] == dot["blocks"] == 1.0
    assert dot["rank"] is None
    (worst,) = document["worst"]
    assert worst["error"] == pytest.approx(worst["predicted_us"] / worst["measured_us"] - 1)


@pytest.mark.parametrize("sample", ["kernel_tuner_cache.json", "t4_results.json", "nsight_raw.csv"])
def test_files_without_code_are_paired_with_a_space(sample: str) -> None:
    printed = _run(
        *(
            "validate",
            SAMPLES / sample,
            "--space",
            SAMPLES / "saxpy",
            "--gpu",
            "h200",
            "--jobs",
            1,
            "-o",
            "csv",
        )
    )
    row = pd.read_csv(StringIO(printed)).iloc[0]
    counted = sample == "nsight_raw.csv"
    assert row["points"] == (4 if counted else 3)
    assert pd.notna(row["registers"]) == counted, "a figure that the file cannot give is blank"
    assert row["regret"] >= 0


def test_gpus_are_listed_with_their_labels() -> None:
    labels = {row["name"]: row["label"] for row in json.loads(_run("gpus", "-o", "json"))}
    assert labels["h200"] == "calibrated"
    assert labels["h100-pcie"] == "derived"
    assert labels["rtx5090"] == "extrapolated"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SAMPLES / "nsight_raw.csv",), r"nsight_raw\.csv: no GPU named\)\? Say --gpu, one of a10, a100"),
        ((CATALOG, "--split", "validation"), "name the file with its families with --split-file"),
        ((CATALOG, "--spaces", "dott"), "no measurement is left to predict"),
        ((CATALOG, "--picture", "agreement.html"), r"cannot draw a \.html; end the name in \.svg"),
        ((CATALOG, "--gpu", "h20", "--spaces", "dot", "--every", 96), "did you mean 'h200'"),
        (
            (SAMPLES / "kernel_tuner_cache.json", "--space", SAMPLES, "--gpu", "h200"),
            r"measurements.* no space\.yaml|space\.yaml",
        ),
    ],
)
def test_the_command_says_what_is_wrong(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(SimcoreError, match=message):
        _run("validate", *arguments, "--jobs", 1)
