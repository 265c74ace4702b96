"""A space's points are paired with measurements that hold no code: by their parameters, or in launch order."""

from dataclasses import replace
from pathlib import Path

import pytest

from dse.evaluation.variants import SpaceVariants, space_variants
from simcore.validation import MeasurementError, pair, read_measurements

SAMPLES = Path(__file__).parents[2] / "simcore" / "data" / "measurements"


@pytest.fixture
def variants() -> SpaceVariants:
    return space_variants(SAMPLES / "saxpy")


def test_parameters_name_the_point(variants: SpaceVariants) -> None:
    measurements = read_measurements(SAMPLES / "kernel_tuner_cache.json").measurements
    third = pair(measurements, variants)[2].recipe
    assert third is not None
    assert (third.kernel, third.grid, third.block) == ("saxpy", (4096, 1, 1), (128, 1, 1))
    assert third.defines == {"ITEMS": 2, "BLOCK_SIZE": 128}
    assert len(third.arguments) == 3
    with pytest.raises(MeasurementError, match="is not a point of the space saxpy"):
        pair([replace(measurements[0], parameters={"items": 3, "block_size": 128})], variants)


def test_launches_without_parameters_are_the_points_in_order(variants: SpaceVariants) -> None:
    launches = read_measurements(SAMPLES / "nsight_raw.csv").measurements
    assert [m.parameters["items"] for m in pair(launches, variants)] == [1, 1, 2, 2]
    with pytest.raises(MeasurementError, match=r"ID 1: .*profile the points in order"):
        pair([launches[1], launches[0], *launches[2:]], variants)
    with pytest.raises(MeasurementError, match="3 launches of saxpy, but the space has 4 points"):
        pair(launches[:3], variants)


def test_a_folder_without_a_space_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match=str(tmp_path)):
        space_variants(tmp_path)
