"""Measured files of every tool are read, predictions are scored as defined, and the command says what is wrong."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from simcore.cli import app
from simcore.errors import SimcoreError
from simcore.validation import (
    Measurement,
    MeasurementError,
    Prediction,
    Selection,
    pair,
    profile_of,
    rank_correlation,
    read_measurements,
    read_split,
    regret,
    score_families,
    summarise,
)
from testing.silicon_data import FOLDER

SAMPLES = Path(__file__).parents[1] / "data" / "measurements"
CATALOG = FOLDER / "catalog.jsonl.gz"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"

times = st.floats(0.5, 1e5)
pairs = st.lists(st.tuples(times, times), min_size=3, max_size=30)


def _prediction(family: str, measured: float, predicted: float, same: bool | None = True) -> Prediction:
    return Prediction(Measurement(family, "here", {}, measured), predicted, same, same, same, same)


# Scores


@given(pairs)
def test_rank_correlation_is_spearmans(pairs: list[tuple[float, float]]) -> None:
    measured, predicted = zip(*pairs, strict=True)
    expected = pd.Series(measured).rank().corr(pd.Series(predicted).rank())
    found = rank_correlation(measured, predicted)
    assert math.isnan(expected) if found is None else found == pytest.approx(expected)


@given(pairs, st.floats(0.1, 3))
def test_any_rising_function_of_the_measured_times_ranks_perfectly(
    pairs: list[tuple[float, float]], power: float
) -> None:
    measured = sorted({round(m, 3) for m, _ in pairs})
    if len(measured) >= 3:
        assert rank_correlation(measured, [m**power for m in measured]) == pytest.approx(1.0)
        assert rank_correlation(measured, [-m for m in measured]) == pytest.approx(-1.0)
        assert regret(measured, [m**power for m in measured]) == 0.0


def test_a_correlation_needs_three_points_that_differ() -> None:
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]) is None
    assert rank_correlation([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]) is None


@given(pairs)
def test_regret_is_what_following_the_prediction_costs(pairs: list[tuple[float, float]]) -> None:
    measured, predicted = zip(*pairs, strict=True)
    picked = measured[predicted.index(min(predicted))]
    assert regret(measured, predicted) == pytest.approx(picked / min(measured) - 1)
    assert regret(measured, predicted) >= 0


def test_a_familys_score_is_over_its_variants_and_the_worst_family_comes_first() -> None:
    predictions = [
        _prediction("near", 10.0, 11.0),
        _prediction("near", 20.0, 18.0),
        _prediction("far", 10.0, 15.0, same=False),
        _prediction("far", 10.0, 10.0, same=None),
    ]
    far, near = score_families(predictions)
    assert (far.family, far.points, far.error, far.worst) == ("far", 2, 0.25, 0.5)
    assert (far.instructions, far.stall) == (0.0, 0.0), "what is not known does not count"
    assert near.error == pytest.approx(0.1)
    assert near.bias == pytest.approx(0.0)
    assert near.instructions == 1.0


def test_each_family_counts_once_over_families() -> None:
    predictions = [_prediction("one", 10.0, 9.0)] + [_prediction("many", 10.0, 13.0, None)] * 9
    mean, worst = summarise(score_families(predictions))
    assert mean.points == worst.points == 10
    assert mean.error == pytest.approx(0.2)
    assert mean.bias == pytest.approx(0.1)
    assert (worst.error, worst.bias) == (pytest.approx(0.3), pytest.approx(0.3))
    assert mean.registers == 1.0, "the family without registers has no say"


@pytest.mark.parametrize(
    ("stalls", "dominant"),
    [
        ({"wait": 2.0, "barrier": 1.0, "selected": 9.0}, {"wait"}),
        ({"wait": 2.0, "barrier": 1.91}, {"wait", "barrier"}),
        ({"wait": 0.0, "barrier": 0.0}, set()),
        ({}, set()),
    ],
)
def test_stalls_within_five_percent_of_the_largest_are_dominant_too(
    stalls: dict[str, float], dominant: set[str]
) -> None:
    counters = {STALL.format(name): value for name, value in stalls.items()}
    assert Measurement("f", "here", {}, 1.0, counters).dominant_stalls == dominant


# Files


def test_our_file_has_times_counters_and_code() -> None:
    content = read_measurements(CATALOG)
    assert (len(content.measurements), content.failed, profile_of(content.device)) == (389, 0, "h200")
    for measurement in content.measurements:
        assert measurement.recipe is not None
        assert measurement.time_us > 0
        assert measurement.warp_instructions
        assert measurement.dominant_stalls


def test_a_kernel_tuner_cache_is_in_milliseconds_and_has_failures() -> None:
    content = read_measurements(SAMPLES / "kernel_tuner_cache.json")
    assert (content.failed, profile_of(content.device)) == (2, "rtx-a4000")
    first, _, third = content.measurements
    assert (first.family, first.parameters) == ("saxpy", {"items": 1, "block_size": 128})
    assert [m.time_us for m in (first, third)] == pytest.approx([33.6, 32.9])
    assert first.counters == {}
    assert first.dominant_stalls == frozenset()


def test_a_cache_that_is_still_being_written_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (SAMPLES / "kernel_tuner_cache.json").read_text()
    path = tmp_path / "open.json"
    path.write_text(whole.rstrip().removesuffix("}\n}").rstrip() + ",\n")
    assert len(read_measurements(path).measurements) == 3


def test_t4_results_have_times_with_units_or_runtimes_alone() -> None:
    content = read_measurements(SAMPLES / "t4_results.json")
    assert content.failed == 1
    assert [m.time_us for m in content.measurements] == pytest.approx([33.6, 33.1, 32.9])


def test_nsights_raw_page_has_scaled_units_and_separators() -> None:
    content = read_measurements(SAMPLES / "nsight_raw.csv")
    first, second = content.measurements[:2]
    assert (first.family, first.grid, first.block) == ("saxpy", (8192, 1, 1), (128, 1, 1))
    assert (first.time_us, first.warp_instructions) == (pytest.approx(6.82), 458_752)
    assert (first.registers, first.blocks_per_sm) == (16, 16)
    assert first.dominant_stalls == {"long_scoreboard", "lg_throttle"}
    assert second.dominant_stalls == {"long_scoreboard"}


def test_columns_added_to_nsights_page_are_parameters(tmp_path: Path) -> None:
    lines = (SAMPLES / "nsight_raw.csv").read_text().splitlines()[4:]
    added = ['"items","cap"', '"",""', '"1","none"', '"1","24"', '"2","none"', '"2","24"']
    path = tmp_path / "with_parameters.csv"
    path.write_text("\n".join(f"{line},{extra}" for line, extra in zip(lines, added, strict=True)))
    parameters = [m.parameters for m in read_measurements(path).measurements]
    assert parameters[:2] == [{"items": 1, "cap": None}, {"items": 1, "cap": 24}]


def _cache(**changes: object) -> str:
    return json.dumps(json.loads((SAMPLES / "kernel_tuner_cache.json").read_text()) | changes)


def _results(**result: object) -> str:
    return json.dumps({"results": [{"configuration": {}, "invalidity": "correct", **result}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is no file of measurements; it may be"),
        ('{"header":{}}\n', "file:1: has no header with `sources`"),
        ('{"header":{"sources":{}}}\n{"space"', "file:2: is not JSON .* was the file cut short"),
        ('{"header":{"sources":{}}}\n{"space":"a"}', "file:2: has no 'a'; collect the file again"),
        ('{\n"cache": {"1": ]', "file:2: is not JSON"),
        ('{"caches": {}}', "has neither `cache` .* nor `results`"),
        (_cache(tune_params_keys=None), "`tune_params_keys` is missing"),
        (_cache(cache={"1": {"time": 1.0, "items": 1}}), r"cache\['1'\]: has no 'block_size'"),
        (_cache(cache={"1": {"items": 1}}), r"cache\['1'\]: `time` is None"),
        (json.dumps({"results": [{}]}), r"results\[0\]: has no `configuration`"),
        (_results(measurements=[{"name": "time", "value": 1, "unit": "h"}]), "unit of `time` is 'h'; use s"),
        (_results(times={"runtimes": []}), "neither a measurement `time` nor `times.runtimes`"),
        ('"ID","Metric Name"\n', "is not the raw page; print it with"),
        ('"ID","x__y.sum"\n', "has no column gpu__time_duration.sum"),
        ('"ID","gpu__time_duration.sum"\n"","us"\n"0","6,82"\n', "ID 0: .* is '6,82', not a number"),
        ('"ID","gpu__time_duration.sum"\n"","cycle"\n"0","6.8"\n', "ID 0: the unit of .* is 'cycle'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place_and_the_fix(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(MeasurementError, match=message) as error:
        read_measurements(path)
    assert str(path) in str(error.value)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match=r"absent\.json: cannot be read: No such file"):
        read_measurements(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("device", "profile"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA GeForce RTX 3090", "rtx3090"),
        ("NVIDIA A100-SXM4-40GB", None),
        (None, None),
    ],
)
def test_a_drivers_name_tells_the_profile_where_it_can(device: str | None, profile: str | None) -> None:
    assert profile_of(device) == profile


# Selections and pairs


def test_a_selection_is_by_family_stride_and_size() -> None:
    measurements = read_measurements(CATALOG).measurements
    chosen = Selection(frozenset({"dot"}), every=10).choose(measurements)
    assert {m.family for m in chosen} == {"dot"}
    assert len(chosen) == 10
    limit = float(np.median([m.warp_instructions or 0 for m in measurements]))
    small = Selection(most_instructions=limit).choose(measurements)
    assert max(m.warp_instructions or 0 for m in small) <= limit
    with pytest.raises(MeasurementError, match="the families measured are: dot, fma_chain, rsqrt_chain"):
        Selection(frozenset({"dott"})).choose(measurements)


def test_a_split_file_names_the_families_of_a_half(tmp_path: Path) -> None:
    path = tmp_path / "split.yaml"
    path.write_text("calibration: [a]\nvalidation: [b, c]\n")
    assert read_split(path, "validation") == {"b", "c"}
    with pytest.raises(MeasurementError, match="has no list `test`"):
        read_split(path, "test")


def test_measurements_without_code_need_a_space() -> None:
    with pytest.raises(MeasurementError, match=r"kernel_tuner_cache\.json: .*say with --space"):
        pair(read_measurements(SAMPLES / "kernel_tuner_cache.json").measurements, None)


# The command


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
    row = pd.read_csv(pd.io.common.StringIO(printed)).iloc[0]
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
        ((SAMPLES / "nsight_raw.csv",), r"nsight_raw\.csv: no GPU named\)\? Say --gpu, one of a100"),
        ((CATALOG, "--split", "validation"), "say with --split-file which file"),
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
