"""Files of measurements: our own, Kernel Tuner's, T4's and Nsight Compute's, and what is wrong with one."""

import json
from pathlib import Path

import pytest

from simcore.validation import (
    MeasurementError,
    profile_of,
    read_measurements,
)
from testing.measured_files import CATALOG, SAMPLES


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
    assert first.time_us == pytest.approx(6.82)
    assert first.warp_instructions == 458_752
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
        ("a,b\n1,2\n", "is not a file of measurements; use"),
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
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA A10", "a10"),
        ("NVIDIA A10G", None),
        ("NVIDIA A100-SXM4-40GB", "a100-40gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100", None),
        (None, None),
    ],
)
def test_a_drivers_name_tells_the_profile_where_it_can(device: str | None, profile: str | None) -> None:
    assert profile_of(device) == profile
